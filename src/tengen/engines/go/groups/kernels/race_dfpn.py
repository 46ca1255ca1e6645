"""Proof-number search for capturing races: whether the attacker captures the target before its rival is captured.

Moves are tried near the two strings and near strings short of liberties that touch them. A target with a liberty
outside the zone has escaped. A captured rival of more than `MAX_NAKADE` stones decides the race; inside a smaller
one the attacker may play again.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.references import reference
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
    place,
    restore,
    stone_at_cursor,
    stones_of,
    takes,
)
from tengen.engines.go.reading.kernels.candidates import (
    DEFENDER_RETAKES,
    add_ko_filling,
    add_move,
    is_playable,
    start_list,
)
from tengen.engines.go.reading.kernels.capture import start
from tengen.engines.go.reading.kernels.proof_number_search import (
    ESCAPE,
    MAX_CHILDREN,
    WALL,
    add_pass,
    key_after,
    key_of,
    make_search,
    pack_numbers,
    start_proof,
)

MAX_NAKADE = 6  # stones of a captured rival inside which the attacker may still kill
MAX_WEAK_LIBERTIES = 3  # strings with more liberties are not attacked or saved on the way
WIDTHS = 40, 24, 16  # moves tried at the root, at ply 1, and deeper
_MANY = 9  # liberties


@inner
def _rival_head(board, dfpn):
    """The head of the rival's string, or NOWHERE if it was captured or there is none."""
    rival = dfpn.state[0].rival
    if rival == NOWHERE or colour_at(board, rival) != 3 - dfpn.state[0].colour:
        return NOWHERE
    return head_at(board, rival)


@inner
def _escape_or_eyes(board, dfpn, head, colour):
    """Whether a string has a liberty outside the zone, or two liberties surrounded by the string itself."""
    eyes = 0
    point = first_liberty(board, head)
    while point != NOWHERE:
        if dfpn.flags[point] & ESCAPE != 0:
            return True
        own = 1
        for direction in range(4):
            near = neighbour(board, point, direction)
            content = colour_at(board, near)
            if content != BORDER and (content != colour or head_at(board, near) != head):
                own = 0
        eyes += own
        point = next_liberty(board, head, point)
    return eyes > 1


@inner
def _is_wall(board, dfpn, stone):
    return (dfpn.flags[stone] | dfpn.flags[head_at(board, stone)]) & WALL != 0


@inner
def _mark_plain(board, dfpn, head):
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
                if _is_wall(board, dfpn, near):
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
        if not _is_wall(board, dfpn, stone) and head_at(board, stone) != other:
            return False
        at = next_adjacent(board, head, at, colour)
    return True


@inner
def _count_race(board, search, dfpn, turn):
    """1 or -1 if the race is decided by counting: a side whose enemy has only plain liberties fills them all."""
    goal = dfpn.state[0]
    target, rival = head_at(board, goal.target), _rival_head(board, dfpn)
    left = liberties_of(board, target)
    against = liberties_of(board, rival) if rival != NOWHERE else np.int64(1 << 20)
    first = turn == search.state[0].attacker
    if left < against + first and _mark_plain(board, dfpn, target) == left:
        if _cannot_gain(board, dfpn, target, rival):
            goal.reply = first_liberty(board, target)
            return 1
    if rival != NOWHERE and goal.width != 0 and against < left + (not first):
        if _mark_plain(board, dfpn, rival) == against and _cannot_gain(board, dfpn, rival, target):
            goal.reply = first_liberty(board, rival)
            return -1
    return 0


