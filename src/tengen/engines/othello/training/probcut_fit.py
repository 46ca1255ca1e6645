"""Fit of the ProbCut error model: self-play positions, searched to many depths by plain alpha-beta.

For each pair of depths of equal parity and each number of empty squares, the deep minus the shallow value has a
standard deviation; the model is fitted to their logarithms. The mean differences are a fraction of these
deviations, and the slopes of deep on shallow values are near 1, so the search ignores both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tengen.engines.othello.midgame.probcut_model import regressors
from tengen.engines.othello.training.accuracy import search_values
from tengen.engines.othello.training.selfplay import Games, positions, targets, unpack_weights
from tengen.jobs import Task

EMPTIES = tuple(range(14, 50, 4))
MAX_DEPTH = 10
POSITIONS_PER_EMPTIES = 60
POSITIONS_PER_TASK = 20
MAX_VALUE_CENTIDISCS = 4000
"""Larger values are ignored: near the end of the scale all searches agree."""
MIN_SAMPLES = 30
"""With fewer positions, a standard deviation is too inaccurate."""


@dataclass(frozen=True, slots=True)
class DepthPair:
    """Deep minus shallow values for one number of empty squares and one pair of depths, in centi-discs."""

    empties: int
    shallow: int
    deep: int
    mean: float
    slope: float
    standard_deviation: float


def searching_tasks(games: Games, packed: bytes) -> list[Task[np.ndarray]]:
    """Tasks that search positions with each number of empty squares to all depths."""
    target_values = targets(games, 1.0)
    tasks = []
    for empties in EMPTIES:
        movers, enemies, _ = (found[:POSITIONS_PER_EMPTIES] for found in positions(games, target_values, empties))
        for start in range(0, len(movers), POSITIONS_PER_TASK):
            part = slice(start, start + POSITIONS_PER_TASK)
            tasks.append(Task(f"cuts {empties} {start}", search, (movers[part], enemies[part], packed)))
    return tasks


def group_by_empties(tasks: list[Task[np.ndarray]], results: list[np.ndarray]) -> dict[int, np.ndarray]:
    """Values by number of empty squares: int64[depths, positions] for each."""
    found: dict[int, list[np.ndarray]] = {}
    for task, values in zip(tasks, results, strict=True):
        found.setdefault(int(task.id.split()[1]), []).append(values)
    return {empties: np.concatenate(parts, axis=1) for empties, parts in found.items()}


def search(movers: np.ndarray, enemies: np.ndarray, packed: bytes) -> np.ndarray:
    """Values at depths 0 to MAX_DEPTH, int64[depths, positions] in centi-discs."""
    weights = unpack_weights(packed)
    return np.array([search_values(weights, movers, enemies, depth) for depth in range(MAX_DEPTH + 1)])


def depth_pairs(values: dict[int, np.ndarray]) -> list[DepthPair]:
    found = []
    for empties, by_depth in values.items():
        for shallow in range(len(by_depth)):
            for deep in range(shallow + 2, len(by_depth), 2):
                low, high = by_depth[shallow].astype(float), by_depth[deep].astype(float)
                in_range = (np.abs(low) < MAX_VALUE_CENTIDISCS) & (np.abs(high) < MAX_VALUE_CENTIDISCS)
                if in_range.sum() < MIN_SAMPLES:
                    continue
                low, high = low[in_range], high[in_range]
                slope = float(np.polyfit(low, high, 1)[0])
                found.append(
                    DepthPair(empties, shallow, deep, float((high - low).mean()), slope, float((high - low).std()))
                )
    return found


def fit_coefficients(found: list[DepthPair]) -> list[float]:
    """Coefficients of the error model, by least squares on the logarithms."""
    matrix = np.array([regressors(one.empties, one.shallow, one.deep) for one in found])
    coefficients, *_ = np.linalg.lstsq(matrix, np.log([one.standard_deviation for one in found]), rcond=None)
    return [float(number) for number in coefficients]
