"""Match statistics: score, Elo difference, likelihood of superiority, sequential probability ratio test (SPRT).

Games are played in pairs from the same opening, with each player first once. The two games of a pair are not
independent: an opening that favours one side gives each player a win. So pairs are counted by the points (0, ½,
1, 1½ or 2) of the first contestant: the *pentanomial* counts. Everything here follows from their likelihood.

For a hypothetical mean score, `log_likelihood` is that of the most likely probabilities of the five results with
that mean: Owen's empirical likelihood on a known support. Error bars, likelihood of superiority and the SPRT
(generalised) are derived from it, so they are consistent, stay within 0 and 1, and remain meaningful when the
sample variance is zero: ten pairs won out of ten do not prove a score of 100 %.

All functions take counts of shape (..., 5), so thousands of matches can be evaluated at once.
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
# Added to each count, so that every mean between 0 and 1 has a likelihood even if some results never occurred.
_UNSEEN = 1e-3
_BISECTION_STEPS = 24  # to a precision of 1e-7
_STEPS = 100
_TOLERANCE = 1e-7  # near the maximum the error of the likelihood is its square

_Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
_SCORES = np.array(POINTS) / 2
_NORMAL = NormalDist()


# ---- scores and Elo


def elo_of(score: float) -> float:
    """The Elo difference at which this score is expected; infinite for a score of 0 or 1."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return -400 * math.log10(1 / score - 1)


def normalized_elo(counts: ArrayLike, confidence: float = CONFIDENCE) -> tuple[float, float, float]:
    """The normalised Elo difference and its confidence interval (Van den Bergh).

    It is the distance of the mean score from one half in standard deviations of one game, on a scale on which it
    is about the Elo difference if there are no draws. The number of games that it takes to see a difference
    depends on it alone, whatever the rate of draws. Infinite if all pairs had the same result, other than a point.
    """
    seen = np.asarray(counts, float)
    mean = float(score(seen))
    pairs = seen.sum()
    variance = float(seen @ (_SCORES - mean) ** 2 / pairs) if pairs else 0.0
    scale = math.sqrt(2 * variance)  # of one game; a pair has the mean of two

    def normalized(at: float) -> float:
        distance = at - 0.5
        if scale:
            return 800 / math.log(10) * distance / scale
        return math.copysign(math.inf, distance) if distance else 0.0

    low, high = interval(seen, confidence)
    return normalized(mean), normalized(float(low)), normalized(float(high))


def expected_score(elo: float) -> float:
    """The expected score, from 0 to 1, of a player who is stronger by `elo`."""
    return 1 / (1 + 10 ** (-elo / 400))


def score(counts: ArrayLike) -> Any:
    """The mean score from 0 to 1; one half without any pairs."""
    seen = np.asarray(counts, float)
    pairs = seen.sum(axis=-1)
    return np.where(pairs > 0, seen @ _SCORES / np.maximum(pairs, 1), 0.5)[()]


# ---- the likelihood of a mean


def log_likelihood(counts: ArrayLike, mean: ArrayLike) -> Any:
    """The log-likelihood ratio of the true mean score being `mean`: 0 at the observed mean, otherwise negative."""
    seen = np.asarray(counts, float) + _UNSEEN
    distance = _SCORES - np.clip(np.asarray(mean, float), 1e-9, 1 - 1e-9)[..., None]
    # The most likely probabilities are counts / (1 + tilt * distance), with the tilt that solves
    # sum(probabilities * distance) = 0. The sum decreases with the tilt, and probabilities are positive between
    # these bounds: Newton's method, with bisection where a step would leave them.
    low = np.broadcast_to(-1 / distance[..., -1], seen.shape[:-1])
    high = np.broadcast_to(-1 / distance[..., 0], seen.shape[:-1])
    tilt = np.zeros(seen.shape[:-1])
    for _ in range(_STEPS):
        share = distance / (1 + tilt[..., None] * distance)
        excess = (seen * share).sum(axis=-1)
        low, high = np.where(excess > 0, tilt, low), np.where(excess > 0, high, tilt)
        step = tilt + excess / (seen * share * share).sum(axis=-1)
        before, tilt = tilt, np.where((step > low) & (step < high), step, (low + high) / 2)
        if np.all(np.abs(tilt - before) <= _TOLERANCE * (1 + np.abs(tilt))):
            break
    return -(seen * np.log1p(tilt[..., None] * distance)).sum(axis=-1)[()]


def deviation(counts: ArrayLike, mean: ArrayLike) -> Any:
    """The deviation of the observed score from a true mean, in standard deviations.

    It is the signed root of the likelihood ratio, slightly reduced for few pairs like Student's t.
    """
    seen = np.asarray(counts, float)
    pairs = seen.sum(axis=-1)
    ratio = np.maximum(-2 * log_likelihood(seen, mean), 0.0)
    few = np.maximum(pairs, 1.0)
    size = np.sqrt(ratio / (1 + ratio / (2 * few))) * (1 - 1 / (4 * few))
    return np.where(pairs > 0, np.sign(score(seen) - np.asarray(mean, float)) * size, 0.0)[()]


def interval(counts: ArrayLike, confidence: float = CONFIDENCE) -> tuple[Any, Any]:
    """The confidence interval of the score."""
    limit = _NORMAL.inv_cdf((1 + confidence) / 2)
    seen = np.asarray(counts, float)
    middle = np.asarray(score(seen))
    ends = []
    for end, sign in ((np.zeros_like(middle), 1.0), (np.ones_like(middle), -1.0)):
        outside, inside = end, middle
        for _ in range(_BISECTION_STEPS):
            between = (outside + inside) / 2
            too_far = sign * deviation(seen, between) > limit
            outside, inside = np.where(too_far, between, outside), np.where(too_far, inside, between)
        ends.append(inside[()])
    return ends[0], ends[1]


def superiority(counts: ArrayLike) -> float:
    """The likelihood that the first contestant is stronger, from 0 to 1."""
    return _NORMAL.cdf(float(deviation(counts, 0.5)))


# ---- sequential test


@dataclass(frozen=True)
class Sprt:
    """A sequential probability ratio test between the hypotheses that the Elo difference is `elo0` or `elo1`.

    `alpha` is the probability to accept `elo1` if `elo0` is true, `beta` that to accept `elo0` if `elo1` is true.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            given = f"{self.elo0:g},{self.elo1:g}"
            raise OptionError(f"an SPRT needs two Elo differences, the lower one first, not {given}")
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
            raise OptionError(f"an SPRT is written as 0,10 or 0,10,0.05,0.05, not {text!r}")
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
        """The accepted hypothesis, 0 or 1; None if more games are needed."""
        lower, upper = self.bounds
        ratio = float(self.ratio(counts))
        return 1 if ratio >= upper else 0 if ratio <= lower else None
