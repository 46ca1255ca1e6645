"""Perft: count the lines of play of a given length, to verify move generation."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.position_kernels import is_repetition
from tengen.core.compiled.rules import forbids_repetition, is_over, legal_moves, play, repeat_key


@kernel
def count_lines(stack, moves, keys, past, depth, stop):
    """The number of lines of `depth` moves from `stack[0]`; a game that ends earlier counts as one line.

    stack: more than `depth` records; moves: int32[depth + 1, max_legal_moves], scratch space; keys: uint64 with
    the repeat keys of the `past` positions so far, followed by space for `depth` more. Returns -1 when stopped.
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
        if ply + 1 == depth and not forbids_repetition(stack[ply]):
            # Each legal move is one line; there is no need to play it.
            total += counts[ply]
            index[ply] = counts[ply]
            continue
        stack[ply + 1] = stack[ply]
        play(stack[ply + 1], move)
        if forbids_repetition(stack[ply]) and is_repetition(stack[ply + 1], keys, past + ply):
            continue
        if ply + 1 == depth or is_over(stack[ply + 1]):
            total += 1
            continue
        keys[past + ply] = repeat_key(stack[ply + 1])
        ply += 1
        index[ply] = 0
        counts[ply] = legal_moves(stack[ply], moves[ply])
    return total
