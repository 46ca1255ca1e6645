"""Benchmark of the Othello endgame solver: positions with 20 empty squares, with one or more threads.

The positions are the first of the test set of the evaluation: from self-play, not used for training, with exact
scores, so each result is checked as well. Time is CPU time for one thread, wall time for several; each position
starts with an empty table. The ratio is relative to the reference loop, timed before and after.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tengen.core.errors import TengenError
from tengen.engines.othello.engine import OthelloEngine
from tengen.engines.othello.training.accuracy import board_text, read_solved_positions
from tengen.games.othello import Othello
from tengen.search.kernels.reference import reference_loop
from tengen.search.limits import Limits

_STEPS = 50_000_000


@dataclass(frozen=True)
class EndgameTimes:
    """Means over the positions."""

    positions: int
    threads: int
    nodes: float
    seconds: float
    reference: float  # steps of the reference loop in the time of one position

    def __str__(self) -> str:
        rate = self.nodes / self.seconds
        return (
            f"{self.positions} endgames of 20 empty squares, {self.threads} thread{'s' * (self.threads > 1)}: "
            f"mean {self.nodes / 1e6:.2f} M nodes, {self.seconds:.3f} s, {rate / 1e6:.1f} M nodes/s; "
            f"{self.reference / 1e6:,.0f} M steps of the reference loop"
        )


def measure(
    count: int, *, threads: int = 1, on_step: Callable[[int], None] = lambda done: None, **settings: Any
) -> EndgameTimes:
    """Solve `count` positions with these engine settings. Raises `TengenError` if a score is wrong."""
    solved = read_solved_positions()
    count = min(count, len(solved.scores))
    # The kernel runs in another thread of this process, so the CPU time of the process is measured.
    clock = time.process_time if threads == 1 else time.perf_counter
    OthelloEngine(table=1).search(Othello().start(), Limits(depth=2))
    before = _reference_rate()
    nodes = 0
    seconds = 0.0
    for index in range(count):
        engine = OthelloEngine(threads=threads, **settings)
        position = Othello(board=f"{board_text(solved.movers[index], solved.enemies[index])} X").start()
        started = clock()
        report = engine.solve(position)
        seconds += clock() - started
        nodes += report.nodes
        if report.value.amount != solved.scores[index]:
            raise TengenError(f"position {index + 1} has the score {solved.scores[index]}, not {report.value}")
        on_step(index + 1)
    rate = (before + _reference_rate()) / 2
    return EndgameTimes(count, threads, nodes / count, seconds / count, seconds / count * rate)


def _reference_rate() -> float:
    reference_loop(1)
    started = time.process_time()
    reference_loop(_STEPS)
    return _STEPS / (time.process_time() - started)
