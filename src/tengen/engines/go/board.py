"""Boards for the compiled player: their memory, and how positions and moves come in and out."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tengen.core.aligned_memory import aligned_zeros
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.kernels import board as kernels
from tengen.engines.go.kernels.board import BORDER, Arrays
from tengen.engines.go.patterns import neighbourhood_table
from tengen.games.go import Go, rules

Array = np.ndarray[Any, Any]


class Geometry:
    """A board's size, and all that follows from it."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.stride = width + 1
        self.points = self.stride * (height + 2) + 1
        self.words = -(-self.points // 64)
        if self.words > 2:
            self.words = -(-self.words // 4) * 4  # whole vectors, and on 19x19 one cache line for each string
        self._sizes = _sizes(self.points, self.words)
        length = sum(-(-np.dtype(kind).itemsize * size // 8) for kind, size in self._sizes.values())
        steps = (1, -1, self.stride, -self.stride)
        self.shape = np.array([self.stride, self.words, self.points, length, width * height, *steps], np.int64)
        self.inside = np.array(
            [self.stride * (row + 1) + column + 1 for row in range(height) for column in range(width)], np.int64
        )
        outside = np.array(
            [rules.STRIDE * (row + 1) + column + 1 for row in range(height) for column in range(width)], np.int64
        )
        self.outward = np.zeros(self.points, np.int32)  # from our points to those of the rules
        self.outward[self.inside] = outside
        self.inward = np.zeros(rules.POINTS, np.int32)
        self.inward[outside] = self.inside
        self.keys = np.zeros((2, self.points), np.uint64)
        self.keys[:, self.inside] = rules.STONE_KEYS[:, outside]

    @property
    def tables(self) -> tuple[Array, ...]:
        """What every kernel takes: shape, keys, table, inside."""
        return self.shape, self.keys, neighbourhood_table(), self.inside

    def new_board(self) -> Arrays:
        """Memory for a board; nothing in it makes sense yet."""
        block = aligned_zeros(int(self.shape[3]))
        parts, at = {}, 0
        for name, (kind, size) in self._sizes.items():
            length = -(-np.dtype(kind).itemsize * size // 8)
            parts[name] = block[at : at + length].view(kind)[:size]
            at += length
        return Arrays(**parts, block=block)

    def empty_board(self) -> Arrays:
        """A board without stones, Black to move."""
        board = self.new_board()
        board.colour[:] = BORDER
        board.colour[self.inside] = kernels.EMPTY
        # A point sees the edge all around it but where the board is; stones are added later.
        steps = (1, -1, self.stride, -self.stride)
        diagonals = (self.stride + 1, self.stride - 1, -self.stride + 1, -self.stride - 1)
        for index, step in enumerate((*steps, *diagonals)):
            seen = board.colour[self.inside + step].astype(np.uint16)
            board.around[self.inside] |= seen << np.uint16(2 * index)
        board.empties[: len(self.inside)] = self.inside
        board.place[self.inside] = np.arange(len(self.inside))
        board.facts[kernels.EMPTIES] = len(self.inside)
        board.facts[kernels.TURN] = kernels.BLACK
        return board

    def board_of(self, position: Position) -> Arrays:
        """The board of a position of Go of this size."""
        state = position.state
        board = self.empty_board()
        content = state.go_stones[self.outward[self.inside]]
        stones = content != rules.EMPTY
        kernels.put_stones(board, *self.tables, self.inside[stones], content[stones].astype(np.int64))
        facts = board.facts
        facts[kernels.TURN] = int(state.turn) + 1
        facts[kernels.KO] = self.inward[int(state.ko)]
        facts[kernels.PASSES] = int(state.passes)
        facts[kernels.HANDICAP] = int(state.handicap)
        # Stones taken are on no board, but were placed once. `captured` counts by who took them.
        facts[kernels.PLACED] = facts[kernels.BALANCE] + int(state.captured[1]) - int(state.captured[0])
        facts[kernels.LAST] = self._move_into(position)
        facts[kernels.BEFORE] = 0 if position.parent is None else self._move_into(position.parent)
        return board

    def _move_into(self, position: Position) -> int:
        """The move that led to a position, if its stone still stands."""
        move = Move(0) if position.move is None else position.move
        return int(self.inward[move]) if position.state.go_stones[move] != rules.EMPTY else 0


def _sizes(points: int, words: int) -> dict[str, tuple[Any, int]]:
    """The arrays of a board: their kinds and sizes."""
    return {
        "libs": (np.uint64, points * words),
        "colour": (np.uint8, points),
        "head": (np.uint16, points),
        "link": (np.uint16, points),
        "count": (np.uint16, points),
        "size": (np.uint16, points),
        "around": (np.uint16, points),
        "empties": (np.uint16, points),
        "place": (np.uint16, points),
        "facts": (np.int64, kernels.FACTS),
        "key": (np.uint64, 1),
    }


@cache
def geometry_of(width: int, height: int) -> Geometry:
    return Geometry(width, height)


def geometry_for(game: Go) -> Geometry:
    return geometry_of(game.width, game.height)
