"""Names of Othello openings."""

from __future__ import annotations

import pytest

import tengen
from tengen.core.position import Position
from tengen.games.othello.openings import OPENINGS

OTHELLO = tengen.game("othello")


def after(line: str, game: tengen.Game = OTHELLO) -> Position:
    return game.start().play_all([line[i : i + 2] for i in range(0, len(line), 2)])


def turned(line: str, number: int) -> str:
    """The line mirrored at one diagonal (1), at the other (2), or turned by half (3)."""
    out = []
    for column, row in zip("".join(line[::2]), line[1::2], strict=True):
        x, y = "abcdefgh".index(column), int(row) - 1
        x, y = ((x, y), (y, x), (7 - y, 7 - x), (7 - x, 7 - y))[number]
        out.append(f"{'abcdefgh'[x]}{y + 1}")
    return "".join(out)


@pytest.mark.parametrize("name", OPENINGS)
def test_each_opening_has_its_name_in_every_orientation(name: str) -> None:
    line = OPENINGS[name]
    for number in range(4):
        assert OTHELLO.opening_name(after(turned(line, number))) == name


def test_names_by_moves_and_by_position() -> None:
    assert OTHELLO.opening_name(OTHELLO.start()) == ""
    assert OTHELLO.opening_name(after("f5")) == ""
    assert OTHELLO.opening_name(after("f5d6c3d3c4f4")) == "Tiger"
    assert OTHELLO.opening_name(after("f5d6c3d3c4f4a1"[:-2] + "c5")) == "Tiger"
    assert OTHELLO.opening_name(after("f5f6e6d6c5f4")) == "Chimney", "the mirror image of the Cow line"
    swapped = after("e6f6f5f4e3")
    assert swapped.state == after("f5f6e6f4e3").state
    assert OTHELLO.opening_name(swapped) == "Cow", "the same position by another order of moves"


def test_other_boards_have_no_names() -> None:
    small = tengen.game("othello", size=6)
    assert small.opening_name(small.start().play_all([small.start().legal_moves[0]])) == ""
    go = tengen.game("go", size=9)
    assert go.opening_name(go.start()) == ""
    board = tengen.game("othello", board=f"{'-' * 27}OX------XO{'-' * 27} X")
    assert board.opening_name(board.start()) == ""
