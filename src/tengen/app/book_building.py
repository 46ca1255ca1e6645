"""Use cases of building valued books, shared by `tengen book` and the web app's book jobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tengen.books import installed, live_statistics, operations
from tengen.books.book import ValuedBook
from tengen.books.book_file import read_book, write_book
from tengen.books.consistency import ConsistencyLevel, check
from tengen.books.container import book_lock, read_bytes
from tengen.books.formats import load_book
from tengen.books.statistics import StatisticsBook
from tengen.books.statistics_file import read_statistics
from tengen.core.errors import OptionError, TengenError
from tengen.core.game import Game
from tengen.core.translation import mark
from tengen.engines.book_evaluator import BookEvaluator
from tengen.games.records import Record


def find_book(game: Game, file: Path | None = None) -> Path:
    """The file to read: `file` if given, else the user's book, else the shipped one. Raises `OptionError`."""
    path = file or installed.valued_path(game)
    if file is None and not path.exists() and installed.shipped_path(game).exists():
        path = installed.shipped_path(game)
    if not path.exists():
        raise OptionError(
            mark("there is no book at {path}: create one with `tengen book add` or `tengen book import`").format(
                path=path
            )
        )
    return path


@contextmanager
def edit_book(game: Game, file: Path | None = None, *, create: bool = False) -> Iterator[tuple[ValuedBook, Path]]:
    """The book and the file to write it to, which is locked meanwhile. A shipped book is copied on write.

    With `create`, a book with only the starting position is created if there is none.
    """
    path = file or installed.valued_path(game)
    is_new = create and not path.exists() and (file is not None or not installed.shipped_path(game).exists())
    if not is_new:
        find_book(game, file)  # raises before a lock file is created
    with book_lock(path):
        if is_new:
            book = ValuedBook(game)
            book.add(game.start().line())
            yield book, path
        else:
            yield read_book(find_book(game, file)), path


def save_book(book: ValuedBook, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_book(book, path)


def add_games(
    games: Iterable[Record], path: Path, new_book: ValuedBook | None, horizon: int | None = None
) -> tuple[ValuedBook, list[str]]:
    """Add games to the book at `path`; returns it with the reasons why games were skipped.

    If there is no such file, the book starts as `new_book`, or empty for the game of the first record.
    """
    errors: list[str] = []
    with book_lock(path):
        book = read_book(path) if path.exists() else new_book
        for number, record in enumerate(games, 1):
            book = book or ValuedBook(record.game, horizon=horizon)
            try:
                book.add(record.positions())
            except TengenError as error:
                errors.append(f"game {number}: {error}")
        assert book is not None
        save_book(book, path)
    return book, errors


def read_any_book(path: Path) -> ValuedBook:
    """Read a book in any known format."""
    return load_book(read_bytes(path), str(path))


def merge_into(book: ValuedBook, file: Path | None = None) -> tuple[ValuedBook, Path]:
    """Merge a book into `file` or the user's book of its game; the merged book and its file."""
    path = file or installed.valued_path(book.game)
    with book_lock(path):
        if path.exists():
            existing = read_book(path)
            operations.merge(existing, book)
            book = existing
        save_book(book, path)
    return book, path


def import_statistics(file: Path, book: Path | None = None) -> tuple[bool, StatisticsBook, Path]:
    """Add a statistics book to `book` or the user's, unless it is part of it.

    Returns whether it was added, the result and its file.
    """
    theirs = read_statistics(file)
    path = book or installed.statistics_path(theirs.game)
    known = read_statistics(path) if path.exists() else None
    if known is not None and theirs.progress and theirs.progress.keys() <= known.progress.keys():
        return False, known, path
    return True, live_statistics.update(path, theirs), path


def evaluator_for(book: ValuedBook, depth: int) -> BookEvaluator:
    return BookEvaluator.for_game(book.game, book.value_unit, proves=book.proved, depth=depth)


def is_evaluated(book: ValuedBook) -> bool:
    """Whether every value is known and consistent. If not, a round of growth may have been interrupted."""
    return check(book).level is ConsistencyLevel.NEGAMAXED


def add_branches(
    book: ValuedBook,
    *,
    max_loss: float,
    max_ply: int | None = None,
    max_branches: int | None = None,
    free_plies: int = 0,
) -> int:
    """Turn the leaves with the smallest path loss into branches; returns their number. Evaluate the book next."""
    units = loss_in_value_units(book, max_loss)
    found = operations.deviate(book, units, depth=max_ply, most=max_branches, free_plies=free_plies)
    return len(found)


def loss_in_value_units(book: ValuedBook, points: float) -> int:
    """A loss in points of the game, in the units in which the book stores values."""
    if points < 0:
        raise OptionError(mark("a loss must be 0 or more, not {points:g}").format(points=points))
    return round(1000 * points / book.value_unit)
