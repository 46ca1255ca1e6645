"""Exact bounds of the pieces of a strip with a period, by search, from short to long.

Play makes few pieces of such a strip, since each is a piece of the pattern in which at most the two end cells have
changed colour, and the same ones come up in sum after sum. Where each stands among the multiples of up is a few
small searches, which rest on the bounds of shorter pieces; with these bounds, most sums that a search of the whole
strip meets are decided at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tengen.engines.clobber.kernels import sums as slots
from tengen.engines.clobber.kernels.bounding import ALWAYS, FIRST
from tengen.engines.clobber.kernels.parts import UNBOUNDED
from tengen.engines.clobber.workspace import Array

if TYPE_CHECKING:
    from tengen.engines.clobber.solver import Solver, Watch

LONGEST_PERIOD = 4
QUESTION = 10_000  # nodes for each question; what they do not settle stays as it is


def pattern_of(strip: str) -> str | None:
    """The short pattern that a strip repeats, the two end cells aside; None if there is none."""
    inside = strip[1:-1]
    for length in range(1, LONGEST_PERIOD + 1):
        if len(inside) > 2 * length and inside[length:] == inside[:-length]:
            return inside[:length]
    return None


def pieces_of(pattern: str, length: int) -> Iterator[str]:
    """All that play can make of a long strip with this pattern, by its length."""
    for begin in range(len(pattern)):
        inside = (pattern * (length // len(pattern) + 2))[begin + 1 : begin + length - 1]
        for first in "XO":
            for last in "XO":
                yield f"{first}{inside}{last}"


class Sharpener:
    """Finds exact bounds for a solver, and knows which parts it has been asked about."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self._done: set[int] = set()

    def sharpen(self, parts: Array, nodes: float, watch: Watch) -> None:
        """Sharpen the bounds of the shorter pieces of these parts, for at most so many nodes."""
        space = self.solver.workspace
        last = self.solver.nodes + nodes
        short = int(self.solver.control[slots.SHORT])
        for part in parts:
            width = int(space.parts.width[part])
            longest = min(width * self.solver.switches.sharpen // 100, self.solver.switches.bound_parts)
            if space.parts.height[part] > 1 or longest <= short:
                continue
            pattern = pattern_of(space.board_of(int(part)))
            if pattern is None:
                continue
            self.solver.control[slots.BOUND_FROM] = 0  # few pieces: bounds are cheap
            for length in range(short + 1, longest + 1):
                for piece in pieces_of(pattern, length):
                    found = space.parts_of(piece)
                    if len(found) and not self._sharpen(int(found[0]), last, watch):
                        return

    def _sharpen(self, part: int, last: float, watch: Watch) -> bool:
        """Find where a part stands; returns False when the nodes are used up."""
        space = self.solver.workspace
        pair = (part, int(space.parts.negative[part]))
        if part in self._done:
            return True
        if space.parts.bounds[part, 0] == UNBOUNDED:
            self._at_least(part, 0, 0, 1, watch)
        exact = np.zeros((2, 2), bool)
        for index, one in enumerate(pair):
            for star in (0, 1):
                while True:
                    k = int(space.parts.bounds[one, ALWAYS + star])
                    if k >= -int(space.parts.bounds[space.parts.negative[one], ALWAYS + star]):
                        exact[index, star] = True
                        break
                    if self.solver.nodes >= last:
                        return False
                    answer = self._at_least(one, k + 1, star, min(QUESTION, last - self.solver.nodes), watch)
                    if not answer:
                        exact[index, star] = answer is False
                        break
                    space.parts.bounds[one, ALWAYS + star] = k + 1
        for index, one in enumerate(pair):
            for star in (0, 1):
                if exact[1 - index, star]:  # what is not at most c is won by Left if he begins
                    most = -int(space.parts.bounds[pair[1 - index], ALWAYS + star])
                    numbers = space.parts.bounds[one]
                    numbers[FIRST + star] = max(int(numbers[FIRST + star]), most - 1)
        self._done |= {*pair}
        return True

    def _at_least(self, part: int, k: int, star: int, nodes: float, watch: Watch) -> bool | None:
        """Whether a part is at least k up, or k up + star: Left, to move in the opposite, loses."""
        space = self.solver.workspace
        negative = int(space.parts.negative[part])
        bag = self.solver.bag_of_components([2 * negative, 2 * space.rung(k, star) + 1])
        won = self.solver.prove_bag(bag, nodes, watch)
        return None if won is None else not won
