"""Simulated groups of variants: pairs of games with a given Elo difference, and many draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.arena.group_test import OPEN, decide
from tengen.arena.statistics import Sprt, expected_score


def simulate(
    sprt: Sprt, elos: tuple[float, ...], groups: int, pairs: int, seed: int
) -> np.ndarray[Any, np.dtype[np.int8]]:
    """The state of each variant of each group, after at most so many pairs; shape (groups, variants)."""
    rng = np.random.default_rng(seed)
    shares = np.array([expected_score(elo) for elo in elos])
    draws = 0.3 * np.minimum(shares, 1 - shares)
    wins = shares - draws / 2
    states = np.zeros((groups, len(elos)), np.int8)
    counts = np.zeros((groups, len(elos), 5), np.int64)
    for _ in range(pairs):
        going = np.flatnonzero((states == OPEN).any(axis=-1))
        rolls = rng.random((len(going), len(elos), 2))
        points = np.where(rolls < wins[:, None], 2, np.where(rolls < (wins + draws)[:, None], 1, 0)).sum(axis=-1)
        counts[going] += (np.arange(5) == points[..., None]) & (states[going] == OPEN)[..., None]
        states[going] = decide(sprt.ratio(counts[going]), states[going], sprt)
    return states
