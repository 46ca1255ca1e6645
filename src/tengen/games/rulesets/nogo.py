"""NoGo: players place stones as in Go, but capturing and suicide are forbidden. A move is a cell."""

from __future__ import annotations

from tengen.games.rulesets.ruleset import Ruleset, pairs


def _list_moves(cells, width, height, player, out, count):  # type: ignore[no-untyped-def]
    size = width * height
    scratch = len(out) - size  # where the cells of a block are listed
    for point in range(size):
        if cells[point] != 0:
            continue
        cells[point] = player + 1
        legal = True
        for which in range(5):  # the block of the new stone, then the enemy blocks beside it
            row, column = point // width, point % width
            if which > 0:
                row += (which - 1) // 2 * (7 - 2 * which)
                column += (1 - (which - 1) // 2) * (3 - 2 * which)
            if not (0 <= row < height and 0 <= column < width):
                continue
            start = row * width + column
            if which > 0 and cells[start] != 2 - player:
                continue
            colour = cells[start]
            out[scratch] = start
            cells[start] = colour + 4  # listed
            head, tail = 0, 1
            free = False
            while head < tail:
                cell = out[scratch + head]
                head += 1
                for direction in range(4):
                    r = cell // width + direction // 2 * (5 - 2 * direction)
                    c = cell % width + (1 - direction // 2) * (1 - 2 * direction)
                    if 0 <= r < height and 0 <= c < width:
                        near = r * width + c
                        if cells[near] == 0:
                            free = True
                        elif cells[near] == colour:
                            cells[near] = colour + 4
                            out[scratch + tail] = near
                            tail += 1
            for index in range(tail):
                cells[out[scratch + index]] = colour
            if not free:
                legal = False
                break
        cells[point] = 0
        if legal:
            out[count] = point
            count += 1
    return count


def _play(cells, width, height, player, move):  # type: ignore[no-untyped-def]
    cells[move] = player + 1


NOGO = Ruleset(
    name="nogo",
    title="NoGo",
    rules="Place a stone on an empty point; every group must keep a liberty, so nothing is ever captured.",
    list_moves=_list_moves,
    play=_play,
    points=lambda move, width, height: (move,),
    symbols=".XO#",
    pattern=".",
    max_moves=lambda board: len(board.cells),
    move_codes=lambda cells: cells,
    linked=pairs(".XO") - {"XO", "OX"},  # neighbouring enemy stones do not matter to each other
    needs=".",
    outside="#",
)
