"""Matches: openings, games in workers, faults, resuming, the store and the command."""

from __future__ import annotations

import base64
import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import pytest

import tengen
from tengen import cli
from tengen.arena import game_runner, openings
from tengen.arena.adjudication import Adjudication, Adjudicator
from tengen.arena.calibration import BASE_ELO, measure_levels, sample_losses
from tengen.arena.engine_match import EngineMatch
from tengen.arena.game_runner import GameSetup, PlayedGame, play_game
from tengen.arena.match_score import MatchScore
from tengen.arena.statistics import Sprt
from tengen.core.errors import OptionError
from tengen.engines.registry import create
from tengen.games import import_path, records
from tengen.jobs import Checkpoint
from tengen.jobs.checkpoint import encode
from tengen.play.player_lookup import find_engine_player
from tengen.play.time_control import TimeControl
from tengen.players.config import EngineConfig
from tengen.players.configure import configure
from tengen.players.player import Person
from tengen.search.limits import Limits
from tengen.store.listing import Filter
from tengen.store.store import Store
from tests.helpers.external_programs import FAKE, wait_until_gone

GAME = tengen.game("clobber", size=10)


def fake(mode: str, folder: Path, patience: float = 20.0, seconds: float = 0.1) -> str:
    command = f"{sys.executable} -I -S {FAKE} gtp '{mode}' {folder}"
    return f"gtp,seconds={seconds},patience={patience}:{command}"


def series(store: Store, first: str, second: str, games: int = 4, **others: object) -> EngineMatch:
    players = (find_engine_player(store, first, GAME.name), find_engine_player(store, second, GAME.name))
    return EngineMatch(GAME, players, games, **others)  # type: ignore[arg-type]


def played(number: int, winner: int | None) -> PlayedGame:
    """A game as the tally sees it, which asks for no more than who won."""
    return replace(_any_game(), number=number, first=number % 2, winner=winner)


@cache
def _any_game() -> PlayedGame:
    return play_game(_setup("random:nodes=1", "random:nodes=1"), 0, ())


def _setup(first: str, second: str, game: str = "clobber", control: str = "none", **options: object) -> GameSetup:
    rules = tengen.game(game, **(options or {"size": 10}))
    with Store.in_memory() as store:
        configs: tuple[EngineConfig, EngineConfig] = tuple(  # type: ignore[assignment]
            find_engine_player(store, text, game).config for text in (first, second)
        )
    return GameSetup(game, import_path(game), rules.options(), configs, control, 1)


# ---- who plays


def test_contestants_are_read() -> None:
    with Store.in_memory() as store:
        player = find_engine_player(store, "uct:nodes=500,rave=100,threads=2", "othello")
        assert player.config == configure("uct", player.config.limits, threads=2, rave=100)
        assert player.config.limits.nodes == 500
        assert player.config.book
        assert not find_engine_player(store, "uct:nodes=500,book=off", "othello").config.book
        program = find_engine_player(store, "gtp,seconds=2,patience=5:gnugo --mode gtp", "go").config
        assert program.program is not None
        assert (program.program.command, program.program.timeout_s) == (("gnugo", "--mode", "gtp"), 5.0)
        assert program.limits.seconds == 2
        assert find_engine_player(store, "othello depth 6", "othello").name == "Othello depth 6"
        store.save_player(player)
        assert find_engine_player(store, "uct:rave=100,nodes=500,threads=2", "othello").id == player.id


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nobody", "no player 'nobody'"),
        ("Ann", "a person"),
        ("uct:speed=3", "no setting 'speed'"),
        ("uct:nodes=many", "nodes should be a whole number"),
        ("uct:nodes", "name=value"),
        ("uct:book=no", "on or off"),
        ("gtp:", "needs a command"),
        ("gtp,rave=3:gnugo", "not rave"),
    ],
)
def test_bad_contestants_are_refused(text: str, says: str) -> None:
    with Store.in_memory() as store:
        store.save_player(Person("Ann"))
        with pytest.raises(OptionError, match=says):
            find_engine_player(store, text, "othello")


