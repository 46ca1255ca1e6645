"""Principal variation search of the strong Pente player, with threat search at its nodes.

See `scores` for the scores. A loss is proved only if all moves that could avert it were searched: against an
immediate threat, those that `forced_wins` lists; against a win by fours, those in its zone. Other move lists are
incomplete, and if all of their moves lose the score is -UNPROVED_WIN.

Several threads search the same tree with one table, each with its own history, so that their searches diverge.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.atomics import load
from tengen.core.compiled.bits import trailing_zeros
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.pente.kernels.board import (
    WORDS,
    capture_count,
    capture_set,
    captures_at,
    empty_count,
    level,
)
from tengen.engines.pente.kernels.breakable_rows import breakable_row, list_defences
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
    INNER_NODES,
    LEAF_NODES,
    LISTS,
    MAX_PLIES,
    MOVES_PER_PLY,
    NODE_LIMIT,
    NODES,
    ROOT_DEPTH,
    ROOT_THREES_DIVISOR,
    STOPPED,
    SWITCHES,
    USE_FOURS,
    USE_REDUCTIONS,
    USE_TABLE,
    USE_THREES,
    USE_ZONES,
    WIDTH,
)
from tengen.engines.pente.patterns import CLOSED_THREE, ONE_THREE
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
from tengen.engines.pente.threats.kernels.forced_wins import (
    can_threaten,
    list_zone,
    search_fours,
    win_by_threes,
    win_length,
    win_move,
)

_0, _1, _6 = np.uint64(0), np.uint64(1), np.uint64(6)
_WORDS = np.uint64(WORDS)
_MIN_WIDTH = 10
_MIN_DEPTH_FOR_THREES = 6
"""Remaining depth from which wins by threes are searched inside the tree; closer to the leaves they cost more."""


@inner
def search(
    board, patterns, table, threat_table, zone, work, weights, stop, colour, alpha, beta, depth, ply
):  # fmt: skip
    """Score to `depth` plies in the window from alpha to beta (fail-soft)."""
    work[NODES] += 1
    if work[NODES] >= work[NODE_LIMIT] or load(stop, 0) != 0:
        work[STOPPED] = 1
        return np.int64(0)
    if empty_count(board) == 0:
        return np.int64(0)
    if has_win(board, colour):
        return MATE - ply - 1
    if alpha >= MATE - ply - 3:  # a shorter win is already known
        return MATE - ply - 3
    enemy = _1 - colour
    switches = work[SWITCHES]
    top = board.pool_top
    end = list_wins(board, enemy, top)
    threats = end - top
    has_simple_defences = not (board.poof or board.boat)  # other rules have more ways to avert a win
    if threats > _1 and capture_count(board, colour) == 0 and has_simple_defences:
        return -(MATE - ply - 2)
    if ply >= MAX_PLIES - 2:
        return static_value(board, work, weights, colour)
    if board.boat and breakable_row(board, enemy) != _0:
        threats = _1
    if threats == _0 and depth <= 0:
        if switches & USE_FOURS:
            win = search_fours(
                board, patterns, threat_table, work, zone, colour, np.int64(8), work[LEAF_NODES], False
            )
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
    start = np.uint64(LISTS) + np.uint64(MOVES_PER_PLY) * np.uint64(ply)
    count = np.int64(0)
    max_moves = np.int64(MOVES_PER_PLY)
    complete = False
    if threats > _0:
        # Answers to an immediate threat: its points, and captures (more with boat). With poof others may help.
        complete = not board.poof
        if board.boat:
            end = list_defences(board, enemy, colour, top)
        elif capture_count(board, colour) > 0:
            for word in range(_WORDS):
                bits = board.state_info[capture_set(colour) + word]
                while bits != _0:
                    board.pool[end] = (word << _6) + trailing_zeros(bits)
                    end += _1
                    bits &= bits - _1
        count = list_given(board, work, colour, enemy, ply, table_move, top, end, start)
        if count == 1 and ply < 2 * work[ROOT_DEPTH]:
            depth += 1
    else:
        if switches & USE_FOURS:
            nodes = work[INNER_NODES] if depth >= 2 else work[LEAF_NODES]
            win = search_fours(board, patterns, threat_table, work, zone, colour, np.int64(16), nodes, False)
            if win == 0 and switches & USE_THREES and depth >= _MIN_DEPTH_FOR_THREES:
                node_limit = min(work[NODE_LIMIT], work[NODES] + (depth - 3) * work[INNER_NODES])
                quiet_moves = min(np.int64(6), np.int64(1) + depth // 3)
                win = win_by_threes(
                    board, patterns, threat_table, work, zone, colour, quiet_moves, work[LEAF_NODES], node_limit
                )
            if win != 0:
                value = MATE - ply - win_length(win)
                store(table, key, pack(win_move(win), depth, LOWER, work[AGE], score_to_table(value, ply)))
                return value
            if switches & USE_ZONES and depth >= 2 and has_simple_defences and can_threaten(board, enemy):
                threat = search_fours(board, patterns, threat_table, work, zone, enemy, np.int64(16), nodes, True)
                if threat != 0:
                    complete = True
                    end = list_zone(board, zone, enemy, colour, top)
                    count = list_given(board, work, colour, enemy, ply, table_move, top, end, start)
        if not complete:
            count = list_promising(board, work, colour, enemy, ply, table_move, start)
            max_moves = min(work[WIDTH], np.int64(_MIN_WIDTH) + 4 * max(depth - 1, np.int64(0)))
    if count == 0:
        return -(MATE - ply - 2) if complete else static_value(board, work, weights, colour)

    best, best_move = MINUS_INFINITY, _0
    floor = alpha
    index = 0
    while index < count and index < max_moves:
        point = select_best(work, start, index, count)
        quiet = (
            level(board, colour, point) < np.uint64(CLOSED_THREE)
            and level(board, enemy, point) < np.uint64(ONE_THREE)
            and captures_at(board, colour, point) == _0
        )
        place(board, patterns, point, colour)
        index += 1
        value = MINUS_INFINITY
        if has_lost(board, colour):
            value = -(MATE - ply - 1)
        else:
            remaining = depth - 1
            if switches & USE_REDUCTIONS and quiet and threats == _0 and depth >= 3 and index > 3:
                remaining -= 1 + np.int64(index > 12)
            if best > MINUS_INFINITY:
                value = -search(
                    board, patterns, table, threat_table, zone, work, weights, stop, enemy, -floor - 1, -floor,
                    remaining, ply + 1,
                )  # fmt: skip
                if work[STOPPED] == 0 and value > floor and remaining < depth - 1:
                    remaining = depth - 1
                    value = -search(
                        board, patterns, table, threat_table, zone, work, weights, stop,
                        enemy, -floor - 1, -floor, remaining, ply + 1,
                    )  # fmt: skip
            if work[STOPPED] == 0 and (best == MINUS_INFINITY or (floor < value < beta)):
                value = -search(
                    board, patterns, table, threat_table, zone, work, weights, stop, enemy, -beta, -floor,
                    depth - 1, ply + 1,
                )  # fmt: skip
        undo(board, colour)
        if work[STOPPED]:
            return np.int64(0)
        if value > best:
            best, best_move = value, point
            if best >= beta:
                record_cutoff(work, colour, point, quiet, depth, ply)
                break
            floor = max(floor, best)
    if best <= -PROVED_WIN and not complete:
        best = np.int64(-UNPROVED_WIN) + ply
    if switches & USE_TABLE:
        bound = LOWER if best >= beta else EXACT if best > alpha else UPPER
        store(table, key, pack(best_move, depth, bound, work[AGE], score_to_table(best, ply)))
    return best


@inner
def _forced_win_at_root(board, patterns, threat_table, zone, work, colour, depth):
    """A win at once, by fours, or by threes: at the root it gets more nodes, a share of all nodes so far.

    The share is small: with more, the main search stays shallow.
    """
    if not work[SWITCHES] & USE_FOURS or work[NODES] >= work[NODE_LIMIT]:
        return np.int64(0)
    remaining = work[NODE_LIMIT] - work[NODES]
    win = search_fours(
        board, patterns, threat_table, work, zone, colour, np.int64(24), min(remaining, 8 * work[INNER_NODES]),
        False,
    )  # fmt: skip
    if win == 0 and work[SWITCHES] & USE_THREES and depth >= 2:
        node_limit = work[NODES] + min(
            remaining // 2, max(work[INNER_NODES], work[NODES] // work[ROOT_THREES_DIVISOR])
        )
        quiet_moves = min(np.int64(8), depth)
        win = win_by_threes(
            board, patterns, threat_table, work, zone, colour, quiet_moves, work[INNER_NODES], node_limit
        )
    return win


@kernel
def search_root(
    boards, patterns, table, threat_table, zone, work, weights, stop, colour, moves, promising_count, alpha, beta,
    depth, result,
):  # fmt: skip
    """Search the root moves, best first; `result` has the best so far and whether all are done.

    Only the first `promising_count` moves are searched, and the others if all of those lose: distant stones matter
    only in lost positions.
    """
    patterns, table, threat_table, zone = pointer(patterns), pointer(table), pointer(threat_table), pointer(zone)
    work, weights, stop = pointer(work), pointer(weights), pointer(stop)
    board = boards[0]
    result[BEST], result[BEST_MOVE], result[DONE], result[COMPLETE] = MINUS_INFINITY, 0, 0, 0
    floor = alpha
    enemy = _1 - colour
    work[ROOT_DEPTH] = depth
    win = _forced_win_at_root(board, patterns, threat_table, zone, work, colour, depth)
    for index in range(len(moves)):
        if win != 0 and np.uint64(moves[index]) == win_move(win):
            result[BEST], result[BEST_MOVE], result[DONE] = MATE - win_length(win), moves[index], 1
            return
    for index in range(len(moves)):
        if index >= promising_count and result[BEST] > -UNPROVED_WIN + MAX_PLIES:
            result[DONE] = 1
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
            value = MINUS_INFINITY
            if has_lost(board, colour):
                value = np.int64(1 - MATE)
            else:
                if result[BEST] > MINUS_INFINITY:
                    value = -search(
                        board, patterns, table, threat_table, zone, work, weights, stop,
                        enemy, -floor - 1, -floor, depth - 1, np.int64(1),
                    )  # fmt: skip
                if work[STOPPED] == 0 and (result[BEST] == MINUS_INFINITY or floor < value < beta):
                    value = -search(
                        board, patterns, table, threat_table, zone, work, weights, stop,
                        enemy, -beta, -floor, depth - 1, np.int64(1),
                    )  # fmt: skip
            undo(board, colour)
        if work[STOPPED]:
            return
        # In a lost position, resist near the stones: lengths of forced wins are not always the shortest ones.
        is_distant = index >= promising_count and value <= -PROVED_WIN and result[BEST] > MINUS_INFINITY
        if value > result[BEST] and not is_distant:
            result[BEST], result[BEST_MOVE] = value, np.int64(point)
            if value >= beta:
                break
            floor = max(floor, value)
    result[DONE], result[COMPLETE] = 1, 1
