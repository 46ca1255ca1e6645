"""What Python calls besides the search: a board from stones, single moves, wins, lines, and what to draw."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.pente.kernels.board import CAPTURED, NUMBER, STANDING, empty_count
from tengen.engines.pente.kernels.immediate_wins import has_lost, list_wins
from tengen.engines.pente.kernels.incremental import clear, put_stone
from tengen.engines.pente.kernels.lines import LINES
from tengen.engines.pente.kernels.moves import place, position_key, turn_begins, undo
from tengen.engines.pente.kernels.transposition_table import move_of, probe
from tengen.engines.pente.kernels.workspace import NODES
from tengen.engines.pente.search.kernels.evaluation import evaluate, write_features
from tengen.engines.pente.threats.kernels.forced_wins import known_win, list_zone, look_for_fours, win_by_threes
from tengen.engines.pente.threats.kernels.two_stone_threats import list_threats
from tengen.games.pente.record import EMPTY, POINTS

_0, _1 = np.uint64(0), np.uint64(1)


@kernel
def set_up(boards, patterns, words, stones, numbers):
    """Make the zeroed record `boards[0]` a board with these stones.

    words: of the empty board (`lines.empty_lines`); numbers: captured by Black and White, stones placed so far,
    and the stone of a row that stands (boat) or 0.
    """
    patterns = pointer(patterns)
    board = boards[0]
    for line in range(np.uint64(LINES)):
        board.words[line] = words[line]
    clear(board, stones)
    for point in range(np.uint64(POINTS)):
        if stones[point] == 1 or stones[point] == 2:
            put_stone(board, patterns, point, np.uint64(stones[point]) - _1)
        board.log_top = _0
    board.hot[np.uint64(CAPTURED)] = numbers[0]
    board.hot[np.uint64(CAPTURED + 1)] = numbers[1]
    board.hot[np.uint64(NUMBER)] = numbers[2]
    board.hot[np.uint64(STANDING)] = numbers[3]


@kernel
def play(boards, patterns, point, colour):
    place(boards[0], pointer(patterns), point, colour)


@kernel
def take_back(boards, colour):
    undo(boards[0], colour)


@kernel
def value_of_board(boards, weights, colour):
    return evaluate(boards[0], pointer(weights), colour)


@kernel
def features_of_board(boards, colour, out):
    write_features(boards[0], colour, out)


@kernel
def winning_points(boards, colour, out):
    """The points where a colour on turn wins at once; returns how many."""
    board = boards[0]
    top = board.pool_top
    end = list_wins(board, colour, top)
    for i in range(end - top):
        out[i] = board.pool[top + np.uint64(i)]
    return np.int64(end - top)


@kernel
def forced_win(boards, patterns, memo, work, zone, colour, threes, nodes, last, collect, out):
    """A win of the colour on turn: by fours if `threes` is 0, else with so many quiet threats.

    `nodes` limits each search by fours, `last` the whole. Returns length | move << 16, or 0; and with `collect`,
    for a win by fours if it is the other side's turn, how many answers to it stand in `out`.
    """
    board = boards[0]
    patterns, memo, work, zone = pointer(patterns), pointer(memo), pointer(work), pointer(zone)
    if threes > 0:
        win = win_by_threes(board, patterns, memo, work, zone, colour, threes, nodes, work[NODES] + last)
        return win, np.int64(0)
    win = look_for_fours(board, patterns, memo, work, zone, colour, np.int64(24), nodes, collect)
    top = board.pool_top
    end = top
    if win != 0 and collect:
        end = list_zone(board, zone, colour, _1 - colour, top)
    for i in range(end - top):
        out[i] = board.pool[top + np.uint64(i)]
    return win, np.int64(end - top)


@kernel
def threats_of_turn(boards, colour, out):
    """With two stones a turn: the gaps of a colour's threats, two each; returns how many threats there are."""
    board = boards[0]
    top = board.pool_top
    end = list_threats(board, colour, top)
    for i in range(end - top):
        out[i] = board.pool[top + np.uint64(i)]
    return np.int64(end - top) // 2


@kernel
def principal_line(boards, patterns, table, memo, colour, out):
    """How the table thinks that it goes on, to the end of the game if a win is known; returns how many moves."""
    board = boards[0]
    patterns, table, memo = pointer(patterns), pointer(table), pointer(memo)
    count = 0
    side = colour
    before = board.depth
    while count < len(out) and empty_count(board) > 0:
        top = board.pool_top
        end = list_wins(board, side, top)
        if end > top:
            out[count] = board.pool[top]
            count += 1
            break
        point = move_of(probe(table, position_key(board, side)))
        if point == _0 or board.stones[point] != EMPTY:
            point = known_win(board, memo, side)
        if point == _0 or board.stones[point] != EMPTY:
            end = list_wins(board, _1 - side, top)
            point = np.uint64(board.pool[top]) if end > top else _0
        if point == _0:
            break
        out[count] = point
        count += 1
        place(board, patterns, point, side)
        lost = has_lost(board, side)
        if turn_begins(board):
            side = _1 - side
        if lost:
            break
    for _ in range(board.depth - before):
        if turn_begins(board):
            side = _1 - side
        undo(board, side)
    return count
