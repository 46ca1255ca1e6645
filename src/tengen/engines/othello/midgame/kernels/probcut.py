"""Multi-ProbCut: what a shallow search says about a deep one.

A null-window search is cut when a shallow search is so far outside the window that the deep one would be too, but
for a chance that the level tells: at level `k` the margin is LEVELS[k] standard deviations of deep minus shallow
value, as fitted to our own evaluation (docs/measurements/othello.md).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from tengen.core.compiled.kernel import helper
from tengen.engines.othello.midgame.probcut_model import deviation, fitted

LEVELS = (1.1, 1.5, 2.0, 2.6)
EXACT = len(LEVELS)
"""The level of a search that leaves nothing out."""

DEPTHS = 61
MARGINS = EXACT * 65 * DEPTHS
"""How many margins there are: for each level, number of empty squares and depth."""


def trust(level: int) -> int:
    """The percentage of cuts at a level that are right: 73, 87, 95, 99, and 100 where nothing is cut."""
    return 100 if level == EXACT else round(100 * math.erf(LEVELS[level] / math.sqrt(2)))


def _shallow_depth(depth):
    """The depth of the search that stands for one of `depth`: of the same parity, about half as deep."""
    half = np.int64(2) * (depth // np.int64(4)) + (depth & np.int64(1))
    return half if half > 0 else depth - np.int64(2)


shallow_depth = helper(_shallow_depth)


@functools.cache
def margins() -> np.ndarray[Any, Any]:
    """int64[MARGINS]: how far outside the window a shallow search must be, in centi-discs."""
    table = np.zeros((EXACT, 65, DEPTHS), np.int64)
    numbers = fitted()
    for empties in range(65):
        for deep in range(4, DEPTHS):
            # Called as Python: to compile a helper for this alone takes as long as loading all kernels.
            spread = deviation(numbers, empties, int(_shallow_depth(np.int64(deep))), deep)
            for level, factor in enumerate(LEVELS):
                table[level, empties, deep] = round(factor * spread)
    return table.reshape(-1)


@helper
def margin_place(empties, deep, level):
    """Where a margin stands in `margins()`."""
    return (level * np.int64(65) + empties) * np.int64(DEPTHS) + deep
