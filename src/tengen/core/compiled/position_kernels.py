"""Kernels behind `Position` and game records: play moves, list legal moves considering history, replay games."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.rules import (
    forbids_repetition,
    is_legal,
    is_over,
    key,
    legal_moves,
    may_repeat,
    play,
    repeat_key,
    score,
    to_move,
)


@helper
def is_repetition(state, keys, count):
    """Whether the repeat key of `state` is among the first `count` of `keys`."""
    if may_repeat(state):
        wanted = repeat_key(state)
        for i in range(count):
            if keys[count - 1 - i] == wanted:
                return True
    return False


@kernel
def describe(states):
    """Return (player to move, is over, score if over, key, repeat key) of `states[0]`."""
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


@helper
def permitted_moves(states, index, keys, count, out):
    """Write the legal moves of `states[index]` into `out` and return their number.

    `keys` begins with the `count` repeat keys of the game so far, including the current position; `states[-1]` is
    scratch space.
    """
    if is_over(states[index]):
        return 0
    found = legal_moves(states[index], out)
    if not forbids_repetition(states[index]):
        return found
    last = len(states) - 1
    kept = 0
    for i in range(found):
        states[last] = states[index]
        play(states[last], out[i])
        if not is_repetition(states[last], keys, count):
            out[kept] = out[i]
            kept += 1
    return kept


@kernel
def describe_line(states, moves, facts, keys):
    """Play legal moves from `states[0]`: write the records after them to `states`, and what `describe` returns.

    `facts` (int64, 3 columns) and `keys` (uint64, 2 columns) get a row for each position, the first included.
    """
    for i in range(len(moves) + 1):
        if i > 0:
            states[i] = states[i - 1]
            play(states[i], moves[i - 1])
        over = is_over(states[i])
        facts[i, 0] = to_move(states[i])
        facts[i, 1] = over
        facts[i, 2] = 0
        if over:
            facts[i, 2] = score(states[i])
        keys[i, 0] = key(states[i])
        keys[i, 1] = repeat_key(states[i])


@kernel
def list_legal_moves(states, keys, out):
    """Write the legal moves of `states[0]` into `out` and return their number.

    `keys` are the repeat keys of the game so far, including the current position; `states[1]` is scratch space.
    """
    return permitted_moves(states, 0, keys, len(keys), out)


@kernel
def is_move_legal(states, keys, move, out):
    """Whether a move is legal on `states[0]`; the other arguments are those of `list_legal_moves`."""
    if is_over(states[0]) or not is_legal(states[0], move, out):
        return False
    if not forbids_repetition(states[0]):
        return True
    states[1] = states[0]
    play(states[1], move)
    return not is_repetition(states[1], keys, len(keys))


@helper
def _step(state, move, keys, count, out):
    """Play a legal move and store its repeat key; if the move is illegal, return False with undefined state."""
    if not is_legal(state, move, out):
        return False
    play(state, move)
    if forbids_repetition(state) and is_repetition(state, keys, count):
        return False
    keys[count] = repeat_key(state)
    return True


@kernel
def replay(states, moves, players, implied, keys, played, out):
    """Play a recorded game on `states[0]`; return (number of legal recorded moves, number of moves played).

    `players[i]` made move `i`; -1 means the player to move, which is filled in. `implied` is the pass that records
    may omit, or -1. It is inserted where the other player is to move or where it is the only legal move, and
    skipped after the end of the game. `played` (int32) receives the moves including inserted passes, `keys`
    (uint64) the repeat keys. Both need at least `2 * len(moves) + 1` entries.
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
def position_keys(states, moves, keys):
    """Write the key of `states[0]` and the key after each of the legal `moves` into `keys`."""
    state = states[0]
    keys[0] = key(state)
    for i in range(len(moves)):
        play(state, moves[i])
        keys[i + 1] = key(state)
