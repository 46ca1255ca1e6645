"""Capture search with a budget: ladders of any length, and a limited number of non-atari ("loose") moves.

Connecting two strings is the same search with another distance to the goal, see `connection`.

The budget pays for the attacker's moves that leave the string two or more liberties: LOOSE_MOVE_COST for each, and
more for less promising moves, so that these are tried later. With budget 0, only ladders are read; larger budgets
include nets, loose ladders and races. A string with n liberties needs at least n - 2 such moves, which ends the
search as soon as it has escaped. After a loose move the defender passes first: if the attacker then has nothing,
the move was no threat, and no other defence needs to be tried. For captures that need many loose moves see
`capture_dfpn`.

Ko is read in three modes: nobody may retake immediately (as in the rules), only the defender, or only the
attacker. The caller combines the three results.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.compiled.records import record_type
from tengen.core.compiled.rng import mix
from tengen.engines.go.kernels.board import NOWHERE
from tengen.engines.go.reading.kernels.board import (
    SAVED_FIELDS,
    colour_at,
    first_liberty,
    has_log_space,
    head_at,
    liberties_of,
    place,
    restore,
    save,
    stones_of,
)
from tengen.engines.go.reading.kernels.candidates import DEFENDER_RETAKES, LOOSE_MOVE_COST, is_playable, start_list
from tengen.engines.go.reading.kernels.capture_moves import list_attacks, list_defences, may_be_ko
from tengen.engines.go.reading.kernels.capture_zone import (
    add_surroundings,
    add_to_zone,
    add_weak_strings,
    merge_zone,
    use_zone,
)
from tengen.engines.go.reading.kernels.connection import UNREACHABLE, distance, list_connections, list_cuts

CAUGHT, FREE, UNKNOWN = 1, 0, -1

MAX_PLIES = 400
MAX_MOVES = 1 << 15  # of all plies of a line together
TABLE_BITS = 17

FRAME = record_type(
    ("turn", np.int64),  # the colour to move
    ("budget", np.int64),
    ("first", np.int64),  # the start of this ply's part of `moves`; the next ply's starts at `end`
    ("following", np.int64),  # the next move to read
    ("end", np.int64),
    ("played", np.int64),  # the move being read
    ("passing", np.int64),  # whether that is the defender's pass
    ("liberties", np.int64),
    ("hint", np.int64),  # the table's best move
    ("position_key", np.uint64),
    ("depends_on", np.int64),  # the first ply that a repetition below repeats; the value holds only on this path
    *SAVED_FIELDS,
)


class Query(NamedTuple):
    """A question: whether the string on `target` is captured, or connected with that on `join_target`."""

    target: int
    join_target: int  # NOWHERE for a capture
    ko_mode: int
    node_limit: int
    excluded_move: int = NOWHERE  # an attack that is not tried at the root


class Search(NamedTuple):
    """The arrays of a capture search; kernels use them by reference."""

    state: Any  # one SEARCH_STATE
    frames: Any  # a FRAME per ply
    moves: Any
    lines: Any
    lengths: Any
    killers: Any  # per ply: the last move that caused a cutoff
    wins: Any  # per point and colour: number of cutoffs in this query
    near: Any  # distances of points from one string, and in `far` from another
    far: Any
    front: Any
    touched: Any  # 1 where a stone was tried
    zones: Any  # per ply: set of the points played in the proof that the attacker succeeds
    table_keys: Any
    table: Any
    table_zones: Any  # the zone of each entry with the value CAUGHT


@inner
def _key_of(board, search, turn):
    """(key of stones, turn and ko; the same combined with the query id, as stored in the table).

    The slot depends only on the first, so that replacements are the same in every query.
    """
    key = board.state[0].key ^ mix(turn)
    if board.state[0].ko != NOWHERE:
        key ^= mix((board.state[0].ko * 4 + board.state[0].ko_for) << 32)
    return key, key ^ mix(search.state[0].query_id << 16)


@inner
def _open_frame(board, search, ply, turn, budget):
    frame = search.frames[ply]
    frame.turn = turn
    frame.budget = budget
    frame.passing = 0
    frame.depends_on = MAX_PLIES
    save(board, frame)
    search.lengths[ply] = 0
    for word in range(board.words):
        search.zones[ply * board.words + word] = 0


@inner
def _store_line(search, ply, move):
    """Store the best line of a ply: a move and the line of the next ply."""
    length = min(search.lengths[ply + 1], MAX_PLIES - 2)
    search.lines[ply * MAX_PLIES] = move
    for i in range(length):
        search.lines[ply * MAX_PLIES + 1 + i] = search.lines[(ply + 1) * MAX_PLIES + i]
    search.lengths[ply] = length + 1


@inner
def set_goal(board, search, target, join_target):
    """Set the goal; its side is the enemy of a string to capture, or the owner of two strings to connect."""
    colour = colour_at(board, target)
    search.state[0].join_target = join_target
    search.state[0].attacker = 3 - colour if join_target == NOWHERE else colour


@inner
def start(board, search, query):
    """Reset the search; returns the side with the goal.

    The result then depends neither on earlier queries nor on stones that the search never comes near: position
    keys hash only changes of the board, and only table entries of the same query id are used.
    """
    state = search.state[0]
    state.nodes = 0
    state.node_limit = query.node_limit
    state.ko_mode = query.ko_mode
    state.ko_seen = 0
    state.budget_cut = 0
    state.query_id += 1
    state.excluded_move = query.excluded_move
    board.state[0].key = 0
    for ply in range(MAX_PLIES):
        search.killers[ply] = NOWHERE
    for i in range(2 * board.points):
        search.wins[i] = 0
    set_goal(board, search, query.target, query.join_target)
    return state.attacker


@inner
def list_attacking_moves(board, search, target, budget, ply):
    """List moves towards the goal after `start_list`; returns the end of the list."""
    if search.state[0].join_target != NOWHERE:
        return list_connections(board, search, target, ply)
    return list_attacks(board, search, target, budget, ply)


@inner
def list_defending_moves(board, search, target, threat, ply):
    """List moves that prevent the goal after `start_list`; returns the end of the list."""
    if search.state[0].join_target != NOWHERE:
        return list_cuts(board, search, target, threat, ply)
    return list_defences(board, search, target, threat, ply)


@inner
def _remove_move(search, ply, move):
    frame = search.frames[ply]
    kept = frame.first
    for i in range(frame.first, frame.end):
        if search.moves[i] & 1023 != move:
            search.moves[kept] = search.moves[i]
            kept += 1
    frame.end = kept


@inner
def _list_moves(board, search, target, ply, threat):
    """List the moves of a ply after those of the previous ply."""
    frame = search.frames[ply]
    start_list(board, search, frame.first, frame.hint, search.killers[ply])
    if frame.turn == search.state[0].attacker:
        frame.end = list_attacking_moves(board, search, target, frame.budget, ply)
        if ply == 0 and search.state[0].excluded_move != NOWHERE:
            _remove_move(search, ply, search.state[0].excluded_move)
        if board.state[0].ko != NOWHERE and board.state[0].ko_for == frame.turn:
            # A pass lifts the ban on the ko.
            search.moves[frame.end] = NOWHERE
            frame.end += 1
    else:
        frame.end = list_defending_moves(board, search, target, threat, ply)
        if search.state[0].join_target == NOWHERE:
            add_surroundings(board, search, target, ply)
            if frame.liberties > 1 and ply > 0:
                frame.end = use_zone(board, search, ply, frame.first, frame.end)
    frame.following = frame.first


@inner
def moves_to_goal(board, search, target, colour):
    """Minimum number of consecutive moves to the goal: liberties, or the distance of two strings. 0: reached."""
    if search.state[0].join_target != NOWHERE:
        return distance(board, search, target, colour)
    if colour_at(board, target) != colour:
        return np.int64(0)
    return liberties_of(board, head_at(board, target))


@inner
def winning_move(board, search, target, attacker):
    """The attacker's move that reaches the goal at once, or NOWHERE if it is illegal or may be a ko."""
    if search.state[0].join_target != NOWHERE:
        return search.state[0].joining_move
    head = head_at(board, target)
    point = first_liberty(board, head)
    # The capture of a lone stone may be a ko, which is recognised after the move.
    return point if stones_of(board, head) > 1 and is_playable(board, search, point, attacker) else NOWHERE


