"""Simultaneous perturbation (Spall's SPSA): two opposite changes of all parameters at once play each other.

Who wins tells the slope in the direction of the changes: roughly, but right on average, and as cheap for twenty
parameters as for one. Each step plays several such bouts, so that all cores are busy, and follows their mean.
Changes and steps grow smaller with time, by Spall's exponents.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import ClassVar

from tengen.arena.tuning.method import Bout, Method
from tengen.arena.tuning.space import Point, Space

CHANGE = 0.15  # the first change of each parameter, on the scale from 0 to 1
RATE = 0.25  # how far a first step goes if the better side of each bout wins one game more of two
BOUTS = 4  # in a step
_FADE_CHANGE, _FADE_RATE = 0.101, 0.602


class Spsa(Method):
    """See above. `at` is where it is; `best` is the mean of the last quarter of its way, which is less noisy."""

    name: ClassVar[str] = "spsa"
    games: ClassVar[int] = 4

    def __init__(self, space: Space, *, steps: int, games: int, seed: int) -> None:
        super().__init__(space, steps=steps, games=games, seed=seed)
        self._dice = random.Random(f"spsa {seed}")
        self.at: Point = space.start()
        self._way: list[Point] = []
        self._signs: list[list[int]] = []

    def bouts(self) -> list[Bout]:
        self._signs = [[self._dice.choice((-1, 1)) for _ in self.at] for _ in range(BOUTS)]
        return [
            Bout(self._changed(signs), self._changed([-sign for sign in signs]), self.bout_games)
            for signs in self._signs
        ]

    def learn(self, shares: Sequence[float]) -> None:
        step = len(self._way)
        rate = RATE * ((1 + 0.1 * self.steps) / (1 + 0.1 * self.steps + step)) ** _FADE_RATE
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

    def _change(self, place: int) -> float:
        """How much a parameter is changed now: never so little that both sides would round to one value."""
        least = 0.75 * self.space.parameters[place].grain
        return max(least, CHANGE * math.pow(len(self._way) + 1, -_FADE_CHANGE))

    def _changed(self, signs: Sequence[int]) -> Point:
        return tuple(
            min(1.0, max(0.0, at + sign * self._change(place)))
            for place, (at, sign) in enumerate(zip(self.at, signs, strict=True))
        )
