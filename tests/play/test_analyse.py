"""What the moves of games were worth: by hand, against a plain minimax, and as `tengen analyse` tells it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tengen
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.engines.registry import create
from tengen.games import records
from tengen.games.records import Record
from tengen.play.review import GameReview, annotated, review_moves, write_loss
from tengen.players.config import EngineConfig
from tengen.runtime.host import EngineHost
from tengen.search.limits import Limits
from tengen.search.report import Candidate, Kind, Report, Value
from tengen.terminal.analyse_command import AnalyseCommand
from tengen.terminal.console import plain_console
from tests.helpers.search_positions import random_game
from tests.reference.minimax import solve

OTHELLO = tengen.game("othello", size=4)


def value_for(player: int, position: Position) -> int:
    """The result under best play for a player, in thousandths."""
    return solve(position) if position.to_move == player else -solve(position)


def report(move: str, value: Value) -> Report:
    return Report("test", move, value, (Candidate(move, value, (move,)),), nodes=1, seconds=0.0)


@pytest.mark.parametrize(
    ("game", "first"),
    [(OTHELLO, 5), (tengen.game("clobber", size=9), 0)],
    ids=lambda one: getattr(one, "name", ""),
)
def test_exact_values_and_losses_are_those_of_minimax(game: Any, first: int) -> None:
    engine = create("alphabeta", table=1)
    for seed in range(3):
        line = list(random_game(game.start(), seed).line())
        reports = {place.ply: engine.search(place, Limits()) for place in line[first:] if not place.is_over}
        review = review_moves(line, reports)
        assert [reviewed.number for reviewed in review.moves] == list(range(max(1, first), len(line)))
        scale = 1000 if game.unit == "discs" else 2000  # a win is half of the way from lost to won
        for reviewed in review.moves:
            after, before = (value_for(reviewed.player, line[reviewed.number - past]) for past in (0, 1))
            assert reviewed.value == Value.exact(after / 1000, game.unit)
            if reviewed.number > first:
                assert reviewed.best_value == Value.exact(before / 1000, game.unit)
                assert reviewed.loss == (before - after) / scale
                assert reviewed.turned is ((before > 0) - (before < 0) > (after > 0) - (after < 0))
        assert review.exact_from() == max(1, first)


def judged_by_hand(*values: tuple[int, Value]) -> GameReview:
    """Three moves of Othello, of which each position is valued for who is to move; the best is never played."""
    line = list(tengen.game("othello").start().play_all(["f5", "d6", "c3"]).line())
    return review_moves(line, {ply: report("a1", value) for ply, value in values})


def test_guesses_are_compared_and_noise_turns_nothing() -> None:
    discs = [Value.heuristic(amount, "discs") for amount in (1.0, 3.0, 5.0, -4.0)]
    review = judged_by_hand(*enumerate(discs))
    assert [reviewed.value.amount for reviewed in review.moves] == [-3.0, -5.0, 4.0]
    assert [reviewed.loss for reviewed in review.moves] == [4.0, 8.0, 1.0]
    assert [reviewed.turned for reviewed in review.moves] == [True, True, False]
    assert (review.mean_loss(0), review.mean_loss(1)) == (2.5, 8.0)
    assert [reviewed.number for reviewed in review.worst(2)] == [2, 1]
    assert review.unit == "discs"
    assert review.exact_from() is None
    small = judged_by_hand((0, Value.heuristic(0.5, "discs")), (1, Value.heuristic(0.5, "discs")))
    assert small.moves[0].loss == 1.0
    assert not small.turns(), "less than two of 64 discs"
    proved = judged_by_hand((0, Value.exact(0, "discs")), (1, Value.exact(2, "discs")))
    assert [reviewed.number for reviewed in proved.turns()] == [1]


def test_units_that_do_not_compare_give_no_loss() -> None:
    mixed = judged_by_hand(
        (0, Value.heuristic(3, "discs")), (1, Value.exact(1, "wins")), (2, Value.heuristic(1, "discs"))
    )
    assert [reviewed.loss for reviewed in mixed.moves] == [None, None]
    assert [reviewed.turned for reviewed in mixed.moves] == [True, True]
    assert mixed.mean_loss(0) is None
    rates = judged_by_hand((0, Value.heuristic(0.75, "win rate")), (1, Value.exact(1, "wins")))
    assert (rates.unit, rates.moves[0].loss) == ("win rate", 0.75)
    assert rates.moves[0].value == Value.exact(-1, "wins")


@given(st.floats(-64, 64), st.sampled_from(["discs", "wins"]), st.booleans(), st.booleans())
def test_the_other_side_sees_the_same(amount: float, unit: str, low: bool, high: bool) -> None:
    value = Value.proved(amount, unit, low=low, high=high)
    other = value.for_opponent()
    assert other.for_opponent() == value
    assert (other.kind, other.amount) == (value.kind, -amount)
    assert (other.low is None, other.high is None) == (value.high is None, value.low is None)
    assert Value.heuristic(0.25, "win rate").for_opponent().amount == 0.75


def test_points_are_lost_besides_wins_where_an_engine_guesses_at_them() -> None:
    """Black expects +6, after the move White expects -2: four points are gone. Nothing is said without a guess."""
    line = list(tengen.game("go", size=5).start().play_all(["A1", "C3", "C4"]).line())
    margins = (6.0, -2.0, None, 1.0)
    reports = {
        ply: replace(one, candidates=(replace(one.candidates[0], points=points),))
        for ply, points in enumerate(margins)
        for one in [report("C2", Value.heuristic(0.5 + 0.1 * ply, "win rate"))]
    }
    review = review_moves(line, reports)
    assert [reviewed.points for reviewed in review.moves] == [4.0, None, None]
    assert write_loss(0.1, "win rate", 4.0) == "10.0 % wins, about 4.0 points"


def test_a_record_keeps_what_was_said() -> None:
    (record,) = records.parse("(;GM[2]SZ[8];B[f5];W[d6]C[calm];B[c3])")
    line = record.positions()
    values = [Value.heuristic(amount, "discs") for amount in (1.0, 3.0, 5.0, -4.0)]
    review = review_moves(line, {ply: report("d3", value) for ply, value in enumerate(values)})
    (again,) = records.parse(records.serialise([annotated(record, line, review)], "sgf").data)
    root, first, second, third = again.nodes()
    assert (first.value, second.value, third.value) == (-3.0, 5.0, 4.0), "for Black"
    assert second.comment == "calm\nValue for White: about -5 discs\nBetter: d3, by 8 discs"
    assert [mark.points for mark in first.marks] == [((3, 2),)], "on the board where it could be played"
    assert root.marks
    assert record.nodes()[1].value is None, "the given one stays as it was"


# ---- the command


@pytest.fixture(scope="module")
def host() -> Iterator[EngineHost]:
    with EngineHost(1) as host:
        yield host


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """Two games of Othello with one between them that is none."""
    lines = [random_game(OTHELLO.start(), seed) for seed in (1, 2)]
    first, second = (records.serialise([Record.of(line)], "sgf").data for line in lines)
    path = tmp_path / "games.sgf"
    path.write_bytes(first + b"(;GM[2]SZ[4];B[a1])" + second)
    return path


def reading(path: Path, **options: Any) -> tuple[AnalyseCommand, io.StringIO]:
    out = io.StringIO()
    console, errors = plain_console(out, width=100), plain_console(io.StringIO())
    return AnalyseCommand(console, errors, path, EngineConfig("alphabeta", Limits(depth=20)), **options), out


def test_games_of_a_file_are_analysed_and_saved(host: EngineHost, games: Path, tmp_path: Path) -> None:
    job, out = reading(games, save=tmp_path / "analysed.sgf")
    job.run(host)
    text = out.getvalue()
    assert text.count("exact from move 1 on") == 2
    assert "Game 3: othello size=4, by Alphabeta depth 20" in text
    assert "loss (discs)" in text
    assert list(job.bad) == [2]
    saved = records.read(tmp_path / "analysed.sgf")
    assert len(saved) == 2
    for record in saved:
        score = record.positions()[-1].final_score / 1000
        assert record.nodes()[-1].value == score
        assert "(exact)" in record.nodes()[-1].comment
    with pytest.raises(OptionError, match="exists: choose another file"):
        job.run(host)


def test_one_game_as_json(host: EngineHost, games: Path) -> None:
    job, out = reading(games, number=3, as_json=True)
    job.run(host)
    (line,) = out.getvalue().splitlines()
    data = json.loads(line)
    assert (data["number"], data["unit"], data["exact_from"], data["finished"]) == (3, "discs", 1, True)
    last = data["moves"][-1]
    assert (last["value"]["kind"], last["value"]["low"]) == (Kind.EXACT, last["value"]["amount"])
    assert last["side"] in OTHELLO.players
    for number, words in ((2, "game 2"), (4, "has 3 games: there is no game 4")):
        job, _ = reading(games, number=number)
        with pytest.raises(tengen.core.errors.TengenError, match=words):
            job.run(host)


def test_several_moves_of_each_position(host: EngineHost, games: Path) -> None:
    job, out = reading(games, number=1, lines=2)
    job.run(host)
    assert "before move" in out.getvalue()
    job, out = reading(games, number=1, lines=2, as_json=True)
    job.run(host)
    data = json.loads(out.getvalue())
    first = data["candidates"]["0"]
    assert len(first) == 2
    assert first[0]["move"] == data["moves"][0]["best"]
    assert first[0]["line"][0] == first[0]["move"] != first[1]["move"]


def test_ctrl_c_shows_what_is_known(host: EngineHost, games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job, out = reading(games, as_json=True)

    class Impatient:
        def update(self, text: str) -> None:
            if int(text.split()[2]) >= 3:
                raise KeyboardInterrupt

    @contextmanager
    def status(text: str) -> Iterator[Impatient]:
        yield Impatient()

    monkeypatch.setattr(job.errors, "status", status)
    monkeypatch.setattr("tengen.app.analysis.Review._next", _slowly(3))
    job.run(host)
    assert job.interrupted
    (line,) = out.getvalue().splitlines()
    data = json.loads(line)
    assert not data["finished"]
    assert data["exact_from"] == data["moves"][0]["number"] > 1


def _slowly(count: int) -> Any:
    """So many positions of a review, and then none any more."""
    from tengen.app.analysis import Review

    go_on = Review._next

    def step(review: Review) -> None:
        if review.total - len(review._waiting) < count:
            go_on(review)

    return step
