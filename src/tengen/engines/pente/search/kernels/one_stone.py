"""The search with one stone per turn: threats, answers, and which moves are searched.

This module and `two_stones` define the same names; `pvs.make_search` takes one of them.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels.board import (
    capture_count,
    capture_set,
    captures_at,
    has_level,
    level,
    list_points,
)
from tengen.engines.pente.kernels.breakable_rows import breakable_row, list_defences
from tengen.engines.pente.kernels.forbidden_moves import can_move
from tengen.engines.pente.kernels.immediate_wins import has_lost, has_win, list_wins
from tengen.engines.pente.patterns import CLOSED_THREE, FOUR_THREE, ONE_THREE, TWO_FOURS
from tengen.engines.pente.search.kernels.move_ordering import list_given
from tengen.engines.pente.search_state import MAX_PLIES
from tengen.engines.pente.threats.kernels.forced_wins import (
    ANY_LENGTH,
    can_threaten,
    has_zones,
    list_caro_blocks,
    list_zone,
    search_fours,
    win_by_threes,
)

STONES = 1
FORCED_PLIES = MAX_PLIES
"""A search follows forced moves this far beyond twice its depth: to the end."""
MIN_HISTORY_DEPTH = -MAX_PLIES
"""A cutoff counts in the history with at least this depth."""
_MIN_WIDTH = 10
_MAX_LOW_DEPTH, _LOW_MARGIN, _LOW_SLOPE = 2, 60, 15
_MAX_HIGH_DEPTH, _HIGH_SLOPE = 6, 120
_REDUCTION_MARGIN = 80
"""See `is_low`, `is_high` and `depth_change`; in hundredths of a point."""
_MIN_DEPTH_FOR_ZONES = 2
_LOGARITHMS = np.log(np.maximum(np.arange(512), 1))
_0, _1 = np.uint64(0), np.uint64(1)

can_win = has_win
has_lost_by_own_stone = has_lost


@inner
def stones_left(board):
    """Number of stones the side to move still has to place in this turn."""
    return np.int64(1)


@inner
def _has_simple_defences(board):
    """Whether a win can be averted only on its points and by captures; with other rules there are more ways."""
    return not (board.poof or board.boat or board.caro)


@inner
def list_threats(board, colour):
    """Number of stones needed against the enemy's immediate threats, and where the pool has their points.

    It is 2 for more than one threat that no capture can avert.
    """
    enemy = _1 - colour
    top = board.pool_top
    end = list_wins(board, enemy, top)
    is_lost = end > top + _1 and capture_count(board, colour) == 0 and _has_simple_defences(board)
    if is_lost and can_move(board, colour):
        return np.int64(2), top, end
    is_threatened = end > top or (board.boat and breakable_row(board, enemy) != _0)
    return np.int64(is_threatened), top, end


@inner
def win_at_leaf(thread, colour):
    return search_fours(thread, colour, np.int64(8), thread.work.leaf_nodes, False)


@inner
def _fours_nodes(work, depth):
    return work.inner_nodes if depth >= 2 else work.leaf_nodes


@inner
def _has_double_threat(board, colour):
    """Whether a move makes two fours, or a four and an open three."""
    return has_level(board, colour, FOUR_THREE, TWO_FOURS)


@inner
def win_inside(thread, colour, depth, needed, end):
    """A forced win by fours, unless there are threats to answer.

    Wins by threes are left to the main search: searching for them here took nine in ten nodes. So are, in a
    selective search, wins by fours that do not begin with a double threat, unless only one ply is left.
    """
    board, work = thread.board, thread.work
    if needed > 0 or (is_selective(board) and depth > 1 and not _has_double_threat(board, colour)):
        return np.int64(0)
    return search_fours(thread, colour, np.int64(16), _fours_nodes(work, depth), False)


@inner
def win_at_root(thread, colour):
    """A win at once, by fours, or by threes: at the root it gets more nodes, a share of all nodes so far.

    The share is small: with more, the main search stays shallow.
    """
    work = thread.work
    left = work.node_limit - work.nodes
    win = search_fours(thread, colour, np.int64(24), min(left, 8 * work.inner_nodes), False)
    if win == 0 and work.use_threes and work.root_depth >= 2:
        share = max(work.inner_nodes, work.nodes // work.threes_divisor)
        node_limit = work.nodes + min(left // 2, share)
        win = win_by_threes(
            thread, colour, min(np.int64(8), work.root_depth), ANY_LENGTH, work.inner_nodes, node_limit
        )
    return win


@inner
def list_forced(thread, colour, depth, ply, table_move, needed, begin, end):
    """List the moves if the enemy threatens to win; returns their number, or -1 if it does not, and whether no
    other move could help.

    A selective search looks for a win of the enemy by fours only if there is a double threat. Answers to an
    immediate threat are its points and captures; there are more with boat, and with poof any move may help.
    Against a win by fours, answers in its zone are complete.
    """
    board, work = thread.board, thread.work
    if needed > 0:
        if board.boat:
            end = list_defences(board, _1 - colour, colour, begin)
        elif capture_count(board, colour) > 0:
            end = list_points(board, board.state_info, capture_set(colour), end)
        if board.caro:
            end = list_caro_blocks(board, begin, end, end)
        count = list_given(thread, colour, ply, table_move, begin, end)
        return count, not board.poof and (count > 0 or can_move(board, colour))
    enemy = _1 - colour
    if (
        work.use_fours
        and work.use_zones
        and depth >= _MIN_DEPTH_FOR_ZONES
        and has_zones(board)
        and (_has_double_threat(board, enemy) if is_selective(board) else can_threaten(board, enemy))
        and search_fours(thread, enemy, np.int64(16), _fours_nodes(work, depth), True) != 0
    ):
        end = list_zone(board, work.zone, enemy, colour, begin)
        return list_given(thread, colour, ply, table_move, begin, end), True
    return np.int64(-1), False


@inner
def is_selective(board):
    """Whether the search prunes by the evaluation. With captures that has not been shown to gain."""
    return board.longest == 0


@inner
def is_low(estimate, alpha, depth):
    """Whether a position without a forced win need not be searched: it will almost surely stay below alpha."""
    return depth <= _MAX_LOW_DEPTH and estimate + _LOW_MARGIN + _LOW_SLOPE * depth <= alpha


@inner
def is_high(estimate, beta, depth):
    """Whether a position need not be searched: it will almost surely stay above beta."""
    return depth <= _MAX_HIGH_DEPTH and estimate - _HIGH_SLOPE * (depth - 1) >= beta


@inner
def depth_change(estimate, beta, depth, table_move):
    """-1 to search a position less deeply: without a move from the table, or if it is well above beta."""
    if table_move == _0 and depth >= 4:
        return np.int64(-1)
    return np.int64(-(depth >= 3 and estimate >= beta + _REDUCTION_MARGIN))


@inner
def max_promising(board, work, depth, improves):
    """How many promising moves are searched; `improves`: the estimate is better than two plies before."""
    if not is_selective(board):
        return min(work.width, np.int64(_MIN_WIDTH) + 4 * max(depth - 1, np.int64(0)))
    count = 3 + depth if improves else (3 + depth) * 3 // 5
    return min(work.width, max(count, np.int64(2)))


@inner
def is_quiet(board, colour, point):
    return (
        level(board, colour, point) < np.uint64(CLOSED_THREE)
        and level(board, _1 - colour, point) < np.uint64(ONE_THREE)
        and captures_at(board, colour, point) == _0
    )


@inner
def reduction(board, depth, index, quiet):
    """Plies by which the search of a late move is reduced; `index` counts from 1."""
    if not is_selective(board):
        return 1 + np.int64(index > 12) if quiet and depth >= 3 and index > 3 else np.int64(0)
    if depth < 2:
        return np.int64(0)
    product = _LOGARITHMS[np.uint64(depth)] * _LOGARITHMS[np.uint64(index)]
    return min(np.int64(product * (1.0 if quiet else 0.6)), depth - 1)
