"""Proof-number search (df-pn) for life and death.

The caller provides the search region: candidate points, and the zone of relevant points. A group lives if the
target's string is unconditionally alive, if it has reached an escape, or if the attacker has no move left. The
exact search calls it dead only once it is captured, because without space for two eyes it may still live in seki.
The heuristic search calls a group without space for two eyes dead, and one with much space alive.

A repetition is never a kill. So a proved kill holds on every path to the position; proved life may depend on a
repetition and is checked separately (`life_proof`).
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
    LOG_LENGTH,
    WORD_LOG_LENGTH,
    colour_at,
    has_log_space,
    head_at,
    liberties_of,
    neighbour,
    place,
    undo,
)
from tengen.engines.go.reading.kernels.candidates import DEFENDER_RETAKES, KO_SEEN, LIMIT, MODE, NODES, is_playable
from tengen.engines.go.reading.kernels.eyes import (
    has_escaped,
    is_alive,
    is_hopeless,
    mark_group,
    mark_liberties,
    nearness,
)
from tengen.engines.go.reading.kernels.move_ordering import move_score, select_best

MAX_PLIES = 128
MAX_CHILDREN = 64
TABLE_BITS = 19
PATH_BITS = 12
INFINITE = 1 << 20

# Fields of a frame, one per ply: int64
(
    TURN,
    PHI_LIMIT,
    DELTA_LIMIT,
    CHILDREN,
    NEXT,  # the next child to check, see `life_proof`
    SAVED_LOG,
    SAVED_WORDS,
    SAVED_KO,
    SAVED_KO_FOR,
    FRAME_SIZE,
) = range(10)


class Arrays(NamedTuple):
    """The arrays of a search, for Python."""

    flags: Any  # bits of each point, see `eyes`
    candidates: Any  # points where moves are tried, preceded by their number
    zone: Any  # all relevant points, preceded by their number
    escapes: Any  # escape points, preceded by their number
    frames: Any
    saved_keys: Any  # key of the board before each ply
    path_keys: Any  # key of the position of each ply
    path: Any  # number of path positions per slot, a filter for repetitions
    moves: Any
    child_keys: Any
    priors: Any  # initial proof numbers of each child
    wins: Any  # per point and colour: number of successful moves in this search
    salt: Any  # distinguishes the table entries of different queries
    table_keys: Any
    table: Any  # phi and delta
    replies: Any  # the successful move of positions in the table, for captures
    checked: Any  # hash set of checked positions, see `life_proof`
    regions: Any
    members: Any
    starts: Any
    eliminated: Any
    alive: Any


Dfpn = namedtuple("Dfpn", Arrays._fields)

_MIX = np.uint64(0x9E3779B97F4A7C15)


@inner
def open_dfpn(arrays):
    return Dfpn(
        pointer(arrays.flags),
        pointer(arrays.candidates),
        pointer(arrays.zone),
        pointer(arrays.escapes),
        pointer(arrays.frames),
        pointer(arrays.saved_keys),
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
        pointer(arrays.eliminated),
        pointer(arrays.alive),
    )


@inner
def key_of(board, turn):
    """The key of a position: stones, side to move, ko."""
    key = board.key[0] ^ (np.uint64(turn) * _MIX)
    if board.facts[KO] != NOWHERE:
        key ^= np.uint64(board.facts[KO] * 4 + board.facts[KO_FOR]) * np.uint64(0xD1B54A32D192ED03)
    return key


@inner
def probe(dfpn, key):
    """(phi, delta) of a position: proof and disproof number for the side to move; (1, 1) if unknown."""
    slot = np.int64(key & np.uint64((1 << TABLE_BITS) - 1))
    if dfpn.table_keys[slot] == key ^ dfpn.salt[0]:
        return dfpn.table[2 * slot], dfpn.table[2 * slot + 1]
    return np.int64(1), np.int64(1)


@inner
def store(dfpn, key, phi, delta):
    slot = np.int64(key & np.uint64((1 << TABLE_BITS) - 1))
    dfpn.table_keys[slot] = key ^ dfpn.salt[0]
    dfpn.table[2 * slot] = phi
    dfpn.table[2 * slot + 1] = delta


@inner
def evaluate(board, search, dfpn, target, colour, turn, exact):
    """1 if the group is dead, -1 if it lives, 0 if that must be searched."""
    if colour_at(board, target) != colour:
        if board.facts[KO] == target:
            search.facts[KO_SEEN] = 1
            if search.facts[MODE] == DEFENDER_RETAKES:
                return -1  # retaken immediately
        return 1
    if not exact:
        heads = mark_group(board, dfpn, target, colour)
        if dfpn.escapes[0] > 0 and has_escaped(board, dfpn, colour):
            return -1
        if is_hopeless(board, dfpn, colour, heads, turn == colour):
            return 1
    if turn != colour and is_alive(board, dfpn, target, colour, not exact):
        return -1
    return 0


@inner
def _fills_own_eye(board, point, target, colour):
    """Whether a point is surrounded by the target's string. Then a pass is at least as good as playing there."""
    own = head_at(board, target)
    for direction in range(4):
        near = neighbour(board, point, direction)
        content = colour_at(board, near)
        if content != BORDER and (content != colour or head_at(board, near) != own):
            return False
    return True


