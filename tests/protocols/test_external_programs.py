"""Foreign engines: our own over each protocol, and programs that do everything wrong."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import tengen
from tengen.core.errors import OptionError
from tengen.players.config import DEFAULT_LIMITS, EngineConfig
from tengen.players.configure import configure, configure_program
from tengen.players.player import EnginePlayer
from tengen.protocols.external import (
    CannotStart,
    EngineDied,
    EngineHung,
    ExternalEngineError,
    ExternalProgram,
    IllegalAnswer,
    Refused,
    Resigned,
)
from tengen.protocols.external.gtp import _evaluation
from tengen.runtime.external import create_external_engine
from tengen.search.limits import Limits, StopFlag
from tests.helpers.external_programs import QUICK, STARTS, fake, start, wait_until_gone
from tests.helpers.paths import ROOT


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Where fake engines note their processes: none may be left at the end of a test."""
    yield tmp_path
    wait_until_gone(tmp_path)


# ---- engines that do as they should


def test_a_depth_limit_does_not_outlast_its_search(folder: Path) -> None:
    with fake("nboard", "good", folder) as engine:
        depths = [
            engine.search(start("nboard"), Limits(0.1, depth=depth)).depth for depth in (None, 3, None, None)
        ]
    assert depths == [7, 3, 60, 60]


@pytest.mark.parametrize(
    ("protocol", "command", "game", "options"),
    [
        ("gtp", "gtp go --engine random", "go", {"size": 5, "komi": 3.5}),
        ("gtp", "gtp othello --engine random", "othello", {"size": 6}),
        ("gtp", "gtp clobber --engine random", "clobber", {"size": 14}),
        ("nboard", "nboard --engine random", "othello", {}),
        ("gomocup", "gomocup --engine random variant=standard", "pente", {"size": 9}),
    ],
)
def test_whole_games_against_ourselves(protocol: str, command: str, game: str, options: dict[str, object]) -> None:
    spec = ExternalProgram(protocol, (sys.executable, "-m", "tengen", *command.split()), timeout_s=120)
    with create_external_engine(spec) as engine:
        for player in (0, 1):
            position = tengen.game(game, **options).start()
            for _ in range(60):
                if position.is_over:
                    break
                if position.to_move == player:
                    report = engine.search(position, Limits(seconds=0.05, depth=1))
                    assert report.engine == Path(sys.executable).name
                    position = position.play(report.best)
                else:
                    position = position.play(position.legal_moves[position.ply % len(position.legal_moves)])
        # Back, to another line, and to another game: it is brought there by whatever it takes.
        other = position.parent
        assert other is not None
        other = other.parent or other
        if other.parent is not None and len(other.parent.legal_moves) > 1:
            moves = [move for move in other.parent.legal_moves if move != other.move]
            other = other.parent.play(moves[0])
        if not other.is_over:
            other.play(engine.search(other, QUICK).best)
        fresh = tengen.game(game, **options).start()
        fresh.play(engine.search(fresh, QUICK).best)
        assert engine.incidents == []
        assert engine.starts == 1


def test_a_gtp_engine_tells_what_it_thinks_of_its_move() -> None:
    command = (sys.executable, "-m", "tengen", "gtp", "--level", "300nodes")
    with create_external_engine(ExternalProgram("gtp", command, timeout_s=120)) as engine:
        position = tengen.game("go", size=5, komi=40).start()  # as good as lost for Black
        report = engine.search(position, Limits(seconds=10))
        assert report.value.amount < 0.4
        assert report.nodes > 0
        report = engine.search(position.play(report.best), Limits(seconds=10))
        assert report.value.amount > 0.6


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        ([], None),
        (["info move D4 visits 5 winrate 5300 order 0 pv D4 info move E5 visits 7 winrate 4000 pv E5"], (0.4, 7)),
        (["info move E5 visits 7 winrate 4000", "info move E5 visits 9 winrate 6000"], (0.6, 9)),
        (["info move e5 winrate 10000"], (1.0, 0)),
        (["info move E5 winrate 0.53 visits 3"], None),  # not Leela Zero's form
        (["info move E5 winrate", "info", "info info info", "nonsense"], None),
    ],
)
def test_opinions_are_read_with_care(lines: list[str], value: tuple[float, int] | None) -> None:
    found, visits = _evaluation(lines, "E5")
    assert value == (None if found is None else (found.amount, visits))


