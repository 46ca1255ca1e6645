"""Estimates a person's level from games against rated opponents, and suggests the next opponent.

The estimate is Bayesian: a distribution over ratings on the scale of the built-in opponents (`Opponent.rating`),
which starts wide around the default opponent and is multiplied by the chance of each result. The chance to win is
logistic in the rating difference, as for Elo. Between two games the distribution widens a little, because people
improve; so old games count less.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tengen.app.game_options import options_of
from tengen.players.opponents import DEFAULT_LEVEL, Opponent, levels, opponent_with_id
from tengen.store.store import Store

PRIOR_DEVIATION = 350.0  # of the ratings of people before their first game
DRIFT = 20.0  # standard deviation of the change of a person's strength from game to game
ENOUGH_ERROR = 150.0  # "Find my level" ends with this standard deviation …
MAX_TEST_GAMES = 8  # … or after this many games
ELO_PER_STONE = 150.0  # of a handicap stone on 9x9, see docs/measurements/opponents.md
MAX_HANDICAP = 4
_STEP = 10
_GRID = np.arange(-400.0, 3601.0, _STEP)
_DRIFT_WEIGHTS = np.exp(-((np.arange(-5 * _STEP, 5 * _STEP + 1, _STEP) / DRIFT) ** 2) / 2)


@dataclass(frozen=True)
class LevelEstimate:
    """A person's estimated rating, its standard deviation, and the number of games behind it."""

    rating: float
    error: float
    games: int

    @property
    def is_settled(self) -> bool:
        """Whether more test games would hardly change the suggestion."""
        return self.games > 0 and (self.error <= ENOUGH_ERROR or self.games >= MAX_TEST_GAMES)


@dataclass(frozen=True)
class Suggestion:
    """The opponent who suits a person, the handicap that balances the game (Go only, 0 for none), and why."""

    opponent: Opponent
    handicap: int
    estimate: LevelEstimate


def estimate_level(results: Iterable[tuple[float, float]], prior_rating: float) -> LevelEstimate:
    """The estimate after results in the order of the games: (rating of the opponent, points 1, 0.5 or 0)."""
    weights = np.exp(-(((_GRID - prior_rating) / PRIOR_DEVIATION) ** 2) / 2)
    games = 0
    for opponent, points in results:
        if games:
            weights = np.convolve(weights, _DRIFT_WEIGHTS, mode="same")
        chance = 1 / (1 + 10 ** ((opponent - _GRID) / 400))
        weights *= chance**points * (1 - chance) ** (1 - points)
        weights /= weights.sum()
        games += 1
    mean = float(np.average(_GRID, weights=weights))
    return LevelEstimate(mean, math.sqrt(np.average((_GRID - mean) ** 2, weights=weights)), games)


def level_of(store: Store, person: str, game: str) -> LevelEstimate:
    """The estimated level of the person with this id, from the rated games against built-in opponents."""
    results = []
    for change in store.rating_history(person, game):
        opponent = opponent_with_id(game, change.opponent)
        if opponent is not None and opponent.rating is not None:
            results.append((float(opponent.rating), change.points))
    return estimate_level(results, prior_rating(game))


def prior_rating(game: str) -> float:
    """The rating assumed before the first game: that of the default opponent."""
    rating = levels(game)[DEFAULT_LEVEL - 1].rating
    return 1000.0 if rating is None else float(rating)


def suggest_opponent(store: Store, person: str | None, game: str) -> Suggestion:
    """The opponent for the next game of the person with this id; the default opponent for a newcomer (None)."""
    estimate = LevelEstimate(prior_rating(game), PRIOR_DEVIATION, 0)
    if person is not None:
        estimate = level_of(store, person, game)
    return suggestion_for(estimate, game)


def suggestion_for(estimate: LevelEstimate, game: str) -> Suggestion:
    """The opponent whose rating is nearest to the estimate, among those that are measured."""
    known = [opponent for opponent in levels(game) if opponent.rating is not None]
    if not estimate.games or not known:
        return Suggestion(levels(game)[DEFAULT_LEVEL - 1], 0, estimate)
    nearest = min(known, key=lambda opponent: abs((opponent.rating or 0) - estimate.rating))
    return Suggestion(nearest, _handicap(nearest, known, estimate) if _has_handicap(game) else 0, estimate)


def _has_handicap(game: str) -> bool:
    return any(option.name == "handicap" for option in options_of(game))


def _handicap(opponent: Opponent, known: Sequence[Opponent], estimate: LevelEstimate) -> int:
    """Handicap stones for a person who is weaker than the weakest opponent; the first stone of two is the move."""
    gap = (opponent.rating or 0) - estimate.rating
    if opponent is not known[0] or gap < ELO_PER_STONE:
        return 0
    return min(MAX_HANDICAP, 1 + round(gap / ELO_PER_STONE))