@inner
def _evaluate(board, search, dfpn, turn):
    """1 if the target is captured, -1 if it has won the race, else 0."""
    goal, state = dfpn.state[0], search.state[0]
    target, colour = goal.target, goal.colour
    if colour_at(board, target) != colour:
        if board.state[0].ko == target:
            state.ko_seen = 1
            if state.ko_mode == DEFENDER_RETAKES:
                return -1
        return 1
    if goal.rival != NOWHERE and goal.width != 0 and colour_at(board, goal.rival) != 3 - colour:
        return -1
    if _escape_or_eyes(board, dfpn, head_at(board, target), colour):
        return -1
    return _count_race(board, search, dfpn, turn)


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
    plain = _mark_plain(board, dfpn, head)
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
def _list_moves(board, search, dfpn, turn):
    """List moves in the race, most promising first; returns their number."""
    goal = dfpn.state[0]
    target, rival = head_at(board, goal.target), _rival_head(board, dfpn)
    own, enemy = (rival, target) if turn == search.state[0].attacker else (target, rival)
    start_list(board, search, 0, NOWHERE, NOWHERE)
    add_ko_filling(board, search, turn)
    if enemy != NOWHERE:
        _add_around(board, search, dfpn, enemy, own, turn, 60)
        _add_neighbours(board, search, dfpn, enemy, own, turn, turn, 50)
    if own != NOWHERE:
        _add_around(board, search, dfpn, own, enemy, turn, 45)
        _add_neighbours(board, search, dfpn, own, enemy, turn, 3 - turn, 70)
    end = search.state[0].end
    most = 1
    for i in range(end):
        most = max(most, search.wins[2 * (search.moves[i] & 1023) + turn - 1])
    for i in range(end):
        move = search.moves[i]
        move += (20 * search.wins[2 * (move & 1023) + turn - 1] // most) << 10
        j = i
        while j > 0 and search.moves[j - 1] < move:
            search.moves[j] = search.moves[j - 1]
            j -= 1
        search.moves[j] = move
    return end


@inner
def _left_after(board, head, point, turn):
    """Liberties of a string after a move that captures nothing, up to _MANY; _MANY for no string."""
    if head == NOWHERE:
        return np.int64(_MANY)
    left = liberties_of(board, head)
    if has_liberty(board, head, point):
        left = liberties_after(board, point, turn) if colour_at(board, head) == turn else left - 1
    return min(left, np.int64(_MANY))


@inner
def _init_child(board, search, dfpn, ply, index, move):
    """Set the key and the initial proof numbers of a child."""
    frame, child, goal = dfpn.frames[ply], dfpn.children[ply * MAX_CHILDREN + index], dfpn.state[0]
    turn = frame.turn
    child.move = move
    if takes(board, move, turn):
        place(board, move, turn)
        child.position_key = key_of(board, 3 - turn)
        left = min(liberties_of(board, head_at(board, goal.target)), np.int64(_MANY))
        if colour_at(board, goal.target) != goal.colour:
            left = np.int64(0)
        rival = _rival_head(board, dfpn)
        against = np.int64(0)
        if rival != NOWHERE:
            against = min(liberties_of(board, rival), np.int64(_MANY))
        restore(board, frame)
    else:
        child.position_key = key_after(board, move, turn)
        left = _left_after(board, head_at(board, goal.target), move, turn)
        against = _left_after(board, _rival_head(board, dfpn), move, turn)
    catching = 1 + left + 2 * max(left - against, 0)
    fleeing = 1 + against + 2 * max(against - left, 0)
    if turn == search.state[0].attacker:
        child.prior = pack_numbers(fleeing, catching + index // 3)
    else:
        child.prior = pack_numbers(catching, fleeing + index // 3)


@inner
def _expand(board, search, dfpn, ply):
    """List the children of a ply."""
    frame, goal = dfpn.frames[ply], dfpn.state[0]
    if colour_at(board, goal.target) == EMPTY:  # taken in a ko
        _init_child(board, search, dfpn, ply, 0, goal.target)
        frame.children = 1
        return
    frame.children = min(_list_moves(board, search, dfpn, frame.turn), WIDTHS[min(ply, 2)])
    for i in range(frame.children):
        _init_child(board, search, dfpn, ply, i, search.moves[i] & 1023)
    add_pass(board, search, dfpn, ply)


@inner
def _add_refutations(board, search, dfpn, ply):
    """None: the list of moves is wide enough."""
    return False


_prove = make_search(_evaluate, _expand, _add_refutations, 1)


@kernel
def read_race(board, search, dfpn, query, turn, rival, repetition_wins):
    """(phi, delta, best move, nodes, whether the ko mode mattered) for the side to move.

    `repetition_wins` tells whether a repetition is good for the attacker, not for the defender.
    """
    board, search, dfpn = reference(board), reference(search), reference(dfpn)
    start(board, search, query)
    start_proof(board, dfpn, query.target)
    goal = dfpn.state[0]
    goal.rival = rival
    goal.repetition_wins = repetition_wins
    goal.width = rival != NOWHERE and stones_of(board, head_at(board, np.int64(rival))) > MAX_NAKADE
    phi, delta, move = _prove(board, search, dfpn, np.int64(turn))
    return phi, delta, move, search.state[0].nodes, search.state[0].ko_seen != 0
