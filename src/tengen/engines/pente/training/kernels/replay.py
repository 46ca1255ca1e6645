"""What the training of the evaluation needs from the positions of a game."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.pente.kernels.board import capture_threats_at, captures_at, mark_near_stones
from tengen.engines.pente.kernels.moves import place
from tengen.engines.pente.search.kernels.evaluation import write_counts
from tengen.games.pente.record import EMPTY, POINTS

_0, _1, _6, _63 = (np.uint64(n) for n in (0, 1, 6, 63))
NEAR = np.uint8(1)
"""In `marks`: an empty point near a stone. Further bits: captures of the side to move and of the other, threats to
capture of both.
"""


@kernel
def replay(boards, patterns, moves, colours, shapes, marks, counts):
    """Play moves, and write the state before each of them.

    shapes: uint32[n, POINTS], of the empty points, else 0; marks: uint8[n, POINTS], see NEAR;
    counts: int64[n, 2 * COUNTS + 1], see `evaluation`.
    """
    board, patterns = boards[0], pointer(patterns)
    for ply in range(len(moves)):
        colour = np.uint64(colours[ply])
        mark_near_stones(board)
        for point in range(np.uint64(POINTS)):
            if board.stones[point] == EMPTY:
                shapes[ply, point] = board.shapes[point]
                bits = (board.near_stones[point >> _6] >> (point & _63)) & _1
                for side in range(2):
                    of = colour if side == 0 else _1 - colour
                    if captures_at(board, of, point) != _0:
                        bits |= np.uint64(2 << side)
                    if capture_threats_at(board, of, point) != _0:
                        bits |= np.uint64(8 << side)
                marks[ply, point] = bits
        write_counts(board, colour, counts[ply])
        place(board, patterns, np.uint64(moves[ply]), colour)
