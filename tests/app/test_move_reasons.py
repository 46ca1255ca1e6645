"""Reasons for moves, derived from the rules."""

from __future__ import annotations

from typing import Any

import pytest

import tengen
from tengen.app.move_reasons import move_reasons
from tengen.core.translation import use_language


def texts(game: str, move: str, **options: Any) -> list[str]:
    return [reason.text for reason in move_reasons(tengen.game(game, **options).start(), move)]


def go(rows: str, move: str) -> list[str]:
    return texts("go", move, board=rows)


def test_go_captures_atari_and_connections() -> None:
    taken = go("...../..X../.XO../..X../..... X", "D3")
    assert taken == ["captures 1 stone"]
    saved = go("...../..X../.XO../..X../..... O", "D3")
    assert saved == ["takes 1 stone out of atari"]
    assert "puts 1 stone in atari" in go("...../..X../.XO../...../..... X", "D3")
    assert "connects 2 strings" in go("...../...../.X.X./...../..... X", "C3")
    assert go("...../...../...../...../.XO.. O", "A1") == ["puts 1 stone in atari", "leaves 1 own stone in atari"]


def test_othello_corners_passes_and_mobility() -> None:
    corner = "-OX-----" + "-" * 56 + " X"
    assert any("corner" in text or "ends the game" in text for text in texts("othello", "a1", board=corner))
    start = move_reasons(tengen.game("othello").start(), "f5")
    assert [reason.text for reason in start] == ["leaves White only 3 moves"]
    assert all(reason.is_fact for reason in start)


def test_othello_warns_of_a_corner_given_away() -> None:
    # After b2, White can take a1 along the diagonal.
    rows = ["........", "........", "..O.....", "...X....", "...OX...", ".....O..", "........", "........"]
    found = texts("othello", "b2", board="".join(rows).replace(".", "-") + " X")
    assert "lets White take the corner a1" in found


@pytest.mark.parametrize(
    ("rows", "move", "text"),
    [
        (
            "........./........./........./........./..XXX..../........./........./........./......... X",
            "F5",
            "makes an open four",
        ),
        (
            "........./........./........./........./.OXXX..../........./........./........./......... X",
            "F5",
            "threatens 5 in a row",
        ),
        (
            "........./........./........./........./..XX...../........./........./........./......... X",
            "E5",
            "makes an open three",
        ),
        (
            "........./........./........./........./XXXX...../........./........./........./......... O",
            "E5",
            "stops 5 in a row",
        ),
        (
            "........./........./........./........./..XXX..../........./........./........./......... O",
            "F5",
            "stops an open four",
        ),
        (
            "........./........./........./........./.XOO...../........./........./........./......... X",
            "E5",
            "captures 2 stones",
        ),
        (
            "........./........./........./........./..OO...../........./........./........./......... X",
            "E5",
            "threatens to capture 2 stones",
        ),
        (
            "........./........./........./........./.OX....../........./........./........./......... X",
            "D5",
            "White can then capture 2 stones",
        ),
    ],
)
def test_pente_rows_threats_and_captures(rows: str, move: str, text: str) -> None:
    assert text in texts("pente", move, size=9, board=rows)


def test_pente_five_in_a_row_ends_the_game() -> None:
    rows = "........./........./........./........./XXXX...../........./........./........./......... X"
    (text,) = texts("pente", "E5", size=9, board=rows)
    assert text.startswith("ends the game: Black wins")


def test_clobber_parts_and_moves() -> None:
    found = texts("clobber", "5-4", board="XOXOXOXO")
    assert found[0] == "splits the board into 2 parts"
    assert any("moves" in text for text in found)


def test_an_illegal_move_and_a_pass_have_no_reasons() -> None:
    assert texts("go", "pass", size=5) == []
    assert texts("othello", "a1") == []


def test_the_result_of_a_last_move_is_in_the_language_of_the_reader() -> None:
    with use_language("de"):
        assert texts("clobber", "1-2", board="XO") == ["beendet die Partie: Schwarz gewinnt: Weiß hat keinen Zug"]
