"""Fast tactics for playouts and features: liberties after a move, self-atari, vital points, ladders."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import (
    BORDER,
    EMPTY,
    NOWHERE,
    copy_board,
    first_liberty,
    first_neighbour,
    has_liberty,
    head_of,
    is_legal,
    neighbour,
    neighbours_with,
    other_liberty,
    place_stone,
)

_NONE = np.int64(-1)
LONGEST_LADDER = 400  # moves


@inner
def _friend(board, point, colour):
    """The head of the string on a point if it has this colour, else -1."""
    return head_of(board, point) if board.colour[point] == colour else _NONE


@inner
def _is_new(board, geometry, point, one, two, three, four):
    """Whether an empty point is not a liberty of any of these strings."""
    if one >= 0 and has_liberty(board, geometry, one, point):
        return False
    if two >= 0 and has_liberty(board, geometry, two, point):
        return False
    if three >= 0 and has_liberty(board, geometry, three, point):
        return False
    return not (four >= 0 and has_liberty(board, geometry, four, point))


@inner
def liberties_after(board, geometry, point, colour, enough):
    """Number of liberties of the string of a stone placed here, up to `enough`.

    A capture counts as one liberty, or two for several stones: fast, and nearly always right.
    """
    one = _friend(board, point + 1, colour)
    two = _friend(board, point - 1, colour)
    three = _friend(board, point + geometry.stride, colour)
    four = _friend(board, point - geometry.stride, colour)
    most = np.int64(0)  # liberties of the friendly strings; `point` is one of them
    if one >= 0:
        most = np.int64(board.liberty_count[one])
    if two >= 0:
        most = max(most, np.int64(board.liberty_count[two]))
    if three >= 0:
        most = max(most, np.int64(board.liberty_count[three]))
    if four >= 0:
        most = max(most, np.int64(board.liberty_count[four]))
    if most > enough:
        return np.int64(enough)
    count = np.int64(0)
    for direction in range(4):
        adjacent = neighbour(point, direction, geometry)
        content = np.int64(board.colour[adjacent])
        if content == EMPTY:
            count += _is_new(board, geometry, adjacent, one, two, three, four)
        elif content != colour and content != BORDER:
            head = head_of(board, adjacent)
            if board.liberty_count[head] == 1:
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
    """(maximum, sum) of the number of neighbours that each of these points has among them."""
    largest = 0
    total = 0
    for i in range(count):
        degree = 0
        for direction in range(4):
            adjacent = neighbour(stones[i], direction, geometry)
            for j in range(count):
                degree += stones[j] == adjacent
        largest = max(largest, degree)
        total += degree
    return largest, total


@inner
def is_dead_shape(count, largest, total):
    """Whether an eye space of this shape is reduced to one eye by a move on its vital point."""
    if count <= 3:
        return True
    if count == 4:
        return largest == 3 or total == 8  # pyramid or square
    if count == 5:
        return largest == 4 or total == 10  # cross or bulky five
    return count == 6 and largest == 4 and total == 12  # rabbity six


@inner
def fills_eye(board, geometry, point, colour, stones):
    """Whether a self-atari makes a dead shape inside an enemy eye (nakade), and so is not a waste.

    `stones` is int64 scratch of at least 16 entries.
    """
    count = 1
    stones[0] = point
    for direction in range(4):
        adjacent = neighbour(point, direction, geometry)
        if board.colour[adjacent] == colour:
            listed = False
            for i in range(count):
                listed |= stones[i] == adjacent
            if listed:
                continue
            if count + np.int64(board.size[head_of(board, adjacent)]) > 6:
                return False
            stone = adjacent
            while True:
                stones[count] = stone
                count += 1
                stone = np.int64(board.link[stone])
                if stone == adjacent:
                    break
    if count < 2:
        return False
    # The one remaining point of the space must be enclosed, too: it has no other empty neighbour.
    for i in range(count):
        for direction in range(4):
            adjacent = neighbour(stones[i], direction, geometry)
            if board.colour[adjacent] == EMPTY and adjacent != point:
                for around in range(4):
                    further = neighbour(adjacent, around, geometry)
                    if board.colour[further] == EMPTY and further != point:
                        return False
    largest, total = _degrees(geometry, stones, count)
    return is_dead_shape(count, largest, total)


@inner
def is_bad_self_atari(board, geometry, point, colour, stones):
    """Whether a legal move lets its string be captured at once, for nothing."""
    if liberties_after(board, geometry, point, colour, 2) >= 2:
        return False
    return not fills_eye(board, geometry, point, colour, stones)


@inner
def vital_point(board, geometry, start, owner, stones):
    """The vital point of the eye space of `owner` around an empty point, or NOWHERE.

    `stones` is int64 scratch of at least 16 entries.
    """
    stones[0] = start
    count = 1
    at = 0
    while at < count:
        point = stones[at]
        if neighbours_with(board, point, 3 - owner) != 0:
            return NOWHERE
        empty = neighbours_with(board, point, EMPTY)
        while empty != 0:
            adjacent = first_neighbour(empty, point, geometry)
            empty &= empty - np.uint64(1)
            listed = False
            for i in range(count):
                listed |= stones[i] == adjacent
            if not listed:
                if count == 6:
                    return NOWHERE
                stones[count] = adjacent
                count += 1
        at += 1
    if count < 3:
        return NOWHERE
    largest, total = _degrees(geometry, stones, count)
    if not is_dead_shape(count, largest, total) or (count == 4 and total == 8):
        return NOWHERE  # it makes two eyes, or is a square, which is already dead
    for i in range(count):
        degree = 0
        for direction in range(4):
            adjacent = neighbour(stones[i], direction, geometry)
            for j in range(count):
                degree += stones[j] == adjacent
        if degree == largest:
            return stones[i]
    return NOWHERE


@inner
def capture_that_saves(board, geometry, head, colour):
    """A move that captures an adjacent enemy in atari of a string of this colour, or NOWHERE."""
    stone = head
    while True:
        for direction in range(4):
            adjacent = neighbour(stone, direction, geometry)
            if board.colour[adjacent] == 3 - colour:
                enemy = head_of(board, adjacent)
                if board.liberty_count[enemy] == 1:
                    point = first_liberty(board, geometry, enemy)
                    if point != board.state[0].ko:
                        return point
        stone = np.int64(board.link[stone])
        if stone == head:
            return NOWHERE


@inner
def dies_in_ladder(board, geometry, start, colour, attacker_first, ladder_board):
    """Whether the string on a point is captured in a ladder.

    With one liberty the string moves first; with two and `attacker_first`, the attacker does. It escapes with
    three liberties or by capturing an attacking string. Of two ataris only the better one is read. `ladder_board`
    is scratch.
    """
    copy_board(board, ladder_board, geometry)
    enemy = 3 - colour
    defending = not attacker_first
    for _ in range(LONGEST_LADDER):
        if ladder_board.colour[start] != colour:
            return True
        head = head_of(ladder_board, start)
        count = np.int64(ladder_board.liberty_count[head])
        if defending:
            if count > 1:
                return False
            if capture_that_saves(ladder_board, geometry, head, colour) != NOWHERE:
                return False
            point = first_liberty(ladder_board, geometry, head)
            if not is_legal(ladder_board, geometry, point, colour):
                return True
            place_stone(ladder_board, geometry, point, colour)
            if ladder_board.liberty_count[head_of(ladder_board, start)] < 2:
                return True
        else:
            if count == 1:
                return True
            if count > 2:
                return False
            point = best_atari(ladder_board, geometry, head, colour)
            if point == NOWHERE:
                return False
            place_stone(ladder_board, geometry, point, enemy)
        defending = not defending
    return False


@inner
def best_atari(board, geometry, head, colour):
    """The atari on a string with two liberties that leaves it the fewest after it extends, or NOWHERE."""
    enemy = 3 - colour
    first = first_liberty(board, geometry, head)
    second = other_liberty(board, geometry, head, first)
    best = NOWHERE
    fewest = np.int64(3)
    for choice in range(2):
        point, run = (first, second) if choice == 0 else (second, first)
        if not is_legal(board, geometry, point, enemy):
            continue
        # The atari removes a liberty, and the attacking stone must not be captured for free by the extension.
        left = liberties_after(board, geometry, run, colour, 5) - 1
        if left < fewest and (left <= 1 or liberties_after(board, geometry, point, enemy, 2) >= 2):
            best = point
            fewest = left
    return best
