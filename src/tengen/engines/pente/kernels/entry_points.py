"""Kernels called from Python besides the search: board set-up, single moves, wins, lines."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.pente.kernels.board import BREAKABLE_ROW, CAPTURED, NUMBER, empty_count
from tengen.engines.pente.kernels.forbidden_moves import is_forbidden
from tengen.engines.pente.kernels.immediate_wins import has_lost, list_wins
from tengen.engines.pente.kernels.incremental import clear, put_stone
from tengen.engines.pente.kernels.lines import LINES
from tengen.engines.pente.kernels.moves import is_turn_start, place, position_key, undo
from tengen.engines.pente.search.kernels.evaluation import evaluate, write_counts
from tengen.engines.pente.search_state import MAX_FOURS, Thread
from tengen.engines.pente.threats.kernels.forced_wins import (
    ANY_LENGTH,
    list_zone,
    probe_known_win,
    search_fours,
    win_by_threes,
)
from tengen.engines.pente.threats.kernels.two_stone_threats import list_threats
from tengen.games.pente.record import EMPTY, POINTS
from tengen.search.kernels.transposition_table import move_of, probe

_0, _1 = np.uint64(0), np.uint64(1)


@kernel
def set_board(boards, patterns, words, stones, numbers):
    """Set the zeroed record `boards[0]` to a board with these stones.

    words: of the empty board (`lines.empty_lines`); numbers: stones captured by Black and by White, stones placed
    so far, and a stone of a breakable row (boat rule) or 0.
    """
    patterns = pointer(patterns)
    board = boards[0]
    for line in range(np.uint64(LINES)):
        board.words[line] = words[line]
    clear(board, patterns, stones)
    for point in range(np.uint64(POINTS)):
        if stones[point] == 1 or stones[point] == 2:
            put_stone(board, patterns, point, np.uint64(stones[point]) - _1)
        board.undo_log_top = _0
    board.state_info[np.uint64(CAPTURED)] = numbers[0]
    board.state_info[np.uint64(CAPTURED + 1)] = numbers[1]
    board.state_info[np.uint64(NUMBER)] = numbers[2]
    board.state_info[np.uint64(BREAKABLE_ROW)] = numbers[3]


@kernel
def play(boards, patterns, point, colour):
    place(boards[0], pointer(patterns), point, colour)


@kernel
def undo_move(boards, colour):
    undo(boards[0], colour)


@kernel
def evaluate_board(boards, weights, colour):
    return evaluate(boards[0], pointer(weights), colour)


@kernel
def board_counts(boards, colour, out):
    write_counts(boards[0], colour, out)


@inner
def _copy_points(board, begin, end, out):
    """Copy points of the pool; returns how many."""
    for i in range(begin, end):
        out[i - begin] = board.pool[i]
    return np.int64(end - begin)


@kernel
def winning_points(boards, colour, out):
    """Write the points where a colour to move wins immediately; returns how many."""
    board = boards[0]
    return _copy_points(board, board.pool_top, list_wins(board, colour, board.pool_top), out)


@kernel
def forced_win(boards, patterns, threat_table, works, stop, colour, threes, nodes):
    """A win of the side to move, or 0: by fours if `threes` is 0, else with at most `threes` quiet threats.

    `nodes` limits each search by fours, `work.node_limit` the whole.
    """
    thread = Thread(boards[0], pointer(patterns), pointer(threat_table), works[0], pointer(stop))
    if threes > 0:
        return win_by_threes(thread, colour, threes, ANY_LENGTH, nodes, thread.work.node_limit)
    return search_fours(thread, colour, np.int64(MAX_FOURS), nodes, False)


@kernel
def answers_to_fours(boards, patterns, threat_table, works, stop, colour, nodes, out):
    """Write the answers that may prevent a win by fours; returns how many. `nodes` limits its search."""
    board, work = boards[0], works[0]
    thread = Thread(board, pointer(patterns), pointer(threat_table), work, pointer(stop))
    if search_fours(thread, colour, np.int64(MAX_FOURS), nodes, True) == 0:
        return np.int64(0)
    top = board.pool_top
    return _copy_points(board, top, list_zone(board, work.zone, colour, _1 - colour, top), out)


@kernel
def turn_threats(boards, colour, out):
    """With two stones per turn: write the gaps of a colour's threats, two each; returns the number of threats."""
    board = boards[0]
    return _copy_points(board, board.pool_top, list_threats(board, colour, board.pool_top), out) // 2


@kernel
def principal_variation(boards, patterns, table, threat_table, colour, out):
    """Follow the best moves of the tables, to the end of the game if a win is known; returns how many."""
    board = boards[0]
    patterns, table, threat_table = pointer(patterns), pointer(table), pointer(threat_table)
    count = 0
    side = colour
    start_depth = board.depth
    while count < len(out) and empty_count(board) > 0:
        top = board.pool_top
        end = list_wins(board, side, top)
        if end > top:
            out[count] = board.pool[top]
            count += 1
            break
        point = np.uint64(move_of(probe(table, position_key(board, side))))
        if point == _0 or board.stones[point] != EMPTY:
            point = probe_known_win(board, threat_table, side)
        if point == _0 or board.stones[point] != EMPTY:
            end = list_wins(board, _1 - side, top)
            point = np.uint64(board.pool[top]) if end > top else _0
            if point != _0 and is_forbidden(board, side, point):
                point = _0
        if point == _0:
            break
        out[count] = point
        count += 1
        place(board, patterns, point, side)
        lost = has_lost(board, side)
        if is_turn_start(board):
            side = _1 - side
        if lost:
            break
    for _ in range(board.depth - start_depth):
        if is_turn_start(board):
            side = _1 - side
        undo(board, side)
    return count
