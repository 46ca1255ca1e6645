"""Multi-ProbCut: cut when a shallow search predicts that the deep one fails.

A null-window search is cut if a shallow search is outside the window by more than a margin: SELECTIVITY_SIGMAS[k]
standard deviations of (deep - shallow) value at selectivity k, as fitted to our evaluation (`probcut_model`) and
rounded to whole discs. The shallow search is tried only if the static value is not too far on the wrong side.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.othello.midgame.probcut_model import load_coefficients, standard_deviation

SELECTIVITY_SIGMAS = (1.1, 1.5, 2.0, 2.6)
NO_SELECTIVITY = len(SELECTIVITY_SIGMAS)
"""The selectivity of a search that cuts nothing."""

MARGIN_DEPTHS = 61
MARGIN_COUNT = NO_SELECTIVITY * 65 * MARGIN_DEPTHS
"""Margins for each selectivity, number of empty squares and depth."""


@functools.cache
def confidence_percent(selectivity: int) -> int:
    """Percentage of correct cuts at a selectivity: 73, 87, 95, 99, and 100 without cuts."""
    return (
        100
        if selectivity == NO_SELECTIVITY
        else round(100 * math.erf(SELECTIVITY_SIGMAS[selectivity] / math.sqrt(2)))
    )


def _shallow_depth(depth):
    """Depth of the search that predicts one of `depth`: same parity, about half as deep."""
    half = np.int64(2) * (depth // np.int64(4)) + (depth & np.int64(1))
    return half if half > 0 else depth - np.int64(2)


shallow_depth = inner(_shallow_depth)


@functools.cache
def margin_table() -> np.ndarray[Any, Any]:
    """int16[MARGIN_COUNT]: margins in centi-discs, whole discs."""
    table = np.zeros((NO_SELECTIVITY, 65, MARGIN_DEPTHS), np.int16)
    coefficients = load_coefficients()
    for empties in range(65):
        for deep in range(4, MARGIN_DEPTHS):
            # Called as plain Python: compiling the helper for this takes as long as loading all kernels.
            spread = standard_deviation(coefficients, empties, int(_shallow_depth(np.int64(deep))), deep)
            for selectivity, factor in enumerate(SELECTIVITY_SIGMAS):
                table[selectivity, empties, deep] = 100 * round(factor * spread / 100)
    return table.reshape(-1)


@inner
def static_margin(margin):
    """How far on the wrong side of the window the static value may be for a shallow search to be worth trying."""
    return np.int64(4) * margin // np.int64(5)


@inner
def margin_index(empties, deep, selectivity):
    """Index of a margin in `margin_table()`."""
    return (selectivity * np.int64(65) + empties) * np.int64(MARGIN_DEPTHS) + deep
