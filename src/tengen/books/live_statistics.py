"""A statistics book that grows while it is in use.

Games come from finished matches and from sources, which are counted in the background and resumed after a restart.
A background thread merges new counts into the file and replaces the cached book, so readers see the old or the new
book and never wait. Several programs may do this with the same file.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tengen.books import installed
from tengen.books.container import book_lock
from tengen.books.errors import BookError
from tengen.books.statistics import StatisticsBook
from tengen.books.statistics_file import read_statistics, write_statistics
from tengen.core.errors import TengenError
from tengen.games.records import Record
from tengen.jobs.restart_backoff import RestartBackoff
from tengen.jobs.task import one_line

CLOSE_TIMEOUT_S = 120.0
MAX_FAILURES = 5  # in a row; then the failing games or source are skipped

_log = logging.getLogger(__name__)


class CountedBatch(NamedTuple):
    """Counts of some games of a source, and the number of its games counted so far."""

    counts: StatisticsBook
    done: int


Stopped = Callable[[], bool]
Source = Callable[[int, Stopped], Iterable[CountedBatch]]
"""Called with the number of games already counted; yields further batches until told to stop."""


def count(game: str, records: Iterable[Record]) -> StatisticsBook:
    """A book of these games; games with errors are skipped."""
    book = StatisticsBook(game)
    for record in records:
        with suppress(TengenError):  # one bad game among thousands
            book.add_record(record)
    return book


def update(path: Path, fresh: StatisticsBook) -> StatisticsBook:
    """Merge counts into the book in a file, creating it if necessary; returns the new book.

    The user's book also gets the statistics of the shipped one.
    """
    with book_lock(path):
        book = read_statistics(path).merged(fresh) if path.exists() else fresh
        if path == installed.statistics_path(book.game):
            book = installed.with_shipped_statistics(book)
        write_statistics(book, path)
    installed.statistics.put(path, book)
    return book


@dataclass(frozen=True)
class LiveBookHealth:
    """State of a live book; `dataclasses.asdict` of it is JSON-serialisable."""

    game: str
    is_running: bool
    games_waiting: int
    sources_waiting: int
    restarts: int
    last_failure: str


class LiveBook:
    """Keeps the book in a file up to date. `book` is the current one; `add` and `feed` are thread-safe.

    Failures while counting are retried with growing delays, and given up after `MAX_FAILURES`.
    """

    def __init__(self, game: str, path: Path) -> None:
        self._path = path
        self._stamp: installed.FileStamp | None = None
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

    def _restart_if_dead(self) -> None:
        """Restart the thread if it has exited. The caller holds the lock."""
        if not self._thread.is_alive() and not self._closing:
            self._restarts.note_crash("the book's thread ended")
            _log.error("the thread of the book %s ended; restarting it", self._path.name)
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
        """Queue a finished game, which must not change any more."""
        with self._change:
            self._waiting.append(record)
            self._restart_if_dead()
            self._change.notify_all()

    def feed(self, name: str, source: Source) -> None:
        """Queue a source, resuming an earlier run. `name` identifies the source."""
        with self._change:
            self._sources.append((name, source))
            self._restart_if_dead()
            self._change.notify_all()

    def wait(self, timeout: float = 60.0) -> bool:
        """Wait until everything queued is counted; returns False on timeout."""
        with self._change:
            return self._change.wait_for(lambda: not (self._waiting or self._sources or self._busy), timeout)

    def close(self) -> None:
        """Finish the current batch, write it and stop."""
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
        """Retry after a delay, unless it has failed too often."""
        reason = one_line(error)
        delay_s = self._restarts.note_crash(reason)
        with self._change:
            if self._closing:
                return
            if self._restarts.in_a_row >= MAX_FAILURES:
                what = f"{len(played)} games" if source is None else source[0]
                _log.error("the book %s skips %s: %s", self._path.name, what, reason)
                self._restarts.note_success()
                return
            _log.warning("the book %s retries in %.1f s: %s", self._path.name, delay_s, reason)
            self._waiting[:0] = played
            if source is not None:
                self._sources.append(source)
            self._change.wait_for(lambda: self._closing, delay_s)

    def _feed(self, name: str, source: Source) -> None:
        """Count a source to its end, and games that finish meanwhile in between."""
        self._refresh()
        done = self.book.progress.get(name, 0)
        for part in source(done, lambda: self._closing):
            with self._change:
                played, self._waiting = self._waiting, []
            if played:
                self._publish(count(self.book.game, played))
            part.counts.progress[name] = part.done
            if not self._publish(part.counts, name, done):
                return  # another program counts the same source and will continue
            done = part.done
            self._restarts.note_success()

    def _publish(self, fresh: StatisticsBook, name: str = "", done: int = 0) -> bool:
        """Merge counts into the file. Returns False if another program has continued the source after `done`."""
        with suppress(TengenError):  # a full disk loses these counts, but must not end a game
            with book_lock(self._path):
                self._refresh()
                if name and self.book.progress.get(name, 0) != done:
                    return False
                self.book = installed.with_shipped_statistics(self.book.merged(fresh))
                write_statistics(self.book, self._path)
                self._stamp = installed.file_stamp(self._path)
            installed.statistics.put(self._path, self.book)
        return True

    def _refresh(self) -> None:
        """Read the file if it has changed. A damaged file is renamed, not overwritten."""
        stamp = installed.file_stamp(self._path)
        if stamp is None or stamp == self._stamp:
            return
        try:
            self.book, self._stamp = read_statistics(self._path), stamp
        except BookError:
            with suppress(OSError):
                self._path.rename(self._path.with_name(self._path.name + ".damaged"))
