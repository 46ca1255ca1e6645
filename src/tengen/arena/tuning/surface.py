"""A surface laid through all results: a Gaussian process over the share of points against the starting config.

Each step plays some points against the start. Where the surface may be high, points are tried next (Thompson's
way: a surface is drawn at random from those that fit, and its summit is tried). How wavy and how high surfaces are
is chosen by how well they explain the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np

from tengen.arena.tuning.method import Bout, Method
from tengen.arena.tuning.space import Point, Space

BOUTS = 6  # in a step
CANDIDATES = 200
_WIDTHS = (0.1, 0.2, 0.4, 0.8)  # of a hill, on the scale from 0 to 1
_JITTER = 1e-6  # rounding must not make a variance negative
_HEIGHTS = (0.05, 0.1, 0.2, 0.4)  # of hills, in shares of points

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


class Surface(Method):
    """See above. `best` is the summit of the surface less half of what is not sure of it."""

    name: ClassVar[str] = "surface"
    games: ClassVar[int] = 8

    def __init__(self, space: Space, *, steps: int, games: int, seed: int) -> None:
        super().__init__(space, steps=steps, games=games, seed=seed)
        self._rng = np.random.default_rng([seed, 1])
        self._start = space.start()
        # Against itself the start makes one half, however many games it plays.
        self._tried: list[Point] = [self._start]
        self._shares: list[float] = [0.5]
        self._noise: list[float] = [1e-6]
        self._asked: list[Point] = []

    def bouts(self) -> list[Bout]:
        points = self._spread() if len(self._tried) == 1 else self._promising()
        self._asked = [tuple(float(at) for at in point) for point in points]
        return [Bout(point, self._start, self.bout_games) for point in self._asked]

    def learn(self, shares: Sequence[float]) -> None:
        for point, share in zip(self._asked, shares, strict=True):
            self._tried.append(point)
            self._shares.append(share)
            # As if one game more had been drawn: who won all games may yet lose one.
            chance = (share * self.bout_games + 0.5) / (self.bout_games + 1)
            self._noise.append(max(chance * (1 - chance), 0.05) / self.bout_games)

    @property
    def best(self) -> Point:
        points = self._candidates()
        mean, covariance = self._fit(points)
        summit = int(np.argmax(mean - 0.5 * np.sqrt(np.maximum(np.diag(covariance), 0))))
        return tuple(float(at) for at in points[summit])

    def _spread(self) -> Array:
        """Points all over the cube: in each direction one in each part of it (a Latin hypercube)."""
        size = len(self._start)
        columns = [(self._rng.permutation(BOUTS) + self._rng.random(BOUTS)) / BOUTS for _ in range(size)]
        return np.array(columns).T

    def _promising(self) -> Array:
        points = self._candidates(self._rng)
        mean, covariance = self._fit(points)
        factor = np.linalg.cholesky(covariance + _JITTER * np.eye(len(points)))
        drawn = mean[:, None] + factor @ self._rng.normal(size=(len(points), BOUTS))
        return np.array(points[np.argmax(drawn, axis=0)])

    def _candidates(self, rng: np.random.Generator | None = None) -> Array:
        """Points that were tried, points near the best of them, and points anywhere."""
        rng = rng or np.random.default_rng([self.seed, 2])
        tried = np.array(self._tried)
        top = tried[np.argsort(self._shares)[-5:]]
        near = top[rng.integers(len(top), size=CANDIDATES // 2)]
        near = np.clip(near + rng.normal(0, 0.1, near.shape), 0, 1)
        return np.concatenate([tried, near, rng.random((CANDIDATES // 2, tried.shape[1]))])

    def _fit(self, points: Array) -> tuple[Array, Array]:
        """The surface at these points: its mean, and how sure it is."""
        tried, shares = np.array(self._tried), np.array(self._shares) - 0.5
        noise = np.diag(self._noise)
        best: tuple[float, float, float] | None = None
        for width in _WIDTHS:
            likeness = _likeness(tried, tried, width)
            for height in _HEIGHTS:
                factor = np.linalg.cholesky(height**2 * likeness + noise)
                weights = np.linalg.solve(factor, shares)
                fitting = -float(weights @ weights) / 2 - float(np.log(np.diag(factor)).sum())
                if best is None or fitting > best[0]:
                    best = fitting, width, height
        assert best is not None
        _, width, height = best
        inner = height**2 * _likeness(tried, tried, width) + noise
        across = height**2 * _likeness(points, tried, width)
        solved = np.linalg.solve(inner, across.T)
        mean = 0.5 + solved.T @ shares
        return mean, height**2 * _likeness(points, points, width) - across @ solved


def _likeness(some: Array, others: Array, width: float) -> Array:
    distance = ((some[:, None, :] - others[None, :, :]) ** 2).sum(axis=2)
    likeness: Array = np.exp(-distance / (2 * width**2))
    return likeness
