"""Compiles every kernel for every game in advance."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tengen import games
from tengen.books.book import ValuedBook
from tengen.books.explorer import explore_books
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.engines.go.reading.status import compile_kernels
from tengen.engines.registry import create, engines_for
from tengen.games.go import Go
from tengen.games.records import Record
from tengen.games.records.replay import check
from tengen.search.engine import Engine
from tengen.search.limits import Limits
from tengen.search.perft import perft


def steps(names: list[str] | None = None) -> Iterator[tuple[str, Callable[[], object]]]:
    """Pairs of (description, function that compiles) for these games, or all."""
    for name in names or games.names():
        game = games.game(name)
        yield f"{name}: rules", lambda game=game: perft(game.start(), 2)  # type: ignore[misc]
        yield f"{name}: records", lambda game=game: check(Record.of(game.start()))  # type: ignore[misc]
        yield f"{name}: book", lambda game=game: ValuedBook(game).lookup(game.start())  # type: ignore[misc]
        if isinstance(game, Go):
            yield f"{name}: reading", compile_kernels
        for engine in engines_for(game):
            yield f"{name}: {engine}", lambda game=game, engine=engine: _warm_up(game, engine)  # type: ignore[misc]


def _warm_up(game: Game, engine: str) -> object:
    return prepare(create(engine), game.start())


def prepare(engine: Engine, position: Position) -> Position:
    """Compile everything that a game from `position` with this engine needs; returns the position."""
    if not position.is_over:
        position.play(engine.search(position, Limits(nodes=50)).best)
    position.game.compile_kernels()
    explore_books(position)
    return position