# ---- openings


def test_openings_are_even_different_and_the_same_for_a_seed() -> None:
    game = tengen.game("othello")
    lines = list(islice(openings.generate(game, 4, seed=3), 12))
    assert lines == list(islice(openings.generate(game, 4, seed=3), 12))
    assert lines != list(islice(openings.generate(game, 4, seed=4), 12))
    keys = {game.start().play_all(line).key for line in lines}
    assert len(keys) == 12
    for line in lines:  # another, longer search agrees that they are about even
        value = create("uct", seed=99).search(game.start().play_all(line), Limits(nodes=3000)).value
        assert abs(value.amount - 0.5) < 0.25


def test_openings_of_pente_are_near_the_middle_and_even() -> None:
    game = tengen.game("pente", variant="tournament")
    lines = list(islice(openings.generate(game, 4, seed=5), 3))
    assert [len(line) for line in lines] == [4, 4, 4]
    for line in lines:
        points = [point for move in line for point in game.points(move)]
        assert all(5 <= place <= 13 for point in points for place in point)
        value = create("pente", table=1).search(game.start().play_all(line), Limits(nodes=40_000)).value
        assert abs(value.amount) < 0.6


def test_a_game_without_even_openings_has_openings_all_the_same() -> None:
    assert len(list(islice(openings.generate(tengen.game("clobber", size=6), 1), 20))) == 20
    assert next(openings.generate(GAME, 0)) == ()
    with pytest.raises(OptionError, match="fewer with --plies"):
        next(openings.generate(tengen.game("clobber", size=3), 5))


def test_openings_come_from_files(tmp_path: Path) -> None:
    game = tengen.game("othello")
    file = tmp_path / "openings.txt"
    file.write_text("f5d6c3d3c4\nf5f6e6f4\n")
    lines = openings.from_file(game, file, 3)
    assert [game.start().play_all(line).write_moves(line) for line in lines] == [
        ["f5", "d6", "c3"],
        ["f5", "f6", "e6"],
    ]
    assert [len(line) for line in openings.from_file(game, file)] == [5, 4]
    with pytest.raises(OptionError, match="cannot be an opening of this match"):
        openings.from_file(GAME, file)


# ---- games


def test_a_game_depends_on_nothing_but_its_seed_and_number() -> None:
    setup = _setup("uct:nodes=60", "alphabeta:depth=2")
    again = play_game(setup, 0, ())
    play_game(setup, 1, ())  # what the engines learn here must not matter
    assert play_game(setup, 0, ()).moves == again.moves
    assert play_game(replace(setup, seed=2), 0, ()).moves != again.moves
    assert [play_game(setup, number, ()).first for number in (0, 1)] == [0, 1]


def test_a_clock_is_kept() -> None:
    setup = _setup("uct:nodes=50", "alphabeta:seconds=0.001,depth=2", control="5s/move")
    game = play_game(setup, 1, ())
    assert game.winner is not None
    assert "+T" not in game.result
    assert sum(game.thinking) <= sum(game.seconds) + 1e-3
    assert min(game.nodes) > 0


def test_a_referee_thinks_in_nobodys_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Adjudicator, "verdict", lambda *_: time.sleep(1.2))
    setup = _setup("alphabeta:depth=1", "alphabeta:depth=1", control="1s/move", size=6)
    game = play_game(replace(setup, adjudication=Adjudication(agreement=9)), 0, ())
    assert len(game.moves) >= 2
    assert "+T" not in game.result


