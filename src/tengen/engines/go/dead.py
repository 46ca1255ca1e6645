"""Which stones are dead, by who will own what."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.games.go import Go, rules

DEAD = 0.3
"""A string that stays its owner's in fewer of the games than this is taken for dead."""
CAUGHT = 0.9
"""The same of a string that was read to be caught whoever moves first: playouts may let it live by blunders."""


def strings(position: Position) -> list[tuple[int, list[Point]]]:
    """The strings on the board: the player and the points of each."""
    game, state = position.game, position.state
    assert isinstance(game, Go)
    found: dict[int, list[Point]] = {}
    for row in range(game.height):
        for column in range(game.width):
            point = game.point((column, row))
            if state.go_stones[point] != rules.EMPTY:
                found.setdefault(int(state.head[point]), []).append((column, row))
    return [(int(state.go_stones[head]) - 1, points) for head, points in found.items()]


def dead_among(
    position: Position, owners: Mapping[Point, float], caught: Collection[Point] = ()
) -> list[list[Point]]:
    """The strings that do not stay their owner's.

    owners: 1.0 where a point is always Black's, -1.0 White's. caught: stones that were read to be lost.
    """
    dead = []
    for player, points in strings(position):
        own = sum(owners[point] for point in points) / len(points) * (1 if player == 0 else -1)
        if (1 + own) / 2 < (CAUGHT if points[0] in caught else DEAD):
            dead.append(points)
    return dead
