"""Estimates of the dead stones of a finished game, for games in which players agree on them."""

from __future__ import annotations

from importlib import import_module

from tengen.core.errors import OptionError
from tengen.core.game import Move
from tengen.core.position import Position

_ESTIMATORS = {"go": "tengen.engines.go.mcts.dead_stones:dead_points"}  # loaded on first use: they compile kernels


def estimate_dead_stones(position: Position) -> list[Move]:
    """A point of each string that is probably dead. Raises `OptionError` if no engine can tell for this game."""
    path = _ESTIMATORS.get(position.game.name)
    if path is None:
        raise OptionError(f"no engine can tell dead stones in {position.game.name}")
    module, _, name = path.partition(":")
    points: list[Move] = getattr(import_module(module), name)(position)
    return points
