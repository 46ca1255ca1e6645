"""How many eyes an eye space is worth, by the exact life-and-death search.

The space is copied, with the enemy stones inside, to a board where a group has nothing else: it lives if the space
gives two eyes. A space of one point is a true, half or false eye by its diagonal points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tengen.engines.go.kernels.board import BLACK, BORDER, EMPTY, WHITE
from tengen.engines.go.reading.life import LifeReader
from tengen.engines.go.reading.point_sets import PointSet, first_point, list_points
from tengen.engines.go.reading.snapshot import Snapshot
from tengen.engines.go.reading.tactics import Result, TacticalReader

MAX_POINTS = 12  # a larger space is not evaluated


@dataclass(frozen=True)
class EyeValue:
    """The number of eyes if the opponent moves first and if the owner does; if they differ, those moves."""

    fewest: int
    most: int
    attack: int = 0
    defence: int = 0


def eye_value(tactics: TacticalReader, point: int) -> EyeValue | None:
    """The value of the eye space at a point; None if it is no small space enclosed by one colour."""
    board = tactics.snapshot
    for owner in (BLACK, WHITE):
        space = _space(board, point, owner)
        if space:
            break
    else:
        return None
    if space.bit_count() == 1:
        return _single_point(board, point, owner)
    colours = _isolated(board, space, owner)
    if colours is None:
        return None
    other = LifeReader(TacticalReader(tactics.geometry))
    other.tactics.load_stones(colours[tactics.geometry.inside])
    group = first_point(board.adjacent(space) & ~space & ~board.by_colour[BORDER])
    attack = other.attack(group)
    if attack.result is Result.FAILS:
        return EyeValue(2, 2)
    defence = other.defend(group)
    return EyeValue(1, 1) if defence.result is Result.FAILS else EyeValue(1, 2, attack.move, defence.move)


def _space(board: Snapshot, point: int, owner: int) -> PointSet:
    """The points around which `owner` has stones, enemy stones inside included; 0 if they are too many or none."""
    if board.colours[point] == owner:
        return 0
    inside = board.by_colour[EMPTY] | board.by_colour[3 - owner]
    space = board.connected_component(1 << point, inside, MAX_POINTS)
    return space if space.bit_count() <= MAX_POINTS and space & board.by_colour[EMPTY] else 0


def _single_point(board: Snapshot, point: int, owner: int) -> EyeValue:
    corners = [point + step for step in (board.stride + 1, board.stride - 1, -board.stride + 1, -board.stride - 1)]
    contents = [board.colours[corner] for corner in corners]
    needed = 2 if contents.count(BORDER) == 0 else 1  # enemy corners that make the eye false
    enemies, free = contents.count(3 - owner), [at for at in corners if board.colours[at] == EMPTY]
    if enemies >= needed:
        return EyeValue(0, 0)
    if enemies + 1 == needed and len(free) == 1:
        return EyeValue(0, 1, free[0], free[0])
    return EyeValue(1, 1)


def _isolated(board: Snapshot, space: PointSet, owner: int) -> np.ndarray | None:
    """Colours of a board with the space, a wall of its owner, and living enemies around; None without room."""
    on_board = ~board.by_colour[BORDER]
    wall = _with_diagonals(board, space) & on_board & ~space
    near = _with_diagonals(board, wall | space)
    enemies = on_board & ((1 << len(board.colours)) - 1) & ~(wall | space)
    colours = np.array(board.colours, np.int64)
    for stones, colour in ((wall, owner), (enemies, 3 - owner)):
        colours[list_points(stones)] = colour
    eyes: list[int] = []
    for point in list_points(enemies & ~near):
        if all(
            abs(point // board.stride - eye // board.stride) > 1 or abs(point - eye) % board.stride > 1
            for eye in eyes
        ):
            eyes.append(point)
            colours[point] = EMPTY
            if len(eyes) == 2:
                return colours
    return None


def _with_diagonals(board: Snapshot, points: PointSet) -> PointSet:
    points |= points << 1 | points >> 1
    return points | points << board.stride | points >> board.stride
