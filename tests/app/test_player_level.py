"""The estimate of a person's level: it converges on simulated players, and suggests a fitting opponent."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import pytest

import tengen
from tengen.app import player_level
from tengen.app.player_level import (
    MAX_HANDICAP,
    MAX_TEST_GAMES,
    PRIOR_DEVIATION,
    LevelEstimate,
    estimate_level,
    level_of,
    suggest_opponent,
    suggestion_for,
)
from tengen.games.records import Record
from tengen.players.opponents import Opponent, default_opponent, levels
from tengen.players.player import EnginePlayer, Person
from tengen.store.game_entry import GameEntry
from tengen.store.store import Store

PRIOR = 1000.0


@pytest.fixture(autouse=True)
def ladder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ratings from 600 to 2400 in steps of 200, whatever was measured last."""

    def rated(game: str) -> tuple[Opponent, ...]:
        return tuple(replace(one, rating=400 + 200 * one.level, rating_error=30) for one in levels(game))

    def found(game: str, identity: str) -> Opponent | None:
        return next((one for one in rated(game) if one.id == identity), None)

    monkeypatch.setattr(player_level, "levels", rated)
    monkeypatch.setattr(player_level, "opponent_with_id", found)


def simulate(strength: float, random: Random, games: int) -> LevelEstimate:
    """Play test games against the suggested opponents."""
    results: list[tuple[float, float]] = []
    estimate = estimate_level(results, PRIOR)
    while len(results) < games:
        rating = float(suggestion_for(estimate, "othello").opponent.rating or 0)
        won = random.random() < 1 / (1 + 10 ** ((rating - strength) / 400))
        results.append((rating, float(won)))
        estimate = estimate_level(results, PRIOR)
    return estimate


@pytest.mark.parametrize("strength", [700.0, 1000.0, 1500.0])
def test_the_estimate_is_as_exact_as_it_says(strength: float) -> None:
    random = Random(7)
    estimates = [simulate(strength, random, MAX_TEST_GAMES) for _ in range(60)]
    assert all(estimate.is_settled for estimate in estimates)
    within = sum(abs(one.rating - strength) <= 2 * one.error for one in estimates) / len(estimates)
    assert within > 0.85
    root = math.sqrt(sum((one.rating - strength) ** 2 for one in estimates) / len(estimates))
    assert root < 260


def test_many_games_reach_a_player_far_from_the_first_guess() -> None:
    estimate = simulate(2100.0, Random(3), 40)
    assert estimate.rating == pytest.approx(2100, abs=2.5 * estimate.error)
    assert estimate.error < 130


def test_the_estimate_follows_a_player_who_improves() -> None:
    weak, strong = [(1000.0, 0.0)] * 10, [(1000.0, 1.0)] * 10
    assert estimate_level(weak + strong, PRIOR).rating > estimate_level(strong + weak, PRIOR).rating


def test_without_games_the_estimate_is_the_prior() -> None:
    estimate = estimate_level([], PRIOR)
    assert (estimate.rating, estimate.error) == pytest.approx((PRIOR, PRIOR_DEVIATION), abs=5)
    assert not estimate.is_settled
    drawn = estimate_level([(PRIOR, 0.5)] * 6, PRIOR)
    assert drawn.rating == pytest.approx(PRIOR, abs=5)
    assert drawn.error < estimate.error


def test_newcomers_get_the_default_opponent_and_others_their_equal() -> None:
    with Store.in_memory() as store:
        assert suggest_opponent(store, None, "go").opponent.player == default_opponent("go")
        assert suggest_opponent(store, Person("Ann").id, "othello").opponent.player == default_opponent("othello")
    assert suggestion_for(LevelEstimate(1690.0, 80.0, 9), "othello").opponent.level == 6
    assert suggestion_for(LevelEstimate(-100.0, 80.0, 9), "othello").opponent.level == 1
    assert suggestion_for(LevelEstimate(9000.0, 80.0, 9), "othello").opponent.level == 10


def test_a_handicap_helps_who_loses_to_the_weakest_go_player() -> None:
    assert suggestion_for(LevelEstimate(590.0, 80.0, 9), "go").handicap == 0
    assert suggestion_for(LevelEstimate(400.0, 80.0, 9), "go").handicap == 2
    assert suggestion_for(LevelEstimate(-300.0, 80.0, 9), "go").handicap == MAX_HANDICAP
    assert suggestion_for(LevelEstimate(-300.0, 80.0, 9), "pente").handicap == 0


def test_the_level_comes_from_rated_games_against_built_in_opponents() -> None:
    ann = Person("Ann")
    with Store.in_memory() as store:
        for number in range(6):
            _save(store, ann, levels("othello")[5].player, won=number > 0)
        before = level_of(store, ann.id, "othello")
        _save(store, ann, Person("Bob"), won=False)
        _save(store, ann, levels("othello")[9].player, won=True, rated=False)
        assert level_of(store, ann.id, "othello") == before
        assert before.games == 6
        assert 1500 < before.rating < 2000
        assert level_of(store, ann.id, "go").games == 0
        assert suggest_opponent(store, ann.id, "othello").opponent.level >= 6


def _save(store: Store, person: Person, other: Person | EnginePlayer, *, won: bool, rated: bool = True) -> None:
    position = tengen.game("othello").start().play("d3")
    record = Record.of(position)
    record.result = "B+R" if won else "W+R"
    store.save(GameEntry(record, (person, other), end="resigned", rated=rated, started=datetime.now(UTC)))
