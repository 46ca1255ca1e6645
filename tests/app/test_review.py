"""The review of a game: judgements, accuracy, phases, turning points, and which positions are searched longer."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tengen
from tengen.app.analysis import Analyst, ReviewPass
from tengen.app.review import (
    MAX_DEEP_POSITIONS,
    Judgement,
    Phase,
    accuracy,
    critical_positions,
    judge,
    quick_config,
    standard_error,
    summarise,
)
from tengen.app.value_display import short_value, verdict, write_value
from tengen.core.position import Position
from tengen.play.review import WIN_RATE
from tengen.players.configure import configure
from tengen.players.opponents import analysis_player
from tengen.runtime.host import EngineHost
from tengen.runtime.turn import create_engine
from tengen.search.limits import Limits
from tengen.search.report import Candidate, Kind, Overlay, Report, Value

AT_LEAST_2 = Value.proved(2, "discs", low=True, high=False)
UNITS = (WIN_RATE, "points", "discs")


def report(best: str, value: Value, points: float | None = None) -> Report:
    return Report("test", best, value, (Candidate(best, value, (best,), 0, "", points),), 1, 0.0)


def discs(best: str, amount: float) -> Report:
    return report(best, Value.heuristic(amount, "discs"))


def othello(*moves: str) -> list[Position]:
    return list(tengen.game("othello").start().play_all(moves).line())


# ---- judging


@given(st.sampled_from(UNITS), st.floats(0, 60), st.floats(0, 60))
def test_a_larger_loss_is_never_judged_milder_nor_more_accurate(unit: str, one: float, two: float) -> None:
    scale = 60 if unit == WIN_RATE else 1
    small, large = sorted((one / scale, two / scale))
    order = list(Judgement)
    assert order.index(judge(small, unit)) <= order.index(judge(large, unit))
    assert 0 <= accuracy(large, unit) <= accuracy(small, unit) <= 100


def test_the_curves_of_accuracy_are_those_of_katrain_and_lichess() -> None:
    assert accuracy(0, "points") == 100
    assert accuracy(2, "points") == pytest.approx(56.25)
    assert accuracy(0, WIN_RATE) == pytest.approx(100, abs=0.01)
    assert accuracy(0.1, WIN_RATE) == pytest.approx(63.6, abs=0.1)
    assert accuracy(1, WIN_RATE) == 0


def test_a_summary_counts_the_mistakes_of_each_player() -> None:
    line = othello("f5", "d6", "c3", "d3")
    reports = {
        0: discs("f5", 0.0),
        1: discs("d6", 0.0),
        2: discs("c5", 6.2),  # c3 is played instead and loses 11.9
        3: discs("f4", 5.7),  # d3 loses 2.5
        4: discs("c4", -3.2),
    }
    summary = summarise(line, reports)
    assert summary.unit == "discs"
    assert [(one.number, one.judgement, round(one.loss or 0, 1)) for one in summary.mistakes] == [
        (3, "blunder", 11.9),
        (4, "inaccuracy", 2.5),
    ]
    black, white = (player.total for player in summary.players)
    assert (black.moves, white.moves) == (2, 2)
    assert black.mean_loss == pytest.approx(11.9 / 2)
    assert black.counts == {Judgement.BLUNDER: 1}
    assert white.counts == {Judgement.INACCURACY: 1}
    assert black.accuracy is not None
    assert white.accuracy is not None
    assert black.accuracy < white.accuracy < 100
    assert summary.first_mistake is summary.mistakes[0]
    assert summary.known == 4


def test_moves_without_reports_are_not_judged() -> None:
    line = othello("f5", "d6", "c3")
    assert summarise(line, {}).known == 0
    assert summarise(line, {}).players[0].total.accuracy is None
    assert summarise(line, {0: discs("f5", 0.0), 1: discs("d6", 0.0)}).known == 1


def test_go_is_judged_by_points_where_the_engine_estimates_them() -> None:
    line = list(tengen.game("go", size=9).start().play_all(["E5", "A1", "C3"]).line())
    rates = {
        0: report("E5", Value.heuristic(0.6, WIN_RATE), 3.0),
        1: report("C3", Value.heuristic(0.4, WIN_RATE), -3.0),
        2: report("C3", Value.heuristic(0.9, WIN_RATE), 12.0),
        3: report("G3", Value.heuristic(0.1, WIN_RATE), -12.0),
    }
    summary = summarise(line, rates)
    assert summary.unit == "points"
    assert [(one.number, one.judgement, one.loss) for one in summary.mistakes] == [(2, "blunder", 9.0)]
    without = {ply: report(one.best, one.value) for ply, one in rates.items()}
    summary = summarise(line, without)
    assert summary.unit == WIN_RATE
    assert [(one.number, one.judgement) for one in summary.mistakes] == [(2, "blunder")]


def simulated(best: str, points: float, simulations: int, *, owner: float = 0.0) -> Report:
    """A report of a Monte-Carlo search of a 9x9 board, whose points are all as settled as `owner` says."""
    rate = Value.heuristic(0.5 + points / 100, WIN_RATE)
    owners = Overlay.from_points("ownership", {(c, r): owner for c in range(9) for r in range(9)})
    candidate = Candidate(best, rate, (best,), simulations, "", points)
    return Report("go", best, rate, (candidate,), simulations, 0.0, overlays=(owners,))


@pytest.mark.parametrize(
    ("simulations", "owner", "judgement"),
    [(1_500, 0.0, "good"), (15_000, 0.0, "mistake"), (1_500, 0.97, "mistake")],
)
def test_a_loss_within_the_noise_of_short_searches_is_no_mistake(
    simulations: int, owner: float, judgement: str
) -> None:
    line = list(tengen.game("go", size=9).start().play_all(["E5"]).line())
    reports = {ply: simulated("D4", points, simulations, owner=owner) for ply, points in enumerate((-1.0, 5.8))}
    (move,) = summarise(line, reports).moves
    assert move.loss == pytest.approx(4.8)
    assert move.judgement == judgement
    assert move.is_significant == (judgement == "mistake")
    assert move.accuracy is not None
    assert move.accuracy > accuracy(4.8, "points"), "part of the loss may be noise"
    external = {ply: replace(one, engine="katago") for ply, one in reports.items()}
    assert summarise(line, external).moves[0].judgement == "mistake", "its visits are no playouts"
    assert standard_error(discs("f5", 3.0), "discs") == 0
    assert standard_error(report("E5", Value.exact(1, "wins")), WIN_RATE) == 0


@pytest.mark.parametrize(("later", "judgement"), [(-1.0, "good"), (-9.0, "blunder"), (-30.0, "blunder")])
def test_an_uncertain_loss_is_confirmed_by_the_position_after_the_reply(later: float, judgement: str) -> None:
    line = list(tengen.game("go", size=9).start().play_all(["E5", "C3"]).line())
    reports = {ply: simulated("D4", points, 1_500) for ply, points in enumerate((-1.0, 11.0, later))}
    first, _reply = summarise(line, reports).moves
    assert (first.loss, first.judgement) == (min(10.0, -1.0 - later), judgement)
    assert [one.ply for one in critical_positions(line, reports)] == [0, 1, 2]


def test_good_play_has_no_mistakes_in_the_first_pass_and_a_planted_blunder_is_found() -> None:
    game = tengen.game("go", size=7)
    engine = create_engine(analysis_player("go").config.for_analysis(), game)
    position = game.start()
    for _ in range(8):
        position = position.play(engine.search(position, Limits(nodes=8_000)).best)
    good = len(position.moves)
    position = position.play("A7")  # a corner, while the middle is open
    position = position.play(engine.search(position, Limits(nodes=8_000)).best)
    line = list(position.line())
    nodes = quick_config(configure("go", Limits(nodes=1)), 45).limits.nodes
    judged = summarise(line, {one.ply: engine.search(one, Limits(nodes=nodes)) for one in reversed(line)})
    assert [one.number for one in judged.mistakes if one.number <= good] == []
    planted = judged.moves[good]
    assert planted.judgement in (Judgement.MISTAKE, Judgement.BLUNDER)
    assert judged.first_mistake == planted


def test_turning_points_are_ranked_by_what_they_gave_away() -> None:
    line = othello("f5", "d6", "c3", "d3", "c4")
    reports = {
        0: discs("e6", 3.0),
        1: discs("f6", 1.0),  # f5: from +3 to -1, who leads changes
        2: discs("c5", 12.0),  # d6: Black leads by 12 instead of White by 1
        3: discs("f4", -3.0),  # c3: still ahead
        4: discs("e6", 3.0),
        5: discs("x", -3.0),
    }
    summary = summarise(line, reports)
    assert [one.number for one in summary.turning_points()] == [2, 1, 3]
    assert [one.number for one in summary.turning_points(1)] == [2]
    assert [one.turned for one in summary.turning_points()] == [True, True, False]
    reports |= {0: discs("e6", 1.0), 1: discs("f6", 1.5), 2: discs("c5", 9.0), 3: discs("f4", 20.0)}
    found = summarise(line, reports).turning_points()
    assert [one.number for one in found] == [3, 4, 2], "the largest swing, whoever led by a hair before"
    assert found[0].weight > 1.5


def test_phases_follow_the_game() -> None:
    position, line = tengen.game("othello").start(), []
    while not position.is_over:
        line.append(position)
        position = position.play(position.legal_moves[0])
    line.append(position)
    reports = {one.ply: discs("none", 0.0) for one in line if not one.is_over}
    phases = {one.number: one.phase for one in summarise(line, reports).moves}
    assert (phases[1], phases[20], phases[21], phases[40], phases[41]) == (
        *(Phase.OPENING, Phase.OPENING, Phase.MIDDLE, Phase.MIDDLE),
        Phase.END,
    )
    strip = tengen.game("clobber", size=6).start()
    moves = [strip]
    while not moves[-1].is_over:
        moves.append(moves[-1].play(moves[-1].legal_moves[0]))
    won = {one.ply: report("none", Value.exact(1, "wins")) for one in moves if not one.is_over}
    assert {one.phase for one in summarise(moves, won).moves} <= set(Phase)


def test_a_win_given_away_by_proof_is_a_blunder() -> None:
    start = tengen.game("clobber", board="XOXO").start()
    line = list(start.play_all(["1-2"]).line())
    reports = {0: report("2-3", Value.exact(1, "wins")), 1: report("4-3", Value.exact(1, "wins"))}
    (move,) = summarise(line, reports).mistakes
    assert (move.judgement, move.turned, move.is_exact, move.loss) == ("blunder", True, True, 1.0)
    assert move.accuracy == 0


# ---- which positions are searched longer


def test_positions_around_large_changes_are_searched_longer() -> None:
    line = othello("f5", "d6", "c3", "d3")
    reports = {0: discs("f5", 0.0), 1: discs("d6", 0.1), 2: discs("c3", 0.0), 3: discs("d3", 8.0)}
    reports[4] = discs("c4", -8.0)
    # c3 was the engine's own choice, but the search before it did not see what it loses.
    assert [one.ply for one in critical_positions(line, reports)] == [2, 3]
    proved = {**reports, 3: report("d3", Value.exact(8, "discs"))}
    assert [one.ply for one in critical_positions(line, proved)] == [2]
    assert critical_positions(line, {}) == []
    assert [one.ply for one in critical_positions(line, reports, Limits(nodes=1))] == []
    assert [one.ply for one in critical_positions(line, reports, Limits(nodes=10_000))] == [2, 3]


def test_a_wild_game_does_not_take_for_ever() -> None:
    position, line = tengen.game("othello").start(), []
    while not position.is_over:
        line.append(position)
        position = position.play(position.legal_moves[0])
    reports = {one.ply: discs("none", 10.0) for one in line}  # who is to move always leads
    assert len(critical_positions(line, reports)) == MAX_DEEP_POSITIONS


def test_a_review_in_passes_tells_when_a_pass_ends() -> None:
    line = othello("f5", "d6")
    config = configure("alphabeta", Limits(depth=2))
    seen: list[int] = []
    ends: list[tuple[int, list[int]]] = []
    with EngineHost(1) as host:
        passes = [ReviewPass(config, lambda: line), ReviewPass(config, list), ReviewPass(config, lambda: line[:1])]
        ready = threading.Event()

        def on_pass() -> None:
            ready.wait(60)
            ends.append((review.pass_number, list(seen)))

        review = Analyst(None, host).review_in_passes(
            "game", passes, lambda position, _: seen.append(position.ply), on_pass
        )
        ready.set()
        assert review.finished.wait(120)
    assert review.error is None
    assert seen == [2, 1, 0, 0], "the last position first; then the second pass"
    assert [number for number, _ in ends][:1] == [2], "an empty pass is left out"
    assert ends[0][1] == [2, 1, 0]


def test_the_first_pass_is_short_for_every_engine() -> None:
    for name in ("go", "uct", "alphabeta", "othello"):
        for positions in (1, 60, 5_000):
            limits = quick_config(configure(name, Limits(nodes=1)), positions).search_limits()
            assert limits.nodes is not None
            assert 300 <= limits.nodes <= 20_000
            assert limits.seconds is not None
    assert quick_config(configure("go", Limits(nodes=1)), 300).limits.nodes == 300


# ---- sentences


@pytest.mark.parametrize(
    ("game", "value", "points", "text"),
    [
        ("othello", Value.heuristic(4.52, "discs"), None, "Black is ahead by 4.5 discs (estimate)"),
        ("othello", Value.heuristic(-0.1, "discs"), None, "The game is even (estimate)"),
        ("othello", Value.exact(-6, "discs"), None, "White wins by 6 discs: proved"),
        ("othello", Value.exact(0, "discs"), None, "Draw: proved"),
        ("othello", AT_LEAST_2, None, "Black wins by at least 2 discs: proved"),
        ("othello", Value(-2, Kind.BOUND, "discs", None, -2), None, "White wins by at least 2 discs: proved"),
        ("othello", Value(2, Kind.BOUND, "discs", None, 2), None, "White loses by at most 2 discs: proved"),
        ("go", Value.heuristic(0.63, WIN_RATE), 4.5, "Black is ahead by 4.5 points, 63 % to win (estimate)"),
        ("go", Value.heuristic(0.63, WIN_RATE), -0.5, "Black is ahead: 63 % to win (estimate)"),
        ("pente", Value.heuristic(-0.6, "wins"), None, "White is ahead: 80 % to win (estimate)"),
        ("pente", Value.exact(1, "wins"), None, "Black wins: proved"),
        ("pente", Value.proved(0, "wins", low=True, high=False), None, "Black does not lose: proved"),
    ],
)
def test_a_verdict_is_one_sentence_with_its_kind(game: str, value: Value, points: float | None, text: str) -> None:
    assert verdict(tengen.game(game).start(), report("x", value, points)) == text


def test_estimates_of_wins_are_written_as_win_rates() -> None:
    assert write_value(Value.heuristic(-0.6, "wins")) == "20.0 % wins (estimate)"
    assert short_value(Value.heuristic(0.5, "wins")) == "75 %"
    assert Value.heuristic(0.5, "wins").kind is Kind.HEURISTIC
