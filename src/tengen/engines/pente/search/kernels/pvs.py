"""Principal variation search of the strong Pente player, with threat search at its nodes.

A node is a position in which one stone is to be placed. With two stones per turn, the same side continues after
its first stone, with the same window. Positions are evaluated at the start of a turn only, because half a turn
does not compare with a whole one: a search that would end within a turn continues, narrowly, to its end. What
depends on the stones per turn is in `one_stone` and `two_stones`.

See `scores` for the scores. A loss is proved only if all moves that could avert it were searched. Other move lists
are incomplete, and if all of their moves lose the score is -UNPROVED_WIN.

Several threads search the same tree with one table, each with its own history, so that their searches diverge.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np

from tengen.core.compiled.atomics import load
from tengen.core.compiled.kernel import Function, inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.pente.kernels.board import empty_count
from tengen.engines.pente.kernels.immediate_wins import list_wins
from tengen.engines.pente.kernels.moves import place, position_key, undo
from tengen.engines.pente.search.kernels import one_stone, two_stones
from tengen.engines.pente.search.kernels.move_ordering import (
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
from tengen.engines.pente.search_state import MAX_PLIES, MOVES_PER_PLY, Shared, Thread
from tengen.engines.pente.threats.kernels.win_table import win_length, win_move
from tengen.search.kernels.transposition_table import (
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

_0, _1 = np.uint64(0), np.uint64(1)


@inner
def _store_result(thread, shared, key, move, depth, bound, value):
    data = pack(move, max(depth, np.int64(0)), thread.work.age, bound, value)
    store(shared.table, key, data)


def make_search(turn: ModuleType) -> Function:
    """The kernel that searches a root. `turn` is the module for the stones per turn, a constant of its code."""

    @inner
    def search(thread, shared, colour, alpha, beta, depth, ply):
        """Score for the side to move, to `depth` stones, in the window from alpha to beta (fail-soft)."""
        board, work = thread.board, thread.work
        work.nodes += 1
        if work.nodes >= work.node_limit or load(thread.stop, 0) != 0:
            work.stopped = 1
            return np.int64(0)
        if empty_count(board) == 0:
            return np.int64(0)
        left = turn.stones_left(board)
        if turn.can_win(board, colour):
            return MATE - ply - left
        if alpha >= MATE - ply - 3:  # a shorter win is already known
            return MATE - ply - 3
        needed, begin, end = turn.list_threats(board, colour)
        if needed > left:
            return -(MATE - ply - left - turn.STONES)
        if ply >= MAX_PLIES - 2:
            return static_value(board, work, shared.weights, colour)
        if left == turn.STONES and depth <= 0:
            if needed < turn.STONES or ply >= 2 * work.root_depth + turn.FORCED_PLIES:
                estimate = static_value(board, work, shared.weights, colour)
                if estimate < beta and work.use_fours:
                    win = turn.win_at_leaf(thread, colour)
                    if win != 0:
                        return MATE - ply - win_length(win)
                return estimate

        key = position_key(board, colour)
        table_move = _0
        if work.use_table:
            data = probe(shared.table, key)
            if data != _0:
                table_move = np.uint64(move_of(data))
                value = score_from_table(value_of(data), ply)
                bound = bound_of(data)
                if depth_of(data) >= depth or abs(value) >= PROVED_WIN:
                    if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
                        return value
        estimate = np.int64(0)
        is_selective = turn.is_selective(board)
        if is_selective:
            if needed > 0:
                estimate = work.estimates[ply - 2] if ply >= 2 else np.int64(0)
            else:
                estimate = static_value(board, work, shared.weights, colour)
            work.estimates[ply] = estimate
        may_prune = is_selective and needed == 0 and work.use_reductions and beta - alpha == 1
        is_high = may_prune and turn.is_high(estimate, beta, depth)
        win = np.int64(0)
        if work.use_fours and not is_high:
            win = turn.win_inside(thread, colour, depth, needed, end)
        if win != 0:
            value = MATE - ply - win_length(win)
            _store_result(thread, shared, key, win_move(win), depth, LOWER, score_to_table(value, ply))
            return value
        count, complete = turn.list_forced(thread, colour, depth, ply, table_move, needed, begin, end)
        max_moves, improves = np.int64(MOVES_PER_PLY), False
        if count < 0:
            if is_high or (may_prune and turn.is_low(estimate, alpha, depth)):
                return estimate
            improves = is_selective and ply >= 2 and estimate > work.estimates[ply - 2]
            if may_prune:
                depth += turn.depth_change(estimate, beta, depth, table_move)
            count = list_promising(thread, colour, ply, table_move)
            max_moves = turn.max_promising(board, work, depth, improves)
        if count == 0:
            if complete:
                return -(MATE - ply - left - turn.STONES)
            return static_value(board, work, shared.weights, colour)
        if needed == left and left == 1 and count == 1 and ply < 2 * work.root_depth:
            depth += 1

        continues = left > 1  # the same side places the next stone
        side, sign = (colour, np.int64(1)) if continues else (_1 - colour, np.int64(-1))
        best, best_move = MINUS_INFINITY, _0
        floor = alpha
        index = 0
        while index < count and (
            index < max_moves or (is_selective and best <= -UNPROVED_WIN + MAX_PLIES and index < work.width)
        ):
            point = select_best(work, ply, index, count)
            quiet = turn.is_quiet(board, colour, point)
            place(board, thread.patterns, point, colour)
            index += 1
            value = np.int64(-(MATE - ply - 1))
            if not turn.has_lost_by_own_stone(board, colour):
                reduced = np.int64(0)
                if work.use_reductions and needed == 0:
                    reduced = turn.reduction(board, depth, np.int64(index), quiet)
                ceiling = beta if best == MINUS_INFINITY else floor + 1
                while True:  # one recursive call: each makes the compilation slower
                    low, high = (floor, ceiling) if continues else (-ceiling, -floor)
                    value = sign * search(thread, shared, side, low, high, depth - 1 - reduced, ply + 1)
                    if (
                        work.stopped != 0
                        or value <= floor
                        or (reduced == 0 and (ceiling == beta or value >= beta))
                    ):
                        break
                    if reduced == 0:
                        ceiling = beta
                    reduced = np.int64(0)
            undo(board, colour)
            if work.stopped != 0:
                return np.int64(0)
            if value > best:
                best, best_move = value, point
                if best >= beta:
                    record_cutoff(work, colour, point, quiet, max(depth, np.int64(turn.MIN_HISTORY_DEPTH)), ply)
                    break
                floor = max(floor, best)
        if best <= -PROVED_WIN and not complete:
            best = np.int64(-UNPROVED_WIN) + ply
        if work.use_table:
            bound = LOWER if best >= beta else EXACT if best > alpha else UPPER
            _store_result(thread, shared, key, best_move, depth, bound, score_to_table(best, ply))
        return best

    @kernel
    def search_root(boards, patterns, weights, table, threat_table, works, stop, moves):
        """Search the root moves, best first; `work` has the window, the depth, and the result so far.

        Only the first `work.promising_count` moves are searched, and the others if all of those lose: distant
        stones matter only in lost positions.
        """
        board, work = boards[0], works[0]
        patterns, weights, stop = pointer(patterns), pointer(weights), pointer(stop)
        thread = Thread(board, patterns, pointer(threat_table), work, stop)
        shared = Shared(pointer(table), weights)
        colour, floor, beta, depth = work.colour, work.alpha, work.beta, work.root_depth
        work.complete = 0
        best = MINUS_INFINITY
        if work.use_fours and work.nodes < work.node_limit:
            win = turn.win_at_root(thread, colour)
            for index in range(len(moves)):
                if win != 0 and np.uint64(moves[index]) == win_move(win):
                    work.best_value, work.best_move, work.done = MATE - win_length(win), moves[index], 1
                    return
        continues = turn.stones_left(board) > 1
        side, sign = (colour, np.int64(1)) if continues else (_1 - colour, np.int64(-1))
        for index in range(len(moves)):
            if index >= work.promising_count and best > -UNPROVED_WIN + MAX_PLIES:
                work.done = 1
                return
            point = np.uint64(moves[index])
            wins = False
            for i in range(board.pool_top, list_wins(board, colour, board.pool_top)):
                wins |= np.uint64(board.pool[i]) == point
            value = np.int64(MATE - 1)
            if not wins:
                quiet = turn.is_quiet(board, colour, point)
                place(board, patterns, point, colour)
                value = np.int64(1 - MATE)
                if not turn.has_lost_by_own_stone(board, colour):
                    ceiling = beta if best == MINUS_INFINITY else floor + 1
                    reduced = np.int64(0)
                    if turn.is_selective(board) and work.use_reductions and index < work.promising_count:
                        reduced = turn.reduction(board, depth, np.int64(index) // 2 + 1, quiet)
                    while True:
                        low, high = (floor, ceiling) if continues else (-ceiling, -floor)
                        value = sign * search(thread, shared, side, low, high, depth - 1 - reduced, np.int64(1))
                        if work.stopped != 0 or value <= floor:
                            break
                        if reduced == 0:
                            if value >= beta or ceiling == beta:
                                break
                            ceiling = beta
                        reduced = np.int64(0)
                undo(board, colour)
            if work.stopped != 0:
                return
            # In a lost position, resist near the stones: lengths of forced wins are not always the shortest ones.
            is_distant = index >= work.promising_count and value <= -PROVED_WIN and best > MINUS_INFINITY
            if value > best and not is_distant:
                best = value
                work.best_value, work.best_move = value, np.int64(point)
                if value >= beta:
                    break
                floor = max(floor, value)
        work.done, work.complete = 1, 1

    return search_root


SEARCHES = {turn.STONES: make_search(turn) for turn in (one_stone, two_stones)}
"""By stones per turn: kernels that search a root."""
