"""A statistics book that grows while it is read.

Games come from sources, which are worked in from the background and resumed where they were left, and from
whoever plays. A thread of its own adds what was counted to the book in the file, and puts the new one on the shelf
in the place of the old one: whoever reads has the old or the new one, and never waits. Other programs may do the
same with the same file.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from tengen.books import shelf
from tengen.books.container import changing
from tengen.books.errors import BookError
from tengen.books.statistics import StatisticsBook
from tengen.books.statistics_file import read_statistics, write_statistics
from tengen.core.errors import TengenError
from tengen.games.records import Record

BATCH = 500
"""A new book is put in place after so many games."""


class Part(NamedTuple):
    """Some games of a source, counted, and how many of its games have been then."""

    counts: StatisticsBook
    done: int


Stopped = Callable[[], bool]
Source = Callable[[int, Stopped], Iterable[Part]]
"""What comes after so many games, part by part, until it is to stop."""


def parts_of(game: str, records: Callable[[], Iterable[Record]], batch: int = BATCH) -> Source:
    """Records as a source, counted in the thread of the book."""

    def parts(done: int, stopped: Stopped) -> Iterator[Part]:
        rest = islice(iter(records()), done, None)
        while not stopped() and (some := list(islice(rest, batch))):
            done += len(some)
            yield Part(count(game, some), done)

    return parts


def count(game: str, records: Iterable[Record]) -> StatisticsBook:
    """A book of these games alone; bad ones are left out."""
    book = StatisticsBook(game)
    for record in records:
        with suppress(TengenError):  # one bad game among thousands
            book.add_record(record)
    return book


def update(path: Path, fresh: StatisticsBook) -> StatisticsBook:
    """Add to the book in a file, which begins with this if there is none; returns the new one."""
    with changing(path):
        book = read_statistics(path).merged(fresh) if path.exists() else fresh
        write_statistics(book, path)
    shelf.statistics.put(path, book)
    return book


class LiveBook:
    """The book in a file. `book` is the latest; `add` and `feed` may be called from any thread."""

    def __init__(self, game: str, path: Path) -> None:
        self._path = path
        self._stamp: shelf.Stamp | None = None
        self.book = StatisticsBook(game)
        self._waiting: list[Record] = []
        self._sources: list[tuple[str, Source]] = []
        self._change = threading.Condition()
        self._closing = False
        self._busy = False
        self._thread = threading.Thread(target=self._work, name="book", daemon=True)
        self._thread.start()

    def add(self, record: Record) -> None:
        """A game that has ended. It must not change any more."""
        with self._change:
            self._waiting.append(record)
            self._change.notify_all()

    def feed(self, name: str, source: Source) -> None:
        """Work in a source, from where an earlier run was stopped. Its name tells it from all others."""
        with self._change:
            self._sources.append((name, source))
            self._change.notify_all()

    def wait(self, timeout: float = 60.0) -> bool:
        """Until everything has been worked in; returns whether it has."""
        with self._change:
            return self._change.wait_for(lambda: not (self._waiting or self._sources or self._busy), timeout)

    def close(self) -> None:
        """Stop, after what is in hand has been written."""
        with self._change:
            self._closing = True
            self._change.notify_all()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._change:
                self._busy = False
                self._change.notify_all()
                self._change.wait_for(lambda: self._closing or self._waiting or self._sources)
                if self._closing and not self._waiting:
                    return
                self._busy = True
                played, self._waiting = self._waiting, []
                source = self._sources.pop(0) if not played else None
            if played:
                self._publish(count(self.book.game, played))
            if source is not None:
                self._feed(*source)

    def _feed(self, name: str, source: Source) -> None:
        """Until the source has no more. Games that end meanwhile do not wait for it."""
        self._refresh()
        done = self.book.progress.get(name, 0)
        for part in source(done, lambda: self._closing):
            with self._change:
                played, self._waiting = self._waiting, []
            if played:
                self._publish(count(self.book.game, played))
            part.counts.progress[name] = part.done
            if not self._publish(part.counts, name, done):
                return  # another program is at the same source: it will go on
            done = part.done

    def _publish(self, fresh: StatisticsBook, name: str = "", done: int = 0) -> bool:
        """Put a new book in place: the old one and these. Not if another went on with the source after `done`."""
        with suppress(TengenError):  # a full disk costs what is learned now, not the game that goes on
            with changing(self._path):
                self._refresh()
                if name and self.book.progress.get(name, 0) != done:
                    return False
                self.book = self.book.merged(fresh)
                write_statistics(self.book, self._path)
                self._stamp = shelf.stamp_of(self._path)
            shelf.statistics.put(self._path, self.book)
        return True

    def _refresh(self) -> None:
        """Take the book in the file, if it is another than ours. A damaged one is put aside, not overwritten."""
        stamp = shelf.stamp_of(self._path)
        if stamp is None or stamp == self._stamp:
            return
        try:
            self.book, self._stamp = read_statistics(self._path), stamp
        except BookError:
            with suppress(OSError):
                self._path.rename(self._path.with_name(self._path.name + ".damaged"))
