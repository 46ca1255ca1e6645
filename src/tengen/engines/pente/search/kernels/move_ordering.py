"""Which moves are searched, and in which order."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.rng import mix
from tengen.engines.pente.kernels.board import (
    WORDS,
    capture_set,
    capture_threats_at,
    captures_at,
    level,
    level_set,
    mark_near_stones,
)
from tengen.engines.pente.kernels.moves import is_point_allowed, position_key
from tengen.engines.pente.kernels.workspace import HISTORY, KILLERS, LISTS, SEED, VISION
from tengen.engines.pente.patterns import CLOSED_THREE, LEVELS
from tengen.games.pente.record import POINTS

_0, _1, _6 = np.uint64(0), np.uint64(1), np.uint64(6)
_POINTS, _WORDS, _LOW16 = np.uint64(POINTS), np.uint64(WORDS), np.int64(0xFFFF)
_OWN_PRIORITY = np.array([0, 4, 12, 40, 120, 300, 160, 900, 2000, 9000], np.int64)
_OTHER_PRIORITY = np.array([0, 3, 9, 30, 90, 220, 110, 600, 1400, 8000], np.int64)


@inner
def _is_seen(board, work, point):
    """Whether a player with limited vision considers a move; always the same in the same position."""
    if work[VISION] >= 100:
        return True
    bits = mix(position_key(board, _0) ^ np.uint64(work[SEED]) ^ (point << np.uint64(40)))
    return np.int64(bits % np.uint64(100)) < work[VISION]


@inner
def _move_priority(board, work, point, colour, enemy, ply):
    """How promising a point is: what it makes, what it prevents, captures, and killer and history moves."""
    priority = _OWN_PRIORITY[level(board, colour, point)] + _OTHER_PRIORITY[level(board, enemy, point)]
    priority += 150 * np.int64(popcount(captures_at(board, colour, point)))
    priority += 110 * np.int64(popcount(captures_at(board, enemy, point)))
    if capture_threats_at(board, colour, point) != _0:
        priority += 25
    if capture_threats_at(board, enemy, point) != _0:
        priority += 10
    priority *= 16
    priority += min(work[np.uint64(HISTORY) + colour * _POINTS + point] >> 2, np.int64(800))
    killers = np.uint64(KILLERS) + np.uint64(2 * ply)
    if work[killers] == np.int64(point):
        priority += 1600
    elif work[killers + _1] == np.int64(point):
        priority += 1000
    return priority


@inner
def list_promising(board, work, colour, enemy, ply, table_move, start):
    """List all promising moves, unordered, as priority << 16 | point; returns how many."""
    count = _0
    mark_near_stones(board)
    for word in range(_WORDS):
        bits = (
            board.near_stones[word]
            | board.state_info[capture_set(colour) + word]
            | board.state_info[capture_set(enemy) + word]
        )
        for of_level in range(CLOSED_THREE, LEVELS):
            bits |= (
                board.state_info[level_set(colour, of_level) + word]
                | board.state_info[level_set(enemy, of_level) + word]
            )
        while bits != _0:
            point = (word << _6) + trailing_zeros(bits)
            bits &= bits - _1
            if not is_point_allowed(board, point) or not _is_seen(board, work, point):
                continue
            priority = (
                _move_priority(board, work, point, colour, enemy, ply)
                if point != table_move
                else np.int64(1) << 40
            )
            work[start + count] = (priority << 16) | np.int64(point)
            count += _1
    return np.int64(count)


@inner
def list_given(board, work, colour, enemy, ply, table_move, begin, end, start):
    """List the moves in the pool from `begin` to `end`, each once, unordered; returns how many."""
    count = _0
    for i in range(begin, end):
        point = np.uint64(board.pool[i])
        known = False
        for k in range(count):
            known |= np.uint64(work[start + k] & _LOW16) == point
        if not known:
            priority = (
                _move_priority(board, work, point, colour, enemy, ply)
                if point != table_move
                else np.int64(1) << 40
            )
            work[start + count] = (priority << 16) | np.int64(point)
            count += _1
    return np.int64(count)


@inner
def select_best(work, start, index, count):
    """Move the best of the moves from `index` on to `index`, and return it."""
    best = start + np.uint64(index)
    best_item = work[best]
    first_item = best_item
    for k in range(start + np.uint64(index), start + np.uint64(count)):
        if work[k] > best_item:
            best, best_item = k, work[k]
    work[best] = first_item
    work[start + np.uint64(index)] = best_item
    return np.uint64(best_item & _LOW16)


@inner
def record_cutoff(work, colour, point, quiet, depth, ply):
    """Update killer moves and history after a cutoff."""
    if quiet:
        killers = np.uint64(KILLERS) + np.uint64(2 * ply)
        if work[killers] != np.int64(point):
            work[killers + _1] = work[killers]
            work[killers] = np.int64(point)
    history_slot = np.uint64(HISTORY) + colour * _POINTS + point
    work[history_slot] += depth * depth
    if work[history_slot] > 1 << 14:
        for i in range(2 * POINTS):
            work[np.uint64(HISTORY + i)] >>= 1


@kernel
def promising_moves(boards, work, colour, max_moves, out):
    """Write the moves that a search from here tries first, best first; returns how many."""
    work = pointer(work)
    start = np.uint64(LISTS)
    count = list_promising(boards[0], work, colour, _1 - colour, np.int64(0), _0, start)
    for i in range(min(count, max_moves)):
        out[i] = select_best(work, start, i, count)
    return min(count, max_moves)
