"""A statistics book that grows while it is read.

Games come from a source, a file of records that is worked in from the background and resumed where it was left,
and from whoever plays. A thread of its own counts them into a small book; now and then that and the large one
become a new book, which is written and put in the place of the old one. Whoever reads has the old or the new
one, and never waits.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path

from tengen.books.errors import BookError
from tengen.books.statistics import StatisticsBook
from tengen.books.statistics_file import read_statistics, write_statistics
from tengen.core.errors import TengenError
from tengen.games.records import Record

BATCH = 500
SECONDS = 2.0
"""A new book is put in place after so many games, or so long."""

Source = tuple[str, Callable[[], Iterable[Record | TengenError]]]


class LiveBook:
    """The book in a file. `book` is the latest; `add` may be called from any thread."""

    def __init__(self, game: str, path: Path) -> None:
        self._path = path
        self.book = StatisticsBook(game)
        with suppress(BookError):
            if path.exists():
                self.book = read_statistics(path)
        self._waiting: list[Record] = []
        self._change = threading.Condition()
        self._closing = False
        self._busy = False
        self._sources: list[Source] = []
        self._thread = threading.Thread(target=self._work, name="book", daemon=True)
        self._thread.start()

    def add(self, record: Record) -> None:
        """A game that has ended."""
        with self._change:
            self._waiting.append(record)
            self._change.notify_all()

    def feed(self, name: str, records: Callable[[], Iterable[Record | TengenError]]) -> None:
        """Work in the games of a source, from where an earlier run was stopped; errors stand for bad games."""
        with self._change:
            self._sources.append((name, records))
            self._change.notify_all()

    def wait(self, timeout: float = 60.0) -> bool:
        """Until everything has been worked in; returns whether it has."""
        with self._change:
            return self._change.wait_for(lambda: not (self._waiting or self._sources or self._busy), timeout)

    def close(self) -> None:
        """Stop after the game in hand; what is counted is written."""
        with self._change:
            self._closing = True
            self._change.notify_all()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._closing or self._waiting or self._sources)
                if self._closing and not self._waiting:
                    return
                self._busy = True
                source = self._sources[0] if self._sources and not self._closing else None
            if source is not None:
                self._feed(*source)
            self._publish(StatisticsBook(self.book.game, depth=self.book.depth))
            with self._change:
                if source is not None and source in self._sources and not self._closing:
                    self._sources.remove(source)
                self._busy = False
                self._change.notify_all()

    def _feed(self, name: str, records: Callable[[], Iterable[Record | TengenError]]) -> None:
        done = self.book.progress.get(name, 0)
        fresh = StatisticsBook(self.book.game, depth=self.book.depth)
        published = time.monotonic()
        count = 0
        for record in islice(iter(records()), done, None):
            if isinstance(record, Record):
                _count(fresh, record)
            count += 1
            if count % BATCH == 0 or time.monotonic() - published > SECONDS:
                fresh.progress[name] = done + count
                self._publish(fresh)
                fresh = StatisticsBook(self.book.game, depth=self.book.depth)
                published = time.monotonic()
            if self._closing:
                break
        fresh.progress[name] = done + count
        self._publish(fresh)

    def _publish(self, fresh: StatisticsBook) -> None:
        """Put a new book in place: the old one, what was counted, and the games that were played meanwhile."""
        with self._change:
            played, self._waiting = self._waiting, []
        for record in played:
            _count(fresh, record)
        if not len(fresh) and not fresh.progress:
            return
        merged = self.book.merged(fresh)
        with suppress(TengenError):  # a full disk costs what is learned now, not the game that goes on
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_statistics(merged, self._path)
        self.book = merged


def _count(book: StatisticsBook, record: Record) -> None:
    with suppress(TengenError):  # one bad game among thousands
        book.add_record(record)
