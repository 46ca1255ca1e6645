"""Tuning: scales, methods on players of known strength, campaigns that stop and go on, the command."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tengen
from tengen import cli
from tengen.arena.statistics import expected_score
from tengen.arena.tuning.genetic import Genetic
from tengen.arena.tuning.method import Method
from tengen.arena.tuning.space import Parameter, Point, Space
from tengen.arena.tuning.tuning_run import METHODS, Progress, TuningRun
from tengen.core.errors import OptionError
from tengen.jobs import Checkpoint
from tengen.jobs.checkpoint import encode
from tengen.play.player_lookup import find_engine_player
from tengen.players.configure import configure
from tengen.players.player import EnginePlayer
from tengen.search.limits import Limits
from tengen.search.tunables import Tunable
from tengen.store.store import Store

WHOLE = Tunable("whole", 10, 0, 1000, "")
REAL = Tunable("real", 1.0, 0.0, 1e6, "")
SWITCH = Tunable("switch", True, 0, 1, "")
SPACE = Space.from_config(
    configure("uct", Limits(nodes=20), book=False, exploration=3.0, rave=4000),
    ["exploration=0..4", "rave=0..5000"],
)


# ---- scales


@given(st.floats(0, 1), st.booleans(), st.sampled_from([WHOLE, REAL]))
def test_scales_lead_there_and_back(at: float, log: bool, tunable: Tunable) -> None:
    parameter = Parameter(tunable, 1, 1000, log)
    value = parameter.from_unit(at)
    assert 1 <= value <= 1000
    assert type(value) is type(tunable.default)
    assert parameter.from_unit(parameter.to_unit(value)) == pytest.approx(value, rel=1e-3)
    assert parameter.from_unit(0) == 1
    assert parameter.from_unit(1) == 1000


def test_what_is_tuned_is_read() -> None:
    assert Parameter.parse("real=10..1000:log", [REAL]) == Parameter(REAL, 10, 1000, True)
    assert Parameter.parse("whole", [WHOLE]) == Parameter(WHOLE, 0, 1000)
    assert [Parameter.parse("switch", [SWITCH]).from_unit(at) for at in (0.2, 0.8)] == [False, True]
    for text, says in [
        ("speed", "no setting"),
        ("real=3", "written as"),
        ("real=5..1", "within"),
        ("whole=0..2000", "within"),
        ("whole=1.1..1.4", "only one value"),
        ("real=1.00001..1.00002", "only one value"),
        ("real=1..5:cubic", "written as"),
    ]:
        with pytest.raises(OptionError, match=says):
            Parameter.parse(text, [REAL, WHOLE])
    tuned = [one.tunable.name for one in Space.from_config(SPACE.config).parameters]
    assert "rave" in tuned
    assert "memory" not in tuned


def test_a_point_is_a_configuration() -> None:
    assert SPACE.at(SPACE.start()) == SPACE.config
    config = SPACE.at((0.5, 1.0))
    assert (dict(config.settings)["exploration"], dict(config.settings)["rave"]) == (2.0, 5000.0)
    assert config.limits == SPACE.config.limits


# ---- methods, on players whose strength is known


def strength(point: Point) -> float:
    """In Elo: a hill with its summit at (0.2, 0.5)."""
    return -1500 * ((point[0] - 0.2) ** 2 + (point[1] - 0.5) ** 2)


def simulate(method: Method, steps: int, seed: int) -> Point:
    dice = random.Random(seed)
    for _ in range(steps):
        shares = []
        for bout in method.bouts():
            chance = expected_score(strength(bout.first) - strength(bout.second))
            shares.append(sum(dice.random() < chance for _ in range(bout.games)) / bout.games)
        method.learn(shares)
    return method.best


@pytest.mark.parametrize(("name", "steps", "games"), [("genetic", 25, 2), ("spsa", 120, 4), ("surface", 15, 8)])
def test_methods_climb_a_hill(name: str, steps: int, games: int) -> None:
    """From nearly 600 Elo below the summit; every tuning_run ends higher, and on average in the last quarter."""
    start = strength(SPACE.start())
    ends = []
    for seed in range(3):
        method = METHODS[name](SPACE, steps=steps, games=games, seed=seed)
        ends.append(strength(simulate(method, steps, seed)))
    assert start < -500
    assert min(ends) > start + 150
    assert sum(ends) / len(ends) > start / 4


def test_a_generation_keeps_three_and_their_children() -> None:
    method = Genetic(SPACE, steps=5, games=2, seed=3)
    before = list(method.population)
    bouts = method.bouts()
    assert len(before) == 6
    assert (len(bouts), sum(bout.games for bout in bouts)) == (15, 30)
    order = sorted(range(6), key=lambda place: -place)  # the last are the best
    pairs = [(a, b) for a in range(6) for b in range(a + 1, 6)]
    method.learn([0.0 if order.index(a) > order.index(b) else 1.0 for a, b in pairs])
    after = method.population
    assert after[:3] == [before[5], before[4], before[3]]
    for child, (one, other) in zip(after[3:], [(5, 4), (5, 3), (4, 3)], strict=True):
        inherited = [gene in genes for gene, *genes in zip(child, before[one], before[other], strict=True)]
        assert inherited.count(False) == 1  # one mutation
    assert method.best == before[5]


# ---- campaigns


def tuning_run(method: str = "spsa") -> TuningRun:
    return TuningRun(
        tengen.game("clobber", size=8), SPACE, method, steps=3, games=2, plies=2, seed=5, validation=4, every=2
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_campaign_that_is_stopped_goes_on_where_it_was(method: str, tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if len(progress.course) == 2:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as threads:
        whole = tuning_run(method).run(threads, window=2, checkpoint=tmp_path / "whole.jobs")
        with pytest.raises(KeyboardInterrupt):
            tuning_run(method).run(threads, window=2, checkpoint=tmp_path / "half.jobs", on_step=stop)
        told: list[int] = []
        again = tuning_run(method).run(
            threads, window=2, checkpoint=tmp_path / "half.jobs", on_step=lambda one: told.append(one.games)
        )
    assert again.course == whole.course
    assert json.loads((tmp_path / "half.json").read_text())["state"] == "finished"
    assert len(told) == 3
    assert [one.step for one in again.validations] == [2, 3]
    assert [one.tally.results(0) for one in again.validations] == [
        one.tally.results(0) for one in whole.validations
    ]
    assert again.config == whole.config
    data = json.loads(json.dumps(again.to_dict(), allow_nan=False))
    assert len(data["course"]) == 3
    assert again.to_html().count("<svg") == 3


def test_a_run_resumes_from_a_checkpoint_with_former_names_of_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Version 0.1 called `choke_ply` `choke`, also in the ids of validation games."""
    space = Space.from_config(configure("classic", Limits(depth=1)), ["choke_ply=1..4", "width=1..9"])
    run = TuningRun(tengen.game("pente", size=9), space, steps=2, games=2, plies=2, validation=2)
    now, past = tmp_path / "now.jobs", tmp_path / "past.jobs"
    with ThreadPoolExecutor(1) as threads:
        whole = run.run(threads, window=1, checkpoint=now)
        former = {"choke_ply": "choke", "choked_width": "choked", "presort_width": "start"}

        def in_old_form(text: str) -> str:
            for name, before in former.items():
                text = text.replace(name, before)
            return text

        facts = json.loads(in_old_form(run.checkpoint(now).fingerprint))
        with run.checkpoint(now).open() as new, Checkpoint(past, json.dumps(facts, sort_keys=True)).open() as old:
            assert any("choke_ply" in task for task in new.ids())
            old.append([(in_old_form(task), encode(new.load(task))) for task in new.ids()])
        for name in ("play_game", "points_of"):
            monkeypatch.setattr(
                f"tengen.arena.tuning.tuning_run.{name}", lambda *args: pytest.fail("played before")
            )
        again = run.run(threads, window=1, checkpoint=past)
    assert again.course == whole.course
    assert again.validations[-1].tally.results(0) == whole.validations[-1].tally.results(0)