@inner
def _list_retaking(search, target, ply):
    """List the only move after the capture of a lone stone in a ko: retaking it."""
    frame = search.frames[ply]
    frame.position_key = np.uint64(0)
    frame.first = search.frames[ply - 1].end if ply > 0 else 0
    frame.following = frame.first
    search.moves[frame.first] = target
    frame.end = frame.first + 1
    frame.liberties = 0


@inner
def _is_repetition(search, ply):
    """Whether the position of a ply occurred before on the path."""
    frame = search.frames[ply]
    for i in range(ply - 4, -1, -2):
        if search.frames[i].position_key == frame.position_key:
            frame.depends_on = i
            return True
    return False


@inner
def _is_retakable(board, search, target):
    """Whether the string is a lone stone in atari that the defender could retake in a ko."""
    state = search.state[0]
    if state.join_target != NOWHERE or state.ko_mode != DEFENDER_RETAKES:
        return False
    return may_be_ko(board, head_at(board, target))


@inner
def _enter(board, search, target, colour, ply):
    """The value of a position, if known without search; else UNKNOWN, with its moves listed."""
    frame, attacker = search.frames[ply], search.state[0].attacker
    turn, budget = frame.turn, frame.budget
    count = moves_to_goal(board, search, target, colour)
    if count == 0:
        if board.state[0].ko == target and search.state[0].join_target == NOWHERE:
            search.state[0].ko_seen = 1
            if search.state[0].ko_mode == DEFENDER_RETAKES:
                _list_retaking(search, target, ply)
                return UNKNOWN
        return CAUGHT
    if search.state[0].join_target != NOWHERE and count == UNREACHABLE:
        return FREE  # no path, or one of the strings was captured
    frame.liberties = count
    if turn == attacker:
        if count == 1:
            point = winning_move(board, search, target, attacker)
            if point != NOWHERE and (ply > 0 or point != search.state[0].excluded_move):
                search.lines[ply * MAX_PLIES] = point
                search.lengths[ply] = 1
                add_to_zone(board, search, ply, point)
                add_weak_strings(board, search, ply, point)
                add_surroundings(board, search, target, ply)
                return CAUGHT
        if LOOSE_MOVE_COST * (count - 2) > budget:
            search.state[0].budget_cut = 1
            return FREE
    if ply >= MAX_PLIES - 2 or not has_log_space(board):
        return FREE
    hint = NOWHERE
    key, salted = _key_of(board, search, turn)
    frame.position_key = key
    if board.state[0].last_ko != NOWHERE and _is_repetition(search, ply):
        # The side that may retake any ko must make progress; without such a side it is good for the defender.
        return CAUGHT if search.state[0].ko_mode == DEFENDER_RETAKES else FREE
    slot = np.int64(key & np.uint64((1 << TABLE_BITS) - 1))
    if search.table_keys[slot] == salted:
        entry = search.table[slot]
        hint = entry & 1023
        known = (entry >> 10) & 255
        value = entry >> 18
        if value == CAUGHT or known >= budget:
            if value == FREE:
                search.state[0].budget_cut = 1
            search.lines[ply * MAX_PLIES] = hint
            search.lengths[ply] = 1 if hint != NOWHERE else 0
            if value == CAUGHT:
                for word in range(board.words):
                    search.zones[ply * board.words + word] = search.table_zones[slot * board.words + word]
            return value
    frame.first = search.frames[ply - 1].end if ply > 0 else 0
    frame.following = frame.first
    frame.hint = hint
    if turn != attacker and (count > 1 or _is_retakable(board, search, target)):
        frame.passing = 1
        frame.end = frame.first
    else:
        _list_moves(board, search, target, ply, NOWHERE)
    return UNKNOWN


