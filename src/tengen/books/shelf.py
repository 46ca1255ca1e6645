"""Where books stand, and the ones that are open.

The user's are files in the data folder, named after their game. Of a valued book the options that are not the
usual ones are spelt out in the name; a book of statistics has all rules in one. Others come with the program, and
are only read: a user's own valued book begins as a copy of that one (`begin`), and where it knows nothing, because
it is older, the shipped one is asked. A user's statistics begin with shipped games, see `live`.

An opened book is read again when its file has changed, so that what one process learns, others use.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from tengen.books import file, statistics_file
from tengen.books.book import ValuedBook
from tengen.books.errors import BookError
from tengen.books.statistics import StatisticsBook
from tengen.core.folders import data_folder
from tengen.core.game import Game

B = TypeVar("B")

SHIPPED = Path(os.environ.get("TENGEN_BOOKS") or Path(__file__).parent / "shipped")
"""The books that come with the program; `TENGEN_BOOKS` names another folder, or one without any."""
GAMES_SUFFIX = ".games"
"""Of the games that a book of statistics begins with: records, packed by gzip."""


def valued_place(game: Game) -> Path:
    """The file of a game's valued book."""
    usual = type(game).create().options()
    options = {name: value for name, value in game.options().items() if name != "board" and value != usual[name]}
    words = [game.name, *(f"{name}-{value}" for name, value in sorted(options.items()))]
    return data_folder() / "books" / ("_".join(words) + file.SUFFIX)


def statistics_place(game: Game | str) -> Path:
    """The file of the statistics of a game, under any rules."""
    name = game if isinstance(game, str) else game.name
    return data_folder() / "books" / (name + statistics_file.SUFFIX)


def shipped_place(game: Game) -> Path:
    """The file of a game's valued book that comes with the program, if there is one."""
    return SHIPPED / valued_place(game).name


def shipped_games(game: str) -> Path:
    """The file of the games that a game's statistics begin with, if there is one."""
    return SHIPPED / (game + GAMES_SUFFIX)


Stamp = tuple[int, int]


class _Open(NamedTuple, Generic[B]):
    stamp: Stamp
    book: B | None


class Shelf(Generic[B]):
    """Books by their files, opened once. Any thread may ask.

    Who asks for a book whose file has changed has the old one as long as another thread reads the new one: nobody
    waits for a large book in the middle of a game.
    """

    def __init__(self, place: Callable[[Game], Path], read: Callable[[Path], B]) -> None:
        self._place = place
        self._read = read
        self._lock = threading.Lock()
        self._open: dict[Path, _Open[B]] = {}
        self._reading: dict[Path, threading.Thread] = {}

    def book(self, game: Game) -> B | None:
        """The book of a game, None if there is none or it cannot be read: nobody loses a game by that."""
        path = self._place(game)
        stamp = stamp_of(path)
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
        """Have the book that was just written to a file, which need not be read then."""
        stamp = stamp_of(path)
        with self._lock:
            if stamp is not None:
                self._open[path] = _Open(stamp, book)

    def wait(self) -> None:
        """Until all that is being read has been read."""
        for thread in list(self._reading.values()):
            thread.join()

    def _read_again(self, path: Path, stamp: Stamp) -> None:
        found = self._opened(path, stamp)
        with self._lock:
            self._open[path] = found
            del self._reading[path]

    def _opened(self, path: Path, stamp: Stamp) -> _Open[B]:
        try:
            return _Open(stamp, self._read(path))
        except BookError:
            return _Open(stamp, None)


def stamp_of(path: Path) -> Stamp | None:
    """What changes when a file is replaced; None if there is none."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size


def _valued_file(game: Game) -> Path:
    own = valued_place(game)
    return own if own.exists() else shipped_place(game)


valued: Shelf[ValuedBook] = Shelf(_valued_file, file.read_book)  # the user's, or else the shipped one
shipped: Shelf[ValuedBook] = Shelf(shipped_place, file.read_book)
statistics: Shelf[StatisticsBook] = Shelf(statistics_place, statistics_file.read_statistics)


def valued_books(game: Game) -> tuple[ValuedBook, ...]:
    """The valued books of a game in the order in which they are asked: the user's, then the shipped one."""
    first = valued.book(game)
    second = shipped.book(game) if valued_place(game).exists() else None
    return tuple(book for book in (first, second) if book is not None)


def begin(game: Game) -> ValuedBook | None:
    """The user's valued book, to be changed; before there is one, a copy of the shipped one, if there is that."""
    path = _valued_file(game)
    return file.read_book(path) if path.exists() else None
