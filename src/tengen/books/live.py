"""A statistics book that grows while it is read.

Games come from sources, which are worked in from the background and resumed where they were left, and from
whoever plays. A thread of its own adds what was counted to the book in the file, and puts the new one on the shelf
in the place of the old one: whoever reads has the old or the new one, and never waits. Other programs may do the
same with the same file.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
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
from tengen.jobs.restart_backoff import RestartBackoff
from tengen.jobs.task import one_line

CLOSE_TIMEOUT_S = 120.0
MOST_FAILURES = 5  # in a row: then the games or the source that fail are left out

_log = logging.getLogger(__name__)

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


@dataclass(frozen=True)
class LiveBookHealth:
    """A live book now. `dataclasses.asdict` of it fits into JSON."""

    game: str
    is_running: bool
    games_waiting: int
    sources_waiting: int
    restarts: int
    last_failure: str


class LiveBook:
    """The book in a file. `book` is the latest; `add` and `feed` may be called from any thread.

    What fails while games are counted is tried again, after a pause that grows, and given up after a few times.
    """

    def __init__(self, game: str, path: Path) -> None:
        self._path = path
        self._stamp: shelf.Stamp | None = None
        self.book = StatisticsBook(game)
        self._waiting: list[Record] = []
        self._sources: list[tuple[str, Source]] = []
        self._change = threading.Condition()
        self._closing = False
        self._busy = False
        self._restarts = RestartBackoff()
        self._thread = self._start()

    def _start(self) -> threading.Thread:
        thread = threading.Thread(target=self._work, name="book", daemon=True)
        thread.start()
        return thread

    def _revive(self) -> None:
        """Start the thread again if it has died. Needs the lock."""
        if not self._thread.is_alive() and not self._closing:
            self._restarts.note_crash("the book's thread ended")
            _log.error("the thread of the book %s ended; it is started again", self._path.name)
            self._busy = False
            self._thread = self._start()

    def health(self) -> LiveBookHealth:
        with self._change:
            return LiveBookHealth(
                self.book.game,
                self._thread.is_alive(),
                len(self._waiting),
                len(self._sources) + self._busy,
                self._restarts.count,
                self._restarts.last_failure,
            )

    def add(self, record: Record) -> None:
        """A game that has ended. It must not change any more."""
        with self._change:
            self._waiting.append(record)
            self._revive()
            self._change.notify_all()

    def feed(self, name: str, source: Source) -> None:
        """Work in a source, from where an earlier run was stopped. Its name tells it from all others."""
        with self._change:
            self._sources.append((name, source))
            self._revive()
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
        self._thread.join(CLOSE_TIMEOUT_S)

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
            try:
                if played:
                    self._publish(count(self.book.game, played))
                if source is not None:
                    self._feed(*source)
                self._restarts.note_success()
            except Exception as error:
                self._note_failure(error, played, source)

    def _note_failure(self, error: Exception, played: list[Record], source: tuple[str, Source] | None) -> None:
        """Try what failed again after a pause, unless that has failed too often."""
        reason = one_line(error)
        delay_s = self._restarts.note_crash(reason)
        with self._change:
            if self._closing:
                return
            if self._restarts.in_a_row >= MOST_FAILURES:
                what = f"{len(played)} games" if source is None else source[0]
                _log.error("the book %s does without %s: %s", self._path.name, what, reason)
                self._restarts.note_success()
                return
            _log.warning("the book %s tries again in %.1f s: %s", self._path.name, delay_s, reason)
            self._waiting[:0] = played
            if source is not None:
                self._sources.append(source)
            self._change.wait_for(lambda: self._closing, delay_s)

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
            self._restarts.note_success()

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
