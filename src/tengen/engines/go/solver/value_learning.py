"""What positions of a small board promise to a side with a goal: weights of patterns, learned before a search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tengen.core.compiled.rng import make_rng
from tengen.engines.go.solver.grid import Array, Grid
from tengen.engines.go.solver.kernels.benson import MOST_PARTS
from tengen.engines.go.solver.kernels.value_learning import LONGEST_GAME, Lessons, teach

_SHAPES = ((3, 3), (2, 5), (5, 2), (1, 10), (10, 1))  # rows and columns of the windows, where a board has so many
_MOST_GAMES = 1_000_000
_SLICE = 500  # games between two looks at the stop
_RATES = (0.02, 0.001)  # how much a lesson counts at the first game, and at the last
_UNIT = 1000  # of the searches' weights, which are whole numbers, to the logarithm of the odds


@dataclass(frozen=True)
class Windows:
    """The windows of a board and the numbers of their patterns."""

    powers: Array  # [bit, window]
    starts: Array  # [window]
    shared: Array  # [pattern]: which weight it has

    @staticmethod
    def of(grid: Grid) -> Windows:
        windows = list(_windows(grid))
        starts = np.cumsum([0, *(3 ** len(window) for window in windows)])
        powers = np.zeros((max(grid.bits) + 1, len(windows)), np.int64)
        for number, window in enumerate(windows):
            for place, bit in enumerate(window):
                powers[bit, number] = 3**place
        least = np.arange(starts[-1])
        numbers = {frozenset(window): number for number, window in enumerate(windows)}
        for image in grid.symmetries:
            for number, window in enumerate(windows):
                moved = [image[bit] for bit in window]
                other = numbers[frozenset(moved)]
                pattern = np.arange(3 ** len(window))
                code = sum(pattern // 3**place % 3 * powers[bit, other] for place, bit in enumerate(moved))
                here = least[starts[number] : starts[number + 1]]
                np.minimum(here, starts[other] + code, out=here)
        shared = np.unique(least, return_inverse=True)[1]
        return Windows(powers, starts[:-1].copy(), shared.astype(np.int64))


def _windows(grid: Grid) -> Iterator[tuple[int, ...]]:
    shapes = {(min(rows, grid.height), min(columns, grid.width)) for rows, columns in _SHAPES}
    for rows, columns in sorted(shapes):
        if any((rows, columns) != wide and rows <= wide[0] and columns <= wide[1] for wide in shapes):
            continue  # what it sees is seen by a wider one
        for row in range(grid.height - rows + 1):
            for column in range(grid.width - columns + 1):
                yield tuple((row + r) * grid.stride + column + c for r in range(rows) for c in range(columns))


def games_for(grid: Grid) -> int:
    """How many games teach enough: 12,000 on 3x3, 85,000 on 4x4, a million on 5x5."""
    return min(_MOST_GAMES, int(1000 * 1.32**grid.area))


def learned(
    grid: Grid,
    windows: Windows,
    start: tuple[int, int, int],
    goal: int,
    on_slice: Callable[[], None],
    before: Array | None = None,
) -> Array:
    """The weights [who is to move, pattern] for a prover, from games that begin with `start`: the prover's stones,
    the other's, and 0 if the prover is to move. `on_slice` is called now and then and may raise.

    With the weights of another goal from `before`, a quarter of the games will do.
    """
    count = windows.powers.shape[1]
    lessons = Lessons(
        shape=grid.shape,
        powers=windows.powers,
        starts=windows.starts,
        shared=windows.shared,
        weights=np.zeros((2, int(windows.shared.max()) + 1), np.float32),
        sums=np.zeros((2, count), np.int64),
        seen=np.zeros((LONGEST_GAME, 3), np.uint64),
        patterns=np.zeros((LONGEST_GAME, count), np.int64),
        promised=np.zeros(LONGEST_GAME),
        room=np.zeros((3, MOST_PARTS), np.uint64),
        rng=make_rng(1),
    )
    mine, theirs, turn = start
    games = games_for(grid)
    if before is not None:
        games //= 4
        lessons.weights[:, windows.shared] = before.astype(np.float32) / _UNIT
    first, last = _RATES
    for done in range(0, games, _SLICE):
        rate = first + (last - first) * done / games
        teach(min(_SLICE, games - done), np.uint64(mine), np.uint64(theirs), turn, goal, rate, lessons)
        on_slice()
    limits = np.iinfo(np.int16)
    weights = np.clip(np.round(_UNIT * lessons.weights), limits.min, limits.max).astype(np.int16)
    return np.ascontiguousarray(weights[:, windows.shared])
