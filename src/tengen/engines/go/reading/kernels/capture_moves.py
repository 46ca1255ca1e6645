"""Candidate moves of the attacker and of the defender of a string."""

from __future__ import annotations

from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import BORDER, EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    colour_at,
    first_liberty,
    has_liberty,
    head_at,
    liberties_after,
    liberties_of,
    neighbour,
    next_adjacent,
    next_liberty,
    stone_at_cursor,
    stones_of,
)
from tengen.engines.go.reading.kernels.candidates import (
    DEFENDER_RETAKES,
    LOOSE_MOVE_COST,
    add_captures,
    add_ko_filling,
    add_liberties,
    add_move,
    add_threat,
    is_first_visit,
    is_playable,
    is_weak,
    order_candidates,
)


@inner
def list_attacks(board, search, target, budget, ply):
    """List the attacker's moves, best first; returns the end of the list."""
    colour = colour_at(board, target)
    attacker = 3 - colour
    head = head_at(board, target)
    count = liberties_of(board, head)
    loose = budget >= LOOSE_MOVE_COST and LOOSE_MOVE_COST * (count - 1) <= budget
    other_move = ply == 0 and search.state[0].excluded_move != NOWHERE
    loose = loose and (count > 1 or other_move or may_be_ko(board, head))
    if not loose:
        search.state[0].budget_cut = 1
    point = first_liberty(board, head)
    while point != NOWHERE:
        if is_playable(board, search, point, attacker):
            mine = liberties_after(board, point, attacker)
            theirs = liberties_after(board, point, colour)
            score = 100 + 8 * min(theirs, 8) + min(mine, 4)
            if mine <= 1:
                score -= 60
            add_move(board, search, point, score)
        if loose:
            # Preparatory moves: the other neighbours of liberties that cannot be played well yet.
            for direction in range(8):
                near = neighbour(board, point, direction)
                if colour_at(board, near) == EMPTY and (direction < 4 or count <= 3):
                    if not has_liberty(board, head, near) and is_playable(board, search, near, attacker):
                        score = 40 if direction < 4 else 20
                        for again in range(4):
                            further = neighbour(board, near, again)
                            content = colour_at(board, further)
                            if content == EMPTY and has_liberty(board, head, further):
                                score += 8
                            elif content == attacker:
                                score += 3
                        if liberties_after(board, near, attacker) <= 1:
                            score -= 20
                        add_move(board, search, near, score)
                elif colour_at(board, near) == colour and direction < 4:
                    friend = head_at(board, near)
                    if friend != head and liberties_of(board, friend) <= 3:
                        score = 30 + 10 * (3 - liberties_of(board, friend))
                        add_liberties(board, search, friend, attacker, score)
        point = next_liberty(board, head, point)
    if loose:
        # Moves that save attacking stones in danger.
        at = next_adjacent(board, head, -1, attacker)
        while at >= 0:
            own = head_at(board, stone_at_cursor(board, at))
            if liberties_of(board, own) <= 2 and is_first_visit(board, own):
                score = 45 if liberties_of(board, own) == 1 else 30
                add_liberties(board, search, own, attacker, score)
                add_captures(board, search, own, attacker, score + 20)
            at = next_adjacent(board, head, at, attacker)
        add_ko_filling(board, search, attacker)
    return order_candidates(board, search, attacker, 190, ply)


@inner
def safe_neighbours(board, point, colour, taken):
    """(number of neighbours that give a stone of `colour` on a point a liberty, an empty one of them or NOWHERE).

    `taken` is the head of a lone enemy stone that the move captures. If the number is 0, the capture is a ko.
    """
    ways, empty_neighbour = 0, NOWHERE
    for direction in range(4):
        near = neighbour(board, point, direction)
        content = colour_at(board, near)
        if content == EMPTY:
            empty_neighbour = near
        ways += content == EMPTY or content == colour
        if content == 3 - colour:
            other = head_at(board, near)
            ways += other != taken and liberties_of(board, other) == 1
    return ways, empty_neighbour


@inner
def _captures(board, point, colour):
    """Whether a move captures something."""
    for direction in range(4):
        near = neighbour(board, point, direction)
        if colour_at(board, near) == 3 - colour and liberties_of(board, head_at(board, near)) == 1:
            return True
    return False


@inner
def may_be_ko(board, head):
    """Whether a string in atari is a lone stone whose capture is a ko, at least if its friends have liberties."""
    if stones_of(board, head) > 1:
        return False
    point = first_liberty(board, head)
    for direction in range(4):
        content = colour_at(board, neighbour(board, point, direction))
        if content != BORDER and content != colour_at(board, head):
            return False
    return True


