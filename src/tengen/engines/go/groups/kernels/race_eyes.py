"""Eyes in capturing races: strings with two eyes, and the moves that it takes to fill larger ones."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import BORDER, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    colour_at,
    first_liberty,
    has_liberty,
    head_at,
    liberties_of,
    neighbour,
    next_liberty,
)
from tengen.engines.go.reading.kernels.proof_number_search import ESCAPE, WALL

MAX_EYES, MAX_EYE_STRINGS = 12, 8  # looked at for two eyes
# Moves that the enemy needs to fill an eye, by its number of points: captured stones must be played again.
EYE_LIBERTIES = 0, 1, 2, 3, 5, 8, 12
MAX_FILLED_EYE = 6  # points; a larger eye is no closed one


@inner
def _is_eye(board, point, colour):
    """Whether an empty point is surrounded by stones of one colour."""
    for direction in range(4):
        content = colour_at(board, neighbour(board, point, direction))
        if content != BORDER and content != colour:
            return False
    return True


@inner
def is_eye_of(board, point, head):
    """Whether an eye is surrounded by a single string."""
    for direction in range(4):
        near = neighbour(board, point, direction)
        if colour_at(board, near) != BORDER and head_at(board, near) != head:
            return False
    return True


@inner
def _share_two_eyes(board, dfpn, head, colour):
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
def has_two_eyes(board, dfpn, head):
    """Whether a string has two eyes of one point, its own or shared with strings that have two as well."""
    own, shared, colour = 0, 0, colour_at(board, head)
    point = first_liberty(board, head)
    while point != NOWHERE:
        if _is_eye(board, point, colour):
            shared += 1
            own += is_eye_of(board, point, head)
        point = next_liberty(board, head, point)
    return own > 1 or (shared > 1 and _share_two_eyes(board, dfpn, head, colour))


@inner
def _find_closed_eye(board, dfpn, start, head, points):
    """List the points around `start` if a single string encloses them; more than MAX_FILLED_EYE otherwise."""
    colour = colour_at(board, head)
    points[0] = start
    count, at = 1, 0
    while at < count:
        for direction in range(4):
            near = neighbour(board, points[at], direction)
            content = colour_at(board, near)
            if content == BORDER:
                continue
            if content == colour:
                if head_at(board, near) != head:
                    return MAX_FILLED_EYE + 1
                continue
            if dfpn.flags[near] & (ESCAPE | WALL) != 0 or count == MAX_FILLED_EYE + 1:
                return MAX_FILLED_EYE + 1
            new = True
            for i in range(count):
                new = new and points[i] != near
            if new:
                points[count] = near
                count += 1
        at += 1
    return count


@inner
def count_eyes(board, dfpn, head):
    """(Moves that the enemy needs to fill the closed eyes of a string, the liberties among these points)."""
    points = dfpn.starts
    colour = colour_at(board, head)
    moves, liberties = np.int64(0), np.int64(0)
    point = first_liberty(board, head)
    while point != NOWHERE:
        count = _find_closed_eye(board, dfpn, point, head, points)
        if count <= MAX_FILLED_EYE:
            known, inside, stones = False, 0, 0
            for i in range(count):
                if colour_at(board, points[i]) == 3 - colour:
                    stones += 1
                elif has_liberty(board, head, points[i]):
                    inside += 1
                    known = known or points[i] < point
            if not known:
                moves += EYE_LIBERTIES[count] - stones
                liberties += inside
        point = next_liberty(board, head, point)
    return moves, liberties


@inner
def count_moves_to_capture(board, dfpn, head):
    """The least number of moves that the enemy needs to capture a string: with large eyes, more than liberties."""
    moves, liberties = count_eyes(board, dfpn, head)
    return liberties_of(board, head) + moves - liberties
