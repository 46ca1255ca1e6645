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
from tengen.engines.pente.kernels.transposition_table import (
    LOWER,
    UPPER,
    bound_of,
    move_of,
    pack,
    probe,
    store,
    value_of,
)

IMAGES, CHUNK, CHUNKS, DIRECTIONS = 8, 12, 3, 8
POINTS = CHUNK * CHUNKS
"""Points of the largest board. Its bits are looked up in chunks."""
MAX_PLIES = 2 * POINTS
"""More than a game can have: each point once, and again for each stone of at most 2 * (goal - 1) pairs."""
NODES, STOPPED, GOAL, LINES, RUNS = range(5)
"""Counters; pairs that win (0: captures do not win); numbers of lines and runs."""
HISTORY = 5
POINT_WORTH = HISTORY + 2 * POINTS
LISTS = POINT_WORTH + POINTS
WORK_SIZE = LISTS + POINTS * MAX_PLIES
"""Size of the workspace: the above, history counts, line values of points, move lists by ply."""
_0, _1, _2, _4, _6 = (np.uint64(n) for n in (0, 1, 2, 4, 6))
_CHUNK, _CHUNK_MASK, _CHUNK_SIZE = np.uint64(CHUNK), np.uint64((1 << CHUNK) - 1), np.uint64(1 << CHUNK)
_POINT_WORTH, _LOW16 = np.uint64(POINT_WORTH), np.int64(0xFFFF)
_MAX_HISTORY = 600_000


@inner
def _key(digits, own, enemy, own_pairs, enemy_pairs):
    """The number of a position, scrambled bijectively."""
    least = ~_0
    at = _0
    for _ in range(IMAGES):
        number = _0
        mine, other = own, enemy
        for _ in range(CHUNKS):
            number += digits[at + (mine & _CHUNK_MASK)] + (digits[at + (other & _CHUNK_MASK)] << _1)
            mine >>= _CHUNK
            other >>= _CHUNK
            at += _CHUNK_SIZE
        least = min(least, number)
    return mix((least << _6) | np.uint64(8 * own_pairs + enemy_pairs))


@inner
def _captured_by(flanks, point, own, enemy):
    """Stones captured by a stone on this point."""
    captured = _0
    at = point << _4
    for _ in range(DIRECTIONS):
        pair = flanks[at]
        if pair & ~enemy == _0 and own & flanks[at + _1] != _0:
            captured |= pair
        at += _2
    return captured


@inner
def _winning_points(lines, flanks, work, own, enemy, empty, pairs):
    """Points that make a row or capture enough; some that capture three pairs or more are not included."""
    points = _0
    for i in range(np.uint64(work[LINES])):
        gap = lines[i] & ~own
        if gap & (gap - _1) == _0 and gap & enemy == _0:
            points |= gap
    if work[GOAL] > 0 and pairs + 2 >= work[GOAL]:
        bits = empty
        while bits != _0:
            if (
                pairs + np.int64(popcount(_captured_by(flanks, trailing_zeros(bits), own, enemy)) >> _1)
                >= work[GOAL]
            ):
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
def _cannot_win(lines, runs, work, own, enemy, empty, alpha):
    """Whether one side (the one to move with alpha 0, else the other) can no longer win.

    If no capture is possible with the points that are empty now, there will never be one: then only rows count,
    through points that are empty or its own.
    """
    left = popcount(empty)
    own_moves, enemy_moves = (left + _1) >> _1, left >> _1
    for i in range(np.uint64(work[RUNS])):
        pair, ends = runs[_2 * i], runs[_2 * i + _1]
        if ends & empty != _0 and (
            _can_capture(pair, ends, own, enemy, empty, own_moves, enemy_moves)
            or _can_capture(pair, ends, enemy, own, empty, enemy_moves, own_moves)
        ):
            return False
    blockers, moves = (enemy, own_moves) if alpha == 0 else (own, enemy_moves)
    for i in range(np.uint64(work[LINES])):
        if lines[i] & blockers == _0 and popcount(lines[i] & empty) <= moves:
            return False
    return True


