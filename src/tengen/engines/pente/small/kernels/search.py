"""Exhaustive search of boards up to 6x6: who wins.

A side's stones are one word, one bit per point, row by row. The table's key is not a hash but the position itself:
its points as base-3 digits, followed by the captured pairs; the smallest of the eight symmetric images. So an
entry never belongs to another position. No position repeats in a game, because the number of captured stones only
grows: values do not depend on history. They are 1, 0 and -1 for the side to move, and each search answers one
question: is the value above `alpha`, which is 0 or -1?
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.atomics import load
from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.rng import mix
from tengen.engines.pente.small.board_tables import (
    CHUNK,
    CHUNKS,
    DIRECTIONS,
    IMAGES,
    POINTS,
    Solver,
)
from tengen.search.kernels.transposition_table import (
    LOWER,
    UPPER,
    bound_of,
    move_of,
    pack,
    probe,
    store,
    value_of,
)

_0, _1, _2, _4, _6 = (np.uint64(n) for n in (0, 1, 2, 4, 6))
_CHUNK, _CHUNK_MASK, _CHUNK_SIZE = np.uint64(CHUNK), np.uint64((1 << CHUNK) - 1), np.uint64(1 << CHUNK)
_LOW16, _MAX_HISTORY = np.int64(0xFFFF), 600_000


@inner
def _key(work, own, enemy, own_pairs, enemy_pairs):
    """The number of a position, scrambled bijectively."""
    least = ~_0
    at = _0
    for _ in range(IMAGES):
        number = _0
        mine, other = own, enemy
        for _ in range(CHUNKS):
            number += work.digits[at + (mine & _CHUNK_MASK)] + (work.digits[at + (other & _CHUNK_MASK)] << _1)
            mine >>= _CHUNK
            other >>= _CHUNK
            at += _CHUNK_SIZE
        least = min(least, number)
    return mix((least << _6) | np.uint64(8 * own_pairs + enemy_pairs))


@inner
def _captured_by(work, point, own, enemy):
    """Stones captured by a stone on this point."""
    captured = _0
    at = point << _4
    for _ in range(DIRECTIONS):
        pair = work.flanks[at]
        if pair & ~enemy == _0 and own & work.flanks[at + _1] != _0:
            captured |= pair
        at += _2
    return captured


@inner
def _row_points(work, own, enemy):
    """Points that make a row."""
    points = _0
    for i in range(work.line_count):
        gap = work.lines[i] & ~own
        if gap & (gap - _1) == _0 and gap & enemy == _0:
            points |= gap
    return points


@inner
def _is_near_goal(work, pairs):
    """Whether a stone that captures one or two pairs wins. Captures of more are not looked for."""
    return work.goal > 0 and pairs + 2 >= work.goal


@inner
def _capture_points(work, own, enemy, empty, pairs):
    """Points that capture enough to win."""
    points = _0
    bits = empty
    while bits != _0:
        captured = popcount(_captured_by(work, trailing_zeros(bits), own, enemy))
        if pairs + np.int64(captured >> _1) >= work.goal:
            points |= bits & (~bits + _1)
        bits &= bits - _1
    return points


@inner
def _can_capture(pair, ends, own, enemy, empty, own_moves, enemy_moves):
    """Whether a side could capture a run, before any other capture, with these numbers of moves."""
    return (
        ends & enemy == _0
        and pair & own == _0
        and popcount(ends & empty) <= own_moves
        and popcount(pair & empty) <= enemy_moves
    )


@inner
def _cannot_win(work, own, enemy, empty, alpha):
    """Whether one side (the one to move with alpha 0, else the other) can no longer win.

    If no capture is possible with the points that are empty now, there will never be one: then only rows count,
    through points that are empty or its own.
    """
    left = popcount(empty)
    own_moves, enemy_moves = (left + _1) >> _1, left >> _1
    for i in range(work.run_count):
        pair, ends = work.runs[_2 * i], work.runs[_2 * i + _1]
        if ends & empty != _0 and (
            _can_capture(pair, ends, own, enemy, empty, own_moves, enemy_moves)
            or _can_capture(pair, ends, enemy, own, empty, enemy_moves, own_moves)
        ):
            return False
    blockers, moves = (enemy, own_moves) if alpha == 0 else (own, enemy_moves)
    for i in range(work.line_count):
        if work.lines[i] & blockers == _0 and popcount(work.lines[i] & empty) <= moves:
            return False
    return True


@inner
def _list_moves(work, own, enemy, empty, threats, table_move, ply):
    """List all moves with their priority in the high bits; returns how many.

    Against immediate enemy wins only the winning point, if there is just one, and captures help: see
    `forced_wins`.
    """
    start, side = np.uint64(POINTS * ply), np.uint64(POINTS * (ply & 1))
    for i in range(work.line_count):
        mine, other = popcount(work.lines[i] & own), popcount(work.lines[i] & enemy)
        if (mine == _0) != (other == _0):
            gaps = work.lines[i] & empty
            while gaps != _0:
                work.line_values[trailing_zeros(gaps)] += np.int64(1) << np.int64(2 * (mine + other))
                gaps &= gaps - _1
    several = threats & (threats - _1) != _0
    count = _0
    bits = empty
    while bits != _0:
        point = trailing_zeros(bits)
        answers_threat = threats == _0 or (not several and threats & bits & (~bits + _1) != _0)
        bits &= bits - _1
        line_value = 64 * work.line_values[point]
        work.line_values[point] = 0
        captured = np.int64(popcount(_captured_by(work, point, own, enemy)))
        if not answers_threat and captured == 0:
            continue
        saved = np.int64(popcount(_captured_by(work, point, enemy, own)))
        history = min(work.history[side + point], np.int64(_MAX_HISTORY)) >> 4
        priority = 4096 * captured + 1024 * saved + line_value + history
        if point == table_move:
            priority = np.int64(1) << 40
        work.moves[start + count] = (priority << 16) | np.int64(point)
        count += _1
    return count


@inner
def _select_best(work, start, index, count):
    """Move the best of the moves from `index` on to `index`, and return it."""
    best = start + index
    for k in range(start + index + _1, start + count):
        if work.moves[k] > work.moves[best]:
            best = k
    item = work.moves[best]
    work.moves[best] = work.moves[start + index]
    work.moves[start + index] = item
    return np.uint64(item & _LOW16)


@inner
def _search(solver, own, enemy, own_pairs, enemy_pairs, alpha, ply):
    """A value above alpha if there is one, else an upper bound of the value."""
    work = solver.work
    work.nodes += 1
    if work.nodes & 1023 == 0 and load(solver.stop, 0) != 0:
        work.stopped = 1
    empty = work.points & ~(own | enemy)
    if work.stopped != 0 or empty == _0:
        return np.int64(0)
    if _row_points(work, own, enemy) != _0:
        return np.int64(1)
    if _is_near_goal(work, own_pairs) and _capture_points(work, own, enemy, empty, own_pairs) != _0:
        return np.int64(1)
    threats = _row_points(work, enemy, own)
    if _is_near_goal(work, enemy_pairs):
        threats |= _capture_points(work, enemy, own, empty, enemy_pairs)
    if threats == _0 and _cannot_win(work, own, enemy, empty, alpha):
        return np.int64(0)
    key = _key(work, own, enemy, own_pairs, enemy_pairs)
    data = probe(solver.table, key)
    table_move = ~_0
    if data != _0:
        table_move, value = np.uint64(move_of(data)), value_of(data)  # may be a move of another image: just a hint
        if (value > alpha) if bound_of(data) == LOWER else (value <= alpha):
            return value
    count = _list_moves(work, own, enemy, empty, threats, table_move, ply)
    start = np.uint64(POINTS * ply)
    best, best_move = np.int64(-1), _0
    for index in range(count):
        point = _select_best(work, start, index, count)
        captured = _captured_by(work, point, own, enemy)
        pairs = own_pairs + np.int64(popcount(captured) >> _1)
        if work.goal > 0 and pairs >= work.goal:
            value = np.int64(1)
        else:
            value = -_search(
                solver, enemy & ~captured, own | (_1 << point), enemy_pairs, pairs, -alpha - 1, ply + 1
            )
        if work.stopped != 0:
            return np.int64(0)
        if value > best:
            best, best_move = value, point
        if best > alpha:
            work.history[np.uint64(POINTS * (ply & 1)) + point] += np.int64(popcount(empty))
            break
    bound = LOWER if best > alpha else UPPER
    store(solver.table, key, pack(best_move, popcount(empty), 0, bound, best))
    return best


@kernel
def is_above(works, table, stop, stones, pairs, alpha):
    """Whether the value for the side to move is above alpha; unknown if `work.stopped` is set.

    stones: uint64[2], of the side to move and of the other; pairs: int64[2], captured by each.
    """
    solver = Solver(works[0], pointer(table), pointer(stop))
    return _search(solver, stones[0], stones[1], pairs[0], pairs[1], alpha, np.int64(0)) > alpha
