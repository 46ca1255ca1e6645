"""Simulated matches between players of known strength, for the tests of the statistics."""

from __future__ import annotations

import numpy as np

from tengen.arena.statistics import POINTS, Sprt, expected_score


def _pair(elo: float, draws: float, bias: float) -> np.ndarray:
    """The chances of 0, ½, 1, 1½ and 2 points in a pair whose opening favours one side by `bias` Elo."""
    chances = np.zeros(5)
    for favour in (bias, -bias):
        one, two = (_game(expected_score(elo + side), draws) for side in (favour, -favour))
        chances += np.convolve(one, two) / 2
    return chances


def _game(score: float, draws: float) -> np.ndarray:
    drawn = 2 * draws * min(score, 1 - score)
    return np.array([1 - score - drawn / 2, drawn, score - drawn / 2])


def mean(chances: np.ndarray) -> float:
    return float(chances @ np.array(POINTS) / 2)


def pair_chances(elo: float, draws: float, bias: float) -> np.ndarray:
    """The same, for players whose expected score over all openings is that of `elo`."""
    low, high = -2000.0, 2000.0
    for _ in range(60):
        middle = (low + high) / 2
        if mean(_pair(middle, draws, bias)) < expected_score(elo):
            low = middle
        else:
            high = middle
    return _pair(low, draws, bias)


def sequential_verdicts(
    test: Sprt, chances: np.ndarray, matches: int, dice: np.random.Generator, most: int = 5000
) -> np.ndarray:
    """The verdict of a sequential test in each of many matches: 0, 1, or -1 if none after `most` pairs."""
    lower, upper = test.bounds
    verdicts = np.full(matches, -1)
    counts = np.zeros((matches, 5))
    playing = np.arange(matches)
    for _ in range(most):
        counts[playing, dice.choice(5, len(playing), p=chances)] += 1
        different, which = np.unique(counts[playing], axis=0, return_inverse=True)
        ratios = test.ratio(different)[which.ravel()]
        verdicts[playing[ratios >= upper]] = 1
        verdicts[playing[ratios <= lower]] = 0
        playing = playing[(ratios < upper) & (ratios > lower)]
        if not len(playing):
            break
    return verdicts
