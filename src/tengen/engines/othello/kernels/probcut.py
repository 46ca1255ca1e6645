"""Multi-ProbCut: what a shallow search says about a deep one.

A null-window search is cut when a shallow search is so far outside the window that the deep one would be too, but
for a chance that the level tells: at level `k` the margin is LEVELS[k] standard deviations of deep minus shallow
value, as fitted to our own evaluation (docs/othello-evaluation.md).
"""

from __future__ import annotations

import math

import numpy as np

from tengen.core.compiled.kernel import helper

LEVELS = (1.1, 1.5, 2.0, 2.6)
EXACT = len(LEVELS)
"""The level of a search that leaves nothing out."""

_LEVELS = np.array([*LEVELS, 1e3])


def trust(level: int) -> int:
    """The percentage of cuts at a level that are right: 73, 87, 95, 99, and 100 where nothing is cut."""
    return 100 if level == EXACT else round(100 * math.erf(LEVELS[level] / math.sqrt(2)))


@helper
def shallow_depth(depth):
    """The depth of the search that stands for one of `depth`: of the same parity, about half as deep."""
    half = np.int64(2) * (depth // np.int64(4)) + (depth & np.int64(1))
    return half if half > 0 else depth - np.int64(2)


@helper
def deviation(empties, deep, shallow):
    """The standard deviation of deep minus shallow value, in centi-discs."""
    return 180.0 + 22.0 * np.float64(deep - shallow) + 250.0 / (1.0 + np.float64(shallow))


@helper
def margin(empties, deep, shallow, level):
    return np.int64(_LEVELS[level] * deviation(empties, deep, shallow))
