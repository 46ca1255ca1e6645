"""A law about a pattern repeated, shown for every length by induction: a second way to what the laboratory finds.

Nothing is valued here. For each piece that play can make of the repeated pattern (how long it is, where in the
pattern it begins, which stones its ends are), `standing` gives what it is worth to Left at least, from what its
moves leave: two shorter pieces. The same with the colours swapped is what it is worth at most. Where both meet,
the value is that multiple of up.

Lengths have no end, but the table repeats itself: from some length M on, a piece with `period` cells more has all
its numbers larger by the same `gain`. If that is seen for all lengths from M to 2 M + `period`, it holds for ever.
For take a longer piece of l + `period` cells. A move leaves two pieces of l + `period` - 1 cells together, so one
of them has M + `period` or more; `period` cells less of it make a move of the piece of l cells, and its numbers
are less by `gain`; and the other way round. So the extremes of both pieces' moves differ by `gain`, and then so do
their numbers: see `from_moves`, which asks that the extremes are far enough from 0 and go away from it.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen.core.errors import OptionError
from tengen.core.values import GameValue
from tengen.engines.clobber.up_bounds import ZERO, UpBounds, extremes, from_moves
from tengen.games.clobber.board import read_board

Piece = tuple[int, int, str, str]  # length, where in the pattern it begins, first and last stone
Bounds = tuple[int, int, int, int]  # as `GameValue.bounds`
ENOUGH = 120  # cells; laws that hold are seen by then
MOST_PERIODS = 4  # patterns in a period

_SWAP = str.maketrans("XO", "OX")


@dataclass(frozen=True)
class PatternBounds:
    """What was shown about a pattern repeated n times.

    bounds: for n = 1, 2, …
    since, period, gain: from `since` cells on, `period` cells more add `gain` ups, for ever; 0, 0, 0 if not seen
    """

    pattern: str
    bounds: tuple[Bounds, ...]
    since: int = 0
    period: int = 0
    gain: int = 0

    def bounds_of(self, n: int) -> Bounds:
        """For any n, if there is a period."""
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
        """Whether nothing else lies within the bounds."""
        low, high, low_star, high_star = self.bounds_of(n)
        return low == high or low_star == high_star


def find_pattern_bounds(pattern: str, repeats: int) -> PatternBounds:
    """Bounds of `pattern` repeated; only for as many cells as it takes to see that they go on for ever, if so."""
    strip = read_board(pattern)
    if not strip or set(strip) - set("XO") or repeats < 1:
        raise OptionError(f"a pattern is a strip of X and O without empty cells, not {pattern!r}")
    enough = -(-ENOUGH // len(strip))
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
    for factor in range(1, MOST_PERIODS + 1):
        period = factor * len(strip)
        one, other = low.repeats_itself(period), high.repeats_itself(period)
        if one is not None and other is not None and one[1] == -other[1]:
            return PatternBounds(strip, tuple(bounds), max(one[0], other[0]), period, one[1])
    return PatternBounds(strip, tuple(bounds))


class Table:
    """What every piece of a pattern, up to a length, is worth to Left at least."""

    def __init__(self, pattern: str, longest: int) -> None:
        self.pattern, self.longest = pattern, longest
        self.standings: dict[Piece, UpBounds] = {}
        self.moves: dict[Piece, UpBounds | None] = {}  # their extremes; None where nobody can move
        for length in range(2, longest + 1):
            for begin in range(len(pattern)):
                for first in "XO":
                    for last in "XO":
                        piece = length, begin, first, last
                        moves = self.moves[piece] = self._moves(*piece)
                        self.standings[piece] = ZERO if moves is None else from_moves(moves)

    def whole(self, length: int) -> UpBounds:
        """Of the pattern itself, repeated up to a length."""
        return self._up_bounds(length, 0, self.pattern[0], self.pattern[(length - 1) % len(self.pattern)])

    def _up_bounds(self, length: int, begin: int, first: str, last: str) -> UpBounds:
        """Of a piece; single stones are nothing."""
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
            # One stone goes right, takes the other and stands in its place; or the other goes left.
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
        """(M, gain), if all pieces from M cells on are seen to gain so much by `period` cells, often enough."""
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
        """By how much all numbers of a piece grow with its length; None if not all by the same, or near 0."""
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
