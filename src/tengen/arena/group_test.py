"""Sequential tests of several variants of one idea, all against the same base, with a common error rate.

Each variant has a sequential probability ratio test of `elo1` against `elo0`. With one test each at the level
alpha, one of many useless variants would soon look good. So the acceptance bounds follow Holm's step-down
procedure: with K variants of which r were accepted, the next one is accepted at log((K - r) / alpha). The
probability of accepting any variant whose difference is at most `elo0` is at most alpha, whatever the others are
worth (closed testing: a likelihood ratio reaches m / alpha with probability alpha / m at most, by Ville's
inequality). A variant is rejected at the usual lower bound, which can only reduce that error; `beta` is the
probability of missing a variant that is worth `elo1`, for each of them.

Bartroff and Song (2014), Sequential tests of multiple hypotheses controlling type I and II familywise error rates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from tengen.arena.statistics import Sprt

OPEN, ACCEPTED, REJECTED = 0, 1, -1
_States: TypeAlias = np.ndarray[Any, np.dtype[np.int8]]
_Ratios: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


def acceptance_bound(sprt: Sprt, variants: int, accepted: int = 0) -> float:
    """The log-likelihood ratio at which the next of several variants is accepted."""
    return math.log((variants - accepted) / sprt.alpha)


def decide(ratios: _Ratios, states: _States, sprt: Sprt) -> _States:
    """The states after looking at the log-likelihood ratios, both of shape (..., variants).

    A state is `OPEN`, `ACCEPTED` or `REJECTED`; only open ones change.
    """
    states = states.copy()
    variants = states.shape[-1]
    for _ in range(variants):  # an acceptance lowers the bound of the others
        left = variants - (states == ACCEPTED).sum(axis=-1, keepdims=True)
        bound = np.log(np.maximum(left, 1) / sprt.alpha)
        states[(states == OPEN) & (ratios >= bound)] = ACCEPTED
    states[(states == OPEN) & (ratios <= sprt.bounds[0])] = REJECTED
    return states


@dataclass
class GroupTest:
    """The results of several variants, pair by pair, and the decisions.

    Decisions are made in rounds: round n needs pair n of every open variant. So they do not depend on the order in
    which games end.
    """

    sprt: Sprt
    variants: int
    rounds: int = 0  # complete ones
    _points: list[dict[int, float]] = field(default_factory=list)
    _states: _States = field(default_factory=lambda: np.zeros(0, np.int8))
    _counts: np.ndarray[Any, np.dtype[np.int64]] = field(default_factory=lambda: np.zeros((0, 5), np.int64))
    _pairs: list[int] = field(default_factory=list)  # that count for each variant

    def __post_init__(self) -> None:
        self._points = [{} for _ in range(self.variants)]
        self._states = np.zeros(self.variants, np.int8)
        self._counts = np.zeros((self.variants, 5), np.int64)
        self._pairs = [0] * self.variants

    @property
    def states(self) -> list[int]:
        """The state of each variant."""
        return [int(state) for state in self._states]

    @property
    def is_decided(self) -> bool:
        return OPEN not in self.states

    @property
    def ratios(self) -> list[float]:
        """The log-likelihood ratio of each variant, at its decision if there was one."""
        return [float(one) for one in np.atleast_1d(self.sprt.ratio(self._counts))]

    @property
    def pairs(self) -> Sequence[int]:
        """The number of pairs of each variant that led to its state."""
        return tuple(self._pairs)

    @property
    def bound(self) -> float:
        """The ratio at which the next variant is accepted."""
        return acceptance_bound(self.sprt, self.variants, min(self.variants - 1, self.states.count(ACCEPTED)))

    def add(self, variant: int, pair: int, points: float) -> None:
        """Add the points (0 to 2) of a variant in a pair, and decide all rounds that are now complete."""
        self._points[variant][pair] = points
        while not self.is_decided:
            open_ones = [number for number, state in enumerate(self.states) if state == OPEN]
            if any(self.rounds not in self._points[number] for number in open_ones):
                return
            for number in open_ones:
                self._counts[number, round(2 * self._points[number].pop(self.rounds))] += 1
                self._pairs[number] += 1
            self.rounds += 1
            self._states = decide(np.array(self.ratios), self._states, self.sprt)
