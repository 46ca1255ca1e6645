"""Toppling Dominoes: topple a domino of one's own colour, or a neutral one, to the left or right; all dominoes
in that direction fall with it.

`X`, `O` and `#` are dominoes; `.` has fallen. A move is `2 * cell`, plus 1 to the left.
"""

from __future__ import annotations

from tengen.games.rulesets.ruleset import Ruleset, pairs


def _list_moves(cells, width, height, player, out, count):  # type: ignore[no-untyped-def]
    for cell in range(width * height):
        if cells[cell] == player + 1 or cells[cell] == 3:
            out[count] = 2 * cell
            out[count + 1] = 2 * cell + 1
            count += 2
    return count


def _play(cells, width, height, player, move):  # type: ignore[no-untyped-def]
    cell, step = move // 2, 1 - 2 * (move % 2)
    row = cell // width
    while 0 <= cell < width * height and cell // width == row and cells[cell] != 0:
        cells[cell] = 0
        cell += step


def _points(move: int, width: int, height: int) -> tuple[int, ...]:
    cell, left = divmod(move, 2)
    if left:
        return (cell, cell - 1) if cell % width else (cell, cell)
    return (cell, cell + 1) if cell % width + 1 < width else (cell, cell)


TOPPLING_DOMINOES = Ruleset(
    name="toppling_dominoes",
    title="Toppling Dominoes",
    rules="Topple your own or a neutral domino to the left or right: all dominoes on that side fall too.",
    list_moves=_list_moves,
    play=_play,
    points=_points,
    symbols=".XO#",
    start="XOX#OXO/OXXO#XO/XO#OXOX",
    max_moves=lambda board: 2 * len(board.cells),
    move_codes=lambda cells: 2 * cells,
    reach=1,
    linked=pairs("XO#"),
    images=(0, 1),
)
