"""Moves from a book in the place of a search: of a valued book, else drawn by what games were won with."""

from __future__ import annotations

import time
from functools import lru_cache
from random import Random

from tengen.books import installed
from tengen.books.book import ValuedBook
from tengen.books.probe import BookProbingEngine, ProbeTable
from tengen.books.statistics import StatisticsBook
from tengen.books.weighted_choice import SelectionPolicy, choose_move
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.search.engine import Engine
from tengen.search.limits import Limits
from tengen.search.report import Candidate, Report, Value

_random = Random()


def give_book(engine: Engine, game: Game) -> None:
    """Let an engine have the book of its game, if it can ask one."""
    if isinstance(engine, BookProbingEngine):
        books = installed.valued_books(game)
        engine.book = _table_of(books[0]) if books else None


@lru_cache(maxsize=4)
def _table_of(book: ValuedBook) -> ProbeTable:
    """Cached because open books are never changed, only replaced."""
    return ProbeTable.from_book(book)


def book_report(position: Position, limits: Limits) -> Report | None:
    """What the books of a game play at once, as a report.

    None if there is to be thought, or if more is asked for than a move.
    """
    started = time.perf_counter()
    if limits.moves is not None or limits.lines > 1 or position.is_over:
        return None
    books = installed.valued_books(position.game)
    candidates = next((found for book in books if (found := valued_candidates(book, position))), ())
    if not candidates:
        counted = installed.statistics.book(position.game)
        candidates = () if counted is None else counted_candidates(counted, position, _random)
    if not candidates:
        return None
    best = candidates[0]
    return Report("book", best.move, best.value, candidates, 0, time.perf_counter() - started)


def valued_candidates(book: ValuedBook, position: Position) -> tuple[Candidate, ...]:
    """The moves of a valued book, the one to play first; none if there is to be thought."""
    found = book.move(position)
    if found is None:
        return ()
    options = sorted(book.options(position), key=lambda option: option.move != found[0])
    return tuple(
        Candidate(option.text, option.value, (option.text,), reason=f"book: {option.kind}")
        for option in options
        if option.value is not None
    )


def counted_candidates(
    book: StatisticsBook, position: Position, random: Random, policy: SelectionPolicy | None = None
) -> tuple[Candidate, ...]:
    """The moves that were played, the one that was drawn first; none if none was drawn."""
    drawn = choose_move(book, position, random, policy).move
    if drawn is None:
        return ()
    options = sorted(book.options(position), key=lambda option: option.move != drawn)
    candidates = []
    for option in options:
        decided = option.wins + option.losses + option.draws
        share = (option.wins + option.draws / 2) / decided if decided else 0.5
        reason = f"book: {option.games} games, {option.wins} won, {option.losses} lost"
        value = Value.heuristic(share, "win rate")
        candidates.append(Candidate(option.text, value, (option.text,), option.games, reason))
    return tuple(candidates)
