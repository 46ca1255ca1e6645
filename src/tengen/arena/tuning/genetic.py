"""A genetic algorithm: six configurations play a round robin, the best three survive and each pair has a mutated
child.

The points of one generation are noisy but good enough for selection. The best configuration is chosen by ratings
from all games of all generations: the highest lower confidence bound.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from typing import ClassVar

from tengen.arena.bradley_terry import Strengths, fit
from tengen.arena.tuning.method import Bout, Method
from tengen.arena.tuning.space import Point, Space

POPULATION = 6
SURVIVORS = 3
MUTATION_STD = 0.25  # on the scale from 0 to 1
UNIFORM_MUTATION_SHARE = 0.2  # mutations to a uniformly random value


class Genetic(Method):
    """See the module. The first population is the start and its mutants."""

    name: ClassVar[str] = "genetic"
    games: ClassVar[int] = 2

    def __init__(self, space: Space, *, steps: int, games: int, seed: int) -> None:
        super().__init__(space, steps=steps, games=games, seed=seed)
        self._rng = random.Random(f"genetic {seed}")
        start = space.start()
        self.population: list[Point] = [start]
        self.population += [self._mutant(start) for _ in range(POPULATION - 1)]
        self._known: dict[Point, int] = {start: 0}  # the numbers of all configurations so far
        self._counts: dict[tuple[int, int], tuple[float, float, float]] = {}

    def bouts(self) -> list[Bout]:
        return [Bout(one, other, self.bout_games) for one, other in combinations(self.population, 2)]

    def learn(self, shares: Sequence[float]) -> None:
        points = dict.fromkeys(range(POPULATION), 0.0)
        for (one, other), share in zip(combinations(range(POPULATION), 2), shares, strict=True):
            points[one] += share
            points[other] += 1 - share
            self._count(self.population[one], self.population[other], share)
        order = sorted(points, key=lambda place: (-points[place], place))
        parents = [self.population[place] for place in order[:SURVIVORS]]
        children = [self._mutant(self._child(one, other)) for one, other in combinations(parents, 2)]
        self.population = parents + children

    @property
    def best(self) -> Point:
        if not self._counts:
            return self.population[0]
        found: Strengths = fit(self._counts, len(self._known), advantage=False)
        return max(self._known, key=lambda point: found.elo[self._known[point]] - found.error(self._known[point]))

    def _count(self, one: Point, other: Point, share: float) -> None:
        # The share of points counts as wins and losses: treating draws separately would change little.
        if one == other:
            return
        pair = tuple(self._known.setdefault(point, len(self._known)) for point in (one, other))
        won, drawn, lost = self._counts.get((pair[0], pair[1]), (0.0, 0.0, 0.0))
        games = self.bout_games
        self._counts[pair[0], pair[1]] = won + share * games, drawn, lost + (1 - share) * games

    def _child(self, one: Point, other: Point) -> Point:
        """A child that has each gene from a random parent."""
        return tuple(self._rng.choice(genes) for genes in zip(one, other, strict=True))

    def _mutant(self, point: Point) -> Point:
        """The point with one gene changed."""
        place = self._rng.randrange(len(point))
        parameter = self.space.parameters[place]
        before = at = point[place]
        while parameter.from_unit(at) == parameter.from_unit(before):
            leap = self._rng.random() < UNIFORM_MUTATION_SHARE or parameter.resolution == 1.0
            at = self._rng.random() if leap else min(1.0, max(0.0, self._rng.gauss(before, MUTATION_STD)))
        return (*point[:place], at, *point[place + 1 :])
