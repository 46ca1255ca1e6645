"""The search above thirteen empty squares.

Principal variation search to a depth, or to the end of the game if the depth reaches it: then `endgame` solves the
last thirteen squares, and the result is exact at NO_SELECTIVITY and selective below (see `probcut`). Values are
centi-discs for the mover; values at the end of the game are whole discs, and so are estimates in deep searches.

Several threads search the same tree with one table. Each marks the positions it is searching in `busy`, and the
others defer them (ABDADA). Each thread has its own small `endgame_table`, which stays in its core's cache.

All arrays are passed as pointers. Depths count plies without passes. `features` has a row for each ply, passes
included.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.atomics import load
from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.references import reference
from tengen.engines.othello.endgame.kernels.last_empties import final_score, odd_quadrants
from tengen.engines.othello.endgame.kernels.solver import (
    MAX_EMPTIES_ENDGAME,
    MAX_EMPTIES_PARITY_ONLY,
    count_frontier,
    min_alpha_for_stability,
    solve_endgame,
    solve_shallow,
    stability_bound,
    weighted_mobility,
)
from tengen.engines.othello.kernels.table_entry import (
    NO_MOVE,
    hash_board,
    lower_of,
    move_of,
    pack,
    selectivity_of,
    upper_of,
)
from tengen.engines.othello.kernels.workspace import (
    MOVES_PER_LIST,
    USE_ETC,
    USE_ORDERING,
    USE_PATTERNS,
    USE_PROBCUT,
    USE_STABILITY,
    USE_TABLE,
    Memory,
)
from tengen.engines.othello.midgame.kernels.evaluation import MAX_ESTIMATE, evaluate_features
from tengen.engines.othello.midgame.kernels.features import pass_features, play_features, set_features
from tengen.engines.othello.midgame.kernels.probcut import (
    NO_SELECTIVITY,
    margin_index,
    shallow_depth,
    static_margin,
)
from tengen.games.othello.rules import find_flips, find_moves
from tengen.search.kernels.transposition_table import depth_of, probe, store

_ZERO, _ONE, _7, _9 = (np.uint64(n) for n in (0, 1, 7, 9))
_CORNERS, _NEXT_TO_CORNERS = np.uint64(0x8100000000000081), np.uint64(0x42C300000000C342)
BUSY_SLOTS = 1 << 12
_BUSY_MASK = np.uint64(BUSY_SLOTS - 1)
_MINUS_INFINITY = np.int64(-12700)
MAX_VALUE = 6400
"""The largest value."""
PASS = 64

MIN_DEPTH_FOR_TABLE = 3
MIN_DEPTH_FOR_PROBCUT = 4
MIN_DEPTH_FOR_ETC = 8  # below, probing the table for each move costs more than it saves
MIN_DEPTH_FOR_ABDADA = 5  # deferring moves to other threads
MIN_EMPTIES_TO_EVALUATE = 15  # below, searches to the end of the game order moves by mobility alone


@inner
def _evaluate(mover, enemy, empties, ply, memory):
    """Static value by patterns; on smaller boards by mobility, frontier, corners and X squares."""
    if memory.work.switches & USE_PATTERNS:
        value = evaluate_features(pointer(memory.work.features), ply, popcount(empties), memory.weights)
        if memory.work.whole_discs:
            size = (np.uint64(abs(value)) + np.uint64(50)) // np.uint64(100)
            value = np.int64(100) * np.int64(size) if value > 0 else np.int64(-100) * np.int64(size)
        return value
    corners = memory.work.corners
    x_squares = _x_squares(corners & empties)
    mine, other = find_moves(mover, enemy, empties), find_moves(enemy, mover, empties)
    value = np.int64(80) * (np.int64(popcount(mine)) - np.int64(popcount(other)))
    value += np.int64(20) * (count_frontier(enemy, empties) - count_frontier(mover, empties))
    value += np.int64(300) * (np.int64(popcount(mover & corners)) - np.int64(popcount(enemy & corners)))
    value -= np.int64(100) * (np.int64(popcount(mover & x_squares)) - np.int64(popcount(enemy & x_squares)))
    return min(max(value, np.int64(-MAX_ESTIMATE)), np.int64(MAX_ESTIMATE))


@inner
def _x_squares(corners):
    """Squares diagonally next to corners of a board that is smaller than 8x8."""
    return (corners << _7) | (corners >> _7) | (corners << _9) | (corners >> _9)


@inner
def _score_to_value(score, ply, work):
    """A final score in centi-discs; a draw is worth `work.draw_value` to the side at the root."""
    if score == 0:
        return work.draw_value if ply & 1 == 0 else -work.draw_value
    return np.int64(100) * score


@inner
def _solve_to_end(mover, enemy, empties, alpha, beta, ply, memory):
    """Exact value with at most MAX_EMPTIES_ENDGAME empty squares, as far as the window requires."""
    work = memory.work
    floor = alpha // np.int64(100)
    if -200 < alpha < 200:  # between a narrow loss and a narrow win there is only the draw, whatever it is worth
        floor = np.int64(0) if alpha >= _score_to_value(np.int64(0), ply, work) else np.int64(-1)
    best = _MINUS_INFINITY
    while True:
        if popcount(empties) <= np.uint64(MAX_EMPTIES_PARITY_ONLY):
            score = solve_shallow(mover, enemy, empties, floor, np.int64(0), work)
        else:
            score = solve_endgame(
                mover, enemy, empties, floor, np.int64(0), work, memory.endgame_table, memory.edges
            )
        if score <= floor:
            # The previous result stands: the last test only showed that there is no better one.
            return _score_to_value(score, ply, work) if best == _MINUS_INFINITY else best
        best = _score_to_value(score, ply, work)
        if best >= beta or score == np.int64(64):
            return best
        floor = score


@inner
def _search_one_ply(mover, enemy, empties, moves, beta, ply, memory):
    """The best static value after one move; corners are tried first, squares next to them last."""
    work, features = memory.work, pointer(memory.work.features)
    best = _MINUS_INFINITY
    squares, others, risky = moves & _CORNERS, moves & ~(_CORNERS | _NEXT_TO_CORNERS), moves & _NEXT_TO_CORNERS
    while squares | others | risky:
        while squares == _ZERO:
            squares, others, risky = others, risky, _ZERO
        square = trailing_zeros(squares)
        disc = _ONE << square
        squares ^= disc
        flips = find_flips(square, mover, enemy)
        work.nodes += 1
        if enemy == flips:
            return np.int64(MAX_VALUE)
        play_features(features, ply, square, flips)
        value = -_evaluate(enemy ^ flips, mover | flips | disc, empties ^ disc, ply + 1, memory)
        if value > best:
            best = value
            if best >= beta:
                break
    return best


@inner
def search(mover, enemy, alpha, beta, depth, selectivity, ply, memory):
    """Value to `depth` plies at a selectivity, in the window from alpha to beta (fail-soft)."""
    work, features = memory.work, pointer(memory.work.features)
    work.nodes += 1
    empties = work.board & ~(mover | enemy)
    count = np.int64(popcount(empties))
    reaches_end = depth >= count
    if reaches_end and count <= MAX_EMPTIES_ENDGAME:
        return _solve_to_end(mover, enemy, empties, alpha, beta, ply, memory)
    if work.nodes >= work.node_limit or load(memory.stop, 0) != 0:
        work.stopped = 1
        return np.int64(0)
    moves = find_moves(mover, enemy, empties)
    if moves == _ZERO:
        if find_moves(enemy, mover, empties) == _ZERO:
            return _score_to_value(final_score(mover, enemy, empties), ply, work)
        pass_features(features, ply)
        return -search(enemy, mover, -beta, -alpha, depth, selectivity, ply + 1, memory)
    if depth <= 0:
        return _evaluate(mover, enemy, empties, ply, memory)
    if depth == 1 and not reaches_end:
        return _search_one_ply(mover, enemy, empties, moves, beta, ply, memory)

    switches = work.switches
    if reaches_end and switches & USE_STABILITY and alpha >= np.int64(100) * min_alpha_for_stability(count):
        bound = np.int64(100) * stability_bound(mover, enemy, memory.edges)
        if bound <= alpha:
            return bound
    depth = min(depth, count)
    key = hash_board(mover, enemy)
    table_move = np.int64(NO_MOVE)
    lower, upper = np.int64(-MAX_VALUE), np.int64(MAX_VALUE)
    uses_table = switches & USE_TABLE and depth >= MIN_DEPTH_FOR_TABLE
    if uses_table:
        entry = probe(memory.table, key)
        if entry != _ZERO:
            table_move = move_of(entry)
            if depth_of(entry) >= depth and selectivity_of(entry) >= selectivity:
                if lower_of(entry) >= beta or lower_of(entry) == upper_of(entry):
                    return lower_of(entry)
                if upper_of(entry) <= alpha:
                    return upper_of(entry)
                if depth_of(entry) == depth and selectivity_of(entry) == selectivity:
                    lower, upper = lower_of(entry), upper_of(entry)

    if (
        switches & USE_PROBCUT
        and selectivity < NO_SELECTIVITY
        and depth >= MIN_DEPTH_FOR_PROBCUT
        and beta - alpha == 1
    ):
        shallow = shallow_depth(depth)
        margin = np.int64(work.margins[margin_index(count, depth, selectivity)])
        reach = static_margin(margin)
        estimate = _evaluate(mover, enemy, empties, ply, memory)
        if estimate >= beta - reach and beta + margin < MAX_ESTIMATE:
            floor = beta + margin - 1
            value = search(mover, enemy, floor, floor + 1, shallow, selectivity, ply, memory)
            if work.stopped:
                return np.int64(0)
            if value > floor:
                return beta
        if estimate <= alpha + reach and alpha - margin > -MAX_ESTIMATE:
            floor = alpha - margin
            value = search(mover, enemy, floor, floor + 1, shallow, selectivity, ply, memory)
            if work.stopped:
                return np.int64(0)
            if value <= floor:
                return alpha

    # The moves, best first: rank << 8 | square.
    items = pointer(work.midgame_moves)
    start = MOVES_PER_LIST * ply
    total = np.int64(0)
    odd = odd_quadrants(empties)
    corners = work.corners
    ordering_depth = np.int64(-1)  # -1: do not search
    if switches & USE_ORDERING:
        ordering_depth = max((depth - np.int64(MIN_EMPTIES_TO_EVALUATE)) // np.int64(3), np.int64(-1))
        if not reaches_end and depth >= 3:
            ordering_depth = max(ordering_depth, np.int64(0))
    remaining = moves
    while remaining != _ZERO:
        square = trailing_zeros(remaining)
        disc = _ONE << square
        remaining ^= disc
        flips = find_flips(square, mover, enemy)
        if flips == enemy:
            return np.int64(MAX_VALUE)
        own, other, rest = enemy ^ flips, mover | flips | disc, empties ^ disc
        rank = np.int64(1) << 30
        if np.int64(square) != table_move:
            rank = np.int64(1) << 20
            if switches & USE_ETC and uses_table and depth >= MIN_DEPTH_FOR_ETC:
                entry = probe(memory.table, hash_board(own, other))
                if entry != _ZERO and depth_of(entry) >= depth - 1 and selectivity_of(entry) >= selectivity:
                    if -upper_of(entry) >= beta:
                        return -upper_of(entry)
                    if -lower_of(entry) <= alpha:
                        rank -= np.int64(1) << 18
            if switches & USE_ORDERING:
                rank -= (np.int64(200) if reaches_end else np.int64(40)) * weighted_mobility(
                    own, other, rest, corners
                )
                if disc & odd:
                    rank += np.int64(48)
                if ordering_depth >= 0:
                    play_features(features, ply, square, flips)
                    if ordering_depth == 0:
                        rank -= _evaluate(own, other, rest, ply + 1, memory)
                    else:
                        rank -= search(
                            own,
                            other,
                            np.int64(-MAX_VALUE),
                            np.int64(MAX_VALUE),
                            ordering_depth,
                            np.int64(0),
                            ply + 1,
                            memory,
                        )
                        if work.stopped:
                            return np.int64(0)
        slot = start + total
        item = (rank << 8) | np.int64(square)
        while slot > start and items[slot - 1] < item:
            items[slot] = items[slot - 1]
            slot -= 1
        items[slot] = item
        total += 1

    best, best_move = _MINUS_INFINITY, np.int64(NO_MOVE)
    floor = alpha
    evaluates = not reaches_end or count > (
        MIN_EMPTIES_TO_EVALUATE if selectivity == NO_SELECTIVITY else MAX_EMPTIES_ENDGAME + 1
    )
    busy = memory.busy
    uses_abdada = work.thread_count > 1 and depth >= MIN_DEPTH_FOR_ABDADA
    last = start + total
    index = start
    while index < last:
        deferred = index >= start + total
        square = np.uint64(items[index] & 255)
        index += 1
        disc = _ONE << square
        flips = find_flips(square, mover, enemy)
        own, other, rest = enemy ^ flips, mover | flips | disc, empties ^ disc
        slot = _ZERO
        busy_key = _ZERO
        if uses_abdada and index > start + 1:
            busy_key = hash_board(own, other) ^ np.uint64(depth)
            slot = busy_key & _BUSY_MASK
            if not deferred and load(busy, slot) == busy_key and last < start + MOVES_PER_LIST:
                items[last] = np.int64(square)
                last += 1
                continue
            busy[slot] = busy_key
        if evaluates:
            play_features(features, ply, square, flips)
        # After the first move, a null window is enough unless the move turns out to be better.
        low = -floor - 1 if best > _MINUS_INFINITY else -beta
        while True:
            value = -search(own, other, low, -floor, depth - 1, selectivity, ply + 1, memory)
            if work.stopped or low == -beta or not floor < value < beta:
                break
            low = -beta
        if busy_key != _ZERO and busy[slot] == busy_key:
            busy[slot] = _ZERO
        if work.stopped:
            return np.int64(0)
        if value > best:
            best, best_move = value, np.int64(square)
            if best >= beta:
                break
            floor = max(floor, best)
    if uses_table:
        if best > alpha:
            lower = max(lower, best)
        elif table_move != NO_MOVE:
            best_move = table_move  # a fail-low names no best move: keep the previous one
        if best < beta:
            upper = min(upper, best)
        if lower > upper:  # a selective search may contradict an earlier one
            lower = upper = best
        store(memory.table, key, pack(best_move, depth, selectivity, work.age, lower, upper))
    return best


@kernel
def search_root(mover, enemy, squares, alpha, beta, depth, selectivity, arrays):
    """Search the root moves in `squares` (or PASS), best first; the work record has the best so far and whether
    all are done.
    """
    work, busy = arrays.work[0], pointer(arrays.busy)
    features = pointer(work.features)
    pointers = Memory(
        work, pointer(arrays.endgame_table), pointer(arrays.table), pointer(arrays.weights),
        pointer(arrays.edges), busy, pointer(arrays.stop),
    )  # fmt: skip
    memory = reference(pointers)
    work.best_value, work.best_move, work.done, work.stopped = _MINUS_INFINITY, -1, 0, 0
    set_features(features, 0, mover, enemy)
    floor = alpha
    order = squares.copy()
    deferred_count = 0
    index = 0
    last = len(order)
    while index < last + deferred_count:
        square = np.uint64(order[index] if index < last else squares[index - last])
        deferred = index >= last
        index += 1
        busy_key = slot = _ZERO
        if square == np.uint64(PASS):
            own, other = enemy, mover
            pass_features(features, 0)
            remaining = depth
        else:
            flips = find_flips(square, mover, enemy)
            own, other = enemy ^ flips, mover | flips | (_ONE << square)
            remaining = depth - 1
            if work.thread_count > 1 and depth >= MIN_DEPTH_FOR_ABDADA and index > 1:
                busy_key = hash_board(own, other) ^ np.uint64(depth)
                slot = busy_key & _BUSY_MASK
                if not deferred and load(busy, slot) == busy_key:
                    squares[deferred_count] = np.int64(square)
                    deferred_count += 1
                    continue
                busy[slot] = busy_key
            play_features(features, 0, square, flips)
        low = -floor - 1 if work.best_value > _MINUS_INFINITY else -beta
        while True:
            value = -search(own, other, low, -floor, remaining, selectivity, np.int64(1), memory)
            if work.stopped or low == -beta or not floor < value < beta:
                break
            low = -beta
        if busy_key != _ZERO and busy[slot] == busy_key:
            busy[slot] = _ZERO
        if work.stopped:
            return
        if value > work.best_value:
            work.best_value, work.best_move = value, np.int64(square)
            if value >= beta:
                break
            floor = max(floor, value)
    work.done = 1
