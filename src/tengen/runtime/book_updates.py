"""Games go into the books that the user has."""

from __future__ import annotations

from pathlib import Path

from tengen.books import live, shelf
from tengen.books.container import changing
from tengen.books.file import write_book
from tengen.books.statistics import StatisticsBook
from tengen.books.valuing import learn
from tengen.core.position import Position
from tengen.engines.book_evaluator import DEPTH, BookEvaluator
from tengen.games.records import Record


def learn_game(position: Position, *, depth: int = DEPTH) -> int:
    """Add the game that led to a position to the user's valued book; returns how many positions were searched.

    The user's book begins as a copy of the shipped one. Where there is neither, nothing happens: one begins with
    `tengen book add` or `import`. This takes seconds: it searches. Killed, it leaves the book as it was.
    """
    path = shelf.valued_place(position.game)
    with changing(path):
        book = shelf.begin(position.game)
        if book is None:
            return 0
        valuer = BookEvaluator.for_game(book.game, book.grain, proves=book.proved, depth=depth)
        searched = learn(book, position.line(), valuer)
        write_book(book, path)
    shelf.valued.put(path, book)
    return searched


def count_games(found: list[Record], path: Path | None = None) -> tuple[Path, int]:
    """Add games to a book of statistics, the user's if no other is named; returns its file and size."""
    path = path or shelf.statistics_place(found[0].game)
    fresh = StatisticsBook(found[0].game.name)
    for record in found:
        fresh.add_record(record)
    return path, len(live.update(path, fresh))
