"""The statistics books of whoever plays here: they begin with the games that ship, and take every game that ends.

Shipped games are counted by another process, because the rules may have to be compiled first, and whoever shows a
board would stand still meanwhile.
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
"""Shipped games that are counted at a time: what a kill costs."""


class LiveBooks:
    """Live books of the games for which statistics are kept: those with games that ship, and those the user began.

    A game of another kind is in no book: an engine that played from the counts of a few games would think no more.
    """

    def __init__(self, store: Store, names: Iterable[str] | None = None) -> None:
        """Of all games, or of those with these names; others are opened when one of their games ends."""
        self._store = store
        self._lock = threading.Lock()
        self._books: dict[str, LiveBook] = {}
        for name in games.names() if names is None else names:
            path = installed.shipped_games_path(name)
            if path.exists():
                self._book(name).feed(*shipped_source(name, path))
        self._unwatch = store.on_game_end(self._count)

    def wait(self, timeout: float = 60.0) -> bool:
        """Until everything has been worked in; returns whether it has."""
        return all(book.wait(timeout) for book in list(self._books.values()))

    def health(self) -> list[LiveBookHealth]:
        return [book.health() for book in list(self._books.values())]

    def close(self) -> None:
        """Stop, after what has been counted is written."""
        self._unwatch()
        for book in self._books.values():
            book.close()

    def _count(self, entry: GameEntry) -> None:
        """A game was stored, ended, for the first time."""
        name = entry.record.game.name
        if name not in self._books and not installed.statistics_path(name).exists():
            return
        line = entry.record.positions()[: DEPTH + 1]
        rated = {rating.player: rating.skill.rating for rating in self._store.ratings(name)}
        first, second = (
            f"{rated[player.id]:.0f}" if player is not None and player.id in rated else ""
            for player in entry.players
        )
        # A record of its own: the game's goes on changing, with comments and variations.
        self._book(name).add(Record.of(line[-1], result=entry.record.result, ratings=(first, second)))

    def _book(self, name: str) -> LiveBook:
        with self._lock:
            if name not in self._books:
                self._books[name] = LiveBook(name, installed.statistics_path(name))
            return self._books[name]


@contextmanager
def live_books(store: Store, names: Iterable[str] | None = None) -> Iterator[LiveBooks]:
    """Live books as long as a store is played in."""
    books = LiveBooks(store, names)
    try:
        yield books
    finally:
        books.close()


def shipped_source(game: str, path: Path) -> tuple[str, Source]:
    """The name of a file of games, and the file as a source."""
    data = path.read_bytes()
    total = gzip.decompress(data).count(b"[Game ")

    def parts(done: int, stopped: Stopped) -> Iterator[CountedBatch]:
        if done >= total:
            return
        pool = HelperPool("book counting")  # should it crash, the book tries again from the last part
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
    """The next games of a file, after so many, counted."""
    found = records.parse(gzip.decompress(path.read_bytes()))
    return count(game, islice(found, done, done + BATCH))
