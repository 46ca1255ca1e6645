"""Exact bounds for the pieces of a periodic strip, by search, from short to long.

Play produces few different pieces of such a strip: pieces of the pattern in which at most the two end cells have
changed colour. They recur in many sums. The exact bounds of a piece take a few small searches, which use the
bounds of shorter pieces. With them, most sums in a search of the whole strip are decided at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tengen.engines.clobber.kernels import sums as slots
from tengen.engines.clobber.kernels.bounds import FIRST, SECOND
from tengen.engines.clobber.kernels.subgames import CLOBBER, NO_BOUNDS
from tengen.engines.clobber.workspace import Array

if TYPE_CHECKING:
    from tengen.engines.clobber.solver import LimitWatcher, Solver

MAX_PERIOD = 4
NODES_PER_BOUND = 10_000  # a bound that this does not decide is left unchanged


def pattern_of(strip: str) -> str | None:
    """The short pattern that a strip repeats, ignoring the two end cells; None if there is none."""
    inside = strip[1:-1]
    for length in range(1, MAX_PERIOD + 1):
        if len(inside) > 2 * length and inside[length:] == inside[:-length]:
            return inside[:length]
    return None


def pieces_of(pattern: str, length: int) -> Iterator[str]:
    """All pieces of a given length that play can produce from a long strip with this pattern."""
    for begin in range(len(pattern)):
        inside = (pattern * (length // len(pattern) + 2))[begin + 1 : begin + length - 1]
        for first in "XO":
            for last in "XO":
                yield f"{first}{inside}{last}"


class BoundRefiner:
    """Computes exact bounds for a solver, once per subgame."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self._done: set[int] = set()

    def refine(self, subgames: Array, nodes: float, watcher: LimitWatcher) -> None:
        """Refine the bounds of the shorter pieces of these subgames, within `nodes` nodes."""
        space = self.solver.workspace
        last = self.solver.nodes + nodes
        short = int(self.solver.control[slots.SHORT])
        for subgame in subgames:
            width = int(space.subgames.width[subgame])
            longest = min(width * self.solver.options.sharpen // 100, self.solver.options.bound_parts)
            if space.subgames.kind[subgame] != CLOBBER or space.subgames.height[subgame] > 1 or longest <= short:
                continue
            pattern = pattern_of(space.board_of(int(subgame)))
            if pattern is None:
                continue
            self.solver.control[slots.BOUND_FROM] = 0  # few pieces: bounds are cheap
            for length in range(short + 1, longest + 1):
                for piece in pieces_of(pattern, length):
                    found = space.subgames_of(piece)
                    if len(found) and not self._refine_bounds(int(found[0]), last, watcher):
                        return

    def _refine_bounds(self, subgame: int, last: float, watcher: LimitWatcher) -> bool:
        """Compute the exact bounds of a subgame; return False if the nodes are exhausted."""
        space = self.solver.workspace
        pair = (subgame, int(space.subgames.negative[subgame]))
        if subgame in self._done:
            return True
        if space.subgames.bounds[subgame, 0] == NO_BOUNDS:
            self._at_least(subgame, 0, 0, 1, watcher)
        exact = np.zeros((2, 2), bool)
        for index, one in enumerate(pair):
            for star in (0, 1):
                while True:
                    k = int(space.subgames.bounds[one, SECOND + star])
                    if k >= -int(space.subgames.bounds[space.subgames.negative[one], SECOND + star]):
                        exact[index, star] = True
                        break
                    if self.solver.nodes >= last:
                        return False
                    answer = self._at_least(
                        one, k + 1, star, min(NODES_PER_BOUND, last - self.solver.nodes), watcher
                    )
                    if not answer:
                        exact[index, star] = answer is False
                        break
                    space.subgames.bounds[one, SECOND + star] = k + 1
        for index, one in enumerate(pair):
            for star in (0, 1):
                if exact[1 - index, star]:  # if not G <= c, Left wins G - c moving first
                    most = -int(space.subgames.bounds[pair[1 - index], SECOND + star])
                    numbers = space.subgames.bounds[one]
                    numbers[FIRST + star] = max(int(numbers[FIRST + star]), most - 1)
        self._done |= {*pair}
        return True

    def _at_least(self, subgame: int, k: int, star: int, nodes: float, watcher: LimitWatcher) -> bool | None:
        """Whether a subgame is >= k up, or >= k up + star: then Left, moving first in the negated difference,
        loses.
        """
        space = self.solver.workspace
        negative = int(space.subgames.negative[subgame])
        sum_id = self.solver.sum_of_components([2 * negative, 2 * space.multiple_of_up(k, star) + 1])
        won = self.solver.prove_sum(sum_id, nodes, watcher)
        return None if won is None else not won