@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("segfault", "signal 11"),
        ("illegal", "illegal"),
        ("nonsense", "answered"),
        ("flood", "flooded"),
        ("noise", "flooded|did not answer"),
        ("dies at start", "no licence"),
        ("hang", "did not answer"),
    ],
)
def test_a_program_that_fails_loses_its_game(mode: str, says: str, tmp_path: Path) -> None:
    patience = 1.0 if mode == "hang" else 5.0
    setup = _setup("random:nodes=1", fake(mode, tmp_path, patience), "go", size=5)
    try:
        for number in (0, 1):
            game = play_game(setup, number, ())
            assert game.winner == 0
            assert game.result.endswith("+F"), game
            assert any(word in game.reason for word in says.split("|")), game.reason
    finally:
        while game_runner._programs:
            game_runner._programs.popitem()[1].close()
    assert wait_until_gone(tmp_path) > 0


@pytest.mark.parametrize(
    ("mode", "control", "result", "says"),
    [
        ("crash", "none", "+F", "exit code 1: out of luck"),
        ("resigns", "none", "+R", "resigned"),
        ("hang later", "1s/move", "+T", "ran out of time"),
    ],
)
def test_the_match_goes_on_after_a_failure(
    mode: str, control: str, result: str, says: str, tmp_path: Path
) -> None:
    rules = tengen.game("go", size=5)
    with Store.in_memory() as store:
        players = (
            find_engine_player(store, "random:nodes=1", "go"),
            find_engine_player(store, fake(mode, tmp_path, 5.0), "go"),
        )
        match = EngineMatch(rules, players, 2, TimeControl.parse(control), plies=2, seed=4)
        tally = match.play(store, checkpoint=tmp_path / "match.jobs", concurrency=1)
        assert tally.results(0) == (2, 0, 0)
        for game in tally.games.values():
            assert game.result.endswith(result), game
        stored = [store.load(row.id) for row in store.list_games(Filter()).games]
        assert len(stored) == 2
        for entry in stored:
            assert entry.record.result.endswith(result)
            assert says in entry.end, entry.end
    assert wait_until_gone(tmp_path) > 0  # engines were started, and none is left


# ---- matches


@pytest.mark.usefixtures("jobs_in_threads")
def test_a_match_is_stored_resumed_and_extended(tmp_path: Path) -> None:
    file = tmp_path / "match.jobs"
    told: list[int] = []
    with Store.in_memory() as store:
        short = series(store, "uct:nodes=30", "random:nodes=1", 4)
        first = short.play(store, checkpoint=file, on_game=lambda tally, game: told.append(game.number))
        assert sorted(told) == [0, 1, 2, 3]
        assert store.count_games() == 4
        long = series(store, "uct:nodes=30", "random:nodes=1", 8)
        second = long.play(store, checkpoint=file, concurrency=1)
        assert {number: second.games[number].id for number in range(4)} == {
            number: game.id for number, game in first.games.items()
        }
        assert store.count_games() == 8
        for number, game in second.games.items():
            entry = store.load(game.id)
            assert entry.is_finished
            assert not entry.rated
            assert entry.record.moves() == list(game.moves)
            players = [player.name for player in entry.players if player is not None]
            assert players == [long.players[number % 2].name, long.players[1 - number % 2].name]
        for pair in range(4):  # colours changed, the opening the same
            one, two = second.games[2 * pair], second.games[2 * pair + 1]
            assert one.moves[: one.opening] == two.moves[: two.opening]
            assert (one.first, two.first) == (0, 1)
    with Store.in_memory() as other:  # as after a kill between the checkpoint and the store
        long.play(other, checkpoint=file, concurrency=1)
        assert other.count_games() == 8


@pytest.mark.usefixtures("jobs_in_threads")
def test_a_match_stops_when_the_sequential_test_knows(tmp_path: Path) -> None:
    with Store.in_memory() as store:
        players = (
            find_engine_player(store, "alphabeta:depth=2", "othello"),
            find_engine_player(store, "random", "othello"),
        )
        match = EngineMatch(tengen.game("othello"), players, 400, sprt=Sprt(0, 200))
        tally = match.play(store, checkpoint=tmp_path / "match.jobs")
        assert tally.verdict == 1
        assert tally.decided_by is not None
        assert sum(tally.counts()) == tally.decided_by < 50
        assert store.count_games() >= 2 * tally.decided_by


