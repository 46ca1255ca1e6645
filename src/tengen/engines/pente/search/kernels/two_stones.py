"""The search with two stones per turn, stone by stone: threats, covers, and which moves are searched.

See `two_stone_threats` for threats and covers: if covering the enemy's threats takes all stones of a turn, only
covers are searched, and their loss is proved.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels import moves
from tengen.engines.pente.kernels.board import level
from tengen.engines.pente.patterns import CLOSED_THREE
from tengen.engines.pente.search.kernels.move_ordering import list_given
from tengen.engines.pente.threats.kernels import two_stone_threats
from tengen.engines.pente.threats.kernels.two_stone_threats import list_covers, search_threats

STONES = 2
FORCED_PLIES = 8
MIN_HISTORY_DEPTH = 1
_FIRST_STONE_MOVES, _SECOND_STONE_MOVES, _LEAF_SECOND_STONE_MOVES = 10, 8, 6
"""Moves searched for the first and second stone of a turn, and for the second one at the leaves."""
_1 = np.uint64(1)

stones_left = moves.stones_left
can_win = two_stone_threats.can_win_this_turn


@inner
def has_lost_by_own_stone(board, colour):
    return False


@inner
def list_threats(board, colour):
    """Number of stones needed to cover the enemy's threats, and where the pool has the covers."""
    top = board.pool_top
    covers = two_stone_threats.list_threats(board, _1 - colour, top)
    needed, end = list_covers(board, top, covers)
    return needed, covers, end


@inner
def win_at_leaf(thread, colour):
    return search_threats(thread, colour, np.int64(4), thread.work.leaf_nodes)


@inner
def win_inside(thread, colour, depth, needed, end):
    """A forced win by threats, at the start of a turn."""
    board, work = thread.board, thread.work
    if stones_left(board) == 1:
        return np.int64(0)
    top = board.pool_top
    board.pool_top = end  # keep the covers in the pool
    win = search_threats(thread, colour, np.int64(8), work.inner_nodes if depth >= 3 else work.leaf_nodes)
    board.pool_top = top
    return win


@inner
def win_at_root(thread, colour):
    work = thread.work
    return search_threats(thread, colour, np.int64(8), min(work.node_limit - work.nodes, 8 * work.inner_nodes))


@inner
def list_forced(thread, colour, depth, ply, table_move, needed, begin, end):
    """List the covers if covering takes the rest of the turn; returns their number, or -1, and whether no other
    move could help.
    """
    if needed == stones_left(thread.board):
        return list_given(thread, colour, ply, table_move, begin, end), True
    return np.int64(-1), False


@inner
def is_selective(board):
    return False


@inner
def is_low(estimate, alpha, depth):
    return False


@inner
def is_high(estimate, beta, depth):
    return False


@inner
def depth_change(estimate, beta, depth, table_move):
    return np.int64(0)


@inner
def max_promising(board, work, depth, improves):
    """How many promising moves are searched."""
    if depth <= 0:
        return np.int64(_LEAF_SECOND_STONE_MOVES)
    first = np.int64(_FIRST_STONE_MOVES if stones_left(board) == 2 else _SECOND_STONE_MOVES)
    return min(work.width, first + 2 * depth)


@inner
def is_quiet(board, colour, point):
    return max(level(board, colour, point), level(board, _1 - colour, point)) < np.uint64(CLOSED_THREE)


@inner
def reduction(board, depth, index, quiet):
    """Plies by which the search of a late quiet move is reduced; `index` counts from 1."""
    return np.int64(2) if quiet and depth >= 4 and index > 4 else np.int64(0)
