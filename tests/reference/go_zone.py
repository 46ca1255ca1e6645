"""Capture of a string in a closed zone of Go, by solving every position that moves in the zone lead to.

The zone is shut in by stones of the attacker that live whatever happens in it, so moves elsewhere are passes. All
positions are listed first, then those in which the attacker forces the capture are found backwards. Nothing is
pruned, so this is slow, but there is little that can be wrong. `go_life.Forced` does the same on dictionaries, for
smaller zones. With two strings of the defender, the question is whether the defender forces them into one.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.typed import Dict
from tests.reference.go_tactics import Spot, Stones

DEFENDER_RETAKES, NOBODY_RETAKES, ATTACKER_RETAKES = range(3)
NO_KO = 31


@njit(cache=True)
def _string(at, own, beside):
    """The string on a point as a bit set, of a colour with the stones `own`."""
    string = np.uint64(1) << np.uint64(at)
    while True:
        wider = string
        for point in range(len(beside)):
            if string >> np.uint64(point) & np.uint64(1):
                wider |= beside[point] & own
        if wider == string:
            return string
        string = wider


@njit(cache=True)
def _liberties(string, empty, beside):
    found = np.uint64(0)
    for point in range(len(beside)):
        if string >> np.uint64(point) & np.uint64(1):
            found |= beside[point] & empty
    return found


@njit(cache=True)
def _count(bits):
    found = 0
    while bits:
        bits &= bits - np.uint64(1)
        found += 1
    return found


@njit(cache=True)
def _play(at, mine, theirs, beside, walled, attacks):
    """The stones after a move of the side with the stones `mine`, and the ko point; the first is 0 if illegal."""
    full = (np.uint64(1) << np.uint64(len(beside))) - np.uint64(1)
    one = np.uint64(1) << np.uint64(at)
    mine |= one
    taken = np.uint64(0)
    for point in range(len(beside)):
        bit = np.uint64(1) << np.uint64(point)
        if beside[at] & theirs & bit:
            string = _string(point, theirs, beside)
            safe = not attacks and string & walled  # a string of the attacker that is joined to the wall
            if not safe and not _liberties(string, full & ~(mine | theirs), beside):
                taken |= string
    theirs &= ~taken
    string = _string(at, mine, beside)
    joined = attacks and string & walled
    liberties = _liberties(string, full & ~(mine | theirs), beside)
    if not liberties and not joined:
        return np.uint64(0), theirs, NO_KO
    ko = NO_KO
    if _count(taken) == 1 and string == one and not joined and _count(liberties) == 1:
        ko = 0
        while not taken >> np.uint64(ko) & np.uint64(1):
            ko += 1
    return mine, theirs, ko


@njit(cache=True)
def _key(attackers, defenders, turn, ko):
    return attackers << np.uint64(34) | defenders << np.uint64(6) | np.uint64(ko) << np.uint64(1) | np.uint64(turn)


@njit(cache=True)
def solve_zone(attackers, defenders, target, other, beside, walled, mode, most):
    """Whether the string on `target` is caught, by position; `turn` is 0 for the attacker. Empty above `most`.

    If there is an `other` target (not -1): whether the two are joined.
    """
    number = Dict.empty(types.uint64, types.int64)
    keys = [_key(attackers, defenders, 0, NO_KO), _key(attackers, defenders, 1, NO_KO)]
    number[keys[0]], number[keys[1]] = 0, 1
    first, moves = [0], [0][:0]
    reached = [False][:0]
    points = len(beside)
    mask = (np.uint64(1) << np.uint64(28)) - np.uint64(1)
    at = 0
    while at < len(keys):
        if len(keys) > most:
            return Dict.empty(types.uint64, types.boolean)
        key = keys[at]
        at += 1
        turn = int(key & np.uint64(1))
        ko = int(key >> np.uint64(1) & np.uint64(31))
        low, high = key >> np.uint64(6) & mask, key >> np.uint64(34) & mask
        over = not low >> np.uint64(target) & np.uint64(1)
        if other < 0:
            reached.append(over and not (ko == target and mode == 0))
        else:
            over = over or not low >> np.uint64(other) & np.uint64(1)
            joined = not over and _string(target, low, beside) >> np.uint64(other) & np.uint64(1)
            reached.append(bool(joined))
            over = over or joined
        if not over:
            mine, theirs = (high, low) if turn == 0 else (low, high)
            for move in range(-1, points):
                if move < 0:
                    mine_after, theirs_after, now = mine, theirs, NO_KO
                else:
                    if (mine | theirs) >> np.uint64(move) & np.uint64(1):
                        continue
                    if move == ko and not (mode == 2 and turn == 0) and not (mode == 0 and turn == 1):
                        continue
                    mine_after, theirs_after, now = _play(move, mine, theirs, beside, walled, turn == 0)
                    if not mine_after:
                        continue
                if turn == 0:
                    after = _key(mine_after, theirs_after, 1, now)
                else:
                    after = _key(theirs_after, mine_after, 0, now)
                if after not in number:
                    number[after] = len(keys)
                    keys.append(after)
                moves.append(number[after])
        first.append(len(moves))
    changed = True
    while changed:
        changed = False
        for at in range(len(keys) - 1, -1, -1):
            if reached[at] or first[at] == first[at + 1]:
                continue
            seeks = bool(keys[at] & np.uint64(1)) == (other >= 0)  # whether who wants it is to move
            result = not seeks
            for index in range(first[at], first[at + 1]):
                if reached[moves[index]] == seeks:
                    result = seeks
                    break
            if result:
                reached[at] = True
                changed = True
    found = Dict.empty(types.uint64, types.boolean)
    for at in range(len(keys)):
        found[keys[at]] = reached[at]
    return found


class SolvedZone:
    """Questions about one string in a closed zone, or with `other` about whether two are joined."""

    MAX_POINTS = 28

    def __init__(
        self,
        stones: Stones,
        size: Spot,
        target: Spot,
        zone: set[Spot],
        most: int = 3_000_000,
        other: Spot | None = None,
    ) -> None:
        assert len(zone) <= self.MAX_POINTS
        self._points = sorted(zone)
        self._index = {point: number for number, point in enumerate(self._points)}
        self._attacker = 3 - stones[target]
        inside = {(column, row) for column in range(size[0]) for row in range(size[1])}
        beside, walled = [], 0
        for number, (column, row) in enumerate(self._points):
            near = {(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)} & inside
            assert all(stones.get(one) == self._attacker for one in near - zone), "the zone is not closed"
            walled |= bool(near - zone) << number
            beside.append(sum(1 << self._index[one] for one in near & zone))
        self._beside, self._walled = np.array(beside, np.uint64), np.uint64(walled)
        self._sides = [
            np.uint64(sum(1 << self._index[point] for point in zone if stones.get(point) == colour))
            for colour in (self._attacker, 3 - self._attacker)
        ]
        targets = self._index[target], -1 if other is None else self._index[other]
        args = (*self._sides, *targets, self._beside, self._walled)
        self._tables = [solve_zone(*args, mode, most) for mode in range(3)]

    @property
    def is_solved(self) -> bool:
        """False if there were too many positions."""
        return all(len(table) > 0 for table in self._tables)

    def reached(self, mode: int, *, attacker_first: bool) -> bool:
        """Whether the string is caught, or the two are joined, if this side moves first."""
        return bool(self._tables[mode][np.uint64(_key(*self._sides, 0 if attacker_first else 1, NO_KO))])

    def reached_after(self, mode: int, move: Spot, colour: int) -> bool:
        """The same after a legal first move; one outside the zone is a pass."""
        attacks = colour == self._attacker
        if move not in self._index:
            return self.reached(mode, attacker_first=not attacks)
        mine, theirs = self._sides if attacks else self._sides[::-1]
        mine, theirs, ko = _play(self._index[move], mine, theirs, self._beside, self._walled, attacks)
        assert mine, "the move is not legal"
        key = _key(mine, theirs, 1, ko) if attacks else _key(theirs, mine, 0, ko)
        return bool(self._tables[mode][np.uint64(key)])
