"""Shorter wins than the one that was found, with one stone per turn.

`search_shorter_win` first tries every move and every answer for a win with two stones, so that afterwards a win
with three is known to be the shortest. Longer limits are tried by fours and threes, one stone more each time.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.pente.kernels.board import EMPTIES, capture_set, empty_count, list_points
from tengen.engines.pente.kernels.forbidden_moves import can_move, is_forbidden, may_play
from tengen.engines.pente.kernels.immediate_wins import has_lost, has_win, list_wins
from tengen.engines.pente.kernels.moves import place, undo
from tengen.engines.pente.search_state import Thread
from tengen.engines.pente.threats.kernels.forced_wins import list_zone, search_fours, win_by_threes
from tengen.engines.pente.threats.kernels.win_table import make_win, win_length, win_move

NONE, UNKNOWN = 0, -1
"""There is no win with two stones; the node limit was reached."""
_0, _1 = np.uint64(0), np.uint64(1)
_EMPTIES = np.uint64(EMPTIES)


@inner
def _is_refuted(thread, colour):
    """Whether some answer to the stone just placed leaves the attacker without an immediate win."""
    board, work = thread.board, thread.work
    enemy = _1 - colour
    if empty_count(board) == 0 or has_lost(board, colour) or has_win(board, enemy):
        return True
    if not can_move(board, enemy):
        return True
    top = board.pool_top
    end = list_points(board, board.state_info, _EMPTIES, list_wins(board, colour, top))  # blocks first
    board.pool_top = end
    refuted = False
    for i in range(top, end):
        if is_forbidden(board, enemy, np.uint64(board.pool[i])):
            continue
        place(board, thread.patterns, np.uint64(board.pool[i]), enemy)
        work.nodes += 1
        refuted = not has_lost(board, enemy) and not has_win(board, colour)
        undo(board, enemy)
        if refuted:
            break
    board.pool_top = top
    return refuted


@inner
def _win_with_two_stones(thread, colour):
    """A win with exactly two stones, NONE or UNKNOWN, by trying every move and every answer."""
    board, work = thread.board, thread.work
    base = board.pool_top
    end = list_points(board, board.state_info, _EMPTIES, base)
    board.pool_top = end
    win = np.int64(NONE)
    for i in range(base, end):
        if win == NONE and may_play(board, colour, np.uint64(board.pool[i])):
            if work.nodes >= work.node_limit:
                win = np.int64(UNKNOWN)
                break
            place(board, thread.patterns, np.uint64(board.pool[i]), colour)
            work.nodes += 1
            refuted = _is_refuted(thread, colour)
            undo(board, colour)
            if not refuted:
                win = make_win(np.int64(3), np.uint64(board.pool[i]))
    board.pool_top = base
    return win


@inner
def _win_within(thread, colour, stones):
    """A win with at most `stones` stones, or 0."""
    work = thread.work
    return win_by_threes(thread, colour, stones, stones, (work.node_limit - work.nodes) // 4, work.node_limit)


@kernel
def search_shorter_win(boards, patterns, threat_table, works, stop, colour, stones, out):
    """A win of the side to move with fewer than `stones` stones, at least two, or 0.

    `work.node_limit` limits the search. out[0] becomes 1 if there is no win with two stones, else 0.
    """
    thread = Thread(boards[0], pointer(patterns), pointer(threat_table), works[0], pointer(stop))
    work = thread.work
    out[0] = 0
    win = np.int64(0)
    if stones > 2:
        win = _win_with_two_stones(thread, colour)
        out[0] = win == NONE
        win = max(win, np.int64(0))
    for limit in range(3, stones):
        if win == 0 and work.nodes < work.node_limit:
            win = _win_within(thread, colour, np.int64(limit))
    return win


@inner
def _best_defence(thread, colour, stones):
    """The answer to the attacker's last stone that loses latest; 0 if none was found."""
    board, work = thread.board, thread.work
    enemy = _1 - colour
    top = board.pool_top
    end = list_wins(board, colour, top)
    if end == top:
        nodes = work.node_limit - work.nodes
        if search_fours(thread, colour, stones - 1, nodes, True) == 0:
            return _0
        end = list_zone(board, work.zone, colour, enemy, top)
    else:
        end = list_points(board, board.state_info, capture_set(enemy), end)
    board.pool_top = end
    best, most = _0, np.int64(-1)
    for i in range(top, end):
        answer = np.uint64(board.pool[i])
        if is_forbidden(board, enemy, answer):
            continue
        place(board, thread.patterns, answer, enemy)
        length = np.int64(0)
        if not has_lost(board, enemy):
            length = win_length(_win_within(thread, colour, stones))
        undo(board, enemy)
        if length > most:
            best, most = answer, length
    board.pool_top = top
    return best


@kernel
def winning_line(boards, patterns, threat_table, works, stop, colour, move, stones, out):
    """Write a line of a win with at most `stones` stones that starts with `move`; returns its number of moves."""
    thread = Thread(boards[0], pointer(patterns), pointer(threat_table), works[0], pointer(stop))
    board = thread.board
    start_depth = board.depth
    count = 0
    point = np.uint64(move)
    left = stones
    while point != _0 and count + 2 < len(out):
        won = False
        top = board.pool_top
        for i in range(top, list_wins(board, colour, top)):
            won |= np.uint64(board.pool[i]) == point
        out[count] = np.int64(point)
        count += 1
        left -= 1
        if won or left == 0:
            break
        place(board, thread.patterns, point, colour)
        answer = _best_defence(thread, colour, left)
        if answer == _0:
            break
        out[count] = np.int64(answer)
        count += 1
        place(board, thread.patterns, answer, _1 - colour)
        win = _win_within(thread, colour, left)
        point = win_move(win) if win != 0 else _0
    side = colour if (board.depth - start_depth) % 2 == 1 else _1 - colour
    for _ in range(board.depth - start_depth):
        undo(board, side)
        side = _1 - side
    return count