def test_a_handicap_and_a_set_up_board_are_told() -> None:
    command = (sys.executable, "-m", "tengen", "gtp", "--engine", "random")
    with create_external_engine(ExternalProgram("gtp", command, setup=("komi 0",), timeout_s=120)) as engine:
        for options in ({"size": 9, "handicap": 4}, {"board": "XX./.OO/... O"}, {"size": "7x5"}):
            position = tengen.game("go", **options).start()
            for _ in range(4):
                position = position.play(engine.search(position, QUICK).best)
        assert engine.incidents == []


@pytest.mark.parametrize("protocol", STARTS)
def test_a_simple_engine_is_understood(protocol: str, folder: Path) -> None:
    with fake(protocol, "good", folder) as engine:
        position = start(protocol)
        for _ in range(1 if protocol == "nboard" else 6):
            report = engine.search(position, QUICK)
            position = position.play(report.best)
        assert engine.incidents == []
    if protocol == "nboard":
        assert (report.best, report.value.amount, report.nodes, report.depth) == ("f5", -1.25, 12, 7)
    assert wait_until_gone(folder) == 1


def test_a_program_without_a_level_keeps_its_own(folder: Path) -> None:
    for level, told in ((None, None), (Limits(nodes=5), None), (Limits(seconds=3.0), "0 3 1")):
        with fake("gtp", "good", folder) as engine:
            engine.search(start("gtp"), configure_program(engine.program, level).limits)
        noted = folder / "time"
        assert (noted.read_text() if noted.exists() else None) == told
    with pytest.raises(OptionError, match="a level should limit"):
        EnginePlayer("Uct", EngineConfig("uct"))
    assert configure("uct", Limits()).limits == DEFAULT_LIMITS


# ---- engines that do not


@pytest.mark.parametrize("protocol", STARTS)
def test_a_crash_is_survived_once(protocol: str, folder: Path) -> None:
    with fake(protocol, "crash once", folder) as engine:
        position = start(protocol)
        position = position.play(engine.search(position, QUICK).best)
        assert [incident.kind for incident in engine.incidents] == ["died"]
        assert "exit code 3" in engine.incidents[0].text
        assert engine.starts == 2
    assert wait_until_gone(folder) == 2


@pytest.mark.parametrize("protocol", STARTS)
@pytest.mark.parametrize(
    ("mode", "error", "kinds", "words"),
    [
        ("crash", EngineDied, ["died", "died"], "ended with exit code 1: out of luck"),
        ("segfault", EngineDied, ["died", "died"], "was killed by signal 11"),
        ("deaf", EngineDied, ["died", "died"], "was killed by signal 9"),
        ("flood", EngineDied, ["flood", "flood"], "flooded its output"),
        ("hang", EngineHung, ["hung"], "did not answer in"),
        ("stubborn", EngineHung, ["hung"], "did not answer in"),
        ("nonsense", IllegalAnswer, ["illegal"], "answered"),
        ("dies at start", CannotStart, ["start"], "no licence"),
        ("silent", CannotStart, ["start"], "does not answer"),
    ],
)
def test_what_goes_wrong_is_an_error_with_its_reason(
    protocol: str, mode: str, error: type[ExternalEngineError], kinds: list[str], words: str, folder: Path
) -> None:
    patience = 1.0 if error is EngineHung or mode == "silent" else 20.0
    engine = fake(protocol, mode, folder, patience)
    with engine, pytest.raises(error, match=words):
        engine.search(start(protocol), QUICK)
    assert [incident.kind for incident in engine.incidents] == kinds
    assert words in engine.incidents[-1].text
    wait_until_gone(folder)


