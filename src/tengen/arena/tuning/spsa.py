"""Simultaneous perturbation stochastic approximation (Spall): two opposite perturbations of all parameters play
a bout.

The result estimates the gradient in that direction: noisy but unbiased, and as cheap for twenty parameters as
for one. Each step plays several bouts, so that all cores are busy, and follows their mean. Perturbations and
steps decrease by Spall's exponents.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import ClassVar

from tengen.arena.tuning.method import Bout, Method
from tengen.arena.tuning.space import Point, Space

PERTURBATION = 0.15  # of each parameter in the first step, on the scale from 0 to 1
RATE = 0.25  # size of the first step if the better side of each bout wins one game more of two
BOUTS_PER_STEP = 4
_PERTURBATION_DECAY, _RATE_DECAY = 0.101, 0.602


class Spsa(Method):
    """See the module.

    `at` is the current point; `best` is the mean of the last quarter of the path: less noisy.
    """

    name: ClassVar[str] = "spsa"
    games: ClassVar[int] = 4

    def __init__(self, space: Space, *, steps: int, games: int, seed: int) -> None:
        super().__init__(space, steps=steps, games=games, seed=seed)
        self._rng = random.Random(f"spsa {seed}")
        self.at: Point = space.start()
        self._way: list[Point] = []
        self._signs: list[list[int]] = []

    def bouts(self) -> list[Bout]:
        self._signs = [[self._rng.choice((-1, 1)) for _ in self.at] for _ in range(BOUTS_PER_STEP)]
        return [
            Bout(self._changed(signs), self._changed([-sign for sign in signs]), self.bout_games)
            for signs in self._signs
        ]

    def learn(self, shares: Sequence[float]) -> None:
        step = len(self._way)
        rate = RATE * ((1 + 0.1 * self.steps) / (1 + 0.1 * self.steps + step)) ** _RATE_DECAY
        moved = []
        for place, at in enumerate(self.at):
            lead = [(share - 0.5) * signs[place] for signs, share in zip(self._signs, shares, strict=True)]
            moved.append(min(1.0, max(0.0, at + rate * sum(lead) / len(lead))))
        self.at = tuple(moved)
        self._way.append(self.at)

    @property
    def best(self) -> Point:
        last = self._way[-max(1, len(self._way) // 4) :] or [self.at]
        return tuple(sum(column) / len(last) for column in zip(*last, strict=True))

    def _perturbation(self, place: int) -> float:
        """The perturbation of a parameter in this step, large enough that both sides get different values."""
        least = 0.75 * self.space.parameters[place].resolution
        return max(least, PERTURBATION * math.pow(len(self._way) + 1, -_PERTURBATION_DECAY))

    def _changed(self, signs: Sequence[int]) -> Point:
        return tuple(
            min(1.0, max(0.0, at + sign * self._perturbation(place)))
            for place, (at, sign) in enumerate(zip(self.at, signs, strict=True))
        )
