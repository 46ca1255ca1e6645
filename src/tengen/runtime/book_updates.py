"""Games go into the books that the user has."""

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
    """Add the game that led to a position to the user's valued book; returns how many positions were searched.

    The user's book begins as a copy of the shipped one. Where there is neither, nothing happens: one begins with
    `tengen book add` or `import`. This takes seconds: it searches. Killed, it leaves the book as it was.
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
    """Add games to a book of statistics, the user's if no other is named; returns its file and size."""
    path = path or installed.statistics_path(found[0].game)
    fresh = StatisticsBook(found[0].game.name)
    for record in found:
        fresh.add_record(record)
    return path, len(live_statistics.update(path, fresh))
