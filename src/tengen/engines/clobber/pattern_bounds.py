"""Bounds of a repeated pattern for every length, by induction. Independent of the values in `patterns`.

For each piece that play can produce from the repeated pattern (given by length, offset in the pattern and end
stones), `up_bounds` gives lower bounds for Left from those of the two shorter pieces that each move leaves. With
colours swapped, the same gives upper bounds. Where both agree, the value is that multiple of up.

Lengths are unbounded, but the table becomes periodic: from some length M on, adding `period` cells to a piece
raises all its numbers by the same `gain`. If this holds for all lengths from M to 2 M + `period`, it holds for
every greater length. Proof: take a piece of l + `period` cells. A move leaves two pieces with l + `period` - 1
cells together, so one of them has at least M + `period` cells. Removing `period` cells from it gives a move of the
piece of l cells, whose numbers are smaller by `gain`; and vice versa. So the extremes over the moves of both
pieces differ by `gain`, and then so do their numbers: see `from_moves`, which requires that the extremes are far
enough from 0 and that the gain moves them away from it.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen.core.errors import OptionError
from tengen.core.values import GameValue
from tengen.engines.clobber.up_bounds import ZERO, UpBounds, extremes, from_moves
from tengen.games.clobber.board import read_board

Piece = tuple[int, int, str, str]  # length, where in the pattern it begins, first and last stone
Bounds = tuple[int, int, int, int]  # as `GameValue.bounds`
PERIOD_SEARCH_CELLS = 120  # periods show up within this length
MAX_PATTERNS_PER_PERIOD = 4

_SWAP = str.maketrans("XO", "OX")


@dataclass(frozen=True)
class PatternBounds:
    """Proved bounds of a pattern repeated n times.

    bounds: for n = 1, 2, …
    since, period, gain: from `since` cells on, `period` more cells add `gain` ups, for every length; all 0 if no
        period was found
    """

    pattern: str
    bounds: tuple[Bounds, ...]
    since: int = 0
    period: int = 0
    gain: int = 0

    def bounds_of(self, n: int) -> Bounds:
        """Bounds for any n; requires a period if n exceeds `len(bounds)`."""
        step = self.period // len(self.pattern)
        times = max(0, -(-(n - len(self.bounds)) // step)) if step else 0
        low, high, low_star, high_star = self.bounds[n - 1 - times * step]
        more = times * self.gain
        return low + more, high + more, low_star + more, high_star + more

    def agrees(self, n: int, value: GameValue) -> bool:
        """Whether a value lies within the bounds."""
        low, high, low_star, high_star = self.bounds_of(n)
        least, most, least_star, most_star = value.bounds
        if least is None or most is None or least_star is None or most_star is None:
            return False
        return low <= least and most <= high and low_star <= least_star and most_star <= high_star

    def decides(self, n: int) -> bool:
        """Whether the bounds determine the value."""
        low, high, low_star, high_star = self.bounds_of(n)
        return low == high or low_star == high_star


def find_pattern_bounds(pattern: str, repeats: int) -> PatternBounds:
    """Bounds of `pattern` repeated. Computed only up to the length at which a period is proved, if there is
    one.
    """
    strip = read_board(pattern)
    if not strip or set(strip) - set("XO") or repeats < 1:
        raise OptionError(f"a pattern is a strip of X and O without empty cells, not {pattern!r}")
    enough = -(-PERIOD_SEARCH_CELLS // len(strip))
    law = _pattern_bounds(strip, enough)
    return law if law.period or repeats <= enough else _pattern_bounds(strip, repeats)


def _pattern_bounds(strip: str, repeats: int) -> PatternBounds:
    longest = len(strip) * repeats
    low, high = Table(strip, longest), Table(strip.translate(_SWAP), longest)
    bounds = []
    for n in range(1, repeats + 1):
        length = len(strip) * n
        below, above = low.whole(length), high.whole(length)
        bounds.append((below.second, -above.second, below.second_star, -above.second_star))
    for factor in range(1, MAX_PATTERNS_PER_PERIOD + 1):
        period = factor * len(strip)
        one, other = low.repeats_itself(period), high.repeats_itself(period)
        if one is not None and other is not None and one[1] == -other[1]:
            return PatternBounds(strip, tuple(bounds), max(one[0], other[0]), period, one[1])
    return PatternBounds(strip, tuple(bounds))


class Table:
    """Lower bounds of every piece of a pattern up to a length."""

    def __init__(self, pattern: str, longest: int) -> None:
        self.pattern, self.longest = pattern, longest
        self.standings: dict[Piece, UpBounds] = {}
        self.moves: dict[Piece, UpBounds | None] = {}  # their extremes; None if there are no moves
        for length in range(2, longest + 1):
            for begin in range(len(pattern)):
                for first in "XO":
                    for last in "XO":
                        piece = length, begin, first, last
                        moves = self.moves[piece] = self._moves(*piece)
                        self.standings[piece] = ZERO if moves is None else from_moves(moves)

    def whole(self, length: int) -> UpBounds:
        """Bounds of the repeated pattern itself, up to a length."""
        return self._up_bounds(length, 0, self.pattern[0], self.pattern[(length - 1) % len(self.pattern)])

    def _up_bounds(self, length: int, begin: int, first: str, last: str) -> UpBounds:
        """Bounds of a piece; a single stone is 0."""
        return self.standings[length, begin % len(self.pattern), first, last] if length > 1 else ZERO

    def _moves(self, length: int, begin: int, first: str, last: str) -> UpBounds | None:
        count = len(self.pattern)
        cells = (self.pattern * (length // count + 2))[begin : begin + length]
        cells = first + cells[1:-1] + last
        sides: dict[str, set[tuple[UpBounds, UpBounds]]] = {"X": set(), "O": set()}
        for place in range(length - 1):
            one, two = cells[place], cells[place + 1]
            if one == two:
                continue
            # Either the left stone captures to the right, or the right stone to the left.
            before, after = cells[place - 1], cells[min(place + 2, length - 1)]
            sides[one].add(
                (
                    self._up_bounds(place, begin, first, before),
                    self._up_bounds(length - place - 1, begin + place + 1, one, last),
                )
            )
            sides[two].add(
                (
                    self._up_bounds(place + 1, begin, first, two),
                    self._up_bounds(length - place - 2, begin + place + 2, after, last),
                )
            )
        if not sides["X"]:
            return None
        return extremes((a + b for a, b in sides["X"]), (a + b for a, b in sides["O"]))

    def repeats_itself(self, period: int) -> tuple[int, int] | None:
        """(M, gain) if adding `period` cells raises all pieces from M cells on by `gain`, for enough lengths; or
        None.
        """
        since, gain = 0, None
        for length in range(self.longest - period, 3, -1):
            gains = {self._gain(piece, period) for piece in self.standings if piece[0] == length}
            if len(gains) != 1 or None in gains or gain not in (None, *gains):
                break
            since, gain = length, gains.pop()
        if gain is None or self.longest - period < 2 * since + period:
            return None
        return since, gain

    def _gain(self, piece: Piece, period: int) -> int | None:
        """The common increase of all numbers of a piece with `period` more cells; None if they differ or are near
        0.
        """
        length, *rest = piece
        longer = (length + period, *rest)
        shorter_moves, longer_moves = self.moves[piece], self.moves[longer]  # type: ignore[index]
        if shorter_moves is None or longer_moves is None:
            return None
        numbers = (*self.standings[piece], *shorter_moves)
        more = (*self.standings[longer], *longer_moves)  # type: ignore[index]
        gains = {b - a for a, b in zip(numbers, more, strict=True)}
        if len(gains) != 1:
            return None
        gain = gains.pop()
        far = gain == 0 or (min(shorter_moves) > 1 if gain > 0 else max(shorter_moves) < -1)
        return gain if far else None
