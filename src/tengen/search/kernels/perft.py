"""Counting the lines of play of a given length: the proof that move generation is right."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.generic import bans_repeats, is_over, legal_moves, play, repeat_key
from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.walk import stood_before


@kernel
def count_lines(stack, moves, keys, past, depth, stop):
    """How many lines of `depth` moves start at `stack[0]`; a game that ends sooner counts as one line.

    stack: records, more than `depth` of them; moves: int32[depth + 1, most_moves], scratch;
    keys: uint64 with the repeat keys of the `past` positions so far, then room for `depth` more.
    Returns -1 when stopped.
    """
    counts = np.zeros(depth + 1, np.int64)
    index = np.zeros(depth + 1, np.int64)
    if depth == 0 or is_over(stack[0]):
        return np.int64(1)
    total = np.int64(0)
    visits = 0
    ply = 0
    counts[0] = legal_moves(stack[0], moves[0])
    while ply >= 0:
        if index[ply] == counts[ply]:
            ply -= 1
            continue
        visits += 1
        if visits & 0xFFFF == 0 and atomics.load(stop, 0) != 0:
            return np.int64(-1)
        move = moves[ply, index[ply]]
        index[ply] += 1
        if ply + 1 == depth and not bans_repeats(stack[ply]):
            # Every legal move is a line: no need to play the last one.
            total += counts[ply]
            index[ply] = counts[ply]
            continue
        stack[ply + 1] = stack[ply]
        play(stack[ply + 1], move)
        if bans_repeats(stack[ply]) and stood_before(stack[ply + 1], keys, past + ply):
            continue
        if ply + 1 == depth or is_over(stack[ply + 1]):
            total += 1
            continue
        keys[past + ply] = repeat_key(stack[ply + 1])
        ply += 1
        index[ply] = 0
        counts[ply] = legal_moves(stack[ply], moves[ply])
    return total
