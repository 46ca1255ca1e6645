"""Simulated tournaments between players of known strength, for the tests of ratings."""

from __future__ import annotations

import math

import numpy as np

from tengen.arena.bradley_terry import ELO, fit
from tengen.arena.ratings import HALF_INTERVAL

Counts = dict[tuple[int, int], tuple[float, float, float]]


def simulate(
    rng: np.random.Generator, players: int, games: int, *, spread: float, draws: float, gauntlet: bool = False
) -> tuple[np.ndarray, Counts]:
    """Random strengths in Elo, and the counts of `games` results per pair (of the first player, in a gauntlet)."""
    truth = rng.normal(0, spread, players)
    between = 2 * draws / (1 - draws)
    counts: Counts = {}
    for one in range(1 if gauntlet else players):
        for other in range(one + 1, players):
            for first, second in ((one, other), (other, one)):
                ahead = (truth[first] - truth[second]) / ELO
                weights = np.array([math.exp(ahead / 2), between, math.exp(-ahead / 2)])
                won, drawn, lost = rng.multinomial(games // 2, weights / weights.sum())
                counts[first, second] = float(won), float(drawn), float(lost)
    return truth, counts


def coverage(tournaments: int, players: int, games: int, *, seed: int, **others: float) -> float:
    """The share of error bars in simulated tournaments that contain the true strength."""
    rng = np.random.default_rng(seed)
    held = 0
    for _ in range(tournaments):
        truth, counts = simulate(rng, players, games, **others)  # type: ignore[arg-type]
        found = fit(counts, players)
        errors = np.array([found.error(player) for player in range(players)])
        held += int((np.abs(found.elo - (truth - truth.mean())) <= HALF_INTERVAL * errors).sum())
    return held / (tournaments * players)
