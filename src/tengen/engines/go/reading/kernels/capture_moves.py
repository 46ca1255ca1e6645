"""Which moves the attacker and the defender of a string try, best first."""

from __future__ import annotations

from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import BORDER, EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    STAMP,
    at_cursor,
    beside,
    colour_at,
    first_liberty,
    has_liberty,
    head_at,
    liberties_of,
    next_beside,
    next_liberty,
    reach,
    stones_of,
)
from tengen.engines.go.reading.kernels.candidates import (
    CUT,
    DEFENDER_RETAKES,
    LOOSE,
    MODE,
    add_captures,
    add_liberties,
    add_move,
    add_threat,
    finish_list,
    may_play,
)


@inner
def list_attacks(board, search, target, first, budget, hint, killer, ply):
    """Moves for the attacker, best first; returns where they end."""
    colour = colour_at(board, target)
    attacker = 3 - colour
    head = head_at(board, target)
    count = liberties_of(board, head)
    loose = count > 1 and budget >= LOOSE and LOOSE * (count - 1) <= budget
    if not loose:
        search.facts[CUT] = 1
    board.facts[STAMP] += 1
    end = first
    point = first_liberty(board, head)
    while point != NOWHERE:
        if may_play(board, search, point, attacker, attacker):
            mine = reach(board, point, attacker)
            theirs = reach(board, point, colour)
            score = 100 + 8 * min(theirs, 8) + min(mine, 4)
            if mine <= 1:
                score -= 60
            end = add_move(board, search, end, first, point, score)
        if loose:
            # Make room first where a liberty cannot be played well: its other neighbours.
            for direction in range(8):
                near = beside(board, point, direction)
                if colour_at(board, near) == EMPTY and (direction < 4 or count <= 3):
                    if not has_liberty(board, head, near) and may_play(board, search, near, attacker, attacker):
                        score = 40 if direction < 4 else 20
                        for again in range(4):
                            further = beside(board, near, again)
                            content = colour_at(board, further)
                            if content == EMPTY and has_liberty(board, head, further):
                                score += 8
                            elif content == attacker:
                                score += 3
                        if reach(board, near, attacker) <= 1:
                            score -= 20
                        end = add_move(board, search, end, first, near, score)
                elif colour_at(board, near) == colour and direction < 4:
                    friend = head_at(board, near)
                    if friend != head and liberties_of(board, friend) <= 3:
                        score = 30 + 10 * (3 - liberties_of(board, friend))
                        end = add_liberties(board, search, end, first, friend, attacker, attacker, score)
        point = next_liberty(board, head, point)
    if loose:
        # Save attacking stones that are in danger themselves.
        at = next_beside(board, head, -1, attacker)
        while at >= 0:
            own = head_at(board, at_cursor(board, at))
            if liberties_of(board, own) <= 2:
                score = 45 if liberties_of(board, own) == 1 else 30
                end = add_liberties(board, search, end, first, own, attacker, attacker, score)
                end = add_captures(board, search, end, first, own, attacker, attacker, score + 20)
            at = next_beside(board, head, at, attacker)
    return finish_list(board, search, first, end, attacker, killer, 190, hint, ply)


@inner
def ways_into(board, point, colour, taken):
    """How many neighbours a stone of a colour on a point would be safe by, and one that is empty, or NOWHERE.

    If there are none, and it takes one stone (taken, a head) and nothing else, it can be retaken: that is a ko.
    """
    ways, way_in = 0, NOWHERE
    for direction in range(4):
        near = beside(board, point, direction)
        content = colour_at(board, near)
        if content == EMPTY:
            way_in = near
        ways += content == EMPTY or content == colour
        if content == 3 - colour:
            other = head_at(board, near)
            ways += other != taken and liberties_of(board, other) == 1
    return ways, way_in


@inner
def list_defences(board, search, target, first, threat, hint, killer, ply):
    """Moves for the defender, best first; returns where they end."""
    colour = colour_at(board, target)
    attacker = 3 - colour
    head = head_at(board, target)
    count = liberties_of(board, head)
    board.facts[STAMP] += 1
    end = first
    point = first_liberty(board, head)
    while point != NOWHERE:
        if may_play(board, search, point, colour, attacker):
            mine = reach(board, point, colour)
            if mine > 1:
                end = add_move(board, search, end, first, point, 50 + 10 * min(mine, 8))
        point = next_liberty(board, head, point)
    end = add_captures(board, search, end, first, head, colour, attacker, 100)
    if count == 1 and stones_of(board, head) == 1 and search.facts[MODE] == DEFENDER_RETAKES:
        # Make its capture a ko, where it has one more way in.
        ways, way_in = ways_into(board, first_liberty(board, head), attacker, head)
        if ways == 1 and way_in != NOWHERE and may_play(board, search, way_in, colour, attacker):
            end = add_move(board, search, end, first, way_in, 10)
    if count > 1:
        # Atari on what surrounds it, or, with more liberties, fewer liberties for it.
        at = next_beside(board, head, -1, attacker)
        while at >= 0:
            enemy = head_at(board, at_cursor(board, at))
            left = liberties_of(board, enemy)
            if left <= count:
                score = 60 if left == 2 else 40
                end = add_liberties(board, search, end, first, enemy, colour, attacker, score)
            if left == 2 or left == 3:
                end = add_friends_captures(board, search, end, first, enemy, colour, attacker)
            at = next_beside(board, head, at, attacker)
        point = first_liberty(board, head)
        while point != NOWHERE:
            for direction in range(8):
                near = beside(board, point, direction)
                content = colour_at(board, near)
                if content == EMPTY and (direction < 4 or count <= 2):
                    if not has_liberty(board, head, near) and may_play(board, search, near, colour, attacker):
                        score = 34 if direction < 4 else 16
                        for again in range(4):
                            further = beside(board, near, again)
                            beyond = colour_at(board, further)
                            if beyond == EMPTY and has_liberty(board, head, further):
                                score += 6
                            elif beyond == colour:
                                score += 10
                            elif beyond == BORDER:
                                score -= 2
                        if reach(board, near, colour) > 1:
                            end = add_move(board, search, end, first, near, score)
                elif content == colour and direction < 4:
                    # A friend to join: save it first, if it is short of liberties.
                    friend = head_at(board, near)
                    if friend != head and liberties_of(board, friend) <= 3:
                        score = 30 + 10 * (3 - liberties_of(board, friend))
                        end = add_liberties(board, search, end, first, friend, colour, attacker, score)
                        end = add_captures(board, search, end, first, friend, colour, attacker, score)
            point = next_liberty(board, head, point)
    end = add_threat(board, search, end, first, threat, colour, attacker)
    return finish_list(board, search, first, end, colour, killer, 120, hint, ply)


@inner
def add_friends_captures(board, search, end, first, head, colour, attacker):
    """Captures of what is in atari beside an enemy string's own neighbours: they take its support away."""
    at = next_beside(board, head, -1, colour)
    while at >= 0:
        friend = head_at(board, at_cursor(board, at))
        end = add_captures(board, search, end, first, friend, colour, attacker, 40)
        at = next_beside(board, head, at, colour)
    return end