@inner
def _list_moves(lines, flanks, work, own, enemy, empty, threats, table_move, ply):
    """List all moves with their priority in the high bits; returns how many.

    Against immediate enemy wins only the winning point, if there is just one, and captures help: see
    `forced_wins`.
    """
    start, side = np.uint64(LISTS + POINTS * ply), np.uint64(HISTORY + POINTS * (ply & 1))
    for i in range(np.uint64(work[LINES])):
        mine, other = popcount(lines[i] & own), popcount(lines[i] & enemy)
        if (mine == _0) != (other == _0):
            gaps = lines[i] & empty
            while gaps != _0:
                work[_POINT_WORTH + trailing_zeros(gaps)] += np.int64(1) << np.int64(2 * (mine + other))
                gaps &= gaps - _1
    several = threats & (threats - _1) != _0
    count = _0
    bits = empty
    while bits != _0:
        point = trailing_zeros(bits)
        answers_threat = threats == _0 or (not several and threats & bits & (~bits + _1) != _0)
        bits &= bits - _1
        line_value = 64 * work[_POINT_WORTH + point]
        work[_POINT_WORTH + point] = 0
        captured = np.int64(popcount(_captured_by(flanks, point, own, enemy)))
        if not answers_threat and captured == 0:
            continue
        saved = np.int64(popcount(_captured_by(flanks, point, enemy, own)))
        priority = (
            4096 * captured + 1024 * saved + line_value + (min(work[side + point], np.int64(_MAX_HISTORY)) >> 4)
        )
        if point == table_move:
            priority = np.int64(1) << 40
        work[start + count] = (priority << 16) | np.int64(point)
        count += _1
    return count


@inner
def _select_best(work, start, index, count):
    """Move the best of the moves from `index` on to `index`, and return it."""
    best = start + index
    for k in range(start + index + _1, start + count):
        if work[k] > work[best]:
            best = k
    item = work[best]
    work[best] = work[start + index]
    work[start + index] = item
    return np.uint64(item & _LOW16)


@inner
def _search(board, digits, lines, flanks, runs, table, work, stop, own, enemy, own_pairs, enemy_pairs, alpha, ply):
    """A value above alpha if there is one, else an upper bound of the value."""
    work[NODES] += 1
    if work[NODES] & 1023 == 0 and load(stop, 0) != 0:
        work[STOPPED] = 1
    empty = board & ~(own | enemy)
    if work[STOPPED] != 0 or empty == _0:
        return np.int64(0)
    if _winning_points(lines, flanks, work, own, enemy, empty, own_pairs) != _0:
        return np.int64(1)
    threats = _winning_points(lines, flanks, work, enemy, own, empty, enemy_pairs)
    if threats == _0 and _cannot_win(lines, runs, work, own, enemy, empty, alpha):
        return np.int64(0)
    key = _key(digits, own, enemy, own_pairs, enemy_pairs)
    data = probe(table, key)
    table_move = ~_0
    if data != _0:
        table_move, value = move_of(data), value_of(data)  # may be a move of another image: just a hint
        if (value > alpha) if bound_of(data) == LOWER else (value <= alpha):
            return value
    count = _list_moves(lines, flanks, work, own, enemy, empty, threats, table_move, ply)
    start = np.uint64(LISTS + POINTS * ply)
    best, best_move = np.int64(-1), _0
    for index in range(count):
        point = _select_best(work, start, index, count)
        captured = _captured_by(flanks, point, own, enemy)
        pairs = own_pairs + np.int64(popcount(captured) >> _1)
        if work[GOAL] > 0 and pairs >= work[GOAL]:
            value = np.int64(1)
        else:
            value = -_search(
                board, digits, lines, flanks, runs, table, work, stop,
                enemy & ~captured, own | (_1 << point), enemy_pairs, pairs, -alpha - 1, ply + 1,
            )  # fmt: skip
        if work[STOPPED] != 0:
            return np.int64(0)
        if value > best:
            best, best_move = value, point
        if best > alpha:
            work[np.uint64(HISTORY + POINTS * (ply & 1)) + point] += np.int64(popcount(empty))
            break
    bound = LOWER if best > alpha else UPPER
    store(table, key, pack(best_move, np.int64(popcount(empty)), bound, np.int64(0), best))
    return best


@kernel
def is_above(board, digits, lines, flanks, runs, table, work, stop, own, enemy, own_pairs, enemy_pairs, alpha):
    """Whether the value for `own`, to move, is above alpha; unknown if work[STOPPED] is set."""
    value = _search(
        board, pointer(digits), pointer(lines), pointer(flanks), pointer(runs), pointer(table), pointer(work),
        pointer(stop), own, enemy, own_pairs, enemy_pairs, alpha, np.int64(0),
    )  # fmt: skip
    return value > alpha
