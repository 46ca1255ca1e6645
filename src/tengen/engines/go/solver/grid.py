"""Bit numbers of the points of a small board, and tables of its symmetries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.solver.kernels.state import PASS_POINT
from tengen.games.go import PASS, rules

Array = np.ndarray[Any, Any]
MAX_POINTS = 30  # that fit into a position's key


@dataclass(frozen=True)
class Grid:
    """A board; the bit of a point is `row * stride + column`."""

    width: int
    height: int

    @property
    def stride(self) -> int:
        return self.width + 1

    @property
    def area(self) -> int:
        return self.width * self.height

    @property
    def bits(self) -> list[int]:
        """Bit numbers of all points, row by row."""
        return [row * self.stride + column for row in range(self.height) for column in range(self.width)]

    @property
    def shape(self) -> Array:
        return np.array([sum(1 << bit for bit in self.bits), self.stride], np.uint64)

    def bit(self, move: Move) -> int:
        if move == PASS:
            return PASS_POINT
        row, column = divmod(move, rules.STRIDE)
        return (row - 1) * self.stride + column - 1

    def move(self, bit: int) -> Move:
        if bit == PASS_POINT:
            return PASS
        row, column = divmod(bit, self.stride)
        return Move(rules.STRIDE * (row + 1) + column + 1)

    def stones(self, position: Position) -> tuple[int, int]:
        """(Black's stones, White's stones) as bit sets."""
        colours = position.state.go_stones
        black = sum(1 << bit for bit in self.bits if colours[self.move(bit)] == rules.BLACK)
        white = sum(1 << bit for bit in self.bits if colours[self.move(bit)] == rules.WHITE)
        return black, white

    @property
    def symmetries(self) -> list[dict[int, int]]:
        """The symmetries as maps of bit numbers: eight of a square, four of another rectangle."""
        width, height = self.width, self.height
        turned = (False, True) if width == height else (False,)
        maps = []
        for swap in turned:
            for flip_columns in (False, True):
                for flip_rows in (False, True):
                    image = {}
                    for row in range(height):
                        for column in range(width):
                            c = width - 1 - column if flip_columns else column
                            r = height - 1 - row if flip_rows else row
                            c, r = (r, c) if swap else (c, r)
                            image[row * self.stride + column] = r * self.stride + c
                    maps.append(image)
        return maps

    def tables(self, fixed: Sequence[int]) -> tuple[Array, Array, Array]:
        """(powers, images, back) for the kernels, of the symmetries that map each of these bit sets to itself.

        `powers[bit, image]` is the power of three of a point in an image's base-three code.
        """
        maps = [image for image in self.symmetries if all(map_bits(stones, image) == stones for stones in fixed)]
        number = {bit: index for index, bit in enumerate(self.bits)}
        powers = np.zeros((max(self.bits) + 1, len(maps)), np.int64)
        images = np.zeros((len(maps), 64), np.int64)
        images[:, PASS_POINT:] = (PASS_POINT, PASS_POINT + 1)
        back = images.copy()
        for index, image in enumerate(maps):
            for bit, other in image.items():
                images[index, bit], back[index, other] = other, bit
                powers[bit, index] = 3 ** number[other]
        return powers, images, back


def map_bits(stones: int, image: dict[int, int]) -> int:
    return sum(1 << to for bit, to in image.items() if stones >> bit & 1)
