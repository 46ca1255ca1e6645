"""Life and death: whether a group that is shut in can be killed, by proof numbers (df-pn).

The caller gives the ground: the points where moves are tried, and those on which the life of the group may depend.
The group lives when the string of the target is alive by Benson, when it has reached a way out, or when the
attacker has nothing left to try. Exact reading calls it dead only when it is taken: without room for two eyes it
may still live in a seki. Otherwise a group without room is given up, and one with much room is taken to live.

A position that comes again on the way is no kill. What is proved to die is therefore a proof, whatever the way;
what seems to live may rest on a way that came again, and is checked on its own (`reading_proof`).
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.compiled.pointers import pointer
from tengen.engines.go.kernels.board import BORDER, EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    KO,
    KO_FOR,
    LOGGED,
    LOGGED_WORDS,
    beside,
    colour_at,
    has_room,
    head_at,
    liberties_of,
    place,
    take_back,
)
from tengen.engines.go.reading.kernels.candidates import DEFENDER_RETAKES, KO_SEEN, LIMIT, MODE, NODES, may_play
from tengen.engines.go.reading.kernels.eyes import (
    is_alive,
    is_hopeless,
    is_out,
    mark_group,
    mark_liberties,
    nearness,
)
from tengen.engines.go.reading.kernels.move_ordering import keep_best, worth

MOST_PLIES = 128
MOST_CHILDREN = 64
TABLE_BITS = 19
PATH_BITS = 12
INFINITE = 1 << 20

# `frames`: int64, of each ply
(
    TURN,
    PHI_LIMIT,
    DELTA_LIMIT,
    CHILDREN,
    NEXT,  # the child that is checked next
    KEPT_LOG,
    KEPT_WORDS,
    KEPT_KO,
    KEPT_KO_FOR,
    FRAME,
) = range(10)


class Arrays(NamedTuple):
    """The memory of a search for life, for Python."""

    ground: Any  # bits of each point, see `reading_eyes`
    field: Any  # the points where moves are tried, after their number
    arena: Any  # the points on which the life of the group may depend, after their number
    outs: Any  # the ways out, after their number
    frames: Any
    kept_keys: Any  # of the board before each ply
    path_keys: Any  # of the position of each ply
    path: Any  # how many positions of the path fall into each slot
    moves: Any
    child_keys: Any
    priors: Any  # how far each child is from what its mover wants, before it is read
    wins: Any  # how often a move of a colour at a point decided, in this search
    salt: Any  # tells the questions apart in the table
    table_keys: Any
    table: Any  # phi and delta
    replies: Any  # the move that decided, of positions in the table: hunts keep it
    checked: Any  # keys of positions that were checked
    regions: Any
    members: Any
    starts: Any
    struck: Any
    alive: Any


Life = namedtuple("Life", Arrays._fields)

_MIX = np.uint64(0x9E3779B97F4A7C15)


@inner
def open_life(arrays):
    return Life(
        pointer(arrays.ground),
        pointer(arrays.field),
        pointer(arrays.arena),
        pointer(arrays.outs),
        pointer(arrays.frames),
        pointer(arrays.kept_keys),
        pointer(arrays.path_keys),
        pointer(arrays.path),
        pointer(arrays.moves),
        pointer(arrays.child_keys),
        pointer(arrays.priors),
        pointer(arrays.wins),
        pointer(arrays.salt),
        pointer(arrays.table_keys),
        pointer(arrays.table),
        pointer(arrays.replies),
        pointer(arrays.checked),
        pointer(arrays.regions),
        pointer(arrays.members),
        pointer(arrays.starts),
        pointer(arrays.struck),
        pointer(arrays.alive),
    )


@inner
def key_of(board, turn):
    """The key of a position: stones, whose turn, ko."""
    key = board.key[0] ^ (np.uint64(turn) * _MIX)
    if board.facts[KO] != NOWHERE:
        key ^= np.uint64(board.facts[KO] * 4 + board.facts[KO_FOR]) * np.uint64(0xD1B54A32D192ED03)
    return key


@inner
def look_up(life, key):
    """(phi, delta): how far who is to move is from a proof of what it wants, and of what the other wants."""
    slot = np.int64(key & np.uint64((1 << TABLE_BITS) - 1))
    if life.table_keys[slot] == key ^ life.salt[0]:
        return life.table[2 * slot], life.table[2 * slot + 1]
    return np.int64(1), np.int64(1)


@inner
def keep(life, key, phi, delta):
    slot = np.int64(key & np.uint64((1 << TABLE_BITS) - 1))
    life.table_keys[slot] = key ^ life.salt[0]
    life.table[2 * slot] = phi
    life.table[2 * slot + 1] = delta


@inner
def judge(board, search, life, target, colour, turn, exact):
    """1 if the group is dead, -1 if it lives, 0 if that is to be read."""
    if colour_at(board, target) != colour:
        if board.facts[KO] == target:
            search.facts[KO_SEEN] = 1
            if search.facts[MODE] == DEFENDER_RETAKES:
                return -1  # it stands again at once
        return 1
    if not exact:
        heads = mark_group(board, life, target, colour)
        if life.outs[0] > 0 and is_out(board, life, colour):
            return -1
        if is_hopeless(board, life, colour, heads, turn == colour):
            return 1
    if turn != colour and is_alive(board, life, target, colour, not exact):
        return -1
    return 0


@inner
def _fills_own_eye(board, point, target, colour):
    """A point with the target's string all around. To pass is never worse: an enemy plays here only to take it."""
    own = head_at(board, target)
    for direction in range(4):
        near = beside(board, point, direction)
        content = colour_at(board, near)
        if content != BORDER and (content != colour or head_at(board, near) != own):
            return False
    return True


