"""A position in the form the kernels take: bitboards on an 8x8 grid.

Smaller boards lie in the middle of the 8x8 squares, so that their quadrants, whose parity orders moves, are parts
of the 8x8 quadrants. Squares around them are neither empty nor occupied, so every line of discs ends there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.othello.kernels.entry_points import compute_flips, compute_moves
from tengen.engines.othello.midgame.kernels import search as midgame
from tengen.games.othello.game import PASS

_SHIFTS = {8: 0, 6: 9, 4: 18}


@dataclass(frozen=True)
class RootPosition:
    """Discs of the mover and the enemy, and the empty squares, as bitboards."""

    mover: int
    enemy: int
    empties: int
    size: int = 8

    @classmethod
    def from_position(cls, position: Position) -> RootPosition:
        size = int(position.game.options()["size"])
        state, shift = position.state, _SHIFTS[size]
        discs = int(state.othello_mover) | int(state.enemy)
        return cls(
            int(state.othello_mover) << shift,
            int(state.enemy) << shift,
            (int(state.board) & ~discs) << shift,
            size,
        )

    @property
    def empty_count(self) -> int:
        return self.empties.bit_count()

    @property
    def boards(self) -> tuple[np.uint64, np.uint64, np.uint64]:
        """The bitboards as kernel arguments: mover, enemy, empty squares."""
        return np.uint64(self.mover), np.uint64(self.enemy), np.uint64(self.empties)

    @property
    def legal_squares(self) -> list[int]:
        """Squares to play on; only PASS if there are none, and nothing if the game is over."""
        mine, other = (int(bits) for bits in compute_moves(*self.boards))
        return [square for square in range(64) if mine >> square & 1] or ([midgame.PASS] if other else [])

    def play(self, square: int) -> RootPosition:
        """The position after a move or a pass."""
        if square == midgame.PASS:
            return RootPosition(self.enemy, self.mover, self.empties, self.size)
        flips, disc = int(compute_flips(np.int64(square), *self.boards)), 1 << square
        return RootPosition(self.enemy ^ flips, self.mover | flips | disc, self.empties ^ disc, self.size)

    def move_to_square(self, move: Move) -> int:
        return midgame.PASS if move == PASS else int(move) + _SHIFTS[self.size]

    def square_to_move(self, square: int) -> Move:
        return PASS if square == midgame.PASS else Move(square - _SHIFTS[self.size])
