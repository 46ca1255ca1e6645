"""Canonical keys of positions under symmetry and, far from the edges, translation.

The key of a position is the least of all its images *after* each was shifted; any other order of turning and
shifting would give some positions two keys.

A dimension with a stone within `EDGE_DISTANCE` of an edge cannot be shifted. Otherwise stones are shifted as close
to the first line as that allows, so positions far from the edges have the same keys on all board sizes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from tengen.books.kernels.off_board import off_board_key_of
from tengen.core.diagram import Point
from tengen.core.game import Game
from tengen.core.position import Position

EDGE_DISTANCE = 4  # lines with an index up to this, from either side, are close to the edge

Stones = tuple[tuple[int, int, int], ...]  # (column, row, occupant)


class Placement(NamedTuple):
    """Mapping of a position to its key: a symmetry (numbered as in `symmetry`), then a shift."""

    image: int
    shift: Point
    width: int
    height: int

    def forward(self, point: Point) -> Point:
        column, row = turn(point, self.image, self.width, self.height)
        return column + self.shift[0], row + self.shift[1]

    def back(self, point: Point) -> Point:
        column, row = point[0] - self.shift[0], point[1] - self.shift[1]
        if self.image & 4:
            column, row = row, column
        return (
            self.width - 1 - column if self.image & 1 else column,
            self.height - 1 - row if self.image & 2 else row,
        )


class Shape(NamedTuple):
    """Key of a position, and all placements that lead to it: several if the position is symmetric."""

    key: bytes
    placements: tuple[Placement, ...]

    def least(self, point: Point) -> Point:
        """Canonical form of a point: the least of its equivalent images."""
        return min(placement.forward(point) for placement in self.placements)

    def points(self, point: Point) -> set[Point]:
        """All points of the position that a canonical point stands for."""
        return {placement.back(point) for placement in self.placements}


def turn(point: Point, image: int, width: int, height: int) -> Point:
    """Mirror the columns if the image is odd (1), then the rows (2), then swap the two (4)."""
    column, row = point
    if image & 1:
        column = width - 1 - column
    if image & 2:
        row = height - 1 - row
    return (row, column) if image & 4 else (column, row)


def shape_of(position: Position) -> Shape:
    """The shape of a position of any game."""
    width, height = _sides(position.game)
    stones = position.game.on_board(position)
    return find_shape(stones, width, height, int(off_board_key_of(position.states)), position.game)


@lru_cache(maxsize=64)
def _sides(game: Game) -> tuple[int, int]:
    rows = game.start().diagram().stones
    return len(rows[0]), len(rows)


def find_shape(
    stones: Iterable[tuple[int, int, int]], width: int, height: int, off_board: int, game: Game
) -> Shape:
    """Shape of stones on a board; `off_board` is a key of everything else that matters."""
    columns, rows, occupants = map(list, zip(*stones, strict=True)) if (stones := list(stones)) else ([], [], [])
    across = [_shifted(lines, width, game) for lines in (columns, [width - 1 - line for line in columns])]
    down = [_shifted(lines, height, game) for lines in (rows, [height - 1 - line for line in rows])]
    numbers = (range(8) if width == height else range(4)) if game.is_symmetric else range(1)
    found: list[tuple[Stones, Placement]] = []
    for image in numbers:
        first, second = across[image & 1], down[image >> 1 & 1]
        if image & 4:
            first, second = second, first
        placed = tuple(sorted(zip(first[0], second[0], occupants, strict=True)))
        found.append((placed, Placement(image, (first[1], second[1]), width, height)))
    least = min(placed for placed, _ in found)
    key = bytes(number for stone in least for number in stone) + off_board.to_bytes(8, "big")
    return Shape(key, tuple(placement for placed, placement in found if placed == least))


def _shifted(lines: list[int], size: int, game: Game) -> tuple[list[int], int]:
    """Shifted lines and the shift; 0 without stones or with one close to an edge."""
    if not game.can_shift or not lines or min(lines) <= EDGE_DISTANCE or max(lines) >= size - 1 - EDGE_DISTANCE:
        return lines, 0
    shift = EDGE_DISTANCE + 1 - min(lines)
    return [line + shift for line in lines], shift
