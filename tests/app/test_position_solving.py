"""Solving files of positions: in worker processes, resumed, with verified lines and time limits."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tengen
from tengen.app.position_solving import (
    BATCH,
    SolvedPosition,
    SolvingMethod,
    line_holds,
    solve_batch,
    solve_positions,
)
from tengen.cli import app
from tengen.core.position import Position
from tengen.engines import registry
from tengen.games import records
from tengen.games.records import Record
from tengen.jobs import Checkpoint, Progress
from tengen.players.config import EngineConfig
from tengen.search.limits import StopFlag
from tengen.search.report import Kind, Value
from tengen.search.solve import solve
from tests.helpers.book_stub import play_out

SMALL = tengen.game("othello", size=4)
METHOD = SolvingMethod(EngineConfig("alphabeta", book=False), verify=True)


def positions(count: int) -> Iterator[tuple[int, Position]]:
    rng = random.Random(2)
    for number in range(1, count + 1):
        line = play_out(SMALL, [rng.randrange(20) for _ in range(rng.randrange(3, 7))])
        yield number, next(position for position in reversed(line) if not position.is_over)


def test_results_come_in_order_and_are_resumed(tmp_path: Path) -> None:
    given = list(positions(2 * BATCH + 3))
    progress: list[Progress] = []

    def solve_all(method: SolvingMethod = METHOD) -> list[tuple[int, Position, SolvedPosition]]:
        progress.clear()
        checkpoint = Checkpoint(tmp_path / "run.jobs", method.name([SMALL]))
        with ThreadPoolExecutor(2) as executor:
            found = solve_positions(
                method,
                given,
                executor=executor,
                checkpoint=checkpoint,
                bar=progress.append,  # type: ignore[arg-type]
            )
            return list(found)

    first = solve_all()
    assert [number for number, _, _ in first] == [number for number, _ in given]
    assert progress[-1].done == progress[-1].total == len(given)
    engine = registry.create("alphabeta", SMALL)
    for (_, position, solved), (_, expected) in zip(first, given, strict=True):
        assert position is expected
        assert solved.report.value.amount == solve(engine, position).value.amount
        assert solved.line_holds
    again = solve_all()
    assert progress[-1].resumed == len(given)
    assert [one[2].report for one in again] == [one[2].report for one in first]


def test_a_file_may_have_several_games() -> None:
    given = [(1, tengen.game("clobber", size=6).start()), (2, SMALL.start().play_all(["b1"]))]
    with ThreadPoolExecutor(1) as executor:
        found = list(solve_positions(SolvingMethod(EngineConfig("", book=False)), given, executor=executor))
    assert [solved.report.value.unit for _, _, solved in found] == ["wins", "discs"]
    assert all(solved.report.value.kind is Kind.EXACT for _, _, solved in found)


def test_the_name_of_a_method_tells_the_engines_of_all_games_and_their_tables() -> None:
    method = SolvingMethod(EngineConfig("", book=False), table=7)
    games = [tengen.game("othello"), tengen.game("clobber", size=6)]
    assert 7 in dict(method.config_for(games[0]).settings).values()
    assert method.name(games) != method.name(games[:1])
    assert method.name(games[:1]) != replace(method, table=8).name(games[:1])


def test_a_line_is_not_judged_if_there_is_no_time() -> None:
    (_, position), *_ = positions(1)
    engine = registry.create("alphabeta", SMALL)
    report = solve(engine, position)
    best = replace(report.candidates[0], line=report.line[:1])
    report = replace(report, candidates=(best, *report.candidates[1:]))
    stop = StopFlag()
    stop.set()
    assert line_holds(engine, position, report, stop) is None
    assert line_holds(engine, position, report)


def test_a_wrong_line_is_noticed() -> None:
    (_, position), *_ = positions(1)
    engine = registry.create("alphabeta", SMALL)
    report = solve(engine, position)
    assert line_holds(engine, position, report)
    other = replace(report, value=Value.exact(report.value.amount + 2, "discs"))
    assert not line_holds(engine, position, other)
    if len(report.line) > 2:
        assert line_holds(engine, position, replace(report, candidates=report.candidates))


def test_the_time_for_a_position_is_limited() -> None:
    start = tengen.game("othello", size=6).start()
    method = SolvingMethod(EngineConfig("alphabeta", book=False), seconds=0.2)
    (found,) = solve_batch(method, [(start.game, ())])
    assert found.report.value.kind is not Kind.EXACT
    assert found.line_holds is None


@pytest.mark.parametrize("extra", [[], ["--workers", "1", "--checkpoint", "run.jobs"]])
def test_the_summary_of_a_file(extra: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    some = [position for _, position in positions(5)]
    lines = [
        records.serialise([Record.of(SMALL.with_setup(rows(one), one.to_move).start())], "obf").data
        for one in some
    ]
    best = solve(registry.create("alphabeta", SMALL), some[0])
    wrong = f"{lines[0].decode().strip()} {best.best}:{best.value.amount + 2:+g};\n".encode()
    Path("endings.obf").write_bytes(wrong + b"".join(lines[1:]))
    result = CliRunner().invoke(app, ["solve", "endings.obf", "--engine", "alphabeta", "--verify", *extra])
    assert result.exit_code == 1
    assert "WRONG: the file has" in result.output
    assert "5 solved" in result.output
    assert "0 of 1 agree with the file; 5 of 5 lines hold" in result.output.replace("\n", " ")
    assert not Path("run.jobs").exists()


def rows(position: Position) -> list[str]:
    text = SMALL.text(position).split()[0]
    return [text[i : i + 4] for i in range(0, 16, 4)]