def test_lines_without_end_are_a_flood_or_a_hang(folder: Path) -> None:
    with fake("gomocup", "noise", folder, timeout_s=2.0) as engine, pytest.raises((EngineHung, EngineDied)):
        engine.search(start("gomocup"), QUICK)
    assert {incident.kind for incident in engine.incidents} <= {"flood", "hung"}


@pytest.mark.parametrize("protocol", STARTS)
def test_an_illegal_move_is_named_and_the_engine_can_be_asked_again(protocol: str, folder: Path) -> None:
    with fake(protocol, "illegal", folder) as engine:
        position = start(protocol)
        if protocol != "nboard":
            position = position.play("C3")
        for _ in range(2):
            with pytest.raises(IllegalAnswer):
                engine.search(position, QUICK)
        assert [incident.kind for incident in engine.incidents] == ["illegal"] * 2


@pytest.mark.parametrize("mode", ["off the board", "empty"])
def test_answers_that_are_no_moves_of_gtp(mode: str, folder: Path) -> None:
    with fake("gtp", mode, folder) as engine, pytest.raises(IllegalAnswer):
        engine.search(start("gtp"), QUICK)


def test_a_suggestion_of_gomocup_is_accepted(folder: Path) -> None:
    with fake("gomocup", "suggests", folder) as engine:
        position = start("gomocup")
        report = engine.search(position, QUICK)
        assert report.best in position.write_moves((position.legal_moves[0],))


def test_off_the_board_of_gomocup(folder: Path) -> None:
    with fake("gomocup", "off the board", folder) as engine, pytest.raises(IllegalAnswer, match="off the board"):
        engine.search(start("gomocup"), QUICK)


@pytest.mark.parametrize("protocol", ["gtp", "gomocup"])
def test_an_engine_that_refuses_is_quoted(protocol: str, folder: Path) -> None:
    with fake(protocol, "refuses", folder) as engine, pytest.raises(Refused, match=r"I do not like that|ERROR no"):
        engine.search(start(protocol).play("C3"), QUICK)
    assert [incident.kind for incident in engine.incidents] == ["refused"]


def test_an_engine_may_resign(folder: Path) -> None:
    with fake("gtp", "resigns", folder) as engine, pytest.raises(Resigned):
        engine.search(start("gtp"), QUICK)


def test_a_game_goes_on_with_the_next_engine_when_one_fails(folder: Path) -> None:
    """As a match has it: whoever fails loses, for the reason recorded, and the next game begins."""
    results = []
    for mode in ("good", "crash", "illegal", "resigns", "good"):
        with fake("gtp", mode, folder) as engine:
            position = start("gtp").play("C3")
            try:
                while position.ply < 6:
                    if position.to_move == 1:
                        position = position.play(engine.search(position, QUICK).best)
                    else:
                        position = position.play(position.legal_moves[-2])
                results.append("played")
            except ExternalEngineError as error:
                results.append(type(error).__name__)
    assert results == ["played", "EngineDied", "IllegalAnswer", "Resigned", "played"]


def test_a_stop_is_answered_with_a_move(folder: Path) -> None:
    for protocol in STARTS:
        with fake(protocol, "hang", folder) as engine:
            stop = StopFlag()
            threading.Timer(0.3, stop.set).start()
            report = engine.search(start(protocol), Limits(seconds=100), stop=stop)
            start(protocol).play(report.best)
            assert engine.incidents == []


def test_our_own_engine_is_stopped_by_an_interrupt() -> None:
    command = (sys.executable, "-m", "tengen", "gtp", "--level", "600s")
    with create_external_engine(ExternalProgram("gtp", command, timeout_s=120)) as engine:
        position = tengen.game("go", size=5).start()
        engine.search(position, Limits(seconds=0.1))
        stop = StopFlag()
        threading.Timer(0.3, stop.set).start()
        report = engine.search(position, Limits(seconds=100), stop=stop)
        position.play(report.best)
        assert report.seconds < 50
        assert engine.starts == 1  # it answered, and need not be killed


