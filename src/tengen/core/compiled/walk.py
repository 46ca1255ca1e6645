"""The kernels behind `Position` and records: play moves, tell the facts, list what the history allows."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.generic import (
    allows,
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


@kernel
def allows_move(states, keys, move, out):
    """Whether one move is legal on `states[0]`; the other arguments are those of `list_moves`."""
    if is_over(states[0]) or not allows(states[0], move, out):
        return False
    if not bans_repeats(states[0]):
        return True
    states[1] = states[0]
    play(states[1], move)
    return not stood_before(states[1], keys, len(keys))


@helper
def _step(state, move, keys, count, out):
    """Play a move if it is legal, and keep the key; on False the state may be spoilt."""
    if not allows(state, move, out):
        return False
    play(state, move)
    if bans_repeats(state) and stood_before(state, keys, count):
        return False
    keys[count] = repeat_key(state)
    return True


@kernel
def replay(states, moves, players, implied, keys, played, out):
    """Play a recorded game on `states[0]`: (moves that were legal, moves played).

    `players` says who made each move, -1 for whoever is to move: that is filled in. `implied` is the pass that
    records leave out, or -1: it is played where the other player is to move, or where it is the only legal move.
    Such passes after the end change nothing and are skipped. `keys` (uint64) and `played` (int32), which takes the
    moves as they were played, need room for twice the moves and one more.
    """
    state = states[0]
    keys[0] = repeat_key(state)
    count = 0
    for i in range(len(moves)):
        move = moves[i]
        if is_over(state):
            if move == implied:
                continue
            return i, count
        if move != implied and implied >= 0:
            forced = players[i] < 0 and legal_moves(state, out) == 1 and out[0] == implied
            if forced or (players[i] >= 0 and players[i] != to_move(state)):
                if not _step(state, implied, keys, count + 1, out):
                    return i, count
                played[count] = implied
                count += 1
                if is_over(state):
                    return i, count
        if players[i] >= 0 and players[i] != to_move(state):
            return i, count
        players[i] = to_move(state)
        if not _step(state, move, keys, count + 1, out):
            return i, count
        played[count] = move
        count += 1
    return len(moves), count


@kernel
def keys_along(states, moves, keys):
    """Write the keys of `states[0]` and of the positions after each of the moves, which are legal, into `keys`."""
    state = states[0]
    keys[0] = key(state)
    for i in range(len(moves)):
        play(state, moves[i])
        keys[i + 1] = key(state)
