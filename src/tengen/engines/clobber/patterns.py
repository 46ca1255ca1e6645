"""Values of a pattern repeated n times: outcomes, periods and conjectured closed forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tengen.core.errors import OptionError
from tengen.core.values import GameValue, Values
from tengen.engines.clobber.kernels.repeated_patterns import repeat_values
from tengen.games.clobber.board import read_board

MAX_CELLS = 6000


@dataclass(frozen=True)
class Experiment:
    """The values for n = 1, 2, …"""

    pattern: str
    values: tuple[GameValue, ...]

    @property
    def outcomes(self) -> str:
        return "".join(value.outcome for value in self.values)

    @property
    def value_period(self) -> tuple[int, int] | None:
        return find_period([value.form for value in self.values])

    @property
    def outcome_period(self) -> tuple[int, int] | None:
        return find_period(list(self.outcomes))

    @property
    def closed_form(self) -> str | None:
        return closed_form(self.values)


def run_experiment(
    pattern: str,
    repeats: int,
    *,
    values: Values | None = None,
    on_length: Callable[[GameValue], None] | None = None,
) -> Experiment:
    """The values of `pattern` repeated 1 to `repeats` times; `on_length` receives each value when it is found.

    Fast if values stay simple, for any length; otherwise each additional cell doubles the time.
    """
    if not pattern.strip():
        raise OptionError("the board is empty: a pattern is a strip of X and O")
    strip = read_board(pattern)
    if not strip or set(strip) - set("XO"):
        raise OptionError(f"a pattern is a strip of X and O without empty cells, not {pattern!r}")
    if repeats < 1 or len(strip) * repeats > MAX_CELLS:
        raise OptionError(
            f"the pattern should be repeated from 1 to {MAX_CELLS // len(strip)} times, not {repeats}"
        )
    values = values or Values()
    cells = np.array(["XO".index(stone) + 1 for stone in strip], np.uint8)
    table = np.zeros((len(strip), 2, 4), np.int32)
    state = np.zeros(1, np.int64)
    found = []
    for count in range(1, repeats + 1):
        enlarged = np.zeros((len(strip), len(strip) * count + 1, 4), np.int32)
        enlarged[:, : table.shape[1]] = table[:, : enlarged.shape[1]]
        table = enlarged
        while repeat_values(values.forms, cells, table, state) < 0:
            values.grow()
        found.append(values.from_form(int(table[0, len(strip) * count, 0])))
        if on_length is not None:
            on_length(found[-1])
    return Experiment(strip, tuple(found))


def find_period(items: Sequence[object]) -> tuple[int, int] | None:
    """(start, length) of a period that repeats at least three times up to the end; None if there is none."""
    for length in range(1, len(items) // 3 + 1):
        begin = len(items)
        while begin - length > 0 and items[begin - 1] == items[begin - 1 - length]:
            begin -= 1
        begin -= length
        if len(items) - begin >= max(3 * length, len(items) // 2):
            return max(0, begin), length
    return None


def closed_form(values: Sequence[GameValue]) -> str | None:
    """A formula for all values except a few at the start: linearly growing multiples of up, periodically plus
    star.
    """
    seen: list[tuple[int, int] | None] = []
    for value in values:
        low, high, low_star, high_star = value.bounds
        if low is not None and low == high:
            seen.append((low, 0))
        elif low_star is not None and low_star == high_star:
            seen.append((low_star, 1))
        else:
            seen.append(None)
    start = max((n for n, item in enumerate(seen) if item is None), default=-1) + 1
    known = [item for item in seen[start:] if item is not None]
    if len(known) < 6:
        return None
    ups = _evenly([item[0] for item in known], start + 1)
    stars = find_period([item[1] for item in known])
    if ups is None or stars is None:
        return None
    begin, length = stars
    pattern = [known[begin + index][1] for index in range(length)]
    first = f"for n > {start}: " if start else ""
    if pattern == [0] * length:
        return f"{first}{ups}"
    if pattern == [1] * length:
        return f"{first}{ups} + *"
    when = [(start + 1 + begin + index) % length for index in range(length) if pattern[index]]
    return f"{first}{ups}, + * if n mod {length} is {' or '.join(map(str, sorted(when)))}"


def _evenly(counts: list[int], first: int) -> str | None:
    """The formula floor((a n + b) / c) up that fits, with the smallest c; None if there is none."""
    if len(set(counts)) == 1:
        return "0" if counts[0] == 0 else f"{counts[0]} up"
    for below in range(1, 7):
        for slope in range(-3 * below, 3 * below + 1):
            for shift in range(-6 * below, 6 * below + 1):
                if all((slope * n + shift) // below == count for n, count in enumerate(counts, first)):
                    if below == 1:
                        return f"({slope} n {'+' if shift >= 0 else '-'} {abs(shift)}) up"
                    return f"floor(({slope} n {'+' if shift >= 0 else '-'} {abs(shift)}) / {below}) up"
    return None
