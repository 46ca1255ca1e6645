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
    level_set,
    mark_near_stones,
)
from tengen.engines.pente.kernels.forbidden_moves import is_forbidden, may_play
from tengen.engines.pente.kernels.moves import position_key
from tengen.engines.pente.kernels.shape_tables import move_value
from tengen.engines.pente.patterns import CLOSED_THREE, LEVELS
from tengen.engines.pente.search_state import MOVES_PER_PLY, Thread
from tengen.games.pente.record import POINTS

_0, _1, _6 = np.uint64(0), np.uint64(1), np.uint64(6)
_POINTS, _WORDS, _MOVES_PER_PLY = np.uint64(POINTS), np.uint64(WORDS), np.uint64(MOVES_PER_PLY)
_LOW16, _TABLE_MOVE_PRIORITY = np.int64(0xFFFF), np.int64(1) << 40
_16, _SHAPES = np.uint64(16), np.uint64(0xFFFF)


@inner
def _is_seen(board, work, point):
    """Whether a player with limited vision considers a move; always the same in the same position."""
    if work.vision >= 100:
        return True
    bits = mix(position_key(board, _0) ^ np.uint64(work.seed) ^ (point << np.uint64(40)))
    return np.int64(bits % np.uint64(100)) < work.vision


@inner
def _move_priority(thread, point, colour, ply):
    """How promising a point is: what it makes, what it prevents, captures, and killer and history moves."""
    board, work = thread.board, thread.work
    enemy = _1 - colour
    shapes = np.uint64(board.shapes[point])
    priority = move_value(
        thread.patterns, (shapes >> (_16 * colour)) & _SHAPES, (shapes >> (_16 * enemy)) & _SHAPES
    )
    if board.longest > 0:
        priority += work.capture_order[0] * np.int64(popcount(captures_at(board, colour, point)))
        priority += work.capture_order[1] * np.int64(popcount(captures_at(board, enemy, point)))
        if capture_threats_at(board, colour, point) != _0:
            priority += work.capture_order[2]
        if capture_threats_at(board, enemy, point) != _0:
            priority += work.capture_order[3]
    priority += min(work.history[colour * _POINTS + point] >> 2, np.int64(800))
    killers = np.uint64(2 * ply)
    if work.killers[killers] == np.int64(point):
        priority += 1600
    elif work.killers[killers + _1] == np.int64(point):
        priority += 1000
    return priority


@inner
def _list_move(thread, point, colour, ply, table_move, slot):
    """Write a move with its priority to `work.moves[slot]`."""
    priority = _move_priority(thread, point, colour, ply) if point != table_move else _TABLE_MOVE_PRIORITY
    thread.work.moves[slot] = (priority << 16) | np.int64(point)


@inner
def list_promising(thread, colour, ply, table_move):
    """List all promising moves, unordered; returns how many."""
    board, work = thread.board, thread.work
    enemy = _1 - colour
    start = _MOVES_PER_PLY * np.uint64(ply)
    slot = start
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
            if may_play(board, colour, point) and _is_seen(board, work, point):
                _list_move(thread, point, colour, ply, table_move, slot)
                slot += _1
    return np.int64(slot - start)


@inner
def list_given(thread, colour, ply, table_move, begin, end):
    """List the moves in the pool from `begin` to `end`, each once, unordered; returns how many."""
    board, work = thread.board, thread.work
    start = _MOVES_PER_PLY * np.uint64(ply)
    slot = start
    for i in range(begin, end):
        point = np.uint64(board.pool[i])
        known = is_forbidden(board, colour, point)
        for k in range(start, slot):
            known |= np.uint64(work.moves[k] & _LOW16) == point
        if not known:
            _list_move(thread, point, colour, ply, table_move, slot)
            slot += _1
    return np.int64(slot - start)


@inner
def select_best(work, ply, index, count):
    """Move the best of the listed moves from `index` on to `index`, and return it."""
    start = _MOVES_PER_PLY * np.uint64(ply)
    first = start + np.uint64(index)
    best = first
    best_item = work.moves[first]
    first_item = best_item
    for k in range(first, start + np.uint64(count)):
        if work.moves[k] > best_item:
            best, best_item = k, work.moves[k]
    work.moves[best] = first_item
    work.moves[first] = best_item
    return np.uint64(best_item & _LOW16)


@inner
def record_cutoff(work, colour, point, quiet, depth, ply):
    """Update killer moves and history after a cutoff."""
    if quiet:
        killers = np.uint64(2 * ply)
        if work.killers[killers] != np.int64(point):
            work.killers[killers + _1] = work.killers[killers]
            work.killers[killers] = np.int64(point)
    slot = colour * _POINTS + point
    work.history[slot] += depth * depth
    if work.history[slot] > 1 << 14:
        for i in range(_POINTS + _POINTS):
            work.history[i] >>= 1


@kernel
def promising_moves(boards, patterns, threat_table, works, stop, colour, max_moves, out):
    """Write the moves that a search from here tries first, best first; returns how many."""
    work, ply = works[0], np.int64(0)
    thread = Thread(boards[0], pointer(patterns), pointer(threat_table), work, pointer(stop))
    count = list_promising(thread, colour, ply, _0)
    for i in range(min(count, max_moves)):
        out[i] = select_best(work, ply, i, count)
    return min(count, max_moves)
