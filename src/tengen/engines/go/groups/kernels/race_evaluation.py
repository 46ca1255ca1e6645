"""Static evaluation of capturing races: escapes, two eyes, and counting of liberties."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.go.groups.kernels.race_eyes import count_eyes, count_moves_to_capture, has_two_eyes, is_eye_of
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
    stones_of,
)
from tengen.engines.go.reading.kernels.candidates import DEFENDER_RETAKES
from tengen.engines.go.reading.kernels.proof_number_search import ESCAPE, WALL

MIN_NAKADE, MAX_NAKADE = 3, 6  # points of an eye in which the enemy can prevent two eyes by one move
RIVAL_MAY_DIE = 2  # `width` if the capture of the rival decides the race, and it has no two eyes at first
MAX_OUTSIDE_LIBERTIES = 3  # of a string with a single eye; with more it might make another


@inner
def rival_head(board, dfpn):
    """The head of the rival's string, or NOWHERE if it was captured or there is none."""
    rival = dfpn.state[0].rival
    if rival == NOWHERE or colour_at(board, rival) != 3 - dfpn.state[0].colour:
        return NOWHERE
    return head_at(board, rival)


@inner
def _has_escaped(board, dfpn, head):
    """Whether a string has a liberty outside the zone."""
    point = first_liberty(board, head)
    while point != NOWHERE:
        if dfpn.flags[point] & ESCAPE != 0:
            return True
        point = next_liberty(board, head, point)
    return False


@inner
def is_wall(board, dfpn, stone):
    return (dfpn.flags[stone] | dfpn.flags[head_at(board, stone)]) & WALL != 0


@inner
def _is_plain(board, dfpn, head, point, other):
    """Whether a liberty is plain, taking the enemy string `other`, if any, for a wall."""
    colour = colour_at(board, head)
    touching = False
    for direction in range(4):
        near = neighbour(board, point, direction)
        content = colour_at(board, near)
        if content == 3 - colour:
            if not is_wall(board, dfpn, near) and (other == NOWHERE or head_at(board, near) != other):
                return False
            touching = True
        elif content == colour:
            if head_at(board, near) != head:
                return False
        elif content == EMPTY and not has_liberty(board, head, near):
            return False
    return touching


@inner
def mark_plain(board, dfpn, head):
    """Mark the plain liberties of a string in `regions`, and return their number.

    A plain liberty touches the enemy's wall, this string and other plain liberties, but nothing else. So the enemy
    can fill it at any time, and no eye or connection can be made there: which of them is filled does not matter.
    """
    point = first_liberty(board, head)
    while point != NOWHERE:
        dfpn.regions[point] = _is_plain(board, dfpn, head, point, NOWHERE)
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
def _wins_by_filling(board, dfpn, own, enemy, first):
    """Whether a string captures an enemy by filling its liberties, whatever the enemy does.

    `first` is 1 if the string's owner is to move. The liberties of the enemy are plain, so it can only fill
    liberties, too. An own eye can be filled only after all shared liberties, by which the enemy loses its own.
    Without an eye, each shared liberty except one costs the own string a liberty more than the enemy.
    """
    shared, left = 0, 0
    point = first_liberty(board, enemy)
    while point != NOWHERE:
        if not _is_plain(board, dfpn, enemy, point, own):
            return False
        left += 1
        shared += own != NOWHERE and has_liberty(board, own, point)
        point = next_liberty(board, enemy, point)
    if not _cannot_gain(board, dfpn, enemy, own):
        return False
    if own == NOWHERE:
        return True
    if shared > 0 and stones_of(board, enemy) <= MAX_NAKADE:
        return False  # the own string might die after the capture, with one eye there
    if liberties_of(board, own) == 1 and (left > 1 or first == 0):
        return False  # the enemy captures it, or it must capture inside its eye first
    moves, inside = count_eyes(board, dfpn, own)
    needed = liberties_of(board, own) + moves - inside + first  # moves that the enemy needs, this one included
    if inside > 0:
        return left - shared < needed
    return left < needed - max(shared - 1, 0)


@inner
def _best_filling(board, own, enemy):
    """A liberty of the enemy that is not shared, if there is one."""
    point = first_liberty(board, enemy)
    while point != NOWHERE:
        if own == NOWHERE or not has_liberty(board, own, point):
            return point
        point = next_liberty(board, enemy, point)
    return first_liberty(board, enemy)


@inner
def _count_race(board, search, dfpn, turn):
    """1 or -1 if the race is decided by counting."""
    goal = dfpn.state[0]
    target, rival = head_at(board, goal.target), rival_head(board, dfpn)
    first = turn == search.state[0].attacker
    if _wins_by_filling(board, dfpn, rival, target, np.int64(first)):
        goal.reply = _best_filling(board, rival, target)
        return 1
    if rival != NOWHERE and goal.width != 0 and _wins_by_filling(board, dfpn, target, rival, np.int64(not first)):
        goal.reply = _best_filling(board, target, rival)
        return -1
    return 0


@inner
def _lead(board, search, dfpn, turn):
    """1 or -1 if one side is ahead by more liberties than the margin, or the target has gained too many."""
    goal = dfpn.state[0]
    target = head_at(board, goal.target)
    if liberties_of(board, target) > goal.max_liberties:
        return -1
    rival = rival_head(board, dfpn)
    if rival == NOWHERE or goal.width == 0:
        return 0
    if goal.width == RIVAL_MAY_DIE and has_two_eyes(board, dfpn, rival):
        return 1
    left, against = count_moves_to_capture(board, dfpn, target), count_moves_to_capture(board, dfpn, rival)
    first = turn == search.state[0].attacker
    if left > against + goal.margin + first and not (first and liberties_of(board, target) == 1):
        return -1
    if against > left + goal.margin + (not first) and (first or liberties_of(board, rival) > 1):
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
            if dfpn.flags[point] & ESCAPE != 0 or is_eye_of(board, point, head):
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
    head = head_at(board, target)
    if _has_escaped(board, dfpn, head) or has_two_eyes(board, dfpn, head):
        return -1
    verdict = _count_race(board, search, dfpn, turn)
    return _lead(board, search, dfpn, turn) if verdict == 0 and goal.margin > 0 else verdict
