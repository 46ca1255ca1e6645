"""Eyes and false eyes of a position, by shape, without reading.

An eye is a small space enclosed by strings of one colour. A one-point eye is false if the enemy holds two of its
diagonal points, or one at the edge.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.engines.go.positions import adjacent_points
from tengen.games.go import Go, rules

MAX_EYE_POINTS = 7


@dataclass(frozen=True)
class Eye:
    """A space enclosed by one player."""

    player: int
    points: frozenset[Point]
    false: bool


def eyes(position: Position) -> list[Eye]:
    """All eyes of a position."""
    game, state = position.game, position.state
    assert isinstance(game, Go)
    content = {
        (column, row): int(state.go_stones[game.point((column, row))])
        for row in range(game.height)
        for column in range(game.width)
    }
    found, seen = [], set()
    for point, stone in content.items():
        if stone != rules.EMPTY or point in seen:
            continue
        space, owners, front = {point}, set(), [point]
        while front:
            for near in adjacent_points(game, front.pop()):
                if near in space:
                    continue
                if content[near] == rules.EMPTY:
                    space.add(near)
                    front.append(near)
                else:
                    owners.add(content[near])
        seen |= space
        if len(owners) == 1 and len(space) <= MAX_EYE_POINTS:
            owner = owners.pop()
            found.append(Eye(owner - 1, frozenset(space), _is_false(space, content, owner)))
    return found


def _is_false(space: set[Point], content: dict[Point, int], owner: int) -> bool:
    """Whether a space is a false eye. Larger spaces than one point never are."""
    if len(space) > 1:
        return False
    ((column, row),) = space
    corners = [(column + x, row + y) for x in (1, -1) for y in (1, -1)]
    on_board = [content[corner] for corner in corners if corner in content]
    enemies = sum(stone == 3 - owner for stone in on_board)
    return enemies > (1 if len(on_board) == 4 else 0)
