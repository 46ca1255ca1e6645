"""Memory of the solver for small boards: lookup tables of a board, and the state of its search."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.records import record_type
from tengen.games.pente.game import Pente

IMAGES, CHUNK, CHUNKS, DIRECTIONS = 8, 12, 3, 8
POINTS = CHUNK * CHUNKS
"""Points of the largest board. Its bits are looked up in chunks."""
MAX_PLIES = 2 * POINTS
"""More than a game can have: each point once, and again for each stone of at most 2 * (goal - 1) pairs."""
MAX_LINES, MAX_RUNS = 32, 60
"""Lines of five and capturable runs of the largest board."""
_AXES = ((0, 1), (1, 0), (1, 1), (1, -1))

WORK = record_type(
    ("nodes", np.int64),
    ("stopped", np.int64),
    ("goal", np.int64),  # pairs that win; 0: captures do not win
    ("points", np.uint64),  # all points of the board, as bits
    ("line_count", np.uint64),
    ("run_count", np.uint64),
    ("lines", np.uint64, (MAX_LINES,)),  # lines of five
    ("runs", np.uint64, (2 * MAX_RUNS,)),  # pairs of points that can be captured, each with its ends
    ("flanks", np.uint64, (POINTS * DIRECTIONS * 2,)),  # by point and direction: the pair next to it, its far end
    ("digits", np.uint64, (IMAGES * CHUNKS << CHUNK,)),  # by image, chunk and bits: base-3 number
    ("history", np.int64, (2 * POINTS,)),  # by side and point
    ("line_values", np.int64, (POINTS,)),  # scratch
    ("moves", np.int64, (MAX_PLIES * POINTS,)),  # by ply: priority << 16 | point
)


class Solver(NamedTuple):
    """What the kernel works with."""

    work: Any  # record WORK
    table: Any  # see `search.kernels.transposition_table`
    stop: Any  # int64[1], not 0: stop


def new_work(game: Pente) -> np.ndarray[Any, Any]:
    """An array of one WORK record for a game."""
    works = _tables(game.size, game.captures == "pairs").copy()
    works["goal"] = (game.goal + 1) // 2
    return works


@functools.cache
def _tables(size: int, captures: bool) -> np.ndarray[Any, Any]:
    bit = {(row, column): 1 << row * size + column for row in range(size) for column in range(size)}
    works = np.zeros(1, WORK)
    work = works[0]
    work.points = (1 << size * size) - 1
    lines = []
    flanks = work.flanks.reshape(POINTS, DIRECTIONS, 2)
    flanks[:, :, 0] = ~np.uint64(0)  # matches no position
    runs = set()
    for (row, column), here in bit.items():
        for axis, (down, right) in enumerate(_AXES):
            line = [(row + down * k, column + right * k) for k in range(5)]
            if all(point in bit for point in line):
                lines.append(sum(bit[point] for point in line))
            for side, sign in enumerate((1, -1)):
                one, two, end = ((row + sign * down * k, column + sign * right * k) for k in (1, 2, 3))
                if captures and end in bit:
                    flanks[row * size + column, 2 * axis + side] = bit[one] | bit[two], bit[end]
                    runs.add((bit[one] | bit[two], bit[end] | here))
    work.line_count, work.run_count = len(lines), len(runs)
    work.lines[: len(lines)] = lines
    work.runs[: 2 * len(runs)] = np.array(sorted(runs), np.uint64).reshape(-1)
    digits = work.digits.reshape(IMAGES, CHUNKS, 1 << CHUNK)
    for image in range(IMAGES):
        for number, (row, column) in enumerate(bit):
            down = size - 1 - row if image & 1 else row
            right = size - 1 - column if image & 2 else column
            digit = right * size + down if image & 4 else down * size + right
            chunk, which = divmod(number, CHUNK)
            digits[image, chunk, np.arange(1 << CHUNK) >> which & 1 == 1] += np.uint64(3**digit)
    return works
