"""The commands as a user meets them: what they print, what they refuse, and how they end."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tengen import cli
from tengen.terminal.progress import COMPILING_MESSAGE
from tests.helpers.paths import HELPERS
from tests.helpers.waiting import TIMEOUT_S

COMMANDS = ["games", "play", "analyse", "solve", "convert", "show", "perft", "bench", "warm", "doctor"]
LIBRARY = [f"library {word}" for word in ["list", "show", "import", "export", "delete", "undelete", "where"]]
PLAYERS = [
    f"players {word}"
    for word in ["list", "add", "add-engine", "add-program", "show", "rename", "remove", "ratings"]
]


def run(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = cli.run(list(words))
    captured = capfd.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize("command", [*COMMANDS, *LIBRARY, *PLAYERS])
def test_help_of_each_command_has_an_example(capfd: pytest.CaptureFixture[str], command: str) -> None:
    code, out, _ = run(capfd, *command.split(), "--help")
    assert code == 0
    assert f"Example: tengen {command}" in out


@pytest.mark.parametrize("words", [["--help"], ["players", "list"], ["library", "list"], ["show", "chess"]])
def test_commands_that_compute_nothing_do_not_load_numba(words: list[str]) -> None:
    code = f"import sys; from tengen import cli; cli.run({words}); print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_list_of_commands_is_whole(capfd: pytest.CaptureFixture[str], command: str) -> None:
    _, out, _ = run(capfd, "--help")
    assert re.search(rf"^  {command} ", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chess"], "No such command 'chess'"),
        (["show"], "Missing argument 'GAME|FILE'"),
        (["show", "chess"], "there is no game 'chess'; there are: clobber, go, othello, pente"),
        (["show", "go", "size=99"], "a board has 1 to 25 lines each way, not 99"),
        (["show", "go", "colour=red"], "go has no option 'colour'"),
        (["show", "go", "size"], "an option is written as name=value, not 'size'"),
        (["show", "go", "komi=6", "komi=7"], "komi is given twice"),
        (["show", "go", "komi=much"], "komi should be a number, not 'much'"),
        (["show", "othello", "--moves", "f5 f5"], "f5 is illegal: the square is taken"),
        (["show", "othello", "--moves", "f5 q9"], "'q9' is not a move: write a square as f5, or pass"),
        (["show", "clobber", "board=XQ"], "'Q' is not a cell"),
        (["train", "go", "--blocks", "4"], "--blocks needs --games-of"),
        (["train", "go", "--games-of", "x"], "--games-of trains a network further: name it with --start"),
        (["train", "go", "--games-of", "x", "--start", "shipped", "--games", "2"], "omit --games and --folder"),
        (["train", "go", "--features", "--games", "2"], "--features trains no network"),
        (["play", "go", "--engine", "stockfish"], "there is no engine 'stockfish'"),
        (["play", "go", "--side", "middle"], "--side must be first, second, both, none, not 'middle'"),
        (["play", "go", "--seconds", "-1"], "the limit of seconds should be a number above 0"),
        (["play", "go", "--set", "rave=-1"], "rave should be a number from 0 to 1e+06"),
        (["play", "go", "--set", "luck=1"], "go has no setting 'luck'"),
        (
            ["show", "go", "size=5", "--heat", "anger", "--nodes", "5"],
            "go has no heat map 'anger' of this position; it has: visits",
        ),
        (
            ["show", "go", "size=5", "--engine", "alphabeta", "--tree", "tree.json", "--nodes", "5"],
            "alphabeta has no search tree",
        ),
        (
            ["show", "go", "size=5", "--engine", "gtp:no-such-program", "--tree", "tree.json"],
            "an external program has no search tree; use the engine uct or go",
        ),
        (["perft", "go", "--depth", "x"], "--depth"),
        (["perft", "go", "--depth", "1000"], "the depth should be from 0 to 200, not 1000"),
        (["perft", "othello", "--games"], "are for Go, not othello"),
        (["perft", "go", "--games"], "games are counted on at most 9 points, not 361"),
        (["perft", "go", "--positions"], "positions are counted on at most 18 points, not 361"),
        (["perft", "go", "--depth", "0", "--divide"], "the depth should be from 0 to 200, not -1"),
        (["play", "go", "--engine", "alphabeta", "--threads", "2"], "alphabeta runs on 1 thread, not 2"),
        (["bench", "--seconds", "-1"], "--seconds must be above 0, not -1"),
        (["bench", "--against", "magic"], "--against must be open_spiel, not 'magic'"),
        (["bench", "--only", "chess"], "there is no game 'chess'"),
    ],
)
def test_bad_input_is_answered_in_one_line(
    capfd: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    code, out, err = run(capfd, *words)
    assert code == 2
    assert out == ""
    (line,) = [line for line in err.splitlines() if not line.startswith(COMPILING_MESSAGE)]
    assert message in line
    assert line.startswith("tengen: ")


def test_without_a_command_the_web_app_starts(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tengen.web import server

    started: list[server.Settings] = []
    monkeypatch.setattr(server, "serve", lambda settings, tell, *, open_browser: started.append(settings))
    assert run(capfd) == (0, "", "")
    assert started == [server.Settings()]
    assert started[0].address == "127.0.0.1"


def test_show_writes_the_tree_of_a_search(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "tree.json"
    words = ("show", "go", "size=5", "--moves", "C3 C2", "--nodes", "300", "--tree", str(file))
    assert run(capfd, *words)[:2] == (0, "")
    root = json.loads(file.read_text())
    assert root["visits"] >= 300
    assert root["children"], "moves below the root"
    assert all(child["visits"] >= 2 for child in root["children"])
    best = max(root["children"], key=lambda child: child["visits"])
    assert best["children"], "and replies"
    assert best["move"] != "C3", "where a stone stands already"
    code, out, _ = run(capfd, *words, "--heat", "visits")
    assert code == 0
    assert "visits: 0 to 9" in out


def test_show_draws_what_an_external_engine_reports(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    command = f'{sys.executable} -I -S "{HELPERS / "scripted_analyst.py"}" katago good "{tmp_path}"'
    words = ("show", "go", "size=5", "--heat", "ownership", "--engine", f"katago:{command}")
    code, out, _ = run(capfd, *words)
    assert code == 0
    assert "5 5 5 5 5 5 5" in out.splitlines(), "a row whose points are half the first player's"
    assert "ownership: 0 to 9" in out
    assert "62.0 % wins" in out


def test_show_draws_the_board_and_dumps_what_the_rules_know(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, "show", "go", "size=9", "--moves", "E5 D5 pass D6", "--dump")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "  A B C D E F G H J"
    assert lines[5] == "5 . . . O X . . . . 5"
    assert "strings: O D6 D5 | 5 liberties: D7 C6 E6 C5 D4" in lines
    assert "Move 5: Black to play" in lines
    assert any(re.fullmatch("key: [0-9a-f]{16}", line) for line in lines)


def test_perft_prints_the_known_numbers(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, "perft", "othello", "--depth", "6")
    assert code == 0
    assert [int(line.split()[1].replace(",", "")) for line in out.splitlines()] == [4, 12, 56, 244, 1396, 8200]


def test_perft_divided_adds_up(capfd: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capfd, "perft", "othello", "--depth", "4", "--divide")
    *moves, total = [int(line.split()[1]) for line in out.splitlines()]
    assert total == sum(moves) == 244


def test_perft_counts_positions_and_games_of_go(capfd: pytest.CaptureFixture[str]) -> None:
    assert "57 legal positions" in run(capfd, "perft", "go", "size=2", "--positions")[1]
    assert "907 games" in run(capfd, "perft", "go", "size=1x3", "--games")[1]


def test_doctor_finds_this_installation_sound(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, "doctor")
    assert code == 0
    assert "numba" in out
    assert "391,000 games" in out, "where the weights come from"


def test_doctor_names_what_is_wrong(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("TENGEN_DATA", str(blocked / "data"))
    code, out, _ = run(capfd, "doctor")
    assert code == 1
    assert "TENGEN_DATA" in out


def test_bench_prints_a_table(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, "bench", "--only", "clobber", "--seconds", "0.01")
    assert code == 0
    assert "uct" in out


def test_a_rival_answers_for_every_game_that_is_measured() -> None:
    """Without OpenSpiel itself: what it does not have is left blank, what it has is named."""
    from tengen.arena import bench, open_spiel

    rival = object.__new__(open_spiel.OpenSpielBench)
    missing = [subject.label for subject in bench.bench_games() if subject.label not in open_spiel._GAMES]
    assert missing == ["pente 19x19"]
    assert rival.rate("pente 19x19", "random moves", 0.01, 10) == 0


class Terminal:
    """`tengen` in a real terminal."""

    def __init__(self, *words: str) -> None:
        master, slave = pty.openpty()
        self._master = master
        environment = {**os.environ, "TERM": "dumb", "COLUMNS": "200"}
        command = [sys.executable, "-m", "tengen", *words]
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # test runners may ignore it
        )
        os.close(slave)
        self.text = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)

    def wait_for(self, text: str) -> None:
        """Read until this text has come, and forget what was before its end."""
        if not self._comes(text, TIMEOUT_S):
            pytest.fail(f"{text!r} did not come; the screen shows: {self.text!r}")

    def _comes(self, text: str, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while text not in self.text:
            if time.monotonic() > end:
                return False
            if select.select([self._master], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self._master, 65536).decode().replace("\r\n", "\n")
                except OSError:  # the other side has closed
                    return text in self.text
        self.text = self.text[self.text.index(text) + len(text) :]
        return True

    def interrupt(self, answer: str) -> None:
        """Ctrl-C until it is answered: one that comes just as a line is about to be read can be missed."""
        for _ in range(20):
            self.process.send_signal(signal.SIGINT)
            if self._comes(answer, 5):
                return
        pytest.fail(f"{answer!r} did not come; the screen shows: {self.text!r}")

    def type(self, line: str) -> None:
        os.write(self._master, f"{line}\n".encode())

    def end(self) -> int:
        return self.process.wait(TIMEOUT_S)


def test_a_game_in_the_terminal() -> None:
    with Terminal("play", "othello", "size=4", "--nodes", "50") as terminal:
        terminal.wait_for("Black> ")
        terminal.type("help")
        terminal.wait_for("take back your last move")
        terminal.wait_for("Black> ")
        terminal.type("b1")
        terminal.wait_for("Answer: ")
        terminal.wait_for("Black> ")
        terminal.type("b1")
        terminal.wait_for("b1 is illegal: the square is taken")
        terminal.type("[/red]")
        terminal.wait_for("'[/red]' is not a move")
        terminal.type("hint")
        terminal.wait_for("Hint: ")
        terminal.type("undo")
        terminal.wait_for("Move 1: Black to play")
        terminal.type("undo")
        terminal.wait_for("Black has no move to take back")
        terminal.type("moves")
        terminal.wait_for("b1 a2 d3 c4")
        terminal.type("resign")
        terminal.wait_for("White wins: Black resigned")
        terminal.type("quit")
        assert terminal.end() == 0


def test_ctrl_c_ends_a_game_and_tells_how_to_go_on() -> None:
    with Terminal(
        "play", "clobber", "size=8", "--nodes", "20", "--engine", "random", "--side", "both"
    ) as terminal:
        terminal.wait_for("Black> ")
        terminal.type("1-2")
        terminal.wait_for("White> ")
        terminal.interrupt("To continue: tengen play --resume ")
        assert terminal.end() == 0


def test_ctrl_c_while_the_engine_thinks() -> None:
    with Terminal("play", "clobber", "size=40", "--seconds", "3600", "--side", "second") as terminal:
        terminal.wait_for("Move 1: Black to play")
        time.sleep(0.5)
        terminal.interrupt("Good-bye")
        assert terminal.end() == 0


def test_two_engines_play_a_game_to_its_end(capfd: pytest.CaptureFixture[str]) -> None:
    words = ["play", "clobber", "size=10", "--side", "none", "--engine", "alphabeta", "--nodes", "200", "--demo"]
    code, out, _ = run(capfd, *words)
    assert code == 0
    assert " has no move" in out


def test_dead_stones_are_asked_for_under_territory_scoring(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("E5\nA1\nquit\n"))
    moves = ["--moves", "C3 A1 pass pass"]
    code, out, err = run(capfd, "play", "go", "size=5", "rules=japanese", "--side", "both", *moves, "--demo")
    assert code == 0
    assert "Dead stones" in out
    assert "there is no stone on E5" in out + err
    assert "Black wins by 18.5 points" in out


@pytest.mark.parametrize(("answer", "margin"), [("", "18.5"), ("none", "6.5")])
def test_dead_stones_are_those_that_the_engine_sees_unless_somebody_objects(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, answer: str, margin: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{answer}\nquit\n"))
    moves = ["--moves", "C3 A1 pass pass"]
    code, out, _ = run(capfd, "play", "go", "size=5", "rules=japanese", "--side", "both", *moves, "--demo")
    assert code == 0
    assert "(Enter: A1;" in out
    assert f" wins by {margin} points" in out


def test_players_who_do_not_agree_play_on(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("play on\nB1\npass\npass\n\nquit\n"))
    moves = ["--moves", "C3 A1 pass pass"]
    code, out, _ = run(capfd, "play", "go", "size=5", "rules=chinese", "--side", "both", *moves, "--demo")
    assert code == 0
    assert "Black wins by 17.5 points" in out  # 25 points; the stone on A1 is dead


def test_an_engine_opponent_does_not_give_away_what_lives(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("D5\n\nquit\n"))
    board = "board=O.XO./XXXO./..XOO/XXXO./..XO. X"
    words = ["play", "go", board, "komi=0.5", "--moves", "pass pass", "--engine", "random", "--nodes", "1"]
    code, out, err = run(capfd, *words, "--demo")
    assert code == 0
    assert "your opponent does not agree about D5" in out + err
    assert "Black wins by 4.5 points" in out


def test_plain_play_asks_for_the_game_and_leaves_at_the_end_of_input() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tengen", "play"], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert run.returncode == 0
    assert "Othello" in run.stdout
    assert "Good-bye" in run.stdout
    assert run.stderr == ""


def test_output_into_a_closed_pipe_is_no_traceback() -> None:
    run = subprocess.run(f"{sys.executable} -m tengen games | head -1", shell=True, capture_output=True, text=True)
    assert "Traceback" not in run.stderr
