"""Programs as analysts: recorded answers of each protocol, faults, limits and stops."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import tengen
from tengen.core.errors import OptionError
from tengen.players.config import EngineConfig
from tengen.players.program import ExternalProgram
from tengen.protocols.external import (
    CannotStart,
    EngineDied,
    EngineHung,
    ExternalEngine,
    ExternalEngineError,
    IllegalAnswer,
    Refused,
)
from tengen.protocols.external.gomocup import GomocupEngine
from tengen.protocols.external.gtp import GtpEngine
from tengen.protocols.external.gtp_analysis import read_info, read_top_moves
from tengen.protocols.external.katago import KatagoEngine
from tengen.protocols.external.nboard import NBoardEngine
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Kind, Report
from tests.helpers.external_programs import wait_until_gone
from tests.helpers.paths import HELPERS

DRIVERS = {"katago": KatagoEngine, "gtp": GtpEngine, "nboard": NBoardEngine, "gomocup": GomocupEngine}
STARTS = {
    "katago": ("go", {"size": 5, "rules": "japanese", "komi": 6.5}),
    "gtp": ("go", {"size": 5}),
    "nboard": ("othello", {}),
    "gomocup": ("pente", {"variant": "gomoku", "size": 15}),
}
LINES = Limits(seconds=0.2, lines=3)
PATIENT = Limits(seconds=10.0, lines=3)  # for programs that end their analysis, on a busy machine


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Where the programs note their processes: none may be left at the end of a test."""
    yield tmp_path
    wait_until_gone(tmp_path)


def analyst(protocol: str, mode: str, folder: Path, timeout_s: float = 20.0) -> ExternalEngine:
    command = (sys.executable, "-I", "-S", str(HELPERS / "scripted_analyst.py"), protocol, mode, str(folder))
    return DRIVERS[protocol](ExternalProgram(protocol, command, timeout_s=timeout_s, analyses=True))


def start(protocol: str) -> tengen.Position:
    name, options = STARTS[protocol]
    position = tengen.game(name, **options).start()
    return position.play("H8") if protocol == "gomocup" else position


def _check(protocol: str, report: Report) -> None:
    """What the recorded answers say."""
    assert all(one.value.kind is Kind.HEURISTIC for one in report.candidates)
    rows = [(one.move, round(one.value.amount, 3), one.visits, one.points, one.line) for one in report.candidates]
    expected = {
        "katago": [("C3", 0.62, 120, 3.25, ("C3", "C4")), ("B2", 0.41, 30, -1.5, ("B2",))],
        "gtp": [("C3", 0.62, 120, 3.25, ("C3", "C4", "D4", "pass")), ("B2", 0.41, 30, -1.5, ("B2",))],
        "nboard": [("f5", 1.5, 0, None, ("f5", "f6")), ("d3", -1.0, 0, None, ("d3", "c3"))],
        "gomocup": [("G8", 0.34, 8, None, ("G8",)), ("K8", 0.466, 9, None, ("K8", "H6", "H7"))],
    }[protocol]
    if protocol == "gomocup":  # H8 is taken, so lines end before it
        assert [row[:4] for row in rows] == [row[:4] for row in expected]  # type: ignore[index]
        assert [one.reason for one in report.candidates] == ["eval +M12", "eval -27"]
    else:
        assert rows == expected
    names = {overlay.name for overlay in report.overlays}
    assert names == ({"visits", "ownership", "policy"} if protocol in ("katago", "gtp") else set())
    assert report.nodes == {"katago": 151, "gtp": 151, "nboard": 1234, "gomocup": 60298}[protocol]
    assert report.depth == {"katago": 0, "gtp": 0, "nboard": 10, "gomocup": 14}[protocol]


@pytest.mark.parametrize("protocol", DRIVERS)
def test_recorded_analyses_become_reports(protocol: str, folder: Path) -> None:
    progress: list[Report] = []
    with analyst(protocol, "good", folder) as engine:
        limits = LINES if protocol == "gtp" else PATIENT  # over GTP an analysis has no end
        report = engine.search(start(protocol), limits, on_progress=progress.append)
        _check(protocol, report)
        assert engine.search(start(protocol), limits).candidates == report.candidates
        assert engine.incidents == []
        assert engine.starts == 1
    assert all(one.engine == report.engine == Path(sys.executable).name for one in progress)


@pytest.mark.parametrize("protocol", DRIVERS)
def test_a_slow_analysis_ends_by_time_and_by_a_stop(protocol: str, folder: Path) -> None:
    mode = "good" if protocol == "gtp" else "slow"  # over GTP an analysis has no end
    stop = StopFlag()
    with analyst(protocol, mode, folder) as engine:
        report = engine.search(
            start(protocol),
            Limits(lines=3),
            stop=stop,
            on_progress=lambda _: threading.Timer(0.3, stop.set).start(),
        )
        _check(protocol, report)
        if protocol != "katago":  # which ends by itself: the time is part of the query
            _check(protocol, engine.search(start(protocol), Limits(seconds=1.0, lines=3)))
        assert engine.starts == 1