def test_the_sequential_test_looks_at_pairs_in_order() -> None:
    wins, losses = [played(number, 0) for number in range(40)], [played(number, 1) for number in range(40)]
    tally = MatchScore(("A", "B"), Sprt(0, 200))
    for game in wins[2:]:  # many wins, but the first pair is missing
        tally.add(game)
    assert tally.verdict is None
    tally.add(wins[1])
    tally.add(wins[0])
    assert tally.verdict == 1
    assert sum(tally.counts()) == tally.decided_by
    other = MatchScore(("A", "B"), Sprt(0, 200))
    for game in losses:
        other.add(game)
    assert other.verdict == 0


def test_a_tally_counts_pairs() -> None:
    tally = MatchScore(("A", "B"))
    for number, winner in enumerate([0, 0, 0, 1, None, 1, None, None, 1, 1, 0]):
        tally.add(played(number, winner))
    assert tally.counts() == (1, 1, 2, 0, 1)  # the last game waits for its pair
    assert tally.results(0) == (4, 3, 4)
    data = json.loads(json.dumps(tally.to_dict(), allow_nan=False))
    assert data["pairs"] == [1, 1, 2, 0, 1]
    assert data["score"]["low"] < data["score"]["mean"] < data["score"]["high"]


def test_odd_numbers_of_games_are_refused() -> None:
    with Store.in_memory() as store, pytest.raises(OptionError, match="pairs"):
        series(store, "uct", "uct", 5)


# ---- the command


@pytest.mark.usefixtures("jobs_in_threads")
def test_the_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["match", "alphabeta:depth=2", "random:nodes=1", "size=10", "--game", "clobber", "--games", "4"]
    words += ["--seed", "77", "--json", str(tmp_path / "out.json"), "--save", str(tmp_path / "games.txt")]
    words += ["--concurrency", "1"]
    assert cli.run(words) == 0
    out = capfd.readouterr().out
    assert "Elo" in out
    assert "with 95 % confidence" in out
    data = json.loads((tmp_path / "out.json").read_text())
    assert data["games"] == 4 == len(data["played"])
    assert [one["first"] for one in data["played"]] == [0, 1, 0, 1]
    written = records.read(tmp_path / "games.txt")
    assert [record.result for record in written] == [one["result"] for one in data["played"]]
    assert cli.run(words) == 0  # all is known
    again = json.loads((tmp_path / "out.json").read_text())
    assert again == data
    assert cli.run([*words, "--fresh"]) == 0
    fresh = json.loads((tmp_path / "out.json").read_text())
    assert [one["id"] for one in fresh["played"]] != [one["id"] for one in data["played"]]
    assert [one["result"] for one in fresh["played"]] == [one["result"] for one in data["played"]]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["uct", "nobody"], "no player"),
        (["uct", "uct", "--games", "3"], "pairs"),
        (["uct", "uct", "--sprt", "10,0"], "lower one first"),
        (["uct", "uct", "--time", "5"], "units"),
        (["uct", "uct", "--concurrency", "0"], "Invalid value for '--concurrency'"),
        (["uct", "uct", "--plies", "-1"], "Invalid value for '--plies'"),
        (["uct", "uct", "--save", "games.xyz"], "files that end in"),
        (["uct", "uct", "--openings", "nowhere.sgf"], "nowhere.sgf"),
        (["uct", "uct", "--game", "chess"], "no game"),
    ],
)
def test_what_cannot_be_played_is_said(words: list[str], says: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["match", *words]) == 2
    assert says in capfd.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="sends Ctrl-C")
