"""All engines by name: which games each one plays, and which one a game gets if nobody chooses.

An engine's module is imported when it is asked for: to list names costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.search.engine import Engine


@dataclass(frozen=True)
class Entry:
    """Where an engine's class is, and the names of the games that it plays; without any, it plays every game."""

    place: str
    games: tuple[str, ...] = ()


# A game's own engines, the default first; then those that play every game. A new engine is one line here.
_ENGINES: dict[str, Entry] = {
    "clobber": Entry("tengen.engines.clobber.engine:ClobberEngine", ("clobber",)),
    "othello": Entry("tengen.engines.othello.engine:OthelloEngine", ("othello",)),
    "go": Entry("tengen.engines.go.mcts.engine:GoEngine", ("go",)),
    "strings": Entry("tengen.engines.go.strings.engine:StringEngine", ("go",)),
    "pente": Entry("tengen.engines.pente.engine:PenteEngine", ("pente",)),
    "classic": Entry("tengen.engines.pente.classic.engine:ClassicEngine", ("pente",)),
    "alphabeta": Entry("tengen.search.alphabeta:AlphaBeta"),
    "uct": Entry("tengen.search.uct:UCT"),
    "flat": Entry("tengen.search.simple:FlatMonteCarlo"),
    "random": Entry("tengen.search.simple:RandomPlayer"),
}

# Of those that play every game: alpha-beta where the game's own evaluation tells enough, else Monte-Carlo.
_BY_EVALUATION = ("clobber", "othello")


def names() -> list[str]:
    """The names of all engines."""
    return list(_ENGINES)


def games_of(name: str) -> tuple[str, ...]:
    """The games that an engine was made for; none if it plays every game, or is one of somebody's own."""
    return _ENGINES[name].games if name in _ENGINES else ()


def engine_class(name: str) -> type[Engine]:
    """An engine's class by its name, or by the place where one of your own is: `my_package.greedy:Greedy`."""
    module, separator, attribute = (_ENGINES[name].place if name in _ENGINES else name).partition(":")
    if not separator:
        raise OptionError(f"there is no engine {name!r}; there are: {', '.join(_ENGINES)}")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise OptionError(f"there is no engine at {name!r}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Engine)):
        raise OptionError(f"{name!r} is not an engine")
    return found


def create(name: str, game: Game | None = None, *, seed: int = 0, threads: int = 1, **settings: Any) -> Engine:
    """An engine by its name or place, with its settings: `create("uct", exploration=0.5)`.

    Raises `OptionError` if it does not play the game for which it is wanted, where that is told.
    """
    if game is not None:
        check(name, game)
    return engine_class(name)(seed=seed, threads=threads, **settings)


def serves(name: str, game: Game) -> bool:
    """Whether an engine plays this game with these options."""
    made_for = games_of(name)
    return (not made_for or game.name in made_for) and engine_class(name).plays(game)


def check(name: str, game: Game) -> None:
    """Raise `OptionError` if an engine does not play this game."""
    if not serves(name, game):
        others = ", ".join(engines_for(game))
        raise OptionError(f"{name} does not play {game.describe()}; engines that do: {others}")


def engines_for(game: Game) -> list[str]:
    """The names of the engines that play this game, its own first."""
    return sorted((name for name in _ENGINES if serves(name, game)), key=lambda name: not games_of(name))


def default_engine(game: Game) -> str:
    """The engine that a game gets if nobody chooses: its own, if it has one for these options."""
    own = (name for name in _ENGINES if games_of(name) and serves(name, game))
    return next(own, "alphabeta" if game.name in _BY_EVALUATION else "uct")
