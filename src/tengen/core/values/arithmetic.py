"""Canonical forms in plain Python, straight from the definitions: for small questions, and for checkers of proofs.

Nothing here depends on the compiled kernels, so results of the two can be compared.
"""

from __future__ import annotations

import math
import time


class DeadlinePassed(Exception):
    """The deadline of the computation has passed."""


class Arithmetic:
    """Games as ids of canonical forms, compared and added directly by the definitions."""

    def __init__(self) -> None:
        self.options: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), ())]
        self._ids: dict[tuple[frozenset[int], frozenset[int]], int] = {(frozenset(), frozenset()): 0}
        self._order: dict[tuple[int, int], bool] = {}
        self._sums: dict[tuple[int, int], int] = {}
        self._negatives: dict[int, int] = {0: 0}
        self._ups: list[tuple[int, int]] = []
        self.deadline = math.inf  # by `time.perf_counter`
        self.steps_left = math.inf  # comparisons and calls of `keep_time`

    def keep_time(self) -> None:
        """Raise `DeadlinePassed` after the deadline or the last step: a single sum may be infeasible."""
        self.steps_left -= 1
        if self.steps_left < 0 or time.perf_counter() >= self.deadline:
            raise DeadlinePassed

    def at_most(self, a: int, b: int) -> bool:
        """Whether a <= b: Left has no option of a that is >= b, and Right no option of b that is <= a."""
        if a == b:
            return True
        known = self._order.get((a, b))
        if known is None:
            self.keep_time()
            known = not any(self.at_most(b, left) for left in self.options[a][0]) and not any(
                self.at_most(right, a) for right in self.options[b][1]
            )
            self._order[a, b] = known
        return known

    def game(self, lefts: set[int], rights: set[int]) -> int:
        """The canonical form of the game with these options."""
        while True:
            lefts = {a for a in lefts if not any(a != b and self.at_most(a, b) for b in lefts)}
            rights = {a for a in rights if not any(a != b and self.at_most(b, a) for b in rights)}
            reversed_left = self._reversible(lefts, rights, left=True)
            if reversed_left is not None:
                option, reply = reversed_left
                lefts = lefts - {option} | set(self.options[reply][0])
                continue
            reversed_right = self._reversible(lefts, rights, left=False)
            if reversed_right is None:
                break
            option, reply = reversed_right
            rights = rights - {option} | set(self.options[reply][1])
        key = (frozenset(lefts), frozenset(rights))
        if key not in self._ids:
            self._ids[key] = len(self.options)
            self.options.append((tuple(sorted(lefts)), tuple(sorted(rights))))
        return self._ids[key]

    def _reversible(self, lefts: set[int], rights: set[int], *, left: bool) -> tuple[int, int] | None:
        for option in lefts if left else rights:
            for reply in self.options[option][1 if left else 0]:
                if self._below(reply, lefts, rights) if left else self._above(reply, lefts, rights):
                    return option, reply
        return None

    def _below(self, x: int, lefts: set[int], rights: set[int]) -> bool:
        """Whether x <= {lefts | rights}."""
        return not any(self.at_most(right, x) for right in rights) and not any(
            self._above(left, lefts, rights) for left in self.options[x][0]
        )

    def _above(self, x: int, lefts: set[int], rights: set[int]) -> bool:
        """Whether {lefts | rights} <= x."""
        return not any(self.at_most(x, left) for left in lefts) and not any(
            self._below(right, lefts, rights) for right in self.options[x][1]
        )

    def add(self, a: int, b: int) -> int:
        if a == 0 or b == 0:
            return a + b
        key = (min(a, b), max(a, b))
        if key not in self._sums:
            sides = [
                {self.add(x, b) for x in self.options[a][side]} | {self.add(a, x) for x in self.options[b][side]}
                for side in (0, 1)
            ]
            self._sums[key] = self.game(*sides)
        return self._sums[key]

    def negative(self, a: int) -> int:
        if a not in self._negatives:
            lefts, rights = self.options[a]
            self._negatives[a] = self.game({self.negative(x) for x in rights}, {self.negative(x) for x in lefts})
        return self._negatives[a]

    def ups(self, k: int) -> tuple[int, int]:
        """K up, and k up + star, for k >= 0."""
        if not self._ups:
            self._ups.append((0, self.game({0}, {0})))
        while len(self._ups) <= k:
            up = self.game({0}, {self._ups[-1][1]})
            self._ups.append((up, self.add(up, self._ups[0][1])))
        return self._ups[k]

    def scale(self, k: int, star: int) -> int:
        """A multiple of up, of either sign, with or without a star."""
        value = self.ups(abs(k))[star]
        return value if k >= 0 else self.negative(value)
