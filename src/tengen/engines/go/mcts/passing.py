"""When to pass: when all is settled and nothing is lost by it.

Under area rules two passes end the game with all stones counted as alive, so a pass is right only if that count
wins, or if all is lost anyway. Under territory rules a stone in settled territory costs a point, and dead stones
may stay; but territory whose border is open counts for nobody, though playouts close it.
"""

from __future__ import annotations

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.board import Array, geometry_for
from tengen.engines.go.kernels.board import area_of
from tengen.engines.go.mcts.dead_stones import dead_among
from tengen.games.go import PASS, Go

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


def is_needless(position: Position, move: Move, ownership: Array) -> bool:
    """Whether a move changes nothing that is not settled. Under area rules it costs nothing, and all must be."""
    game = position.game
    assert isinstance(game, Go)
    if game.scoring == "territory":
        return move == PASS or is_settled(ownership) or abs(owner_at(game, move, ownership)) >= NEEDLESS
    return move != PASS and is_settled(ownership)


def wins_as_it_stands(position: Position, ownership: Array) -> bool:
    """Whether the side to move has won if the game ends now, with the stones off that are dead by ownership.

    Under area rules none is taken off. Under territory rules what lies behind an open border is nobody's.
    """
    game = position.game
    assert isinstance(game, Go)
    if game.scoring == "area":
        return area_score(position) > 0
    owners = {(at % game.width, at // game.width): float(owner) for at, owner in enumerate(ownership)}
    dead = [game.point(points[0]) for points in dead_among(position, owners)]
    return game.count(position, dead).winner == position.to_move


def owner_at(game: Go, move: Move, ownership: Array) -> float:
    """Whose the point of a move will be."""
    return sum(float(ownership[row * game.width + column]) for column, row in game.points(move))


def is_as_good(rate: float, best_rate: float) -> bool:
    """Whether nothing is lost by a move with this win rate."""
    return rate >= best_rate - TOLERANCE
