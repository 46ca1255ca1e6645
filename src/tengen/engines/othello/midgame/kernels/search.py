"""The search of the Othello engine above a dozen empty squares.

Principal variation search to a depth, or to the end of the game if the depth reaches it: then the last dozen
squares are `endgame`'s, and the result is exact at the level EXACT and selective below (see `probcut`). Values are
centi-discs for the mover; those at the end of the game are whole discs.

Several threads search the same tree with one table. In `busy` each tells which positions it is at, and the others
put off what somebody else is busy with ("ABDADA"), so that they share the work without speaking to each other.
The last dozen squares have a small table for each thread, `near`: it stays in the processor's cache.

All arrays are handed down as pointers. Depths count plies; a pass is none. A row of `features` is used for each
ply, passes included.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.atomics import load
from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.othello.endgame.kernels.last_empties import final_score, odd_regions
from tengen.engines.othello.endgame.kernels.solver import (
    AGE,
    CORNERS,
    DOZEN,
    DRAW,
    ETC,
    FEATURES,
    LISTS,
    MARGIN,
    MOST_NODES,
    NODES,
    ORDER,
    PATTERNS,
    PROBCUT,
    ROOM,
    STABILITY,
    STOPPED,
    TABLE,
    THREADS,
    UNORDERED,
    freedom,
    frontier,
    least_stable,
    solve_dozen,
    solve_few,
    stability_bound,
)
from tengen.engines.othello.kernels.transposition_table import (
    NO_MOVE,
    depth_of,
    hash_of,
    level_of,
    lower_of,
    move_of,
    pack,
    probe,
    store,
    upper_of,
)
from tengen.engines.othello.midgame.kernels.evaluation import LIMIT, evaluate_features
from tengen.engines.othello.midgame.kernels.features import pass_features, play_features
from tengen.engines.othello.midgame.kernels.probcut import EXACT, margin_place, shallow_depth
from tengen.games.othello.rules import find_flips, find_moves

_ZERO, _ONE, _7, _9 = (np.uint64(n) for n in (0, 1, 7, 9))
BUSY_PLACES = 1 << 12
_BUSY = np.uint64(BUSY_PLACES - 1)
_NONE = np.int64(-12700)
MOST = 6400
"""The largest value there is."""
DEEP_LISTS = LISTS + ROOM * 65
PASS = 64
MOST_PLIES = 140

TABLED = 3  # the least depth at which the table is asked
CUT = 4  # and ProbCut tried
SHARED = 5  # and at which threads give way to each other


@helper
def _value(mover, enemy, empties, ply, work, features, weights):
    """The static value, by patterns; on smaller boards, which have none, by what every player counts."""
    if work[FEATURES] & PATTERNS:
        return evaluate_features(features, ply, popcount(empties), weights)
    corners = np.uint64(work[CORNERS])
    beside = _diagonal(corners & empties)
    mine, other = find_moves(mover, enemy, empties), find_moves(enemy, mover, empties)
    value = np.int64(80) * (np.int64(popcount(mine)) - np.int64(popcount(other)))
    value += np.int64(20) * (frontier(enemy, empties) - frontier(mover, empties))
    value += np.int64(300) * (np.int64(popcount(mover & corners)) - np.int64(popcount(enemy & corners)))
    value -= np.int64(100) * (np.int64(popcount(mover & beside)) - np.int64(popcount(enemy & beside)))
    return min(max(value, np.int64(-LIMIT)), np.int64(LIMIT))


@helper
def _diagonal(corners):
    """The squares diagonally beside corners of a board that ends before the edge of the eight by eight squares."""
    return (corners << _7) | (corners >> _7) | (corners << _9) | (corners >> _9)


@helper
def _of_score(score, ply, work):
    """A final score as a value: a draw is worth what `work[DRAW]` says to the side at the root."""
    if score == 0:
        return work[DRAW] if ply & 1 == 0 else -work[DRAW]
    return np.int64(100) * score


@helper
def _to_the_end(mover, enemy, empties, alpha, beta, ply, work, near, edges):
    """The exact value with a dozen empty squares or fewer, as far as the window asks for it."""
    floor = alpha // np.int64(100)
    if -200 < alpha < 200:  # between a narrow loss and a narrow win lies the draw, whatever it is worth
        floor = np.int64(0) if alpha >= _of_score(np.int64(0), ply, work) else np.int64(-1)
    best = _NONE
    while True:
        if popcount(empties) <= np.uint64(UNORDERED):
            score = solve_few(mover, enemy, empties, floor, np.int64(0), work)
        else:
            score = solve_dozen(mover, enemy, empties, floor, np.int64(0), work, near, edges)
        if score <= floor:
            # What was reached before stands: the last test only showed that there is no more.
            return _of_score(score, ply, work) if best == _NONE else best
        best = _of_score(score, ply, work)
        if best >= beta or score == np.int64(64):
            return best
        floor = score


@helper
def _one_ply(mover, enemy, empties, moves, beta, ply, work, features, weights):
    """The best static value after one move."""
    best = _NONE
    while moves != _ZERO:
        square = trailing_zeros(moves)
        disc = _ONE << square
        moves ^= disc
        flips = find_flips(square, mover, enemy)
        work[NODES] += 1
        if enemy == flips:
            return np.int64(MOST)
        play_features(features, ply, square, flips)
        value = -_value(enemy ^ flips, mover | flips | disc, empties ^ disc, ply + 1, work, features, weights)
        if value > best:
            best = value
            if best >= beta:
                break
    return best


@helper
def search(
    mover, enemy, empties, alpha, beta, depth, level, ply, work, table, near, features, weights, edges, busy, stop
):
    """The value to `depth` plies at a level, in the window between alpha and beta (fail-soft)."""
    work[NODES] += 1
    count = np.int64(popcount(empties))
    ends = depth >= count
    if ends and count <= DOZEN:
        return _to_the_end(mover, enemy, empties, alpha, beta, ply, work, near, edges)
    if work[NODES] >= work[MOST_NODES] or load(stop, 0) != 0:
        work[STOPPED] = 1
        return np.int64(0)
    moves = find_moves(mover, enemy, empties)
    if moves == _ZERO:
        if find_moves(enemy, mover, empties) == _ZERO:
            return _of_score(final_score(mover, enemy, empties), ply, work)
        pass_features(features, ply)
        return -search(
            enemy, mover, empties, -beta, -alpha, depth, level, ply + 1,
            work, table, near, features, weights, edges, busy, stop,
        )  # fmt: skip
    if depth <= 0:
        return _value(mover, enemy, empties, ply, work, features, weights)
    if depth == 1 and not ends:
        return _one_ply(mover, enemy, empties, moves, beta, ply, work, features, weights)

    switches = work[FEATURES]
    if ends and switches & STABILITY and alpha >= np.int64(100) * least_stable(count):
        bound = np.int64(100) * stability_bound(mover, enemy, edges)
        if bound <= alpha:
            return bound
    depth = min(depth, count)
    key = hash_of(mover, enemy)
    first = np.int64(NO_MOVE)
    lower, upper = np.int64(-MOST), np.int64(MOST)
    tabled = switches & TABLE and depth >= TABLED
    if tabled:
        entry = probe(table, key)
        if entry != _ZERO:
            first = move_of(entry)
            if depth_of(entry) >= depth and level_of(entry) >= level:
                if lower_of(entry) >= beta or lower_of(entry) == upper_of(entry):
                    return lower_of(entry)
                if upper_of(entry) <= alpha:
                    return upper_of(entry)
                if depth_of(entry) == depth and level_of(entry) == level:
                    lower, upper = lower_of(entry), upper_of(entry)

    if switches & PROBCUT and level < EXACT and depth >= CUT and beta - alpha == 1:
        shallow = shallow_depth(depth)
        room = work[MARGIN + margin_place(count, depth, level)]
        static = _value(mover, enemy, empties, ply, work, features, weights)
        bound = beta + room
        if bound < LIMIT and static >= beta:
            value = search(
                mover, enemy, empties, bound - 1, bound, shallow, level, ply,
                work, table, near, features, weights, edges, busy, stop,
            )  # fmt: skip
            if work[STOPPED]:
                return np.int64(0)
            if value >= bound:
                return beta
        bound = alpha - room
        if bound > -LIMIT and static < beta:
            value = search(
                mover, enemy, empties, bound, bound + 1, shallow, level, ply,
                work, table, near, features, weights, edges, busy, stop,
            )  # fmt: skip
            if work[STOPPED]:
                return np.int64(0)
            if value <= bound:
                return alpha

    # The moves, best first: rank << 8 | square.
    start = DEEP_LISTS + ROOM * ply
    total = np.int64(0)
    odd = odd_regions(empties)
    corners = np.uint64(work[CORNERS])
    look = np.int64(-1)  # plies to look ahead for the order
    if switches & ORDER:
        if ends:
            look = (depth - np.int64(12)) // np.int64(2)
        elif depth >= 3:
            look = np.int64(0) if depth < 7 else (depth - np.int64(3)) // np.int64(4)
    left = moves
    while left != _ZERO:
        square = trailing_zeros(left)
        disc = _ONE << square
        left ^= disc
        flips = find_flips(square, mover, enemy)
        if flips == enemy:
            return np.int64(MOST)
        own, other, rest = enemy ^ flips, mover | flips | disc, empties ^ disc
        rank = np.int64(1) << 30
        if np.int64(square) != first:
            rank = np.int64(1) << 20
            if switches & ETC and tabled and depth > TABLED + 1:
                entry = probe(table, hash_of(own, other))
                if entry != _ZERO and depth_of(entry) >= depth - 1 and level_of(entry) >= level:
                    if -upper_of(entry) >= beta:
                        return -upper_of(entry)
                    if -lower_of(entry) <= alpha:
                        rank -= np.int64(1) << 18
            if switches & ORDER:
                rank -= (np.int64(200) if ends else np.int64(40)) * freedom(own, other, rest, corners)
                if disc & odd:
                    rank += np.int64(48)
                if look >= 0:
                    play_features(features, ply, square, flips)
                    if look == 0:
                        rank -= _value(own, other, rest, ply + 1, work, features, weights)
                    else:
                        rank -= search(
                            own, other, rest, np.int64(-MOST), np.int64(MOST), look, np.int64(0), ply + 1,
                            work, table, near, features, weights, edges, busy, stop,
                        )  # fmt: skip
                        if work[STOPPED]:
                            return np.int64(0)
        place = start + total
        item = (rank << 8) | np.int64(square)
        while place > start and work[place - 1] < item:
            work[place] = work[place - 1]
            place -= 1
        work[place] = item
        total += 1

    best, best_move = _NONE, np.int64(NO_MOVE)
    floor = alpha
    shares = work[THREADS] > 1 and depth >= SHARED
    last = start + total
    index = start
    while index < last:
        put_off = index >= start + total
        square = np.uint64(work[index] & 255)
        index += 1
        disc = _ONE << square
        flips = find_flips(square, mover, enemy)
        own, other, rest = enemy ^ flips, mover | flips | disc, empties ^ disc
        place = _ZERO
        mark = _ZERO
        if shares and index > start + 1:
            mark = hash_of(own, other) ^ np.uint64(depth)
            place = mark & _BUSY
            if not put_off and load(busy, place) == mark and last < start + ROOM:
                work[last] = np.int64(square)
                last += 1
                continue
            busy[place] = mark
        play_features(features, ply, square, flips)
        value = _NONE
        if best > _NONE and beta - floor > 1:
            value = -search(
                own, other, rest, -floor - 1, -floor, depth - 1, level, ply + 1,
                work, table, near, features, weights, edges, busy, stop,
            )  # fmt: skip
        if work[STOPPED] == 0 and (value == _NONE or (floor < value < beta and beta - floor > 1)):
            value = -search(
                own, other, rest, -beta, -floor, depth - 1, level, ply + 1,
                work, table, near, features, weights, edges, busy, stop,
            )  # fmt: skip
        if mark != _ZERO and busy[place] == mark:
            busy[place] = _ZERO
        if work[STOPPED]:
            return np.int64(0)
        if value > best:
            best, best_move = value, np.int64(square)
            if best >= beta:
                break
            floor = max(floor, best)
    if tabled:
        if best > alpha:
            lower = max(lower, best)
        elif first != NO_MOVE:
            best_move = first  # below the window all moves look alike: the one that was good before stays
        if best < beta:
            upper = min(upper, best)
        if lower > upper:  # a selective search need not agree with what an earlier one found
            lower = upper = best
        store(table, key, pack(best_move, depth, level, work[AGE], lower, upper))
    return best


# What `search_root` writes.
BEST, BEST_SQUARE, DONE = 0, 1, 2


@kernel
def search_root(
    mover,
    enemy,
    empties,
    squares,
    alpha,
    beta,
    depth,
    level,
    work,
    table,
    near,
    features,
    weights,
    edges,
    busy,
    stop,
    found,
):
    """Search these root moves (or PASS), best first; `found` tells the best so far and whether all is done.

    Row 0 of `features` has to be that of the position.
    """
    work, table, features, weights = pointer(work), pointer(table), pointer(features), pointer(weights)
    near, edges, busy, stop = pointer(near), pointer(edges), pointer(busy), pointer(stop)
    found[BEST], found[BEST_SQUARE], found[DONE] = _NONE, -1, 0
    floor = alpha
    order = squares.copy()
    delayed = 0
    index = 0
    last = len(order)
    while index < last + delayed:
        square = np.uint64(order[index] if index < last else squares[index - last])
        put_off = index >= last
        index += 1
        mark = place = _ZERO
        if square == np.uint64(PASS):
            own, other, rest = enemy, mover, empties
            pass_features(features, 0)
            left = depth
        else:
            flips = find_flips(square, mover, enemy)
            disc = _ONE << square
            own, other, rest = enemy ^ flips, mover | flips | disc, empties ^ disc
            left = depth - 1
            if work[THREADS] > 1 and depth >= SHARED and index > 1:
                mark = hash_of(own, other) ^ np.uint64(depth)
                place = mark & _BUSY
                if not put_off and load(busy, place) == mark:
                    squares[delayed] = np.int64(square)
                    delayed += 1
                    continue
                busy[place] = mark
            play_features(features, 0, square, flips)
        value = _NONE
        if found[BEST] > _NONE and beta - floor > 1:
            value = -search(
                own, other, rest, -floor - 1, -floor, left, level, np.int64(1),
                work, table, near, features, weights, edges, busy, stop,
            )  # fmt: skip
        if work[STOPPED] == 0 and (value == _NONE or (floor < value < beta and beta - floor > 1)):
            value = -search(
                own, other, rest, -beta, -floor, left, level, np.int64(1),
                work, table, near, features, weights, edges, busy, stop,
            )  # fmt: skip
        if mark != _ZERO and busy[place] == mark:
            busy[place] = _ZERO
        if work[STOPPED]:
            return
        if value > found[BEST]:
            found[BEST], found[BEST_SQUARE] = value, np.int64(square)
            if value >= beta:
                break
            floor = max(floor, value)
    found[DONE] = 1
