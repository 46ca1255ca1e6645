"""Glicko-2: ratings that know how sure they are (Mark Glickman, "Example of the Glicko-2 system", 2013).

Here every game is a rating period of its own, and what the uncertainty grows by depends on the time since the last
one: by one period's worth a day. The libraries for it on PyPI are not kept up, and it is a page of arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

SCALE = 173.7178  # rating points of one unit of the inner scale
START, WIDEST, VOLATILITY = 1500.0, 350.0, 0.06
TAU = 0.5  # how much volatility itself may change
_PRECISION = 1e-6


@dataclass(frozen=True)
class Skill:
    """A rating, its standard deviation, and how erratic results are."""

    rating: float = START
    deviation: float = WIDEST
    volatility: float = VOLATILITY

    def after(self, days: float) -> Skill:
        """The same, less sure after so many days without a game."""
        wider = math.hypot(self.deviation, SCALE * self.volatility * math.sqrt(max(0.0, days)))
        return Skill(self.rating, min(wider, WIDEST), self.volatility)


def expected(one: Skill, other: Skill) -> float:
    """The share of points that the one will get against the other."""
    doubt = math.hypot(one.deviation, other.deviation) / SCALE
    return 1 / (1 + math.exp(-_weight(doubt) * (one.rating - other.rating) / SCALE))


def updated(skill: Skill, results: Sequence[tuple[Skill, float]], days: float = 1.0, tau: float = TAU) -> Skill:
    """The skill after games against others, each with the points got (1, 0.5 or 0), in a period of so many days.

    Others have the skills that they had before the period. With one day it is the system of the paper.
    """
    if not results:
        return skill.after(days)
    mu, phi = (skill.rating - START) / SCALE, skill.deviation / SCALE
    information = change = 0.0
    for other, points in results:
        weight = _weight(other.deviation / SCALE)
        chance = 1 / (1 + math.exp(-weight * (mu - (other.rating - START) / SCALE)))
        information += weight * weight * chance * (1 - chance)
        change += weight * (points - chance)
    variance = 1 / information
    sigma = _volatility(phi, skill.volatility, variance, variance * change, tau)
    before = phi * phi + sigma * sigma * max(0.0, days)
    phi = min(1 / math.sqrt(1 / before + information), WIDEST / SCALE)
    return Skill(SCALE * (mu + phi * phi * change) + START, SCALE * phi, sigma)


def _weight(phi: float) -> float:
    """How much a result against somebody of this deviation says: g in the paper."""
    return 1 / math.sqrt(1 + 3 * phi * phi / math.pi**2)


def _volatility(phi: float, sigma: float, variance: float, delta: float, tau: float) -> float:
    """The new volatility: the root of f, by the Illinois form of regula falsi (step 5 of the paper)."""
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
