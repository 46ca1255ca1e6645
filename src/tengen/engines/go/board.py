"""Board memory for the compiled code, and conversion of positions and points from and to the rules'."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tengen.core.aligned_memory import aligned_zeros
from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.kernels import board as kernels
from tengen.engines.go.kernels.board import BORDER, Arrays, Tables
from tengen.engines.go.patterns import neighbourhood_table
from tengen.games.go import Go, rules

Array = np.ndarray[Any, Any]


class Geometry:
    """Everything that follows from a board's size: layout, point numbers, tables, memory."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.stride = width + 1
        self.points = self.stride * (height + 2) + 1
        self.words = -(-self.points // 64)
        if self.words > 2:
            self.words = -(-self.words // 4) * 4  # whole vectors; on 19x19 one cache line per string
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
        self.to_rules = np.zeros(self.points, np.int32)  # point here -> point of the rules
        self.to_rules[self.inside] = outside
        self.from_rules = np.zeros(rules.POINTS, np.int32)
        self.from_rules[outside] = self.inside
        self.keys = np.zeros((2, self.points), np.uint64)
        self.keys[:, self.inside] = rules.STONE_KEYS[:, outside]

    def point(self, coordinates: Point) -> int:
        """The number of a point given as (column, row)."""
        column, row = coordinates
        return self.stride * (row + 1) + column + 1

    def coordinates(self, point: int) -> Point:
        row, column = divmod(point, self.stride)
        return column - 1, row - 1

    @property
    def tables(self) -> Tables:
        """Arguments of every kernel."""
        return Tables(self.shape, self.keys, neighbourhood_table(), self.inside)

    def new_board(self) -> Arrays:
        """Uninitialised memory for a board."""
        block = aligned_zeros(int(self.shape[3]))
        parts, at = {}, 0
        for name, (kind, size) in self._sizes.items():
            length = -(-np.dtype(kind).itemsize * size // 8)
            parts[name] = block[at : at + length].view(kind)[:size]
            at += length
        return Arrays(**parts, block=block)

    def empty_board(self) -> Arrays:
        """An empty board with Black to move."""
        board = self.new_board()
        board.colour[:] = BORDER
        board.colour[self.inside] = kernels.EMPTY
        # Neighbours are border or empty here; stones are added later.
        steps = (1, -1, self.stride, -self.stride)
        diagonals = (self.stride + 1, self.stride - 1, -self.stride + 1, -self.stride - 1)
        for index, step in enumerate((*steps, *diagonals)):
            seen = board.colour[self.inside + step].astype(np.uint16)
            board.neighbours[self.inside] |= seen << np.uint16(2 * index)
        board.empties[: len(self.inside)] = self.inside
        board.empty_index[self.inside] = np.arange(len(self.inside))
        board.state[0].empty_count = len(self.inside)
        board.state[0].turn = kernels.BLACK
        return board

    def board_from(self, position: Position) -> Arrays:
        """The board of a Go position of this size."""
        state = position.state
        board = self.empty_board()
        content = state.go_stones[self.to_rules[self.inside]]
        stones = content != rules.EMPTY
        kernels.put_stones(board, *self.tables, self.inside[stones], content[stones].astype(np.int64))
        own = board.state[0]
        own.turn = int(state.turn) + 1
        own.ko = self.from_rules[int(state.ko)]
        own.passes = int(state.passes)
        own.handicap = int(state.handicap)
        # Captured stones were placed, too. `captured` is indexed by the capturing player.
        own.placed_balance = own.stone_balance + int(state.captured[1]) - int(state.captured[0])
        own.last_move = self._move_into(position)
        own.previous_move = 0 if position.parent is None else self._move_into(position.parent)
        return board

    def _move_into(self, position: Position) -> int:
        """Point of the move that led to a position, or 0 if its stone is gone."""
        move = Move(0) if position.move is None else position.move
        return int(self.from_rules[move]) if position.state.go_stones[move] != rules.EMPTY else 0


def _sizes(points: int, words: int) -> dict[str, tuple[Any, int]]:
    """(dtype, length) of each array of a board."""
    return {
        "libs": (np.uint64, points * words),
        "colour": (np.uint8, points),
        "head": (np.uint16, points),
        "link": (np.uint16, points),
        "liberty_count": (np.uint16, points),
        "size": (np.uint16, points),
        "neighbours": (np.uint16, points),
        "empties": (np.uint16, points),
        "empty_index": (np.uint16, points),
        "state": (kernels.BOARD_STATE, 1),
    }


@cache
def geometry_for_size(width: int, height: int) -> Geometry:
    return Geometry(width, height)


def geometry_for(game: Go) -> Geometry:
    return geometry_for_size(game.width, game.height)
