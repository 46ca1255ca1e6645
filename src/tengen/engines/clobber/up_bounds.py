"""Lower bounds of games among the multiples of up, in plain Python.

`checker` and `pattern_bounds` use this module. It shares no code with the kernels and computes no values.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

NO_BOUND = -(10**6)


class UpBounds(NamedTuple):
    """Four lower bounds of a game G, each the largest k proved so far.

    second, second_star: G >= k up, G >= k up + star (Left wins the difference moving second)
    first, first_star: Left wins G - k up, or G - (k up + star), moving first
    """

    second: int
    second_star: int
    first: int
    first_star: int

    def __add__(self, other: UpBounds) -> UpBounds:  # type: ignore[override]
        """Bounds of the sum: Left moves second in both terms, or first in one. Two stars cancel."""
        a, b = self, other
        return UpBounds(
            max(a.second + b.second, a.second_star + b.second_star),
            max(a.second + b.second_star, a.second_star + b.second),
            max(
                a.second + b.first,
                a.second_star + b.first_star,
                a.first + b.second,
                a.first_star + b.second_star,
            ),
            max(
                a.second + b.first_star,
                a.second_star + b.first,
                a.first + b.second_star,
                a.first_star + b.second,
            ),
        )

    @property
    def wins_first(self) -> bool:
        """Whether Left wins moving first."""
        return self.first >= 0

    @property
    def wins_second(self) -> bool:
        """Whether Left wins moving second. 2 up + star >= 0, but not up + star >= 0."""
        return self.second >= 0 or self.second_star >= 2


ZERO = UpBounds(0, -2, -1, 1)
UNKNOWN = UpBounds(NO_BOUND, NO_BOUND, NO_BOUND, NO_BOUND)


def extremes(lefts: Iterable[UpBounds], rights: Iterable[UpBounds]) -> UpBounds:
    """Maxima over Left's options, as `first` bounds, and minima over Right's options, as `second` bounds."""
    first, first_star = NO_BOUND, NO_BOUND
    for option in lefts:
        first, first_star = max(first, option.second), max(first_star, option.second_star)
    most, most_star = -NO_BOUND, -NO_BOUND
    for option in rights:
        most, most_star = min(most, option.first), min(most_star, option.first_star)
    return UpBounds(most, most_star, first, first_star)


def from_moves(moves: UpBounds) -> UpBounds:
    """The bounds of a game from the `extremes` of its moves; both players must have a move.

    G >= c if Left has an answer to every move of Right in G - c: in G, after which Left must win moving first, or
    in -c, to the negative of a Left option of c. If all extremes are above 1, or all below -1, then changing them
    by the same number, away from 0, changes the result by that number.
    """
    most, most_star, first, first_star = moves
    shown = UpBounds(NO_BOUND, NO_BOUND, first, first_star)
    second = most
    while not _answers(shown, second, star=False):
        second -= 1
    shown = UpBounds(second, NO_BOUND, max(first, second - 1), max(first_star, second + 1))
    second_star = most_star
    while not _answers(shown, second_star, star=True):
        second_star -= 1
    second, second_star = max(second, second_star - 2), max(second_star, second - 2)
    return UpBounds(
        second,
        second_star,
        max(first, second - 1, second_star + 1),
        max(first_star, second_star - 1, second + 1),
    )


def _answers(shown: UpBounds, k: int, *, star: bool) -> bool:
    """Whether Left, moving first, wins G - d for every Left option d of c = k up, or k up + star.

    k up = {0 | ...} and -k up = {-(k-1) up + star | 0} for k > 0; star = {0 | 0}, up + star = {0, star | 0},
    k up + star = {0 | ...} and -k up + star = {-(k-1) up | 0} for k > 1, -up + star = {0 | 0, star}.
    """
    if not star:
        return k == 0 or (shown.first >= 0 if k > 0 else shown.first_star >= k + 1)
    if k <= -2:
        return shown.first >= k + 1
    return shown.first >= 0 and (k != 1 or shown.first_star >= 0)
