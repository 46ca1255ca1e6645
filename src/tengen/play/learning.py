"""Games that end go into the books that the user has."""

from __future__ import annotations

import threading
from pathlib import Path

from tengen.books import shelf
from tengen.books.file import read_book, write_book
from tengen.books.statistics import StatisticsBook
from tengen.books.statistics_file import read_statistics, write_statistics
from tengen.books.valuing import learn
from tengen.core.position import Position
from tengen.engines.valuer import DEPTH, Valuer
from tengen.games.records import Record

_counting = threading.Lock()  # two who add at once would each write a book without the other's games


def learn_game(position: Position, *, depth: int = DEPTH) -> int:
    """Add the game that led to a position to the user's valued book; returns how many positions were searched.

    Without a book nothing happens: one begins with `tengen book add` or `import`. This takes seconds: it searches.
    """
    path = shelf.valued_place(position.game)
    if not path.exists():
        return 0
    book = read_book(path)
    valuer = Valuer.of(book.game, book.grain, proves=book.proved, depth=depth)
    searched = learn(book, position.line(), valuer)
    write_book(book, path)
    return searched


def count_games(found: list[Record], path: Path | None = None) -> tuple[Path, int]:
    """Add games to a book of statistics, the user's if no other is named; returns its file and size."""
    with _counting:
        return _count(found, path or shelf.statistics_place(found[0].game))


def _count(found: list[Record], path: Path) -> tuple[Path, int]:
    book = read_statistics(path) if path.exists() else StatisticsBook(found[0].game.name)
    fresh = StatisticsBook(book.game, depth=book.depth)
    for record in found:
        fresh.add_record(record)
    path.parent.mkdir(parents=True, exist_ok=True)
    merged = book.merged(fresh)
    write_statistics(merged, path)
    return path, len(merged)
