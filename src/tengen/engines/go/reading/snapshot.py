"""A reading board as Python data: colours, strings and liberties at one moment.

The kernels' arrays are slow to access from Python; here each string is extracted once, as a point set (see
`point_sets`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from tengen.engines.go.board import Array, Geometry
from tengen.engines.go.kernels.board import BLACK, BORDER, EMPTY, WHITE
from tengen.engines.go.reading.kernels.board import Board
from tengen.engines.go.reading.point_sets import PointSet, adjacent, first_point, points_where


@cache
def _all_neighbours(points: int, stride: int) -> list[tuple[int, ...]]:
    return [(point + 1, point - 1, point + stride, point - stride) for point in range(points)]


class Snapshot:
    """An immutable view of a reading board. Points include the margins."""

    def __init__(self, board: Board, geometry: Geometry) -> None:
        points = geometry.points
        self.stride = geometry.stride
        colours = board.cells[:points]
        self.colours: list[int] = colours.tolist()
        black, white = colours == BLACK, colours == WHITE
        self.stones: Array = black.astype(np.int64) - white  # 1 for Black, -1 for White
        self.by_colour: dict[int, PointSet] = {
            EMPTY: points_where(colours == EMPTY),
            BLACK: points_where(black),
            WHITE: points_where(white),
            BORDER: points_where(colours == BORDER),
        }
        self._heads: list[int] = board.cells[points : 2 * points].tolist()
        self._links: list[int] = board.cells[2 * points : 3 * points].tolist()
        self._neighbour_lists = _all_neighbours(points, self.stride)
        self._strings: dict[int, PointSet] = {}
        self._within_two_steps: dict[int, PointSet] = {}

    def neighbours(self, point: int) -> tuple[int, ...]:
        """The four adjacent points."""
        return self._neighbour_lists[point]

    def head(self, point: int) -> int:
        """The stone that identifies the string on a point."""
        return self._heads[point]

    def string(self, point: int) -> PointSet:
        """The stones of the string on a point."""
        head = self._heads[point]
        stones = self._strings.get(head, 0)
        if not stones:
            stones, stone = 1 << head, self._links[head]
            while stone != head:
                stones |= 1 << stone
                stone = self._links[stone]
            self._strings[head] = stones
        return stones

    def strings(self, stones: PointSet) -> Iterator[int]:
        """One stone of each string that contains some of `stones`."""
        while stones:
            stone = first_point(stones)
            yield stone
            stones &= ~self.string(stone)

    def liberties(self, point: int) -> PointSet:
        """The liberties of the string on a point."""
        return adjacent(self.string(point), self.stride) & self.by_colour[EMPTY]

    def adjacent(self, points: PointSet) -> PointSet:
        """All points adjacent to a point of the set."""
        return adjacent(points, self.stride)

    def dilate(self, points: PointSet, steps: int = 1) -> PointSet:
        """The set with all points up to `steps` away."""
        for _ in range(steps):
            points |= adjacent(points, self.stride)
        return points

    def connected_component(self, start: PointSet, allowed: PointSet, limit: int) -> PointSet:
        """Points connected to `start` through `allowed` points; stops early once there are more than `limit`."""
        reached, before = start, 0
        while reached != before and reached.bit_count() <= limit:
            before = reached
            reached |= adjacent(reached, self.stride) & allowed
        return reached

    def within_two_steps(self, colour: int) -> PointSet:
        """All points up to two steps from a stone of a colour."""
        if colour not in self._within_two_steps:
            self._within_two_steps[colour] = self.dilate(self.by_colour[colour], 2)
        return self._within_two_steps[colour]