@inner
def _takes(board, point, colour):
    """Whether a stone on an empty point captures enemy stones."""
    for direction in range(4):
        near = neighbour(board, point, direction)
        if colour_at(board, near) == 3 - colour and liberties_of(board, head_at(board, near)) == 1:
            return True
    return False


@inner
def expand(board, search, dfpn, target, colour, ply, width):
    """List the children of a ply with their keys.

    The exact search (width 0) tries all candidates; otherwise only the `width` most promising ones near the group.
    The defender may pass. The attacker may pass only where a ko is forbidden to it: the defender could pass, too,
    and nothing would change but the ko.
    """
    frames, at = dfpn.frames, ply * FRAME_SIZE
    turn = frames[at + TURN]
    attacker = 3 - colour
    exact = width == 0
    count = 0
    base = ply * MAX_CHILDREN
    logged, words = board.facts[LOG_LENGTH], board.facts[WORD_LOG_LENGTH]
    ko, ko_for, key = board.facts[KO], board.facts[KO_FOR], board.key[0]
    if not exact:
        mark_liberties(board, dfpn, mark_group(board, dfpn, target, colour))
    for i in range(1, dfpn.candidates[0] + 1):
        point = dfpn.candidates[i]
        if colour_at(board, point) != EMPTY or not is_playable(board, search, point, turn, attacker):
            continue
        if turn == colour and _fills_own_eye(board, point, target, colour):
            continue
        steps = 1 if exact else nearness(board, point)
        if steps == 0:
            continue
        dfpn.moves[base + count] = point
        dfpn.priors[base + count] = 1 if exact else move_score(board, point, turn, steps)
        count += 1
    if not exact:
        count = select_best(dfpn, base, count, turn, width)
    for i in range(count):
        if not exact:
            dfpn.priors[base + i] = 1 + (i > 1) + (i > 4)
        move = dfpn.moves[base + i]
        if not _takes(board, move, turn):
            # Without a capture only this stone changes the key, and there is no ko, so it need not be played.
            stone = board.keys[(turn - 1) * board.points + move]
            dfpn.child_keys[base + i] = key ^ stone ^ (np.uint64(3 - turn) * _MIX)
            continue
        place(board, move, turn)
        dfpn.child_keys[base + i] = key_of(board, 3 - turn)
        undo(board, logged, words)
        board.facts[KO] = ko
        board.facts[KO_FOR] = ko_for
        board.key[0] = key
    if turn == colour or (ko != NOWHERE and ko_for == attacker):
        board.facts[KO] = NOWHERE
        dfpn.moves[base + count] = NOWHERE
        dfpn.priors[base + count] = 1
        dfpn.child_keys[base + count] = key_of(board, 3 - turn)
        board.facts[KO] = ko
        count += 1
    frames[at + CHILDREN] = count


@inner
def _is_on_path(dfpn, key, ply):
    """Whether a position occurs on the path to this ply."""
    if dfpn.path[np.int64(key & np.uint64((1 << PATH_BITS) - 1))] == 0:
        return False
    for i in range(ply + 1):
        if dfpn.path_keys[i] == key:
            return True
    return False


@inner
def summarise(dfpn, ply, attacking):
    """(phi, delta, best child, second smallest delta, number of other open children) of a ply.

    Transpositions are frequent, so delta is not the sum, which would count them repeatedly (weak proof numbers):
    it is the largest phi of the children, plus one for each other child that is not refuted.
    """
    base = ply * MAX_CHILDREN
    phi, hardest, still, second, best = INFINITE, 0, 0, INFINITE, -1
    count = dfpn.frames[ply * FRAME_SIZE + CHILDREN]
    for i in range(count):
        key = dfpn.child_keys[base + i]
        child_phi, child_delta = probe(dfpn, key)
        if child_phi == 1 and child_delta == 1:
            child_phi, child_delta = max(dfpn.priors[base + i] >> 16, 1), dfpn.priors[base + i] & 0xFFFF
        if child_phi != 0 and child_delta != 0 and _is_on_path(dfpn, key, ply):
            # A repetition, good for the defender.
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
def open_frame(board, dfpn, ply, turn, phi, delta):
    at = ply * FRAME_SIZE
    frames = dfpn.frames
    frames[at + TURN] = turn
    frames[at + PHI_LIMIT] = phi
    frames[at + DELTA_LIMIT] = delta
    frames[at + SAVED_LOG] = board.facts[LOG_LENGTH]
    frames[at + SAVED_WORDS] = board.facts[WORD_LOG_LENGTH]
    frames[at + SAVED_KO] = board.facts[KO]
    frames[at + SAVED_KO_FOR] = board.facts[KO_FOR]
    dfpn.saved_keys[ply] = board.key[0]
    dfpn.path_keys[ply] = key_of(board, turn)


