"""Whether a group that the search found alive lives indeed, and the question of life and death as a whole.

The search calls a position that comes again alive, which holds for the way on which it came. So its answer is
checked: a set of positions in which the defender has, to every move of the attacker, an answer that leads back
into the set, and in none of which the group is taken, is proof of life. The check walks from the first position
over all moves of the attacker and one answer to each, and needs nothing but the rules; the search only proposes
the answers. Where it fails, the positions on the way to the failure are forgotten, and the search goes on.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.engines.go.kernels.board import NOWHERE
from tengen.engines.go.reading.kernels.board import colour_at, has_room, open_board
from tengen.engines.go.reading.kernels.candidates import LIMIT, NODES
from tengen.engines.go.reading.kernels.capture import open_search
from tengen.engines.go.reading.kernels.life_dfpn import (
    CHILDREN,
    FRAME,
    INFINITE,
    MOST_CHILDREN,
    MOST_PLIES,
    NEXT,
    TURN,
    expand,
    judge,
    keep,
    look_up,
    open_frame,
    open_life,
    prove,
    restore,
    step,
)

CHECK_BITS = 15
_MOST_CHECKED = 1 << (CHECK_BITS - 1)
_ROUNDS = 8


@inner
def _slot_of(life, key):
    """Where a key is in the set of checked positions, or the empty place for it."""
    slot = np.int64(key & np.uint64((1 << CHECK_BITS) - 1))
    while life.checked[slot] != 0 and life.checked[slot] != key:
        slot = (slot + 1) & ((1 << CHECK_BITS) - 1)
    return slot


@inner
def _answer(life, ply):
    """The defender's move that is known to hold: to a position of the set before one that is new. -1: none."""
    found = -1
    base = ply * MOST_CHILDREN
    for i in range(life.frames[ply * FRAME + CHILDREN]):
        key = life.child_keys[base + i]
        if life.checked[_slot_of(life, key)] == key:
            return i
        if found < 0:
            phi, delta = look_up(life, key)
            if delta == 0 and phi != 0:
                found = i
    return found


@inner
def _lives(board, search, life, target, colour, turn):
    """Check what the table says of the board as it is: whether there is a set as described above."""
    frames = life.frames
    for i in range(1 << CHECK_BITS):
        life.checked[i] = 0
    ply, count = 0, 0
    entering = True
    open_frame(board, life, 0, turn, 0, 0)
    while True:
        at = ply * FRAME
        turn = frames[at + TURN]
        if entering:
            entering = False
            slot = _slot_of(life, life.path_keys[ply])
            frames[at + CHILDREN] = 0
            frames[at + NEXT] = 0
            if life.checked[slot] == 0:
                life.checked[slot] = life.path_keys[ply]
                count += 1
                search.facts[NODES] += 1
                verdict = judge(board, search, life, target, colour, turn, True) if ply > 0 else 0
                fails = verdict == 1 or ply >= MOST_PLIES - 2 or not has_room(board)
                fails |= count >= _MOST_CHECKED
                if verdict == 0 and not fails:
                    expand(board, search, life, target, colour, ply, np.int64(0))
                    if turn == colour:
                        frames[at + NEXT] = _answer(life, ply)
                        frames[at + CHILDREN] = frames[at + NEXT] + 1
                        fails = frames[at + NEXT] < 0
                if fails:
                    for i in range(1, ply + 1):
                        keep(life, life.path_keys[i], 1, 1)
                    restore(board, life, 0)
                    return False
        if frames[at + NEXT] < frames[at + CHILDREN]:
            step(board, life, ply, frames[at + NEXT])
            frames[at + NEXT] += 1
            ply += 1
            open_frame(board, life, ply, 3 - turn, 0, 0)
            entering = True
        elif ply == 0:
            return True
        else:
            ply -= 1
            restore(board, life, ply)


@kernel
def read_life(board_arrays, search_arrays, life_arrays, target, turn, width, found):
    """Whether the side to move gets what it wants: to kill the group of the target, or to save it.

    width: how many moves of the attacker are read of each position, or 0 for all, and only what is proved counts.
    found: int64: phi and delta (0 and more: it does), the best move, and
    whether that is proved. The nodes are in the facts.
    """
    board, search, life = open_board(board_arrays), open_search(search_arrays), open_life(life_arrays)
    target, turn, width = np.int64(target), np.int64(turn), np.int64(width)
    exact = width == 0
    colour = colour_at(board, target)
    proved = False
    phi, delta, move = np.int64(1), np.int64(1), NOWHERE
    for _ in range(_ROUNDS):
        phi, delta, move = prove(board, search, life, target, colour, turn, width)
        if phi != 0 and delta != 0:
            break
        proved = (phi == 0) == (turn != colour)  # killed
        if proved or not exact:
            break
        proved = _lives(board, search, life, target, colour, turn)
        if proved and turn == colour:
            move = life.moves[life.frames[CHILDREN] - 1]  # the answer that was checked
        if proved or search.facts[NODES] > search.facts[LIMIT]:
            break
        phi, delta = np.int64(INFINITE), np.int64(INFINITE)
    found[0] = phi
    found[1] = delta
    found[2] = move
    found[3] = proved
