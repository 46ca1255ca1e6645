"""Memory of the solver for small boards: lookup tables of a board, and the state of its search."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.records import record_type
from tengen.games.pente.game import Pente

IMAGES, CHUNK, CHUNKS, AXES = 8, 12, 3, 4
POINTS = CHUNK * CHUNKS
"""Points of the largest board. Its bits are looked up in chunks."""
MAX_PLIES = 2 * POINTS
"""More than a game can have: each point once, and again for each stone of at most 2 * (goal - 1) pairs."""
MAX_LINES = 32
"""Lines of five of the largest board."""
_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))

WORK = record_type(
    ("nodes", np.int64),
    ("stopped", np.int64),
    ("goal", np.int64),  # pairs that win; 0: no captures
    ("points", np.uint64),  # all points of the board, as bits
    ("line_count", np.uint64),
    ("lines", np.uint64, (MAX_LINES,)),  # lines of five
    ("steps", np.uint64, (AXES,)),  # by axis: from a point's bit to the next one's
    ("starts", np.uint64, (AXES,)),  # by axis: points from which four points in a row are on the board
    ("digits", np.uint64, (IMAGES * CHUNKS << CHUNK,)),  # by image, chunk and bits: base-3 number
    ("history", np.int64, (2 * POINTS,)),  # by question and point
    ("replies", np.int64, (2 * POINTS * POINTS,)),  # by question, previous point and point
    ("moves", np.int64, (MAX_PLIES * POINTS,)),  # by ply: priority << 8 | point
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
    for axis, (down, right) in enumerate(_DIRECTIONS):
        work.steps[axis] = size * down + right
        for row, column in bit:
            line = [(row + down * k, column + right * k) for k in range(5)]
            if all(point in bit for point in line):
                lines.append(sum(bit[point] for point in line))
            if captures and line[3] in bit:
                work.starts[axis] |= np.uint64(bit[line[0]])
    work.line_count = len(lines)
    work.lines[: len(lines)] = lines
    digits = work.digits.reshape(IMAGES, CHUNKS, 1 << CHUNK)
    for image in range(IMAGES):
        for number, (row, column) in enumerate(bit):
            down = size - 1 - row if image & 1 else row
            right = size - 1 - column if image & 2 else column
            digit = right * size + down if image & 4 else down * size + right
            chunk, which = divmod(number, CHUNK)
            digits[image, chunk, np.arange(1 << CHUNK) >> which & 1 == 1] += np.uint64(3**digit)
    return works
