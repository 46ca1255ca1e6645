"""The engines that play every game, by name."""

from __future__ import annotations

from typing import Any

from tengen.core.errors import OptionError
from tengen.search.alphabeta import AlphaBeta
from tengen.search.engine import Engine
from tengen.search.simple import FlatMonteCarlo, RandomPlayer
from tengen.search.uct import UCT

GENERIC: dict[str, type[Engine]] = {
    engine.name: engine for engine in (AlphaBeta, UCT, FlatMonteCarlo, RandomPlayer)
}


def create(name: str, *, seed: int = 0, threads: int = 1, **settings: Any) -> Engine:
    """An engine by its name, with its settings: `create("uct", exploration=0.5)`."""
    if name not in GENERIC:
        raise OptionError(f"there is no engine {name!r}; there are: {', '.join(GENERIC)}")
    return GENERIC[name](seed=seed, threads=threads, **settings)
