"""What a move would do to the strings around it: liberties after it, self-atari, ladders. Compiled."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import (
    BORDER,
    EMPTY,
    KO,
    NOWHERE,
    copy_board,
    first_liberty,
    has_liberty,
    head_of,
    is_legal,
    neighbour,
    other_liberty,
    place_stone,
)

_NONE = np.int64(-1)
LONGEST_LADDER = 400  # moves; nothing on a board takes more


@inner
def _friend(board, point, colour):
    """The head of the string on a point if it is of this colour."""
    return head_of(board, point) if board.colour[point] == colour else _NONE


@inner
def _is_new(board, geometry, point, one, two, three, four):
    """Whether an empty point is a liberty of none of these strings."""
    if one >= 0 and has_liberty(board, geometry, one, point):
        return False
    if two >= 0 and has_liberty(board, geometry, two, point):
        return False
    if three >= 0 and has_liberty(board, geometry, three, point):
        return False
    return not (four >= 0 and has_liberty(board, geometry, four, point))


@inner
def liberties_after(board, geometry, point, colour, enough):
    """How many liberties the string of a stone put here would have; `enough` where there are as many or more.

    A capture counts for one liberty, or two if it is of several stones: nearly always right, and quick.
    """
    one = _friend(board, point + 1, colour)
    two = _friend(board, point - 1, colour)
    three = _friend(board, point + geometry.stride, colour)
    four = _friend(board, point - geometry.stride, colour)
    most = np.int64(0)  # of the friends' liberties; this point is one of them
    if one >= 0:
        most = np.int64(board.count[one])
    if two >= 0:
        most = max(most, np.int64(board.count[two]))
    if three >= 0:
        most = max(most, np.int64(board.count[three]))
    if four >= 0:
        most = max(most, np.int64(board.count[four]))
    if most > enough:
        return np.int64(enough)
    count = np.int64(0)
    for direction in range(4):
        beside = neighbour(point, direction, geometry)
        content = np.int64(board.colour[beside])
        if content == EMPTY:
            count += _is_new(board, geometry, beside, one, two, three, four)
        elif content != colour and content != BORDER:
            head = head_of(board, beside)
            if board.count[head] == 1:
                count += 1 if board.size[head] == 1 else 2
    if most > 0 and count < enough:
        joined = np.uint64(0)
        words = geometry.words
        for word in range(words):
            bits = np.uint64(0)
            if one >= 0:
                bits |= board.libs[one * words + word]
            if two >= 0:
                bits |= board.libs[two * words + word]
            if three >= 0:
                bits |= board.libs[three * words + word]
            if four >= 0:
                bits |= board.libs[four * words + word]
            joined += popcount(bits)
        count += np.int64(joined) - 1
    return min(count, np.int64(enough))


@inner
def _degrees(geometry, stones, count):
    """(largest, sum) of the numbers of neighbours that these points have among themselves."""
    largest = 0
    total = 0
    for i in range(count):
        degree = 0
        for direction in range(4):
            beside = neighbour(stones[i], direction, geometry)
            for j in range(count):
                degree += stones[j] == beside
        largest = max(largest, degree)
        total += degree
    return largest, total


@inner
def is_dead_shape(count, largest, total):
    """Whether a space of this shape is one eye: the enemy's move at its vital point leaves one."""
    if count <= 3:
        return True
    if count == 4:
        return largest == 3 or total == 8  # a pyramid, or a square
    if count == 5:
        return largest == 4 or total == 10  # a cross, or the bulky five
    return count == 6 and largest == 4 and total == 12  # the rabbity six


@inner
def fills_eye(board, geometry, point, colour, stones):
    """Whether a stone in self-atari makes a dead shape inside an eye of the enemy: then it is no waste.

    stones: int64 scratch, at least 16.
    """
    count = 1
    stones[0] = point
    for direction in range(4):
        beside = neighbour(point, direction, geometry)
        if board.colour[beside] == colour:
            listed = False
            for i in range(count):
                listed |= stones[i] == beside
            if listed:
                continue
            if count + np.int64(board.size[head_of(board, beside)]) > 6:
                return False
            stone = beside
            while True:
                stones[count] = stone
                count += 1
                stone = np.int64(board.link[stone])
                if stone == beside:
                    break
    if count < 2:
        return False
    # What is left of the space, one point, must be inside too: no empty point beside it but these.
    for i in range(count):
        for direction in range(4):
            beside = neighbour(stones[i], direction, geometry)
            if board.colour[beside] == EMPTY and beside != point:
                for around in range(4):
                    further = neighbour(beside, around, geometry)
                    if board.colour[further] == EMPTY and further != point:
                        return False
    largest, total = _degrees(geometry, stones, count)
    return is_dead_shape(count, largest, total)


