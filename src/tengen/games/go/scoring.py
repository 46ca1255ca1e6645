"""Scores of Go positions: area or territory, with all stones alive or some removed as dead."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled import rules as generic
from tengen.core.compiled.kernel import allocating_helper, helper, kernel
from tengen.core.compiled.rules import rule
from tengen.games.go.rules import (
    BLACK,
    BORDER,
    EMPTY,
    FIELDS,
    POINTS,
    STRIDE,
    WHITE,
    head_of,
    neighbour,
    remove_string,
)

_1, _STRIDE = np.uint64(1), np.uint64(STRIDE)


@allocating_helper
def mark_area(state, owner):
    """Write to `owner` (uint8[POINTS]) who owns each point: a stone's colour, that of a region of empty points
    which touches only one colour, else EMPTY.
    """
    waiting = np.empty(POINTS, np.uint16)
    region = np.empty(POINTS, np.uint16)
    seen = np.zeros(POINTS, np.bool_)
    for i in range(state.empty_count):
        start = np.uint64(state.empties[i])
        if seen[start]:
            continue
        seen[start] = True
        waiting[0] = start
        top, size, touched = 1, 0, 0
        while top > 0:
            top -= 1
            point = np.uint64(waiting[np.uint64(top)])
            region[np.uint64(size)] = point
            size += 1
            for direction in range(4):
                beside = neighbour(point, direction)
                content = state.go_stones[beside]
                if content != EMPTY:
                    if content != BORDER:
                        touched |= content
                elif not seen[beside]:
                    seen[beside] = True
                    waiting[np.uint64(top)] = beside
                    top += 1
        for j in range(np.uint64(size)):
            owner[region[j]] = touched if touched != BLACK + WHITE else EMPTY
    for row in range(np.uint64(state.height)):
        point = _STRIDE * (np.uint64(row) + _1)
        for _ in range(state.width):
            point += _1
            if state.go_stones[point] != EMPTY:
                owner[point] = state.go_stones[point]


@allocating_helper
def _surrounded(state):
    """Empty points adjacent only to Black minus those adjacent only to White."""
    balance = 0
    for i in range(state.empty_count):
        point = np.uint64(state.empties[i])
        touched = 0
        for direction in range(4):
            content = state.go_stones[neighbour(point, direction)]
            if content == EMPTY:
                # A larger region: needs a flood fill.
                owner = np.zeros(POINTS, np.uint8)
                mark_area(state, owner)
                balance = 0
                for j in range(state.empty_count):
                    mine = owner[state.empties[j]]
                    balance += np.int64(mine == BLACK) - np.int64(mine == WHITE)
                return balance
            if content != BORDER:
                touched |= content
        balance += np.int64(touched == BLACK) - np.int64(touched == WHITE)
    return balance


@helper
def _area(state):
    """Stones and surrounded points of Black minus those of White."""
    balance = np.int64(_surrounded(state))
    for row in range(np.uint64(state.height)):
        point = _STRIDE * (np.uint64(row) + _1)
        for _ in range(state.width):
            point += _1
            content = state.go_stones[point]
            balance += np.int64(content == BLACK) - np.int64(content == WHITE)
    return balance


@rule(FIELDS)
def score(state):
    """Score by the rules, with all stones alive."""
    if state.territory:
        return np.int64(1000) * (_surrounded(state) + state.captured[0] - state.captured[1]) - state.komi
    return np.int64(1000) * _area(state) - state.komi


@rule(FIELDS)
def playout_score(state):
    """Area score under all rules: playouts fill their own territory, which costs nothing this way."""
    return np.int64(1000) * _area(state) - state.komi


@rule(FIELDS)
def resume_play(state):
    """Under territory scoring stones may be dead: play on, which costs nothing under area scoring."""
    if state.territory:
        state.passes = 0
    return state.territory


@rule(FIELDS)
def evaluate(state):
    """Current area estimate; always less than the whole board."""
    value = np.int64(1000) * _area(state)
    limit = np.int64(1000) * state.width * state.height - 1
    return max(-limit, min(limit, value)) - state.komi


# ---- entry points for Python


@kernel
def count_score(states, dead):
    """The score of `states[0]` with the strings at the points `dead` removed as prisoners."""
    state = states[0]
    for point in dead:
        colour = np.int64(state.go_stones[point])
        if colour == BLACK or colour == WHITE:
            state.captured[WHITE - colour] += remove_string(state, head_of(state, np.uint64(point)))
    return np.int64(generic.score(state))


@kernel
def find_owners(states):
    """Owner of each point of `states[0]`, as uint8[POINTS]."""
    owner = np.zeros(POINTS, np.uint8)
    mark_area(states[0], owner)
    return owner
