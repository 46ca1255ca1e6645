"""Life and death: whether a group that is shut in can be killed, by proof numbers (df-pn).

The caller gives the ground: the points where moves are tried. The group lives when the string of the target is
alive by Benson, is joined to a way out (a stone far away, or a friend outside), or when the attacker has nothing
left to try. It is dead when the string is taken, and by nothing less: without room for two eyes it may still live
in a seki.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.go.kernels.board import BORDER, EMPTY, NOWHERE
from tengen.engines.go.kernels.reading_board import (
    KO,
    KO_FOR,
    LOGGED,
    LOGGED_WORDS,
    beside,
    colour_at,
    has_room,
    head_at,
    liberties_of,
    open_board,
    place,
    take_back,
)
from tengen.engines.go.kernels.reading_capture import open_search
from tengen.engines.go.kernels.reading_moves import LIMIT, NODES, SALT, may_play
from tengen.engines.go.kernels.reading_safety import benson

MOST_PLIES = 64
MOST_CHILDREN = 40
TABLE_BITS = 17
INFINITE = 1 << 20

# What `ground` says of a point; bits.
FIELD, WAY_OUT, WALL = 1, 2, 4

# `frames`: int64, of each ply
(
    TURN,
    PHI_LIMIT,
    DELTA_LIMIT,
    CHILDREN,
    PASSED,  # whether the last move was a pass
    KEPT_LOG,
    KEPT_WORDS,
    KEPT_KO,
    KEPT_KO_FOR,
    FRAME,
) = range(10)


class Arrays(NamedTuple):
    """The memory of a search for life, for Python."""

    ground: Any
    frames: Any
    kept_keys: Any
    moves: Any
    child_keys: Any
    table_keys: Any
    table: Any  # phi and delta
    regions: Any
    members: Any
    starts: Any
    alive: Any


Life = namedtuple("Life", Arrays._fields)

_MIX = np.uint64(0x9E3779B97F4A7C15)


@inner
def _open_life(arrays):
    return Life(
        pointer(arrays.ground),
        pointer(arrays.frames),
        pointer(arrays.kept_keys),
        pointer(arrays.moves),
        pointer(arrays.child_keys),
        pointer(arrays.table_keys),
        pointer(arrays.table),
        pointer(arrays.regions),
        pointer(arrays.members),
        pointer(arrays.starts),
        pointer(arrays.alive),
    )


@inner
def _key_of(board, search, turn, passed):
    key = board.key[0] ^ (np.uint64(search.facts[SALT] * 8 + turn * 2 + passed) * _MIX)
    if board.facts[KO] != NOWHERE:
        key ^= np.uint64(board.facts[KO] * 4 + board.facts[KO_FOR]) * np.uint64(0xD1B54A32D192ED03)
    return key


@inner
def _look_up(life, key):
    slot = np.int64(key & np.uint64((1 << TABLE_BITS) - 1))
    if life.table_keys[slot] == key:
        return life.table[2 * slot], life.table[2 * slot + 1]
    return np.int64(1), np.int64(1)


@inner
def _keep(life, key, phi, delta):
    slot = np.int64(key & np.uint64((1 << TABLE_BITS) - 1))
    life.table_keys[slot] = key
    life.table[2 * slot] = phi
    life.table[2 * slot + 1] = delta


@inner
def _joined_out(board, life, target, colour):
    """Whether the string of the target has reached a way out."""
    head = head_at(board, target)
    for i in range(board.area):
        point = board.inside[i]
        if life.ground[point] & WAY_OUT != 0 and colour_at(board, point) == colour:
            if head_at(board, point) == head:
                return True
    return False


@inner
def _judge(board, life, target, colour, turn, is_open):
    """1 if the group is dead, -1 if it lives, 0 if that is to be read."""
    if colour_at(board, target) != colour:
        return 1
    if is_open and _joined_out(board, life, target, colour):
        return -1
    if turn != colour:
        benson(board, colour, life.regions, life.members, life.starts, life.alive)
        if life.alive[head_at(board, target)] != 0:
            return -1
    return 0


@inner
def _fills_own_eye(board, point, colour):
    """A point with own stones all around, none of them in atari."""
    for direction in range(4):
        near = beside(board, point, direction)
        content = colour_at(board, near)
        if content == BORDER:
            continue
        if content != colour or liberties_of(board, head_at(board, near)) == 1:
            return False
    return True


@inner
def _expand(board, search, life, target, colour, ply):
    """List the moves of a ply with the keys of what they lead to."""
    frames, at = life.frames, ply * FRAME
    turn = frames[at + TURN]
    attacker = 3 - colour
    count = 0
    base = ply * MOST_CHILDREN
    logged, words = board.facts[LOGGED], board.facts[LOGGED_WORDS]
    ko, ko_for, key = board.facts[KO], board.facts[KO_FOR], board.key[0]
    for i in range(board.area):
        point = board.inside[i]
        if life.ground[point] & FIELD == 0 or colour_at(board, point) != EMPTY or count == MOST_CHILDREN - 1:
            continue
        if not may_play(board, search, point, turn, attacker):
            continue
        if turn == colour and _fills_own_eye(board, point, colour):
            continue
        place(board, point, turn)
        life.moves[base + count] = point
        life.child_keys[base + count] = _key_of(board, search, 3 - turn, 0)
        count += 1
        take_back(board, logged, words)
        board.facts[KO] = ko
        board.facts[KO_FOR] = ko_for
        board.key[0] = key
    if turn == colour:
        board.facts[KO] = NOWHERE
        life.moves[base + count] = NOWHERE
        life.child_keys[base + count] = _key_of(board, search, 3 - turn, 1)
        board.facts[KO] = ko
        count += 1
    frames[at + CHILDREN] = count


@inner
def _sum_up(life, ply):
    """(phi, delta, best child, phi of the best child, second smallest delta) of a ply from its children."""
    base = ply * MOST_CHILDREN
    phi, delta, second, best, best_phi = INFINITE, 0, INFINITE, -1, INFINITE
    for i in range(life.frames[ply * FRAME + CHILDREN]):
        child_phi, child_delta = _look_up(life, life.child_keys[base + i])
        delta = min(delta + child_phi, INFINITE)
        if child_delta < phi:
            second = phi
            phi, best, best_phi = child_delta, i, child_phi
        elif child_delta < second:
            second = child_delta
    return phi, delta, best, best_phi, second


@inner
def _open_frame(board, life, ply, turn, phi, delta, passed):
    at = ply * FRAME
    frames = life.frames
    frames[at + TURN] = turn
    frames[at + PHI_LIMIT] = phi
    frames[at + DELTA_LIMIT] = delta
    frames[at + PASSED] = passed
    frames[at + KEPT_LOG] = board.facts[LOGGED]
    frames[at + KEPT_WORDS] = board.facts[LOGGED_WORDS]
    frames[at + KEPT_KO] = board.facts[KO]
    frames[at + KEPT_KO_FOR] = board.facts[KO_FOR]
    life.kept_keys[ply] = board.key[0]


@inner
def _restore(board, life, ply):
    frames, at = life.frames, ply * FRAME
    take_back(board, frames[at + KEPT_LOG], frames[at + KEPT_WORDS])
    board.facts[KO] = frames[at + KEPT_KO]
    board.facts[KO_FOR] = frames[at + KEPT_KO_FOR]
    board.key[0] = life.kept_keys[ply]


@kernel
def read_life(board_arrays, search_arrays, life_arrays, target, turn, is_open, found):
    """Prove whether the side to move gets what it wants: to kill the group of the target, or to save it.

    found: int64: phi and delta of the root (0 and INFINITE: it does), the best move. The nodes are in the facts.
    """
    board, search, life = open_board(board_arrays), open_search(search_arrays), _open_life(life_arrays)
    target, turn = np.int64(target), np.int64(turn)
    colour = colour_at(board, target)
    attacker = 3 - colour
    frames = life.frames
    ply = 0
    entering = True
    _open_frame(board, life, 0, turn, INFINITE, INFINITE, 0)
    while True:
        at = ply * FRAME
        turn = frames[at + TURN]
        done = False
        if entering:
            entering = False
            search.facts[NODES] += 1
            verdict = 0
            if ply > 0:
                verdict = _judge(board, life, target, colour, turn, is_open)
                if verdict == 0 and (ply >= MOST_PLIES - 2 or not has_room(board)):
                    verdict = -1
            if verdict == 0:
                _expand(board, search, life, target, colour, ply)
                if frames[at + CHILDREN] == 0:
                    verdict = -1  # the attacker has nothing to try
            if verdict != 0:
                wins = (verdict == 1) == (turn == attacker)
                key = _key_of(board, search, turn, frames[at + PASSED])
                _keep(life, key, 0 if wins else INFINITE, INFINITE if wins else 0)
                done = True
        if not done:
            phi, delta, best, best_phi, second = _sum_up(life, ply)
            over = search.facts[NODES] > search.facts[LIMIT]
            if phi >= frames[at + PHI_LIMIT] or delta >= frames[at + DELTA_LIMIT] or over:
                _keep(life, _key_of(board, search, turn, frames[at + PASSED]), phi, delta)
                done = True
            else:
                move = life.moves[ply * MOST_CHILDREN + best]
                phi_limit = min(frames[at + DELTA_LIMIT] + best_phi - delta, INFINITE)
                delta_limit = min(frames[at + PHI_LIMIT], second + 1)
                if move == NOWHERE:
                    board.facts[KO] = NOWHERE
                else:
                    place(board, move, turn)
                ply += 1
                passed = np.int64(move == NOWHERE)
                _open_frame(board, life, ply, 3 - turn, phi_limit, delta_limit, passed)
                entering = True
                continue
        if ply == 0:
            break
        ply -= 1
        _restore(board, life, ply)
    phi, delta, best, _, _ = _sum_up(life, 0)
    found[0] = phi
    found[1] = delta
    found[2] = life.moves[best] if best >= 0 else NOWHERE
    _restore(board, life, 0)