@inner
def is_bad_self_atari(board, geometry, point, colour, stones):
    """A legal move after which its string can be taken at once, for nothing."""
    if liberties_after(board, geometry, point, colour, 2) >= 2:
        return False
    return not fills_eye(board, geometry, point, colour, stones)


@inner
def vital_point(board, geometry, start, stones):
    """The point that decides whether the space around an empty point is one eye or two, or NOWHERE.

    stones: int64 scratch, at least 16.
    """
    stones[0] = start
    count = 1
    at = 0
    owner = np.int64(EMPTY)
    while at < count:
        for direction in range(4):
            beside = neighbour(stones[at], direction, geometry)
            content = np.int64(board.colour[beside])
            if content == BORDER:
                continue
            if content != EMPTY:
                if owner != EMPTY and content != owner:
                    return NOWHERE
                owner = content
                continue
            listed = False
            for i in range(count):
                listed |= stones[i] == beside
            if not listed:
                if count == 6:
                    return NOWHERE
                stones[count] = beside
                count += 1
        at += 1
    if count < 3 or owner == EMPTY:
        return NOWHERE
    largest, total = _degrees(geometry, stones, count)
    if not is_dead_shape(count, largest, total) or (count == 4 and total == 8):
        return NOWHERE  # two eyes, or a square: that is dead as it stands
    for i in range(count):
        degree = 0
        for direction in range(4):
            beside = neighbour(stones[i], direction, geometry)
            for j in range(count):
                degree += stones[j] == beside
        if degree == largest:
            return stones[i]
    return NOWHERE


@inner
def capture_that_saves(board, geometry, head, colour):
    """A move that takes a neighbour in atari of a string of this colour, or NOWHERE."""
    stone = head
    while True:
        for direction in range(4):
            beside = neighbour(stone, direction, geometry)
            if board.colour[beside] == 3 - colour:
                enemy = head_of(board, beside)
                if board.count[enemy] == 1:
                    point = first_liberty(board, geometry, enemy)
                    if point != board.facts[KO]:
                        return point
        stone = np.int64(board.link[stone])
        if stone == head:
            return NOWHERE


@inner
def dies_in_ladder(board, geometry, start, colour, attacker_first, reading):
    """Whether the string on a point, of this colour, is caught by atari after atari.

    With 1 liberty it moves first; with 2 and `attacker_first`, the attacker does. It escapes with 3 liberties, or
    when it can take an attacker. Where the attacker has two ataris, the one that leaves fewer liberties is read.
    reading: a board to play on.
    """
    copy_board(board, reading, geometry)
    enemy = 3 - colour
    defending = not attacker_first
    for _ in range(LONGEST_LADDER):
        if reading.colour[start] != colour:
            return True
        head = head_of(reading, start)
        count = np.int64(reading.count[head])
        if defending:
            if count > 1:
                return False
            if capture_that_saves(reading, geometry, head, colour) != NOWHERE:
                return False
            point = first_liberty(reading, geometry, head)
            if not is_legal(reading, geometry, point, colour):
                return True
            place_stone(reading, geometry, point, colour)
            if reading.count[head_of(reading, start)] < 2:
                return True
        else:
            if count == 1:
                return True
            if count > 2:
                return False
            point = best_atari(reading, geometry, head, colour)
            if point == NOWHERE:
                return False
            place_stone(reading, geometry, point, enemy)
        defending = not defending
    return False


@inner
def best_atari(board, geometry, head, colour):
    """The liberty of a string with two whose loss leaves it the fewest after it runs; NOWHERE if it gets away."""
    enemy = 3 - colour
    first = first_liberty(board, geometry, head)
    second = other_liberty(board, geometry, head, first)
    best = NOWHERE
    fewest = np.int64(3)
    for choice in range(2):
        point, run = (first, second) if choice == 0 else (second, first)
        if not is_legal(board, geometry, point, enemy):
            continue
        # The attacking stone is a liberty less; and it must not be taken for free by the run.
        left = liberties_after(board, geometry, run, colour, 5) - 1
        if left < fewest and (left <= 1 or liberties_after(board, geometry, point, enemy, 2) >= 2):
            best = point
            fewest = left
    return best
