"""Heuristic evaluation for generic searches: open windows, captures, and the player to move.

A *window* is as many points in a line as a winning row has; it is open to a colour while the other has no stone in
it. Each open window counts by how many stones it still lacks; captured stones count more the nearer they
are to the goal; a run that can be captured counts a little. Weighed by hand, squashed to stay inside a won game.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import helper
from tengen.games.pente.lines import axis_step
from tengen.games.pente.record import BLACK, BORDER, EMPTY, STRIDE, WHITE

_0, _1, _STRIDE = np.uint64(0), np.uint64(1), np.uint64(STRIDE)
_WORTH = np.array([0, 400, 60, 12, 3, 1, 0], np.int64)  # value of an open window, by the number of missing stones
_THREAT = 20
_AT_HAND = 3000  # a win with the next move
_SQUASH = 1500  # evaluation that is mapped to half a win


def _capture_table() -> np.ndarray:
    """By four points of a line, two bits each: 1 if Black can take a pair there, 2 if White can, else 0."""
    table = np.zeros(256, np.int64)
    for owner, prey in ((BLACK, WHITE), (WHITE, BLACK)):
        for ends in ((owner, EMPTY), (EMPTY, owner)):
            table[64 * ends[0] + 20 * prey + ends[1]] = owner
    return table


_CAPTURES = _capture_table()


@helper
def _scan(state, start, step):
    """(worth for Black, for White, fewest stones lacking to Black, to White, pairs Black, White can take)."""
    length = state.row
    black, white = 0, 0
    black_worth, white_worth = np.int64(0), np.int64(0)
    black_lacks, white_lacks = length, length
    black_takes, white_takes = 0, 0
    code = np.uint64(0xFF)  # all border
    count = 0
    at, tail = start, start
    while True:
        content = state.pente_stones[at]
        if content == BORDER:
            break
        black += content == BLACK
        white += content == WHITE
        count += 1
        if count > length:
            leaving = state.pente_stones[tail]
            black -= leaving == BLACK
            white -= leaving == WHITE
            tail += step
        if count >= length:
            if white == 0:
                black_worth += _WORTH[length - black] if black > 0 else 0
                black_lacks = min(black_lacks, length - black)
            elif black == 0:
                white_worth += _WORTH[length - white]
                white_lacks = min(white_lacks, length - white)
        code = ((code << np.uint64(2)) | np.uint64(content)) & np.uint64(0xFF)
        pair = _CAPTURES[code]
        black_takes += pair == BLACK
        white_takes += pair == WHITE
        at += step
    return black_worth, white_worth, black_lacks, white_lacks, black_takes, white_takes


@helper
def _captured_worth(stones, goal):
    """Value of captures: grows faster than their share of the goal."""
    return 40 * stones + 400 * stones * stones // (goal * goal)


@helper
def guess(state):
    """Evaluation for Black, from -999 to 999."""
    size = np.uint64(state.width)
    first = _STRIDE + _1
    black, white = np.int64(0), np.int64(0)
    black_lacks, white_lacks = state.row, state.row
    black_takes, white_takes = 0, 0
    for axis in range(4):
        step = axis_step(axis)
        # A line starts on the left edge (axis 0), the top edge (1), on both (2), on the top and right edges (3).
        for edge in range(2):
            if (axis == 0 and edge == 0) or (axis == 1 and edge == 1):
                continue
            for i in range(size):
                offset = np.uint64(i)
                if edge == 0:
                    start = first + offset
                elif axis == 3:
                    start = first + size - _1 + _STRIDE * offset
                else:
                    start = first + _STRIDE * offset
                if edge == 1 and axis >= 2 and offset == _0:
                    continue  # the corner's line has been scanned from the top edge
                found = _scan(state, start, step)
                black += found[0]
                white += found[1]
                black_lacks = min(black_lacks, found[2])
                white_lacks = min(white_lacks, found[3])
                black_takes += found[4]
                white_takes += found[5]
    if state.longest == 0:
        black_takes, white_takes = 0, 0
    if state.goal > 0:
        black += _captured_worth(state.captured[0], state.goal)
        white += _captured_worth(state.captured[1], state.goal)
    black += _THREAT * black_takes
    white += _THREAT * white_takes
    # Stones that the colour to move still has to place this turn.
    stones = state.a_turn if state.a_turn == 1 or state.number % 2 == 1 else 1
    if state.colour == 0:
        takes = state.goal > 0 and black_takes > 0 and state.captured[0] + 2 >= state.goal
        black += black // 4 + (_AT_HAND if black_lacks <= stones or takes else 0)
    else:
        takes = state.goal > 0 and white_takes > 0 and state.captured[1] + 2 >= state.goal
        white += white // 4 + (_AT_HAND if white_lacks <= stones or takes else 0)
    balance = black - white
    size_of_it = abs(balance)
    value = np.int64(1000 * size_of_it // (size_of_it + _SQUASH))
    return value if balance >= 0 else -value
