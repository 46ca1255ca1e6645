"""Glicko-2 by the example in Glickman's paper, and what a store rates."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tengen
from tengen.games.records import Record
from tengen.players.player import Person
from tengen.store import games as games_module
from tengen.store import ratings as ratings_module
from tengen.store.game_entry import GameEntry
from tengen.store.glicko import MAX_DEVIATION, Skill, expected_score, update_skill
from tengen.store.store import Store

ANN, BEA, CAT = (Person(name) for name in ("Ann", "Bea", "Cat"))


def test_the_example_of_the_paper() -> None:
    others = [(Skill(1400, 30), 1.0), (Skill(1550, 100), 0.0), (Skill(1700, 300), 0.0)]
    after = update_skill(Skill(1500, 200, 0.06), others, tau=0.5)
    assert after.rating == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


def test_without_games_only_the_doubt_grows() -> None:
    after = update_skill(Skill(1500, 200, 0.06), [])
    assert (after.rating, after.volatility) == (1500, 0.06)
    assert after.deviation == pytest.approx(math.sqrt(200**2 + (0.06 * 173.7178) ** 2))
    assert Skill(1500, 60).after(0) == Skill(1500, 60)
    assert Skill(1500, 60).after(1e6).deviation == MAX_DEVIATION


skills = st.builds(Skill, st.floats(500, 3000), st.floats(30, 350), st.floats(0.03, 0.1))


@given(skills, skills, st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1000))
def test_a_rating_moves_towards_the_result(one: Skill, other: Skill, points: float, days: float) -> None:
    after = update_skill(one, [(other, points)], days)
    if points == 0.5:  # towards the other's rating
        assert (after.rating - one.rating) * (other.rating - one.rating) >= 0
    else:
        assert (after.rating - one.rating) * (points - 0.5) >= 0
    assert 0 < after.deviation <= MAX_DEVIATION
    assert 0 < after.volatility < 1
    assert expected_score(one, other) + expected_score(other, one) == pytest.approx(1)


@given(skills)
def test_a_game_between_equals_is_fair(one: Skill) -> None:
    won, lost = update_skill(one, [(one, 1.0)], 0), update_skill(one, [(one, 0.0)], 0)
    assert won.rating - one.rating == pytest.approx(one.rating - lost.rating)


def game(first: Person = ANN, second: Person = BEA, result: str = "B+R", **fields: object) -> GameEntry:
    record = Record.of(tengen.game("othello").start().play("f5"), result=result)
    return GameEntry(record, **{"players": (first, second), "end": "resignation", "rated": True} | fields)  # type: ignore[arg-type]


def test_a_rated_game_counts_once() -> None:
    with Store.in_memory() as store:
        entry = game(end="")
        store.save(entry)
        assert store.ratings("othello") == [], "it has not ended"
        entry.end = "resignation"
        store.save(entry)
        table = store.ratings("othello")
        assert [(rating.name, rating.wins, rating.losses, rating.games) for rating in table] == [
            ("Ann", 1, 0, 1),
            ("Bea", 0, 1, 1),
        ]
        assert table[0].skill.rating == pytest.approx(1662.2, abs=0.1)
        entry.record.root.comment = "again"
        entry.record.result = "W+R"
        store.save(entry)
        store.delete(entry.id)
        store.purge(datetime.now(UTC) + timedelta(seconds=1))
        assert [rating.skill.rating for rating in store.ratings("othello")] == [r.skill.rating for r in table]
        assert store.ratings("go") == []


@pytest.mark.parametrize(
    "entry",
    [
        game(rated=False),
        game(result="?"),
        game(result="", end="", presumed=1),
        game(second=ANN),
        game(players=(ANN, None)),
        game(result="Void"),
    ],
    ids=["not rated", "no result", "presumed", "against oneself", "against a name", "void"],
)
def test_what_does_not_count(entry: GameEntry) -> None:
    with Store.in_memory() as store:
        store.save(entry)
        assert store.ratings("othello") == []


def test_imported_games_do_not_count() -> None:
    with Store.in_memory() as store:
        store.import_records([game().record])
        assert store.ratings("othello") == []


def test_history_follows_the_games_and_time_makes_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [datetime(2024, 1, 1, tzinfo=UTC)]
    for module in (games_module, ratings_module):
        monkeypatch.setattr(module, "now", lambda: clock[0])
    with Store.in_memory() as store:
        skills = {ANN.id: Skill(), BEA.id: Skill(), CAT.id: Skill()}
        last: dict[str, datetime] = {}
        for days, first, second, result, points in (
            (0, ANN, BEA, "B+R", 1.0),
            (3, CAT, ANN, "0", 0.5),
            (100, BEA, CAT, "W+2", 0.0),
            (1, ANN, CAT, "W+T", 0.0),
        ):
            clock[0] += timedelta(days=days)
            store.save(game(first, second, result))
            gaps = [(clock[0] - last.get(player.id, clock[0])) / timedelta(days=1) for player in (first, second)]
            before = [skills[player.id] for player in (first, second)]
            now = [skill.after(gap) for skill, gap in zip(before, gaps, strict=True)]
            skills[first.id] = update_skill(before[0], [(now[1], points)], gaps[0])
            skills[second.id] = update_skill(before[1], [(now[0], 1 - points)], gaps[1])
            last[first.id] = last[second.id] = clock[0]
        history = store.rating_history(ANN.id, "othello")
        assert [change.points for change in history] == [1.0, 0.5, 0.0]
        assert [change.opponent for change in history] == [BEA.id, CAT.id, CAT.id]
        assert store.ratings("othello")
        for rating in store.ratings("othello"):
            then = skills[rating.player]
            assert rating.skill.rating == pytest.approx(then.rating)
            assert store.rating_history(rating.player, "othello")[-1].skill.deviation == pytest.approx(
                then.deviation
            )
        clock[0] += timedelta(days=365)
        assert all(rating.skill.deviation > skills[rating.player].deviation for rating in store.ratings("othello"))
