"""The search of the strong player where a turn has two stones: principal variation search, stone by stone.

A node is a position in which one stone is to be placed; after the first stone of a turn the same side goes on,
with the same window. Guesses are made at the start of a turn only, because half a turn cannot be compared with a
whole one: a search that would end within a turn goes on, narrowly, to its end. For values see `values`, for
threats and what covers them `turns`: where it takes all stones of a turn to cover the other side's threats,
nothing else is looked at, and a loss of that is proved.
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
    FOURS,
    INNER,
    LEAF,
    LISTS,
    MOST_NODES,
    MOST_PLIES,
    NODES,
    REDUCTIONS,
    ROOM,
    ROOT_DEPTH,
    STOPPED,
    SWITCHES,
    TABLED,
    WIDTH,
)
from tengen.engines.pente.patterns import CLOSED_THREE, WINS
from tengen.engines.pente.search.kernels.move_ordering import list_promising, list_some, next_best, remember_cut
from tengen.engines.pente.search.kernels.scores import MATE, NONE, PROVED, SOFT, from_table, guess, to_table
from tengen.engines.pente.threats.kernels.forced_wins import first_move, length
from tengen.engines.pente.threats.kernels.two_stone_threats import (
    can_win,
    list_covers,
    list_threats,
    look_for_threats,
)

_0, _1 = np.uint64(0), np.uint64(1)
_FIRST, _SECOND, _LAST = 10, 8, 6
"""Moves looked at for the first and the second stone of a turn, and for the second if the search would be over."""
_FORCED = 8
"""So far beyond twice its depth a search follows forced turns."""


@inner
def search_turns(board, patterns, table, memo, work, weights, stop, colour, alpha, beta, depth, ply):
    """The value to `depth` stones in the window between alpha and beta (fail-soft), for the colour on turn."""
    work[NODES] += 1
    if work[NODES] >= work[MOST_NODES] or load(stop, 0) != 0:
        work[STOPPED] = 1
        return np.int64(0)
    if empty_count(board) == 0:
        return np.int64(0)
    left = stones_left(board)
    if can_win(board, colour):
        return MATE - ply - left
    if alpha >= MATE - ply - 3:  # a shorter win is known already
        return MATE - ply - 3
    enemy = _1 - colour
    switches = work[SWITCHES]
    top = board.pool_top
    threats = list_threats(board, enemy, top)
    needed, covers = list_covers(board, top, threats)
    if needed > left:
        return -(MATE - ply - left - 2)
    if ply >= MOST_PLIES - 2:
        return guess(board, work, weights, colour)
    if left == 2 and depth <= 0 and (needed < 2 or ply >= 2 * work[ROOT_DEPTH] + _FORCED):
        if switches & FOURS:
            win = look_for_threats(board, patterns, memo, work, colour, np.int64(4), work[LEAF])
            if win != 0:
                return MATE - ply - length(win)
        return guess(board, work, weights, colour)

    key = position_key(board, colour)
    first = _0
    if switches & TABLED:
        data = probe(table, key)
        if data != _0:
            first = move_of(data)
            value = from_table(value_of(data), ply)
            bound = bound_of(data)
            if depth_of(data) >= depth or abs(value) >= PROVED:
                if bound == EXACT:
                    return value
                if bound == LOWER and value >= beta:
                    return value
                if bound == UPPER and value <= alpha:
                    return value
    if left == 2 and switches & FOURS:
        nodes = work[INNER] if depth >= 3 else work[LEAF]
        board.pool_top = covers  # which are still needed
        win = look_for_threats(board, patterns, memo, work, colour, np.int64(8), nodes)
        board.pool_top = top
        if win != 0:
            value = MATE - ply - length(win)
            store(table, key, pack(first_move(win), depth, LOWER, work[AGE], to_table(value, ply)))
            return value
    start = np.uint64(LISTS) + np.uint64(ROOM) * np.uint64(ply)
    complete = needed == left
    most = np.int64(ROOM)
    if complete:
        count = list_some(board, work, colour, enemy, ply, first, threats, covers, start)
        if left == 1 and count == 1 and ply < 2 * work[ROOT_DEPTH]:
            depth += 1
    else:
        count = list_promising(board, work, colour, enemy, ply, first, start)
        most = np.int64(_LAST)
        if depth > 0:
            most = min(work[WIDTH], np.int64(_FIRST if left == 2 else _SECOND) + 2 * depth)
    if count == 0:
        return guess(board, work, weights, colour)

    side = colour if left == 2 else enemy
    sign = np.int64(1) if left == 2 else np.int64(-1)
    best, best_move = NONE, _0
    floor = alpha
    index = 0
    while index < count and index < most:
        point = next_best(work, start, index, count)
        quiet = max(level(board, colour, point), level(board, enemy, point)) < np.uint64(CLOSED_THREE)
        place(board, patterns, point, colour)
        index += 1
        value = NONE
        if best > NONE:
            less = 2 if switches & REDUCTIONS and quiet and needed == 0 and depth >= 4 and index > 4 else 0
            low = floor if left == 2 else -floor - 1
            value = sign * search_turns(
                board, patterns, table, memo, work, weights, stop, side, low, low + 1, depth - 1 - less, ply + 1
            )  # fmt: skip
            if work[STOPPED] == 0 and value > floor and less > 0:
                value = sign * search_turns(
                    board, patterns, table, memo, work, weights, stop, side, low, low + 1, depth - 1, ply + 1
                )  # fmt: skip
        if work[STOPPED] == 0 and (best == NONE or (floor < value < beta)):
            low = floor if left == 2 else -beta
            high = beta if left == 2 else -floor
            value = sign * search_turns(
                board, patterns, table, memo, work, weights, stop, side, low, high, depth - 1, ply + 1
            )  # fmt: skip
        undo(board, colour)
        if work[STOPPED]:
            return np.int64(0)
        if value > best:
            best, best_move = value, point
            if best >= beta:
                remember_cut(work, colour, point, quiet, max(depth, np.int64(1)), ply)
                break
            floor = max(floor, best)
    if best <= -PROVED and not complete:
        best = np.int64(-SOFT) + ply
    if switches & TABLED:
        bound = LOWER if best >= beta else EXACT if best > alpha else UPPER
        store(table, key, pack(best_move, depth, bound, work[AGE], to_table(best, ply)))
    return best


@kernel
def search_turns_root(
    boards, patterns, table, memo, work, weights, stop, colour, moves, promising, alpha, beta, depth, found
):
    """Search these root moves, best first; as `search.search_root` does it for one stone a turn."""
    patterns, table, memo = pointer(patterns), pointer(table), pointer(memo)
    work, weights, stop = pointer(work), pointer(weights), pointer(stop)
    board = boards[0]
    found[BEST], found[BEST_MOVE], found[DONE], found[COMPLETE] = NONE, 0, 0, 0
    floor = alpha
    left = stones_left(board)
    side = colour if left == 2 else _1 - colour
    sign = np.int64(1) if left == 2 else np.int64(-1)
    work[ROOT_DEPTH] = depth
    win = np.int64(0)
    if work[SWITCHES] & FOURS and work[NODES] < work[MOST_NODES]:
        nodes = min(work[MOST_NODES] - work[NODES], 8 * work[INNER])
        win = look_for_threats(board, patterns, memo, work, colour, np.int64(8), nodes)
    for index in range(len(moves)):
        if win != 0 and np.uint64(moves[index]) == first_move(win):
            found[BEST], found[BEST_MOVE], found[DONE] = MATE - length(win), moves[index], 1
            return
    for index in range(len(moves)):
        if index >= promising and found[BEST] > -SOFT + MOST_PLIES:
            found[DONE] = 1
            return
        point = np.uint64(moves[index])
        value = np.int64(MATE - 1)
        if level(board, colour, point) != np.uint64(WINS):
            place(board, patterns, point, colour)
            value = NONE
            if found[BEST] > NONE:
                low = floor if left == 2 else -floor - 1
                value = sign * search_turns(
                    board, patterns, table, memo, work, weights, stop,
                    side, low, low + 1, depth - 1, np.int64(1),
                )  # fmt: skip
            if work[STOPPED] == 0 and (found[BEST] == NONE or floor < value < beta):
                low = floor if left == 2 else -beta
                high = beta if left == 2 else -floor
                value = sign * search_turns(
                    board, patterns, table, memo, work, weights, stop,
                    side, low, high, depth - 1, np.int64(1),
                )  # fmt: skip
            undo(board, colour)
        if work[STOPPED]:
            return
        # In a lost position, resist where the stones are.
        far = index >= promising and value <= -PROVED and found[BEST] > NONE
        if value > found[BEST] and not far:
            found[BEST], found[BEST_MOVE] = value, np.int64(point)
            if value >= beta:
                break
            floor = max(floor, value)
    found[DONE], found[COMPLETE] = 1, 1
