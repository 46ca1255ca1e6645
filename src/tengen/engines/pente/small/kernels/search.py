"""Exhaustive search of boards up to 6x6: who wins.

A side's stones are one word, one bit per point, row by row; patterns of stones are found on the whole board at
once, by shifts along the four axes. The table's key is not a hash but the board itself: its points as base-3
digits, the smallest of the eight symmetric images. So an entry never belongs to another board, and it serves all
numbers of captured pairs. No position repeats in a game, because the number of captured stones only grows: values
do not depend on history.

Values are 1, 0 and -1 for the side to move, and each search answers one question: is the value above `alpha`,
which is 0 or -1? With alpha 0 the side to move is the *attacker*, who has to win; with -1 it is the *defender*,
for whom a draw is enough. Nearly any move of the defender draws, and what counts is to find one that leaves
little to search.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.atomics import load
from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.rng import mix
from tengen.engines.pente.small.board_tables import CHUNK, CHUNKS, IMAGES, POINTS, Solver
from tengen.engines.pente.small.kernels.patterns import (
    cannot_win,
    capture_points,
    captured_by,
    line_points,
    row_points,
    threat_points,
    winning_captures,
)
from tengen.search.kernels.transposition_table import probe, store

_0, _1, _16, _30, _POINTS = (np.uint64(n) for n in (0, 1, 16, 30, POINTS))
_LOW3, _LOW16, _WINS = np.uint64(7), np.uint64(0xFFFF), np.uint64(21)
_CHUNK, _CHUNK_MASK, _CHUNK_SIZE = np.uint64(CHUNK), np.uint64((1 << CHUNK) - 1), np.uint64(1 << CHUNK)
_LOW8, _MAX_HISTORY = np.int64(0xFF), 1 << 16
_BOUND_EMPTIES = np.uint64(8)  # with more empty points captures are nearly always possible
_PROBE_EMPTIES = np.uint64(7)  # with fewer, looking for known answers costs more than it saves


@inner
def _key(work, own, enemy, alpha):
    """The number of a board and a question, scrambled bijectively."""
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
    return mix((least << _1) | np.uint64(-alpha))


# A table entry has answers for all captured pairs: for each number of the attacker's, the least of the defender's
# with which he holds, and the greatest with which he does not. A player who succeeds also does with more pairs of
# his own, or with fewer of the other's. These are numbers of three bits, 0 for unknown, stored as 7 - pairs and
# pairs + 1, so that the greater one always says more.


@inner
def _known(table, key, alpha, own_pairs, enemy_pairs):
    """What the table says about a position: 1 if its value is above alpha, 0 if it is not, -1 if unknown."""
    data = probe(table, key)
    if data != _0:
        answers = (data & _LOW16) | ((data >> _30) << _16)
        attacker, defender = (own_pairs, enemy_pairs) if alpha == 0 else (enemy_pairs, own_pairs)
        at = np.uint64(3 * attacker)
        if np.int64((answers >> at) & _LOW3) + defender >= 7:
            return np.int64(-alpha)
        if np.int64((answers >> (at + _WINS)) & _LOW3) > defender:
            return np.int64(1 + alpha)
    return np.int64(-1)


@inner
def _store(table, key, alpha, own_pairs, enemy_pairs, found, left):
    """Add what was found to the entry of a board."""
    data = probe(table, key)
    answers = (data & _LOW16) | ((data >> _30) << _16)
    attacker, defender = (own_pairs, enemy_pairs) if alpha == 0 else (enemy_pairs, own_pairs)
    if found == (alpha == 0):  # the attacker wins
        first, last, value, at = attacker, np.int64(6), np.uint64(defender + 1), _WINS
    else:
        first, last, value, at = np.int64(0), attacker, np.uint64(7 - defender), _0
    for pairs in range(first, last + 1):
        shift = at + np.uint64(3 * pairs)
        if (answers >> shift) & _LOW3 < value:
            answers = (answers & ~(_LOW3 << shift)) | (value << shift)
    store(table, key, (answers & _LOW16) | (left << _16) | ((answers >> _16) << _30))


@inner
def _list_moves(work, own, enemy, empty, moves, captures, alpha, previous, start):
    """List moves with their priority in the high bits; returns how many.

    The weights were tuned on numbers of nodes, and matter for the defender: he plays in lines of his own, blocks
    the enemy's lines and captures, and exposes no pairs.
    """
    exposing, threatening = threat_points(work, own, enemy, empty)
    saving = capture_points(work, enemy, own, empty)[0]
    own_three, own_two, _ = line_points(work, own, enemy, empty)
    enemy_three, enemy_two, enemy_one = line_points(work, enemy, own, empty)
    question = np.uint64(-alpha)
    count = _0
    while moves != _0:
        bit = moves & (~moves + _1)
        moves ^= bit
        point = trailing_zeros(bit)
        priority = work.history[_POINTS * question + point] >> 6
        priority += work.replies[(_POINTS * question + previous) * _POINTS + point] >> 9
        if bit & captures[0] != _0:
            priority += 1000 if bit & captures[1] != _0 else 500
        if bit & saving != _0:
            priority += 2000
        if bit & exposing != _0:
            priority -= 1500
        if bit & threatening != _0:
            priority -= 200
        if bit & own_three != _0:
            priority += 1000
        elif bit & own_two != _0:
            priority += 250
        if bit & enemy_three != _0:
            priority += 1000
        elif bit & (enemy_two | enemy_one) != _0:
            priority += 150
        work.moves[start + count] = (priority << 8) | np.int64(point)
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
    return np.uint64(item & _LOW8)


@inner
def _credit(work, alpha, previous, point, amount):
    """Note a move that decided a position."""
    question = np.uint64(-alpha)
    start = _POINTS * question
    work.history[start + point] += amount
    if work.history[start + point] > _MAX_HISTORY:
        for i in range(_POINTS):
            work.history[start + i] >>= 1
    start = (start + previous) * _POINTS
    work.replies[start + point] += amount
    if work.replies[start + point] > _MAX_HISTORY:
        for i in range(_POINTS):
            work.replies[start + i] >>= 1


@inner
def _reply_is_known(solver, own, enemy, own_pairs, enemy_pairs, alpha, captures, start, count):
    """Whether the table knows that one of the listed moves decides the position."""
    work = solver.work
    for k in range(start, start + count):
        bit = _1 << np.uint64(work.moves[k] & _LOW8)
        captured = captured_by(work, bit, own, enemy) if bit & captures != _0 else _0
        pairs = own_pairs + np.int64(popcount(captured) >> _1)
        if work.goal == 0 or pairs < work.goal:
            key = _key(work, enemy & ~captured, own | bit, -alpha - 1)
            if _known(solver.table, key, -alpha - 1, enemy_pairs, pairs) == 0:
                return True
    return False


@inner
def _is_above(solver, own, enemy, own_pairs, enemy_pairs, alpha, ply, previous):
    """Whether the value is above alpha. `previous` is the point of the move before."""
    work = solver.work
    work.nodes += 1
    if work.nodes & 1023 == 0 and load(solver.stop, 0) != 0:
        work.stopped = 1
    empty = work.points & ~(own | enemy)
    if work.stopped != 0 or empty == _0:
        return alpha < 0
    captures = capture_points(work, own, enemy, empty)
    if row_points(work, own, enemy) | winning_captures(work, captures, own_pairs) != _0:
        return True
    threats = row_points(work, enemy, own)
    if work.goal - enemy_pairs <= 3:
        threats |= winning_captures(work, capture_points(work, enemy, own, empty), enemy_pairs)
    left = popcount(empty)
    moves = empty
    if threats != _0:  # only captures help, and the winning point if there is just one: see `forced_wins`
        moves = captures[0] | (threats if threats & (threats - _1) == _0 else _0)
        if moves == _0:
            return False
    elif left <= _BOUND_EMPTIES or work.goal == 0:
        if alpha == 0:
            if cannot_win(work, own, enemy, empty, own_pairs, (left + _1) >> _1):
                return False
        elif cannot_win(work, enemy, own, empty, enemy_pairs, left >> _1):
            return True
    key = _0
    if left > _1:
        key = _key(work, own, enemy, alpha)
        known = _known(solver.table, key, alpha, own_pairs, enemy_pairs)
        if known >= 0:
            return known == 1
    start = _POINTS * np.uint64(ply)
    count = _list_moves(work, own, enemy, empty, moves, captures, alpha, previous, start)
    found = False
    if alpha < 0 and left >= _PROBE_EMPTIES:
        found = _reply_is_known(solver, own, enemy, own_pairs, enemy_pairs, alpha, captures[0], start, count)
    index = _0
    while index < count and not found:
        point = _select_best(work, start, index, count)
        index += _1
        bit = _1 << point
        captured = captured_by(work, bit, own, enemy) if bit & captures[0] != _0 else _0
        pairs = own_pairs + np.int64(popcount(captured) >> _1)
        if work.goal > 0 and pairs >= work.goal:
            found = True
        else:
            found = not _is_above(
                solver, enemy & ~captured, own | bit, enemy_pairs, pairs, -alpha - 1, ply + 1, point
            )
        if work.stopped != 0:
            return False
        if found:
            _credit(work, alpha, previous, point, np.int64(left))
    if left > _1:
        _store(solver.table, key, alpha, own_pairs, enemy_pairs, found, left)
    return found


@kernel
def is_above(works, table, stop, stones, pairs, alpha):
    """Whether the value for the side to move is above alpha; unknown if `work.stopped` is set.

    stones: uint64[2], of the side to move and of the other; pairs: int64[2], captured by each.
    """
    solver = Solver(works[0], pointer(table), pointer(stop))
    for i in range(2 * _POINTS):  # of another question, it misleads: that can double the nodes
        solver.work.history[i] = 0
    for i in range(2 * _POINTS * _POINTS):
        solver.work.replies[i] = 0
    return _is_above(solver, stones[0], stones[1], pairs[0], pairs[1], alpha, np.int64(0), _0)
