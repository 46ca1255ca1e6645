"""Whether a string can be caught: ladders to any depth, and moves that are not atari up to a number of them.

Whether two strings can be joined is the same search, see `reading_connect`.

The budget of a search pays for the attacker's moves that leave the string two liberties or more: LOOSE for each,
and more for moves that do not look promising, so that these are tried later. With none, only ladders are read,
however long; more lets in nets, loose ladders, races. A string with n liberties needs n - 2 such moves at least,
which ends a search at once when it has got away. After such a move the defender passes first: if the attacker then
has nothing, it was no threat, and all other defences can be left out. What takes many of them: `reading_hunt`.

Ko is read by who may retake at once: nobody (as the rules have it), or only the defender, or only the attacker.
The caller tells from the three what depends on a ko.
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
    LOGGED,
    LOGGED_WORDS,
    colour_at,
    first_liberty,
    has_room,
    head_at,
    liberties_of,
    place,
    stones_of,
    take_back,
)
from tengen.engines.go.reading.kernels.candidates import (
    CUT,
    DEFENDER_RETAKES,
    JOIN,
    KO_SEEN,
    LIMIT,
    LOOSE,
    MODE,
    NODES,
    OTHER,
    SALT,
    may_play,
)
from tengen.engines.go.reading.kernels.capture_moves import (
    list_attacks,
    list_defences,
    ways_into,
)
from tengen.engines.go.reading.kernels.connection import (
    FAR,
    distance,
    list_cuts,
    list_joins,
)

CAUGHT, FREE, UNKNOWN = 1, 0, -1

MOST_PLIES = 400
MOST_MOVES = 1 << 15  # of all plies together
TABLE_BITS = 17

# `frames`: int64, of each ply
(
    TURN,  # the colour to move
    BUDGET,
    FIRST,  # of the moves in `moves`, which is also where the next ply's begin after END
    NEXT,
    END,
    PLAYED,  # the move just being read
    PASSING,  # whether that is the defender's pass
    KEPT_LOG,
    KEPT_WORDS,
    KEPT_KO,
    KEPT_KO_FOR,
    LIBERTIES,
    HINT,  # what the table has as the best move
    FRAME,
) = range(14)


class Arrays(NamedTuple):
    """The memory of a search, for Python."""

    facts: Any
    frames: Any
    keys: Any
    moves: Any
    lines: Any
    lengths: Any
    killers: Any  # the move that last decided, of each ply
    wins: Any  # how often a move of a colour at a point decided, in this question
    near: Any  # distances of points from one string, and from another
    far: Any
    front: Any
    touched: Any  # 1 where a stone was tried, in all of a question
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
    """The key of a position, by stones, turn and ko, and what stands for it in the table: with the question.

    Its place depends on the first alone, so that what a search forgets is the same in every question.
    """
    key = board.key[0] ^ mix(turn)
    if board.facts[KO] != NOWHERE:
        key ^= mix((board.facts[KO] * 4 + board.facts[KO_FOR]) << 32)
    return key, key ^ mix(search.facts[SALT] << 16)


@inner
def _open_frame(board, search, ply, turn, budget):
    at = ply * FRAME
    frames = search.frames
    frames[at + TURN] = turn
    frames[at + BUDGET] = budget
    frames[at + KEPT_LOG] = board.facts[LOGGED]
    frames[at + KEPT_WORDS] = board.facts[LOGGED_WORDS]
    frames[at + KEPT_KO] = board.facts[KO]
    frames[at + KEPT_KO_FOR] = board.facts[KO_FOR]
    frames[at + PASSING] = 0
    search.keys[ply] = board.key[0]
    search.lengths[ply] = 0


@inner
def _restore(board, search, ply):
    """The board as it was when this ply began."""
    at = ply * FRAME
    frames = search.frames
    take_back(board, frames[at + KEPT_LOG], frames[at + KEPT_WORDS])
    board.facts[KO] = frames[at + KEPT_KO]
    board.facts[KO_FOR] = frames[at + KEPT_KO_FOR]
    board.key[0] = search.keys[ply]


@inner
def _keep_line(search, ply, move):
    """The best line of a ply: a move and the line of the ply below."""
    length = min(search.lengths[ply + 1], MOST_PLIES - 2)
    search.lines[ply * MOST_PLIES] = move
    for i in range(length):
        search.lines[ply * MOST_PLIES + 1 + i] = search.lines[(ply + 1) * MOST_PLIES + i]
    search.lengths[ply] = length + 1


@inner
def attacker_of(search, colour):
    """The side that wants to reach the goal: the enemy of a string that is to be caught, or the owner of two."""
    return 3 - colour if search.facts[OTHER] == NOWHERE else colour


@inner
def _list(board, search, target, attacker, ply, threat):
    """List the moves of a ply, from where those of the ply above end."""
    frames, at = search.frames, ply * FRAME
    first, hint, killer = frames[at + FIRST], frames[at + HINT], search.killers[ply]
    if search.facts[OTHER] != NOWHERE:
        if frames[at + TURN] == attacker:
            frames[at + END] = list_joins(board, search, target, first, hint, killer, ply)
        else:
            frames[at + END] = list_cuts(board, search, target, first, threat, hint, killer, ply)
    elif frames[at + TURN] == attacker:
        budget = frames[at + BUDGET]
        frames[at + END] = list_attacks(board, search, target, first, budget, hint, killer, ply)
    else:
        frames[at + END] = list_defences(board, search, target, first, threat, hint, killer, ply)
    frames[at + NEXT] = first


@inner
def left_to_do(board, search, target, colour):
    """How many moves in a row reach the goal at least: liberties, or the distance of two strings. 0: reached."""
    if search.facts[OTHER] != NOWHERE:
        return distance(board, search, target, colour)
    if colour_at(board, target) != colour:
        return np.int64(0)
    return liberties_of(board, head_at(board, target))


@inner
def winning_move(board, search, target, attacker):
    """The attacker's move where one is left to do, or NOWHERE if it may not be played."""
    if search.facts[OTHER] != NOWHERE:
        return search.facts[JOIN]
    head = head_at(board, target)
    point = first_liberty(board, head)
    # A lone stone may be taken by a ko: that is seen after the move.
    return point if stones_of(board, head) > 1 and may_play(board, search, point, attacker, attacker) else NOWHERE


