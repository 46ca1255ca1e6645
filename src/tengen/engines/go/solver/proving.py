"""Questions about a position, each asked of one side: can it reach so many points?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tengen.engines.go.solver.grid import Grid
from tengen.engines.go.solver.kernels import search as fields
from tengen.engines.go.solver.kernels.safety import MOST_PARTS
from tengen.engines.go.solver.kernels.search import OPEN, PROVED, Search, key_of, probe, run

SLICE = 20_000  # nodes between two looks at the stop


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


class Prover:
    """One table, and the searches that share it.

    `past` are the positions of the game so far, to which superko forbids to return. Only symmetries that leave all
    of them as they are make two positions the same: else what is forbidden in one were allowed in the other.
    """

    def __init__(self, grid: Grid, megabytes: int, past: list[Board], superko: int) -> None:
        self.grid = grid
        entries = 1 << max(4, (megabytes * 1024 * 1024 // 16).bit_length() - 1)
        codes, images, back = grid.tables([stones for board in past for stones in (board.black, board.white)])
        plies, children = fields.MOST_PLIES, fields.MOST_CHILDREN
        self.arrays = Search(
            shape=grid.shape,
            codes=codes,
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
            history=np.zeros((2, 64), np.int64),
            room=np.zeros((3, MOST_PARTS), np.uint64),
        )
        self.arrays.facts[fields.SUPERKO] = superko
        self.root_move: int | None = None  # the prover's move of the last proof, if it took one
        self._past = past
        self._histories = (np.zeros((2, 64), np.int64), np.zeros((2, 64), np.int64))

    @property
    def nodes(self) -> int:
        return int(self.arrays.facts[fields.NODES])

    def proves(
        self,
        board: Board,
        side: int,
        goal: int,
        depth: int,
        on_slice: Callable[[], None] = lambda: None,
        *,
        thorough: bool = False,
        width: int = fields.MOST_CHILDREN,
    ) -> bool | None:
        """Whether a search so deep proves that `side` reaches `goal` points more than the other.

        None if no deeper search of this kind will, either: nothing was cut off by the horizon or by the `width`,
        the number of moves that the side looks at in each position. `on_slice` is
        called now and then, and may end the search by raising `Stopped`; it must not ask anything itself.
        """
        arrays = self._turned_to(side)
        frame = arrays.frames[0]
        frame[:] = 0
        frame[fields.TURN] = int(board.to_move != side)
        frame[fields.PASSED], frame[fields.DEPTH] = int(board.passed), depth
        frame[fields.CAPTURED] = 1
        mine, theirs = (board.black, board.white) if side == 0 else (board.white, board.black)
        arrays.boards[0, :3] = np.array([mine, theirs, board.ko], np.uint64)
        arrays.facts[[fields.PLY, fields.MODE, fields.RESULT]] = 0
        arrays.facts[fields.WIDTH] = width
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
        mine, theirs = (board.black, board.white) if side == 0 else (board.white, board.black)
        turn = int(board.to_move != side)
        key, image = key_of(
            np.uint64(mine), np.uint64(theirs), np.uint64(board.ko), turn, int(board.passed), arrays
        )
        entry = int(probe(key, arrays))
        point = entry >> 24 & 63
        if entry == 0 or entry & 127 < goal + 64 or point == fields.NO_POINT:
            return None
        return int(arrays.back[image, point])

    def _turned_to(self, side: int) -> Search:
        arrays = self.arrays
        arrays.facts[fields.PROVER] = side
        for index, board in enumerate(self._past):
            mine, theirs = (board.black, board.white) if side == 0 else (board.white, board.black)
            arrays.past[index] = (mine, theirs, int(board.to_move != side))
        return arrays._replace(history=self._histories[side])
