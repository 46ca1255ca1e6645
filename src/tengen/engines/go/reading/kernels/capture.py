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

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.rng import mix
from tengen.engines.go.kernels.board import NOWHERE
from tengen.engines.go.reading.kernels.board import (
    KO,
    KO_FOR,
    LOG_LENGTH,
    WORD_LOG_LENGTH,
    colour_at,
    first_liberty,
    has_log_space,
    head_at,
    liberties_of,
    place,
    stones_of,
    undo,
)
from tengen.engines.go.reading.kernels.candidates import (
    BUDGET_CUT,
    DEFENDER_RETAKES,
    JOIN_TARGET,
    JOINING_MOVE,
    KO_SEEN,
    LIMIT,
    LOOSE_MOVE_COST,
    MODE,
    NODES,
    QUERY_ID,
    is_playable,
)
from tengen.engines.go.reading.kernels.capture_moves import list_attacks, list_defences, safe_neighbours
from tengen.engines.go.reading.kernels.connection import UNREACHABLE, distance, list_connections, list_cuts

CAUGHT, FREE, UNKNOWN = 1, 0, -1

MAX_PLIES = 400
MAX_MOVES = 1 << 15  # of all plies of a line together
TABLE_BITS = 17

# Fields of a frame, one per ply: int64
(
    TURN,  # the colour to move
    BUDGET,
    FIRST,  # the start of this ply's part of `moves`; the next ply's starts at END
    NEXT,
    END,
    PLAYED,  # the move being read
    PASSING,  # whether that is the defender's pass
    SAVED_LOG,
    SAVED_WORDS,
    SAVED_KO,
    SAVED_KO_FOR,
    LIBERTIES,
    HINT,  # the table's best move
    FRAME_SIZE,
) = range(14)


class Arrays(NamedTuple):
    """The arrays of a search, for Python."""

    facts: Any
    frames: Any
    keys: Any
    moves: Any
    lines: Any
    lengths: Any
    killers: Any  # per ply: the last move that caused a cutoff
    wins: Any  # per point and colour: number of cutoffs in this query
    near: Any  # distances of points from one string, and in `far` from another
    far: Any
    front: Any
    touched: Any  # 1 where a stone was tried
    table_keys: Any
    table: Any


Search = namedtuple("Search", Arrays._fields)


@inner
def open_search(arrays):
    return Search(
        pointer(arrays.facts),
        pointer(arrays.frames),
        pointer(arrays.keys),
        pointer(arrays.moves),
        pointer(arrays.lines),
        pointer(arrays.lengths),
        pointer(arrays.killers),
        pointer(arrays.wins),
        pointer(arrays.near),
        pointer(arrays.far),
        pointer(arrays.front),
        pointer(arrays.touched),
        pointer(arrays.table_keys),
        pointer(arrays.table),
    )


@inner
def _key_of(board, search, turn):
    """(key of stones, turn and ko; the same combined with the query id, as stored in the table).

    The slot depends only on the first, so that replacements are the same in every query.
    """
    key = board.key[0] ^ mix(turn)
    if board.facts[KO] != NOWHERE:
        key ^= mix((board.facts[KO] * 4 + board.facts[KO_FOR]) << 32)
    return key, key ^ mix(search.facts[QUERY_ID] << 16)


@inner
def _open_frame(board, search, ply, turn, budget):
    at = ply * FRAME_SIZE
    frames = search.frames
    frames[at + TURN] = turn
    frames[at + BUDGET] = budget
    frames[at + SAVED_LOG] = board.facts[LOG_LENGTH]
    frames[at + SAVED_WORDS] = board.facts[WORD_LOG_LENGTH]
    frames[at + SAVED_KO] = board.facts[KO]
    frames[at + SAVED_KO_FOR] = board.facts[KO_FOR]
    frames[at + PASSING] = 0
    search.keys[ply] = board.key[0]
    search.lengths[ply] = 0


@inner
def _restore(board, search, ply):
    """Restore the board to the beginning of a ply."""
    at = ply * FRAME_SIZE
    frames = search.frames
    undo(board, frames[at + SAVED_LOG], frames[at + SAVED_WORDS])
    board.facts[KO] = frames[at + SAVED_KO]
    board.facts[KO_FOR] = frames[at + SAVED_KO_FOR]
    board.key[0] = search.keys[ply]


