"""Exact results: against a plain minimax, by an engine's own solver, and as `tengen solve` tells them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import tengen
from tengen import cli
from tengen.app.position_solving import SolvingMethod
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.engines.registry import create
from tengen.players.config import EngineConfig
from tengen.search.engine import OnProgress, Solver
from tengen.search.limits import StopFlag
from tengen.search.report import Candidate, Kind, Report, Value
from tengen.search.solve import solve
from tengen.terminal.console import plain_console
from tengen.terminal.solve_command import Puzzle, SolveCommand
from tests.helpers.corner_engine import Corner
from tests.reference import minimax

ALPHABETA = ("--engine", "alphabeta", "--table", "1")
CLOBBER = tengen.game("clobber", size=9).start()


def middle(seed: int) -> Position:
    """A position of Othello on 4x4 in which the sides are not done yet."""
    position = tengen.game("othello", size=4).start()
    for step in range(4):
        position = position.play(position.legal_moves[(seed + step) % len(position.legal_moves)])
    return position


@pytest.mark.parametrize("position", [middle(0), middle(1), CLOBBER], ids=["othello", "another", "clobber"])
@pytest.mark.parametrize("wld", [False, True], ids=["score", "result"])
def test_the_result_of_every_move_is_that_of_minimax(position: Position, wld: bool) -> None:
    def expected(score: int) -> Value:
        return (
            Value.exact((score > 0) - (score < 0), "wins")
            if wld
            else Value.exact(score / 1000, position.game.unit)
        )

    engine = create("alphabeta", table=1)
    report = solve(engine, position, wld=wld, every_move=True)
    assert {candidate.move: candidate.value for candidate in report.candidates} == {
        position.game.write_move(move): expected(minimax.solve_move(position, move))
        for move in position.legal_moves
    }
    single = solve(create("alphabeta", table=1), position, wld=wld)
    assert single.value == report.value == expected(minimax.solve(position))
    best = position.game.read_move(single.best, position)
    assert expected(minimax.solve_move(position, best)) == single.value


class Oracle(Corner):
    """An engine with a solver of its own."""

    def solve(
        self,
        position: Position,
        *,
        wld: bool = False,
        every_move: bool = False,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        value = Value.exact(1.0 if wld else 14.0, "wins" if wld else "discs")
        move = position.game.write_move(position.legal_moves[-1])
        return Report("oracle", move, value, (Candidate(move, value, (move,)),), nodes=7, seconds=0.5)


def test_an_engine_with_a_solver_is_asked_for_it() -> None:
    assert isinstance(Oracle(), Solver)
    assert not isinstance(Corner(), Solver)
    assert solve(Oracle(), middle(0)).value == Value.exact(14.0, "discs")
    assert solve(Oracle(), middle(0), wld=True).value == Value.exact(1.0, "wins")


def test_what_cannot_be_proved_is_refused() -> None:
    go = tengen.game("go", size=3, ko="positional")
    with pytest.raises(OptionError, match="depend on history and cannot be proved"):
        solve(create("alphabeta", table=1), go.start())


def run(capfd: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    code = cli.run([str(word) for word in words])
    captured = capfd.readouterr()
    return code, captured.out, captured.err


def obf(position: Position, *claims: str) -> str:
    return "; ".join([position.game.text(position), *claims]) + ";\n"  # type: ignore[attr-defined]


def test_one_position(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, "solve", "clobber", "size=9", *ALPHABETA, "--all")
    assert code == 0
    result = "won" if minimax.solve(CLOBBER) > 0 else "lost"
    assert f"value   {result} (exact) for Black" in out
    assert "nodes, " in out
    assert out.count("(exact)") == 1 + len(CLOBBER.legal_moves)
    code, out, _ = run(capfd, "solve", "clobber", "board=XX")
    assert (code, "The game is over. White wins" in out) == (0, True)


def test_a_file_is_checked_against_what_it_says(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    position = middle(0)
    best = minimax.solve(position) // 1000
    move = next(
        position.game.write_move(move)
        for move in position.legal_moves
        if minimax.solve_move(position, move) == minimax.solve(position)
    )
    path = tmp_path / "positions.obf"
    path.write_text(obf(position, f"{move}:{best}") + obf(middle(1)) + obf(position, f"{move}:{best + 2}"))
    code, out, _ = run(capfd, "solve", path, *ALPHABETA)
    lines = out.splitlines()
    assert code == 1
    assert lines[0].endswith("agrees")
    assert f"{best:+g} discs (exact)" in lines[0]
    assert lines[1].rstrip().endswith("/s")
    assert lines[2].endswith(f"WRONG: the file has {best + 2:+g}")
    assert lines[3].startswith("3 solved: ")
    assert lines[3].endswith("1 of 2 agree with the file")
    assert run(capfd, "solve", path, *ALPHABETA, "-n", "1")[0] == 0
    assert run(capfd, "solve", path, *ALPHABETA, "-n", "1", "--wld", "--all")[0] == 0
    code, _, err = run(capfd, "solve", path, "-n", "9")
    assert (code, "has 3 positions: there is no position 9" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["clobber", "size=4", "--engine", "random", "--table", "1"], "random has no table"),
        (["clobber", "size=4", "--engine", "alphabeta", "--threads", "2"], "runs on 1 thread"),
        (["go", "size=3", "ko=positional", "--engine", "alphabeta"], "depend on history and cannot be proved"),
        (["nothing.obf"], "No such file"),
    ],
)
def test_bad_input_is_answered_in_one_line(
    capfd: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    code, out, err = run(capfd, "solve", *words)
    assert (code, out) == (2, "")
    assert message in err.splitlines()[-1]


def test_ctrl_c_shows_what_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    method = SolvingMethod(EngineConfig("alphabeta", settings={"table": 1}))
    solving = SolveCommand(plain_console(out, width=100), plain_console(io.StringIO()), method)
    large = tengen.game("clobber", size=60).start()

    class Impatient:
        def __enter__(self) -> Impatient:
            return self

        def __exit__(self, *_: Any) -> None:
            pass

        def update(self, text: str) -> None:
            if "nodes" in text and not solving.interrupted:
                raise KeyboardInterrupt

    monkeypatch.setattr(solving.errors, "status", lambda text: Impatient())
    solving.solve_one(Puzzle(large))
    assert solving.interrupted
    assert "— not solved" in out.getvalue()


def test_a_stop_is_heeded() -> None:
    stop = StopFlag()
    stop.set()
    report = solve(create("alphabeta", table=1), tengen.game("othello").start(), wld=True, stop=stop)
    assert report.value.kind is not Kind.EXACT


def test_the_game_may_be_named_before_the_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ended.sgf"
    file.write_text("(;GM[1]SZ[3]KM[0];B[bb];W[];B[])")
    assert cli.run(["solve", "go", str(file)]) == 0
    assert "the game is over: -9 points (exact)" in capfd.readouterr().out
    assert cli.run(["solve", "go", str(tmp_path / "none.sgf")]) == 2
    assert "No such file" in capfd.readouterr().err
