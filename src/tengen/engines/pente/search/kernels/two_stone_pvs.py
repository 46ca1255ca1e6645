"""Principal variation search for two stones per turn, stone by stone.

A node is a position in which one stone is to be placed; after the first stone of a turn the same side continues,
with the same window. Positions are evaluated at the start of a turn only, because half a turn does not compare
with a whole one: a search that would end within a turn continues, narrowly, to its end. See `scores` for scores,
and `two_stone_threats` for threats and covers: if covering the enemy's threats takes all stones of a turn, only
covers are searched, and their loss is proved.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.atomics import load
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.pente.kernels.board import empty_count, level
from tengen.engines.pente.kernels.moves import place, position_key, stones_left, undo
from tengen.engines.pente.kernels.transposition_table import (
    EXACT,
    LOWER,
    UPPER,
    bound_of,
    depth_of,
    move_of,
    pack,
    probe,
    store,
    value_of,
)
from tengen.engines.pente.kernels.workspace import (
    AGE,
    BEST,
    BEST_MOVE,
    COMPLETE,
    DONE,
    INNER_NODES,
    LEAF_NODES,
    LISTS,
    MAX_PLIES,
    MOVES_PER_PLY,
    NODE_LIMIT,
    NODES,
    ROOT_DEPTH,
    STOPPED,
    SWITCHES,
    USE_FOURS,
    USE_REDUCTIONS,
    USE_TABLE,
    WIDTH,
)
from tengen.engines.pente.patterns import CLOSED_THREE, WINS
from tengen.engines.pente.search.kernels.move_ordering import (
    list_given,
    list_promising,
    record_cutoff,
    select_best,
)
from tengen.engines.pente.search.kernels.scores import (
    MATE,
    MINUS_INFINITY,
    PROVED_WIN,
    UNPROVED_WIN,
    score_from_table,
    score_to_table,
    static_value,
)
from tengen.engines.pente.threats.kernels.forced_wins import win_length, win_move
from tengen.engines.pente.threats.kernels.two_stone_threats import (
    can_win_this_turn,
    list_covers,
    list_threats,
    search_threats,
)

_0, _1 = np.uint64(0), np.uint64(1)
_FIRST_STONE_MOVES, _SECOND_STONE_MOVES, _LEAF_SECOND_STONE_MOVES = 10, 8, 6
"""Moves searched for the first and second stone of a turn, and for the second one at the leaves."""
_FORCED_PLIES = 8
"""A search follows forced turns this far beyond twice its depth."""


@inner
def search_turns(board, patterns, table, threat_table, work, weights, stop, colour, alpha, beta, depth, ply):
    """Score to `depth` stones in the window from alpha to beta (fail-soft), for the side to move."""
    work[NODES] += 1
    if work[NODES] >= work[NODE_LIMIT] or load(stop, 0) != 0:
        work[STOPPED] = 1
        return np.int64(0)
    if empty_count(board) == 0:
        return np.int64(0)
    stones_remaining = stones_left(board)
    if can_win_this_turn(board, colour):
        return MATE - ply - stones_remaining
    if alpha >= MATE - ply - 3:  # a shorter win is already known
        return MATE - ply - 3
    enemy = _1 - colour
    switches = work[SWITCHES]
    top = board.pool_top
    threats = list_threats(board, enemy, top)
    needed, covers = list_covers(board, top, threats)
    if needed > stones_remaining:
        return -(MATE - ply - stones_remaining - 2)
    if ply >= MAX_PLIES - 2:
        return static_value(board, work, weights, colour)
    if stones_remaining == 2 and depth <= 0 and (needed < 2 or ply >= 2 * work[ROOT_DEPTH] + _FORCED_PLIES):
        if switches & USE_FOURS:
            win = search_threats(board, patterns, threat_table, work, colour, np.int64(4), work[LEAF_NODES])
            if win != 0:
                return MATE - ply - win_length(win)
        return static_value(board, work, weights, colour)

    key = position_key(board, colour)
    table_move = _0
    if switches & USE_TABLE:
        data = probe(table, key)
        if data != _0:
            table_move = move_of(data)
            value = score_from_table(value_of(data), ply)
            bound = bound_of(data)
            if depth_of(data) >= depth or abs(value) >= PROVED_WIN:
                if bound == EXACT:
                    return value
                if bound == LOWER and value >= beta:
                    return value
                if bound == UPPER and value <= alpha:
                    return value
    if stones_remaining == 2 and switches & USE_FOURS:
        nodes = work[INNER_NODES] if depth >= 3 else work[LEAF_NODES]
        board.pool_top = covers  # keep the covers in the pool
        win = search_threats(board, patterns, threat_table, work, colour, np.int64(8), nodes)
        board.pool_top = top
        if win != 0:
            value = MATE - ply - win_length(win)
            store(table, key, pack(win_move(win), depth, LOWER, work[AGE], score_to_table(value, ply)))
            return value
    start = np.uint64(LISTS) + np.uint64(MOVES_PER_PLY) * np.uint64(ply)
    complete = needed == stones_remaining
    max_moves = np.int64(MOVES_PER_PLY)
    if complete:
        count = list_given(board, work, colour, enemy, ply, table_move, threats, covers, start)
        if stones_remaining == 1 and count == 1 and ply < 2 * work[ROOT_DEPTH]:
            depth += 1
    else:
        count = list_promising(board, work, colour, enemy, ply, table_move, start)
        max_moves = np.int64(_LEAF_SECOND_STONE_MOVES)
        if depth > 0:
            max_moves = min(
                work[WIDTH],
                np.int64(_FIRST_STONE_MOVES if stones_remaining == 2 else _SECOND_STONE_MOVES) + 2 * depth,
            )
    if count == 0:
        return static_value(board, work, weights, colour)

    side = colour if stones_remaining == 2 else enemy
    sign = np.int64(1) if stones_remaining == 2 else np.int64(-1)
    best, best_move = MINUS_INFINITY, _0
    floor = alpha
    index = 0
    while index < count and index < max_moves:
        point = select_best(work, start, index, count)
        quiet = max(level(board, colour, point), level(board, enemy, point)) < np.uint64(CLOSED_THREE)
        place(board, patterns, point, colour)
        index += 1
        value = MINUS_INFINITY
        if best > MINUS_INFINITY:
            reduction = (
                2 if switches & USE_REDUCTIONS and quiet and needed == 0 and depth >= 4 and index > 4 else 0
            )
            low = floor if stones_remaining == 2 else -floor - 1
            value = sign * search_turns(
                board, patterns, table, threat_table, work, weights, stop,
                side, low, low + 1, depth - 1 - reduction, ply + 1,
            )  # fmt: skip
            if work[STOPPED] == 0 and value > floor and reduction > 0:
                value = sign * search_turns(
                    board, patterns, table, threat_table, work, weights, stop,
                    side, low, low + 1, depth - 1, ply + 1,
                )  # fmt: skip
        if work[STOPPED] == 0 and (best == MINUS_INFINITY or (floor < value < beta)):
            low = floor if stones_remaining == 2 else -beta
            high = beta if stones_remaining == 2 else -floor
            value = sign * search_turns(
                board, patterns, table, threat_table, work, weights, stop, side, low, high, depth - 1, ply + 1
            )  # fmt: skip
        undo(board, colour)
        if work[STOPPED]:
            return np.int64(0)
        if value > best:
            best, best_move = value, point
            if best >= beta:
                record_cutoff(work, colour, point, quiet, max(depth, np.int64(1)), ply)
                break
            floor = max(floor, best)
    if best <= -PROVED_WIN and not complete:
        best = np.int64(-UNPROVED_WIN) + ply
    if switches & USE_TABLE:
        bound = LOWER if best >= beta else EXACT if best > alpha else UPPER
        store(table, key, pack(best_move, depth, bound, work[AGE], score_to_table(best, ply)))
    return best


@kernel
def search_turns_root(
    boards, patterns, table, threat_table, work, weights, stop, colour, moves, promising_count, alpha, beta, depth,
    result,
):  # fmt: skip
    """Search the root moves, best first, like `pvs.search_root`."""
    patterns, table, threat_table = pointer(patterns), pointer(table), pointer(threat_table)
    work, weights, stop = pointer(work), pointer(weights), pointer(stop)
    board = boards[0]
    result[BEST], result[BEST_MOVE], result[DONE], result[COMPLETE] = MINUS_INFINITY, 0, 0, 0
    floor = alpha
    stones_remaining = stones_left(board)
    side = colour if stones_remaining == 2 else _1 - colour
    sign = np.int64(1) if stones_remaining == 2 else np.int64(-1)
    work[ROOT_DEPTH] = depth
    win = np.int64(0)
    if work[SWITCHES] & USE_FOURS and work[NODES] < work[NODE_LIMIT]:
        nodes = min(work[NODE_LIMIT] - work[NODES], 8 * work[INNER_NODES])
        win = search_threats(board, patterns, threat_table, work, colour, np.int64(8), nodes)
    for index in range(len(moves)):
        if win != 0 and np.uint64(moves[index]) == win_move(win):
            result[BEST], result[BEST_MOVE], result[DONE] = MATE - win_length(win), moves[index], 1
            return
    for index in range(len(moves)):
        if index >= promising_count and result[BEST] > -UNPROVED_WIN + MAX_PLIES:
            result[DONE] = 1
            return
        point = np.uint64(moves[index])
        value = np.int64(MATE - 1)
        if level(board, colour, point) != np.uint64(WINS):
            place(board, patterns, point, colour)
            value = MINUS_INFINITY
            if result[BEST] > MINUS_INFINITY:
                low = floor if stones_remaining == 2 else -floor - 1
                value = sign * search_turns(
                    board, patterns, table, threat_table, work, weights, stop,
                    side, low, low + 1, depth - 1, np.int64(1),
                )  # fmt: skip
            if work[STOPPED] == 0 and (result[BEST] == MINUS_INFINITY or floor < value < beta):
                low = floor if stones_remaining == 2 else -beta
                high = beta if stones_remaining == 2 else -floor
                value = sign * search_turns(
                    board, patterns, table, threat_table, work, weights, stop,
                    side, low, high, depth - 1, np.int64(1),
                )  # fmt: skip
            undo(board, colour)
        if work[STOPPED]:
            return
        # In a lost position, resist near the stones.
        is_distant = index >= promising_count and value <= -PROVED_WIN and result[BEST] > MINUS_INFINITY
        if value > result[BEST] and not is_distant:
            result[BEST], result[BEST_MOVE] = value, np.int64(point)
            if value >= beta:
                break
            floor = max(floor, value)
    result[DONE], result[COMPLETE] = 1, 1