@inner
def _takes(board, point, colour):
    """Whether a stone on an empty point would take enemy stones."""
    for direction in range(4):
        near = beside(board, point, direction)
        if colour_at(board, near) == 3 - colour and liberties_of(board, head_at(board, near)) == 1:
            return True
    return False


@inner
def expand(board, search, life, target, colour, ply, width):
    """List the moves of a ply with the keys of what they lead to.

    Exact reading (width 0) tries all points of the field; the other only those near the group as it stands, as
    many as the width, the most promising ones.
    The defender may pass. If the attacker passed, the defender could pass too, and nothing was gained but that a
    ko may be retaken: so the attacker may pass where one is forbidden to it.
    """
    frames, at = life.frames, ply * FRAME
    turn = frames[at + TURN]
    attacker = 3 - colour
    exact = width == 0
    count = 0
    base = ply * MOST_CHILDREN
    logged, words = board.facts[LOGGED], board.facts[LOGGED_WORDS]
    ko, ko_for, key = board.facts[KO], board.facts[KO_FOR], board.key[0]
    if not exact:
        mark_liberties(board, life, mark_group(board, life, target, colour))
    for i in range(1, life.field[0] + 1):
        point = life.field[i]
        if colour_at(board, point) != EMPTY or not may_play(board, search, point, turn, attacker):
            continue
        if turn == colour and _fills_own_eye(board, point, target, colour):
            continue
        steps = 1 if exact else nearness(board, point)
        if steps == 0:
            continue
        life.moves[base + count] = point
        life.priors[base + count] = 1 if exact else worth(board, point, turn, steps)
        count += 1
    if not exact:
        count = keep_best(life, base, count, turn, width)
    for i in range(count):
        if not exact:
            life.priors[base + i] = 1 + (i > 1) + (i > 4)
        move = life.moves[base + i]
        if not _takes(board, move, turn):
            # Only its own stone changes the key then, and it leaves no ko: it need not be played.
            stone = board.keys[(turn - 1) * board.points + move]
            life.child_keys[base + i] = key ^ stone ^ (np.uint64(3 - turn) * _MIX)
            continue
        place(board, move, turn)
        life.child_keys[base + i] = key_of(board, 3 - turn)
        take_back(board, logged, words)
        board.facts[KO] = ko
        board.facts[KO_FOR] = ko_for
        board.key[0] = key
    if turn == colour or (ko != NOWHERE and ko_for == attacker):
        board.facts[KO] = NOWHERE
        life.moves[base + count] = NOWHERE
        life.priors[base + count] = 1
        life.child_keys[base + count] = key_of(board, 3 - turn)
        board.facts[KO] = ko
        count += 1
    frames[at + CHILDREN] = count


@inner
def _is_on_path(life, key, ply):
    """Whether a position came already on the way to this ply."""
    if life.path[np.int64(key & np.uint64((1 << PATH_BITS) - 1))] == 0:
        return False
    for i in range(ply + 1):
        if life.path_keys[i] == key:
            return True
    return False


@inner
def sum_up(life, ply, attacking):
    """(phi, delta, best child, second smallest delta, how many other children are open) of a ply.

    Lines flow together all the time here, so delta is no sum, which would count them again and again: it is the
    hardest child's phi, and one for each other child that is still to be refuted.
    """
    base = ply * MOST_CHILDREN
    phi, hardest, still, second, best = INFINITE, 0, 0, INFINITE, -1
    count = life.frames[ply * FRAME + CHILDREN]
    for i in range(count):
        key = life.child_keys[base + i]
        child_phi, child_delta = look_up(life, key)
        if child_phi == 1 and child_delta == 1:
            child_phi, child_delta = max(life.priors[base + i] >> 16, 1), life.priors[base + i] & 0xFFFF
        if child_phi != 0 and child_delta != 0 and _is_on_path(life, key, ply):
            # It came already: good for the defender, who is to move after the attacker's moves.
            child_phi, child_delta = (0, INFINITE) if attacking else (INFINITE, 0)
        hardest = max(hardest, child_phi)
        still += child_phi > 0
        if child_delta < phi:
            second = phi
            phi, best = child_delta, i
        elif child_delta < second:
            second = child_delta
    others = max(still - 1, 0)
    return phi, min(hardest + others, INFINITE), best, second, others


