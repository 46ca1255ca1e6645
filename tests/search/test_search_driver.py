"""Iterative deepening over a searcher whose values are made up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import SimpleNamespace

import pytest

from tengen.core.game import Move
from tengen.games import game
from tengen.search import driver
from tengen.search import limits as limits_module
from tengen.search.driver import Found, Step, deepen
from tengen.search.limits import Clock, Limits, StopFlag

VALUES = ((300, 250, 200, 0), (100, 350, 50, 0), (-100, 300, 310, 0))
"""Of the first four moves, by depth."""


class Told:
    """Knows the value of each move at each depth; a search of one line costs a node."""

    top = 1000

    def __init__(self, moves: Sequence[Move]) -> None:
        self.nodes = 0
        self._values = [dict(zip(moves, values, strict=True)) for values in VALUES]
        self._found: Found | None = None

    def steps(self, depth: int | None) -> Iterable[Step]:
        return (Step(plies, 2000) for plies in range(1, (depth or len(VALUES)) + 1))

    def begin(self, moves: Sequence[Move], alpha: int, beta: int, step: Step) -> None:
        values = self._values[step.depth - 1]
        best = max((move for move in moves if move in values), key=values.__getitem__)
        self._found, self._next = None, Found(values[best], False, False, (best,))

    def run(self, nodes: int, stop: StopFlag) -> bool:
        self.nodes += 1
        self._found = self._next
        return True

    def found(self) -> Found | None:
        return self._found


@pytest.mark.parametrize("nodes", range(1, 11))
def test_lines_stand_best_first_wherever_the_search_is_cut_short(nodes: int) -> None:
    position = game("othello").start()
    assert len(position.legal_moves) == len(VALUES[0])
    searcher = Told(position.legal_moves)
    limits = Limits(nodes=nodes, lines=3)
    report = deepen("told", position, limits, searcher, stop=None, on_progress=None)
    amounts = [candidate.value.amount for candidate in report.candidates]
    assert amounts == sorted(amounts, reverse=True)
    assert len({candidate.move for candidate in report.candidates}) == len(report.candidates)
    assert report.best == report.candidates[0].move


def test_a_deeper_best_move_stays_best_though_another_seemed_better_before() -> None:
    """Depth 2 puts the second move first; then it is cut short, and nothing of depth 1 stands above it."""
    position = game("othello").start()
    one, two = (position.game.write_move(position.legal_moves[index]) for index in (0, 1))
    reports = [
        deepen("told", position, Limits(nodes=n, lines=3), Told(position.legal_moves), stop=None, on_progress=None)
        for n in range(1, 11)
    ]
    firsts = [report.best for report in reports]
    assert firsts[0] == one
    assert two in firsts
    assert one not in firsts[firsts.index(two) :]


@pytest.mark.parametrize(
    ("limits", "depth"),
    [
        (Limits(clock=Clock(40.0, moves_to_go=10)), 2),
        (Limits(clock=Clock(20.0, moves_to_go=10)), 1),
        (Limits(clock=Clock(80.0, moves_to_go=10)), 3),
        (Limits(seconds=4.0), 3),
    ],
)
def test_with_a_clock_no_iteration_starts_late(
    monkeypatch: pytest.MonkeyPatch, limits: Limits, depth: int
) -> None:
    """Each iteration takes a second here; the last may start after 0.4 of a tenth of the clock."""
    now = 0.0

    class Slow(Told):
        def run(self, nodes: int, stop: StopFlag) -> bool:
            nonlocal now
            now += 1.0
            return super().run(nodes, stop)

    for module in (driver, limits_module):
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now))
    position = game("othello").start()
    searcher = Slow(position.legal_moves)
    report = deepen("told", position, limits, searcher, stop=None, on_progress=None, latest_start=0.4)
    assert report.depth == depth
