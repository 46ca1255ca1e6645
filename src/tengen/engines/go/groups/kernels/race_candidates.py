"""Moves of a capturing race: all that may matter (`list_race_moves`), or only the best (`list_sharp_moves`)."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.go.groups.kernels.race_evaluation import mark_plain, rival_head
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
)
from tengen.engines.go.reading.kernels.candidates import add_ko_filling, add_move, is_playable, start_list
from tengen.engines.go.reading.kernels.proof_number_search import ESCAPE

MAX_WEAK_LIBERTIES = 3  # strings with more liberties are not attacked or saved on the way
MAX_HISTORY_BONUS = 20


@inner
def _sort_moves(search, turn):
    """Add the history bonus to the listed moves and sort them, best first; returns their number."""
    end = search.state[0].end
    most = 1
    for i in range(end):
        most = max(most, search.wins[2 * (search.moves[i] & 1023) + turn - 1])
    for i in range(end):
        move = search.moves[i]
        move += (MAX_HISTORY_BONUS * search.wins[2 * (move & 1023) + turn - 1] // most) << 10
        j = i
        while j > 0 and search.moves[j - 1] < move:
            search.moves[j] = search.moves[j - 1]
            j -= 1
        search.moves[j] = move
    return end


@inner
def _add(board, search, dfpn, point, turn, score):
    """Add a point of the zone as a move; self-ataris score less."""
    if dfpn.flags[point] & ESCAPE == 0 and is_playable(board, search, point, turn):
        add_move(board, search, point, score if liberties_after(board, point, turn) > 1 else score - 25)


@inner
def _add_liberties(board, search, dfpn, head, turn, score):
    point = first_liberty(board, head)
    while point != NOWHERE:
        _add(board, search, dfpn, point, turn, score)
        point = next_liberty(board, head, point)


@inner
def _add_around(board, search, dfpn, head, other, turn, score):
    """Add the liberties of a string, those shared with `other` less, their neighbours, and weak strings there.

    Of plain liberties one is added if they are the enemy's, none if they are own.
    """
    plain = mark_plain(board, dfpn, head)
    filled = colour_at(board, head) == turn
    point = first_liberty(board, head)
    while point != NOWHERE:
        if plain != 0 and dfpn.regions[point] != 0:
            if not filled:
                _add(board, search, dfpn, point, turn, score)
                filled = True
            point = next_liberty(board, head, point)
            continue
        shared = other != NOWHERE and has_liberty(board, other, point)
        _add(board, search, dfpn, point, turn, score - (20 if shared else 0))
        for direction in range(8):
            near = neighbour(board, point, direction)
            content = colour_at(board, near)
            if content == EMPTY:
                if direction < 4:
                    _add(board, search, dfpn, near, turn, 12)
            elif content != BORDER and direction < 4:
                string = head_at(board, near)
                left = liberties_of(board, string)
                if string != head and string != other and left < MAX_WEAK_LIBERTIES:
                    _add_liberties(board, search, dfpn, string, turn, 40 - 12 * left)
        point = next_liberty(board, head, point)


@inner
def _add_neighbours(board, search, dfpn, head, other, turn, colour, scores):
    """Add the liberties of weak strings of a colour that touch a string."""
    at = next_adjacent(board, head, -1, colour)
    while at >= 0:
        string = head_at(board, stone_at_cursor(board, at))
        left = liberties_of(board, string)
        if string != other and left <= MAX_WEAK_LIBERTIES:
            _add_liberties(board, search, dfpn, string, turn, scores - 20 * (left - 1))
        at = next_adjacent(board, head, at, colour)


@inner
def list_race_moves(board, search, dfpn, turn):
    """List moves in the race, most promising first; returns their number."""
    goal = dfpn.state[0]
    target, rival = head_at(board, goal.target), rival_head(board, dfpn)
    own, enemy = (rival, target) if turn == search.state[0].attacker else (target, rival)
    start_list(board, search, 0, NOWHERE, NOWHERE)
    add_ko_filling(board, search, turn)
    if enemy != NOWHERE:
        _add_around(board, search, dfpn, enemy, own, turn, 60)
        _add_neighbours(board, search, dfpn, enemy, own, turn, turn, 50)
    if own != NOWHERE:
        _add_around(board, search, dfpn, own, enemy, turn, 45)
        _add_neighbours(board, search, dfpn, own, enemy, turn, 3 - turn, 70)
    return _sort_moves(search, turn)


@inner
def _gain(board, head, point, colour):
    """Liberties that a string of `colour` gains by a move on one of its liberties."""
    return liberties_after(board, point, colour) - liberties_of(board, head)


@inner
def _touches_safely(board, point, colour):
    """Whether a point is next to a string of a colour with two or more liberties."""
    for direction in range(4):
        near = neighbour(board, point, direction)
        if colour_at(board, near) == colour and liberties_of(board, head_at(board, near)) > 1:
            return True
    return False


@inner
def _add_filling(board, search, dfpn, enemy, own, turn):
    """Add the liberties of the enemy, first those where it would gain most.

    Of outside liberties where it would gain nothing, and of shared ones where neither side would, only one is
    added: it hardly matters in which order they are filled.
    """
    outside, shared = False, False
    point = first_liberty(board, enemy)
    while point != NOWHERE:
        gain = min(_gain(board, enemy, point, 3 - turn), np.int64(4))
        is_shared = own != NOWHERE and has_liberty(board, own, point)
        redundant = False
        if gain < 0 and _touches_safely(board, point, turn):
            if not is_shared:
                redundant, outside = outside, True
            elif _gain(board, own, point, turn) < 0:
                redundant, shared = shared, True
        if not redundant:
            _add(board, search, dfpn, point, turn, 50 + 8 * gain - (25 if is_shared else 0))
        point = next_liberty(board, enemy, point)


@inner
def _add_extensions(board, search, dfpn, own, turn):
    """Add the own liberties where the own string gains liberties."""
    point = first_liberty(board, own)
    while point != NOWHERE:
        gain = _gain(board, own, point, turn)
        if gain > 0:
            _add(board, search, dfpn, point, turn, 35 + 10 * min(gain, np.int64(4)))
        point = next_liberty(board, own, point)


@inner
def _add_vital(board, search, dfpn, head, turn):
    """Add the empty points near a string's liberties that have no enemy among their neighbours: its eye space."""
    point = first_liberty(board, head)
    colour = colour_at(board, head)
    while point != NOWHERE:
        for direction in range(8):
            near = neighbour(board, point, direction)
            if colour_at(board, near) != EMPTY:
                continue
            inside, open_points = 0, 0
            for turned in range(4):
                content = colour_at(board, neighbour(board, near, turned))
                inside += content == colour or content == BORDER
                open_points += content == EMPTY
            if inside + open_points == 4 and inside >= 1:
                _add(board, search, dfpn, near, turn, 24 + 4 * inside)
        point = next_liberty(board, head, point)


@inner
def list_sharp_moves(board, search, dfpn, turn):
    """List the most promising moves, best first; returns their number."""
    goal = dfpn.state[0]
    target, rival = head_at(board, goal.target), rival_head(board, dfpn)
    own, enemy = (rival, target) if turn == search.state[0].attacker else (target, rival)
    start_list(board, search, 0, NOWHERE, NOWHERE)
    add_ko_filling(board, search, turn)
    if enemy != NOWHERE:
        _add_filling(board, search, dfpn, enemy, own, turn)
        _add_neighbours(board, search, dfpn, enemy, own, turn, turn, 60)
        _add_vital(board, search, dfpn, enemy, turn)
    if own != NOWHERE:
        _add_extensions(board, search, dfpn, own, turn)
        _add_neighbours(board, search, dfpn, own, enemy, turn, 3 - turn, 75)
        _add_vital(board, search, dfpn, own, turn)
    return _sort_moves(search, turn)