# ---- nothing is left behind


@pytest.mark.parametrize("mode", ["children", "stays"])
def test_children_go_with_it(mode: str, folder: Path) -> None:
    engine = fake("gtp", mode, folder)
    position = start("gtp")
    position.play(engine.search(position, QUICK).best)
    engine.close()
    assert wait_until_gone(folder) == (3 if mode == "children" else 1)


DOOMED = """
import sys, time
sys.path.insert(0, {root!r})
from pathlib import Path
from tests.helpers.external_programs import QUICK, fake, start
engine = fake("gtp", "children", Path({folder!r}))
engine.search(start("gtp"), QUICK)
print("ready", flush=True)
time.sleep(1000)
"""


def test_it_goes_when_we_are_killed(folder: Path) -> None:
    program = DOOMED.format(root=str(ROOT), folder=str(folder))
    doomed = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert doomed.stdout is not None
    assert doomed.stdout.readline() == "ready\n"
    os.kill(doomed.pid, signal.SIGKILL)
    doomed.wait()
    doomed.stdout.close()
    assert wait_until_gone(folder) == 3


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux tells which files are open")
def test_no_files_stay_open(folder: Path) -> None:
    def open_files() -> int:
        return len(os.listdir("/proc/self/fd"))

    with fake("gtp", "good", folder) as engine:
        engine.search(start("gtp"), QUICK)
    before = open_files()
    for mode in ("good", "crash", "nonsense", "dies at start"):
        with fake("gtp", mode, folder) as engine, contextlib.suppress(ExternalEngineError):
            engine.search(start("gtp"), QUICK)
    assert open_files() == before


# ---- the spec


def test_a_spec_is_kept_as_data() -> None:
    spec = ExternalProgram.parse(
        "gtp", "gnugo --mode 'gtp' --level 3", folder="/tmp", setup=("komi 5",), timeout_s=5.0
    )
    assert spec.command == ("gnugo", "--mode", "gtp", "--level", "3")
    assert ExternalProgram.from_dict(spec.to_dict()) == spec
    assert str(spec) == "gnugo --mode gtp --level 3"
    for broken in ({}, {**spec.to_dict(), "protocol": "u c i"}, {**spec.to_dict(), "more": 1}, {"command": 5}):
        with pytest.raises(ValueError, match="not an external program"):
            ExternalProgram.from_dict(broken)


@pytest.mark.parametrize(
    ("protocol", "command", "others"),
    [("uci", "x", {}), ("gtp", "", {}), ("gtp", "'", {}), ("gtp", "x", {"timeout_s": 0}),
     ("gtp", "x", {"setup": ("a\nb",)})],
)  # fmt: skip
def test_specs_that_are_none(protocol: str, command: str, others: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        ExternalProgram.parse(protocol, command, **others)


def test_programs_that_are_not_there() -> None:
    for command in ("no-such-program", "/no/such/program"):
        with create_external_engine(ExternalProgram("gtp", (command,))) as engine, pytest.raises(CannotStart):
            engine.search(start("gtp"), QUICK)
    nowhere = create_external_engine(ExternalProgram("gtp", ("true",), folder="/no/such/folder"))
    with nowhere, pytest.raises(CannotStart, match="/no/such/folder"):
        nowhere.search(start("gtp"), QUICK)


def test_games_that_a_protocol_has_no_words_for(folder: Path) -> None:
    for protocol, game in (("nboard", "go"), ("gomocup", "othello")):
        with fake(protocol, "good", folder) as engine, pytest.raises(OptionError):
            engine.search(tengen.game(game).start(), QUICK)
    with fake("gtp", "good", folder) as engine, pytest.raises(Refused, match="plays Go, not Othello"):
        engine.search(tengen.game("othello").start(), QUICK)
