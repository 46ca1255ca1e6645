"""Static evaluation of capturing races: escapes, two eyes, and counting of liberties."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import BORDER, EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    colour_at,
    first_liberty,
    has_liberty,
    head_at,
    liberties_of,
    neighbour,
    next_adjacent,
    next_liberty,
    stone_at_cursor,
)
from tengen.engines.go.reading.kernels.candidates import DEFENDER_RETAKES
from tengen.engines.go.reading.kernels.proof_number_search import ESCAPE, WALL

MAX_EYES, MAX_EYE_STRINGS = 12, 8  # looked at for two eyes
MIN_NAKADE, MAX_NAKADE = 3, 6  # points of an eye in which the enemy can prevent two eyes by one move
MAX_OUTSIDE_LIBERTIES = 3  # of a string with a single eye; with more it might make another


@inner
def rival_head(board, dfpn):
    """The head of the rival's string, or NOWHERE if it was captured or there is none."""
    rival = dfpn.state[0].rival
    if rival == NOWHERE or colour_at(board, rival) != 3 - dfpn.state[0].colour:
        return NOWHERE
    return head_at(board, rival)


@inner
def _is_eye(board, point, colour):
    """Whether an empty point is surrounded by stones of one colour."""
    for direction in range(4):
        content = colour_at(board, neighbour(board, point, direction))
        if content != BORDER and content != colour:
            return False
    return True


@inner
def _is_eye_of(board, point, head):
    """Whether an eye is surrounded by a single string."""
    for direction in range(4):
        near = neighbour(board, point, direction)
        if colour_at(board, near) != BORDER and head_at(board, near) != head:
            return False
    return True


@inner
def _has_two_eyes(board, dfpn, head, colour):
    """Whether a string and others that share its eyes have two eyes each, by Benson's algorithm for small eyes.

    `starts` lists the strings and `members` their eyes; both are marked as eliminated by NOWHERE.
    """
    strings, eyes = dfpn.starts, dfpn.members
    strings[0] = head
    count, known, at = 1, 0, 0
    while at < count:
        point = first_liberty(board, strings[at])
        while point != NOWHERE:
            if _is_eye(board, point, colour):
                new = True
                for i in range(known):
                    new = new and eyes[i] != point
                if new:
                    if known == MAX_EYES:
                        return False
                    eyes[known] = point
                    known += 1
                    for direction in range(4):
                        near = neighbour(board, point, direction)
                        if colour_at(board, near) != BORDER:
                            string = head_at(board, near)
                            new = True
                            for i in range(count):
                                new = new and strings[i] != string
                            if new:
                                if count == MAX_EYE_STRINGS:
                                    return False
                                strings[count] = string
                                count += 1
            point = next_liberty(board, strings[at], point)
        at += 1
    changed = True
    while changed and strings[0] != NOWHERE:
        changed = False
        for i in range(count):
            if strings[i] == NOWHERE:
                continue
            left = 0
            for j in range(known):
                left += eyes[j] != NOWHERE and has_liberty(board, strings[i], eyes[j])
            if left > 1:
                continue
            for j in range(known):
                if eyes[j] != NOWHERE and has_liberty(board, strings[i], eyes[j]):
                    eyes[j] = NOWHERE
            strings[i] = NOWHERE
            changed = True
    return strings[0] != NOWHERE


@inner
def _has_escaped_or_lives(board, dfpn, head, colour):
    """Whether a string has a liberty outside the zone, or two eyes."""
    own, shared = 0, 0
    point = first_liberty(board, head)
    while point != NOWHERE:
        if dfpn.flags[point] & ESCAPE != 0:
            return True
        if _is_eye(board, point, colour):
            shared += 1
            own += _is_eye_of(board, point, head)
        point = next_liberty(board, head, point)
    return own > 1 or (shared > 1 and _has_two_eyes(board, dfpn, head, colour))


@inner
def is_wall(board, dfpn, stone):
    return (dfpn.flags[stone] | dfpn.flags[head_at(board, stone)]) & WALL != 0


@inner
def mark_plain(board, dfpn, head):
    """Mark the plain liberties of a string in `regions`, and return their number.

    A plain liberty touches the enemy's wall, this string and other plain liberties, but nothing else. So the enemy
    can fill it at any time, and no eye or connection can be made there: which of them is filled does not matter.
    """
    colour = colour_at(board, head)
    point = first_liberty(board, head)
    while point != NOWHERE:
        touching, only = 0, 1
        for direction in range(4):
            near = neighbour(board, point, direction)
            content = colour_at(board, near)
            if content == 3 - colour:
                if is_wall(board, dfpn, near):
                    touching = 1
                else:
                    only = 0
            elif content == colour:
                only &= head_at(board, near) == head
            elif content == EMPTY:
                only &= has_liberty(board, head, near)
        dfpn.regions[point] = touching & only
        point = next_liberty(board, head, point)
    count = 0
    changed = True
    while changed:
        changed = False
        count = 0
        point = first_liberty(board, head)
        while point != NOWHERE:
            if dfpn.regions[point] != 0:
                count += 1
                for direction in range(4):
                    near = neighbour(board, point, direction)
                    if colour_at(board, near) == EMPTY and dfpn.regions[near] == 0:
                        dfpn.regions[point] = 0
                        changed = True
            point = next_liberty(board, head, point)
    return count


