"""The daily puzzle and the puzzles that ship: proved answers, the same for everybody, a friendly streak."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

import tengen
from tengen.app import daily_puzzle as daily
from tengen.app.daily_puzzle import DailyRecord, daily_puzzle
from tengen.app.puzzle_files import (
    SHIPPED_KINDS,
    PuzzleFileError,
    read_puzzle_file,
    shipped_file,
    shipped_puzzles,
    write_puzzle_file,
)
from tengen.app.puzzle_stock import PuzzleStock
from tengen.app.puzzles import puzzle_kind
from tengen.cli import run
from tengen.engines.go.puzzles.capture_problems import prove_capture
from tengen.engines.go.puzzles.connection_problems import prove_connection
from tengen.engines.go.puzzles.life_problems import prove_life, zone_of
from tengen.engines.go.puzzles.problem import Goal, Problem, stones_of, string_at
from tengen.engines.pente.threats.brute_force import winning_moves
from tengen.search.report import Kind
from tengen.store.puzzles import Puzzle
from tests.helpers.go_life import life_of

MONDAY = date(2026, 11, 16)


def position_of(puzzle: Puzzle) -> tengen.Position:
    return tengen.game(puzzle.game, **dict(puzzle.options)).start().play_all(puzzle.moves)


def right_by_proof(puzzle: Puzzle) -> set[str]:
    """The right moves, found again by a solver or by trying everything."""
    position = position_of(puzzle)
    if puzzle.kind == "pente-win":
        assert not winning_moves(position, 1)
        return set(position.write_moves(winning_moves(position, 2)))
    if puzzle.kind == "go-capture":
        rows = str(puzzle.options["board"]).split()[0]
        problem = prove_capture(rows, puzzle.marked)
        assert problem is not None
        assert f"in {problem.moves} moves" in puzzle.task
        return set(problem.right)
    if puzzle.kind == "go-connection":
        rows = str(puzzle.options["board"]).split()[0]
        goal = Goal.CUT if " cut " in puzzle.task else Goal.CONNECT
        one, other = Problem(goal, rows, puzzle.marked, puzzle.right, (), ()).targets
        position = position_of(puzzle)
        stones = stones_of(position)
        zone = zone_of(Problem(goal, rows, (one,), puzzle.right, (), ()), life_of(9, 9))
        problem = prove_connection(rows, goal, string_at(stones, one), string_at(stones, other), zone)
        assert problem is not None
        assert problem.stones == puzzle.marked
        return set(problem.right)
    if puzzle.kind in ("go-life", "go-race"):
        rows = str(puzzle.options["board"]).split()[0]
        problem = prove_life(rows, Goal.KILL if "kill" in puzzle.task else Goal.LIVE, life_of(9, 9))
        assert problem is not None
        assert problem.stones == puzzle.marked
        return set(problem.right)
    report = tengen.solve(position, every_move=True)
    values = {one.move: one.value.amount for one in report.candidates}
    assert values == {one.move: one.value.amount for one in puzzle.report.candidates}
    return {move for move, amount in values.items() if amount == max(values.values())}


@pytest.mark.parametrize("kind", SHIPPED_KINDS)
def test_shipped_puzzles_have_proved_answers(kind: str) -> None:
    stock = shipped_puzzles(kind)
    assert len(stock) >= 60
    assert len({puzzle.digest for puzzle in stock}) == len(stock)
    for puzzle in stock[7::20]:
        assert set(puzzle.right) == right_by_proof(puzzle)


@pytest.mark.parametrize("kind", SHIPPED_KINDS)
def test_shipped_puzzles_are_small_and_complete(kind: str) -> None:
    assert PuzzleStock  # its module registers all kinds
    data = json.loads(shipped_file(kind).read_text())
    assert data["made"]["command"].startswith(f"tengen puzzles {kind} ")
    assert shipped_file(kind).stat().st_size < 40_000
    assert puzzle_kind(kind).game in kind
    for puzzle in shipped_puzzles(kind):
        position = position_of(puzzle)
        legal = set(position.write_moves(position.legal_moves))
        shown = {one.move for one in puzzle.report.candidates}
        assert set(puzzle.right) <= shown <= legal
        assert position.game.players[position.to_move] in puzzle.task
        assert all(one.value.kind is Kind.EXACT for one in puzzle.report.candidates)
        assert puzzle.report.candidates[0].move in puzzle.right
        stones = position.diagram().contents()
        assert all(stones[point] for point in puzzle.marked)


def test_puzzle_files_are_read_again_and_bad_ones_refused(tmp_path: Path) -> None:
    file = tmp_path / "some.json"
    some = shipped_puzzles("go-life")[:3]
    write_puzzle_file(file, some, {"command": "test"})
    again = read_puzzle_file(file)
    assert [(one.digest, one.task, one.right, one.report, one.marked) for one in again] == [
        (one.digest, one.task, one.right, one.report, one.marked) for one in some
    ]
    file.write_text('{"puzzles": [{"kind": 3}]}')
    with pytest.raises(PuzzleFileError, match="not a file of puzzles"):
        read_puzzle_file(file)
    with pytest.raises(PuzzleFileError, match="no puzzles"):
        read_puzzle_file(tmp_path / "none.json")


def test_the_puzzle_of_a_day_is_the_same_for_everybody_and_the_games_take_turns() -> None:
    days = [daily_puzzle(MONDAY + timedelta(days=number)) for number in range(240)]
    assert daily_puzzle(MONDAY).puzzle is days[0].puzzle
    for start in range(236):
        assert len({one.game for one in days[start : start + 4]}) == 4
    assert len({one.puzzle.digest for one in days}) == len(days)  # eight months without a repetition
    assert {"go-capture", "go-life"} <= {one.puzzle.kind for one in days}


def test_moves_are_checked() -> None:
    one = daily_puzzle(MONDAY)
    assert one.position.game.name == one.game
    assert one.side_to_move == one.position.to_move
    assert one.task
    right = one.check(one.puzzle.right[0])
    assert right.is_right
    assert one.puzzle.right[0] in right.text
    assert not one.check("nonsense").is_right
    wrong = next(move.move for move in one.puzzle.report.candidates if move.move not in one.puzzle.right)
    assert not one.check(wrong).is_right


def test_the_streak_counts_days_in_a_row() -> None:
    record = DailyRecord()
    assert record.describe(MONDAY) == ""
    for number in range(3):
        record = record.with_solved(MONDAY + timedelta(days=number))
        record = record.with_solved(MONDAY + timedelta(days=number))  # solved twice on the same day
    assert (record.streak, record.best, record.solved) == (3, 3, 3)
    thursday = MONDAY + timedelta(days=3)
    assert record.describe(thursday) == "3 days in a row"  # today may still be solved
    assert not record.is_solved(thursday)
    friday = thursday + timedelta(days=1)
    assert record.describe(friday) == ""  # no reproach
    record = record.with_solved(friday)
    assert (record.streak, record.best, record.solved) == (1, 3, 4)
    assert record.describe(friday) == "1 day in a row"
    assert DailyRecord.from_option(record.to_option()) == record
    for damaged in (None, "x", {}, {"last": "soon"}, {**record.to_option(), "streak": -4}):
        assert DailyRecord.from_option(damaged) == DailyRecord()
    assert daily.OPTION == "daily"  # stored with visitors


def test_the_command_makes_the_shipped_puzzles_again(tmp_path: Path) -> None:
    file = tmp_path / "go-life.json"
    assert run(["puzzles", "go-life", str(file), "--count", "3"]) == 0
    assert [one.digest for one in read_puzzle_file(file)] == [one.digest for one in shipped_puzzles("go-life")[:3]]
    assert run(["puzzles", "no-such-kind", str(file)]) == 2