@inner
def restore(board, dfpn, ply):
    """Restore the board to the beginning of a ply."""
    frames, at = dfpn.frames, ply * FRAME_SIZE
    undo(board, frames[at + SAVED_LOG], frames[at + SAVED_WORDS])
    board.facts[KO] = frames[at + SAVED_KO]
    board.facts[KO_FOR] = frames[at + SAVED_KO_FOR]
    board.key[0] = dfpn.saved_keys[ply]


@inner
def play_child(board, dfpn, ply, child):
    """Play the move of a child."""
    move = dfpn.moves[ply * MAX_CHILDREN + child]
    if move == NOWHERE:
        board.facts[KO] = NOWHERE
    else:
        place(board, move, dfpn.frames[ply * FRAME_SIZE + TURN])


@inner
def prove(board, search, dfpn, target, colour, turn, width):
    """Search until life or death is proved, or the node limit is reached.

    Returns (phi, delta, best move): phi is 0 if the side to move succeeds, delta is 0 if the other side does.
    """
    attacker = 3 - colour
    exact = width == 0
    frames = dfpn.frames
    for i in range(1 << PATH_BITS):
        dfpn.path[i] = 0
    for i in range(2 * board.points):
        dfpn.wins[i] = 0
    ply = 0
    entering = True
    open_frame(board, dfpn, 0, turn, INFINITE, INFINITE)
    dfpn.path[np.int64(dfpn.path_keys[0] & np.uint64((1 << PATH_BITS) - 1))] += 1
    while True:
        at = ply * FRAME_SIZE
        turn = frames[at + TURN]
        done = False
        if entering:
            entering = False
            search.facts[NODES] += 1
            verdict = 0
            if ply > 0:
                verdict = evaluate(board, search, dfpn, target, colour, turn, exact)
                if verdict == 0 and (ply >= MAX_PLIES - 2 or not has_log_space(board)):
                    verdict = -1
            if verdict == 0:
                expand(board, search, dfpn, target, colour, ply, width)
                if frames[at + CHILDREN] == 0:
                    verdict = -1  # the attacker has no move
            if verdict != 0:
                wins = (verdict == 1) == (turn == attacker)
                store(dfpn, dfpn.path_keys[ply], 0 if wins else INFINITE, INFINITE if wins else 0)
                done = True
        if not done:
            phi, delta, best, second, others = summarise(dfpn, ply, turn == attacker)
            over = search.facts[NODES] > search.facts[LIMIT]
            if phi >= frames[at + PHI_LIMIT] or delta >= frames[at + DELTA_LIMIT] or over:
                store(dfpn, dfpn.path_keys[ply], phi, delta)
                done = True
                if phi == 0:
                    dfpn.wins[2 * dfpn.moves[ply * MAX_CHILDREN + best] + turn - 1] += 1
            else:
                phi_limit = frames[at + DELTA_LIMIT] - others if frames[at + DELTA_LIMIT] < INFINITE else INFINITE
                delta_limit = min(frames[at + PHI_LIMIT], second + 1 + (second >> 2))
                play_child(board, dfpn, ply, best)
                ply += 1
                open_frame(board, dfpn, ply, 3 - turn, phi_limit, delta_limit)
                dfpn.path[np.int64(dfpn.path_keys[ply] & np.uint64((1 << PATH_BITS) - 1))] += 1
                entering = True
                continue
        dfpn.path[np.int64(dfpn.path_keys[ply] & np.uint64((1 << PATH_BITS) - 1))] -= 1
        if ply == 0:
            break
        ply -= 1
        restore(board, dfpn, ply)
    if frames[CHILDREN] == 0:
        return np.int64(INFINITE), np.int64(0), NOWHERE
    phi, delta, best, _, _ = summarise(dfpn, 0, frames[TURN] == attacker)
    return phi, delta, dfpn.moves[best] if best >= 0 else NOWHERE
