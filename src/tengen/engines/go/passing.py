"""When to pass: when all is settled and nothing is lost by it.

Under area rules two passes end the game with all stones counted as alive, so a pass is right only if that count
wins, or if all is lost anyway. Under territory rules a stone in settled territory costs a point, and dead stones
may stay.
"""

from __future__ import annotations

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.board import Array, geometry_for
from tengen.engines.go.kernels.board import area_of
from tengen.games.go import Go

SETTLED = 0.75
"""A point is settled if it is the same side's, by ownership, in all but an eighth of the games."""
NEEDLESS = 0.9
"""A stone on a point that is one side's so surely is needless, and under territory rules it costs a point."""
TOLERANCE = 0.03
"""A win rate that much lower may be chance."""
LOST = 0.05
"""A win rate below which nothing is left to hope for."""


def area_score(position: Position) -> float:
    """By area for the side to move, all stones taken as alive, komi included."""
    game = position.game
    assert isinstance(game, Go)
    geometry = geometry_for(game)
    scratch = np.zeros((2, geometry.points), np.int64)
    area = int(area_of(geometry.board_of(position), *geometry.tables, *scratch))
    points = area - int(position.state.komi) / 1000
    return points if position.to_move == 0 else -points


def is_settled(ownership: Array) -> bool:
    """Whether it is known of every point whose it will be."""
    return bool((np.abs(ownership) >= SETTLED).all())


def may_pass(position: Position, best: Move, ownership: Array, best_rate: float) -> bool:
    """Whether a pass is worth a closer look: the best move is needless, and a pass would not lose the game."""
    game = position.game
    assert isinstance(game, Go)
    if game.scoring == "territory":
        return is_settled(ownership) or abs(owner_at(game, best, ownership)) >= NEEDLESS
    return is_settled(ownership) and (area_score(position) > 0 or best_rate < LOST)


def owner_at(game: Go, move: Move, ownership: Array) -> float:
    """Whose the point of a move will be."""
    return sum(float(ownership[row * game.width + column]) for column, row in game.points(move))


def is_as_good(rate: float, best_rate: float) -> bool:
    """Whether nothing is lost by a move with this win rate."""
    return rate >= best_rate - TOLERANCE
