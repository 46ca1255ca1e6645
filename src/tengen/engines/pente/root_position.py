"""A position as the kernels represent it: one board record that can play and undo moves."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.kernels import entry_points
from tengen.engines.pente.kernels.board import BOARD, BREAKABLE_ROW
from tengen.engines.pente.kernels.lines import empty_lines
from tengen.engines.pente.kernels.shape_tables import PATTERNS
from tengen.engines.pente.patterns import pattern_table, reach_of
from tengen.engines.pente.search.weights import Weights


@functools.lru_cache(maxsize=16)
def _tables(
    rules: tuple[int, bool, int, int, bool, bool], weights: Weights | None
) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """The array of `kernels.shape_tables`."""
    tables = np.zeros(PATTERNS, np.uint32) if weights is None else weights.tables
    return np.concatenate([tables, pattern_table(*rules)])


_empty_lines = functools.cache(empty_lines)  # kernels only read the result


class RootPosition:
    """A position for the kernels: `boards` holds one record, `patterns` the tables of its rules and weights.

    Without weights, it cannot be evaluated or searched, but threats can.
    """

    def __init__(self, position: Position, weights: Weights | None = None) -> None:
        state = position.state
        self.boards = np.zeros(1, BOARD)
        board = self.boards[0]
        board.width, board.longest, board.goal = state.width, state.longest, state.goal
        board.second, board.poof, board.boat = state.second, state.poof, state.boat
        board.renju, board.caro = state.renju, state.caro
        board.row, board.exact, board.stones_per_turn = state.row, state.exact, state.a_turn
        lines = bool(state.renju), bool(state.caro)
        board.reach = reach_of(int(state.row), bool(state.exact), *lines)
        rules = int(state.row), bool(state.exact), int(state.longest), int(state.a_turn), *lines
        self.patterns = _tables(rules, weights)
        numbers = np.array([state.captured[0], state.captured[1], state.number, state.five], np.int64)
        entry_points.set_board(
            self.boards, self.patterns, _empty_lines(int(state.width)), state.pente_stones, numbers
        )
        self.colour = np.uint64(state.colour)
        self.stones_per_turn = int(state.a_turn)
        self._number = int(state.number)

    @property
    def stones_left(self) -> int:
        """Stones that the side to move still has to place in this turn."""
        return self.stones_per_turn if self._is_turn_start else 1

    @property
    def _is_turn_start(self) -> bool:
        return self.stones_per_turn == 1 or self._number % 2 == 1

    def play(self, move: Move) -> None:
        """Play a move of the side to move."""
        entry_points.play(self.boards, self.patterns, np.uint64(move), self.colour)
        self._number += 1
        if self._is_turn_start:
            self.colour = np.uint64(1) - self.colour

    def undo(self) -> None:
        if self._is_turn_start:
            self.colour = np.uint64(1) - self.colour
        self._number -= 1
        entry_points.undo_move(self.boards, self.colour)

    def winning_points(self, colour: int) -> list[Move]:
        """Points where a colour would win immediately if it were to move."""
        out = np.zeros(512, np.uint16)
        count = entry_points.winning_points(self.boards, np.uint64(colour), out)
        return [Move(int(point)) for point in dict.fromkeys(out[:count].tolist())]

    def has_breakable_row(self, colour: int) -> bool:
        """Boat rule: whether a colour has a row that the other side has to break, or failed to break."""
        board = self.boards[0]
        point = int(board.state_info[BREAKABLE_ROW])
        return point != 0 and int(board.stones[point]) == colour + 1
