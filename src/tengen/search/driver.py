"""Iterative deepening, time control, aspiration windows and multi-PV for the kernels of any game.

An engine provides a `Searcher`: its kernel, set up at a root, which runs in slices of a given number of nodes. The
driver decides what is searched and when to stop, and creates the report.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.search.engine import OnProgress
from tengen.search.limits import Budget, Limits, StopFlag, root_moves
from tengen.search.report import Candidate, Kind, Report, Value


@dataclass(frozen=True)
class Found:
    """Result of one search of the root, in thousandths of a point for the side to move."""

    value: int
    low: bool  # proved to be at least that
    high: bool  # proved to be at most that
    line: tuple[Move, ...]

    @property
    def move(self) -> Move:
        return self.line[0]


@dataclass(frozen=True)
class Step:
    """One iteration of deepening: depth, selectivity and aspiration window.

    `trust` is the confidence of selective cuts in per cent; 100 for a search without them. `window` is the
    half-width of the window around the previous value, in thousandths of a point.
    """

    depth: int
    window: int
    trust: int = 100


class Searcher(Protocol):
    """A kernel set up at a root. `top` is the maximum value."""

    top: int

    @property
    def nodes(self) -> int:
        """Nodes searched so far."""

    def steps(self, depth: int | None) -> Iterable[Step]:
        """The iterations up to this depth, or as deep as possible."""

    def begin(self, moves: Sequence[Move], alpha: int, beta: int, step: Step) -> None:
        """Start a search of these root moves, best first, in this window."""

    def run(self, nodes: int, stop: StopFlag) -> bool:
        """Continue for `nodes` nodes or until the stop; return whether the search is finished."""

    def found(self) -> Found | None:
        """The result; of an unfinished search, the best move so far if it exceeds the lower end of the window."""


def deepen(
    engine: str,
    position: Position,
    limits: Limits,
    searcher: Searcher,
    *,
    stop: StopFlag | None,
    on_progress: OnProgress | None,
    latest_start: float = 1.0,
) -> Report:
    """Search with increasing depth until a limit is reached or all requested values are proved.

    With a clock, no iteration starts after this part of the time for the move: it would rarely finish, and the
    time is worth more to later moves.
    """
    run = _DeepeningRun(engine, position, limits, searcher, stop, on_progress)
    latest = latest_start * limits.thinking_time() if limits.clock is not None else math.inf
    for step in searcher.steps(limits.depth):
        if not run.search_step(step) or run.all_proved() or run.is_forced(limits) or run.budget.seconds > latest:
            break
        if on_progress is not None:
            on_progress(run.report())
    return run.report()


class _DeepeningRun:
    def __init__(
        self,
        engine: str,
        position: Position,
        limits: Limits,
        searcher: Searcher,
        stop: StopFlag | None,
        on_progress: OnProgress | None,
    ) -> None:
        self.engine = engine
        self.position = position
        self.searcher = searcher
        self.on_progress = on_progress
        self.moves = list(root_moves(position, limits))
        self.lines = min(limits.lines, len(self.moves))
        self.searcher.begin(self.moves, -searcher.top, searcher.top, Step(1, 0))
        self.searcher.run(0, StopFlag())
        self.searcher.found()  # compiles everything on first use, before the clock starts
        self.budget = Budget(limits, stop)
        self.budget.count(self.searcher.nodes, 0.0)
        self.done = Step(0, 0)  # the last finished step
        self.best: list[Found] = []  # of the last finished depth, best first

    def search_step(self, step: Step) -> bool:
        """Search all lines of one iteration; return False if it was interrupted."""
        fresh: list[Found] = []
        for index in range(self.lines):
            taken = {found.move for found in fresh}
            left = [move for move in self.moves if move not in taken]
            guess = self.best[index] if index < len(self.best) else None
            found, finished = self._search(left, step, guess)
            if found is not None:
                fresh.append(found)
            if not finished:
                self._merge(fresh)
                return False
        self.best = sorted(fresh, key=lambda found: -found.value)
        self.done = step
        self._order_moves()
        return True

    def _search(self, moves: list[Move], step: Step, guess: Found | None) -> tuple[Found | None, bool]:
        """Search one line with an aspiration window around the previous value, widened until the result fits."""
        top = self.searcher.top
        alpha, beta = -top, top
        width = step.window
        better: Found | None = None  # a fail-high result: valid even if the wider search is interrupted
        failed_low = False
        if guess is not None and step.depth > 2 and abs(guess.value) < top:
            alpha, beta = max(-top, guess.value - width), min(top, guess.value + width)
        while True:
            self.searcher.begin(moves, alpha, beta, step)
            if not self._run():
                return self.searcher.found() or better, False
            found = self.searcher.found()
            assert found is not None, "a finished search has a best move"
            width *= 4
            # The value is outside the window: continue with a wider one on that side. A search that prunes by its
            # window can fail on both sides: then the window is opened completely.
            if found.value <= alpha and alpha > -top:
                failed_low = True
                alpha, beta = max(-top, found.value - width), max(1 - top, found.value + 1)
            elif found.value >= beta and beta < top:
                alpha, beta = min(top - 1, found.value - 1), min(top, found.value + width)
                better = found
            else:
                return found, True
            if failed_low and better is not None:
                alpha, beta = -top, top

    def _run(self) -> bool:
        """Run the searcher until it finishes; return False at a limit."""
        while not self.budget.is_spent:
            before, started = self.searcher.nodes, time.perf_counter()
            finished = self.searcher.run(self.budget.slice_nodes(), self.budget.stop)
            self.budget.count(self.searcher.nodes - before, time.perf_counter() - started)
            if finished:
                return True
            if self.on_progress is not None and self.best and self.budget.progress_due():
                self.on_progress(self.report())
        return False

    def _merge(self, fresh: list[Found]) -> None:
        """Replace results of the previous depth by those of an unfinished one for the same moves; best first.

        Better moves would normally have been found first in the unfinished depth, so heuristic values of the other
        moves are capped at the smallest new value.
        """
        moves = {found.move for found in fresh}
        least = min((found.value for found in fresh), default=self.searcher.top)
        others = [
            found if found.low or found.high else replace(found, value=min(found.value, least))
            for found in self.best
            if found.move not in moves
        ]
        self.best = sorted((fresh + others)[: self.lines], key=lambda found: -found.value)
        if not self.best:  # stopped before anything was searched: report any legal move
            self.best = [Found(0, False, False, (self.moves[0],))]

    def _order_moves(self) -> None:
        """Move the best moves to the front for the next search."""
        for found in reversed(self.best):
            self.moves.remove(found.move)
            self.moves.insert(0, found.move)

    def is_forced(self, limits: Limits) -> bool:
        """Whether there is only one legal move and the search is limited by time only."""
        by_time_alone = limits.nodes is None and limits.depth is None
        timed = limits.seconds is not None or limits.clock is not None
        return len(self.position.legal_moves) == 1 and timed and by_time_alone

    def all_proved(self) -> bool:
        return all(self._value(found).kind is Kind.EXACT for found in self.best)

    def _value(self, found: Found) -> Value:
        game = self.position.game
        sure = game.proofs_hold
        low = sure and (found.low or found.value <= -self.searcher.top)
        high = sure and (found.high or found.value >= self.searcher.top)
        return Value.proved(found.value / 1000, game.unit, low=low, high=high)

    def report(self) -> Report:
        candidates = tuple(
            Candidate(
                move=self.position.game.write_move(found.move),
                value=self._value(found),
                line=tuple(self.position.write_moves(found.line)),
            )
            for found in self.best
        )
        return Report(
            engine=self.engine,
            best=candidates[0].move,
            value=candidates[0].value,
            candidates=candidates,
            nodes=self.searcher.nodes,
            seconds=self.budget.seconds,
            depth=self.done.depth,
            trust=self.done.trust,
        )
