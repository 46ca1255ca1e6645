"""GIB, NGF and OGS files: what is read from them, and errors with their place."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import tengen
from tengen.core.errors import OptionError
from tengen.games import records
from tengen.games.go import Go
from tengen.games.records import Record, RecordError
from tests.helpers.damaged_records import damaged, outcome
from tests.helpers.sample_records import GO_SERVERS


def only(data: bytes) -> Record:
    (record,) = records.parse(data)
    return record


def moves(record: Record) -> str:
    line = record.positions()
    return " ".join(
        f"{'BW'[step.parent.to_move]}:{step.game.write_move(step.move)}"
        for step in line
        if step.parent is not None and step.move is not None
    )


def test_gib() -> None:
    record = only(GO_SERVERS["gib"][0])
    assert record.source == "gib"
    assert record.names == ("홍길동", "Lee")
    assert record.ratings == ("9단", "3D")
    assert (record.date, record.place, record.result) == ("2013-01-02", "Tygem", "W+2.5")
    assert record.game == tengen.game("go", rules="japanese", komi=6.5)
    assert moves(record) == "B:Q16 W:D4 B:Q4 W:pass B:C17"
    handicap = only(GO_SERVERS["gib"][1])
    assert isinstance(handicap.game, Go)
    assert (handicap.game.handicap, handicap.game.komi, handicap.result) == (5, 0.5, "B+R")
    assert handicap.game.start().diagram().stones[9][9] == 1
    assert moves(handicap) == "W:F17 B:R14"


def test_ngf() -> None:
    record = only(GO_SERVERS["ngf"][0])
    assert (record.names, record.ratings) == (("Kim", "Lee"), ("1k", "9D"))
    assert (record.event, record.date, record.result) == ("Rated game", "2013-01-02", "W+3.5")
    assert record.game == tengen.game("go", rules="japanese", komi=6.5)
    assert moves(record) == "B:Q16 W:D4 B:Q4 W:pass"
    handicap = only(GO_SERVERS["ngf"][1])
    assert isinstance(handicap.game, Go)
    assert (handicap.game.handicap, handicap.game.komi, handicap.result) == (2, 0, "B+R")
    assert moves(handicap) == "W:E5"


def test_ogs() -> None:
    record = only(GO_SERVERS["ogs"][0])
    assert (record.names, record.ratings) == (("ann", "bob"), ("2d", "18k"))
    assert (record.event, record.date, record.place, record.result) == ("Friendly", "2024-01-31", "OGS", "W+2.5")
    assert record.game == tengen.game("go", size=9, rules="chinese", komi=5.5)
    assert moves(record) == "B:E5 W:C7 B:pass"
    free = only(GO_SERVERS["ogs"][1])
    assert moves(free) == "B:C11 B:G7 W:C7 B:G11"
    fixed = only(GO_SERVERS["ogs"][2])
    assert (moves(fixed), fixed.result) == ("W:E5 B:pass W:E6", "B+R")
    assert isinstance(fixed.game, Go)
    assert fixed.game.handicap == 2


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (GO_SERVERS["gib"][0].replace(b"15 3 ", b"15 19"), "line 14, column 1: the move is off the board"),
        (GO_SERVERS["gib"][0].replace(b"STO 0 3 2", b"STO 0 3 7"), "line 15, column 1: expected a move as STO"),
        (GO_SERVERS["gib"][1].replace(b"1 5 &", b"1 12 &"), "a handicap has 2 to 9 stones, not 12"),
        (GO_SERVERS["ngf"][1].replace(b"FFFF", b"KKKK"), "line 13, column 1: the move is off the board"),
        (GO_SERVERS["ngf"][0].replace(b"PMACW", b"PMACX"), "line 14, column 1: expected a move as PM"),
        (GO_SERVERS["ogs"][0].replace(b"[4,4", b"[4,9"), "move 1 is off the board"),
        (GO_SERVERS["ogs"][0].replace(b":9,", b":99,"), "width should be a whole number from 1 to 25"),
        (GO_SERVERS["ogs"][0][:-5], "line 1, column"),
        (b'{"moves":' + b"[" * 100_000 + b'"width" "komi"', "nested too deeply"),
    ],
)
def test_errors_have_a_place(data: bytes, words: str) -> None:
    with pytest.raises(RecordError) as caught:
        only(data)
    assert words in str(caught.value)
    assert caught.value.place


@pytest.mark.parametrize("form", GO_SERVERS)
def test_damaged_files_are_games_or_errors(form: str) -> None:
    rng = random.Random(form)
    results = {outcome(damaged(rng, GO_SERVERS[form])) for _ in range(150)}
    assert results == {"games", "error"}


@pytest.mark.parametrize("form", GO_SERVERS)
def test_they_are_only_read(form: str, tmp_path: Path) -> None:
    record = only(GO_SERVERS[form][0])
    with pytest.raises(RecordError, match="only read"):
        records.serialise([record], form)
    with pytest.raises(OptionError, match=r"written to files that end in \.pgn, \.sgf, \.txt"):
        records.write([record], tmp_path / f"game{records.format_named(form).suffixes[0]}")
    assert records.write([record], tmp_path / "game.sgf") == []
    (again,) = records.read(tmp_path / "game.sgf")
    assert moves(again) == moves(record)
    assert again.names == record.names
