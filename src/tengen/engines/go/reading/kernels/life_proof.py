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
from tengen.engines.go.kernels.board import NOWHERE
from tengen.engines.go.reading.kernels.board import colour_at, has_log_space, open_board
from tengen.engines.go.reading.kernels.candidates import LIMIT, NODES
from tengen.engines.go.reading.kernels.capture import open_search
from tengen.engines.go.reading.kernels.life_dfpn import (
    CHILDREN,
    FRAME_SIZE,
    INFINITE,
    MAX_CHILDREN,
    MAX_PLIES,
    NEXT,
    TURN,
    evaluate,
    expand,
    open_dfpn,
    open_frame,
    play_child,
    probe,
    prove,
    restore,
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
    base = ply * MAX_CHILDREN
    for i in range(dfpn.frames[ply * FRAME_SIZE + CHILDREN]):
        key = dfpn.child_keys[base + i]
        if dfpn.checked[_slot_of(dfpn, key)] == key:
            return i
        if found < 0:
            phi, delta = probe(dfpn, key)
            if delta == 0 and phi != 0:
                found = i
    return found


@inner
def _check_life(board, search, dfpn, target, colour, turn):
    """Check the table's claim that the group lives: whether a set as described above exists."""
    frames = dfpn.frames
    for i in range(1 << CHECK_BITS):
        dfpn.checked[i] = 0
    ply, count = 0, 0
    entering = True
    open_frame(board, dfpn, 0, turn, 0, 0)
    while True:
        at = ply * FRAME_SIZE
        turn = frames[at + TURN]
        if entering:
            entering = False
            slot = _slot_of(dfpn, dfpn.path_keys[ply])
            frames[at + CHILDREN] = 0
            frames[at + NEXT] = 0
            if dfpn.checked[slot] == 0:
                dfpn.checked[slot] = dfpn.path_keys[ply]
                count += 1
                search.facts[NODES] += 1
                verdict = evaluate(board, search, dfpn, target, colour, turn, True) if ply > 0 else 0
                fails = verdict == 1 or ply >= MAX_PLIES - 2 or not has_log_space(board)
                fails |= count >= _MAX_CHECKED
                if verdict == 0 and not fails:
                    expand(board, search, dfpn, target, colour, ply, np.int64(0))
                    if turn == colour:
                        frames[at + NEXT] = _find_reply(dfpn, ply)
                        frames[at + CHILDREN] = frames[at + NEXT] + 1
                        fails = frames[at + NEXT] < 0
                if fails:
                    for i in range(1, ply + 1):
                        store(dfpn, dfpn.path_keys[i], 1, 1)
                    restore(board, dfpn, 0)
                    return False
        if frames[at + NEXT] < frames[at + CHILDREN]:
            play_child(board, dfpn, ply, frames[at + NEXT])
            frames[at + NEXT] += 1
            ply += 1
            open_frame(board, dfpn, ply, 3 - turn, 0, 0)
            entering = True
        elif ply == 0:
            return True
        else:
            ply -= 1
            restore(board, dfpn, ply)


@kernel
def read_life(board_arrays, search_arrays, dfpn_arrays, target, turn, width, found):
    """Whether the side to move succeeds in killing or saving the group of the target.

    `width` is the number of the attacker's moves per position, or 0 for an exact search. `found` gets phi, delta
    (see `life_dfpn.prove`), the best move, and whether the result is proved. The facts contain the nodes.
    """
    board, search, dfpn = open_board(board_arrays), open_search(search_arrays), open_dfpn(dfpn_arrays)
    target, turn, width = np.int64(target), np.int64(turn), np.int64(width)
    exact = width == 0
    colour = colour_at(board, target)
    proved = False
    phi, delta, move = np.int64(1), np.int64(1), NOWHERE
    for _ in range(_MAX_ROUNDS):
        phi, delta, move = prove(board, search, dfpn, target, colour, turn, width)
        if phi != 0 and delta != 0:
            break
        proved = (phi == 0) == (turn != colour)  # killed
        if proved or not exact:
            break
        proved = _check_life(board, search, dfpn, target, colour, turn)
        if proved and turn == colour:
            move = dfpn.moves[dfpn.frames[CHILDREN] - 1]  # the checked reply
        if proved or search.facts[NODES] > search.facts[LIMIT]:
            break
        phi, delta = np.int64(INFINITE), np.int64(INFINITE)
    found[0] = phi
    found[1] = delta
    found[2] = move
    found[3] = proved
