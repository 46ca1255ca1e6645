"""Ratings, themes and timed runs of puzzles."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from tengen.app.deck import MISTAKE, PROBLEM, next_question, theme_shares
from tengen.app.puzzle_files import SHIPPED_KINDS, shipped_puzzles
from tengen.app.puzzle_ratings import PuzzleRatings
from tengen.app.puzzle_themes import THEMES, detect_themes
from tengen.app.timed_run import PENALTY_S, RunRecord, TimedRun
from tengen.core.errors import OptionError
from tengen.search.report import Candidate, Report, Value
from tengen.store.deck import History
from tengen.store.puzzles import Puzzle
from tengen.store.scheduling import Answer
from tengen.store.store import Store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.in_memory() as made:
        yield made


def test_ratings_order_solvers_and_puzzles_and_follow_from_the_answers(store: Store) -> None:
    """Two solvers of different strength, easy and hard puzzles: Glicko finds both orders."""
    stock = [store.replace_puzzle(one) for one in shipped_puzzles("go-life")[:40]]
    random, ratings = Random(4), PuzzleRatings(store)
    for number, one in enumerate(stock):
        for minute, (who, chance) in enumerate({"ann": 0.85, "bea": 0.4, "cai": 0.6, "dee": 0.6}.items()):
            is_hard = number % 2
            right = random.random() < chance - 0.3 * is_hard
            at = NOW + timedelta(hours=number, minutes=minute)
            store.answer_puzzle(one.id, who, one.right[0] if right else "", at=at)
            if number == 20:
                assert ratings.solver(who, "go") is not None, "read while answers come in"
    ann, bea = ratings.solver("ann", "go"), ratings.solver("bea", "go")
    assert ann is not None
    assert bea is not None
    assert ann.rating > bea.rating + 50
    hard, easy = ([ratings.puzzle(one.id) for one in stock[start::2]] for start in (1, 0))
    assert sum(one.rating for one in hard if one) > sum(one.rating for one in easy if one) + 20 * 30
    again = PuzzleRatings(store)
    assert again.solver_ratings("ann") == ratings.solver_ratings("ann") == {"go": ann}
    before = ratings.puzzle(stock[0].id)
    store.answer_puzzle(stock[0].id, "ann", "", at=NOW + timedelta(days=9))
    assert (ratings.puzzle(stock[0].id), ratings.solver("ann", "go")) == (before, ann), (
        "a repetition does not count"
    )
    assert ratings.solver("nobody", "go") is None


def test_own_mistakes_imported_problems_and_drills_do_not_rate(store: Store) -> None:
    value = Value.exact(1, "wins")
    report = Report("", "a", value, (Candidate("a", value),), 0, 0.0)
    for kind in (MISTAKE, PROBLEM, "drill 12"):
        made = store.replace_puzzle(Puzzle(kind, "go", {}, (), "", ("a",), report, place=kind))
        store.answer_puzzle(made.id, "ann", "a")
    assert PuzzleRatings(store).solver_ratings("ann") == {}


def test_shipped_puzzles_have_the_themes_that_are_detected() -> None:
    found = set()
    for kind in SHIPPED_KINDS:
        for one in shipped_puzzles(kind)[:12]:
            assert detect_themes(one) == one.themes
        found |= {theme for one in shipped_puzzles(kind) for theme in one.themes}
    assert found <= set(THEMES)
    assert {"ladder", "net", "snapback", "eye-shape", "race", "edge", "corner", "parity", "double-threat"} <= found


def capture(rows: str, marked: tuple[tuple[int, int], ...], right: str) -> Puzzle:
    value = Value.exact(1, "wins")
    report = Report("", right, value, (Candidate(right, value),), 0, 0.0)
    return Puzzle("go-capture", "go", {"board": f"{rows} X", "komi": 0.0}, (), "", (right,), report, marked=marked)


def test_ladder_and_net_are_told_apart() -> None:
    ladder = capture("......./......./...XX../..XO.../......./......./.......", ((3, 3),), "D3")
    assert "ladder" in detect_themes(ladder)
    assert "net" not in detect_themes(ladder)
    net = capture("......./......./...X.../..XO.../..X..../......./.......", ((3, 3),), "E3")
    assert "net" in detect_themes(net)
    at_once = capture("......./......./...XX../..XO.../...X.../......./.......", ((3, 3),), "E4")
    assert detect_themes(at_once) == ("capture",)


def test_a_weak_theme_is_practised_next(store: Store) -> None:
    misses = [Answer(False, NOW)]
    shares = theme_shares(
        [History(MISTAKE, "go", tuple(misses), ("net",)), History("go-life", "go", (Answer(True, NOW),), ("ko",))]
    )
    assert (shares["go net"].right, shares["go net"].total) == (0, 2)
    assert shares["go ko"].right == 1
    value = Value.exact(1, "wins")
    report = Report("", "A1", value, (Candidate("A1", value),), 0, 0.0)
    for number in range(3):
        about = (MISTAKE, "go", {"size": 9}, (), "?", ("A1",), report)
        made = store.replace_puzzle(Puzzle(*about, place=str(number), themes=("net",)))
        store.answer_puzzle(made.id, "ann", "", at=NOW - timedelta(days=1))
        store.remove_card("ann", made.id)
    for kind in set(SHIPPED_KINDS) - {"go-capture"}:
        for one in shipped_puzzles(kind)[:1]:
            store.answer_puzzle(store.replace_puzzle(one).id, "ann", one.right[0], at=NOW - timedelta(days=1))
    question = next_question(store, "ann", NOW)
    assert question is not None
    assert question.puzzle.kind == "go-capture"
    assert "net" in question.puzzle.themes


def test_a_timed_run_ends_and_a_wrong_move_costs_time() -> None:
    run = TimedRun(Random(1), 100.0, minutes=1, games=("othello",))
    assert run.remaining_s(100.0) == 60
    first = run.puzzle
    assert first.game == "othello"
    assert run.answer(first.right[0], 110.0)
    assert run.puzzle is not first
    assert not run.answer("nothing", 120.0)
    assert run.remaining_s(120.0) == 40 - PENALTY_S
    assert (run.solved, run.missed) == (1, 1)
    run.answer(run.puzzle.right[0], 151.0)
    assert run.solved == 1, "too late"
    assert run.is_over(150.0)
    assert RunRecord.from_option(RunRecord().with_run(5).with_run(3).to_option()) == RunRecord(5, 2)
    assert RunRecord.from_option("no") == RunRecord()
    with pytest.raises(OptionError):
        TimedRun(Random(1), 0.0, minutes=0)
