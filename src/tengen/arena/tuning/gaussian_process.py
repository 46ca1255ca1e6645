"""Bayesian optimisation: a Gaussian process over the share of points against the starting configuration.

Each step plays some points against the start, chosen by Thompson sampling: a random function is drawn from the
posterior and its maximum is tried. Length scale and amplitude maximise the marginal likelihood.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np

from tengen.arena.tuning.method import Bout, Method
from tengen.arena.tuning.space import Point, Space

BOUTS_PER_STEP = 6
CANDIDATES = 200
_LENGTH_SCALES = (0.1, 0.2, 0.4, 0.8)  # on the scale from 0 to 1
_JITTER = 1e-6  # keeps variances positive despite rounding
_AMPLITUDES = (0.05, 0.1, 0.2, 0.4)  # in shares of points

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


class GaussianProcess(Method):
    """See the module. `best` maximises the mean minus half a standard deviation."""

    name: ClassVar[str] = "surface"
    games: ClassVar[int] = 8

    def __init__(self, space: Space, *, steps: int, games: int, seed: int) -> None:
        super().__init__(space, steps=steps, games=games, seed=seed)
        self._rng = np.random.default_rng([seed, 1])
        self._start = space.start()
        # The start scores exactly one half against itself.
        self._tried: list[Point] = [self._start]
        self._shares: list[float] = [0.5]
        self._noise: list[float] = [1e-6]
        self._asked: list[Point] = []

    def bouts(self) -> list[Bout]:
        points = self._latin_hypercube() if len(self._tried) == 1 else self._sample_maxima()
        self._asked = [tuple(float(at) for at in point) for point in points]
        return [Bout(point, self._start, self.bout_games) for point in self._asked]

    def learn(self, shares: Sequence[float]) -> None:
        for point, share in zip(self._asked, shares, strict=True):
            self._tried.append(point)
            self._shares.append(share)
            # As if one more game had been drawn, because winning all games does not mean certainty.
            chance = (share * self.bout_games + 0.5) / (self.bout_games + 1)
            self._noise.append(max(chance * (1 - chance), 0.05) / self.bout_games)

    @property
    def best(self) -> Point:
        points = self._candidates()
        mean, covariance = self._fit(points)
        summit = int(np.argmax(mean - 0.5 * np.sqrt(np.maximum(np.diag(covariance), 0))))
        return tuple(float(at) for at in points[summit])

    def _latin_hypercube(self) -> Array:
        """Points spread over the cube: one in each slice of each dimension."""
        size = len(self._start)
        columns = [
            (self._rng.permutation(BOUTS_PER_STEP) + self._rng.random(BOUTS_PER_STEP)) / BOUTS_PER_STEP
            for _ in range(size)
        ]
        return np.array(columns).T

    def _sample_maxima(self) -> Array:
        points = self._candidates(self._rng)
        mean, covariance = self._fit(points)
        factor = np.linalg.cholesky(covariance + _JITTER * np.eye(len(points)))
        drawn = mean[:, None] + factor @ self._rng.normal(size=(len(points), BOUTS_PER_STEP))
        return np.array(points[np.argmax(drawn, axis=0)])

    def _candidates(self, rng: np.random.Generator | None = None) -> Array:
        """Points tried before, points near the best of them, and uniformly random points."""
        rng = rng or np.random.default_rng([self.seed, 2])
        tried = np.array(self._tried)
        top = tried[np.argsort(self._shares)[-5:]]
        near = top[rng.integers(len(top), size=CANDIDATES // 2)]
        near = np.clip(near + rng.normal(0, 0.1, near.shape), 0, 1)
        return np.concatenate([tried, near, rng.random((CANDIDATES // 2, tried.shape[1]))])

    def _fit(self, points: Array) -> tuple[Array, Array]:
        """The posterior mean and covariance at these points."""
        tried, shares = np.array(self._tried), np.array(self._shares) - 0.5
        noise = np.diag(self._noise)
        best: tuple[float, float, float] | None = None
        for width in _LENGTH_SCALES:
            correlation = _kernel(tried, tried, width)
            for height in _AMPLITUDES:
                factor = np.linalg.cholesky(height**2 * correlation + noise)
                weights = np.linalg.solve(factor, shares)
                fitting = -float(weights @ weights) / 2 - float(np.log(np.diag(factor)).sum())
                if best is None or fitting > best[0]:
                    best = fitting, width, height
        assert best is not None
        _, width, height = best
        inner = height**2 * _kernel(tried, tried, width) + noise
        across = height**2 * _kernel(points, tried, width)
        solved = np.linalg.solve(inner, across.T)
        mean = 0.5 + solved.T @ shares
        return mean, height**2 * _kernel(points, points, width) - across @ solved


def _kernel(some: Array, others: Array, width: float) -> Array:
    distance = ((some[:, None, :] - others[None, :, :]) ** 2).sum(axis=2)
    kernel: Array = np.exp(-distance / (2 * width**2))
    return kernel
