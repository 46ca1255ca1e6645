"""Static life-and-death evaluation: secure eyes, escapes, and whether there is space for two eyes.

Everything is limited to the zone, the relevant points of the search region, so that the cost is independent of the
board's size.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import BORDER, EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.benson import eliminate, mark_regions
from tengen.engines.go.reading.kernels.board import (
    colour_at,
    first_liberty,
    head_at,
    liberties_after,
    liberties_of,
    neighbour,
    next_adjacent,
    next_liberty,
    next_stone,
    stone_at_cursor,
)
from tengen.engines.go.reading.kernels.proof_number_search import ESCAPE, WALL, ZONE

MIN_ESCAPED_LIBERTIES = 4  # of a string at an escape; with fewer it may still be captured
MIN_LIVING_SPACE = 10  # points of a space that makes a group alive even in the corner and if the enemy moves


@inner
def is_wall(board, dfpn, head):
    """Whether an attacker's string is part of the surrounding wall."""
    stone = head
    while True:
        if dfpn.flags[stone] & (WALL | ZONE) != ZONE:
            return True
        stone = next_stone(board, stone)
        if stone == head:
            return False


@inner
def _max_eyes(board, dfpn, colour, first, size):
    """Maximum number of eyes of a space if the enemy moves first: 0 for a false eye."""
    if size != 1:
        return 1 if size < 4 else 2
    point, foreign, edge = dfpn.members[first], 0, 0
    for direction in range(4, 8):
        content = colour_at(board, neighbour(board, point, direction))
        edge += content == BORDER
        if content == 3 - colour and is_wall(board, dfpn, head_at(board, neighbour(board, point, direction))):
            foreign += 1
    return 0 if foreign > (0 if edge > 0 else 1) else 1


@inner
def is_alive(board, dfpn, target, colour, heuristic):
    """Whether the target's string is unconditionally alive (`benson`).

    With `heuristic`, spaces that look like two eyes of the group are enough; the group must be marked then.
    """
    count = mark_regions(board, dfpn, colour)
    if heuristic and _has_two_eyes(board, dfpn, colour, count):
        return True
    return eliminate(board, dfpn, colour, count, head_at(board, target))


@inner
def _has_two_eyes(board, dfpn, colour, count):
    """Whether the marked group encloses two spaces, or a large one, with few enemies in them. A heuristic."""
    eyes = 0
    for number in range(1, count + 1):
        first, size = dfpn.starts[number], dfpn.starts[number + 1] - dfpn.starts[number]
        if dfpn.eliminated[number] != 0:
            continue
        enemies, own = 0, True
        for i in range(first, first + size):
            point = dfpn.members[i]
            enemies += colour_at(board, point) != EMPTY
            for direction in range(4):
                near = neighbour(board, point, direction)
                if colour_at(board, near) == colour:
                    own &= board.marks[head_at(board, near)] == board.state[0].stamp
        if not own or 2 * enemies > size:
            continue
        if size >= MIN_LIVING_SPACE and 4 * enemies <= size:
            return True
        eyes += _max_eyes(board, dfpn, colour, first, 1) if size == 1 else 1
    return eyes > 1


@inner
def _shared_liberties(board, one, other):
    count = np.uint64(0)
    for word in range(board.words):
        count += popcount(board.libs[one * board.words + word] & board.libs[other * board.words + word])
    return np.int64(count)


@inner
def mark_group(board, dfpn, target, colour):
    """Mark and list in `members` the heads of all strings connected to the target's by two shared liberties.

    Returns their number.
    """
    board.state[0].stamp += 1
    stamp, heads = board.state[0].stamp, dfpn.members
    heads[0] = head_at(board, target)
    board.marks[heads[0]] = stamp
    at, end = 0, 1
    while at < end:
        head = heads[at]
        at += 1
        point = first_liberty(board, head)
        while point != NOWHERE:
            for direction in range(4):
                near = neighbour(board, point, direction)
                if colour_at(board, near) == colour:
                    other = head_at(board, near)
                    if board.marks[other] != stamp and _shared_liberties(board, head, other) >= 2:
                        board.marks[other] = stamp
                        heads[end] = other
                        end += 1
            point = next_liberty(board, head, point)
    return end


@inner
def mark_liberties(board, dfpn, heads):
    """Mark the liberties of the marked group."""
    for i in range(heads):
        point = first_liberty(board, dfpn.members[i])
        while point != NOWHERE:
            board.marks[point] = board.state[0].stamp
            point = next_liberty(board, dfpn.members[i], point)


