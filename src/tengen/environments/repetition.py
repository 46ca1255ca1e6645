"""Legal moves where repeating a position is forbidden, fast enough for batches.

In general only playing a move on a copy tells whether it repeats a position. Here the key after a move is computed
without that where it can be: in Go, after moves that capture nothing.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.dispatch import generic
from tengen.core.compiled.kernel import helper
from tengen.core.compiled.position_kernels import is_repetition
from tengen.core.compiled.rules import forbids_repetition, is_over, legal_moves, play, rule
from tengen.games.go import rules as go

_FIELDS, _POSITIONAL, _STONE_KEYS, _TURN_KEY = go.FIELDS, go.POSITIONAL, go.STONE_KEYS, go.TURN_KEY
_EMPTY, _BORDER = go.EMPTY, go.BORDER
_neighbour, _head_of = go.neighbour, go.head_of


@generic
def repeat_key_after(state, move):
    """The repeat key after a legal move; 0 if only playing it can tell. `state` is changed and restored."""
    return np.uint64(0)


@rule(_FIELDS)  # type: ignore[no-redef]
def repeat_key_after(state, move):  # noqa: F811
    if move == go.PASS or state.handicap > 0:
        return np.uint64(0)
    point = np.uint64(move)
    is_free = captures = False
    for direction in range(4):  # take the liberty that this point is from the strings around it
        beside = _neighbour(point, direction)
        if state.go_stones[beside] == _EMPTY:
            is_free = True
        elif state.go_stones[beside] != _BORDER:
            state.liberties[_head_of(state, beside)] -= np.uint16(1)
    for direction in range(4):
        beside = _neighbour(point, direction)
        content = state.go_stones[beside]
        if content != _EMPTY and content != _BORDER:
            has_liberty = state.liberties[_head_of(state, beside)] > 0
            if content == state.turn + 1:
                is_free |= has_liberty
            else:
                captures |= not has_liberty
    for direction in range(4):
        beside = _neighbour(point, direction)
        if state.go_stones[beside] != _EMPTY and state.go_stones[beside] != _BORDER:
            state.liberties[_head_of(state, beside)] += np.uint16(1)
    if captures or not is_free:
        return np.uint64(0)
    after = state.stones_key ^ _STONE_KEYS[state.turn, point]
    return after if state.superko == _POSITIONAL or state.turn == 1 else after ^ _TURN_KEY


@helper
def permitted_moves(states, index, keys, count, out):
    """Write the legal moves of `states[index]` into `out` and return their number.

    `keys` begins with the `count` repeat keys of the game so far; `states[-1]` is scratch space.
    """
    if is_over(states[index]):
        return 0
    found = legal_moves(states[index], out)
    if not forbids_repetition(states[index]):
        return found
    last = len(states) - 1
    kept = 0
    for i in range(found):
        wanted = repeat_key_after(states[index], out[i])
        repeats = False
        if wanted == 0:
            states[last] = states[index]
            play(states[last], out[i])
            repeats = is_repetition(states[last], keys, count)
        else:
            for j in range(count):  # without an early exit, which the compiler could not vectorise
                repeats |= keys[j] == wanted
        if not repeats:
            out[kept] = out[i]
            kept += 1
    return kept
