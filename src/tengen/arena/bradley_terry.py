"""Player strengths from game results: the Bradley-Terry model with Davidson's draws.

If the player who moves first is stronger by `d`, the probabilities of a win, a draw and a loss are proportional to

    exp(d / 2) : draws : exp(-d / 2)

where `d` is the difference of the two strengths plus the advantage of moving first. The log-likelihood is
concave in strengths, advantage and log `draws`, so Newton's method finds its single maximum.

The prior of a strength is normal around the mean with standard deviation `SPREAD`. It keeps a player who won all
games from being infinitely strong, gives players who never met wide error bars, and otherwise weighs less than one
game.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Counts: TypeAlias = Mapping[tuple[int, int], tuple[float, float, float]]
"""(first player, second player) -> wins, draws and losses of the first."""

ELO = 400 / math.log(10)  # Elo points of one unit of strength
SPREAD = 700.0  # Elo: standard deviation of the prior
_ADVANTAGE_SPREAD = 300.0 / ELO
_DRAWS_SPREAD = 3.0  # of the logarithm of `draws`
_NO_DRAWS = -40.0
_STEPS = 200
_TOLERANCE = 1e-7  # of a Newton step, whose error is its square


@dataclass(frozen=True)
class Strengths:
    """The most likely strengths in Elo, with mean 0, and their covariance.

    `draws` is the probability of a draw between equals; `advantage` that of moving first in Elo, 0 if not fitted.
    """

    elo: Array
    covariance: Array
    draws: float
    advantage: float
    advantage_error: float

    def error(self, player: int) -> float:
        """The standard deviation of a player's strength relative to the mean."""
        return math.sqrt(max(0.0, float(self.covariance[player, player])))

    def difference(self, one: int, other: int) -> tuple[float, float]:
        """The difference of two strengths and its standard deviation."""
        ours = self.covariance
        variance = ours[one, one] + ours[other, other] - 2 * ours[one, other]
        return float(self.elo[one] - self.elo[other]), math.sqrt(max(0.0, float(variance)))

    def relative_to(self, players: Sequence[int], elo: float = 0.0) -> Strengths:
        """The strengths shifted so that these players average `elo`; a single one then has no error."""
        share = np.zeros(len(self.elo))
        share[list(players)] = 1 / len(players)
        moved = np.eye(len(share)) - share
        strengths = self.elo - share @ self.elo + elo
        covariance = moved @ self.covariance @ moved.T
        return Strengths(strengths, covariance, self.draws, self.advantage, self.advantage_error)


def count(games: Iterable[tuple[int, int, float]]) -> dict[tuple[int, int], tuple[float, float, float]]:
    """Counts of games given as (first player, second player, points of the first)."""
    counts: dict[tuple[int, int], list[float]] = {}
    for first, second, points in games:
        counts.setdefault((first, second), [0, 0, 0])[round(2 - 2 * points)] += 1
    return {pair: (won, drawn, lost) for pair, (won, drawn, lost) in counts.items()}


def fit(counts: Counts, players: int, *, advantage: bool = True, precision: Array | None = None) -> Strengths:
    """Fit the strengths of `players` players. `precision` is the inverse covariance of the prior.

    Without `advantage`, moving first gains nothing.
    """
    pairs = np.array(list(counts), np.int64).reshape(-1, 2)
    seen = np.array(list(counts.values()), float).reshape(-1, 3)
    if precision is None:
        precision = np.eye(players) * (ELO / SPREAD) ** 2
    model = _Model(pairs, seen, precision, advantage)
    covariance = np.linalg.inv(model.maximise())
    strengths = model.at[:players]
    centred = np.eye(players) - 1 / max(1, players)
    draws = math.exp(model.at[-1])
    return Strengths(
        ELO * (strengths - strengths.mean()) if players else strengths,
        ELO**2 * centred @ covariance[:players, :players] @ centred,
        draws / (draws + 2) if seen[:, 1].any() else 0.0,
        ELO * float(model.at[players]) if advantage else 0.0,
        ELO * math.sqrt(float(covariance[players, players])) if advantage else 0.0,
    )


class _Model:
    """The log-posterior and its maximum. `at` holds the strengths, the advantage and log draws."""

    def __init__(self, pairs: Array, seen: Array, precision: Array, advantage: bool) -> None:
        players = len(precision)
        self.first, self.second = pairs[:, 0], pairs[:, 1]
        self.seen, self.games = seen, seen.sum(axis=1)
        self.players = players
        self.prior = np.zeros((players + 2, players + 2))
        self.prior[:players, :players] = precision
        self.prior[players, players] = _ADVANTAGE_SPREAD**-2 if advantage else 1e12  # fixes it at 0
        self.at = np.zeros(players + 2)
        if seen[:, 1].any():
            self.prior[-1, -1] = _DRAWS_SPREAD**-2
        else:
            self.prior[-1, -1], self.at[-1] = 1e12, _NO_DRAWS
        self.home = self.at.copy()  # the mean of the prior

    def maximise(self) -> Array:
        """Go to the maximum; returns the negative second derivatives there, the inverse of the covariance."""
        value = self._value(self.at)
        for _ in range(_STEPS):
            gradient, curvature = self._derivatives()
            step = np.linalg.solve(curvature, gradient)
            size = 1.0
            while (there := self._value(self.at + size * step)) < value - 1e-9 and size > _TOLERANCE:
                size /= 2
            self.at = self.at + size * step
            value = there
            if np.abs(step).max() < _TOLERANCE:
                break
        return self._derivatives()[1]

    def _weights(self, at: Array) -> Array:
        """The logarithms of the three weights for each pair of players."""
        ahead = at[self.first] - at[self.second] + at[-2]
        return np.stack([ahead / 2, np.full_like(ahead, at[-1]), -ahead / 2], axis=1)

    def _value(self, at: Array) -> float:
        weights = self._weights(at)
        logarithms = (self.seen * weights).sum() - (self.games * np.logaddexp.reduce(weights, axis=1)).sum()
        away = at - self.home
        return float(logarithms - away @ self.prior @ away / 2)

    def _derivatives(self) -> tuple[Array, Array]:
        """The gradient, and the negative second derivatives."""
        weights = self._weights(self.at)
        chances = np.exp(weights - np.logaddexp.reduce(weights, axis=1)[:, None])
        lead = (chances[:, 0] - chances[:, 2]) / 2
        by_lead = (self.seen[:, 0] - self.seen[:, 2]) / 2 - self.games * lead
        slope, curve = self.prior @ (self.home - self.at), self.prior.copy()
        bend = self.games * ((chances[:, 0] + chances[:, 2]) / 4 - lead**2)
        mixed = -self.games * chances[:, 1] * lead
        signs = ((self.first, 1.0), (self.second, -1.0), (np.full_like(self.first, self.players), 1.0))
        for who, sign in signs:
            np.add.at(slope, who, sign * by_lead)
            np.add.at(curve[:, -1], who, sign * mixed)
            np.add.at(curve[-1], who, sign * mixed)
            for other, other_sign in signs:
                np.add.at(curve, (who, other), sign * other_sign * bend)
        slope[-1] += (self.seen[:, 1] - self.games * chances[:, 1]).sum()
        curve[-1, -1] += (self.games * chances[:, 1] * (1 - chances[:, 1])).sum()
        return slope, curve
