"""Learned values of small-board positions for a side with a goal: pattern weights, trained before a search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tengen.core.compiled.rng import make_rng
from tengen.engines.go.solver.grid import Array, Grid
from tengen.engines.go.solver.kernels.benson import MAX_PARTS
from tengen.engines.go.solver.kernels.value_learning import MAX_GAME_PLIES, TrainingData, train

_WINDOW_SHAPES = ((3, 3), (2, 5), (5, 2), (1, 10), (10, 1))  # rows and columns, reduced to the board's size
_MAX_GAMES = 1_000_000
_GAMES_PER_SLICE = 500  # games between two checks of the stop flag
_RATES = (0.02, 0.001)  # learning rate at the first and at the last game
_WEIGHT_SCALE = 1000  # the searches' integer weights are thousandths of log odds


@dataclass(frozen=True)
class Windows:
    """The windows of a board and the numbering of their patterns."""

    powers: Array  # [bit, window]
    starts: Array  # [window]
    weight_index: Array  # [pattern]: index of its weight; symmetric patterns share one

    @staticmethod
    def from_grid(grid: Grid) -> Windows:
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
        weight_index = np.unique(least, return_inverse=True)[1]
        return Windows(powers, starts[:-1].copy(), weight_index.astype(np.int64))


def _windows(grid: Grid) -> Iterator[tuple[int, ...]]:
    shapes = {(min(rows, grid.height), min(columns, grid.width)) for rows, columns in _WINDOW_SHAPES}
    for rows, columns in sorted(shapes):
        if any((rows, columns) != wide and rows <= wide[0] and columns <= wide[1] for wide in shapes):
            continue  # contained in a larger window
        for row in range(grid.height - rows + 1):
            for column in range(grid.width - columns + 1):
                yield tuple((row + r) * grid.stride + column + c for r in range(rows) for c in range(columns))


def training_games(grid: Grid) -> int:
    """Number of training games: 12,000 on 3x3, 85,000 on 4x4, a million on 5x5."""
    return min(_MAX_GAMES, int(1000 * 1.32**grid.area))


def learn_weights(
    grid: Grid,
    windows: Windows,
    start: tuple[int, int, int],
    goal: int,
    on_slice: Callable[[], None],
    before: Array | None = None,
) -> Array:
    """Learn the prover's weights [side to move, pattern] by self-play from `start`.

    `start` is (the prover's stones, the other's, 0 if the prover is to move). `on_slice` is called regularly and
    may raise. With the weights of another goal in `before`, a quarter of the games is enough.
    """
    count = windows.powers.shape[1]
    data = TrainingData(
        shape=grid.shape,
        powers=windows.powers,
        starts=windows.starts,
        weight_index=windows.weight_index,
        weights=np.zeros((2, int(windows.weight_index.max()) + 1), np.float32),
        sums=np.zeros((2, count), np.int64),
        seen=np.zeros((MAX_GAME_PLIES, 3), np.uint64),
        patterns=np.zeros((MAX_GAME_PLIES, count), np.int64),
        predictions=np.zeros(MAX_GAME_PLIES),
        scratch=np.zeros((3, MAX_PARTS), np.uint64),
        rng=make_rng(1),
    )
    mine, theirs, turn = start
    games = training_games(grid)
    if before is not None:
        games //= 4
        data.weights[:, windows.weight_index] = before.astype(np.float32) / _WEIGHT_SCALE
    first, last = _RATES
    for done in range(0, games, _GAMES_PER_SLICE):
        rate = first + (last - first) * done / games
        train(min(_GAMES_PER_SLICE, games - done), np.uint64(mine), np.uint64(theirs), turn, goal, rate, data)
        on_slice()
    limits = np.iinfo(np.int16)
    weights = np.clip(np.round(_WEIGHT_SCALE * data.weights), limits.min, limits.max).astype(np.int16)
    return np.ascontiguousarray(weights[:, windows.weight_index])