@inner
def _store_line(search, ply, move):
    """Store the best line of a ply: a move and the line of the next ply."""
    length = min(search.lengths[ply + 1], MAX_PLIES - 2)
    search.lines[ply * MAX_PLIES] = move
    for i in range(length):
        search.lines[ply * MAX_PLIES + 1 + i] = search.lines[(ply + 1) * MAX_PLIES + i]
    search.lengths[ply] = length + 1


@inner
def attacker_of(search, colour):
    """The side with the goal: the enemy of a string to capture, or the owner of two strings to connect."""
    return 3 - colour if search.facts[JOIN_TARGET] == NOWHERE else colour


@inner
def _list_moves(board, search, target, attacker, ply, threat):
    """List the moves of a ply after those of the previous ply."""
    frames, at = search.frames, ply * FRAME_SIZE
    first, hint, killer = frames[at + FIRST], frames[at + HINT], search.killers[ply]
    if search.facts[JOIN_TARGET] != NOWHERE:
        if frames[at + TURN] == attacker:
            frames[at + END] = list_connections(board, search, target, first, hint, killer, ply)
        else:
            frames[at + END] = list_cuts(board, search, target, first, threat, hint, killer, ply)
    elif frames[at + TURN] == attacker:
        budget = frames[at + BUDGET]
        frames[at + END] = list_attacks(board, search, target, first, budget, hint, killer, ply)
    else:
        frames[at + END] = list_defences(board, search, target, first, threat, hint, killer, ply)
    frames[at + NEXT] = first


@inner
def moves_to_goal(board, search, target, colour):
    """Minimum number of consecutive moves to the goal: liberties, or the distance of two strings. 0: reached."""
    if search.facts[JOIN_TARGET] != NOWHERE:
        return distance(board, search, target, colour)
    if colour_at(board, target) != colour:
        return np.int64(0)
    return liberties_of(board, head_at(board, target))


@inner
def winning_move(board, search, target, attacker):
    """The attacker's move that reaches the goal at once, or NOWHERE if it is illegal or may be a ko."""
    if search.facts[JOIN_TARGET] != NOWHERE:
        return search.facts[JOINING_MOVE]
    head = head_at(board, target)
    point = first_liberty(board, head)
    # The capture of a lone stone may be a ko, which is recognised after the move.
    return (
        point if stones_of(board, head) > 1 and is_playable(board, search, point, attacker, attacker) else NOWHERE
    )


@inner
def _enter(board, search, target, colour, ply):
    """The value of a position, if known without search; else UNKNOWN, with its moves listed."""
    frames, at = search.frames, ply * FRAME_SIZE
    attacker = attacker_of(search, colour)
    turn, budget = frames[at + TURN], frames[at + BUDGET]
    count = moves_to_goal(board, search, target, colour)
    if count == 0:
        if board.facts[KO] == target and search.facts[JOIN_TARGET] == NOWHERE:
            search.facts[KO_SEEN] = 1
            if search.facts[MODE] == DEFENDER_RETAKES:
                return FREE  # retaken immediately
        return CAUGHT
    if search.facts[JOIN_TARGET] != NOWHERE and count == UNREACHABLE:
        return FREE  # no path, or one of the strings was captured
    frames[at + LIBERTIES] = count
    if turn == attacker:
        if count == 1:
            point = winning_move(board, search, target, attacker)
            if point != NOWHERE:
                search.lines[ply * MAX_PLIES] = point
                search.lengths[ply] = 1
                return CAUGHT
        if LOOSE_MOVE_COST * (count - 2) > budget:
            search.facts[BUDGET_CUT] = 1
            return FREE
    elif count == 1 and search.facts[JOIN_TARGET] == NOWHERE and search.facts[MODE] == DEFENDER_RETAKES:
        head = head_at(board, target)
        if (
            stones_of(board, head) == 1
            and safe_neighbours(board, first_liberty(board, head), attacker, head)[0] == 0
        ):
            search.facts[KO_SEEN] = 1
            return FREE  # its capture is a ko that the defender retakes
    if ply >= MAX_PLIES - 2 or not has_log_space(board):
        return FREE
    hint = NOWHERE
    key, salted = _key_of(board, search, turn)
    slot = np.int64(key & np.uint64((1 << TABLE_BITS) - 1))
    if search.table_keys[slot] == salted:
        entry = search.table[slot]
        hint = entry & 1023
        known = (entry >> 10) & 255
        value = entry >> 18
        if value == CAUGHT or known >= budget:
            if value == FREE:
                search.facts[BUDGET_CUT] = 1
            search.lines[ply * MAX_PLIES] = hint
            search.lengths[ply] = 1 if hint != NOWHERE else 0
            return value
    first = frames[at - FRAME_SIZE + END] if ply > 0 else 0
    frames[at + FIRST] = first
    frames[at + NEXT] = first
    frames[at + HINT] = hint
    if turn != attacker and count > 1:
        frames[at + PASSING] = 1
        frames[at + END] = first
    else:
        _list_moves(board, search, target, attacker, ply, NOWHERE)
    return UNKNOWN


