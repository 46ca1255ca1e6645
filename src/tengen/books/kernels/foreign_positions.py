"""Positions from the books of other Othello programs: validated and turned to the canonical image."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import kernel
from tengen.games.othello.images import least_pair
from tengen.games.othello.rules import find_flips, find_moves

# Status of a position.
FINE, INVALID, NO_MOVES, BAD_LEAF = range(4)

# Bytes of Edax's records: boards, counts, scores, number of links, level; then links; then the leaf.
EDAX_FIXED_BYTES = 40
EDAX_LINK_BYTES = 2

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ZERO, _ONE, _EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)


@kernel
def canonical_positions(boards, leaf_moves, keys, leaf_keys, leaf_signs, stages, status):
    """Write the canonical key and number of moves of each position (mover, enemy) in `boards`.

    A leaf move that is a legal square gets the key of the position after it, and the sign that converts that
    position's value to the mover's; 0 if there is no leaf or the game is over after it.
    """
    for i in range(len(boards)):
        mover, enemy = boards[i, 0], boards[i, 1]
        status[i] = FINE
        leaf_signs[i] = 0
        stages[i] = np.int64(popcount(mover | enemy)) - 4
        if mover & enemy or stages[i] < 0:
            status[i] = INVALID
            continue
        moves = find_moves(mover, enemy, _ALL)
        if moves == _ZERO:
            status[i] = NO_MOVES
            continue
        keys[i, 0], keys[i, 1], _ = least_pair(mover, enemy, _EIGHT)
        if leaf_moves[i] < 0 or leaf_moves[i] > 63:
            continue
        square = np.uint64(leaf_moves[i])
        if (moves >> square) & _ONE == _ZERO:
            status[i] = BAD_LEAF
            continue
        flips = find_flips(np.int64(square), mover, enemy)
        after = mover | flips | (_ONE << square)
        other = enemy & ~flips
        if find_moves(other, after, _ALL) != _ZERO:
            leaf_signs[i] = -1
            leaf_keys[i, 0], leaf_keys[i, 1], _ = least_pair(other, after, _EIGHT)
        elif find_moves(after, other, _ALL) != _ZERO:
            leaf_signs[i] = 1
            leaf_keys[i, 0], leaf_keys[i, 1], _ = least_pair(after, other, _EIGHT)


@kernel
def edax_offsets(data, at, offsets):
    """Write where each of Edax's records begins; returns their number, and where the last one ends.

    `offsets` must have room for all records, of at least 42 bytes each.
    """
    count = np.int64(0)
    while at + EDAX_FIXED_BYTES + EDAX_LINK_BYTES <= len(data):
        links = np.int64(data[at + EDAX_FIXED_BYTES - 2])
        end = at + EDAX_FIXED_BYTES + EDAX_LINK_BYTES * (links + 1)
        if end > len(data):
            break
        offsets[count] = at
        count += 1
        at = end
    return count, at
