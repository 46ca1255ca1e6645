"""Life-and-death queries, with a check of proofs of life.

The search scores a repetition as life, which is valid only on the path where it occurred. So proofs of life are
checked: a set of positions in which the defender has, to every move of the attacker, a reply that stays in the
set, and in none of which the group is captured, proves life. The check visits all moves of the attacker and one
reply to each, and relies only on the rules; the search merely proposes the replies. If it fails, the positions on
the path to the failure are removed from the table, and the search continues.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.references import reference
from tengen.engines.go.kernels.board import NOWHERE
from tengen.engines.go.reading.kernels.board import has_log_space, restore
from tengen.engines.go.reading.kernels.capture import start
from tengen.engines.go.reading.kernels.life_dfpn import evaluate, expand, prove
from tengen.engines.go.reading.kernels.proof_number_search import (
    INFINITE,
    MAX_CHILDREN,
    MAX_PLIES,
    open_frame,
    play_child,
    probe,
    start_proof,
    store,
)

CHECK_BITS = 15
_MAX_CHECKED = 1 << (CHECK_BITS - 1)
_MAX_ROUNDS = 8


@inner
def _slot_of(dfpn, key):
    """The slot of a key in the set of checked positions, or the empty slot for it."""
    slot = np.int64(key & np.uint64((1 << CHECK_BITS) - 1))
    while dfpn.checked[slot] != 0 and dfpn.checked[slot] != key:
        slot = (slot + 1) & ((1 << CHECK_BITS) - 1)
    return slot


@inner
def _find_reply(dfpn, ply):
    """A defender's reply that holds, preferably into the set of checked positions, or -1."""
    found = -1
    for i in range(dfpn.frames[ply].children):
        key = dfpn.children[ply * MAX_CHILDREN + i].position_key
        if dfpn.checked[_slot_of(dfpn, key)] == key:
            return i
        if found < 0:
            phi, delta = probe(dfpn, key)
            if delta == 0 and phi != 0:
                found = i
    return found


@inner
def _check_life(board, search, dfpn, turn):
    """Check the table's claim that the group lives: whether a set as described above exists."""
    colour = dfpn.state[0].colour
    for i in range(1 << CHECK_BITS):
        dfpn.checked[i] = 0
    ply, count = 0, 0
    entering = True
    open_frame(board, dfpn, 0, turn, 0, 0)
    while True:
        frame = dfpn.frames[ply]
        turn = frame.turn
        if entering:
            entering = False
            slot = _slot_of(dfpn, frame.position_key)
            frame.children = 0
            frame.following = 0
            if dfpn.checked[slot] == 0:
                dfpn.checked[slot] = frame.position_key
                count += 1
                search.state[0].nodes += 1
                verdict = evaluate(board, search, dfpn, turn) if ply > 0 else 0
                fails = verdict == 1 or ply >= MAX_PLIES - 2 or not has_log_space(board)
                fails |= count >= _MAX_CHECKED
                if verdict == 0 and not fails:
                    expand(board, search, dfpn, ply)
                    if turn == colour:
                        frame.following = _find_reply(dfpn, ply)
                        frame.children = frame.following + 1
                        fails = frame.following < 0
                if fails:
                    for i in range(1, ply + 1):
                        store(dfpn, dfpn.frames[i].position_key, 1, 1, NOWHERE)
                    restore(board, dfpn.frames[0])
                    return False
        if frame.following < frame.children:
            play_child(board, dfpn, ply, frame.following)
            frame.following += 1
            ply += 1
            open_frame(board, dfpn, ply, 3 - turn, 0, 0)
            entering = True
        elif ply == 0:
            return True
        else:
            ply -= 1
            restore(board, dfpn.frames[ply])


@kernel
def read_life(board, search, dfpn, query, turn, width):
    """(phi, delta, best move, whether the result is proved, nodes, whether the ko mode mattered).

    `width` is the number of moves tried per position, or 0 for an exact search.
    """
    board, search, dfpn = reference(board), reference(search), reference(dfpn)
    goal, turn = dfpn.state[0], np.int64(turn)
    start(board, search, query)
    start_proof(board, dfpn, query.target)
    goal.width = width
    proved = False
    phi, delta, move = np.int64(1), np.int64(1), NOWHERE
    for _ in range(_MAX_ROUNDS):
        phi, delta, move = prove(board, search, dfpn, turn)
        if phi != 0 and delta != 0:
            break
        proved = (phi == 0) == (turn != goal.colour)  # killed
        if proved or goal.width != 0:
            break
        proved = _check_life(board, search, dfpn, turn)
        if proved and turn == goal.colour:
            move = dfpn.children[dfpn.frames[0].children - 1].move  # the checked reply
        if proved or search.state[0].nodes > search.state[0].node_limit:
            break
        phi, delta = np.int64(INFINITE), np.int64(INFINITE)
    return phi, delta, move, proved, search.state[0].nodes, search.state[0].ko_seen != 0
