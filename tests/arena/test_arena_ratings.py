"""Ratings: against plain reference computations, on simulated tournaments, over time, and the command."""

from __future__ import annotations

import json
import math
import random
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from tengen import cli
from tengen.arena import plots
from tengen.arena.bradley_terry import ELO, SPREAD, count, fit
from tengen.arena.ratings import HALF_INTERVAL, ScoredGame, over_time, rate
from tengen.core.errors import OptionError
from tests.helpers.tournament_simulation import coverage, simulate


def posterior(games: list[tuple[int, int, float]], at: list[float]) -> float:
    """Davidson's model in his own terms, game by game: at = strengths in Elo, advantage, logarithm of draws."""
    *elo, advantage, draws = at
    total = -sum((one / SPREAD) ** 2 for one in elo) / 2 - (advantage / 300) ** 2 / 2 - (draws / 3) ** 2 / 2
    for first, second, points in games:
        a, b = 10 ** ((elo[first] + advantage) / 400), 10 ** (elo[second] / 400)
        between = math.exp(draws) * math.sqrt(a * b)
        total += math.log({1.0: a, 0.5: between, 0.0: b}[points] / (a + b + between))
    return total


def test_strengths_are_those_that_a_plain_search_finds() -> None:
    """One number after the other is moved up and down by ever smaller steps, as long as that helps."""
    dice = random.Random(5)
    games = [(*dice.sample(range(4), 2), dice.choice((0.0, 0.5, 1.0, 1.0))) for _ in range(40)]
    at, step = [0.0] * 6, [64.0] * 5 + [1.0]
    best = posterior(games, at)
    while max(step[:5]) > 1e-3:
        for place in range(6):
            for sign in (1, -1):
                there = [*at[:place], at[place] + sign * step[place], *at[place + 1 :]]
                height = posterior(games, there)
                if height > best:
                    at, best = there, height
                    step[place] *= 1.6
                    break
            else:
                step[place] /= 2
    found = fit(count(games), 4)
    middle = sum(at[:4]) / 4
    assert found.elo == pytest.approx([one - middle for one in at[:4]], abs=0.5)
    assert found.advantage == pytest.approx(at[4], abs=0.5)
    assert found.draws == pytest.approx(math.exp(at[5]) / (2 + math.exp(at[5])), abs=1e-3)


def test_without_draws_it_is_the_model_of_bradley_and_terry() -> None:
    """By Zermelo's iteration, which knows nothing of derivatives."""
    dice = random.Random(3)
    wins = np.array([[0 if a == b else dice.randint(1, 9) for b in range(5)] for a in range(5)], float)
    games = wins + wins.T
    worth = np.ones(5)
    for _ in range(3000):
        worth = wins.sum(axis=1) / (games / (worth[:, None] + worth)).sum(axis=1)
        worth /= np.exp(np.log(worth).mean())
    counts = {(a, b): (wins[a, b], 0.0, wins[b, a]) for a in range(5) for b in range(a)}
    found = fit(counts, 5, advantage=False, precision=np.eye(5) * 1e-9)
    assert found.elo == pytest.approx(ELO * np.log(worth), abs=0.1)
    assert found.draws == found.advantage == 0


def test_two_players_have_the_errors_of_a_binomial() -> None:
    found = fit({(0, 1): (60, 0, 40)}, 2, advantage=False, precision=np.eye(2) * 1e-9)
    lead, error = found.difference(0, 1)
    assert lead == pytest.approx(400 * math.log10(60 / 40), abs=0.01)
    assert error == pytest.approx(ELO / math.sqrt(100 * 0.6 * 0.4), rel=1e-3)
    anchored = found.relative_to([1], 1500)
    assert anchored.elo == pytest.approx([1500 + lead, 1500], abs=0.01)
    assert (anchored.error(0), anchored.error(1)) == (pytest.approx(error), pytest.approx(0, abs=1e-6))


@pytest.mark.parametrize("gauntlet", [False, True])
def test_error_bars_cover_the_truth(gauntlet: bool) -> None:
    """The quick version of soak/test_ratings_coverage.py."""
    share = coverage(250, 8, 20, spread=150, draws=0.3, gauntlet=gauntlet, seed=7)
    assert 0.93 < share < 0.97


def test_who_wins_everything_is_not_infinitely_strong() -> None:
    games = [ScoredGame(("a", "b"), ("A", "B"), 1.0)] * 10 + [ScoredGame(("c", "d"), ("C", "D"), 0.5)]
    rated = {row.name: row for row in rate(games).rows}
    assert 200 < rated["A"].elo - rated["B"].elo < 2000
    assert rated["A"].wins == rated["B"].losses == 10
    assert rated["C"].error > 500  # who never met the others may be anywhere
    assert rate([]).rows == ()
    with pytest.raises(OptionError, match="no player 'Z'"):
        rate(games, anchor=("Z", 0))


