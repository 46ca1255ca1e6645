"""What a casual look tells about a move: how much it captures, and how far from the last move it is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position


def gains(position: Position, moves: Sequence[Move]) -> list[int]:
    """Stones or discs that each move takes; zeros in games where that says nothing."""
    if position.game.name == "othello":
        return [_flipped(position, move) for move in moves]
    if position.game.name not in ("go", "pente"):
        return [0] * len(moves)
    stones = position.diagram().stones
    enemy, player = 2 - position.to_move, position.to_move
    beside_enemy = {
        (x + dx, y + dy)
        for y, row in enumerate(stones)
        for x, stone in enumerate(row)
        if stone == enemy
        for dx in (-1, 0, 1)
        for dy in (-1, 0, 1)
    }
    before = int(position.state.captured[player])
    return [
        int(position.play(move).state.captured[player]) - before
        if any(point in beside_enemy for point in position.game.points(move))
        else 0
        for move in moves
    ]


def _flipped(position: Position, move: Move) -> int:
    before, after = position.state, position.play(move).state
    # The mover's discs are in `enemy` now, unless the opponent has to pass.
    own = int(after.enemy if after.turn != before.turn else after.othello_mover).bit_count()
    return max(0, own - int(before.othello_mover).bit_count() - 1)


def last_move_distances(position: Position, moves: Sequence[Move]) -> list[float]:
    """The distance of each move from the last one, in points, diagonals included; infinite for a pass."""
    last = position.game.points(position.moves[-1]) if position.moves else ()
    return [_distance(position.game.points(move), last) for move in moves]


def _distance(points: Sequence[Point], others: Sequence[Point]) -> float:
    return min(
        (max(abs(one[0] - two[0]), abs(one[1] - two[1])) for one in points for two in others), default=math.inf
    )
