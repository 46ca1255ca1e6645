"""What every way of tuning is: step by step it asks for bouts, and learns from what they gave.

A method depends on nothing but its seed and the results that it is told. So a campaign that was stopped makes it
anew, tells it the results that were kept, and finds it where it was.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from tengen.arena.tuning.space import Point, Space


class Bout(NamedTuple):
    """Games between two points, an even number of them."""

    first: Point
    second: Point
    games: int


class Method(ABC):
    """A way of tuning."""

    name: ClassVar[str]
    games: ClassVar[int]  # of a bout, if nobody says

    def __init__(self, space: Space, *, steps: int, games: int, seed: int) -> None:
        self.space, self.steps, self.bout_games, self.seed = space, steps, games, seed

    @abstractmethod
    def bouts(self) -> list[Bout]:
        """What is to be played in this step."""

    @abstractmethod
    def learn(self, shares: Sequence[float]) -> None:
        """The share of points, 0 to 1, of the first in each bout. Ends the step."""

    @property
    @abstractmethod
    def best(self) -> Point:
        """The best point as far as is known."""
