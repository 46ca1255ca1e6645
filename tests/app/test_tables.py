"""Results as tables: rows, CSV and Parquet."""

from __future__ import annotations

import csv
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

import tengen
from tengen.app.table_files import check_table, write_rows
from tengen.app.tables import GAME_COLUMNS
from tengen.arena.game_runner import PlayedGame
from tengen.arena.match_score import MatchScore
from tengen.games.records import Record

OTHELLO = tengen.game("othello", size=4)
LINE = OTHELLO.start().play_all(["b1", "a1", "a2"])


def test_a_row_for_each_game() -> None:
    record = Record.of(LINE)
    record.names, record.result, record.date = ("Ann", "Ben"), "B+2", "2024-05-01"
    (row,) = tengen.rows(record)
    assert tuple(row) == GAME_COLUMNS
    assert (row["game"], row["options"], row["first"], row["moves"]) == ("othello", "size=4", "Ann", 3)
    assert row["line"] == "b1 a1 a2"
    assert [one["game_number"] for one in tengen.rows([record, record])] == [1, 2]


def test_a_row_for_each_move_of_a_review() -> None:
    review = tengen.review(LINE, depth=12)
    found = tengen.rows(review)
    assert [row["ply"] for row in found] == [1, 2, 3]
    assert [row["player"] for row in found] == ["first", "second", "first"]
    assert {row["kind"] for row in found} == {"exact"}
    assert [row["loss"] for row in found] == [move.loss for move in review.moves]


def test_a_row_for_each_candidate_of_a_report() -> None:
    report = tengen.analyse(OTHELLO.start(), depth=3, lines=3)
    found = tengen.rows(report)
    assert [row["rank"] for row in found] == list(range(1, len(report.candidates) + 1))
    assert found[0]["move"] == report.best
    assert found[0]["line"] == " ".join(report.candidates[0].line)


def test_a_row_for_each_game_of_a_match() -> None:
    score = MatchScore(("A", "B"))
    for number, winner in enumerate((0, None)):
        about = (number, "id", datetime(2024, 1, 1, tzinfo=UTC), number, 7, (1, 2, 3), (0.1,) * 3)
        score.add(PlayedGame(*about, winner, "B+1", "no moves", (1.0, 2.0), (10, 20), 3.5))
    first, second = tengen.rows(score)
    assert (first["first"], first["winner"], first["first_nodes"], first["second_nodes"]) == ("A", "A", 10, 20)
    assert (second["first"], second["winner"], second["first_nodes"], second["pair"]) == ("B", None, 20, 0)
    played = tengen.match("random:1nodes", "random:1nodes", OTHELLO, rounds=1)
    assert len(tengen.rows(played)) == 2


def test_csv_and_parquet_have_the_same_cells(tmp_path: Path) -> None:
    from pyarrow import parquet

    found = tengen.rows(tengen.review(LINE, depth=4))
    write_rows(tmp_path / "moves.csv", found)
    write_rows(tmp_path / "moves.parquet", found)
    write_rows(tmp_path / "none.parquet", [])
    assert parquet.read_table(tmp_path / "moves.parquet").to_pylist() == found
    with (tmp_path / "moves.csv").open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert read == [{name: "" if cell is None else str(cell) for name, cell in row.items()} for row in found]


def test_parquet_without_pyarrow_is_refused_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    check_table(Path("x.csv"))
    check_table(None)
    with pytest.raises(tengen.errors.OptionError, match=r"tengen\[parquet\]"):
        check_table(Path("x.parquet"))
