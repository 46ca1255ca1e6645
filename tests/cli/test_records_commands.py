"""`convert`, `show FILE`, `play --save` and `--load` as a user meets them."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tengen import cli
from tengen.games import records
from tengen.terminal.wait import NOTICE
from tests.helpers.sample_records import SOUND


def run(capfd: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, list[str]]:
    code = cli.run([str(word) for word in words])
    captured = capfd.readouterr()
    return code, captured.out, [line for line in captured.err.splitlines() if not line.startswith(NOTICE)]


@pytest.fixture
def game_file(tmp_path: Path) -> Path:
    path = tmp_path / "game.sgf"
    path.write_bytes(SOUND["sgf"][0])
    return path


def test_convert_says_what_was_written_and_what_was_lost(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, game_file: Path
) -> None:
    code, out, err = run(capfd, "convert", game_file, tmp_path / "game.txt")
    assert code == 0
    assert out.strip() == f"{tmp_path / 'game.txt'}: 1 game written"
    (line,) = err
    assert "not kept: " in line
    assert "marks (2)" in line
    assert "property AP" in line
    (record,) = records.read(tmp_path / "game.txt")
    assert record.moves() == records.read(game_file)[0].moves()


def test_convert_by_content_and_by_name(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    odd = tmp_path / "no-suffix"
    odd.write_bytes(SOUND["wthor"][0])
    code, out, _ = run(capfd, "convert", odd, tmp_path / "games.dat", "--to", "ggf")
    assert code == 0
    assert "2 games written" in out
    assert [record.source for record in records.read(tmp_path / "games.dat")] == ["ggf", "ggf"]


def test_notes_on_a_file_are_told(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cut = tmp_path / "cut.sgf"
    cut.write_text("(;SZ[9];B[ee];W[aa]")
    _, _, err = run(capfd, "convert", cut, tmp_path / "whole.sgf")
    assert any("the end is missing" in line for line in err)
    _, out, _ = run(capfd, "show", cut)
    assert "Note: the end is missing" in out


def test_show_a_move_of_a_file(capfd: pytest.CaptureFixture[str], game_file: Path) -> None:
    code, out, err = run(capfd, "show", game_file, "3")
    assert code == 0
    assert err == []
    lines = out.splitlines()
    assert "Black: Ann (3k), White: B]ob" in lines
    assert "After move 3 of 7 (G7)" in lines
    assert "5 . . . . X . . . . 5" in lines
    assert lines[-2:] == ["  0  C3  value -1.5", "  1  G3"]
    assert "After move 0 of 7" in run(capfd, "show", game_file, "0")[1]
    assert "(pass)" in run(capfd, "show", game_file)[1]
    assert "After move 5 of 5 (D3)" in run(capfd, "show", game_file, "--line", "1,1")[1]
    assert "hard: \\" in run(capfd, "show", game_file, "2")[1]


def test_show_one_game_of_many(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "many.sgf"
    path.write_bytes(SOUND["sgf"][1])
    assert "After move 2 of 2 (E8)" in run(capfd, "show", path, "-n", "2")[1]
    code, _, err = run(capfd, "show", path, "-n", "3")
    assert (code, len(err)) == (2, 1)
    assert "has 2 games: give -n 1 to 2, not 3" in err[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "{}/none.sgf"], "none.sgf: No such file or directory"),
        (["show", "{}"], "this is a folder, not a file"),
        (["show", "{}/game.sgf", "99"], "a move's number should be 0 (the start) to 7, not 99"),
        (["show", "{}/game.sgf", "--", "-1"], "a move's number should be 0 (the start) to 7, not -1"),
        (["show", "{}/game.sgf", "--line=-1"], "there are variations 0 to 1 here, not -1"),
        (["show", "{}/game.sgf", "x"], "a move's number should be a whole number, not 'x'"),
        (["show", "{}/game.sgf", "1", "2"], "a file is shown with the number of a move"),
        (["show", "{}/game.sgf", "--line", "7"], "there are variations 0 to 1 here, not 7"),
        (["convert", "{}/none.sgf", "{}/x.sgf"], "No such file or directory"),
        (["convert", "{}/game.sgf", "{}/nowhere/x.sgf"], "there is no such folder"),
        (["convert", "{}/game.sgf", "{}/x.doc"], "go is written to files that end in"),
        (["convert", "{}/game.sgf", "{}/x", "--to", "pdf"], "there is no format 'pdf'"),
        (["convert", "{}/game.sgf", "{}/x.ggf"], "go is written to files that end in .pgn, .sgf, .txt"),
        (["convert", "{}/game.sgf", "{}/x", "--to", "ggf"], "GGF cannot hold Go"),
        (["convert", "{}/game.sgf", "{}/game.sgf"], "not converted into itself"),
        (["convert", "{}/junk", "{}/x.sgf"], "junk: Format not recognised"),
        (["play", "go", "--load", "{}/game.sgf"], "--load takes the game and its moves from what is kept"),
        (["play", "--load", "{}/none.sgf"], "No such file or directory"),
        (["play", "othello", "--save", "{}/game.sgf"], "exists: go on with it by --load"),
        (["play", "clobber", "--save", "{}/x.sgf"], "clobber is written to files that end in"),
        (["play", "othello", "--save", "{}/nowhere/x.sgf"], "there is no such folder"),
        (["play", "--load", "{}/many.sgf", "--save", "{}/many.sgf"], "holds 2 games: save to another file"),
    ],
)
def test_bad_input_is_answered_in_one_line(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, game_file: Path, words: list[str], message: str
) -> None:
    (tmp_path / "junk").write_text("hello")
    (tmp_path / "many.sgf").write_bytes(SOUND["sgf"][1])
    code, out, err = run(capfd, *(word.format(tmp_path) for word in words))
    assert code == 2
    assert out == ""
    (line,) = err
    assert line.startswith("tengen: ")
    assert message in line


def test_an_unreadable_file(capfd: pytest.CaptureFixture[str], game_file: Path) -> None:
    game_file.chmod(0)
    if os.access(game_file, os.R_OK):  # root reads everything
        game_file.chmod(0o600)
        assert run(capfd, "show", game_file)[0] == 0
        return
    assert "Permission denied" in run(capfd, "show", game_file)[2][0]


def play(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, lines: str, *words: str | Path
) -> tuple[int, str, list[str]]:
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    return run(capfd, "play", *words, "--side", "both", "--engine", "random")


def test_a_game_is_saved_after_every_move_and_loaded_again(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "mine.sgf"
    code, out, _ = play(capfd, monkeypatch, "b1\nundo\na2\na1\nquit\n", "othello", "size=4", "--save", path)
    assert code == 0
    assert re.search(rf"tengen play --resume \w{{8}} --save {re.escape(str(path))}", out)
    (record,) = records.read(path)
    assert [record.game.write_move(move) for move in record.moves()] == ["a2", "a1"]
    code, out, _ = play(capfd, monkeypatch, "undo\nc1\nresign\n", "--load", path, "--save", path)
    assert code == 0
    (record,) = records.read(path)
    assert [record.game.write_move(move) for move in record.moves()][:1] == ["a2"]
    assert record.result in ("B+R", "W+R")


def test_what_a_file_held_stays_in_it(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "mine.sgf"
    path.write_text("(;GM[1]SZ[5]PB[Ann]XX[kept];B[cc]C[good](;W[bb])(;W[dd]))")
    play(capfd, monkeypatch, "D3\nquit\n", "--load", path, "--save", path)
    (record,) = records.read(path)
    assert [record.game.write_move(move) for move in record.moves()] == ["C3", "B4", "D3"]
    assert record.names[0] == "Ann"
    assert record.nodes()[1].comment == "good"
    assert len(record.nodes()[1].children) == 2
    assert "XX[kept]" in path.read_text()


def test_the_end_of_a_game_is_its_result(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "strip.txt"
    play(capfd, monkeypatch, "1-2\n", "clobber", "board=XO.", "--save", path)
    (record,) = records.read(path)
    assert record.result == "B+"
    counted = tmp_path / "counted.sgf"
    play(capfd, monkeypatch, "C3\nA1\npass\npass\nA1\n", "go", "size=5", "rules=japanese", "--save", counted)
    assert records.read(counted)[0].result == "B+18.5"


def test_a_full_disk_does_not_end_a_game(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "mine.sgf"
    saved: list[int] = []
    fsync = os.fsync

    def full(file: int) -> None:
        saved.append(file)
        if len(saved) > 1:
            raise OSError(28, "No space left on device")
        fsync(file)

    monkeypatch.setattr("os.fsync", full)
    code, _, err = play(capfd, monkeypatch, "b1\na1\nquit\n", "othello", "size=4", "--save", path)
    assert code == 0
    assert err == [f"the game could not be saved: {path}: No space left on device"]
    assert len(records.read(path)[0].moves()) == 0


def test_a_file_that_is_gone_on_with_keeps_its_format_whatever_its_suffix(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sgf, text = tmp_path / "a.sgf", tmp_path / "a.txt"
    sgf.write_text("(;GM[2]SZ[8]PB[Ann];B[f5]C[first](;W[d6]C[one])(;W[f6]C[two]))")
    assert cli.run(["convert", str(sgf), str(text), "--to", "text"]) == 0
    before = text.read_text()
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    assert cli.run(["play", "--load", str(text), "--save", str(text), "--engine", "random"]) == 0
    assert text.read_text() == before
    assert "two" in before


def test_moves_taken_back_from_a_loaded_game_are_no_longer_its_line(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "mine.sgf"
    path.write_text("(;GM[1]SZ[5]B[cc];W[bb]C[hm];B[dd];W[aa])")

    def moves() -> list[str]:
        (record,) = records.read(path)
        return [record.game.write_move(move) for move in record.moves()]

    play(capfd, monkeypatch, "undo\nundo\nquit\n", "--load", path, "--save", path)
    assert moves() == ["C3", "B4"]
    (record,) = records.read(path)
    assert len(record.moves((1,))) == 4  # what was there is another line now
    before = path.read_text()
    play(capfd, monkeypatch, "quit\n", "--load", path, "--save", path)
    assert path.read_text() == before
    play(capfd, monkeypatch, "D2\nquit\n", "--load", path, "--save", path)
    assert moves() == ["C3", "B4", "D2"]
    (record,) = records.read(path)
    assert [len(node.children) for node in record.nodes()] == [1, 1, 1, 2, 0]  # the same move: one line, that ends
    play(capfd, monkeypatch, "undo\n" * 3 + "quit\n", "--load", path, "--save", path)
    assert moves() == []


def test_moves_taken_back_are_gone_from_a_format_without_lines(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("f5d6c3")
    _, _, err = play(capfd, monkeypatch, "undo\nquit\n", "--load", path, "--save", path)
    assert len(records.read(path)[0].moves()) == 2
    assert err == [f"{path}: not kept: lines after the end of the game"]


def test_marks_are_shown_with_the_labels_of_the_board(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "marked.sgf"
    path.write_text("(;GM[1]SZ[9];B[ee]LB[aa:x]AR[ai:ia]TR[hh])(;GM[2];B[f5]CR[a1])")
    out = run(capfd, "show", path)[1].splitlines()
    assert out[-3:] == ["label: A9 x", "arrow: A1 to J9", "triangle: H2"]
    assert run(capfd, "show", path, "-n", "2")[1].splitlines()[-1] == "circle: a1"


BAD = "(;GM[1]SZ[9];B[ee];W[aa])\n(;GM[1]SZ[9];B[zz])\n(;GM[1]SZ[9];B[ee];W[ee])\n(;GM[1]SZ[9];B[ff])\n"


def test_bad_games_are_named_and_left_out(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path, target = tmp_path / "some.sgf", tmp_path / "out.txt"
    path.write_text(BAD)
    code, out, err = run(capfd, "convert", path, target)
    assert code == 1
    assert out.strip() == f"{target}: 2 games written"
    assert err == [
        f"{path}: game 2 is left out: line 2, column 13: expected a move on the 9x9 board, not 'zz'",
        f"{path}: game 3 is left out: move 2, White E5: there is a stone",
    ]
    assert [len(record.moves()) for record in records.read(target)] == [2, 1]
    assert "After move 1 of 1 (F4)" in run(capfd, "show", path, "-n", "4")[1]
    for number, place in ((2, "line 2, column 13"), (3, "game 3")):
        code, _, err = run(capfd, "show", path, "-n", str(number))
        assert code == 2
        assert err[0].startswith(f"tengen: {path}: {place}: ")


def test_many_bad_games_are_counted_and_none_but_bad_ones_are_an_error(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, target = tmp_path / "some.sgf", tmp_path / "out.sgf"
    path.write_text("(;GM[3])" * 30)
    code, out, err = run(capfd, "convert", path, target)
    assert (code, out) == (2, "")
    assert "none of its 30 games can be read; the first: GM[3] is no game" in err[0]
    assert not target.exists()
    path.write_text("(;GM[1])" + "(;GM[3])" * 30)
    code, _, err = run(capfd, "convert", path, target)
    assert (code, len(err)) == (1, 21)
    assert err[-1] == f"{path}: and 10 more are left out"


TEXTS = b'[Game "go"]\n\n1. E5 *\n\n[Event "x"]\n[Game "go"]\n\n1. Q99 *\n\n[Event "y"]\n[Game "go"]\n'


@pytest.mark.parametrize(
    ("suffix", "content", "bad", "sound"),
    [
        ("wtb", SOUND["wthor"][0][:22] + b"\x50" + SOUND["wthor"][0][23:], 1, [4]),
        ("ggf", SOUND["ggf"][1].replace(b"B[F5]", b"B[Q9]"), 1, [1]),
        ("obf", b"%s X;\n%s X; Q9:1;\n%s X;\n" % ((b"-OOX-XX--XOO-X--",) * 3), 2, [0, 0]),
        ("txt", b"f5d6\nf5f6\nf5f5\nf5q9\nd3\n", 3, [2, 2, 1]),
        (
            "pgn",
            b'[Game "go"]\n\n1. E5 *\n\n[Event "x"]\n[Game "go"]\n\n1. Q99 *\n\n[Event "y"]\n[Game "go"]\n',
            2,
            [1, 0],
        ),
    ],
)
def test_every_format_goes_on_after_a_bad_game(
    tmp_path: Path, suffix: str, content: bytes, bad: int, sound: list[int]
) -> None:
    path = tmp_path / f"some.{suffix}"
    path.write_bytes(content)
    told: list[int] = []
    found = records.read(path, on_bad=lambda number, error: told.append(number))
    assert [len(record.moves()) for record in found] == sound
    assert told[0] == bad
    with pytest.raises(records.RecordError):
        records.read(path)


def test_what_is_lost_of_a_wthor_file_is_what_somebody_would_miss(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, target = tmp_path / "some.wtb", tmp_path / "some.sgf"
    path.write_bytes(SOUND["wthor"][0])
    assert run(capfd, "convert", path, target)[2] == [f"{target}: not kept: theoretical scores (2)"]


def test_ctrl_c_leaves_the_target_as_it_was(tmp_path: Path) -> None:
    source, target = tmp_path / "many.sgf", tmp_path / "out.sgf"
    source.write_text("(;GM[1]SZ[9];B[ee];W[aa];B[bb];W[cc];B[dd];W[ff])\n" * 60_000)
    target.write_text("old")
    started = subprocess.Popen(
        [sys.executable, "-m", "tengen", "convert", str(source), str(target)],
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 120
    while len(list(tmp_path.iterdir())) < 3 and started.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert len(list(tmp_path.iterdir())) == 3, "it is being written under another name"
    started.send_signal(signal.SIGINT)
    _, err = started.communicate(timeout=240)
    assert started.returncode == 130
    assert err.splitlines()[-1] == "stopped"
    assert target.read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"many.sgf", "out.sgf"}


def test_an_error_in_the_last_game_leaves_the_target_as_it_was(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source, target = tmp_path / "mixed.sgf", tmp_path / "out.ggf"
    source.write_text("(;GM[2];B[f5])" * 5 + "(;GM[1];B[ee])")
    target.write_text("old")
    code, out, err = run(capfd, "convert", source, target)
    assert (code, out) == (2, "")
    assert err == ["tengen: game 6: GGF cannot hold Go"]
    assert target.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2
