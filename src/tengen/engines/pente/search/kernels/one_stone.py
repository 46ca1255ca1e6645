"""The search with one stone per turn: threats, answers, and which moves are searched.

This module and `two_stones` define the same names; `pvs.make_search` takes one of them.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels.board import capture_count, capture_set, captures_at, level, list_points
from tengen.engines.pente.kernels.breakable_rows import breakable_row, list_defences
from tengen.engines.pente.kernels.immediate_wins import has_lost, has_win, list_wins
from tengen.engines.pente.patterns import CLOSED_THREE, ONE_THREE
from tengen.engines.pente.search.kernels.move_ordering import list_given, list_promising
from tengen.engines.pente.search_state import MAX_PLIES, MOVES_PER_PLY
from tengen.engines.pente.threats.kernels.forced_wins import (
    ANY_LENGTH,
    can_threaten,
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
_MIN_DEPTH_FOR_THREES = 6
"""Remaining depth from which wins by threes are searched inside the tree; closer to the leaves they cost more."""
_0, _1 = np.uint64(0), np.uint64(1)

can_win = has_win
has_lost_by_own_stone = has_lost


@inner
def stones_left(board):
    """Number of stones the side to move still has to place in this turn."""
    return np.int64(1)


@inner
def _has_simple_defences(board):
    """Whether a win can be averted only on its points and by captures; with poof and boat there are more ways."""
    return not (board.poof or board.boat)


@inner
def list_threats(board, colour):
    """Number of stones needed against the enemy's immediate threats, and where the pool has their points.

    It is 2 for more than one threat that no capture can avert.
    """
    enemy = _1 - colour
    top = board.pool_top
    end = list_wins(board, enemy, top)
    if end > top + _1 and capture_count(board, colour) == 0 and _has_simple_defences(board):
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
def win_inside(thread, colour, depth, needed, end):
    """A forced win by fours or threes, unless there are threats to answer."""
    work = thread.work
    if needed > 0:
        return np.int64(0)
    win = search_fours(thread, colour, np.int64(16), _fours_nodes(work, depth), False)
    if win == 0 and work.use_threes and depth >= _MIN_DEPTH_FOR_THREES:
        node_limit = min(work.node_limit, work.nodes + (depth - 3) * work.inner_nodes)
        win = win_by_threes(
            thread, colour, min(np.int64(6), 1 + depth // 3), ANY_LENGTH, work.leaf_nodes, node_limit
        )
    return win


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
def list_moves(thread, colour, depth, ply, table_move, needed, begin, end):
    """List the moves to search; returns their number, how many to search, and whether no other move could help.

    Answers to an immediate threat are its points and captures; there are more with boat, and with poof any move
    may help. Against a win by fours, answers in its zone are complete.
    """
    board, work = thread.board, thread.work
    if needed > 0:
        if board.boat:
            end = list_defences(board, _1 - colour, colour, begin)
        elif capture_count(board, colour) > 0:
            end = list_points(board, board.state_info, capture_set(colour), end)
        count = list_given(board, work, colour, ply, table_move, begin, end)
        return count, np.int64(MOVES_PER_PLY), not board.poof
    enemy = _1 - colour
    if (
        work.use_fours
        and work.use_zones
        and depth >= 2
        and _has_simple_defences(board)
        and can_threaten(board, enemy)
        and search_fours(thread, enemy, np.int64(16), _fours_nodes(work, depth), True) != 0
    ):
        end = list_zone(board, work.zone, enemy, colour, begin)
        return list_given(board, work, colour, ply, table_move, begin, end), np.int64(MOVES_PER_PLY), True
    count = list_promising(board, work, colour, ply, table_move)
    return count, min(work.width, np.int64(_MIN_WIDTH) + 4 * max(depth - 1, np.int64(0))), False


@inner
def is_quiet(board, colour, point):
    return (
        level(board, colour, point) < np.uint64(CLOSED_THREE)
        and level(board, _1 - colour, point) < np.uint64(ONE_THREE)
        and captures_at(board, colour, point) == _0
    )


@inner
def reduction(depth, index):
    """Plies by which the search of a late quiet move is reduced; `index` counts from 1."""
    return 1 + np.int64(index > 12) if depth >= 3 and index > 3 else np.int64(0)
