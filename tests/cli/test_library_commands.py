"""`tengen play` with a library, `tengen library` and `tengen players`, as a user meets them."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest

from tengen import cli
from tengen.store.store import Store


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of one's own."""
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path / "data"


class User:
    """Types commands, and answers what they ask."""

    def __init__(self, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capfd = capfd
        self._monkeypatch = monkeypatch

    def __call__(self, *words: str, answers: str = "") -> tuple[int, str, str]:
        self._monkeypatch.setattr("sys.stdin", io.StringIO(answers))
        code = cli.run(list(words))
        captured = self._capfd.readouterr()
        return code, captured.out, captured.err

    def play(self, *words: str, answers: str) -> str:
        code, out, err = self("play", *words, answers=answers)
        assert code == 0, err
        return out


@pytest.fixture
def user(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> User:
    return User(capfd, monkeypatch)


RANDOM = ("--engine", "random", "--nodes", "1", "--name", "Ann")


def test_a_game_is_kept_and_gone_on_with(user: User) -> None:
    out = user.play("othello", "size=4", *RANDOM, answers="b1\nquit\n")
    found = re.search(r"To continue: tengen play --resume (\w{8})", out)
    assert found is not None
    _, listed, _ = user("library", "list", "--unfinished")
    assert found[1] in listed
    assert "Ann" in listed
    assert "unfinished" in listed
    out = user.play("--resume", found[1], answers="comment a fine start\nundo\nresign\nquit\n")
    assert "Move 3: Black to play" in out
    assert "White wins: Black resigned" in out
    _, listed, _ = user("library", "list")
    assert "W+R" in listed
    _, shown, _ = user("library", "show", "last", "0")
    assert "After move 0 of 0" in shown
    assert "Ended: Black resigned" in shown
    with Store.open() as store:
        (game,) = store.list_games().games
        variation = store.load(game.id).record.root.children[1]
        assert variation.children[0].comment == "a fine start", "what was taken back is still there"


def test_the_end_of_input_loses_nothing(user: User) -> None:
    user.play("othello", "size=4", *RANDOM, answers="b1\n")
    assert "Move 3: Black to play" in user.play("--resume", "last", answers="")


def test_a_rematch_and_the_ratings(user: User) -> None:
    # Before each side has moved, a game is not rated. On 4x4, any first move may be answered by any.
    user.play("othello", "size=4", *RANDOM, answers="b1\nresign\nquit\n")
    out = user.play("--rematch", "last", answers="b1\nresign\nrematch\nquit\n")
    assert out.count("White wins: Black resigned") == 1, "the loser goes first"
    _, table, _ = user("players", "ratings", "othello")
    ann = next(line for line in table.splitlines() if "Ann" in line)
    assert re.search(r"│ 0 +│ 0 +│ 2 +│", ann)
    _, history, _ = user("players", "ratings", "othello", "--player", "ann")
    assert history.count("Random") == 2
    _, shown, _ = user("players", "show", "Ann")
    assert "3 games" in shown
    assert re.search(r"othello: \d+ ± \d+ \(won 0, drawn 0, lost 2\)", shown)


def test_help_makes_a_game_unrated(user: User) -> None:
    user.play("othello", "size=4", *RANDOM, answers="hint\nresign\nquit\n")
    user.play("othello", "size=4", "--unrated", *RANDOM, answers="resign\nquit\n")
    _, table, _ = user("players", "ratings", "othello")
    assert "Ann" not in table


def test_a_demonstration_leaves_nothing_behind(user: User, data: Path) -> None:
    out = user.play("othello", "size=4", "--demo", *RANDOM, answers="b1\nquit\n")
    assert "--engine random" in out
    assert "--demo --moves 'b1 " in out
    assert not data.exists()
    assert user("library", "where")[1].endswith("0 games, 0 of them unfinished\n")


def test_two_people_agree_on_a_draw(user: User) -> None:
    out = user.play("othello", "size=4", "--side", "both", answers="draw\nno\ndraw\nyes\nquit\n")
    assert "Draw: agreed" in out
    out = user.play("clobber", "size=4", "--side", "both", answers="draw\nyes\nquit\n")
    assert "cannot be drawn" in out


def test_looking_back_and_variations(user: User) -> None:
    answers = "b1\na1\ngo 1\nc1\nback\nlines\nline 1\nlive\nboard\nquit\n"
    out = user.play("othello", "size=4", "--side", "both", answers=answers)
    assert "(showing move 1)> " in out
    assert "line 0  a1" in out
    assert "line 1  c1" in out
    out = user.play("--resume", "last", answers="quit\n")
    assert "Move 3: Black to play" in out, "the variation is not the game"


def test_games_on_a_clock(user: User) -> None:
    out = user.play("othello", "size=4", "--time", "5m+3s", *RANDOM, answers="b1\nclock\nquit\n")
    assert "Black: 5:0" in out
    code, _, err = user("play", "othello", "--time", "5")
    assert code == 2
    assert "lacks units" in err


def test_a_named_opponent(user: User) -> None:
    code, out, _ = user("players", "add-engine", "flat", "--nodes", "20", "--name", "Old Tom")
    assert code == 0
    assert "Old Tom" in out
    user.play("othello", "size=4", "--opponent", "old tom", answers="b1\nresign\nquit\n")
    _, listed, _ = user("library", "list", "--player", "Old Tom")
    assert "1 of 1 games" in listed
    code, _, err = user("play", "othello", "--opponent", "Nobody")
    assert code == 2
    assert "there is no player 'Nobody'; there are: " in err
    _, listed, _ = user("players", "list", "--game", "othello")
    assert "Midnight" in listed
    assert "built-in" in listed


def test_another_program_as_opponent(user: User) -> None:
    program = f"{sys.executable} -m tengen gtp --engine random --level '1 nodes'"
    code, out, err = user("players", "add-program", "gtp", program, "--name", "Stranger")
    assert code == 0, err
    assert "Stranger" in out
    out = user.play("go", "size=5", "--opponent", "stranger", answers="C3\nresign\nquit\n")
    assert "Answer: " in out
    assert "White wins: Black resigned" in out
    code, _, err = user("players", "add-program", "uci", "stockfish")
    assert code == 2
    assert "a protocol is gtp, nboard, gomocup, katago, not 'uci'" in err


def test_a_program_that_fails_can_be_left_or_asked_again(user: User) -> None:
    assert user("players", "add-program", "gtp", "false", "--name", "Broken")[0] == 0
    out = user.play("go", "size=5", "--opponent", "Broken", answers="C3\n\nquit\n")
    assert out.count("Broken failed: ") == 2
    assert "To continue: tengen play --resume " in out
    assert "White wins: Black resigned" in user.play("--resume", "last", answers="resign\nquit\n")


def test_an_unrated_game_has_unrated_rematches(user: User) -> None:
    user.play("othello", "size=4", "--unrated", *RANDOM, answers="resign\nrematch\nresign\nquit\n")
    user.play("--rematch", "last", "--unrated", answers="resign\nquit\n")
    assert "Ann" not in user("players", "ratings", "othello")[1]


def test_a_ready_made_opponent_is_one_player(user: User) -> None:
    user.play("othello", "size=4", "--engine", "random", "--nodes", "1", answers="quit\n")
    user.play("othello", "size=4", "--opponent", "Random 1 node", answers="quit\n")


def test_players_are_kept_apart_and_renamed(user: User) -> None:
    assert user("players", "add", "Ann")[0] == 0
    code, _, err = user("players", "add", "ann")
    assert code == 2
    assert "there is a player 'Ann' already" in err
    assert user("players", "rename", "Ann", "Anne")[0] == 0
    assert "Anne" in user("players", "list")[1]
    assert user("players", "remove", "anne")[0] == 0
    assert "Anne" not in user("players", "list")[1]
    code, _, err = user("players", "add-engine", "uct", "--vision", "61")
    assert code == 2
    assert "steps of 5" in err


def test_collections_come_in_and_go_out(user: User, tmp_path: Path) -> None:
    source = tmp_path / "games.sgf"
    source.write_text("(;GM[2]SZ[8]PB[X];B[f5])(;GM[2]SZ[8]PB[Y];B[a1])(;GM[2]SZ[8]PB[Z];B[d3];W[c3])")
    code, out, err = user("library", "import", str(source))
    assert code == 1, "one of them is bad"
    assert "2 added, 1 bad" in out
    assert "game 2: " in err
    assert "a1" in err
    assert "2 already stored" in user("library", "import", str(source))[1]
    target = tmp_path / "out.sgf"
    code, out, _ = user("library", "export", str(target), "--name", "z")
    assert code == 0
    assert "1 games written" in out
    assert "PB[Z]" in target.read_text()
    code, _, err = user("library", "export", str(target))
    assert code == 2
    assert "exists: choose another file" in err


def test_what_a_reader_had_to_make_up_for_is_said(user: User, tmp_path: Path) -> None:
    source = tmp_path / "cut.sgf"
    source.write_text("(;GM[2]SZ[8];B[f5];W[d6")
    _, out, err = user("library", "import", str(source))
    assert "1 added" in out
    assert "the end is missing" in err


def test_deleting_can_be_undone(user: User) -> None:
    user.play("othello", "size=4", *RANDOM, answers="b1\nquit\n")
    with Store.open() as store:
        short = store.list_games().games[0].id[:8]
    code, out, _ = user("library", "delete", short)
    assert code == 0
    assert f"tengen library undelete {short}" in out
    assert "0 of 0 games" in user("library", "list")[1]
    assert short in user("library", "list", "--deleted")[1]
    assert user("library", "undelete", short)[0] == 0
    assert "1 of 1 games" in user("library", "list")[1]
    user("library", "delete", short)
    assert "0 games removed" in user("library", "purge")[1]
    assert "1 games removed" in user("library", "purge", "--all")[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["play", "--resume", "last"], "there is no unfinished game: start one with `tengen play`"),
        (["play", "--resume", "zzzz"], "there is no game 'zzzz'"),
        (["play", "go", "--rematch", "last"], "--rematch determines the game and its moves"),
        (["play", "--resume", "last", "--time", "5m"], "--resume keeps the players and the clock"),
        (["play", "--rematch", "last", "--save", "x.sgf"], "--rematch cannot be combined with --save"),
        (["library", "list", "--sort", "luck"], "games are listed by date"),
        (["library", "list", "--winner", "me"], "--winner must be first, second, draw or unknown"),
        (["library", "list", "--game", "chess"], "there is no game 'chess'"),
        (["library", "show", "ffff"], "there is no game 'ffff'"),
        (["library", "import", "none.sgf"], "No such file"),
        (["players", "show", "Nobody"], "there is no player 'Nobody'"),
        (["players", "ratings", "chess"], "there is no game 'chess'"),
        (["players", "add-engine", "stockfish"], "there is no engine 'stockfish'"),
    ],
)
def test_bad_input_is_answered_in_one_line(user: User, words: list[str], message: str) -> None:
    code, out, err = user(*words)
    assert code == 2
    assert out == ""
    assert message in err
    assert len(err.splitlines()) == 1


def test_a_library_that_cannot_be_written_is_said_at_once(
    user: User, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data.parent.mkdir(exist_ok=True)
    data.write_text("a file where the folder should be")
    code, _, err = user("play", "othello", *RANDOM)
    assert code == 2
    assert len(err.splitlines()) == 1
