"""The search of the strong Pente player: principal variation search, with forced wins at its leaves.

For values see `values`. A loss is proved only where all moves were looked at that could avert it: against a threat
to win at once, those that `threats` lists; against a win by fours, those in its zone. All other lists are of
promising moves only, and a loss of all of them is SOFT.

Several threads search the same tree with one table, each with its own history, so that they stray apart.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.atomics import load
from tengen.core.compiled.bits import trailing_zeros
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.pente.kernels.board import (
    WORDS,
    empty_count,
    level,
    take_count,
    take_set,
    takes,
)
from tengen.engines.pente.kernels.breakable_rows import list_averting, standing_row
from tengen.engines.pente.kernels.immediate_wins import has_lost, has_win, list_wins
from tengen.engines.pente.kernels.moves import place, position_key, undo
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
    SHARE,
    STOPPED,
    SWITCHES,
    TABLED,
    THREES,
    WIDTH,
    ZONES,
)
from tengen.engines.pente.patterns import CLOSED_THREE, ONE_THREE
from tengen.engines.pente.search.kernels.move_ordering import list_promising, list_some, next_best, remember_cut
from tengen.engines.pente.search.kernels.scores import MATE, NONE, PROVED, SOFT, from_table, guess, to_table
from tengen.engines.pente.threats.kernels.forced_wins import (
    first_move,
    length,
    list_zone,
    look_for_fours,
    may_threaten,
    win_by_threes,
)

_0, _1, _6 = np.uint64(0), np.uint64(1), np.uint64(6)
_WORDS = np.uint64(WORDS)
_LEAST_WIDTH = 10
_THREES_FROM = 6
"""Plies that are left where wins by threes are looked for inside the tree: nearer to the leaves they cost more."""


@inner
def search(
    board, patterns, table, memo, zone, work, weights, stop, colour, alpha, beta, depth, ply
):  # fmt: skip
    """The value to `depth` plies in the window between alpha and beta (fail-soft)."""
    work[NODES] += 1
    if work[NODES] >= work[MOST_NODES] or load(stop, 0) != 0:
        work[STOPPED] = 1
        return np.int64(0)
    if empty_count(board) == 0:
        return np.int64(0)
    if has_win(board, colour):
        return MATE - ply - 1
    if alpha >= MATE - ply - 3:  # a shorter win is known already
        return MATE - ply - 3
    enemy = _1 - colour
    switches = work[SWITCHES]
    top = board.pool_top
    end = list_wins(board, enemy, top)
    threats = end - top
    simple = not (board.poof or board.boat)  # else there are more ways to avert a win
    if threats > _1 and take_count(board, colour) == 0 and simple:
        return -(MATE - ply - 2)
    if ply >= MOST_PLIES - 2:
        return guess(board, work, weights, colour)
    if board.boat and standing_row(board, enemy) != _0:
        threats = _1
    if threats == _0 and depth <= 0:
        if switches & FOURS:
            win = look_for_fours(board, patterns, memo, work, zone, colour, np.int64(8), work[LEAF], False)
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
    start = np.uint64(LISTS) + np.uint64(ROOM) * np.uint64(ply)
    count = np.int64(0)
    most = np.int64(ROOM)
    complete = False
    if threats > _0:
        # Against a threat to win at once: its points, and captures (boat: and more). With poof more could help.
        complete = not board.poof
        if board.boat:
            end = list_averting(board, enemy, colour, top)
        elif take_count(board, colour) > 0:
            for word in range(_WORDS):
                bits = board.hot[take_set(colour) + word]
                while bits != _0:
                    board.pool[end] = (word << _6) + trailing_zeros(bits)
                    end += _1
                    bits &= bits - _1
        count = list_some(board, work, colour, enemy, ply, first, top, end, start)
        if count == 1 and ply < 2 * work[ROOT_DEPTH]:
            depth += 1
    else:
        if switches & FOURS:
            nodes = work[INNER] if depth >= 2 else work[LEAF]
            win = look_for_fours(board, patterns, memo, work, zone, colour, np.int64(16), nodes, False)
            if win == 0 and switches & THREES and depth >= _THREES_FROM:
                last = min(work[MOST_NODES], work[NODES] + (depth - 3) * work[INNER])
                quiet_moves = min(np.int64(6), np.int64(1) + depth // 3)
                win = win_by_threes(board, patterns, memo, work, zone, colour, quiet_moves, work[LEAF], last)
            if win != 0:
                value = MATE - ply - length(win)
                store(table, key, pack(first_move(win), depth, LOWER, work[AGE], to_table(value, ply)))
                return value
            if switches & ZONES and depth >= 2 and simple and may_threaten(board, enemy):
                threat = look_for_fours(board, patterns, memo, work, zone, enemy, np.int64(16), nodes, True)
                if threat != 0:
                    complete = True
                    end = list_zone(board, zone, enemy, colour, top)
                    count = list_some(board, work, colour, enemy, ply, first, top, end, start)
        if not complete:
            count = list_promising(board, work, colour, enemy, ply, first, start)
            most = min(work[WIDTH], np.int64(_LEAST_WIDTH) + 4 * max(depth - 1, np.int64(0)))
    if count == 0:
        return -(MATE - ply - 2) if complete else guess(board, work, weights, colour)

    best, best_move = NONE, _0
    floor = alpha
    index = 0
    while index < count and index < most:
        point = next_best(work, start, index, count)
        quiet = (
            level(board, colour, point) < np.uint64(CLOSED_THREE)
            and level(board, enemy, point) < np.uint64(ONE_THREE)
            and takes(board, colour, point) == _0
        )
        place(board, patterns, point, colour)
        index += 1
        value = NONE
        if has_lost(board, colour):
            value = -(MATE - ply - 1)
        else:
            left = depth - 1
            if switches & REDUCTIONS and quiet and threats == _0 and depth >= 3 and index > 3:
                left -= 1 + np.int64(index > 12)
            if best > NONE:
                value = -search(
                    board,
                    patterns,
                    table,
                    memo,
                    zone,
                    work,
                    weights,
                    stop,
                    enemy,
                    -floor - 1,
                    -floor,
                    left,
                    ply + 1,
                )
                if work[STOPPED] == 0 and value > floor and left < depth - 1:
                    left = depth - 1
                    value = -search(
                        board, patterns, table, memo, zone, work, weights, stop,
                        enemy, -floor - 1, -floor, left, ply + 1,
                    )  # fmt: skip
            if work[STOPPED] == 0 and (best == NONE or (floor < value < beta)):
                value = -search(
                    board,
                    patterns,
                    table,
                    memo,
                    zone,
                    work,
                    weights,
                    stop,
                    enemy,
                    -beta,
                    -floor,
                    depth - 1,
                    ply + 1,
                )
        undo(board, colour)
        if work[STOPPED]:
            return np.int64(0)
        if value > best:
            best, best_move = value, point
            if best >= beta:
                remember_cut(work, colour, point, quiet, depth, ply)
                break
            floor = max(floor, best)
    if best <= -PROVED and not complete:
        best = np.int64(-SOFT) + ply
    if switches & TABLED:
        bound = LOWER if best >= beta else EXACT if best > alpha else UPPER
        store(table, key, pack(best_move, depth, bound, work[AGE], to_table(best, ply)))
    return best


@inner
def _forced_at_root(board, patterns, memo, zone, work, colour, depth):
    """A win at once, by fours, or later by threes: at the root more may be spent on it, a share of all nodes.

    The share is small: with more, the search stays shallow.
    """
    if not work[SWITCHES] & FOURS or work[NODES] >= work[MOST_NODES]:
        return np.int64(0)
    left = work[MOST_NODES] - work[NODES]
    win = look_for_fours(
        board, patterns, memo, work, zone, colour, np.int64(24), min(left, 8 * work[INNER]), False
    )
    if win == 0 and work[SWITCHES] & THREES and depth >= 2:
        last = work[NODES] + min(left // 2, max(work[INNER], work[NODES] // work[SHARE]))
        quiet_moves = min(np.int64(8), depth)
        win = win_by_threes(board, patterns, memo, work, zone, colour, quiet_moves, work[INNER], last)
    return win


@kernel
def search_root(
    boards, patterns, table, memo, zone, work, weights, stop, colour, moves, promising, alpha, beta, depth, found
):
    """Search these root moves, best first; `found` tells the best so far and whether all is done.

    Only the first `promising` of them are looked at, and the others if those all lose: a stone far from all others
    is never better than in a position that is lost.
    """
    patterns, table, memo, zone = pointer(patterns), pointer(table), pointer(memo), pointer(zone)
    work, weights, stop = pointer(work), pointer(weights), pointer(stop)
    board = boards[0]
    found[BEST], found[BEST_MOVE], found[DONE], found[COMPLETE] = NONE, 0, 0, 0
    floor = alpha
    enemy = _1 - colour
    work[ROOT_DEPTH] = depth
    win = _forced_at_root(board, patterns, memo, zone, work, colour, depth)
    for index in range(len(moves)):
        if win != 0 and np.uint64(moves[index]) == first_move(win):
            found[BEST], found[BEST_MOVE], found[DONE] = MATE - length(win), moves[index], 1
            return
    for index in range(len(moves)):
        if index >= promising and found[BEST] > -SOFT + MOST_PLIES:
            found[DONE] = 1
            return
        point = np.uint64(moves[index])
        wins = False
        top = board.pool_top
        end = list_wins(board, colour, top)
        for i in range(top, end):
            wins |= np.uint64(board.pool[i]) == point
        value = np.int64(MATE - 1)
        if not wins:
            place(board, patterns, point, colour)
            value = NONE
            if has_lost(board, colour):
                value = np.int64(1 - MATE)
            else:
                if found[BEST] > NONE:
                    value = -search(
                        board, patterns, table, memo, zone, work, weights, stop,
                        enemy, -floor - 1, -floor, depth - 1, np.int64(1),
                    )  # fmt: skip
                if work[STOPPED] == 0 and (found[BEST] == NONE or floor < value < beta):
                    value = -search(
                        board, patterns, table, memo, zone, work, weights, stop,
                        enemy, -beta, -floor, depth - 1, np.int64(1),
                    )  # fmt: skip
            undo(board, colour)
        if work[STOPPED]:
            return
        # In a lost position, resist where the stones are: lengths of forced wins are not the shortest ones.
        far = index >= promising and value <= -PROVED and found[BEST] > NONE
        if value > found[BEST] and not far:
            found[BEST], found[BEST_MOVE] = value, np.int64(point)
            if value >= beta:
                break
            floor = max(floor, value)
    found[DONE], found[COMPLETE] = 1, 1