@pytest.mark.parametrize("protocol", DRIVERS)
@pytest.mark.parametrize(("mode", "error"), [("crash", EngineDied), ("hang", EngineHung), ("flood", EngineDied)])
def test_faults_are_errors_with_a_reason(
    protocol: str, mode: str, error: type[ExternalEngineError], folder: Path
) -> None:
    with analyst(protocol, mode, folder, 1.0 if mode == "hang" else 20.0) as engine, pytest.raises(error):
        engine.search(start(protocol), LINES)
    assert engine.incidents


@pytest.mark.parametrize("protocol", DRIVERS)
def test_strange_answers_are_left_out(protocol: str, folder: Path) -> None:
    with analyst(protocol, "strange", folder) as engine:
        if protocol == "gomocup":  # no line makes sense, but the move does
            report = engine.search(start(protocol), LINES)
            assert (report.best, report.value.amount) == ("G8", 0.5)
        else:
            report = engine.search(start(protocol), LINES)
            assert [one.move for one in report.candidates] == [{"nboard": "d3"}.get(protocol, "B2")]
        assert Report.from_json(report.to_json()) == report


def test_katagos_errors_and_what_it_cannot_play(folder: Path) -> None:
    with analyst("katago", "error", folder) as engine:
        with pytest.raises(Refused, match=r"half-integer \(komi\)"):
            engine.search(start("katago"), LINES)
        for game in (tengen.game("othello"), tengen.game("go", size=5, komi=6.25), tengen.game("go", size="1x9")):
            with pytest.raises(OptionError):
                engine.search(game.start(), LINES)
    with KatagoEngine(ExternalProgram("katago", ("no-such-katago",))) as engine, pytest.raises(CannotStart):
        engine.search(start("katago"), LINES)


def test_the_query_has_the_whole_game(folder: Path) -> None:
    position = (
        tengen.game("go", size="5x7", rules="japanese", handicap=0, komi=6.5).start().play("C3").play("pass")
    )
    with analyst("katago", "strange", folder) as engine:
        engine.search(position, Limits(seconds=1.5, nodes=77))
    query = json.loads((folder / "query").read_text().splitlines()[0])
    assert (query["boardXSize"], query["boardYSize"], query["komi"], query["maxVisits"]) == (5, 7, 6.5, 77)
    assert query["moves"] == [["B", "C3"], ["W", "pass"]]
    assert query["rules"]["scoring"] == "TERRITORY"
    assert query["overrideSettings"] == {"reportAnalysisWinratesAs": "SIDETOMOVE", "maxTime": 1.5}


def test_only_analysis_asks_for_values(folder: Path) -> None:
    """The configuration of a player becomes that of an analyst; stored players are as before."""
    program = ExternalProgram("gtp", ("gnugo", "--mode", "gtp"))
    config = EngineConfig("gtp", program=program)
    wanted = config.for_analysis().program
    assert wanted is not None
    assert (program.analyses, wanted.analyses) == (False, True)
    assert "analyses" not in program.to_dict()
    assert ExternalProgram.from_dict(wanted.to_dict()) == wanted


def test_leela_zeros_form() -> None:
    position = tengen.game("go", size=5).start()
    line = "info move C3 visits 120 winrate 6200 prior 4000 order 1 pv C3 C4 "
    line += "info move B2 visits 3 winrate 41 order 0 pv B2"
    found = read_info(line, position, (5, 5), position.game.read_move)
    assert [(one.move, one.value.amount, one.visits) for one in found.candidates] == [
        ("B2", 0.0041, 3),
        ("C3", 0.62, 120),
    ]


def test_gnu_gos_estimates() -> None:
    black = tengen.game("go", size=9).start()
    found = read_top_moves("E3", "F3 75.00 E3 74.5 ", "W+3.8 (upper bound: 3.8, lower: 3.8)", black)
    assert [(one.move, one.value.amount) for one in found.candidates] == [("E3", -4.3), ("F3", -3.8)]
    white = black.play("E5")
    assert read_top_moves("C3", "", "W+3.8", white).candidates[0].value.amount == 3.8
    assert read_top_moves("PASS", "", "0", white).candidates[0].move == "pass"
    assert read_top_moves("nonsense", "A", "B+", white).candidates == ()


def test_a_program_that_names_no_move_is_at_fault(folder: Path) -> None:
    with analyst("gtp", "strange", folder) as engine, pytest.raises(IllegalAnswer):
        engine.search(start("gtp").play("B2"), LINES)
