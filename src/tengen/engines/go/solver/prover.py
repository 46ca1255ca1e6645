"""Questions about a position, each asked of one side: can it reach so many points?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tengen.engines.go.solver.grid import Array, Grid
from tengen.engines.go.solver.kernels import state as fields
from tengen.engines.go.solver.kernels.benson import MOST_PARTS
from tengen.engines.go.solver.kernels.search import known, run
from tengen.engines.go.solver.kernels.state import OPEN, PROVED, Search
from tengen.engines.go.solver.value_learning import Windows, learned

SLICE = 20_000  # nodes between two looks at the stop
THRIFT = 3  # efforts of more than so many times the points of the board are of plies alone
SECOND_BEST = 16  # what a move costs more for each unit of promise that it falls behind the best one
HOPE = 100  # thousandths of promise that a position may lack for each unit of effort, to be looked at


class Stopped(Exception):
    """The search was asked to stop."""


@dataclass(frozen=True)
class Board:
    """A position as sets of bits, stones and the ko point; who is to move, and whether somebody passed."""

    black: int
    white: int
    to_move: int
    ko: int = 0
    passed: bool = False

    def of(self, side: int) -> tuple[int, int]:
        """The stones of a side, and those of the other."""
        return (self.black, self.white) if side == 0 else (self.white, self.black)


class Prover:
    """One table, and the searches that share it.

    `past` are the positions of the game so far, to which superko forbids to return. Only symmetries that leave all
    of them as they are make two positions the same: else what is forbidden in one were allowed in the other.
    """

    def __init__(self, grid: Grid, megabytes: int, past: list[Board], superko: int) -> None:
        self.grid = grid
        entries = 1 << max(4, (megabytes * 1024 * 1024 // 16).bit_length() - 1)
        powers, images, back = grid.tables([stones for board in past for stones in (board.black, board.white)])
        self._windows = Windows.of(grid)
        plies, children = fields.MOST_PLIES, fields.MOST_CHILDREN
        self.arrays = Search(
            shape=grid.shape,
            powers=powers,
            codes=np.zeros((2, len(images)), np.int64),
            images=images,
            back=back,
            keys=np.zeros(entries, np.uint64),
            data=np.zeros(entries, np.int64),
            past=np.zeros((len(past), 3), np.uint64),
            facts=np.zeros(fields.FACTS, np.int64),
            frames=np.zeros((plies, fields.FIELDS), np.int64),
            boards=np.zeros((plies, 4), np.uint64),
            children=np.zeros((plies, children, 3), np.uint64),
            points=np.zeros((plies, children), np.int64),
            worth=np.zeros((plies, children), np.int64),
            costs=np.zeros((plies, children), np.int64),
            windows=self._windows.powers,
            starts=self._windows.starts,
            patterns=np.zeros((2, len(self._windows.starts)), np.int64),
            weights=np.zeros((2, len(self._windows.shared)), np.int16),
            room=np.zeros((3, MOST_PARTS), np.uint64),
        )
        self.arrays.facts[fields.SUPERKO] = superko
        self.root_move: int | None = None  # the prover's move of the last proof, if it took one
        self._past = past
        self._learned: dict[int, Array] = {}  # what each side learned last

    @property
    def nodes(self) -> int:
        return int(self.arrays.facts[fields.NODES])

    def learned(self, board: Board, side: int, goal: int, on_slice: Callable[[], None]) -> Array:
        """What positions after this one promise to a side with a goal, as weights for `proves`."""
        start = (*board.of(side), int(board.to_move != side))
        weights = learned(self.grid, self._windows, start, goal, on_slice, self._learned.get(side))
        self._learned[side] = weights
        return weights

    def proves(
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
        """Whether a search of so much effort proves that `side` reaches `goal` points more than the other.

        None if no greater effort will, either: nothing was cut off. `on_slice` is called now and then, and may end
        the search by raising `Stopped`; it must not ask anything itself. `weights` are those that were `learned`.
        """
        arrays = self._turned_to(side)
        if weights is not None:
            arrays = arrays._replace(weights=weights)
        frame = arrays.frames[0]
        frame[:] = 0
        frame[fields.TURN] = int(board.to_move != side)
        frame[fields.PASSED], frame[fields.EFFORT] = int(board.passed), effort
        mine, theirs = board.of(side)
        arrays.boards[0, :3] = np.array([mine, theirs, board.ko], np.uint64)
        arrays.facts[[fields.PLY, fields.MODE, fields.RESULT]] = 0
        thrifty = effort <= THRIFT * self.grid.area
        arrays.facts[fields.LEAST] = -effort * HOPE if thrifty else -(1 << 40)
        arrays.facts[fields.SECOND_BEST] = SECOND_BEST if thrifty else 0
        arrays.facts[fields.GOAL], arrays.facts[fields.THOROUGH] = goal, int(thorough)
        arrays.facts[fields.ROUND] = (arrays.facts[fields.ROUND] + 1) % 256
        while (result := run(arrays, SLICE)) == OPEN:
            on_slice()
        if result == PROVED:
            self.root_move = int(frame[fields.BEST]) if frame[fields.OPENED] and not frame[fields.TURN] else None
            return True
        return False if frame[fields.HORIZON] else None

    def best(self, board: Board, side: int, goal: int) -> int | None:
        """What the table knows as the best point of a position in which `side` is shown to reach its goal."""
        arrays = self._turned_to(side)
        mine, theirs = board.of(side)
        turn = int(board.to_move != side)
        entry, image = known(
            np.uint64(mine), np.uint64(theirs), np.uint64(board.ko), turn, int(board.passed), arrays
        )
        point = entry >> 24 & 63
        if entry == 0 or entry & 127 < goal + 64 or point == fields.NO_POINT:
            return None
        return int(arrays.back[image, point])

    def _turned_to(self, side: int) -> Search:
        arrays = self.arrays
        arrays.facts[fields.PROVER] = side
        for index, board in enumerate(self._past):
            arrays.past[index] = (*board.of(side), int(board.to_move != side))
        return arrays