@inner
def list_defences(board, search, target, threat, ply):
    """List the defender's moves, best first; returns the end of the list."""
    colour = colour_at(board, target)
    attacker = 3 - colour
    head = head_at(board, target)
    count = liberties_of(board, head)
    point = first_liberty(board, head)
    while point != NOWHERE:
        if is_playable(board, search, point, colour):
            mine = liberties_after(board, point, colour)
            if mine > 1 or _captures(board, point, colour):
                add_move(board, search, point, 50 + 10 * min(mine, 8))
        point = next_liberty(board, head, point)
    add_captures(board, search, head, colour, 100)
    if count == 1 and stones_of(board, head) == 1 and search.state[0].ko_mode == DEFENDER_RETAKES:
        # A move that makes the capture of a lone stone a ko.
        ways, empty_neighbour = safe_neighbours(board, first_liberty(board, head), attacker, head)
        if ways == 1 and empty_neighbour != NOWHERE and is_playable(board, search, empty_neighbour, colour):
            add_move(board, search, empty_neighbour, 10)
    if count > 1 or (search.state[0].ko_mode == DEFENDER_RETAKES and may_be_ko(board, head)):
        # Ataris on surrounding strings, or reductions of their liberties.
        at = next_adjacent(board, head, -1, attacker)
        while at >= 0:
            enemy = head_at(board, stone_at_cursor(board, at))
            left = liberties_of(board, enemy)
            is_new = is_first_visit(board, enemy)
            if is_new and (left <= count or is_weak(board, enemy)):
                score = (60 if left == 2 else 40) if left <= count else 40 - 8 * (left - count)
                add_liberties(board, search, enemy, colour, score)
            if is_new and (left == 2 or left == 3):
                add_friends_captures(board, search, enemy, colour)
                _add_helpers(board, search, enemy, colour)
            at = next_adjacent(board, head, at, attacker)
        point = first_liberty(board, head)
        while point != NOWHERE:
            for direction in range(8):
                near = neighbour(board, point, direction)
                content = colour_at(board, near)
                if content == EMPTY and (direction < 4 or count <= 2):
                    if not has_liberty(board, head, near) and is_playable(board, search, near, colour):
                        score = 34 if direction < 4 else 16
                        for again in range(4):
                            further = neighbour(board, near, again)
                            beyond = colour_at(board, further)
                            if beyond == EMPTY and has_liberty(board, head, further):
                                score += 6
                            elif beyond == colour:
                                score += 10
                            elif beyond == BORDER:
                                score -= 2
                        if liberties_after(board, near, colour) > 1:
                            add_move(board, search, near, score)
                elif content == attacker and direction < 4:
                    # A move that would make the attacker's move here a self-atari.
                    enemy = head_at(board, near)
                    if liberties_of(board, enemy) <= 3 and is_weak(board, enemy):
                        add_liberties(board, search, enemy, colour, 30)
                elif content == colour and direction < 4:
                    # A friendly string to connect with: save it first if it is short of liberties.
                    friend = head_at(board, near)
                    if friend != head and liberties_of(board, friend) <= 3:
                        score = 34 + 10 * (3 - liberties_of(board, friend))
                        add_liberties(board, search, friend, colour, score)
                        add_captures(board, search, friend, colour, score)
            point = next_liberty(board, head, point)
    add_ko_filling(board, search, colour)
    add_threat(board, search, threat, colour)
    return order_candidates(board, search, colour, 120, ply)


@inner
def _add_helpers(board, search, head, colour):
    """Add attacks on the strings that protect a liberty of an enemy string, where a stone would be in atari."""
    point = first_liberty(board, head)
    while point != NOWHERE:
        if liberties_after(board, point, colour) <= 1:
            for direction in range(4):
                near = neighbour(board, point, direction)
                if colour_at(board, near) == 3 - colour:
                    helper = head_at(board, near)
                    if helper != head and liberties_of(board, helper) <= 2:
                        add_liberties(board, search, helper, colour, 30)
        point = next_liberty(board, head, point)


@inner
def add_friends_captures(board, search, head, colour):
    """Add captures of strings in atari adjacent to the friends around an enemy string, which support it."""
    at = next_adjacent(board, head, -1, colour)
    while at >= 0:
        friend = head_at(board, stone_at_cursor(board, at))
        add_captures(board, search, friend, colour, 40)
        at = next_adjacent(board, head, at, colour)
