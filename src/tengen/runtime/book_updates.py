"""Adding played games to the user's opening books."""

from __future__ import annotations

from pathlib import Path

from tengen.books import installed, live_statistics
from tengen.books.book_file import write_book
from tengen.books.container import book_lock
from tengen.books.evaluation import add_and_evaluate
from tengen.books.statistics import StatisticsBook
from tengen.core.position import Position
from tengen.engines.book_evaluator import DEPTH, BookEvaluator
from tengen.games.records import Record


def learn_game(position: Position, *, depth: int = DEPTH) -> int:
    """Add the game that led to `position` to the user's valued book; returns the number of positions searched.

    The user's book starts as a copy of the shipped one. Without either, nothing happens: create one with `tengen
    book add` or `import`. This takes seconds, because it searches. If killed, it leaves the book unchanged.
    """
    path = installed.valued_path(position.game)
    with book_lock(path):
        book = installed.load_editable(position.game)
        if book is None:
            return 0
        valuer = BookEvaluator.for_game(book.game, book.value_unit, proves=book.proved, depth=depth)
        searched = add_and_evaluate(book, position.line(), valuer)
        write_book(book, path)
    installed.valued.put(path, book)
    return searched


def count_games(found: list[Record], path: Path | None = None) -> tuple[Path, int]:
    """Add games to a statistics book (default: the user's); returns its path and number of positions."""
    path = path or installed.statistics_path(found[0].game)
    fresh = StatisticsBook(found[0].game.name)
    for record in found:
        fresh.add_record(record)
    return path, len(live_statistics.update(path, fresh))
