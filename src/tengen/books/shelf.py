"""Where books stand, and the ones that are open.

They are files in the data folder, named after their game. Of a valued book the options that are not the usual
ones are spelt out in the name; a book of statistics has all rules in one. An opened book is read again when its
file has changed, so that what one process learns, others use.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from tengen.books import file, statistics_file
from tengen.books.book import ValuedBook
from tengen.books.errors import BookError
from tengen.books.statistics import StatisticsBook
from tengen.core.folders import data_folder
from tengen.core.game import Game

B = TypeVar("B")


def valued_place(game: Game) -> Path:
    """The file of a game's valued book."""
    usual = type(game).create().options()
    options = {name: value for name, value in game.options().items() if name != "board" and value != usual[name]}
    words = [game.name, *(f"{name}-{value}" for name, value in sorted(options.items()))]
    return data_folder() / "books" / ("_".join(words) + file.SUFFIX)


def statistics_place(game: Game) -> Path:
    """The file of the statistics of a game, under any rules."""
    return data_folder() / "books" / (game.name + statistics_file.SUFFIX)


class Shelf(Generic[B]):
    """Books by their files, opened once. Any thread may ask."""

    def __init__(self, place: Callable[[Game], Path], read: Callable[[Path], B]) -> None:
        self._place = place
        self._read = read
        self._lock = threading.Lock()
        self._open: dict[Path, tuple[tuple[int, int], B | None]] = {}

    def book(self, game: Game) -> B | None:
        """The book of a game, None if there is none or it cannot be read: nobody loses a game by that."""
        path = self._place(game)
        try:
            facts = path.stat()
        except OSError:
            return None
        stamp = (facts.st_mtime_ns, facts.st_size)
        with self._lock:
            known = self._open.get(path)
            if known is None or known[0] != stamp:
                try:
                    known = (stamp, self._read(path))
                except BookError:
                    known = (stamp, None)
                self._open[path] = known
            return known[1]


valued: Shelf[ValuedBook] = Shelf(valued_place, file.read_book)
statistics: Shelf[StatisticsBook] = Shelf(statistics_place, statistics_file.read_statistics)
