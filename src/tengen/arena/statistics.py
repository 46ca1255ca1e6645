"""What the results of a match tell: score, Elo difference, likelihood of superiority, sequential tests.

Games come in pairs from the same opening, each player first once. The two games of a pair are not independent: an
opening that favours one side gives both players a win. So what is counted are pairs, by the points (0, ½, 1, 1½ or
2) that the first contestant made in them: the *pentanomial* counts. Everything here follows from their likelihood.

Of a mean score that the players might truly have, `log_likelihood` tells how well the most fitting chances of the
five results, among those with that mean, explain the counts. This is Owen's empirical likelihood on a known
support. Error bars, likelihood of superiority and the sequential test (a generalised SPRT) are read off it, so
they never disagree, stay within 0 and 1, and are honest where a variance is none: ten pairs won out of ten do not
prove a score of 100 %.

All functions take counts of shape (..., 5), so that thousands of matches can be judged at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tengen.core.errors import OptionError

POINTS = (0.0, 0.5, 1.0, 1.5, 2.0)  # of the first contestant in a pair
CONFIDENCE = 0.95
# Added to each count: results that never happened may happen, so that every mean between 0 and 1 has a likelihood.
_UNSEEN = 1e-3
_HALVINGS = 24  # of an interval: to a ten-millionth
_STEPS = 100
_NEAR = 1e-7  # where the likelihood is flat: twice as many digits of it are right

_Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
_SCORES = np.array(POINTS) / 2
_NORMAL = NormalDist()


# ---- scores and Elo


def elo_of(score: float) -> float:
    """The Elo difference at which this score is expected; infinite for a score of 0 or 1."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return -400 * math.log10(1 / score - 1)


def expected_score(elo: float) -> float:
    """The score, from 0 to 1, that a player so many Elo points stronger expects."""
    return 1 / (1 + 10 ** (-elo / 400))


def score(counts: ArrayLike) -> Any:
    """The mean score, from 0 to 1; one half where there are no pairs."""
    seen = np.asarray(counts, float)
    pairs = seen.sum(axis=-1)
    return np.where(pairs > 0, seen @ _SCORES / np.maximum(pairs, 1), 0.5)[()]


# ---- the likelihood of a mean


def log_likelihood(counts: ArrayLike, mean: ArrayLike) -> Any:
    """How much less likely the counts are if the true mean score is this: 0 at the mean observed, else less."""
    seen = np.asarray(counts, float) + _UNSEEN
    distance = _SCORES - np.clip(np.asarray(mean, float), 1e-9, 1 - 1e-9)[..., None]
    # The fitting chances are counts / (1 + tilt * distance), where the tilt solves sum(chances * distance) = 0.
    # That sum falls with the tilt, and the chances are positive between these two ends: Newton's steps, and
    # halvings where a step would leave them.
    low = np.broadcast_to(-1 / distance[..., -1], seen.shape[:-1])
    high = np.broadcast_to(-1 / distance[..., 0], seen.shape[:-1])
    tilt = np.zeros(seen.shape[:-1])
    for _ in range(_STEPS):
        share = distance / (1 + tilt[..., None] * distance)
        excess = (seen * share).sum(axis=-1)
        low, high = np.where(excess > 0, tilt, low), np.where(excess > 0, high, tilt)
        step = tilt + excess / (seen * share * share).sum(axis=-1)
        before, tilt = tilt, np.where((step > low) & (step < high), step, (low + high) / 2)
        if np.all(np.abs(tilt - before) <= _NEAR * (1 + np.abs(tilt))):
            break
    return -(seen * np.log1p(tilt[..., None] * distance)).sum(axis=-1)[()]


def deviation(counts: ArrayLike, mean: ArrayLike) -> Any:
    """How far the observed score lies above a true mean: a standard normal deviate if that mean is true.

    The signed root of the likelihood ratio, made a little smaller for few pairs, as Student's t is.
    """
    seen = np.asarray(counts, float)
    pairs = seen.sum(axis=-1)
    ratio = np.maximum(-2 * log_likelihood(seen, mean), 0.0)
    few = np.maximum(pairs, 1.0)
    size = np.sqrt(ratio / (1 + ratio / (2 * few))) * (1 - 1 / (4 * few))
    return np.where(pairs > 0, np.sign(score(seen) - np.asarray(mean, float)) * size, 0.0)[()]


def interval(counts: ArrayLike, confidence: float = CONFIDENCE) -> tuple[Any, Any]:
    """The error bars of the score: the true mean lies between these two in `confidence` of all matches."""
    limit = _NORMAL.inv_cdf((1 + confidence) / 2)
    seen = np.asarray(counts, float)
    middle = np.asarray(score(seen))
    ends = []
    for end, sign in ((np.zeros_like(middle), 1.0), (np.ones_like(middle), -1.0)):
        outside, inside = end, middle
        for _ in range(_HALVINGS):
            between = (outside + inside) / 2
            too_far = sign * deviation(seen, between) > limit
            outside, inside = np.where(too_far, between, outside), np.where(too_far, inside, between)
        ends.append(inside[()])
    return ends[0], ends[1]


def superiority(counts: ArrayLike) -> float:
    """The likelihood that the first contestant is the stronger one, from 0 to 1."""
    return _NORMAL.cdf(float(deviation(counts, 0.5)))


# ---- stopping early


@dataclass(frozen=True)
class Sprt:
    """A sequential test: is the true difference at least `elo1`, or at most `elo0`?

    `alpha` is the chance to accept `elo1` though `elo0` is true, `beta` that to accept `elo0` though `elo1` is.
    In between, one or the other is accepted sooner or later.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            given = f"{self.elo0:g},{self.elo1:g}"
            raise OptionError(f"a sequential test needs two Elo differences, the lower one first, not {given}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise OptionError(f"{name} should be above 0 and below 0.5, not {getattr(self, name)}")

    @classmethod
    def parse(cls, text: str) -> Sprt:
        """`0,10` or, with alpha and beta, `0,10,0.05,0.05`."""
        try:
            numbers = [float(word) for word in text.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) not in (2, 4) or not all(map(math.isfinite, numbers)):
            raise OptionError(f"a sequential test is written as 0,10 or 0,10,0.05,0.05, not {text!r}")
        return cls(*numbers)

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which `elo0` and `elo1` are accepted (Wald's)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, counts: ArrayLike) -> Any:
        """The log-likelihood ratio of `elo1` to `elo0`."""
        means = expected_score(self.elo0), expected_score(self.elo1)
        return log_likelihood(counts, means[1]) - log_likelihood(counts, means[0])

    def verdict(self, counts: ArrayLike) -> int | None:
        """0 or 1 for the hypothesis that is accepted; None if more games are needed."""
        lower, upper = self.bounds
        ratio = float(self.ratio(counts))
        return 1 if ratio >= upper else 0 if ratio <= lower else None
