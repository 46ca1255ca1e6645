"""Tournaments: who meets whom, games that end early, files, playing, stopping and going on, the command."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen import cli
from tengen.arena import run_status
from tengen.arena.adjudication import DRAW, Adjudication, Adjudicator, proved_winner
from tengen.arena.game_runner import GameSetup, PlayedGame, play_game
from tengen.arena.pairings import (
    TIE_BREAKS,
    Pairing,
    bracket,
    gauntlet,
    knock_out,
    round_robin,
    schedule,
    swiss_points,
)
from tengen.arena.standings import Standings
from tengen.arena.tournament import Tournament
from tengen.core.errors import OptionError
from tengen.games import import_path
from tengen.jobs import CheckpointError
from tengen.play.player_lookup import find_engine_player
from tengen.players.configure import configure
from tengen.search.limits import Limits
from tengen.search.report import Value
from tengen.store.listing import Filter
from tengen.store.store import Store
from tests.helpers.tournaments import CUP, results

PLAYED = PlayedGame(0, "x", datetime(2026, 1, 1, tzinfo=UTC), 0, 0, (), (), 0, "B+", "", (0.0, 0.0), (0, 0), 0.0)


# ---- who meets whom


@given(st.integers(2, 21), st.integers(1, 3))
def test_in_a_round_robin_each_two_meet_once_and_nobody_twice_in_a_round(players: int, pairs: int) -> None:
    found = round_robin(players, 2 * pairs)
    assert sorted((one.first, one.second) for one in found) == [
        (a, b) for a in range(players) for b in range(a + 1, players)
    ]
    for number in {one.round for one in found}:
        busy = [player for one in found if one.round == number for player in (one.first, one.second)]
        assert len(busy) == len(set(busy)) >= players - 1


def test_in_a_gauntlet_the_champions_meet_all_others() -> None:
    assert {(one.first, one.second) for one in gauntlet(5, 2, 2)} == {(a, b) for a in (0, 1) for b in (2, 3, 4)}


@given(st.integers(2, 33), st.randoms(use_true_random=False))
def test_a_knock_out_is_won_by_who_wins_every_meeting(players: int, dice: random.Random) -> None:
    best = dice.randrange(players)
    results: dict[Pairing, float] = {}
    plan = schedule("knock-out", players, 4)
    while pairings := plan(results):
        assert len({player for one in pairings for player in (one.first, one.second)}) == 2 * len(pairings)
        for one in pairings:
            points = {one.first: one.games, one.second: 0}.get(best)
            results[one] = dice.choice((1.0, one.games / 2, 3.0)) if points is None else float(points)
    _, reached = knock_out(players, 4, results)
    assert max(reached, key=lambda player: reached[player]) == best
    assert len({(one.round, one.first, one.second) for one in results}) == players - 1


def test_in_a_knock_out_the_best_seeds_meet_last_and_draws_are_played_off() -> None:
    assert bracket(8) == [0, 7, 3, 4, 1, 6, 2, 5]
    assert bracket(3) == [0, None, 1, 2]
    results: dict[Pairing, float] = {}
    plan = schedule("knock-out", 2, 4)
    for games, start in [(4, 0), *((2, 4 + 2 * extra) for extra in range(TIE_BREAKS))]:
        assert plan(results) == [Pairing(1, 0, 1, games, start)]
        results[Pairing(1, 0, 1, games, start)] = games / 2
    assert plan(results) == []  # the better seed goes on
    assert knock_out(2, 4, results)[1] == {0: 2, 1: 1}


@settings(max_examples=40, deadline=None)
@given(st.integers(4, 17), st.randoms(use_true_random=False))
def test_in_a_swiss_tournament_nobody_meets_twice_and_equals_meet(players: int, dice: random.Random) -> None:
    rounds = min(5, players // 2)
    results: dict[Pairing, float] = {}
    plan = schedule("swiss", players, 2, rounds=rounds)
    number = 0
    while pairings := plan(results):
        number += 1
        assert {one.round for one in pairings} == {number}
        assert len(pairings) == players // 2
        # A round that was stopped in the middle goes on with what is missing.
        half = dict.fromkeys(pairings[::2], 2.0)
        assert plan({**results, **half}) == pairings[1::2] or not pairings[1::2]
        results |= {one: dice.choice((0.0, 0.5, 1.0, 2.0)) for one in pairings}
    assert number == rounds
    pairs = [(one.first, one.second) for one in results]
    assert len(pairs) == len(set(pairs))
    assert sum(swiss_points(players, 2, results)) == rounds * 2 * ((players + 1) // 2)


# ---- games that end early


def test_two_who_agree_end_a_game() -> None:
    adjudicator = Adjudicator(Adjudication(agreement=2, win_rate=0.9, lead=10))
    position = tengen.game("othello").start()
    for mover, value in [
        (0, Value.heuristic(0.95, "win rate")),
        (1, Value.heuristic(-12, "discs")),  # both say that the first player wins
        (0, Value.heuristic(0.80, "win rate")),  # no longer
        (1, Value.heuristic(-12, "discs")),
        (0, Value.heuristic(0.95, "win rate")),
        (1, Value.exact(-2, "discs")),
    ]:
        assert adjudicator.verdict(position) is None
        adjudicator.add_value(mover, value)
    assert adjudicator.verdict(position) is None
    adjudicator.add_value(0, Value.heuristic(11, "discs"))
    end = adjudicator.verdict(position)
    assert end is not None
    assert (end.winner, end.code) == (0, "B+")


def test_guesses_between_a_loss_and_a_win_count_as_win_rates() -> None:
    adjudicator = Adjudicator(Adjudication(agreement=1, win_rate=0.9, lead=10))
    for mover, value, decided in [(0, 0.7, False), (1, -0.9, False), (0, 0.9, True)]:
        adjudicator.add_value(mover, Value.heuristic(value, "wins"))
        assert (adjudicator.verdict(tengen.game("pente").start()) is not None) == decided


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("players = 5", "a list or a table, not 5"),
        ('players = "uct"', "a list or a table, not 'uct'"),
        ('players = ["uct", "flat"]\n[options]\nname = "x"', "has no option 'name'"),
    ],
)
def test_odd_files_are_refused_in_words(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "odd.toml").write_text(f'game = "clobber"\n{text}')
    with Store.in_memory() as store, pytest.raises(OptionError, match=says):
        Tournament.read(tmp_path / "odd.toml", store)


def test_what_is_proved_decides() -> None:
    assert proved_winner(1, Value.proved(3, "points", low=True, high=False)) == 1
    assert proved_winner(1, Value.proved(-3, "points", low=False, high=True)) == 0
    assert proved_winner(0, Value.proved(-3, "points", low=True, high=False)) is None
    assert proved_winner(0, Value.exact(0, "discs")) == DRAW
    with pytest.raises(OptionError, match="win_rate"):
        Adjudication(win_rate=0.3)


def test_a_solver_ends_games_as_they_would_have_ended() -> None:
    """Between players who look to the end, what is proved is what happens."""
    config = configure("alphabeta", Limits(depth=20), book=False)
    options = tengen.game("clobber", size=10).options()
    setup = GameSetup("clobber", import_path("clobber"), options, (config, config))
    for number in (0, 1):
        whole = play_game(setup, number, ())
        short = play_game(replace(setup, adjudication=Adjudication(solver=100_000)), number, ())
        assert short.winner == whole.winner
        assert len(short.moves) < len(whole.moves)
        assert "proved" in short.reason


# ---- playing


def read(folder: Path, store: Store, kind: str = "round robin", rounds: int = 0) -> Tournament:
    file = folder / "cup.toml"
    file.write_text(CUP.format(kind=kind, rounds=rounds))
    return Tournament.read(file, store)


def test_a_tournament_that_is_stopped_goes_on_and_ends_as_it_would_have(tmp_path: Path) -> None:
    with Store.in_memory() as store, ThreadPoolExecutor(2) as threads:
        cup = read(tmp_path, store)
        whole = cup.play(store, threads, window=2, checkpoint=tmp_path / "whole.jobs")
        assert len(whole.played) == whole.total == 6 == store.count_games()

        def stop(standings: Standings) -> None:
            if len(standings.played) == 3:
                raise KeyboardInterrupt

        with Store.in_memory() as other:
            with pytest.raises(KeyboardInterrupt):
                cup.play(other, threads, window=2, checkpoint=tmp_path / "cup.jobs", on_game=stop)
            assert json.loads((tmp_path / "cup.json").read_text())["state"] == "stopped"
            again = cup.play(other, threads, window=2, checkpoint=tmp_path / "cup.jobs")
            assert results(again) == results(whole)
            assert again.to_csv() == whole.to_csv()
            assert other.count_games() == 6
            for row in other.list_games(Filter()).games:
                assert other.load(row.id).record.event == "Cup"
        status = json.loads((tmp_path / "cup.json").read_text())
        assert (status["state"], status["done"]) == ("finished", 6)
        games = [json.loads(line) for line in (tmp_path / "cup.games").read_text().splitlines()]
        assert len({(*game["contestants"], game["number"]) for game in games}) == len(games) == 6


@pytest.mark.parametrize(("kind", "rounds", "games"), [("gauntlet", 0, 4), ("swiss", 2, 4), ("knock-out", 0, 4)])
def test_every_kind_is_played(kind: str, rounds: int, games: int, tmp_path: Path) -> None:
    with Store.in_memory() as store, ThreadPoolExecutor(2) as threads:
        cup = read(tmp_path, store, kind, rounds)
        standings = cup.play(store, threads, window=2, checkpoint=tmp_path / "cup.jobs")
        assert len(standings.played) >= games
        lines = standings.lines()
        assert sum(line.games for line in lines) == 2 * len(standings.played)
        if kind == "knock-out":
            _, reached = knock_out(3, 2, standings.meetings)
            assert reached[lines[0].player] == 3
        # What is known is not played again.
        assert results(cup.play(store, threads, window=2, checkpoint=tmp_path / "cup.jobs")) == results(standings)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('kind = "league"', "kind is round robin"),
        ("games = 3", "pairs"),
        ('games = "4"', "games should be a whole number"),
        ("speed = 3", "no setting 'speed'"),
        ('players = ["uct"]', "at least two"),
        ('players = ["uct", "uct"]', "two players are called"),
        ('players = ["uct", 3]', "written as a text"),
        ('players = ["uct", "othello"]', "does not play"),
        ('players = ["uct", "uct:depth=4"]', "uct ignores depth: set seconds or nodes"),
        ("adjudication = { solver = -1 }", "solver should be"),
        ("adjudication = { luck = 1 }", "no 'luck'"),
        ('kind = "swiss"\nplayers = ["uct", "random"]', "1 to 1 rounds"),
        ("game = ", "cannot be read"),
    ],
)
def test_what_is_wrong_in_a_file_is_told(line: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    rest = "" if "players" in line else 'players = ["uct", "random"]\n'
    game = "" if line.startswith("game =") else 'game = "clobber"'
    file.write_text(f"{rest}{line}\n{game}\n")
    with Store.in_memory() as store, pytest.raises(OptionError, match=says):
        Tournament.read(file, store)


def test_players_have_the_names_of_the_file(tmp_path: Path) -> None:
    with Store.in_memory() as store:
        cup = read(tmp_path, store)
        assert [player.name for player in cup.players] == ["Deep", "Tree", "Dice"]
        store.save_player(cup.players[0])
        assert read(tmp_path, store).players[0].id == cup.players[0].id
        assert find_engine_player(store, "deep", "clobber").id == cup.players[0].id


def test_who_has_not_played_yet_has_no_strength_and_who_fails_is_named(tmp_path: Path) -> None:
    standings = Standings("gauntlet", ["Ann", "Bob", "Cid"], 2)
    played = replace(PLAYED, winner=1, result="W+F", reason="Ann cannot be started")
    assert standings.lines()[0].strength() == ("", "")
    assert "Result" in standings.to_html("Cup", "gauntlet")
    standings.add((0, 1, 0), played)
    assert [line.name for line in standings.lines()] == ["Bob", "Ann", "Cid"]
    assert standings.to_dict()["players"][2]["elo"] is None
    assert standings.to_csv().splitlines()[3] == "3,Cid,0.0,0,0,0,0,,,,,"
    assert "Cid" not in standings.progress()
    assert standings.faults() == ["1 × Ann: Ann cannot be started"]
    assert "Ann cannot be started" in standings.to_html("Cup", "gauntlet")


def test_a_tournament_that_is_killed_is_shown_as_stopped_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))
    file = tmp_path / "cup.toml"
    cup = CUP.format(kind="round robin", rounds=0).replace("depth=2", "depth=1").replace("nodes=20", "nodes=5")
    file.write_text(cup.replace("games = 2", "games = 5000"))
    words = [sys.executable, "-m", "tengen", "tournament", str(file), "--concurrency", "2"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not any(found.stat().st_size > 8000 for found in run_status.folder("tournaments").glob("*.jobs")):
            assert process.poll() is None
            time.sleep(0.02)
        (told,) = run_status.find_all()
        assert told.state == "running"
        # A second run is refused, and does not write over what the first one tells.
        file.write_text(cup.replace("games = 2", "games = 6"))
        with Store.open() as store, ThreadPoolExecutor(1) as threads:
            few = Tournament.read(file, store)
            with pytest.raises(CheckpointError):
                few.play(store, threads, window=1)
        (told,) = run_status.find_all()
        assert told.state == "running"
    finally:
        process.kill()
        process.wait()
    (told,) = run_status.find_all()
    assert told.state == "stopped"
    before = {key: played.id for key, played in few.load_standings().played.items()}
    with Store.open() as store, ThreadPoolExecutor(2) as threads, Store.in_memory() as other:
        again = few.play(store, threads, window=2)
        whole = few.play(other, threads, window=2, checkpoint=tmp_path / "whole.jobs")
        assert len(again.played) == again.total == 18
        assert results(again) == results(whole)
        kept = [key for key in again.played if key in before]
        assert len(kept) >= 8
        assert all(again.played[key].id == before[key] for key in kept)
        rounds = [(row.names, store.load(row.id).record.round) for row in store.list_games(Filter()).games]
        assert len(rounds) == len(set(rounds)) >= 18  # none is stored twice
    (told,) = run_status.find_all()
    assert (told.state, told.caption) == ("finished", "18 of 18 games")


@pytest.mark.usefixtures("jobs_in_threads")
def test_the_command_writes_every_format(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP.format(kind="round robin", rounds=0).replace("Dice", "<b>Dice"))
    out = {kind: str(tmp_path / f"out.{kind}") for kind in ("json", "csv", "html", "txt")}
    words = ["tournament", str(file), "--json", out["json"], "--csv", out["csv"], "--html", out["html"]]
    words += ["--save", out["txt"], "--concurrency", "1"]
    assert cli.run(words) == 0
    assert "6 of 6 games" in capfd.readouterr().out
    data = json.loads(Path(out["json"]).read_text())
    assert (data["games"], len(data["players"]), len(data["played"])) == (6, 3, 6)
    assert sum(one["points"] for one in data["players"]) == 6
    assert len(Path(out["csv"]).read_text().splitlines()) == 4
    page = Path(out["html"]).read_text()
    assert "&lt;b&gt;Dice" in page
    assert "<b>" not in page
    assert page.count("<svg") == 2
    assert len(Path(out["txt"]).read_text().splitlines()) >= 6
    assert cli.run(words) == 0  # all is known
    assert json.loads(Path(out["json"]).read_text()) == data
    assert cli.run(["ratings", "--tournament", str(file)]) == 0
    assert "6 games" in capfd.readouterr().out
    (told,) = [one for one in run_status.find_all() if one.name == "Cup" and one.kind == "tournaments"]
    assert (told.state, len(run_status.games_of("tournaments", told.id))) == ("finished", 6)
    assert run_status.find("tournaments", told.id) == told
    file = run_status.folder("tournaments") / f"{told.id}.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "recent": []}))  # as in version 0.1
    assert run_status.find("tournaments", told.id) == told
    assert run_status.find("tournaments", "../../etc/passwd") is None
