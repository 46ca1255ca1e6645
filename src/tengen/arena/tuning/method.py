"""The interface of tuning methods: in each step a method requests bouts and learns from their results.

A method depends only on its seed and the results it gets, so a resumed run can replay it from the stored results.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from tengen.arena.tuning.space import Point, Space


class Bout(NamedTuple):
    """An even number of games between two points."""

    first: Point
    second: Point
    games: int


class Method(ABC):
    """A tuning method."""

    name: ClassVar[str]
    games: ClassVar[int]  # the default number of games of a bout

    def __init__(self, space: Space, *, steps: int, games: int, seed: int) -> None:
        self.space, self.steps, self.bout_games, self.seed = space, steps, games, seed

    @abstractmethod
    def bouts(self) -> list[Bout]:
        """The bouts of this step."""

    @abstractmethod
    def learn(self, shares: Sequence[float]) -> None:
        """End the step with the share of points, 0 to 1, of the first point in each bout."""

    @property
    @abstractmethod
    def best(self) -> Point:
        """The best point so far."""
