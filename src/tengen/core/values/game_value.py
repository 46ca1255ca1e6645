"""Values of short games, as users of the package see them: arithmetic, order, options, outcome.

A value belongs to a store of canonical forms: the compiled `Values`, or `PlainValues` for small questions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction

from tengen.core.errors import OptionError

Bounds = tuple[int | None, int | None, int | None, int | None]


class Stopped(Exception):
    """The computation was stopped before it finished. Partial results stay valid."""


class ValueStore(ABC):
    """A store of canonical forms, identified by integers; form 0 is the game 0.

    Values of one store can be added and compared; equal values are the same form.
    """

    def __init__(self) -> None:
        self.names: dict[int, str] = {}  # cache

    @abstractmethod
    def options_of(self, form: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The Left and Right options of a form. They have smaller ids than the form."""

    @abstractmethod
    def negative_of(self, form: int) -> int:
        """The negative of a form."""

    @abstractmethod
    def bounds_of(self, form: int) -> Bounds:
        """See `GameValue.bounds`."""

    @abstractmethod
    def make_form(self, lefts: list[int], rights: list[int]) -> int:
        """The canonical form of the game with these options."""

    @abstractmethod
    def add_forms(self, a: int, b: int) -> int:
        """The sum of two forms."""

    @abstractmethod
    def compare_forms(self, a: int, b: int) -> tuple[bool, bool]:
        """Whether a <= b, and whether a >= b."""

    def signs_of(self, form: int) -> tuple[bool, bool]:
        """Whether a form is >= 0, and whether it is <= 0."""
        at_most, at_least = self.compare_forms(form, 0)
        return at_least, at_most

    def from_form(self, form: int) -> GameValue:
        return GameValue(self, form)

    @property
    def zero(self) -> GameValue:
        return self.from_form(0)

    def game(self, lefts: Iterable[GameValue], rights: Iterable[GameValue]) -> GameValue:
        """The value of the game with these options."""
        sides = [[self._own(option).form for option in side] for side in (lefts, rights)]
        return self.from_form(self.make_form(*sides))

    def number(self, amount: int | Fraction) -> GameValue:
        """An integer or a dyadic fraction."""
        amount = Fraction(amount)
        power = amount.denominator
        if power & (power - 1) or power > 1 << 12 or abs(amount) > 1000:
            raise OptionError(
                f"{amount} is not supported: numbers are up to 1000, with a power of two as denominator"
            )
        if power == 1:
            value = self.zero
            for _ in range(abs(int(amount))):
                value = self.game([value], [])
            return value if amount >= 0 else -value
        step = Fraction(1, power)
        return self.game([self.number(amount - step)], [self.number(amount + step)])

    def nimber(self, heap: int) -> GameValue:
        if not 0 <= heap <= 100:
            raise OptionError(f"nimbers should be from *0 to *100, not *{heap}")
        made: list[GameValue] = []
        for _ in range(heap + 1):
            made.append(self.game(made, made))
        return made[-1]

    def up(self, multiple: int = 1, *, star: bool = False) -> GameValue:
        """`multiple` ups, negative for downs, with or without a star."""
        if abs(multiple) > 1000:
            raise OptionError(f"multiples of up should be at most 1000, not {multiple}")
        star_value = self.nimber(1)
        total = self.zero
        for _ in range(abs(multiple)):  # k up = {0 | (k-1) up *}
            total = self.game([self.zero], [total + star_value])
        total = total if multiple >= 0 else -total
        return total + star_value if star else total

    def read(self, text: str) -> GameValue:
        """Parse a name or options: `3/4`, `^2*`, `{1|*}`, `{0||0|-2}`. Raises `OptionError`."""
        from tengen.core.values.notation import read

        return read(self, text)

    def _own(self, value: GameValue) -> GameValue:
        if value.values is not self:
            raise OptionError("values of two stores cannot be mixed")
        return value

    def add(self, a: GameValue, b: GameValue) -> GameValue:
        first, second = self._own(a).form, self._own(b).form
        return self.from_form(self.add_forms(first, second) if first and second else first or second)

    def compare(self, a: GameValue, b: GameValue) -> tuple[bool, bool]:
        """Whether a <= b, and whether a >= b."""
        return self.compare_forms(self._own(a).form, self._own(b).form)


class GameValue:
    """The value of a game, identified by its canonical form."""

    __slots__ = ("form", "values")

    def __init__(self, values: ValueStore, form: int) -> None:
        self.values = values
        self.form = form

    @property
    def left_options(self) -> tuple[GameValue, ...]:
        return tuple(self.values.from_form(form) for form in self.values.options_of(self.form)[0])

    @property
    def right_options(self) -> tuple[GameValue, ...]:
        return tuple(self.values.from_form(form) for form in self.values.options_of(self.form)[1])

    def _coerced(self, other: object) -> GameValue | None:
        if isinstance(other, GameValue):
            return other
        return self.values.number(other) if isinstance(other, int | Fraction) else None

    def __add__(self, other: object) -> GameValue:
        value = self._coerced(other)
        return NotImplemented if value is None else self.values.add(self, value)

    __radd__ = __add__

    def __neg__(self) -> GameValue:
        return self.values.from_form(self.values.negative_of(self.form))

    def __sub__(self, other: object) -> GameValue:
        value = self._coerced(other)
        return NotImplemented if value is None else self + -value

    def __eq__(self, other: object) -> bool:
        value = self._coerced(other)
        return NotImplemented if value is None else value.values is self.values and value.form == self.form

    def __hash__(self) -> int:
        return hash(self.form)

    def __le__(self, other: object) -> bool:
        value = self._coerced(other)
        return NotImplemented if value is None else self.values.compare(self, value)[0]

    def __ge__(self, other: object) -> bool:
        value = self._coerced(other)
        return NotImplemented if value is None else self.values.compare(self, value)[1]

    def __lt__(self, other: object) -> bool:
        value = self._coerced(other)
        return NotImplemented if value is None else self.form != value.form and self <= value

    def __gt__(self, other: object) -> bool:
        value = self._coerced(other)
        return NotImplemented if value is None else self.form != value.form and self >= value

    @property
    def outcome(self) -> str:
        """The outcome class: L, R, N (next player wins) or P (previous player wins)."""
        classes = {(True, True): "P", (True, False): "L", (False, True): "R", (False, False): "N"}
        return classes[self.values.signs_of(self.form)]

    @property
    def bounds(self) -> Bounds:
        """Largest k with k up <= G, smallest k with G <= k up, and both for k up + star; None if there is none."""
        return self.values.bounds_of(self.form)

    @property
    def birthday(self) -> int:
        """The depth of the canonical form."""
        born = {0: 0}
        for form in self.positions():
            lefts, rights = self.values.options_of(form)
            born[form] = 1 + max((born[option] for option in (*lefts, *rights)), default=-1)
        return born[self.form]

    def positions(self) -> list[int]:
        """The ids of all reachable forms in ascending order: options precede their games, this form is last."""
        found: set[int] = set()
        front = [self.form]
        while front:
            form = front.pop()
            if form not in found:
                found.add(form)
                lefts, rights = self.values.options_of(form)
                front += [*lefts, *rights]
        return sorted(found)

    @property
    def is_all_small(self) -> bool:
        """Whether in every position either both players can move or neither can."""
        return all(bool(lefts) == bool(rights) for lefts, rights in map(self.values.options_of, self.positions()))

    def __str__(self) -> str:
        from tengen.core.values.notation import name

        return name(self)

    def __repr__(self) -> str:
        return f"<GameValue {self}>"
