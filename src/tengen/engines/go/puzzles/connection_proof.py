"""Whether two strings in a closed zone can be joined, proved by solving every position that moves in it lead to.

The zone is shut in by stones of the attacker that live whatever happens, so moves elsewhere are passes. All
positions are listed first; then those in which the owner of the strings forces them into one are found backwards.
An attacker who captures one of them, or who only goes on for ever, has cut them apart.

Each question is answered for all three rules of who may retake a ko. Points of the board are bits of an integer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from enum import Enum

from tengen.core.diagram import Point
from tengen.core.position import Position

MAX_POSITIONS = 60_000  # more would take minutes

# Stones of the attacker and of the owner, whether the owner is to move, and the point where a ko was taken.
State = tuple[int, int, bool, int]


class Retaker(Enum):
    """Who may retake a ko at once; the rules forbid it to both."""

    OWNER = 0
    NOBODY = 1
    ATTACKER = 2


class ConnectionProof:
    """Questions about two strings of at least two stones, which a ko cannot capture."""

    def __init__(self, position: Position, one: Point, other: Point, zone: frozenset[Point]) -> None:
        diagram = position.diagram()
        self._stride = len(diagram.columns) + 1  # a column without points at the end of each row
        contents = diagram.contents()
        owner = contents[one]
        assert owner is contents[other]
        self._zone = self._bits(zone)
        stones = {point: stone for point, stone in contents.items() if stone}
        self._wall = self._bits(point for point in stones if point not in zone)
        self._owner = self._bits(point for point, stone in stones.items() if stone is owner) & self._zone
        self._attacker = self._bits(point for point, stone in stones.items() if stone is not owner) & self._zone
        self._targets = self._bits((one,)), self._bits((other,))
        self._is_joined: dict[Retaker, dict[State, bool]] = {}
        for retaker in Retaker:
            found = self._solve(retaker)
            if found is None:
                self._is_joined.clear()
                break
            self._is_joined[retaker] = found

    @property
    def is_solved(self) -> bool:
        """False if there were too many positions."""
        return bool(self._is_joined)

    def is_decided_by_turn(self) -> bool:
        """Whether the owner, moving first, joins the strings, and the attacker, moving first, cuts them apart."""
        start = self._attacker, self._owner
        return all(found[*start, True, 0] and not found[*start, False, 0] for found in self._is_joined.values())

    def joined_after(self, move: Point, *, by_owner: bool) -> frozenset[bool] | None:
        """Whether they are joined after a first move in the zone: both if it depends on a ko; None if illegal."""
        after = self._play((self._attacker, self._owner, by_owner, 0), self._bits((move,)))
        return None if after is None else frozenset(found[after] for found in self._is_joined.values())

    # ---- the search

    def _solve(self, retaker: Retaker) -> dict[State, bool] | None:
        """For each position that can arise, whether the strings are joined; None above `MAX_POSITIONS`."""
        before: dict[State, list[State]] = {(self._attacker, self._owner, turn, 0): [] for turn in (False, True)}
        waiting = deque(before)
        undecided: dict[State, int] = {}  # by position, the successors from which the owner may not get there
        joined: deque[State] = deque()
        while waiting:
            if len(before) > MAX_POSITIONS:
                return None
            state = waiting.popleft()
            end = self._end(state)
            if end is not None:
                if end:
                    joined.append(state)
                continue
            following = self._successors(state, retaker)
            undecided[state] = len(following)
            for after in following:
                if after not in before:
                    before[after] = []
                    waiting.append(after)
                before[after].append(state)
        result = dict.fromkeys(before, False)
        for state in joined:
            result[state] = True
        while joined:
            for state in before[joined.popleft()]:
                undecided[state] -= 1
                if not result[state] and (state[2] or not undecided[state]):
                    result[state] = True
                    joined.append(state)
        return result

    def _end(self, state: State) -> bool | None:
        """True if the strings are joined, False if one is captured, None if neither."""
        owner = state[1]
        one, other = self._targets
        if not (owner & one and owner & other):
            return False
        return True if self._string(one, owner) & other else None

    def _successors(self, state: State, retaker: Retaker) -> list[State]:
        attacker, owner, turn, ko = state
        found: list[State] = [(attacker, owner, not turn, 0)]  # a pass, or a move elsewhere
        empty = self._zone & ~(attacker | owner)
        if ko and retaker is not (Retaker.OWNER if turn else Retaker.ATTACKER):
            empty &= ~ko
        while empty:
            move = empty & -empty
            empty ^= move
            after = self._play(state, move)
            if after is not None:
                found.append(after)
        return found

    def _play(self, state: State, move: int) -> State | None:
        """The position after a move; None if it is suicide."""
        attacker, owner, turn, _ko = state
        mine, theirs = (owner, attacker) if turn else (attacker, owner)
        mine |= move
        captured = 0
        beside = self._beside(move) & theirs
        while beside:
            string = self._string(beside & -beside, theirs)
            beside &= ~string
            if not self._has_liberty(string, mine | theirs, safe=self._wall if turn else 0):
                captured |= string
        theirs &= ~captured
        string = self._string(move, mine)
        wall = 0 if turn else self._wall
        if not self._has_liberty(string, mine | theirs, safe=wall):
            return None
        ko = 0
        if captured and not captured & (captured - 1) and string == move and not self._beside(move) & wall:
            empty = self._beside(move) & self._zone & ~(mine | theirs)
            ko = captured if empty == captured else 0
        return (theirs, mine, False, ko) if turn else (mine, theirs, True, ko)

    def _has_liberty(self, string: int, stones: int, safe: int) -> bool:
        """Whether a string has a liberty or is joined to stones that always live."""
        beside = self._beside(string)
        return bool(beside & (self._zone & ~stones | safe))

    def _string(self, start: int, own: int) -> int:
        string = start
        while True:
            wider = string | self._beside(string) & own
            if wider == string:
                return string
            string = wider

    def _beside(self, points: int) -> int:
        stride = self._stride
        return points << 1 | points >> 1 | points << stride | points >> stride

    def _bits(self, points: Iterable[Point]) -> int:
        return sum(1 << row * self._stride + column for column, row in points)
