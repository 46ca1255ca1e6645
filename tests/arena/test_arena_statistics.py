"""What results tell, checked on simulated matches between players of known strength, and on an optimiser."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.arena.statistics import (
    POINTS,
    Sprt,
    deviation,
    elo_of,
    expected_score,
    interval,
    log_likelihood,
    score,
    superiority,
)
from tengen.core.errors import OptionError
from tests.helpers.match_simulation import mean, pair_chances, sequential_verdicts

COUNTS = st.lists(st.integers(0, 200), min_size=5, max_size=5)
MATCHES = 1000
SEQUENCES = 400  # matches of many games each


@pytest.mark.parametrize(
    ("elo", "draws", "bias", "pairs"),
    [
        (0, 0.0, 0, 50),
        (0, 0.7, 0, 100),
        (0, 0.3, 200, 100),
        (30, 0.0, 200, 50),
        (30, 0.5, 100, 250),
        (-100, 0.3, 0, 50),
        (100, 0.0, 200, 100),
        (250, 0.2, 100, 100),
        (-400, 0.0, 0, 250),
    ],
)
def test_error_bars_cover_the_truth(elo: float, draws: float, bias: float, pairs: int) -> None:
    chances = pair_chances(elo, draws, bias)
    dice = np.random.default_rng(20 + pairs)
    counts = dice.multinomial(pairs, chances, size=MATCHES)
    different, which = np.unique(counts, axis=0, return_inverse=True)
    low, high = (end[which.ravel()] for end in interval(different))
    covered = ((low <= mean(chances)) & (mean(chances) <= high)).mean()
    assert 0.93 <= covered <= 0.97


def test_few_pairs_give_bars_that_are_rather_too_long() -> None:
    for elo in (0, 200):
        chances = pair_chances(elo, 0.3, 100)
        counts = np.random.default_rng(3).multinomial(8, chances, size=MATCHES)
        low, high = interval(counts)
        assert ((low <= mean(chances)) & (mean(chances) <= high)).mean() >= 0.93


@pytest.mark.parametrize(
    ("elo0", "elo1", "draws", "bias"), [(0, 60, 0.0, 0), (0, 60, 0.5, 150), (-40, 40, 0.3, 0), (0, 200, 0.2, 100)]
)
def test_sequential_tests_keep_their_error_rates(elo0: float, elo1: float, draws: float, bias: float) -> None:
    test = Sprt(elo0, elo1)
    dice = np.random.default_rng(5)
    # Three standard deviations of a rate of 5 % in so many matches: chance alone goes beyond one time in 700.
    slack = 3 * math.sqrt(0.05 * 0.95 / SEQUENCES)
    false_alarms = sequential_verdicts(test, pair_chances(elo0, draws, bias), SEQUENCES, dice)
    misses = sequential_verdicts(test, pair_chances(elo1, draws, bias), SEQUENCES, dice)
    assert not (false_alarms < 0).any()
    assert not (misses < 0).any()
    assert (false_alarms == 1).mean() <= test.alpha + slack
    assert (misses == 0).mean() <= test.beta + slack


@given(COUNTS, st.floats(0.02, 0.98))
@settings(max_examples=20, deadline=None)
def test_exchanging_the_players_mirrors_everything(counts: list[int], true: float) -> None:
    mirrored = counts[::-1]
    assert score(mirrored) == pytest.approx(1 - score(counts))
    assert superiority(mirrored) == pytest.approx(1 - superiority(counts), abs=1e-6)
    assert deviation(mirrored, 1 - true) == pytest.approx(-deviation(counts, true), abs=1e-6)
    (low, high), (mirrored_low, mirrored_high) = interval(counts), interval(mirrored)
    assert (mirrored_low, mirrored_high) == pytest.approx((1 - high, 1 - low), abs=1e-6)
    test = Sprt(-20, 20)
    assert test.ratio(mirrored) == pytest.approx(-test.ratio(counts), abs=1e-6)


@given(COUNTS)
@settings(max_examples=20, deadline=None)
def test_figures_agree_with_each_other(counts: list[int]) -> None:
    low, high = interval(counts)
    assert 0 <= low <= score(counts) <= high <= 1
    if abs(superiority(counts) - 0.975) > 1e-6 and abs(superiority(counts) - 0.025) > 1e-6:
        assert (superiority(counts) > 0.975) == (low > 0.5)
        assert (superiority(counts) < 0.025) == (high < 0.5)
    wider = interval(counts, 0.99)
    assert wider[0] <= low + 1e-9
    assert wider[1] >= high - 1e-9


@pytest.mark.parametrize("counts", [(3, 5, 20, 9, 6), (0, 0, 10, 4, 0), (50, 0, 10, 0, 70)])
@pytest.mark.parametrize("true", [0.3, 0.5, 0.62])
def test_the_likelihood_is_the_greatest_there_is(counts: tuple[int, ...], true: float) -> None:
    # A plain hill climb over the chances of the five results with the given mean, from many starts.
    dice = np.random.default_rng(1)
    scores = np.array(POINTS) / 2
    seen = np.array(counts, float)
    _, _, vectors = np.linalg.svd(np.array([np.ones(5), scores]))
    directions = vectors[2:]  # that change neither the sum of the chances nor their mean
    best = -math.inf
    for _ in range(5):
        chances = np.array([(1 - true) / 2, 0, 0, 0, true / 2]) + 0.5 * np.array([0, 1 - true, 0, true, 0])
        chances += (true - chances @ scores) * np.array([-1, 0, 0, 0, 1])
        step, value = 0.2, -math.inf
        while step > 1e-7:
            for _ in range(60):
                tried = chances + step * (dice.normal(size=3) @ directions)
                if (tried < 0).any():
                    continue
                with np.errstate(divide="ignore", invalid="ignore"):
                    likelihood = float(np.where(seen > 0, seen * np.log(tried), 0).sum())
                if likelihood > value:
                    chances, value = tried, likelihood
            step /= 1.5
        best = max(best, value)
    free = float(sum(n * math.log(n / seen.sum()) for n in counts if n))
    assert log_likelihood(counts, true) == pytest.approx(best - free, abs=0.02)


def test_known_values() -> None:
    assert elo_of(0.5) == 0
    assert elo_of(expected_score(123.0)) == pytest.approx(123)
    assert elo_of(0.75) == pytest.approx(190.85, abs=0.01)
    assert (elo_of(1.0), elo_of(0.0)) == (math.inf, -math.inf)
    assert score((1, 0, 0, 0, 3)) == 0.75
    lower, upper = Sprt(0, 10).bounds
    assert (lower, upper) == pytest.approx((-2.944, 2.944), abs=0.001)


def test_no_variance_is_no_certainty() -> None:
    assert score((0, 0, 0, 0, 0)) == 0.5
    assert superiority((0, 0, 0, 0, 0)) == 0.5
    assert interval((0, 0, 0, 0, 0)) == pytest.approx((0, 1), abs=1e-6)
    low, high = interval((0, 0, 0, 0, 10))
    assert 0.6 < low < 0.9
    assert high == 1
    low, high = interval((0, 0, 10, 0, 0))
    assert low < 0.45 < 0.55 < high
    assert 0.5 < superiority((0, 0, 0, 0, 1)) < 0.95
    assert Sprt(0, 10).verdict((0, 0, 0, 0, 1)) is None
    assert Sprt(0, 200).verdict((0, 0, 0, 0, 10)) == 1


@pytest.mark.parametrize("text", ["", "5", "10,0", "0,x", "0,10,0.05", "0,10,0,0.05", "0,nan", "0,2000"])
def test_bad_sequential_tests_are_refused(text: str) -> None:
    with pytest.raises(OptionError):
        Sprt.parse(text)
