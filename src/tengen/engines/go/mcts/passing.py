"""When to pass: once everything is settled and passing costs nothing.

Under area rules two passes end the game with all stones counted as alive, so a pass is right only if that count
wins, or if the game is lost anyway. Under territory rules a stone in settled territory costs a point and dead
stones may stay; but territory with an open border counts for nobody, although playouts close it.
"""

from __future__ import annotations

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.board import Array, geometry_for
from tengen.engines.go.kernels.board import area_difference
from tengen.engines.go.mcts.dead_stones import dead_by_ownership
from tengen.games.go import PASS, Go

SETTLED_OWNERSHIP = 0.75  # absolute ownership from which a point is settled: one owner in 7 of 8 playouts
SURE_OWNERSHIP = 0.9  # a stone on such a point is redundant, and costs a point under territory rules
WIN_RATE_TOLERANCE = 0.03  # smaller differences may be noise
LOST_WIN_RATE = 0.05  # below this the game is lost


def area_score(position: Position) -> float:
    """Area score for the side to move, komi included, with all stones alive."""
    game = position.game
    assert isinstance(game, Go)
    geometry = geometry_for(game)
    scratch = np.zeros((2, geometry.points), np.int64)
    area = int(area_difference(geometry.board_from(position), *geometry.tables, *scratch))
    points = area - int(position.state.komi) / 1000
    return points if position.to_move == 0 else -points


def is_settled(ownership: Array) -> bool:
    """Whether every point is settled."""
    return bool((np.abs(ownership) >= SETTLED_OWNERSHIP).all())


def is_redundant(position: Position, move: Move, ownership: Array) -> bool:
    """Whether a move changes nothing that is unsettled.

    Under area rules such a move is free, so the whole board must be settled.
    """
    game = position.game
    assert isinstance(game, Go)
    if game.scoring == "territory":
        return move == PASS or is_settled(ownership) or abs(ownership_at(game, move, ownership)) >= SURE_OWNERSHIP
    return move != PASS and is_settled(ownership)


def wins_if_ended_now(position: Position, ownership: Array) -> bool:
    """Whether the side to move wins if the game ends now.

    Under territory rules, stones that are dead by `ownership` are removed; under area rules, none.
    """
    game = position.game
    assert isinstance(game, Go)
    if game.scoring == "area":
        return area_score(position) > 0
    owners = {(at % game.width, at // game.width): float(owner) for at, owner in enumerate(ownership)}
    dead = [game.point(points[0]) for points in dead_by_ownership(position, owners)]
    return game.count(position, dead).winner == position.to_move


def ownership_at(game: Go, move: Move, ownership: Array) -> float:
    """Ownership of a move's point; 0 for a pass."""
    return sum(float(ownership[row * game.width + column]) for column, row in game.points(move))


def is_no_worse(rate: float, best_rate: float) -> bool:
    """Whether a win rate equals the best one within the tolerance."""
    return rate >= best_rate - WIN_RATE_TOLERANCE