def test_bad_campaigns_are_refused() -> None:
    game = tengen.game("clobber", size=8)
    with pytest.raises(OptionError, match="genetic, spsa, surface"):
        TuningRun(game, SPACE, "luck")
    with pytest.raises(OptionError, match="pairs"):
        TuningRun(game, SPACE, games=3)
    with pytest.raises(OptionError, match="at least one step"):
        TuningRun(game, SPACE, steps=0)
    with Store.in_memory() as store, pytest.raises(OptionError, match="external programs"):
        Space.from_config(find_engine_player(store, "gtp:gnugo --mode gtp", "go").config)


@pytest.mark.usefixtures("jobs_in_threads")
def test_a_tuned_configuration_becomes_a_player(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["tune", "genetic", "uct:nodes=10", "size=8", "--game", "clobber", "--tune", "exploration=0..3"]
    words += ["--steps", "1", "--validation", "2", "--plies", "2", "--name", "Tuned", "--concurrency", "1"]
    words += ["--html", str(tmp_path / "out.html"), "--json", str(tmp_path / "out.json"), "--seed", "1"]
    assert cli.run(words) == 0
    assert "validation after step 1" in capfd.readouterr().out
    data = json.loads((tmp_path / "out.json").read_text())
    with Store.open() as store:
        (kept,) = (player for player in store.players() if player.name == "Tuned")
    assert isinstance(kept, EnginePlayer)
    assert dict(kept.config.settings)["exploration"] == data["best"]["exploration"]
    assert cli.run(words) == 0  # all is known, and the player is not kept twice
    assert cli.run(["tune", "luck", "uct"]) == 2
