"""Installed books: files of the user, books shipped with the program, and a cache of open books.

The user's books are files in the data folder, named after their game. The name of a valued book also has the
options that differ from the defaults; a statistics book covers all rules. Shipped books are read-only: a user's
valued book starts as a copy of the shipped one (`load_editable`), and positions that it does not know are looked
up in the shipped one. A user's statistics start with the shipped statistics (`with_shipped_statistics`) or with
the shipped games (see `live_statistics`).

An open book is read again when its file changes, so that processes see each other's changes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from tengen.books import book_file as file
from tengen.books import statistics_file
from tengen.books.book import ValuedBook
from tengen.books.errors import BookError
from tengen.books.statistics import StatisticsBook
from tengen.core.folders import data_folder
from tengen.core.game import Game

B = TypeVar("B")

SHIPPED_FOLDER = Path(os.environ.get("TENGEN_BOOKS") or Path(__file__).parent / "shipped")
"""Folder of shipped books; the environment variable `TENGEN_BOOKS` overrides it."""
GAMES_SUFFIX = ".games"  # gzip-compressed records that a statistics book starts with


def valued_path(game: Game) -> Path:
    """File of the user's valued book of a game."""
    defaults = type(game).create().options()
    options = {
        name: value for name, value in game.options().items() if name != "board" and value != defaults[name]
    }
    words = [game.name, *(f"{name}-{value}" for name, value in sorted(options.items()))]
    return data_folder() / "books" / ("_".join(words) + file.SUFFIX)


def statistics_path(game: Game | str) -> Path:
    """File of the user's statistics book of a game, for all rules."""
    name = game if isinstance(game, str) else game.name
    return data_folder() / "books" / (name + statistics_file.SUFFIX)


def shipped_path(game: Game) -> Path:
    """File of the shipped valued book of a game; it need not exist."""
    return SHIPPED_FOLDER / valued_path(game).name


def shipped_statistics_path(game: Game | str) -> Path:
    """File of the shipped statistics book of a game; it need not exist."""
    return SHIPPED_FOLDER / statistics_path(game).name


def shipped_games_path(game: str) -> Path:
    """File of the games that a game's statistics start with; it need not exist."""
    return SHIPPED_FOLDER / (game + GAMES_SUFFIX)


FileStamp = tuple[int, int]


class _Open(NamedTuple, Generic[B]):
    stamp: FileStamp
    book: B | None


class BookCache(Generic[B]):
    """Open books by file. Thread-safe.

    When a file has changed, callers get the old book until a background thread has read the new one, so that no
    game waits for a large book.
    """

    def __init__(self, place: Callable[[Game], Path], read: Callable[[Path], B]) -> None:
        self._place = place
        self._read = read
        self._lock = threading.Lock()
        self._open: dict[Path, _Open[B]] = {}
        self._reading: dict[Path, threading.Thread] = {}

    def book(self, game: Game) -> B | None:
        """The book of a game; None if there is none or it cannot be read."""
        path = self._place(game)
        stamp = file_stamp(path)
        if stamp is None:
            return None
        with self._lock:
            known = self._open.get(path)
            if known is None:
                known = self._open[path] = self._opened(path, stamp)
            elif known.stamp != stamp and path not in self._reading:
                self._reading[path] = threading.Thread(target=self._read_again, args=(path, stamp), daemon=True)
                self._reading[path].start()
            return known.book

    def put(self, path: Path, book: B) -> None:
        """Cache a book that was just written to a file, so that it need not be read."""
        stamp = file_stamp(path)
        with self._lock:
            if stamp is not None:
                self._open[path] = _Open(stamp, book)

    def wait(self) -> None:
        """Wait for background reads to finish."""
        for thread in list(self._reading.values()):
            thread.join()

    def _read_again(self, path: Path, stamp: FileStamp) -> None:
        found = self._opened(path, stamp)
        with self._lock:
            self._open[path] = found
            del self._reading[path]

    def _opened(self, path: Path, stamp: FileStamp) -> _Open[B]:
        try:
            return _Open(stamp, self._read(path))
        except BookError:
            return _Open(stamp, None)


def file_stamp(path: Path) -> FileStamp | None:
    """Modification time and size of a file; None if it does not exist."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size


def _valued_file(game: Game) -> Path:
    own = valued_path(game)
    return own if own.exists() else shipped_path(game)


def _statistics_file(game: Game) -> Path:
    own = statistics_path(game)
    return own if own.exists() else shipped_statistics_path(game)


valued: BookCache[ValuedBook] = BookCache(_valued_file, file.read_book)  # the user's, or else the shipped one
shipped: BookCache[ValuedBook] = BookCache(shipped_path, file.read_book)
statistics: BookCache[StatisticsBook] = BookCache(_statistics_file, statistics_file.read_statistics)


def valued_books(game: Game) -> tuple[ValuedBook, ...]:
    """Valued books of a game in lookup order: the user's, then the shipped one."""
    first = valued.book(game)
    second = shipped.book(game) if valued_path(game).exists() else None
    return tuple(book for book in (first, second) if book is not None)


def has_books(game: Game) -> bool:
    """Whether there is a file of any book of a game."""
    return any(path.exists() for path in (_valued_file(game), _statistics_file(game)))


def load_editable(game: Game) -> ValuedBook | None:
    """Read the user's valued book for editing, or else the shipped one; None if there is neither."""
    path = _valued_file(game)
    return file.read_book(path) if path.exists() else None


def with_shipped_statistics(book: StatisticsBook) -> StatisticsBook:
    """A user's statistics with those of the shipped book, unless they are already part of it."""
    path = shipped_statistics_path(book.game)
    if not path.exists():
        return book
    found = statistics_file.read_statistics(path)
    return book if found.progress.keys() <= book.progress.keys() else book.merged(found)
