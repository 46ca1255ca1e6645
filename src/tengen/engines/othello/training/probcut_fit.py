"""Fitting the formula of `foretell`: positions of self-play, searched to many depths by plain alpha-beta.

For each pair of depths of one parity and each number of empty squares, the deep value minus the shallow one has a
standard deviation; the formula is fitted to their logarithms. The means of these differences are a fraction of the
deviations, and the slopes of deep on shallow values are near 1, so the search need not know them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tengen.engines.othello.midgame.probcut_model import terms
from tengen.engines.othello.training.accuracy import values_of
from tengen.engines.othello.training.selfplay import Games, positions, targets, unpacked
from tengen.jobs import Task

EMPTIES = tuple(range(14, 50, 4))
DEEPEST = 10
POSITIONS = 60
"""Positions for each number of empty squares."""
AT_ONCE = 20
FAIR = 4000
"""Values beyond 40 discs are left out: near the end of the scale, all searches agree for no good reason."""
ENOUGH = 30
"""Fewer positions tell too little about a deviation."""


@dataclass(frozen=True, slots=True)
class Foretold:
    """What came out for one number of empty squares and one pair of depths, in centi-discs."""

    empties: int
    shallow: int
    deep: int
    mean: float
    slope: float
    deviation: float


def searching_tasks(games: Games, packed: bytes) -> list[Task[np.ndarray]]:
    """Tasks that search positions of each number of empty squares to all depths."""
    wanted = targets(games, 1.0)
    tasks = []
    for empties in EMPTIES:
        movers, enemies, _ = (found[:POSITIONS] for found in positions(games, wanted, empties))
        for start in range(0, len(movers), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            tasks.append(Task(f"cuts {empties} {start}", search, (movers[part], enemies[part], packed)))
    return tasks


def by_empties(tasks: list[Task[np.ndarray]], results: list[np.ndarray]) -> dict[int, np.ndarray]:
    """Values by the number of empty squares: int64[depths, positions] for each."""
    found: dict[int, list[np.ndarray]] = {}
    for task, values in zip(tasks, results, strict=True):
        found.setdefault(int(task.id.split()[1]), []).append(values)
    return {empties: np.concatenate(parts, axis=1) for empties, parts in found.items()}


def search(movers: np.ndarray, enemies: np.ndarray, packed: bytes) -> np.ndarray:
    """Values to the depths 0 to DEEPEST, int64[depths, positions] in centi-discs."""
    weights = unpacked(packed)
    return np.array([values_of(weights, movers, enemies, depth) for depth in range(DEEPEST + 1)])


def foretold(values: dict[int, np.ndarray]) -> list[Foretold]:
    found = []
    for empties, by_depth in values.items():
        for shallow in range(len(by_depth)):
            for deep in range(shallow + 2, len(by_depth), 2):
                low, high = by_depth[shallow].astype(float), by_depth[deep].astype(float)
                fair = (np.abs(low) < FAIR) & (np.abs(high) < FAIR)
                if fair.sum() < ENOUGH:
                    continue
                low, high = low[fair], high[fair]
                slope = float(np.polyfit(low, high, 1)[0])
                found.append(
                    Foretold(empties, shallow, deep, float((high - low).mean()), slope, float((high - low).std()))
                )
    return found


def formula(found: list[Foretold]) -> list[float]:
    """The five numbers of `foretell`, by least squares on the logarithms."""
    matrix = np.array([terms(one.empties, one.shallow, one.deep) for one in found])
    numbers, *_ = np.linalg.lstsq(matrix, np.log([one.deviation for one in found]), rcond=None)
    return [float(number) for number in numbers]
