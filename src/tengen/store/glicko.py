"""Glicko-2 ratings (Mark Glickman, "Example of the Glicko-2 system", 2013).

Every game is its own rating period; the deviation grows by one period's amount per day since the last game. The
libraries on PyPI are unmaintained, and the algorithm is a page of arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

SCALE = 173.7178  # rating points per unit of the Glicko-2 scale
INITIAL_RATING, MAX_DEVIATION, INITIAL_VOLATILITY = 1500.0, 350.0, 0.06
TAU = 0.5  # constrains the change of volatility
_PRECISION = 1e-6


@dataclass(frozen=True)
class Skill:
    """A rating with its standard deviation and volatility."""

    rating: float = INITIAL_RATING
    deviation: float = MAX_DEVIATION
    volatility: float = INITIAL_VOLATILITY

    def after(self, days: float) -> Skill:
        """The skill after `days` without a game: the deviation grows."""
        wider = math.hypot(self.deviation, SCALE * self.volatility * math.sqrt(max(0.0, days)))
        return Skill(self.rating, min(wider, MAX_DEVIATION), self.volatility)


def expected_score(one: Skill, other: Skill) -> float:
    """Expected score, from 0 to 1, of `one` against `other`."""
    doubt = math.hypot(one.deviation, other.deviation) / SCALE
    return 1 / (1 + math.exp(-_weight(doubt) * (one.rating - other.rating) / SCALE))


def update_skill(
    skill: Skill, results: Sequence[tuple[Skill, float]], days: float = 1.0, tau: float = TAU
) -> Skill:
    """The skill after a rating period of `days`, given each opponent's skill before it and the points scored.

    Points are 1, 0.5 or 0. With one day this is the algorithm of the paper.
    """
    if not results:
        return skill.after(days)
    mu, phi = (skill.rating - INITIAL_RATING) / SCALE, skill.deviation / SCALE
    information = change = 0.0
    for other, points in results:
        weight = _weight(other.deviation / SCALE)
        chance = 1 / (1 + math.exp(-weight * (mu - (other.rating - INITIAL_RATING) / SCALE)))
        information += weight * weight * chance * (1 - chance)
        change += weight * (points - chance)
    variance = 1 / information
    sigma = _volatility(phi, skill.volatility, variance, variance * change, tau)
    before = phi * phi + sigma * sigma * max(0.0, days)
    phi = min(1 / math.sqrt(1 / before + information), MAX_DEVIATION / SCALE)
    return Skill(SCALE * (mu + phi * phi * change) + INITIAL_RATING, SCALE * phi, sigma)


def _weight(phi: float) -> float:
    """Weight of a result against an opponent with deviation `phi`: g in the paper."""
    return 1 / math.sqrt(1 + 3 * phi * phi / math.pi**2)


def _volatility(phi: float, sigma: float, variance: float, delta: float, tau: float) -> float:
    """New volatility: root of f by the Illinois variant of regula falsi (step 5 of the paper)."""
    a = math.log(sigma * sigma)

    def f(x: float) -> float:
        growth = math.exp(x)
        total = phi * phi + variance + growth
        return growth * (delta * delta - total) / (2 * total * total) - (x - a) / (tau * tau)

    low = a
    if delta * delta > phi * phi + variance:
        high = math.log(delta * delta - phi * phi - variance)
    else:
        steps = 1
        while f(a - steps * tau) < 0:
            steps += 1
        high = a - steps * tau
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _PRECISION:
        between = low + (low - high) * f_low / (f_high - f_low)
        f_between = f(between)
        if f_between * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = between, f_between
    return math.exp(low / 2)
