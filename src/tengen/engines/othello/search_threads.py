"""A position as the kernels take it, and the memory that they work in.

Smaller boards lie in the middle of the eight by eight squares, so that the quadrants, whose parity orders the
moves, are quarters of theirs too. What lies around them is neither empty nor a disc, and ends every line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.othello.endgame.kernels import solver as endgame
from tengen.engines.othello.endgame.kernels.stability import edge_table
from tengen.engines.othello.kernels.entry_points import flips_of, moves_of, set_root
from tengen.engines.othello.kernels.transposition_table import clear_table, make_table
from tengen.engines.othello.midgame.kernels import search as midgame
from tengen.engines.othello.midgame.kernels.probcut import MARGINS, margins
from tengen.engines.othello.midgame.patterns import LANES, WEIGHTS
from tengen.engines.othello.midgame.weights import load_weights
from tengen.games.othello.game import PASS

_SHIFTS = {8: 0, 6: 9, 4: 18}
_CORNERS = {8: 0x8100000000000081, 6: 0x0042000000004200, 4: 0x0000240000240000}
SWITCHES = {
    "hashing": endgame.TABLE,
    "ordering": endgame.ORDER,
    "stability": endgame.STABILITY,
    "etc": endgame.ETC,
    "probcut": endgame.PROBCUT,
}
"""The features of the search that can be switched off, by the names of the engine's settings."""
NEAR = 512 << 10
"""Bytes of a thread's table for the last dozen squares: what the cache of its core holds."""


@dataclass(frozen=True)
class Root:
    """The discs of the mover and the enemy, and the empty squares, as bit boards."""

    mover: int
    enemy: int
    empties: int
    size: int = 8

    @classmethod
    def of(cls, position: Position) -> Root:
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
    def count(self) -> int:
        """How many squares are empty."""
        return self.empties.bit_count()

    @property
    def boards(self) -> tuple[np.uint64, np.uint64, np.uint64]:
        return np.uint64(self.mover), np.uint64(self.enemy), np.uint64(self.empties)

    @property
    def moves(self) -> list[int]:
        """The squares to play on; PASS alone if there is none, and nothing in an ended game."""
        mine, other = (int(bits) for bits in moves_of(*self.boards))
        return [square for square in range(64) if mine >> square & 1] or ([midgame.PASS] if other else [])

    def play(self, square: int) -> Root:
        """The position after a move or a pass."""
        if square == midgame.PASS:
            return Root(self.enemy, self.mover, self.empties, self.size)
        flips, disc = int(flips_of(np.int64(square), *self.boards)), 1 << square
        return Root(self.enemy ^ flips, self.mover | flips | disc, self.empties ^ disc, self.size)

    def squares(self, moves: Sequence[Move]) -> np.ndarray[Any, Any]:
        """Moves as the kernels number them."""
        shift = _SHIFTS[self.size]
        return np.array([midgame.PASS if move == PASS else int(move) + shift for move in moves], np.int64)

    def move(self, square: int) -> Move:
        return PASS if square == midgame.PASS else Move(square - _SHIFTS[self.size])


class Memory:
    """What all threads of an engine share: table, marks of who is busy where, weights."""

    def __init__(self, megabytes: int, threads: int) -> None:
        self.table = make_table(megabytes << 20)
        self.busy = np.zeros(midgame.BUSY_PLACES, np.uint64)
        self.stop = np.zeros(1, np.int64)
        self.edges = edge_table()
        self.places = tuple(Place() for _ in range(threads))
        self.age = 0

    def forget(self) -> None:
        clear_table(self.table)
        for place in self.places:
            clear_table(place.near)

    def set_up(self, root: Root, switches: int, draw: int) -> None:
        """Begin a search: of this position, with these features, a draw being worth so many centi-discs."""
        self.age = (self.age + 1) % 256
        if root.size == 8:
            switches |= endgame.PATTERNS
        else:
            switches &= ~endgame.STABILITY  # is for edges of eight
        for place in self.places:
            work = place.work
            work[endgame.NODES] = 0
            work[endgame.FEATURES] = switches
            work[endgame.AGE] = self.age
            work[endgame.THREADS] = len(self.places)
            work[endgame.CORNERS] = np.uint64(_CORNERS[root.size]).astype(np.int64)
            work[endgame.DRAW] = draw
            if root.size == 8:
                work[endgame.MARGIN : endgame.MARGIN + MARGINS] = margins()
            else:  # without patterns a shallow search foretells little: margins that are never reached
                work[endgame.MARGIN : endgame.MARGIN + MARGINS] = 2 * midgame.MOST
        self.weights = load_weights() if root.size == 8 else _no_weights()

    @property
    def nodes(self) -> int:
        return sum(int(place.work[endgame.NODES]) for place in self.places)


class Place:
    """The memory of one thread."""

    def __init__(self) -> None:
        self.work = np.zeros(endgame.WORK_SIZE, np.int64)
        self.features = np.zeros((midgame.MOST_PLIES, LANES), np.int16)
        self.found = np.zeros(3, np.int64)
        self.near = make_table(NEAR)

    def search(
        self,
        memory: Memory,
        root: Root,
        squares: np.ndarray[Any, Any],
        alpha: int,
        beta: int,
        depth: int,
        level: int,
    ) -> None:
        """Search these moves in a window of centi-discs; the result is in `found`. Runs without the GIL."""
        set_root(self.features, *root.boards)
        self.work[endgame.STOPPED] = 0
        midgame.search_root(
            *root.boards,
            squares.copy(),
            np.int64(alpha),
            np.int64(beta),
            np.int64(depth),
            np.int64(level),
            self.work,
            memory.table,
            self.near,
            self.features,
            memory.weights,
            memory.edges,
            memory.busy,
            memory.stop,
            self.found,
        )


def _no_weights() -> np.ndarray[Any, Any]:
    """In the place of weights where there are none: never read."""
    weights = np.zeros((65, WEIGHTS), np.int16)
    weights.flags.writeable = False
    return weights
