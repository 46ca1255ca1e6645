"""Piskvork's .psq files."""

from __future__ import annotations

import pytest

from tengen.games import game, records
from tengen.games.records import Node, Record, RecordError
from tests.helpers.sample_records import PENTE


def test_a_tournament_game() -> None:
    (record,) = records.parse(PENTE["psq"][0])
    assert record.source == "psq"
    assert record.game == game("pente", variant="gomoku", exact=False, size=15)
    assert record.names == ("pbrain-a.zip", "b")
    assert [record.game.write_move(move) for move in record.moves()] == ["H8", "J8", "H7", "A1"]
    assert [node.seconds for node in record.nodes()[1:]] == [None, 1.5, 0.012, 0.001]
    written = records.serialise([record], "psq")
    assert written.dropped == []
    assert written.data.startswith(b"Piskvorky 15x15, 0:0, 0\n8,8,0\n9,8,1500\n")
    assert list(records.parse(written.data)) == [record]


def test_the_second_player_began() -> None:
    text = "Piskvorky 15x15, 11:11, 1\n8,8,0\nfirst.zip\nsecond.zip\n-1\n"
    (record,) = records.parse(text)
    assert record.names == ("second.zip", "first.zip")


def test_several_games_in_a_file() -> None:
    found = list(records.parse(PENTE["psq"][1]))
    assert [record.game.options()["size"] for record in found] == [9, 5]
    assert [len(record.moves()) for record in found] == [2, 1]


def test_a_game_that_goes_on_after_an_overline_is_read_as_exactly_five() -> None:
    black = [(1, 1), (2, 1), (3, 1), (5, 1), (6, 1), (4, 1), (9, 9)]
    white = [(1, 3), (3, 3), (5, 3), (1, 5), (3, 5), (5, 5)]
    order = [point for pair in zip(black, [*white, (0, 0)], strict=True) for point in pair][:-1]
    text = "Piskvorky 9x9, 0:0, 0\n" + "".join(f"{x},{y},0\n" for x, y in order) + "-1\n"
    (record,) = records.parse(text)
    assert record.game == game("pente", variant="gomoku", size=9)
    assert record.notes == ["the game goes on after a longer row, so exactly five win"]
    (shorter,) = records.parse(text.replace("9,9,0\n", ""))
    assert shorter.game.options()["exact"] is True  # White's last move comes after the row as well
    assert records.serialise([record], "psq").dropped == ["the rule that exactly five win"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("Piskvorky 20x20, 11:11, 0\n1,1,0\n", "line 1: .*size should be 5 to 19, not 20"),
        ("Piskvorky 15x19, 11:11, 0\n", "line 1: .*only square boards"),
        ("Piskvorky 15, 0:0\n", "line 1: expected Piskvorky"),
        ("Piskvorky 9x9, 0:0, 0\n9,9,0\n10,1,0\n", "line 3: 10,1 is not on the board of 9x9"),
        ("Piskvorky 9x9, 0:0, 0\n0,1,0\n", "line 2: 0,1 is not on the board"),
        ("Piskvorky 9x9, 0:0, 0\n1,1,0\n1;2,0\n3,3,0\n", "line 3: expected a move as 8,8,0"),
        ("Piskvorky 9x9, 0:0, 0\n1,1,0\n\n3,3,0\n-1\n", "line 3: expected a move as 8,8,0, not ''"),
        ("Piskvorky 9x9, 0:0, 0\n1;1,0\n2;2,0\n3,3,0\n-1\n", "line 2: expected a move"),
        ("Piskvorky 9x9, 0:0, 0\n1,1,0\n1,1,0\n-1\n", "there is a stone"),
    ],
)
def test_bad_files_are_refused_with_the_place(text: str, error: str) -> None:
    with pytest.raises(RecordError, match=error):
        list(records.parse(text))


def test_only_gomoku_is_written() -> None:
    with pytest.raises(RecordError, match="only games of gomoku"):
        records.serialise([Record(game("pente"))], "psq")
    record = Record(game("pente", variant="gomoku", exact=False, size=15))
    record.names = ("12", "two\nlines")
    record.root.add(Node(record.game.read_move("H8", record.game.start())))
    assert records.serialise([record], "psq").data == (
        b"Piskvorky 15x15, 0:0, 0\n8,8,0\nplayer 12\ntwo lines\n-1\n"
    )