@inner
def _enter(board, search, target, colour, ply):
    """Value of a position that needs no moves to be tried, or UNKNOWN with its moves listed."""
    frames, at = search.frames, ply * FRAME
    attacker = attacker_of(search, colour)
    turn, budget = frames[at + TURN], frames[at + BUDGET]
    count = left_to_do(board, search, target, colour)
    if count == 0:
        if board.facts[KO] == target and search.facts[OTHER] == NOWHERE:
            search.facts[KO_SEEN] = 1
            if search.facts[MODE] == DEFENDER_RETAKES:
                return FREE  # it stands again at once
        return CAUGHT
    if search.facts[OTHER] != NOWHERE and count == FAR:
        return FREE  # there is no way, or one of the two is gone
    frames[at + LIBERTIES] = count
    if turn == attacker:
        if count == 1:
            point = winning_move(board, search, target, attacker)
            if point != NOWHERE:
                search.lines[ply * MOST_PLIES] = point
                search.lengths[ply] = 1
                return CAUGHT
        if LOOSE * (count - 2) > budget:
            search.facts[CUT] = 1
            return FREE
    elif count == 1 and search.facts[OTHER] == NOWHERE and search.facts[MODE] == DEFENDER_RETAKES:
        head = head_at(board, target)
        if stones_of(board, head) == 1 and ways_into(board, first_liberty(board, head), attacker, head)[0] == 0:
            search.facts[KO_SEEN] = 1
            return FREE  # its capture is a ko that the defender retakes, whatever it plays now
    if ply >= MOST_PLIES - 2 or not has_room(board):
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
                search.facts[CUT] = 1
            search.lines[ply * MOST_PLIES] = hint
            search.lengths[ply] = 1 if hint != NOWHERE else 0
            return value
    first = frames[at - FRAME + END] if ply > 0 else 0
    frames[at + FIRST] = first
    frames[at + NEXT] = first
    frames[at + HINT] = hint
    if turn != attacker and count > 1:
        frames[at + PASSING] = 1
        frames[at + END] = first
    else:
        _list(board, search, target, attacker, ply, NOWHERE)
    return UNKNOWN


