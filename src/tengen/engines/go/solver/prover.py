"""Proofs that one side reaches a goal, a number of points, in a position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tengen.engines.go.solver.grid import Array, Grid
from tengen.engines.go.solver.kernels import state as fields
from tengen.engines.go.solver.kernels.benson import MAX_PARTS
from tengen.engines.go.solver.kernels.search import probe_position, run
from tengen.engines.go.solver.kernels.state import OPEN, PROVED, Search
from tengen.engines.go.solver.value_learning import Windows, learn_weights
from tengen.search.kernels.transposition_table import make_table

NODES_PER_SLICE = 20_000  # nodes between two checks of the stop flag
SELECTIVE_EFFORT_FACTOR = 3  # above this times the area, every move costs 1 and none is pruned
DEFICIT_COST = 16  # extra effort of a move per unit of learned value below the best move
MAX_DEFICIT_PER_EFFORT = 100  # moves with a learned value below minus this times the effort are pruned


class Stopped(Exception):
    """The search was asked to stop."""


@dataclass(frozen=True)
class Board:
    """A position: bit sets of stones and the ko point, the side to move, whether the last move was a pass."""

    black: int
    white: int
    to_move: int
    ko: int = 0
    passed: bool = False

    def stones_of(self, side: int) -> tuple[int, int]:
        """(stones of `side`, stones of the other side)."""
        return (self.black, self.white) if side == 0 else (self.white, self.black)


class Prover:
    """Proof searches that share a transposition table.

    `history` has the positions of the game so far, which superko forbids to repeat. Only symmetries that map each
    of them to itself may identify positions; otherwise a move forbidden in one would be allowed in the other.
    """

    def __init__(self, grid: Grid, megabytes: int, history: list[Board], superko: int) -> None:
        self.grid = grid
        powers, images, back = grid.tables([stones for board in history for stones in (board.black, board.white)])
        self._windows = Windows.from_grid(grid)
        plies = fields.MAX_PLIES
        self.arrays = Search(
            shape=grid.shape,
            powers=powers,
            codes=np.zeros((2, len(images)), np.int64),
            images=images,
            back=back,
            table=make_table(megabytes << 20),
            history=np.zeros((len(history), 3), np.uint64),
            state=np.zeros(1, fields.SEARCH_STATE),
            frames=np.zeros(plies, fields.FRAME),
            boards=np.zeros((plies, 4), np.uint64),
            children=np.zeros(plies * fields.MAX_CHILDREN, fields.CHILD),
            windows=self._windows.powers,
            starts=self._windows.starts,
            patterns=np.zeros((2, len(self._windows.starts)), np.int64),
            weights=np.zeros((2, len(self._windows.weight_index)), np.int16),
            scratch=np.zeros((3, MAX_PARTS), np.uint64),
        )
        self.arrays.state[0].superko = superko
        self.root_move: int | None = None  # the first move of the last proof, if the prover was to move
        self._history = history
        self._learned: dict[int, Array] = {}  # the last weights of each side

    @property
    def nodes(self) -> int:
        return int(self.arrays.state[0].nodes)

    def learn_weights(self, board: Board, side: int, goal: int, on_slice: Callable[[], None]) -> Array:
        """Learn weights for `prove`: the value of positions after this one for a side with a goal."""
        start = (*board.stones_of(side), int(board.to_move != side))
        weights = learn_weights(self.grid, self._windows, start, goal, on_slice, self._learned.get(side))
        self._learned[side] = weights
        return weights

    def prove(
        self,
        board: Board,
        side: int,
        goal: int,
        effort: int,
        on_slice: Callable[[], None] = lambda: None,
        *,
        thorough: bool = False,
        weights: Array | None = None,
    ) -> bool | None:
        """Whether a search with this `effort` proves that `side` gets at least `goal` points more than the other.

        None if more effort would not prove it either, because nothing was cut off. `on_slice` is called regularly
        and may raise `Stopped`; it must not start another search. `weights` come from `learn_weights`.
        """
        arrays = self._set_prover(side)
        if weights is not None:
            arrays = arrays._replace(weights=weights)
        arrays.frames[:1] = np.zeros(1, fields.FRAME)
        frame, state = arrays.frames[0], arrays.state[0]
        frame.turn, frame.passed, frame.effort = int(board.to_move != side), int(board.passed), effort
        mine, theirs = board.stones_of(side)
        arrays.boards[0, :3] = np.array([mine, theirs, board.ko], np.uint64)
        state.ply = state.mode = state.result = 0
        selective = effort <= SELECTIVE_EFFORT_FACTOR * self.grid.area
        state.min_value = -effort * MAX_DEFICIT_PER_EFFORT if selective else -(1 << 40)
        state.deficit_cost = DEFICIT_COST if selective else 0
        state.goal, state.thorough = goal, int(thorough)
        state.round_number = (state.round_number + 1) % 256
        while (result := run(arrays, NODES_PER_SLICE)) == OPEN:
            on_slice()
        if result == PROVED:
            self.root_move = int(frame.best) if frame.expanded and not frame.turn else None
            return True
        return False if frame.horizon else None

    def best_point(self, board: Board, side: int, goal: int) -> int | None:
        """The table's best point of a position in which `side` is proved to reach `goal`, or None."""
        arrays = self._set_prover(side)
        mine, theirs = board.stones_of(side)
        turn = int(board.to_move != side)
        entry, image = probe_position(
            np.uint64(mine), np.uint64(theirs), np.uint64(board.ko), turn, int(board.passed), arrays
        )
        point = entry >> 38 & 63
        if entry == 0 or entry & 127 < goal + 64 or point == fields.NO_POINT:
            return None
        return int(arrays.back[image, point])

    def _set_prover(self, side: int) -> Search:
        arrays = self.arrays
        arrays.state[0].prover = side
        for index, board in enumerate(self._history):
            arrays.history[index] = (*board.stones_of(side), int(board.to_move != side))
        return arrays
