"""Statistics books that are updated while games are played: they start with the shipped games and count every game
that ends.

Shipped games are counted in a helper process, because the rules may have to be compiled first, which would block
the front end.
"""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from tengen import games
from tengen.books import installed
from tengen.books.live_statistics import CountedBatch, LiveBook, LiveBookHealth, Source, Stopped, count
from tengen.books.statistics import DEPTH, StatisticsBook
from tengen.games import records
from tengen.games.records import Record
from tengen.jobs.helper_pool import HelperPool
from tengen.store.game_entry import GameEntry
from tengen.store.store import Store

BATCH = 100
"""Shipped games counted per call, which are lost if the helper is killed."""


class LiveBooks:
    """Live books of games with shipped games, and of those for which the user has started a book.

    Other games have no book: an engine would otherwise play from the counts of a few games instead of searching.
    """

    def __init__(self, store: Store, names: Iterable[str] | None = None) -> None:
        """Open the books of all games or of `names`; others are opened when one of their games ends."""
        self._store = store
        self._lock = threading.Lock()
        self._books: dict[str, LiveBook] = {}
        for name in games.names() if names is None else names:
            path = installed.shipped_games_path(name)
            if path.exists():
                self._book(name).feed(*shipped_source(name, path))
        self._unwatch = store.on_game_end(self._count)

    def wait(self, timeout: float = 60.0) -> bool:
        """Wait until everything is counted; returns whether it is."""
        return all(book.wait(timeout) for book in list(self._books.values()))

    def health(self) -> list[LiveBookHealth]:
        return [book.health() for book in list(self._books.values())]

    def close(self) -> None:
        """Write the counts and stop."""
        self._unwatch()
        for book in self._books.values():
            book.close()

    def _count(self, entry: GameEntry) -> None:
        """Count a game that has just ended."""
        name = entry.record.game.name
        if name not in self._books and not installed.statistics_path(name).exists():
            return
        line = entry.record.positions()[: DEPTH + 1]
        rated = {rating.player: rating.skill.rating for rating in self._store.ratings(name)}
        first, second = (
            f"{rated[player.id]:.0f}" if player is not None and player.id in rated else ""
            for player in entry.players
        )
        # A copy of the record, because comments and variations may still change the game's own.
        self._book(name).add(Record.of(line[-1], result=entry.record.result, ratings=(first, second)))

    def _book(self, name: str) -> LiveBook:
        with self._lock:
            if name not in self._books:
                self._books[name] = LiveBook(name, installed.statistics_path(name))
            return self._books[name]


@contextmanager
def live_books(store: Store, names: Iterable[str] | None = None) -> Iterator[LiveBooks]:
    """Live books of a store within this block."""
    books = LiveBooks(store, names)
    try:
        yield books
    finally:
        books.close()


def count_shipped_games(name: str) -> None:
    """Create the statistics book of a game from its shipped games, unless there are none or the book exists."""
    games_path, path = installed.shipped_games_path(name), installed.statistics_path(name)
    if games_path.exists() and not path.exists():
        book = LiveBook(name, path)
        try:
            book.feed(*shipped_source(name, games_path))
            book.wait(600)
        finally:
            book.close()


def shipped_source(game: str, path: Path) -> tuple[str, Source]:
    """The name of a file of games, and its content as a source."""
    data = path.read_bytes()
    total = gzip.decompress(data).count(b"[Game ")

    def parts(done: int, stopped: Stopped) -> Iterator[CountedBatch]:
        if done >= total:
            return
        pool = HelperPool("book counting")  # after a crash, the book retries from the last part
        try:
            while done < total and not stopped():
                future = pool.submit(count_part, game, path, done)
                while not stopped() and not future.done():
                    wait([future], timeout=0.1)
                if not future.done():
                    return
                done = min(done + BATCH, total)
                yield CountedBatch(future.result(), done)
        finally:
            pool.close()

    return f"{path.name} {hashlib.blake2b(data, digest_size=8).hexdigest()}", parts


def count_part(game: str, path: Path, done: int) -> StatisticsBook:
    """Count the next `BATCH` games of a file after the first `done`."""
    found = records.parse(gzip.decompress(path.read_bytes()))
    return count(game, islice(found, done, done + BATCH))
