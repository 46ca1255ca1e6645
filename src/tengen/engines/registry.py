"""Engines by name: the games that each one plays, and the default engine of a game.

Engine modules are imported on first use, so listing names is cheap. Other packages add engines through the entry
point group `tengen.engines`; built-in names take precedence. A plugin declares the games it plays in
`Engine.games`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.core.plugins import describe_plugin, import_object, load_plugin, plugins
from tengen.search.engine import Engine

PLUGIN_GROUP = "tengen.engines"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Entry:
    """The import path of an engine's class, and the names of the games that it plays; empty for every game."""

    import_path: str
    games: tuple[str, ...] = ()


# The engines of a single game, its default first; then those that play every game. A new engine is one line here.
_ENGINES: dict[str, Entry] = {
    "clobber": Entry("tengen.engines.clobber.engine:ClobberEngine", ("clobber",)),
    "othello": Entry("tengen.engines.othello.engine:OthelloEngine", ("othello",)),
    "go": Entry("tengen.engines.go.mcts.engine:GoEngine", ("go",)),
    "strings": Entry("tengen.engines.go.strings.engine:StringEngine", ("go",)),
    "glance": Entry("tengen.engines.go.glance:GlanceEngine", ("go",)),
    "pente": Entry("tengen.engines.pente.engine:PenteEngine", ("pente",)),
    "classic": Entry("tengen.engines.pente.classic.engine:ClassicEngine", ("pente",)),
    "alphabeta": Entry("tengen.search.alphabeta:AlphaBeta"),
    "uct": Entry("tengen.search.uct:UCT"),
    "flat": Entry("tengen.search.simple:FlatMonteCarlo"),
    "random": Entry("tengen.search.simple:RandomPlayer"),
    "casual": Entry("tengen.engines.casual:CasualEngine"),
    "adaptive": Entry("tengen.engines.adaptive:AdaptiveEngine"),
}

# Games without an engine for their options get alpha-beta if their own evaluation is informative, otherwise UCT.
_BY_EVALUATION = ("clobber", "othello")


def names() -> list[str]:
    """The names of all engines: built-in ones, then plugins."""
    return [*_ENGINES, *(name for name in plugins(PLUGIN_GROUP) if name not in _ENGINES)]


def games_of(name: str) -> tuple[str, ...]:
    """The games that an engine is restricted to; empty if it plays every game or is not a known, working
    engine.
    """
    if name in _ENGINES:
        return _ENGINES[name].games
    try:
        return engine_class(name).games if name in plugins(PLUGIN_GROUP) else ()
    except OptionError:
        return ()


def engine_class(name: str) -> type[Engine]:
    """The class of an engine by name, or by import path: `my_package.greedy:Greedy`. Raises `OptionError`."""
    plugin = None if name in _ENGINES else plugins(PLUGIN_GROUP).get(name)
    if plugin is not None:
        found, described = load_plugin(plugin), describe_plugin(plugin)
    elif name in _ENGINES or ":" in name:
        described = repr(name)
        try:
            found = import_object(_ENGINES[name].import_path if name in _ENGINES else name)
        except (ImportError, AttributeError, ValueError) as error:
            raise OptionError(f"there is no engine at {name!r}: {error}") from error
    else:
        raise OptionError(f"there is no engine {name!r}; there are: {', '.join(names())}")
    if not (isinstance(found, type) and issubclass(found, Engine)):
        raise OptionError(f"{described} is not an engine")
    return found


def create(name: str, game: Game | None = None, *, seed: int = 0, threads: int = 1, **settings: Any) -> Engine:
    """Create an engine by name or import path, with its settings: `create("uct", exploration=0.5)`.

    Raises `OptionError` if a game is given that the engine does not play.
    """
    if game is not None:
        check(name, game)
    return engine_class(name)(seed=seed, threads=threads, **settings)


def can_play(name: str, game: Game) -> bool:
    """Whether an engine plays this game with these options."""
    made_for = games_of(name)
    if made_for and game.name not in made_for:
        return False
    kind = engine_class(name)
    return (not kind.games or game.name in kind.games) and kind.plays(game)


def check(name: str, game: Game) -> None:
    """Raise `OptionError` if an engine does not play this game."""
    if not can_play(name, game):
        others = ", ".join(engines_for(game))
        raise OptionError(f"{name} does not play {game.describe()}; engines that do: {others}")


def engines_for(game: Game) -> list[str]:
    """The names of the engines that play this game, those made for it first."""
    return sorted(_playing(game), key=lambda name: not games_of(name))


def default_engine(game: Game) -> str:
    """The engine for a game if the user chooses none: the first one made for it, or one that plays every game."""
    own = (name for name in _playing(game) if games_of(name))
    return next(own, "alphabeta" if game.name in _BY_EVALUATION else "uct")


def _playing(game: Game) -> Iterator[str]:
    """The engines that play this game. A plugin that cannot be loaded is left out with a warning."""
    for name in names():
        try:
            if can_play(name, game):
                yield name
        except OptionError as error:
            if name in _ENGINES:
                raise
            log.warning("%s", error)
