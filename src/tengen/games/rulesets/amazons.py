"""Amazons on small boards: move an amazon like a chess queen, then shoot an arrow the same way from its new cell.

A move is `(origin * cells + target) * cells + arrow`, so boards have at most 40 cells.
"""

from __future__ import annotations

from tengen.games.rulesets.ruleset import Board, Ruleset, pairs


def _list_moves(cells, width, height, player, out, count):  # type: ignore[no-untyped-def]
    size = width * height
    for origin in range(size):
        if cells[origin] != player + 1:
            continue
        cells[origin] = 0  # the arrow may fly over the cell that the amazon has left
        for heading in range(9):
            if heading == 4:
                continue
            row, column = origin // width + heading // 3 - 1, origin % width + heading % 3 - 1
            while 0 <= row < height and 0 <= column < width and cells[row * width + column] == 0:
                target = row * width + column
                for flight in range(9):
                    if flight == 4:
                        continue
                    r, c = row + flight // 3 - 1, column + flight % 3 - 1
                    while 0 <= r < height and 0 <= c < width and cells[r * width + c] == 0:
                        out[count] = (origin * size + target) * size + r * width + c
                        count += 1
                        r, c = r + flight // 3 - 1, c + flight % 3 - 1
                row, column = row + heading // 3 - 1, column + heading % 3 - 1
        cells[origin] = player + 1
    return count


def _play(cells, width, height, player, move):  # type: ignore[no-untyped-def]
    size = width * height
    cells[move // (size * size)] = 0
    cells[move // size % size] = player + 1
    cells[move % size] = 3


def _points(move: int, width: int, height: int) -> tuple[int, ...]:
    size = width * height
    return move // (size * size), move // size % size, move % size


def _max_moves(board: Board) -> int:
    lines = board.width + board.height + 2 * min(board.width, board.height) - 4  # cells that a queen attacks
    return max(map(board.cells.count, (1, 2))) * lines * lines


AMAZONS = Ruleset(
    name="amazons",
    title="Amazons",
    rules="Move an amazon like a chess queen, then shoot an arrow the same way; arrows block cells for good.",
    list_moves=_list_moves,
    play=_play,
    points=_points,
    symbols=".XO#",
    start=".O../O.../...X/..X.",
    max_moves=_max_moves,
    move_codes=lambda cells: cells * cells * cells,
    reach=8,
    linked=pairs(".XO"),
    needs=".",
    least=2,
    outside="#",
    max_cells=40,
)