@inner
def _cannot_gain(board, dfpn, head, other):
    """Whether all enemies next to a string, except `other`, are walls: so it cannot capture any of them."""
    colour = 3 - colour_at(board, head)
    at = next_adjacent(board, head, -1, colour)
    while at >= 0:
        stone = stone_at_cursor(board, at)
        if not is_wall(board, dfpn, stone) and head_at(board, stone) != other:
            return False
        at = next_adjacent(board, head, at, colour)
    return True


@inner
def _count_race(board, search, dfpn, turn):
    """1 or -1 if the race is decided by counting: a side whose enemy has only plain liberties fills them all."""
    goal = dfpn.state[0]
    target, rival = head_at(board, goal.target), rival_head(board, dfpn)
    left = liberties_of(board, target)
    against = liberties_of(board, rival) if rival != NOWHERE else np.int64(1 << 20)
    first = turn == search.state[0].attacker
    if left < against + first and mark_plain(board, dfpn, target) == left:
        if _cannot_gain(board, dfpn, target, rival):
            goal.reply = first_liberty(board, target)
            return 1
    if rival != NOWHERE and goal.width != 0 and against < left + (not first):
        if mark_plain(board, dfpn, rival) == against and _cannot_gain(board, dfpn, rival, target):
            goal.reply = first_liberty(board, rival)
            return -1
    return 0


@inner
def _lead(board, search, dfpn, turn):
    """1 or -1 if one side is ahead by more liberties than the margin, or the target has gained too many."""
    goal = dfpn.state[0]
    left = liberties_of(board, head_at(board, goal.target))
    if left > goal.max_liberties:
        return -1
    rival = rival_head(board, dfpn)
    if rival == NOWHERE or goal.width == 0:
        return 0
    against = liberties_of(board, rival)
    first = turn == search.state[0].attacker
    if left > against + goal.margin + first:
        return -1
    if against > left + goal.margin + (not first):
        return 1
    return 0


@inner
def _find_space(board, start, colour, points):
    """List the points around `start` that are enclosed by stones of a colour; MAX_NAKADE + 1 if there are more."""
    points[0] = start
    count, at = 1, 0
    while at < count:
        for direction in range(4):
            near = neighbour(board, points[at], direction)
            content = colour_at(board, near)
            new = content != BORDER and content != colour
            for i in range(count):
                new = new and points[i] != near
            if new:
                if count == MAX_NAKADE:
                    return MAX_NAKADE + 1
                points[count] = near
                count += 1
        at += 1
    return count


@inner
def _is_nakade(board, points, count):
    """Whether an eye of this shape is only one eye if the enemy plays first inside."""
    edges, most = 0, 0
    for i in range(count):
        degree = 0
        for direction in range(4):
            near = neighbour(board, points[i], direction)
            for j in range(count):
                degree += points[j] == near
        edges += degree
        most = max(most, degree)
    edges //= 2
    if count == 4:
        return most == 3 or edges == 4  # pyramid, square
    if count == 5:
        return most == 4 or edges == 5  # cross, bulky five
    return count == 3 or (most == 4 and edges == 6)  # rabbity six


@inner
def _captor_dies(board, dfpn):
    """Whether the rival has captured the target, but has only one eye there, and the enemy can prevent two."""
    goal = dfpn.state[0]
    points, head = dfpn.starts, rival_head(board, dfpn)
    if head == NOWHERE:
        return False
    count = _find_space(board, goal.target, 3 - goal.colour, points)
    if count < MIN_NAKADE or count > MAX_NAKADE or not _is_nakade(board, points, count):
        return False
    for i in range(count):
        for direction in range(4):
            near = neighbour(board, points[i], direction)
            if colour_at(board, near) == 3 - goal.colour and head_at(board, near) != head:
                return False  # other strings may have eyes or escape
    outside = 0
    point = first_liberty(board, head)
    while point != NOWHERE:
        within = False
        for i in range(count):
            within |= points[i] == point
        if not within:
            if dfpn.flags[point] & ESCAPE != 0 or _is_eye_of(board, point, head):
                return False
            outside += 1
        point = next_liberty(board, head, point)
    return outside <= MAX_OUTSIDE_LIBERTIES


@inner
def evaluate(board, search, dfpn, turn):
    """1 if the target is captured, -1 if it has won the race, else 0."""
    goal, state = dfpn.state[0], search.state[0]
    target, colour = goal.target, goal.colour
    if colour_at(board, target) != colour:
        if board.state[0].ko == target:
            state.ko_seen = 1
            if state.ko_mode == DEFENDER_RETAKES:
                return -1
        return -1 if _captor_dies(board, dfpn) else 1
    if goal.rival != NOWHERE and goal.width != 0 and colour_at(board, goal.rival) != 3 - colour:
        return -1
    if _has_escaped_or_lives(board, dfpn, head_at(board, target), colour):
        return -1
    verdict = _count_race(board, search, dfpn, turn)
    return _lead(board, search, dfpn, turn) if verdict == 0 and goal.margin > 0 else verdict