def test_strengths_over_time_follow_a_player_that_learns() -> None:
    dice = random.Random(1)
    games = []
    for week in range(40):
        truth = {"learner": -300 + 15 * week, "steady": 0, "other": 0}
        for one, other in (("learner", "steady"), ("other", "learner"), ("steady", "other")):
            for _ in range(6):
                chance = 1 / (1 + 10 ** ((truth[other] - truth[one]) / 400))
                day = date(2025, 1, 6) + timedelta(days=7 * week)
                games.append(ScoredGame((one, other), (one, other), float(dice.random() < chance), day))
    found = over_time(games, "week", drift=300)
    moments = found.players["learner"]
    assert len(moments) == 40
    steady, other = found.players["steady"], found.players["other"]
    gained = moments[-1].elo - steady[-1].elo - (moments[0].elo - steady[0].elo)
    assert gained == pytest.approx(585, abs=200)
    assert abs(steady[-1].elo - other[-1].elo) < 150
    # With hardly any drift it is the rating by all games together.
    still = over_time(games, "week", drift=0.01).players["learner"]
    whole = {row.name: row.elo for row in rate(games).rows}
    assert [still[0].elo, still[-1].elo] == pytest.approx([whole["learner"]] * 2, abs=2)
    with pytest.raises(OptionError, match="a period is"):
        over_time(games, "hour")


def test_the_command_reads_files_and_writes_every_format(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path))
    lines = [
        "(;GM[1]SZ[9]PB[Ann]PW[Bob]RE[B+3]DT[2026-01-05];B[ee])",
        "(;GM[1]SZ[9]PB[Bob]PW[<i>Cy]RE[W+R];B[ee])",
    ]
    file = tmp_path / "games.sgf"
    file.write_text("".join(lines))
    out = {kind: str(tmp_path / f"table.{kind}") for kind in ("json", "csv", "html")}
    words = ["ratings", str(file), "--anchor", "bob=1500", "--json", out["json"], "--csv", out["csv"]]
    assert cli.run([*words, "--html", out["html"]]) == 0
    assert "2 games" in capfd.readouterr().out
    players = {one["name"]: one for one in json.loads(Path(out["json"]).read_text())["players"]}
    assert players["Bob"]["elo"] == pytest.approx(1500)
    assert players["Ann"]["elo"] > 1500
    assert Path(out["csv"]).read_text().startswith("place,player,elo")
    page = Path(out["html"]).read_text()
    assert "&lt;i&gt;Cy" in page
    assert "<i>" not in page
    assert cli.run(["ratings", str(file), "--over", "day"]) == 0
    assert cli.run(["ratings", str(file), "--anchor", "bob"]) == 2
    assert cli.run(["ratings", str(file), "--game", "Go", "--least", "2", "--csv", out["csv"]]) == 0
    assert [line.split(",")[1] for line in Path(out["csv"]).read_text().splitlines()] == ["player", "Bob"]
    capfd.readouterr()
    for words, says in (
        ([], "no finished games"),
        (["--game", "chess"], "no game 'chess'"),
        (["--since", "yesterday"], "look like 2026-01-31, not 'yesterday'"),
        ([str(file), "--least", "3"], "nobody has 3 games"),
    ):
        assert cli.run(["ratings", *words]) == 2
        assert says in capfd.readouterr().err


def test_plots_have_round_marks() -> None:
    assert plots.ticks(-130, 260) == [-100, 0, 100, 200]
    assert plots.ticks(0, 0.1)[:2] == [0, pytest.approx(0.02)]
    drawn = plots.lines({"a": [plots.Point(0, 1, 0.5)], "b & c": []}, "x")
    assert "b &amp; c" in drawn


def test_simulated_games_have_the_chances_of_their_players() -> None:
    truth, counts = simulate(np.random.default_rng(1), 2, 40_000, spread=200, draws=0.4)
    won, drawn, lost = np.array(counts[0, 1]) + counts[1, 0][::-1]
    ahead, between = (truth[0] - truth[1]) / ELO, 2 * 0.4 / (1 - 0.4)
    weights = math.exp(ahead / 2) + between + math.exp(-ahead / 2)
    assert won / 40_000 == pytest.approx(math.exp(ahead / 2) / weights, abs=0.01)
    assert drawn / 40_000 == pytest.approx(between / weights, abs=0.01)
    assert won + drawn + lost == 40_000
    assert pytest.approx(1.96, abs=0.001) == HALF_INTERVAL