@inner
def _cost(rank):
    """Of a loose move, by how many others look better."""
    return LOOSE + (rank >= 3) + (rank >= 6)


@inner
def _remember(board, search, ply, value, move):
    key, salted = _key_of(board, search, search.frames[ply * FRAME + TURN])
    slot = np.int64(key & np.uint64((1 << TABLE_BITS) - 1))
    search.table_keys[slot] = salted
    search.table[slot] = (value << 18) | (search.frames[ply * FRAME + BUDGET] << 10) | move


@inner
def read_capture(board, search, target, turn, budget):
    """CAUGHT or FREE within a budget, or UNKNOWN when the nodes are used up. The line is in `lines[0]`."""
    frames = search.frames
    colour = colour_at(board, target)
    attacker = attacker_of(search, colour)
    ply = 0
    _open_frame(board, search, 0, turn, budget)
    value = _enter(board, search, target, colour, 0)
    while True:
        at = ply * FRAME
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
                less = max(budget - LOOSE, LOOSE * (frames[at + LIBERTIES] - 2))
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
                    count = left_to_do(board, search, target, colour)
                    if count > 1:
                        left -= _cost(frames[at + NEXT] - 1 - frames[at + FIRST])
                        if left < 0 or LOOSE * (count - 2) > left:
                            search.facts[CUT] = 1
                            _restore(board, search, ply)
                            continue
                _open_frame(board, search, ply + 1, 3 - turn, left)
            ply += 1
            frames[ply * FRAME + END] = frames[(ply - 1) * FRAME + END]
            value = _enter(board, search, target, colour, ply)
            continue
        # This ply has a value: go up, and see what it means there.
        if ply == 0:
            return value
        ply -= 1
        at = ply * FRAME
        _restore(board, search, ply)
        turn, move = frames[at + TURN], frames[at + PLAYED]
        if turn == attacker:
            if value == CAUGHT:
                _keep_line(search, ply, move)
                search.killers[ply] = move
                search.wins[2 * move + turn - 1] += 1
                _remember(board, search, ply, CAUGHT, move)
            elif frames[at + NEXT] == frames[at + END]:
                _remember(board, search, ply, FREE, NOWHERE)
            else:
                value = UNKNOWN
        elif value == FREE:
            _keep_line(search, ply, move)
            if move != NOWHERE:
                search.killers[ply] = move
                search.wins[2 * move + turn - 1] += 1
            _remember(board, search, ply, FREE, move)
        elif frames[at + PASSING] == 1:
            # The pass does not save it: now the moves, above all the one that the attacker would have played.
            frames[at + PASSING] = 0
            threat = search.lines[(ply + 1) * MOST_PLIES] if search.lengths[ply + 1] > 0 else NOWHERE
            _list(board, search, target, attacker, ply, threat)
            search.lengths[ply] = 0
            value = UNKNOWN
        elif frames[at + NEXT] == frames[at + END]:
            if search.lengths[ply] == 0:
                _keep_line(search, ply, move)
            _remember(board, search, ply, CAUGHT, NOWHERE)
        else:
            if search.lengths[ply] == 0:
                _keep_line(search, ply, move)
            value = UNKNOWN