@inner
def _cost(rank):
    """Budget cost of a loose move by its rank."""
    return LOOSE_MOVE_COST + (rank >= 3) + (rank >= 6)


@inner
def _store(board, search, ply, value, move):
    if search.frames[ply].depends_on < ply:
        return
    key, salted = _key_of(board, search, search.frames[ply].turn)
    slot = np.int64(key & np.uint64((1 << TABLE_BITS) - 1))
    search.table_keys[slot] = salted
    search.table[slot] = (value << 18) | (search.frames[ply].budget << 10) | move
    if value == CAUGHT:
        for word in range(board.words):
            search.table_zones[slot * board.words + word] = search.zones[ply * board.words + word]


@inner
def read_capture(board, search, target, turn, budget):
    """CAUGHT or FREE within a budget, or UNKNOWN if the node limit is reached. The line is in `lines[0]`."""
    colour = colour_at(board, target)
    attacker = search.state[0].attacker
    ply = 0
    _open_frame(board, search, 0, turn, budget)
    value = _enter(board, search, target, colour, 0)
    while True:
        frame = search.frames[ply]
        if value == UNKNOWN:
            search.state[0].nodes += 1
            if search.state[0].nodes > search.state[0].node_limit:
                restore(board, search.frames[0])
                search.lengths[0] = 0
                return UNKNOWN
            # Try the next move of this ply.
            turn, budget = frame.turn, frame.budget
            if frame.passing == 1:
                frame.played = NOWHERE
                board.state[0].ko = NOWHERE
                less = max(budget - LOOSE_MOVE_COST, LOOSE_MOVE_COST * (frame.liberties - 2), 0)
                _open_frame(board, search, ply + 1, attacker, less)
            elif frame.following == frame.end:
                value = FREE if turn == attacker else CAUGHT
                continue
            else:
                move = search.moves[frame.following] & 1023
                frame.following += 1
                frame.played = move
                left = budget
                if move == NOWHERE:
                    board.state[0].ko = NOWHERE
                else:
                    place(board, move, turn)
                    search.touched[move] = 1
                if turn == attacker:
                    count = moves_to_goal(board, search, target, colour)
                    if count > 1 or move == NOWHERE:
                        left -= _cost(frame.following - 1 - frame.first)
                        if left < 0 or LOOSE_MOVE_COST * (count - 2) > left:
                            search.state[0].budget_cut = 1
                            restore(board, frame)
                            continue
                _open_frame(board, search, ply + 1, 3 - turn, left)
            ply += 1
            search.frames[ply].end = frame.end
            value = _enter(board, search, target, colour, ply)
            continue
        # This ply has a value: return to the previous ply.
        if ply == 0:
            return value
        ply -= 1
        frame = search.frames[ply]
        frame.depends_on = min(frame.depends_on, search.frames[ply + 1].depends_on)
        restore(board, frame)
        turn, move = frame.turn, frame.played
        if turn == attacker:
            if value == CAUGHT:
                merge_zone(board, search, ply, move)
                add_weak_strings(board, search, ply, move)
                _store_line(search, ply, move)
                if move != NOWHERE:
                    search.killers[ply] = move
                    search.wins[2 * move + turn - 1] += 1
                _store(board, search, ply, CAUGHT, move)
            elif frame.following == frame.end:
                _store(board, search, ply, FREE, NOWHERE)
            else:
                value = UNKNOWN
        elif value == FREE:
            _store_line(search, ply, move)
            if move != NOWHERE:
                search.killers[ply] = move
                search.wins[2 * move + turn - 1] += 1
            _store(board, search, ply, FREE, move)
        elif frame.passing == 1:
            # A pass fails, so list the moves, including the attacker's move after the pass.
            frame.passing = 0
            merge_zone(board, search, ply, NOWHERE)
            threat = search.lines[(ply + 1) * MAX_PLIES] if search.lengths[ply + 1] > 0 else NOWHERE
            _list_moves(board, search, target, ply, threat)
            search.lengths[ply] = 0
            value = UNKNOWN
        elif frame.following == frame.end:
            merge_zone(board, search, ply, move)
            if search.lengths[ply] == 0:
                _store_line(search, ply, move)
            _store(board, search, ply, CAUGHT, NOWHERE)
        else:
            merge_zone(board, search, ply, move)
            if search.lengths[ply] == 0:
                _store_line(search, ply, move)
            value = UNKNOWN
