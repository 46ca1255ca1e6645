"""A population of six: all play all twice, the three best are kept, each two of them have a child with a mutation.

The points of one generation are mostly luck, and good for choosing who survives. Who is best of all that ever
lived is told by all games together: ratings of every config, less what is not sure of them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from typing import ClassVar

from tengen.arena.strength import Strengths, fit
from tengen.arena.tuning.method import Bout, Method
from tengen.arena.tuning.space import Point, Space

POPULATION = 6
KEPT = 3
STRIDE = 0.25  # of a mutation: a standard deviation, on the scale from 0 to 1
LEAP = 0.2  # of the mutations are anywhere instead


class Genetic(Method):
    """See above. The first population is the start and its mutants."""

    name: ClassVar[str] = "genetic"
    games: ClassVar[int] = 2

    def __init__(self, space: Space, *, steps: int, games: int, seed: int) -> None:
        super().__init__(space, steps=steps, games=games, seed=seed)
        self._dice = random.Random(f"genetic {seed}")
        start = space.start()
        self.population: list[Point] = [start]
        self.population += [self._mutant(start) for _ in range(POPULATION - 1)]
        self._known: dict[Point, int] = {start: 0}  # all that ever lived, numbered
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
        parents = [self.population[place] for place in order[:KEPT]]
        children = [self._mutant(self._child(one, other)) for one, other in combinations(parents, 2)]
        self.population = parents + children

    @property
    def best(self) -> Point:
        if not self._counts:
            return self.population[0]
        found: Strengths = fit(self._counts, len(self._known), advantage=False)
        return max(self._known, key=lambda point: found.elo[self._known[point]] - found.error(self._known[point]))

    def _count(self, one: Point, other: Point, share: float) -> None:
        # A bout's share is taken for wins and losses; that draws tell more would change little.
        if one == other:
            return
        pair = tuple(self._known.setdefault(point, len(self._known)) for point in (one, other))
        won, drawn, lost = self._counts.get((pair[0], pair[1]), (0.0, 0.0, 0.0))
        games = self.bout_games
        self._counts[pair[0], pair[1]] = won + share * games, drawn, lost + (1 - share) * games

    def _child(self, one: Point, other: Point) -> Point:
        """Each gene is that of one parent."""
        return tuple(self._dice.choice(genes) for genes in zip(one, other, strict=True))

    def _mutant(self, point: Point) -> Point:
        """The same with one gene changed."""
        place = self._dice.randrange(len(point))
        parameter = self.space.parameters[place]
        before = at = point[place]
        while parameter.from_unit(at) == parameter.from_unit(before):
            leap = self._dice.random() < LEAP or parameter.grain == 1.0
            at = self._dice.random() if leap else min(1.0, max(0.0, self._dice.gauss(before, STRIDE)))
        return (*point[:place], at, *point[place + 1 :])
