"""The strengths that explain the results of games: Bradley and Terry's model with Davidson's draws.

Of a game in which the player who moves first is `d` stronger, the chances of a win, a draw and a loss are as

    exp(d / 2) : draws : exp(-d / 2)

where `d` is the difference of the two strengths and the advantage of moving first. Strengths, advantage and the
logarithm of `draws` enter linearly, so the likelihood has one summit, and Newton's steps find it.

Before any game, all that is known of a strength is that it lies within `SPREAD` of the others' mean, give or take.
That keeps who won all games from being infinitely strong, gives players that never met wide error bars instead of
nonsense, and does not matter otherwise: it says as much as a fraction of one game.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Counts: TypeAlias = Mapping[tuple[int, int], tuple[float, float, float]]
"""(who moves first, second) -> the first's wins, draws and losses."""

ELO = 400 / math.log(10)  # Elo points of one unit of strength
SPREAD = 700.0  # Elo: a standard deviation
_ADVANTAGE_SPREAD = 300.0 / ELO
_DRAWS_SPREAD = 3.0  # of the logarithm of `draws`
_NO_DRAWS = -40.0
_STEPS = 200
_NEAR = 1e-7  # a step so small leaves an error of its square


@dataclass(frozen=True)
class Strengths:
    """The most fitting strengths in Elo, their mean 0, and how sure they are, as covariances.

    `draws` is the chance of a draw between equals; `advantage` that of moving first, in Elo, 0 if not asked for.
    """

    elo: Array
    covariance: Array
    draws: float
    advantage: float
    advantage_error: float

    def error(self, player: int) -> float:
        """The standard deviation of a player's strength over the mean of all."""
        return math.sqrt(max(0.0, float(self.covariance[player, player])))

    def difference(self, one: int, other: int) -> tuple[float, float]:
        """By how much the one is stronger than the other, and the standard deviation of that."""
        ours = self.covariance
        variance = ours[one, one] + ours[other, other] - 2 * ours[one, other]
        return float(self.elo[one] - self.elo[other]), math.sqrt(max(0.0, float(variance)))

    def relative_to(self, players: Sequence[int], elo: float = 0.0) -> Strengths:
        """The same on a scale on which these players have this strength on average: a single one has no error."""
        share = np.zeros(len(self.elo))
        share[list(players)] = 1 / len(players)
        moved = np.eye(len(share)) - share
        strengths = self.elo - share @ self.elo + elo
        covariance = moved @ self.covariance @ moved.T
        return Strengths(strengths, covariance, self.draws, self.advantage, self.advantage_error)


def count(games: Iterable[tuple[int, int, float]]) -> dict[tuple[int, int], tuple[float, float, float]]:
    """Games, each as (who moved first, who second, points of the first), counted."""
    counts: dict[tuple[int, int], list[float]] = {}
    for first, second, points in games:
        counts.setdefault((first, second), [0, 0, 0])[round(2 - 2 * points)] += 1
    return {pair: (won, drawn, lost) for pair, (won, drawn, lost) in counts.items()}


def fit(counts: Counts, players: int, *, advantage: bool = True, precision: Array | None = None) -> Strengths:
    """The strengths of so many players. `precision` is what is known before, as the inverse of a covariance.

    Without `advantage`, nobody gains by moving first.
    """
    pairs = np.array(list(counts), np.int64).reshape(-1, 2)
    seen = np.array(list(counts.values()), float).reshape(-1, 3)
    if precision is None:
        precision = np.eye(players) * (ELO / SPREAD) ** 2
    model = _Model(pairs, seen, precision, advantage)
    covariance = np.linalg.inv(model.climb())
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
    """The likelihood, and where it is highest. `at` holds the strengths, the advantage, the logarithm of draws."""

    def __init__(self, pairs: Array, seen: Array, precision: Array, advantage: bool) -> None:
        players = len(precision)
        self.first, self.second = pairs[:, 0], pairs[:, 1]
        self.seen, self.games = seen, seen.sum(axis=1)
        self.players = players
        self.prior = np.zeros((players + 2, players + 2))
        self.prior[:players, :players] = precision
        self.prior[players, players] = _ADVANTAGE_SPREAD**-2 if advantage else 1e12  # which holds it at 0
        self.at = np.zeros(players + 2)
        if seen[:, 1].any():
            self.prior[-1, -1] = _DRAWS_SPREAD**-2
        else:
            self.prior[-1, -1], self.at[-1] = 1e12, _NO_DRAWS
        self.home = self.at.copy()  # where everything is likely to be before any game

    def climb(self) -> Array:
        """Go to the summit; returns how sharply the likelihood falls there: the inverse of the covariance."""
        height = self._height(self.at)
        for _ in range(_STEPS):
            slope, curve = self._shape()
            step = np.linalg.solve(curve, slope)
            size = 1.0
            while (there := self._height(self.at + size * step)) < height - 1e-9 and size > _NEAR:
                size /= 2
            self.at = self.at + size * step
            height = there
            if np.abs(step).max() < _NEAR:
                break
        return self._shape()[1]

    def _weights(self, at: Array) -> Array:
        """The logarithms of the three weights, for each pair of players."""
        ahead = at[self.first] - at[self.second] + at[-2]
        return np.stack([ahead / 2, np.full_like(ahead, at[-1]), -ahead / 2], axis=1)

    def _height(self, at: Array) -> float:
        weights = self._weights(at)
        logarithms = (self.seen * weights).sum() - (self.games * np.logaddexp.reduce(weights, axis=1)).sum()
        away = at - self.home
        return float(logarithms - away @ self.prior @ away / 2)

    def _shape(self) -> tuple[Array, Array]:
        """The slope of the likelihood here, and its second derivatives, turned positive."""
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
