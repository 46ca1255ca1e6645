"""What Python sees of a board that is read: colours, strings and liberties as they stand at one moment.

The kernels' arrays are quick for kernels. Whoever walks over points in Python asks here, where each string and its
liberties are made out once. Sets of points are the bits of a number, see `points`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from tengen.engines.go.board import Array, Geometry
from tengen.engines.go.kernels.board import BLACK, BORDER, EMPTY, WHITE
from tengen.engines.go.reading.kernels.board import Arrays
from tengen.engines.go.reading.point_sets import Points, beside, first_of, points_where


@cache
def _neighbours(points: int, stride: int) -> list[tuple[int, ...]]:
    return [(point + 1, point - 1, point + stride, point - stride) for point in range(points)]


class Snapshot:
    """A board at one moment."""

    def __init__(self, board: Arrays, geometry: Geometry) -> None:
        points = geometry.points
        self.stride = geometry.stride
        cells = board.cells[:points]
        self.cells: list[int] = cells.tolist()
        """The colour of each point, margins included."""
        black, white = cells == BLACK, cells == WHITE
        self.stones: Array = black.astype(np.int64) - white
        """int64[points]: 1 for stones of Black, -1 for those of White."""
        self.all: dict[int, Points] = {
            EMPTY: points_where(cells == EMPTY),
            BLACK: points_where(black),
            WHITE: points_where(white),
            BORDER: points_where(cells == BORDER),
        }
        """The points of each colour, those that are empty, and the margins."""
        self._heads: list[int] = board.cells[points : 2 * points].tolist()
        self._links: list[int] = board.cells[2 * points : 3 * points].tolist()
        self._around = _neighbours(points, self.stride)
        self._strings: dict[int, Points] = {}
        self._near: dict[int, Points] = {}

    def around(self, point: int) -> tuple[int, ...]:
        """The four points beside one, margins included."""
        return self._around[point]

    def head(self, point: int) -> int:
        """The stone that stands for the string on a point."""
        return self._heads[point]

    def string(self, point: int) -> Points:
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

    def strings(self, stones: Points) -> Iterator[int]:
        """One stone of each string that some stones are of."""
        while stones:
            stone = first_of(stones)
            yield stone
            stones &= ~self.string(stone)

    def liberties(self, point: int) -> Points:
        """The liberties of the string on a point."""
        return beside(self.string(point), self.stride) & self.all[EMPTY]

    def beside(self, points: Points) -> Points:
        """All points beside some, margins included."""
        return beside(points, self.stride)

    def grown(self, points: Points, steps: int = 1) -> Points:
        """Some points with all that are so many steps away, over whatever lies between."""
        for _ in range(steps):
            points |= beside(points, self.stride)
        return points

    def flood(self, start: Points, over: Points, most: int) -> Points:
        """What hangs together with some points over others; more than so many points need not be found."""
        reached, before = start, 0
        while reached != before and reached.bit_count() <= most:
            before = reached
            reached |= beside(reached, self.stride) & over
        return reached

    def near(self, colour: int) -> Points:
        """All points at most two steps from a stone of a colour."""
        if colour not in self._near:
            self._near[colour] = self.grown(self.all[colour], 2)
        return self._near[colour]
