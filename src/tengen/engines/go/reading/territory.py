"""Unconditional territory with stones that the opponent does not capture: whether they keep it from living.

The kernel (`kernels/territory`) finds territory except where the opponent may live around uncaptured stones. Here
the opponent chooses which liberties of such a string stay empty and fills everything else; then the owner moves
first, and the exact life-and-death search tells whether all strings around it can be killed. If so for every
choice, the area is territory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tengen.engines.go.board import Array, Geometry
from tengen.engines.go.kernels.board import EMPTY
from tengen.engines.go.reading.point_sets import PointSet, list_points, point_set
from tengen.engines.go.reading.snapshot import Snapshot

MAX_LIBERTIES = 7  # of an uncaptured string; with more, the area is not called territory
IsKilled = Callable[
    [Array, list[int]], bool
]  # colours of all points, one stone of each string -> killed for certain


def prove_territory(
    board: Snapshot, geometry: Geometry, colour: int, doubtful: PointSet, alive: PointSet, is_killed: IsKilled
) -> PointSet:
    """Those of the doubtful points that are unconditional territory of a colour."""
    inside = point_set(int(point) for point in geometry.inside)
    proved = 0
    while doubtful:
        region = board.connected_component(doubtful & -doubtful, inside & ~alive, geometry.points)
        strings = list(board.strings(board.by_colour[colour] & region))
        liberties = {string: list_points(board.liberties(string) & ~board.adjacent(alive)) for string in strings}
        if all(len(some) <= MAX_LIBERTIES for some in liberties.values()) and all(
            is_killed(*case)
            for string in strings
            for case in _cases(board, region, colour, string, liberties[string])
        ):
            proved |= doubtful & region
        doubtful &= ~region
    return proved


def _cases(
    board: Snapshot, region: PointSet, colour: int, string: int, liberties: list[int]
) -> Iterator[tuple[Array, list[int]]]:
    """Filled boards, each with one stone of every opposing string around the uncaptured one."""
    stones = board.string(string)
    for chosen in range(1 << len(liberties)):
        open_points = point_set(point for index, point in enumerate(liberties) if chosen >> index & 1)
        if open_points.bit_count() < 2:
            continue
        colours = np.array(board.colours, np.int64)
        filled = region & ~(stones | open_points)
        colours[list_points(filled)] = 3 - colour
        heads, shape = [], stones | open_points
        while filled:
            one = board.connected_component(filled & -filled, filled, len(board.colours))
            filled &= ~one
            if not board.adjacent(one) & open_points:  # without a liberty: it cannot be filled
                colours[list_points(one & board.by_colour[EMPTY])] = EMPTY
            elif board.adjacent(one) & shape:
                heads.append(list_points(one)[0])
        if heads:
            yield colours, heads
