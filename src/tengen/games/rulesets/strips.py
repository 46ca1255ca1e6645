"""Elephants and Rhinos, and Toads and Frogs: on strips, `X` moves right and `O` left, onto empty cells.

On boards of several rows, each row is a strip of its own. A move is the cell that the animal leaves.
"""

from __future__ import annotations

from tengen.games.rulesets.ruleset import Ruleset, pairs


def _list_steps(cells, width, height, player, out, count):  # type: ignore[no-untyped-def]
    step = 1 - 2 * player
    for cell in range(width * height):
        column = cell % width + step
        if cells[cell] == player + 1 and 0 <= column < width and cells[cell + step] == 0:
            out[count] = 2 * cell
            count += 1
    return count


def _list_steps_and_jumps(cells, width, height, player, out, count):  # type: ignore[no-untyped-def]
    step = 1 - 2 * player
    for cell in range(width * height):
        column = cell % width
        if cells[cell] != player + 1:
            continue
        if 0 <= column + step < width and cells[cell + step] == 0:
            out[count] = 2 * cell
            count += 1
        elif 0 <= column + 2 * step < width and cells[cell + step] == 2 - player and cells[cell + 2 * step] == 0:
            out[count] = 2 * cell + 1
            count += 1
    return count


def _play(cells, width, height, player, move):  # type: ignore[no-untyped-def]
    cell, step = move // 2, (1 - 2 * player) * (1 + move % 2)
    cells[cell + step] = cells[cell]
    cells[cell] = 0


def _points(move: int, width: int, height: int) -> tuple[int, ...]:
    return (move // 2,)


ELEPHANTS = Ruleset(
    name="elephants",
    title="Elephants and Rhinos",
    rules="Elephants (X) step to the right, rhinos (O) to the left, onto an empty cell.",
    list_moves=_list_steps,
    play=_play,
    points=_points,
    start="X.X..O.O/X..X.O.O",
    max_moves=lambda board: len(board.cells),
    move_codes=lambda cells: 2 * cells,
    reach=1,
    linked=pairs(".XO") - {"XO"},  # an elephant facing a rhino blocks both for good
    needs=".",
    least=2,
    images=(0,),
    negative_image=1,
)

TOADS_AND_FROGS = Ruleset(
    name="toads_and_frogs",
    title="Toads and Frogs",
    rules="Toads (X) step to the right or jump over a frog, frogs (O) to the left or over a toad.",
    list_moves=_list_steps_and_jumps,
    play=_play,
    points=_points,
    start="XX...OO/XXX.OOO",
    max_moves=lambda board: len(board.cells),
    move_codes=lambda cells: 2 * cells,
    reach=1,
    linked=pairs(".XO"),
    needs=".",
    least=2,
    images=(0,),
    negative_image=1,
)
