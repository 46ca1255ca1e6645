"""Values in plain Python, for small questions: they are answered before compiled code could be loaded."""

from __future__ import annotations

from collections.abc import Callable

from tengen.core.values.arithmetic import Arithmetic
from tengen.core.values.game_value import Bounds, ValueStore


class PlainValues(ValueStore):
    """A store of canonical forms that imports and compiles nothing. Hundreds of times slower than `Values`."""

    def __init__(self, arithmetic: Arithmetic | None = None) -> None:
        super().__init__()
        self.arithmetic = arithmetic or Arithmetic()

    def options_of(self, form: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return self.arithmetic.options[form]

    def negative_of(self, form: int) -> int:
        return self.arithmetic.negative(form)

    def make_form(self, lefts: list[int], rights: list[int]) -> int:
        return self.arithmetic.game(set(lefts), set(rights))

    def add_forms(self, a: int, b: int) -> int:
        return self.arithmetic.add(a, b)

    def compare_forms(self, a: int, b: int) -> tuple[bool, bool]:
        return self.arithmetic.at_most(a, b), self.arithmetic.at_most(b, a)

    def bounds_of(self, form: int) -> Bounds:
        arithmetic = self.arithmetic
        reach = 2 * self.from_form(form).birthday + 4  # finite bounds are less than this

        def largest(star: int, game: int) -> int | None:
            return _largest(lambda k: arithmetic.at_most(arithmetic.scale(k, star), game), reach)

        low, low_star = largest(0, form), largest(1, form)
        high, high_star = largest(0, self.negative_of(form)), largest(1, self.negative_of(form))
        return low, None if high is None else -high, low_star, None if high_star is None else -high_star


def _largest(holds: Callable[[int], bool], reach: int) -> int | None:
    """The largest k in -reach .. reach that satisfies a monotone predicate; None if all or none do."""
    if holds(reach) or not holds(-reach):
        return None
    low, high = -reach, reach  # low satisfies it, high does not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
