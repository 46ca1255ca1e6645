"""Clobber and cannibal Clobber: a stone moves onto a neighbouring stone, which disappears.

A move is `4 * cell + direction` (right, left, down, up).
"""

from __future__ import annotations

from tengen.games.rulesets.ruleset import Ruleset, pairs


def _list_clobbers(cells, width, height, player, out, count):  # type: ignore[no-untyped-def]
    for cell in range(width * height):
        if cells[cell] != player + 1:
            continue
        for direction in range(4):
            row = cell // width + direction // 2 * (5 - 2 * direction)
            column = cell % width + (1 - direction // 2) * (1 - 2 * direction)
            if 0 <= row < height and 0 <= column < width and cells[row * width + column] == 2 - player:
                out[count] = 4 * cell + direction
                count += 1
    return count


def _list_cannibal_clobbers(cells, width, height, player, out, count):  # type: ignore[no-untyped-def]
    for cell in range(width * height):
        if cells[cell] != player + 1:
            continue
        for direction in range(4):
            row = cell // width + direction // 2 * (5 - 2 * direction)
            column = cell % width + (1 - direction // 2) * (1 - 2 * direction)
            if 0 <= row < height and 0 <= column < width and cells[row * width + column] != 0:
                out[count] = 4 * cell + direction
                count += 1
    return count


def _play(cells, width, height, player, move):  # type: ignore[no-untyped-def]
    cell, direction = move // 4, move % 4
    target = cell + (1 - direction // 2) * (1 - 2 * direction) + width * (direction // 2) * (5 - 2 * direction)
    cells[target] = cells[cell]
    cells[cell] = 0


def _points(move: int, width: int, height: int) -> tuple[int, ...]:
    cell, direction = divmod(move, 4)
    return cell, cell + (1, -1, width, -width)[direction]


CLOBBER = Ruleset(
    name="clobber",
    title="Clobber",
    rules="A stone captures a neighbouring enemy stone by moving onto it.",
    list_moves=_list_clobbers,
    play=_play,
    points=_points,
    start="XOXOX/OXOXO/XOXOX/OXOXO/XOXOX/OXOXO",
    pattern="XO",
    linked=pairs("XO"),
    needs="XO",
    least=2,
)

CANNIBAL_CLOBBER = Ruleset(
    name="cannibal_clobber",
    title="Cannibal Clobber",
    rules="A stone captures any neighbouring stone, of either colour, by moving onto it.",
    list_moves=_list_cannibal_clobbers,
    play=_play,
    points=_points,
    start="XOXO/OXOX/XOXO/OXOX",
    pattern="XO",
    linked=pairs("XO"),
    least=2,
)