@inner
def nearness(board, point):
    """Distance class of an empty point: 1 for marked liberties of the group, 2 for their eight neighbours.

    3 is for points next to a string short of liberties, 0 for others.
    """
    stamp = board.state[0].stamp
    if board.marks[point] == stamp:
        return 1
    for direction in range(8):
        near = neighbour(board, point, direction)
        if colour_at(board, near) == EMPTY and board.marks[near] == stamp:
            return 2
    for direction in range(4):
        near = neighbour(board, point, direction)
        content = colour_at(board, near)
        if content != EMPTY and content != BORDER and liberties_of(board, head_at(board, near)) <= 2:
            return 3
    return 0


@inner
def has_escaped(board, dfpn, colour):
    """Whether the marked group has reached an escape."""
    for i in range(1, dfpn.escapes[0] + 1):
        point = dfpn.escapes[i]
        if colour_at(board, point) == colour:
            head = head_at(board, point)
            if board.marks[head] == board.state[0].stamp and liberties_of(board, head) >= MIN_ESCAPED_LIBERTIES:
                return True
    return False


@inner
def _is_capturable(board, head):
    """Whether a string is in atari, or has two liberties and cannot gain any."""
    if liberties_of(board, head) > 2:
        return False
    point = first_liberty(board, head)
    while point != NOWHERE:
        if liberties_of(board, head) == 2 and liberties_after(board, point, colour_at(board, head)) > 2:
            return False
        point = next_liberty(board, head, point)
    return True


@inner
def is_hopeless(board, dfpn, colour, heads, own_turn):
    """Whether the marked group has no space for two eyes, no escape, and no surrounding string to capture.

    `heads` is the number of marked strings. A heuristic that does not recognise seki.
    """
    stamp = board.state[0].stamp
    for i in range(heads):
        at = next_adjacent(board, dfpn.members[i], -1, 3 - colour)
        while at >= 0:
            enemy = head_at(board, stone_at_cursor(board, at))
            if is_wall(board, dfpn, enemy) and _is_capturable(board, enemy):
                return False
            at = next_adjacent(board, dfpn.members[i], at, 3 - colour)
    zone = dfpn.zone
    for i in range(1, zone[0] + 1):
        dfpn.regions[zone[i]] = 0
    eyes = 0
    for i in range(1, zone[0] + 1):
        start = zone[i]
        if dfpn.regions[start] != 0 or not _is_space(board, dfpn, colour, start, stamp):
            continue
        dfpn.regions[start] = 1
        dfpn.members[0] = start
        at, end, size, touches = 0, 1, 0, False
        while at < end:
            point = dfpn.members[at]
            at += 1
            size += colour_at(board, point) != colour
            if dfpn.flags[point] & ESCAPE != 0:
                return False
            for direction in range(4):
                near = neighbour(board, point, direction)
                content = colour_at(board, near)
                if content == colour and board.marks[head_at(board, near)] == stamp:
                    touches = True
                elif content != BORDER and dfpn.flags[near] & ZONE == 0:
                    if content != 3 - colour:
                        return False  # the space continues outside the zone
                elif content != BORDER and dfpn.regions[near] == 0:
                    if _is_space(board, dfpn, colour, near, stamp):
                        dfpn.regions[near] = 1
                        dfpn.members[end] = near
                        end += 1
        if touches:
            eyes += 2 if size == 3 and own_turn else _max_eyes(board, dfpn, colour, 0, size)
            if eyes > 1:
                return False
    return True


@inner
def _is_space(board, dfpn, colour, point, stamp):
    """Whether a point may become the group's: empty, friendly, or an enemy that is not part of the wall."""
    content = colour_at(board, point)
    if content == EMPTY:
        return not _is_wall_gap(board, dfpn, colour, point)
    head = head_at(board, point)
    if content == colour:
        return board.marks[head] != stamp
    return not is_wall(board, dfpn, head)


@inner
def _is_wall_gap(board, dfpn, colour, point):
    """Whether an empty point is a gap in the wall that the enemy holds: no friendly stone is adjacent."""
    walls, edges = 0, 0
    for direction in range(4):
        near = neighbour(board, point, direction)
        content = colour_at(board, near)
        if content == colour:
            return False
        edges += content == BORDER
        walls += content == 3 - colour and dfpn.flags[near] & (WALL | ZONE) != ZONE
    return walls > 0 and walls + edges > 1
