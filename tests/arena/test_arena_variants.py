"""Variants tested as a group: the error rate in simulations, decisions in rounds, and a real group of games."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen.arena import run_status
from tengen.arena.group_test import ACCEPTED, OPEN, REJECTED, GroupTest, acceptance_bound, decide
from tengen.arena.statistics import Sprt, expected_score, normalized_elo
from tengen.arena.variant_match import VariantMatch
from tengen.core.errors import OptionError
from tengen.play.player_lookup import find_engine_player
from tengen.store.store import Store
from tests.helpers.group_simulation import simulate
from tests.helpers.thread_executor import ThreadExecutor

SPRT = Sprt(0, 100)


def test_useless_variants_are_accepted_no_more_often_than_stated() -> None:
    states = simulate(SPRT, elos=(0.0, 0.0, 0.0, 0.0), groups=400, pairs=120, seed=1)
    error = float((states == ACCEPTED).any(axis=-1).mean())
    assert error <= 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5
    assert error > 0.005  # it is a test at about 5 %, not one that never accepts
    # One test each at 5 % would accept some useless variant far more often.
    naive = simulate(SPRT, elos=(0.0,), groups=400, pairs=120, seed=2)
    assert (naive == ACCEPTED).mean() * 4 > 2 * error


def test_good_variants_are_found_among_useless_ones() -> None:
    states = simulate(SPRT, elos=(100.0, 100.0, 0.0, -50.0), groups=150, pairs=250, seed=3)
    assert (states[:, :2] == ACCEPTED).mean() > 0.9
    assert (states[:, 2:] == ACCEPTED).any(axis=-1).mean() <= 0.05 + 3 * (0.05 * 0.95 / 150) ** 0.5
    assert (states[:, 3] == REJECTED).mean() > 0.95


def test_bounds_step_down_with_each_acceptance() -> None:
    first, second = acceptance_bound(SPRT, 2), acceptance_bound(SPRT, 2, 1)
    assert first == pytest.approx(np.log(40))
    assert second == pytest.approx(np.log(20))
    between = (first + second) / 2
    start = np.zeros(2, np.int8)
    assert list(decide(np.array([between, 0.0]), start, SPRT)) == [OPEN, OPEN]
    assert list(decide(np.array([between, first]), start, SPRT)) == [ACCEPTED, ACCEPTED]  # the other lowered it
    assert list(decide(np.array([-3.0, first]), start, SPRT)) == [REJECTED, ACCEPTED]


def test_decisions_do_not_depend_on_the_order_in_which_games_end() -> None:
    rng = np.random.default_rng(5)
    points = [[float(one) for one in rng.choice((0.5, 1.0, 1.5, 2.0), 80)] for _ in range(3)]
    games = [(variant, pair) for pair in range(80) for variant in range(3)]
    found = set()
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(games)) if seed else range(len(games))
        test = GroupTest(SPRT, 3)
        for number in order:
            variant, pair = games[number]
            test.add(variant, pair, points[variant][pair])
        found.add((tuple(test.states), test.pairs, tuple(test.ratios)))
    assert len(found) == 1
    assert OPEN not in found.pop()[0]


def test_normalised_elo() -> None:
    # Without draws and with independent games it is about the Elo difference, however many games there are.
    share = expected_score(20)
    counts = 10_000 * np.array([(1 - share) ** 2, 0, 2 * share * (1 - share), 0, share**2])
    found, low, high = normalized_elo(counts)
    assert found == pytest.approx(20, abs=0.1)
    assert high - found == pytest.approx(found - low, rel=0.05)
    assert high - low == pytest.approx(2 * 1.96 / 20_000**0.5 * 800 / np.log(10), rel=0.02)
    with_draws = normalized_elo([5, 10, 950, 25, 10])[0]  # the same lead says more when most pairs are even
    assert with_draws > 2 * normalized_elo([230, 10, 500, 25, 235])[0] > 0
    assert normalized_elo([0] * 5)[0] == 0
    assert normalized_elo([0, 0, 0, 0, 3])[0] == float("inf")


def group(store: Store, games: int = 8) -> VariantMatch:
    def player(text: str) -> object:
        return find_engine_player(store, text, "clobber")

    variants = (player("alphabeta:depth=1"), player("random:nodes=2"))
    game = tengen.game("clobber", size=8)
    return VariantMatch(game, player("random:nodes=1"), variants, games, SPRT, plies=2)  # type: ignore[arg-type]


def test_a_group_is_played_stored_and_resumed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path))
    with Store.in_memory() as store, ThreadExecutor() as executor:
        with pytest.raises(RuntimeError, match="stop"):
            group(store).play(store, executor, window=2, on_game=lambda scores: _stop(scores.games))
        found = group(store).play(store, executor, window=2)
        assert found.games == store.count_games() == 16
        assert [len(score.games) for score in found.scores] == [8, 8]
        assert "undecided" in found.decision()
        assert "LLR" in dict(found.sections())["Variants"]
    (status,) = run_status.find_all()
    assert (status.kind, status.state, status.done, status.total) == ("variants", "finished", 16, 16)
    games = run_status.games_of(status.kind, status.id)
    assert len({game["id"] for game in games}) == len(games) == 16
    assert status.result["variants"][0]["normalized_elo"]
    run_status.forget(status.kind, status.id)
    assert run_status.find_all() == []


def _stop(games: int) -> None:
    if games >= 5:
        raise RuntimeError("stop")


def test_a_group_needs_different_variants() -> None:
    with Store.in_memory() as store:
        one = find_engine_player(store, "random:nodes=1", "clobber")
        with pytest.raises(OptionError, match="the same"):
            VariantMatch(tengen.game("clobber", size=8), one, (one,), 4, SPRT)
