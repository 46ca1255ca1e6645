"""Patterns on the lines through a point: winning rows, captures, self-captures (poof).

Everything is looked for around one stone only, along four axes, each ahead (to the right, or down) and behind.
Steps and points are unsigned; see `record` for their layout.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import allocating_helper, helper
from tengen.games.pente.record import BLACK, EMPTY, STRIDE

_0, _1, _2 = np.uint64(0), np.uint64(1), np.uint64(2)
_RIGHT, _DOWN = np.uint64(1), np.uint64(STRIDE)
_DOWN_RIGHT, _DOWN_LEFT = np.uint64(STRIDE + 1), np.uint64(STRIDE - 1)


@helper
def axis_step(axis):
    """The step ahead along one of the four axes."""
    if axis == 0:
        return _RIGHT
    if axis == 1:
        return _DOWN
    if axis == 2:
        return _DOWN_RIGHT
    return _DOWN_LEFT


@helper
def run_ahead(state, point, step, stone):
    """Number of consecutive stones of a colour after a point."""
    count = _0
    at = point + step
    while state.pente_stones[at] == stone:
        count += _1
        at += step
    return count


@helper
def run_behind(state, point, step, stone):
    count = _0
    at = point - step
    while state.pente_stones[at] == stone:
        count += _1
        at -= step
    return count


@helper
def taken_ahead(state, point, step, own, enemy):
    """Number of enemy stones captured in one direction by a stone on this point: 0, 2 or 3."""
    at = point + step
    if state.pente_stones[at] != enemy or state.pente_stones[at + step] != enemy:
        return _0
    at += step + step
    if state.pente_stones[at] == own:
        return _2
    if state.longest == 3 and state.pente_stones[at] == enemy and state.pente_stones[at + step] == own:
        return np.uint64(3)
    return _0


@helper
def taken_behind(state, point, step, own, enemy):
    at = point - step
    if state.pente_stones[at] != enemy or state.pente_stones[at - step] != enemy:
        return _0
    at -= step + step
    if state.pente_stones[at] == own:
        return _2
    if state.longest == 3 and state.pente_stones[at] == enemy and state.pente_stones[at - step] == own:
        return np.uint64(3)
    return _0


@helper
def wins_by_length(state, length, stone):
    """Whether a row of this length wins for a colour."""
    if length <= np.uint64(state.row):
        return length == np.uint64(state.row)
    return not state.exact and not (state.renju and stone == BLACK)


@helper
def is_winning_row(state, point, step, ahead, behind, stone):
    """Whether a stone with so many of its colour ahead and behind makes a winning row on this axis."""
    length = ahead + behind + _1
    if not wins_by_length(state, length, stone):
        return False
    if not state.caro or length > np.uint64(state.row):
        return True
    enemy = np.uint8(3 - stone)
    return (
        state.pente_stones[point + step * (ahead + _1)] != enemy
        or state.pente_stones[point - step * (behind + _1)] != enemy
    )


@helper
def has_row(state, point, stone):
    """Whether the stone here is part of a winning row."""
    if state.pente_stones[point] != stone:
        return False
    for axis in range(4):
        step = axis_step(axis)
        ahead = run_ahead(state, point, step, stone)
        behind = run_behind(state, point, step, stone)
        if is_winning_row(state, point, step, ahead, behind, stone):
            return True
    return False


@helper
def _breaks_row(state, reply, row_stone, own, enemy, taken):
    """Whether a stone on the empty point `reply` breaks, by capture, the row of the enemy's `row_stone`.

    taken: uint16[24], scratch.
    """
    count = 0
    for axis in range(4):
        step = axis_step(axis)
        at = reply
        for _ in range(taken_ahead(state, reply, step, own, enemy)):
            at += step
            taken[count] = at
            count += 1
        at = reply
        for _ in range(taken_behind(state, reply, step, own, enemy)):
            at -= step
            taken[count] = at
            count += 1
    if count == 0:
        return False
    for i in range(count):
        state.pente_stones[taken[i]] = EMPTY
    broken = not has_row(state, row_stone, enemy)
    for i in range(count):
        state.pente_stones[taken[i]] = enemy
    return broken


@allocating_helper
def can_break_row(state, row_stone, own, enemy):
    """Whether `own` has a move that breaks the row."""
    taken = np.empty(24, np.uint16)  # at most three stones in each of eight directions
    for i in range(state.empty_count):
        if _breaks_row(state, np.uint64(state.empties[i]), row_stone, own, enemy, taken):
            return True
    return False
