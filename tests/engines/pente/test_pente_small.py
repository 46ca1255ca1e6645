"""The small-board solver against a search by the rules."""

from __future__ import annotations

import numpy as np
import pytest

import tengen
from tengen.core.position import Position
from tengen.engines.pente.engine import PenteEngine
from tengen.engines.pente.small.solver import SmallSolver, is_small
from tengen.engines.registry import create
from tengen.search.limits import StopFlag
from tengen.search.report import Kind, Report, Value
from tengen.search.solve import solve

GAMES = [
    {"size": 5},
    {"size": 5, "goal": 4},
    {"size": 5, "goal": 5, "variant": "freestyle"},
    {"size": 6, "goal": 4},
    {"size": 5, "variant": "no-capture"},
]


def late_positions(options: dict[str, object], empties: int, count: int) -> list[Position]:
    """Positions of random games with `empties` empty points, before the game is over."""
    rng = np.random.default_rng(11)
    game = tengen.game("pente", **options)
    found: list[Position] = []
    while len(found) < count:
        position = game.start()
        while not position.is_over and len(position.legal_moves) != empties:
            position = position.play(int(rng.choice(position.legal_moves)))
        if not position.is_over and position.ply > 1:
            found.append(position)
    return found


@pytest.mark.parametrize("options", GAMES, ids=str)
def test_values_match_a_search_by_the_rules(options) -> None:
    values = set()
    for position in late_positions(options, 6, 12):
        expected = solve(create("alphabeta", position.game, table=4), position, every_move=True)
        report = solve(PenteEngine(table=1), position, every_move=True)
        assert all(candidate.value.kind is Kind.EXACT for candidate in report.candidates)
        assert {c.move: c.value.amount for c in report.candidates} == {
            c.move: c.value.amount for c in expected.candidates
        }
        single = solve(PenteEngine(table=1), position)
        assert single.value == report.value == expected.value
        assert single.best in [c.move for c in report.candidates if c.value == report.value]
        values |= {candidate.value.amount for candidate in report.candidates}
    assert len(values) > 1


def test_supported_games() -> None:
    assert is_small(tengen.game("pente", size=6))
    for options in ({"size": 7}, {"size": 5, "variant": "keryo"}, {"size": 5, "variant": "boat"},
                    {"size": 5, "variant": "five-in-a-row"}, {"size": 6, "variant": "poof"}):  # fmt: skip
        assert not is_small(tengen.game("pente", **options))


def test_a_stopped_solve_returns_an_estimate() -> None:
    stop = StopFlag()
    stop.set()
    report = solve(PenteEngine(table=1), tengen.game("pente", size=6).start(), stop=stop)
    assert report.value.kind is Kind.HEURISTIC
    assert report.best in ("C3", "C4", "D3", "D4")


def test_a_partial_solve_reports_only_proved_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solved moves give a lower bound; knowing that no move wins gives an upper bound."""
    moves = "C3 D2 A5 D5 B3 E4 C1 E3 A3 D4 C2 B2 E5 A1 B1 E1 E2 A4 B4 E3"
    position = tengen.game("pente", size=5, goal=4).start().play_all(moves.split())
    assert solve(PenteEngine(table=1), position).value == Value.exact(0.0, "wins")
    known = {move: solve(PenteEngine(table=1), position.play(move)).value.amount for move in position.legal_moves}
    whole = SmallSolver.value
    for done in range(1, len(known)):
        left = iter(range(done))
        monkeypatch.setattr(
            SmallSolver, "value", lambda self, at, left=left: None if next(left, None) is None else whole(self, at)
        )
        report = solve(PenteEngine(table=1), position, every_move=True)
        best = max(-value for value in list(known.values())[:done])
        assert len(report.candidates) == done
        assert (report.value.kind, report.value.low) == (
            (Kind.BOUND, 0.0) if best == 0 else (Kind.HEURISTIC, None)
        )
    above = SmallSolver.is_above
    monkeypatch.setattr(
        SmallSolver, "is_above", lambda self, at, alpha: None if alpha == 0 else above(self, at, alpha)
    )
    assert solve(PenteEngine(table=1), position).value == Value.proved(0.0, "wins", low=False, high=True)


def test_a_long_solve_reports_progress() -> None:
    stop, reports = StopFlag(), []

    def receive(report: Report) -> None:
        reports.append(report)
        if report.nodes > 0:
            stop.set()

    solve(PenteEngine(table=1), tengen.game("pente", size=6).start(), stop=stop, on_progress=receive)
    assert reports[-1].nodes > 0
    assert reports[-1].value.kind is Kind.HEURISTIC
