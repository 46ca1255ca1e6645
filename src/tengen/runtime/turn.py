"""One turn of an engine: a move of its chosen opening, from its book if enabled, otherwise a search within limits.

Every front end moves an engine through `take_turn`, directly or in a worker of the engine host.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

from tengen.books import installed
from tengen.books.book import ValuedBook
from tengen.books.book_move import BookMove
from tengen.books.probe import BookProbingEngine, ProbeTable
from tengen.books.statistics import StatisticsBook
from tengen.books.weighted_choice import SelectionPolicy, choose_move
from tengen.core.compiled.kernel import prefer_uncompiled
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines import registry
from tengen.players.config import EngineConfig
from tengen.players.configure import engine_settings
from tengen.runtime.external import create_external_engine
from tengen.runtime.opening_line import opening_report
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Candidate, Report, Value

_unseeded = Random()


def take_turn(
    engine: Engine,
    config: EngineConfig,
    position: Position,
    limits: Limits,
    *,
    stop: StopFlag | None = None,
    on_progress: OnProgress | None = None,
) -> Report:
    """The engine's move with its evaluation. Raises `EngineResigned` if the engine resigns."""
    if config.opening and (report := opening_report(position, config.opening, limits)) is not None:
        return report
    if config.uses_book:
        taste = BookTaste(config.variety, float(dict(config.settings).get("contempt", 0.0)))
        if (report := book_report(position, limits, config.seed, taste)) is not None:
            return report
    with prefer_uncompiled(limits.depth == 1):  # takes moments as plain Python
        return engine.search(position, limits, stop=stop, on_progress=on_progress)


def create_engine(
    config: EngineConfig, game: Game, *, max_threads: int | None = None, max_memory_mb: int | None = None
) -> Engine:
    """The engine of a configuration, with the opening book of its game if enabled.

    `max_threads` and `max_memory_mb` limit what the configuration requests. An external program is started by its
    first search. Raises `OptionError` if the engine does not play the game.
    """
    if config.program is not None:
        return create_external_engine(config.program)
    name = config.engine or registry.default_engine(game)
    registry.check(name, game)
    kind = registry.engine_class(name)
    settings = engine_settings(config)
    threads = config.threads
    if max_memory_mb is not None:
        for tunable in kind.tunables:
            if tunable.megabytes:
                wanted = tunable.check(settings.get(tunable.name, tunable.default))
                settings[tunable.name] = min(wanted, max_memory_mb)
    if max_threads is not None:
        threads = min(threads, max_threads, kind.max_threads)
    engine = kind(seed=config.seed, threads=threads, **settings)
    if config.uses_book and isinstance(engine, BookProbingEngine):
        books = installed.valued_books(game)
        engine.book = _probe_table(books[0]) if books else None
    return engine


@lru_cache(maxsize=4)
def _probe_table(book: ValuedBook) -> ProbeTable:
    """Cached, because installed books are replaced, never changed."""
    return ProbeTable.from_book(book)


class BookTaste(NamedTuple):
    """Which moves of a valued book an engine likes.

    variety: points that a move may lose compared to the best. contempt: if positive, moves to drawn positions are
    avoided among these; if negative, they are preferred.
    """

    variety: float = 0.0
    contempt: float = 0.0

    def choose(self, options: Sequence[BookMove], best: Move, random: Random) -> Move:
        """One of the moves, at random; `best` if nothing else is wanted."""
        if not self.variety and not self.contempt:
            return best
        valued = {option.move: option.value.amount for option in options if option.value is not None}
        near = [move for move, value in valued.items() if value >= valued[best] - self.variety]
        if self.contempt:
            liked = [move for move in near if (valued[move] == 0) == (self.contempt < 0)]
            near = liked or near
        return random.choice(near) if self.variety else (best if best in near else near[0])


BEST_MOVES = BookTaste()


def book_report(position: Position, limits: Limits, seed: int = 0, taste: BookTaste = BEST_MOVES) -> Report | None:
    """A move from the installed opening books as a report; None if the engine should search.

    Limits that restrict or rank moves require a search, too. Random choices depend on the seed and the moves so
    far; with seed 0 they differ each time.
    """
    started = time.perf_counter()
    if limits.moves is not None or limits.lines > 1 or position.is_over:
        return None
    books = installed.valued_books(position.game)
    random = _generator(position, seed)
    candidates = next((found for book in books if (found := valued_candidates(book, position, taste, random))), ())
    if not candidates:
        counted = installed.statistics.book(position.game)
        candidates = () if counted is None else counted_candidates(counted, position, random)
    if not candidates:
        return None
    best = candidates[0]
    return Report("book", best.move, best.value, candidates, 0, time.perf_counter() - started)


def _generator(position: Position, seed: int) -> Random:
    return Random(f"{seed} {position.moves}") if seed else _unseeded


def valued_candidates(
    book: ValuedBook, position: Position, taste: BookTaste = BEST_MOVES, random: Random = _unseeded
) -> tuple[Candidate, ...]:
    """The moves of a valued book, the chosen one first; empty if the book has no move here."""
    found = book.move(position)
    if found is None:
        return ()
    options = book.options(position)
    chosen = taste.choose(options, found[0], random)
    options = tuple(sorted(options, key=lambda option: option.move != chosen))
    return tuple(
        Candidate(option.text, option.value, (option.text,), reason=f"book: {option.kind}")
        for option in options
        if option.value is not None
    )


def counted_candidates(
    book: StatisticsBook, position: Position, random: Random, policy: SelectionPolicy | None = None
) -> tuple[Candidate, ...]:
    """The moves of a statistics book, a randomly drawn one first; empty if none was drawn."""
    drawn = choose_move(book, position, random, policy).move
    if drawn is None:
        return ()
    options = sorted(book.options(position), key=lambda option: option.move != drawn)
    candidates = []
    for option in options:
        reason = mark("book: {games} games, {wins} won, {losses} lost").format(
            games=option.games, wins=option.wins, losses=option.losses
        )
        value = Value.heuristic(option.win_rate, "win rate")
        candidates.append(Candidate(option.text, value, (option.text,), option.games, reason))
    return tuple(candidates)
