"""Domineering: Left places vertical dominoes, Right horizontal ones. A move is the upper or left cell."""

from __future__ import annotations

from tengen.games.rulesets.ruleset import Ruleset


def _list_moves(cells, width, height, player, out, count):  # type: ignore[no-untyped-def]
    for cell in range(width * height):
        if cells[cell] != 0:
            continue
        if player == 0:
            fits = cell + width < width * height and cells[cell + width] == 0
        else:
            fits = cell % width + 1 < width and cells[cell + 1] == 0
        if fits:
            out[count] = 2 * cell + player
            count += 1
    return count


def _play(cells, width, height, player, move):  # type: ignore[no-untyped-def]
    cell = move // 2
    cells[cell] = player + 1
    cells[cell + (1 if move % 2 else width)] = player + 1


def _points(move: int, width: int, height: int) -> tuple[int, ...]:
    cell, across = divmod(move, 2)
    return cell, cell + (1 if across else width)


DOMINEERING = Ruleset(
    name="domineering",
    title="Domineering",
    rules="Place a domino on two empty cells: the first player vertically, the second horizontally.",
    list_moves=_list_moves,
    play=_play,
    points=_points,
    symbols=".XO#",
    start="....../....../....../....../....../......",
    pattern=".",
    max_moves=lambda board: len(board.cells),
    move_codes=lambda cells: 2 * cells,
    linked=frozenset({".."}),
    least=2,
    outside="#",
    canonical=".###",
    images=(0, 1, 2, 3),
    negative_image=4,
    swaps_colours=False,
)
