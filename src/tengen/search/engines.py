"""The engines that play every game, by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tengen.core.errors import OptionError
from tengen.search.alphabeta import AlphaBeta
from tengen.search.engine import Engine
from tengen.search.simple import FlatMonteCarlo, RandomPlayer
from tengen.search.uct import UCT

GENERIC: dict[str, type[Engine]] = {
    engine.name: engine for engine in (AlphaBeta, UCT, FlatMonteCarlo, RandomPlayer)
}


def engine_class(name: str) -> type[Engine]:
    """An engine's class by its name, or by the place where one of your own is: `my_package.greedy:Greedy`."""
    if name in GENERIC:
        return GENERIC[name]
    module, separator, attribute = name.partition(":")
    if not separator:
        raise OptionError(f"there is no engine {name!r}; there are: {', '.join(GENERIC)}")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise OptionError(f"there is no engine at {name!r}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Engine)):
        raise OptionError(f"{name!r} is not an engine")
    return found


def create(name: str, *, seed: int = 0, threads: int = 1, **settings: Any) -> Engine:
    """An engine by its name or place, with its settings: `create("uct", exploration=0.5)`."""
    return engine_class(name)(seed=seed, threads=threads, **settings)
