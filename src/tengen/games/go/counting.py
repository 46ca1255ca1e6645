"""How many positions and games of Go there are on tiny boards: known numbers that prove the rules.

A *legal position* is one where every string has a liberty. A *game* in John Tromp's sense is a path from the
empty board, either colour moving at any time (passes are free), that never repeats a position.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import kernel
from tengen.core.errors import OptionError
from tengen.games.go import rules
from tengen.games.go.game import Go

MOST_COUNTED = 9  # points; larger boards would take too long


def count_legal_positions(width: int, height: int, stop: np.ndarray[Any, Any] | None = None) -> int:
    """Number of legal positions, by enumerating all boards. 4x4 takes a few seconds."""
    if width * height > 2 * MOST_COUNTED:
        raise OptionError(f"positions are counted on at most {2 * MOST_COUNTED} points, not {width * height}")
    steps = np.array([[1 if column + 1 < width else 0 for column in range(width)]] * height).ravel()
    flag = np.zeros(1, np.int64) if stop is None else stop
    return int(_count_legal(width, width * height, steps, flag))


@kernel
def _count_legal(width: Any, area: Any, has_east: Any, stop: Any) -> Any:
    """Enumerate all 3**area boards; returns the number of legal ones, or -1 if stopped."""
    board = np.zeros(area, np.int64)
    alive = np.zeros(area, np.bool_)
    total = np.int64(0)
    while True:
        # A stone is alive if it touches an empty point or a living stone of its colour.
        for cell in range(area):
            alive[cell] = False
        changed = True
        while changed:
            changed = False
            for cell in range(area):
                for direction in range(2):
                    other = cell + 1 if direction == 0 else cell + width
                    if other >= area or (direction == 0 and has_east[cell] == 0):
                        continue
                    for a, b in ((cell, other), (other, cell)):
                        if board[a] != 0 and not alive[a]:
                            if board[b] == 0 or (board[b] == board[a] and alive[b]):
                                alive[a] = True
                                changed = True
        legal = True
        for cell in range(area):
            if board[cell] != 0 and not alive[cell]:
                legal = False
        total += legal
        cell = 0
        while cell < area and board[cell] == 2:
            board[cell] = 0
            cell += 1
        if cell == area:
            return total
        board[cell] += 1
        if total & 0xFFF == 0 and atomics.load(stop, 0) != 0:
            return np.int64(-1)


def count_games(width: int, height: int, stop: np.ndarray[Any, Any] | None = None) -> int:
    """Number of games with positional superko. 1x3 is instant, 1x4 takes minutes, 2x2 days."""
    game = Go.create(size=f"{width}x{height}", rules="tromp-taylor", komi=0)
    if game.area > MOST_COUNTED:
        raise OptionError(
            f"games are counted on at most {MOST_COUNTED} points, not {game.area}: they are too many"
        )
    positions = 3**game.area + 1
    stack = np.zeros(positions, game.record)
    game.set_up(stack)
    flag = np.zeros(1, np.int64) if stop is None else stop
    return int(_count_games(stack, np.zeros(positions, np.uint64), np.zeros(positions, np.int64), flag))


@kernel
def _count_games(stack: Any, keys: Any, index: Any, stop: Any) -> Any:
    """Depth-first enumeration of all games; `index` runs over colours and points. Returns -1 if stopped."""
    width, height = stack[0].width, stack[0].height
    choices = 2 * width * height
    keys[0] = stack[0].stones_key
    index[0] = 0
    ply = 0
    total = np.int64(1)
    while ply >= 0:
        if index[ply] == choices:
            ply -= 1
            continue
        choice = index[ply]
        index[ply] += 1
        place = choice >> 1
        point = np.uint64(rules.STRIDE * (place // width + 1) + place % width + 1)
        if stack[ply].go_stones[point] != rules.EMPTY:
            continue
        stack[ply + 1] = stack[ply]
        rules.place_stone(stack[ply + 1], point, (choice & 1) + 1)
        key = stack[ply + 1].stones_key
        repeated = False
        for earlier in range(ply + 1):
            repeated |= keys[earlier] == key
        if repeated:
            continue
        total += 1
        if total & 0xFFFF == 0 and atomics.load(stop, 0) != 0:
            return np.int64(-1)
        ply += 1
        keys[ply] = key
        index[ply] = 0
    return total