def test_ctrl_c_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "match.jobs"
    words = ["match", "uct:seconds=0.02", "random:nodes=1", "size=10", "-g", "clobber", "-n", "2000"]
    words += ["--concurrency", "1"]
    command = [sys.executable, "-m", "tengen", *words, "--checkpoint", str(file)]
    environment = {**os.environ, "TENGEN_DATA": str(tmp_path)}
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and (not file.exists() or file.stat().st_size < 5000):
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=240)
    assert child.returncode == 130, err
    assert "Elo" in out
    with Store.open(str(tmp_path / "tengen.db")) as store:
        assert store.count_games() > 0


def test_no_other_file_is_taken_for_a_checkpoint_or_overwritten(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    precious = tmp_path / "precious.sgf"
    precious.write_text("precious")
    words = ["match", "random:nodes=1", "flat:nodes=2", "--game", "clobber", "--games", "2", "--seed", "77"]
    for more in (["--fresh", "--resume", str(precious)], ["--json", str(precious)]):
        assert cli.run([*words, *more]) == 2
        assert "precious.sgf" in capfd.readouterr().err
    assert precious.read_text() == "precious"


# ---- how strong the ready-made opponents are


@pytest.mark.usefixtures("jobs_in_threads")
def test_a_ladder_of_strengths() -> None:
    game = tengen.game("othello", size=4)
    with Store.in_memory() as store:
        players = [find_engine_player(store, text, "othello") for text in ("random:nodes=1", "alphabeta:depth=12")]
    told: list[str] = []
    weak, strong = measure_levels(game, players, 6, moves=20, on_level=lambda level: told.append(str(level)))
    assert (weak.elo, weak.error, weak.step) == (BASE_ELO, 0.0, 0.0)
    assert 0 < strong.step < 2000, "who wins all games is not infinitely stronger"
    assert strong.elo == BASE_ELO + strong.step
    assert strong.error == strong.step_error > 0
    assert 0 < strong.seconds <= strong.slowest
    assert strong.loss == 0.0, "who sees the end loses nothing"
    assert weak.loss is not None
    assert weak.loss > 1.0
    assert [line.split()[0] for line in told] == ["Random", "Alphabeta"]
    with pytest.raises(OptionError, match="two players"):
        measure_levels(game, players[:1], 6)
    with pytest.raises(OptionError, match="at least 1 move"):
        measure_levels(game, players, 6, moves=-5)


@pytest.mark.usefixtures("jobs_in_threads")
def test_moves_of_go_are_judged_in_points() -> None:
    """A player at random loses some on a small board; the judge has no depth."""
    with Store.in_memory() as store:
        players = [find_engine_player(store, text, "go") for text in ("random:nodes=1", "go:nodes=50")]
    levels = measure_levels(tengen.game("go", size=5), players, 2, moves=6)
    assert levels[0].loss is not None
    assert levels[0].loss > 1


def test_losses_are_those_of_the_contestants_own_moves() -> None:
    # Black, contestant 1, gives away discs at every turn; White is left without a choice or answers at its best.
    game = tengen.game("othello", size=4)
    engine = create("othello")
    line, losses = game.start(), ([], [])  # type: tuple[tengen.core.position.Position, tuple[list[float], list[float]]]
    while line.outcome is None:
        report = engine.search(line, Limits(lines=20))
        worth = {one.move: one.value.amount for one in report.candidates}
        choice = min(worth, key=lambda move: worth[move]) if line.to_move == 0 else report.best
        if len(worth) > 1:
            losses[line.to_move].append(max(worth.values()) - worth[choice])
        line = line.play(choice)
    game_played = replace(played(0, None), first=1, opening=0, moves=tuple(map(int, line.moves)))
    tally = MatchScore(("White", "Black"))
    tally.add(game_played)
    for contestant_number, side in ((1, 0), (0, 1)):
        found = sample_losses(game, tally, contestant_number, 1000, random.Random(1))
        assert sorted(found) == pytest.approx(sorted(losses[side]))
    assert sum(losses[0]) > 0 == sum(losses[1])


# A finished game in a checkpoint of version 0.1, when the class was `tengen.arena.duel.Played`.
_OLD_CHECKPOINT_VALUE = (
    b"gAWVaQEAAAAAAACMEXRlbmdlbi5hcmVuYS5kdWVslIwGUGxheWVklJOUKYGUfZQojAZudW1iZXKUSwOMAmlklIwkNGUyYjBkNmMt"
    b"NWYwZS00YzdhLTlhNjAtMGI4ZDFjOWQyZjExlIwHc3RhcnRlZJSMCGRhdGV0aW1llIwIZGF0ZXRpbWWUk5RDCgfqAQIAAAAAAACU"
    b"aAmMCHRpbWV6b25llJOUaAmMCXRpbWVkZWx0YZSTlEsASwBLAIeUUpSFlFKUhpRSlIwFZmlyc3SUSwGMB29wZW5pbmeUSwGMBW1v"
    b"dmVzlEsMSx6GlIwHc2Vjb25kc5RHP9AAAAAAAACFlIwGd2lubmVylEsAjAZyZXN1bHSUjANXK1KUjAZyZWFzb26UjA5CbGFjayBy"
    b"ZXNpZ25lZJSMCHRoaW5raW5nlEc/uZmZmZmZmkc/yZmZmZmZmoaUjAVub2Rlc5RLCksUhpSMBHdhbGyURz/gAAAAAAAAdWIu"
)


def test_games_in_checkpoints_of_older_versions_can_be_read(tmp_path: Path) -> None:
    with Checkpoint(tmp_path / "old.jobs", "match").open() as results:
        results.append([("game 3", base64.b64decode(_OLD_CHECKPOINT_VALUE))])
    with Checkpoint(tmp_path / "old.jobs", "match").open() as results:
        game = results.load("game 3")
    assert isinstance(game, PlayedGame)
    assert (game.number, game.moves, game.result, game.nodes) == (3, (12, 30), "W+R", (10, 20))


@pytest.mark.usefixtures("jobs_in_threads")
@pytest.mark.parametrize("explicit", [True, False])
def test_a_match_resumes_from_a_checkpoint_with_former_names_of_settings(
    explicit: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Version 0.1 called `leaf_nodes` `leaf`, `choke_ply` `choke`, and so on; its file is named after them."""
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path))
    monkeypatch.setattr("tengen.arena.engine_match.play_game", lambda *args: pytest.fail("played before"))
    with Store.in_memory() as store:
        players = (
            find_engine_player(store, "pente:nodes=20", "pente"),
            find_engine_player(store, "classic:depth=2", "pente"),
        )
        match = EngineMatch(tengen.game("pente"), players, 4, seed=1)
        fingerprint = match.checkpoint().fingerprint
        former = {"leaf_nodes": "leaf", "inner_nodes": "inner", "threes_divisor": "share"}
        former |= {"choke_ply": "choke", "choked_width": "choked", "presort_width": "start"}
        facts = json.loads(fingerprint)
        for config in facts["players"]:
            config["settings"] = {former.get(name, name): value for name, value in config["settings"].items()}
        old = json.dumps(facts, sort_keys=True)
        assert all(f'"{name}"' in fingerprint and f'"{before}"' in old for name, before in former.items())
        digest = blake2b(old.encode(), digest_size=12).hexdigest()
        game = replace(played(0, 0), moves=(), opening=0)
        file = tmp_path / "match.jobs" if explicit else tmp_path / "matches" / f"{digest}.jobs"
        with Checkpoint(file, old).open() as results:
            results.append([(f"game {n}", encode(replace(game, number=n, winner=n % 2))) for n in range(4)])
        for _ in range(2):  # converted, then opened as it is
            score = match.play(store, checkpoint=file if explicit else None)
            assert score.results(0) == (2, 0, 2)
        assert match.checkpoint(file if explicit else None).exists()
        assert file.exists() == explicit