@inner
def open_frame(board, life, ply, turn, phi, delta):
    at = ply * FRAME
    frames = life.frames
    frames[at + TURN] = turn
    frames[at + PHI_LIMIT] = phi
    frames[at + DELTA_LIMIT] = delta
    frames[at + KEPT_LOG] = board.facts[LOGGED]
    frames[at + KEPT_WORDS] = board.facts[LOGGED_WORDS]
    frames[at + KEPT_KO] = board.facts[KO]
    frames[at + KEPT_KO_FOR] = board.facts[KO_FOR]
    life.kept_keys[ply] = board.key[0]
    life.path_keys[ply] = key_of(board, turn)


@inner
def restore(board, life, ply):
    """The board as it was when this ply began."""
    frames, at = life.frames, ply * FRAME
    take_back(board, frames[at + KEPT_LOG], frames[at + KEPT_WORDS])
    board.facts[KO] = frames[at + KEPT_KO]
    board.facts[KO_FOR] = frames[at + KEPT_KO_FOR]
    board.key[0] = life.kept_keys[ply]


@inner
def step(board, life, ply, child):
    """Play a child's move from a ply."""
    move = life.moves[ply * MOST_CHILDREN + child]
    if move == NOWHERE:
        board.facts[KO] = NOWHERE
    else:
        place(board, move, life.frames[ply * FRAME + TURN])


@inner
def prove(board, search, life, target, colour, turn, width):
    """Search from the board as it is until it is proved who gets what it wants, or the nodes are used up.

    Returns (phi, delta, the best move): phi 0 if who is to move does, delta 0 if the other does.
    """
    attacker = 3 - colour
    exact = width == 0
    frames = life.frames
    for i in range(1 << PATH_BITS):
        life.path[i] = 0
    for i in range(2 * board.points):
        life.wins[i] = 0
    ply = 0
    entering = True
    open_frame(board, life, 0, turn, INFINITE, INFINITE)
    life.path[np.int64(life.path_keys[0] & np.uint64((1 << PATH_BITS) - 1))] += 1
    while True:
        at = ply * FRAME
        turn = frames[at + TURN]
        done = False
        if entering:
            entering = False
            search.facts[NODES] += 1
            verdict = 0
            if ply > 0:
                verdict = judge(board, search, life, target, colour, turn, exact)
                if verdict == 0 and (ply >= MOST_PLIES - 2 or not has_room(board)):
                    verdict = -1
            if verdict == 0:
                expand(board, search, life, target, colour, ply, width)
                if frames[at + CHILDREN] == 0:
                    verdict = -1  # the attacker has nothing to try
            if verdict != 0:
                wins = (verdict == 1) == (turn == attacker)
                keep(life, life.path_keys[ply], 0 if wins else INFINITE, INFINITE if wins else 0)
                done = True
        if not done:
            phi, delta, best, second, others = sum_up(life, ply, turn == attacker)
            over = search.facts[NODES] > search.facts[LIMIT]
            if phi >= frames[at + PHI_LIMIT] or delta >= frames[at + DELTA_LIMIT] or over:
                keep(life, life.path_keys[ply], phi, delta)
                done = True
                if phi == 0:
                    life.wins[2 * life.moves[ply * MOST_CHILDREN + best] + turn - 1] += 1
            else:
                phi_limit = frames[at + DELTA_LIMIT] - others if frames[at + DELTA_LIMIT] < INFINITE else INFINITE
                delta_limit = min(frames[at + PHI_LIMIT], second + 1 + (second >> 2))
                step(board, life, ply, best)
                ply += 1
                open_frame(board, life, ply, 3 - turn, phi_limit, delta_limit)
                life.path[np.int64(life.path_keys[ply] & np.uint64((1 << PATH_BITS) - 1))] += 1
                entering = True
                continue
        life.path[np.int64(life.path_keys[ply] & np.uint64((1 << PATH_BITS) - 1))] -= 1
        if ply == 0:
            break
        ply -= 1
        restore(board, life, ply)
    if frames[CHILDREN] == 0:
        return np.int64(INFINITE), np.int64(0), NOWHERE
    phi, delta, best, _, _ = sum_up(life, 0, frames[TURN] == attacker)
    return phi, delta, life.moves[best] if best >= 0 else NOWHERE
