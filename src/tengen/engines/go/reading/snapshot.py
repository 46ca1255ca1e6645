"""What Python sees of a board that is read: colours, strings and liberties as they stand at one moment.

The kernels' arrays are quick for kernels. Whoever walks over points in Python asks here, where each string and its
liberties are made out once.
"""

from __future__ import annotations

from functools import cache

from tengen.engines.go.board import Geometry
from tengen.engines.go.kernels.board import EMPTY
from tengen.engines.go.kernels.reading_board import Arrays


@cache
def _neighbours(points: int, stride: int) -> list[tuple[int, ...]]:
    return [(point + 1, point - 1, point + stride, point - stride) for point in range(points)]


class Snapshot:
    """A board at one moment."""

    def __init__(self, board: Arrays, geometry: Geometry) -> None:
        points, stride = geometry.points, geometry.stride
        self.cells: list[int] = board.cells[:points].tolist()
        """The colour of each point, margins included."""
        self._heads: list[int] = board.cells[points : 2 * points].tolist()
        self._links: list[int] = board.cells[2 * points : 3 * points].tolist()
        self._steps = (1, -1, stride, -stride)
        self._around = _neighbours(points, stride)
        self._strings: dict[int, frozenset[int]] = {}
        self._liberties: dict[int, frozenset[int]] = {}
        self._touching: dict[int, frozenset[int]] = {}
        self._near: dict[int, frozenset[int]] = {}
        self._beside: dict[int, frozenset[int]] = {}
        self._spaces: dict[int, frozenset[int]] = {}

    def around(self, point: int) -> tuple[int, ...]:
        """The four points beside one, margins included."""
        return self._around[point]

    def head(self, point: int) -> int:
        """The stone that stands for the string on a point."""
        return self._heads[point]

    def string(self, point: int) -> frozenset[int]:
        """The stones of the string on a point."""
        head = self._heads[point]
        if head not in self._strings:
            stones, stone = [head], self._links[head]
            while stone != head:
                stones.append(stone)
                stone = self._links[stone]
            self._strings[head] = frozenset(stones)
        return self._strings[head]

    def liberties(self, point: int) -> frozenset[int]:
        """The liberties of the string on a point."""
        head = self._heads[point]
        if head not in self._liberties:
            self._liberties[head] = frozenset(at for at in self.touching(head) if self.cells[at] == EMPTY)
        return self._liberties[head]

    def touching(self, point: int) -> frozenset[int]:
        """All points beside the string on a point, margins and its own stones included."""
        head = self._heads[point]
        if head not in self._touching:
            self._touching[head] = frozenset(stone + step for stone in self.string(head) for step in self._steps)
        return self._touching[head]

    def space(self, point: int) -> frozenset[int]:
        """All empty points that hang together with an empty one."""
        if point not in self._spaces:
            found, front = {point}, [point]
            while front:
                for near in self.around(front.pop()):
                    if self.cells[near] == EMPTY and near not in found:
                        found.add(near)
                        front.append(near)
            space = frozenset(found)
            self._spaces.update(dict.fromkeys(space, space))
        return self._spaces[point]

    def beside(self, colour: int) -> frozenset[int]:
        """All points beside a stone of a colour."""
        if colour not in self._beside:
            stones = [at for at, content in enumerate(self.cells) if content == colour]
            self._beside[colour] = frozenset(near for stone in stones for near in self.around(stone))
        return self._beside[colour]

    def near(self, colour: int) -> frozenset[int]:
        """All points at most two steps from a stone of a colour."""
        if colour not in self._near:
            offsets = {one + other for one in (0, *self._steps) for other in (0, *self._steps)}
            stones = [at for at, content in enumerate(self.cells) if content == colour]
            self._near[colour] = frozenset(stone + offset for stone in stones for offset in offsets)
        return self._near[colour]
