"""Exact values of short games, interned and comparable.

values = Values()
up = values.read("{0|*}")
str(up + up)   # ^2
up > 0         # True
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from tengen.core.errors import OptionError
from tengen.core.values import arrays, kernels, transfer_kernels
from tengen.core.values.arrays import HIGH, HIGH_STAR, INFINITE_BOUND, LOW, LOW_STAR, Forms

MAX_CACHED_COMPARISONS = 1 << 22


class Stopped(Exception):
    """`Values.forms.stop` was set before the computation finished. Partial results stay valid."""


class Values:
    """A store of canonical forms. Values of one store can be added and compared; equal values are the same
    form.
    """

    def __init__(self, forms: Forms | None = None) -> None:
        self.forms = forms or arrays.make_forms()
        self.names: dict[int, str] = {}  # cache

    # ---- kernels, repeated with larger arrays if necessary

    def grow(self) -> None:
        """Enlarge the arrays that a kernel found full. Raises `Stopped` if the stop flag was set instead."""
        if self.forms.counts[arrays.FULL] == arrays.STOPPED:
            self.forms.counts[arrays.FULL] = arrays.NOT_FULL
            raise Stopped
        table = self.forms.slots
        self.forms = arrays.with_more_space(self.forms)
        if self.forms.slots is not table:
            self.rebuild_hash_table()
            if len(self.forms.comparison_cache) < min(MAX_CACHED_COMPARISONS, 4 * len(self.forms.start)):
                self.forms = arrays.with_cache_size(self.forms, 2 * len(self.forms.comparison_cache))

    def rebuild_hash_table(self) -> None:
        """Rebuild the hash table after it was enlarged."""
        self.forms.slots[:] = 0
        transfer_kernels.rebuild_slots(self.forms)

    def _run(self, operation: int, first: list[int], second: list[int]) -> int:
        given = [np.array(side, np.int64) for side in (first, second)]
        while (result := int(kernels.run_operation(self.forms, operation, *given))) < 0:
            self.grow()
        return result

    # ---- forms of other stores

    def export_forms(self, forms: Iterable[int]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """These forms and all forms they depend on, as rows for `import_forms`, and the index of each in the rows.

        For each form the rows contain the numbers of Left and Right options, then the options by their index.
        """
        wanted = np.array(list(forms), np.int64)
        used = np.zeros(int(self.forms.counts[arrays.FORMS]), np.uint8)
        used[wanted] = 1
        used[0] = 1
        transfer_kernels.mark_reachable(self.forms, used)
        places = np.cumsum(used, dtype=np.int64) - 1
        return transfer_kernels.export_rows(self.forms, used, places), places[wanted]

    def import_forms(self, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Import the rows of `export_forms`; return the id of each form in their order."""
        ids = np.zeros(len(rows), np.int64)
        state = np.zeros(2, np.int64)  # the form and the row that are next
        while transfer_kernels.import_rows(self.forms, rows, ids, state) < 0:
            self.grow()
        return ids[: state[0]]

    # ---- making values

    def from_form(self, form: int) -> GameValue:
        return GameValue(self, form)

    @property
    def zero(self) -> GameValue:
        return self.from_form(0)

    def game(self, lefts: Iterable[GameValue], rights: Iterable[GameValue]) -> GameValue:
        """The value of the game with these options."""
        sides = [[self._own(option).form for option in side] for side in (lefts, rights)]
        return self.from_form(self._run(kernels.MAKE, *sides))

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
        if self._own(a).form == 0:
            return self._own(b)
        return self.from_form(self._run(kernels.ADD, [a.form], [self._own(b).form])) if b.form else a

    def compare(self, a: GameValue, b: GameValue) -> tuple[bool, bool]:
        """Whether a <= b, and whether a >= b."""
        answer = self._run(kernels.COMPARE, [self._own(a).form], [self._own(b).form])
        return bool(answer & 1), bool(answer & 2)


class GameValue:
    """The value of a game, identified by its canonical form."""

    __slots__ = ("form", "values")

    def __init__(self, values: Values, form: int) -> None:
        self.values = values
        self.form = form

    @property
    def left_options(self) -> tuple[GameValue, ...]:
        return self._options(0)

    @property
    def right_options(self) -> tuple[GameValue, ...]:
        return self._options(1)

    def _options(self, side: int) -> tuple[GameValue, ...]:
        forms = self.values.forms
        begin = int(forms.start[self.form])
        middle = begin + int(forms.lefts[self.form])
        ends = (begin, middle), (middle, middle + int(forms.rights[self.form]))
        return tuple(self.values.from_form(int(form)) for form in forms.options[slice(*ends[side])])

    def _coerced(self, other: object) -> GameValue | None:
        if isinstance(other, GameValue):
            return other
        return self.values.number(other) if isinstance(other, int | Fraction) else None

    def __add__(self, other: object) -> GameValue:
        value = self._coerced(other)
        return NotImplemented if value is None else self.values.add(self, value)

    __radd__ = __add__

    def __neg__(self) -> GameValue:
        return self.values.from_form(int(self.values.forms.negative[self.form]))

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
        low, high = (int(self.values.forms.bounds[self.form, column]) for column in (LOW, HIGH))
        return {(True, True): "P", (True, False): "L", (False, True): "R", (False, False): "N"}[
            low >= 0, high <= 0
        ]

    @property
    def bounds(self) -> tuple[int | None, int | None, int | None, int | None]:
        """Largest k with k up <= G, smallest k with G <= k up, and both for k up + star; None if there is none."""
        row = [int(self.values.forms.bounds[self.form, column]) for column in (LOW, HIGH, LOW_STAR, HIGH_STAR)]
        low, high, low_star, high_star = (None if abs(k) >= INFINITE_BOUND else k for k in row)
        return low, high, low_star, high_star

    @property
    def birthday(self) -> int:
        """The depth of the canonical form."""
        born = {0: 0}
        for form in self.positions():
            options = self.values.from_form(form)
            sides = (*options.left_options, *options.right_options)
            born[form] = 1 + max((born[option.form] for option in sides), default=-1)
        return born[self.form]

    def positions(self) -> list[int]:
        """The ids of all reachable forms in ascending order: options precede their games, this form is last."""
        found: set[int] = set()
        front = [self.form]
        while front:
            form = front.pop()
            if form not in found:
                found.add(form)
                value = self.values.from_form(form)
                front += [option.form for option in (*value.left_options, *value.right_options)]
        return sorted(found)

    @property
    def is_all_small(self) -> bool:
        """Whether in every position either both players can move or neither can."""
        forms = self.values.forms
        return all((forms.lefts[form] == 0) == (forms.rights[form] == 0) for form in self.positions())

    def __str__(self) -> str:
        from tengen.core.values.notation import name

        return name(self)

    def __repr__(self) -> str:
        return f"<GameValue {self}>"
