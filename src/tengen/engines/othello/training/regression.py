"""Ridge regression of scores on patterns, for one number of empty squares at a time.

Minimises the weighted sum of squared residuals plus `ridge` times the squared distance from a prior, by conjugate
gradients preconditioned with the diagonal. The prior is the solution for one empty square fewer, so a rarely seen
configuration keeps the weight it has there.

All weights are folded and ordered by frequency, which keeps the frequent ones close together in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from tengen.engines.othello.midgame.patterns import FOLDED_WEIGHTS
from tengen.engines.othello.training.kernels.design_matrix import add_counts, add_products, add_residuals


@dataclass(frozen=True, slots=True)
class Sample:
    """Positions of equal importance: indices uint32[n, COLUMNS], targets float32[n] in discs."""

    rows: np.ndarray
    targets: np.ndarray
    importance: float


def fit(
    samples: Sequence[Sample], prior: np.ndarray, *, ridge: float, iterations: int, threads: ThreadPoolExecutor
) -> np.ndarray:
    """Weights in discs, float64[FOLDED_WEIGHTS]; the threads share the samples."""

    def total(kernel: Any, *vectors: np.ndarray, targets: bool = False) -> np.ndarray:
        def part(sample: Sample) -> np.ndarray:
            sums = np.zeros(FOLDED_WEIGHTS, np.float32)
            data = (sample.rows, sample.targets) if targets else (sample.rows,)
            kernel(*data, np.float32(sample.importance), *(v.astype(np.float32) for v in vectors), sums)
            return sums

        added = np.zeros(FOLDED_WEIGHTS)
        for sums in threads.map(part, samples):
            added += sums
        return added

    solution = prior.copy()
    diagonal = total(add_counts) + ridge
    residual = total(add_residuals, solution, targets=True)
    scaled = residual / diagonal
    direction = scaled.copy()
    slope = float(residual @ scaled)
    for _ in range(iterations):
        if slope <= 0:
            break
        product = total(add_products, direction) + ridge * direction
        step = slope / float(direction @ product)
        solution += step * direction
        residual -= step * product
        scaled = residual / diagonal
        before, slope = slope, float(residual @ scaled)
        direction = scaled + slope / before * direction
    return solution
