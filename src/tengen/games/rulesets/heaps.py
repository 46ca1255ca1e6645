"""Impartial games with rows of counters (`#`): Kayles and Nim."""

from __future__ import annotations

from tengen.games.rulesets.ruleset import Ruleset


def _list_kayles(cells, width, height, player, out, count):  # type: ignore[no-untyped-def]
    for cell in range(width * height):
        if cells[cell] != 0:
            out[count] = 2 * cell
            count += 1
            if cell % width + 1 < width and cells[cell + 1] != 0:
                out[count] = 2 * cell + 1
                count += 1
    return count


def _play_kayles(cells, width, height, player, move):  # type: ignore[no-untyped-def]
    cells[move // 2] = 0
    if move % 2:
        cells[move // 2 + 1] = 0


def _kayles_points(move: int, width: int, height: int) -> tuple[int, ...]:
    cell, pair = divmod(move, 2)
    return (cell, cell + 1) if pair else (cell,)


def _list_nim(cells, width, height, player, out, count):  # type: ignore[no-untyped-def]
    for cell in range(width * height):
        if cells[cell] != 0:
            out[count] = cell
            count += 1
    return count


def _play_nim(cells, width, height, player, move):  # type: ignore[no-untyped-def]
    row, cell = move // width, move
    while cell < width * height and cell // width == row and cells[cell] != 0:
        cells[cell] = 0
        cell += 1


KAYLES = Ruleset(
    name="kayles",
    title="Kayles",
    rules="Knock down one pin, or two pins that stand side by side.",
    list_moves=_list_kayles,
    play=_play_kayles,
    points=_kayles_points,
    symbols=".#",
    start="#########/.#######.",
    pattern="#",
    max_moves=lambda board: 2 * len(board.cells),
    move_codes=lambda cells: 2 * cells,
    reach=1,
    linked=frozenset({"##"}),
    images=(0, 1),
    impartial=True,
    max_cells=4096,
)

NIM = Ruleset(
    name="nim",
    title="Nim",
    rules="Take counters from a row: the one you point at and all that follow it to the right.",
    list_moves=_list_nim,
    play=_play_nim,
    points=lambda move, width, height: (move,),
    symbols=".#",
    start="#......./###...../#####.../#######.",
    pattern="#",
    max_moves=lambda board: len(board.cells),
    move_codes=lambda cells: cells,
    reach=1,
    linked=frozenset({"##"}),
    images=(0,),
    impartial=True,
    max_cells=4096,
)