@inner
def _cost(rank):
    """Budget cost of a loose move by its rank."""
    return LOOSE_MOVE_COST + (rank >= 3) + (rank >= 6)


@inner
def _store(board, search, ply, value, move):
    key, salted = _key_of(board, search, search.frames[ply * FRAME_SIZE + TURN])
    slot = np.int64(key & np.uint64((1 << TABLE_BITS) - 1))
    search.table_keys[slot] = salted
    search.table[slot] = (value << 18) | (search.frames[ply * FRAME_SIZE + BUDGET] << 10) | move


@inner
def read_capture(board, search, target, turn, budget):
    """CAUGHT or FREE within a budget, or UNKNOWN if the node limit is reached. The line is in `lines[0]`."""
    frames = search.frames
    colour = colour_at(board, target)
    attacker = attacker_of(search, colour)
    ply = 0
    _open_frame(board, search, 0, turn, budget)
    value = _enter(board, search, target, colour, 0)
    while True:
        at = ply * FRAME_SIZE
        if value == UNKNOWN:
            search.facts[NODES] += 1
            if search.facts[NODES] > search.facts[LIMIT]:
                _restore(board, search, 0)
                search.lengths[0] = 0
                return UNKNOWN
            # Try the next move of this ply.
            turn, budget = frames[at + TURN], frames[at + BUDGET]
            if frames[at + PASSING] == 1:
                frames[at + PLAYED] = NOWHERE
                board.facts[KO] = NOWHERE
                less = max(budget - LOOSE_MOVE_COST, LOOSE_MOVE_COST * (frames[at + LIBERTIES] - 2))
                _open_frame(board, search, ply + 1, attacker, less)
            elif frames[at + NEXT] == frames[at + END]:
                value = FREE if turn == attacker else CAUGHT
                continue
            else:
                move = search.moves[frames[at + NEXT]] & 1023
                frames[at + NEXT] += 1
                frames[at + PLAYED] = move
                place(board, move, turn)
                search.touched[move] = 1
                left = budget
                if turn == attacker:
                    count = moves_to_goal(board, search, target, colour)
                    if count > 1:
                        left -= _cost(frames[at + NEXT] - 1 - frames[at + FIRST])
                        if left < 0 or LOOSE_MOVE_COST * (count - 2) > left:
                            search.facts[BUDGET_CUT] = 1
                            _restore(board, search, ply)
                            continue
                _open_frame(board, search, ply + 1, 3 - turn, left)
            ply += 1
            frames[ply * FRAME_SIZE + END] = frames[(ply - 1) * FRAME_SIZE + END]
            value = _enter(board, search, target, colour, ply)
            continue
        # This ply has a value: return to the previous ply.
        if ply == 0:
            return value
        ply -= 1
        at = ply * FRAME_SIZE
        _restore(board, search, ply)
        turn, move = frames[at + TURN], frames[at + PLAYED]
        if turn == attacker:
            if value == CAUGHT:
                _store_line(search, ply, move)
                search.killers[ply] = move
                search.wins[2 * move + turn - 1] += 1
                _store(board, search, ply, CAUGHT, move)
            elif frames[at + NEXT] == frames[at + END]:
                _store(board, search, ply, FREE, NOWHERE)
            else:
                value = UNKNOWN
        elif value == FREE:
            _store_line(search, ply, move)
            if move != NOWHERE:
                search.killers[ply] = move
                search.wins[2 * move + turn - 1] += 1
            _store(board, search, ply, FREE, move)
        elif frames[at + PASSING] == 1:
            # A pass fails, so list the moves, including the attacker's move after the pass.
            frames[at + PASSING] = 0
            threat = search.lines[(ply + 1) * MAX_PLIES] if search.lengths[ply + 1] > 0 else NOWHERE
            _list_moves(board, search, target, attacker, ply, threat)
            search.lengths[ply] = 0
            value = UNKNOWN
        elif frames[at + NEXT] == frames[at + END]:
            if search.lengths[ply] == 0:
                _store_line(search, ply, move)
            _store(board, search, ply, CAUGHT, NOWHERE)
        else:
            if search.lengths[ply] == 0:
                _store_line(search, ply, move)
            value = UNKNOWN
