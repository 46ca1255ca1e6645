"""The kernels behind `Position`: play a move, tell the facts, list the moves that the history allows."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.generic import (
    bans_repeats,
    is_over,
    key,
    legal_moves,
    may_repeat,
    play,
    repeat_key,
    score,
    to_move,
)
from tengen.core.compiled.kernel import helper, kernel


@helper
def stood_before(state, keys, count):
    """Whether the position just reached stands among the first `count` keys, latest first."""
    if may_repeat(state):
        wanted = repeat_key(state)
        for i in range(count):
            if keys[count - 1 - i] == wanted:
                return True
    return False


@kernel
def describe(states):
    """(player to move, over, score if over, key, repeat key) of `states[0]`."""
    state = states[0]
    over = is_over(state)
    points = np.int64(0)
    if over:
        points = np.int64(score(state))
    return np.int64(to_move(state)), over, points, np.uint64(key(state)), np.uint64(repeat_key(state))


@kernel
def advance(states, move):
    """Play a move on `states[0]`."""
    play(states[0], move)


@kernel
def list_moves(states, keys, out):
    """Write the legal moves of `states[0]` into `out` and return how many.

    `keys` are the repeat keys of the game so far, this position's among them; `states[1]` is scratch.
    """
    if is_over(states[0]):
        return 0
    count = legal_moves(states[0], out)
    if not bans_repeats(states[0]):
        return count
    kept = 0
    for i in range(count):
        states[1] = states[0]
        play(states[1], out[i])
        if not stood_before(states[1], keys, len(keys)):
            out[kept] = out[i]
            kept += 1
    return kept
