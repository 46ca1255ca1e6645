"""Baseline engines: random moves, and flat Monte-Carlo search."""

from __future__ import annotations

import time
from typing import Any, ClassVar

import numpy as np

from tengen.core.compiled.rng import make_rng, mix
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.search.engine import Engine, OnProgress
from tengen.search.kernels.flat import sample
from tengen.search.limits import Budget, Limits, StopFlag, root_moves
from tengen.search.report import Candidate, Report, Value


class RandomPlayer(Engine):
    """Plays uniformly random legal moves."""

    name: ClassVar[str] = "random"
    summary: ClassVar[str] = mark("random legal moves")
    deepens: ClassVar[bool] = False

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        moves = root_moves(position, limits)
        choice = int(mix(int(mix(self.seed)) ^ position.key)) % len(moves)
        move = position.game.write_move(moves[choice])
        value = Value.heuristic(0.5, "win rate")
        return Report(self.name, move, value, (Candidate(move, value, (move,)),), nodes=0, seconds=0.0)


class FlatMonteCarlo(Engine):
    """Plays random games after each move and chooses the move that wins most of them."""

    name: ClassVar[str] = "flat"
    summary: ClassVar[str] = mark("flat Monte-Carlo: random games after each move, no tree")
    deepens: ClassVar[bool] = False

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        moves = np.array(root_moves(position, limits), np.int32)
        limits.check_without_depth(self.name, stop)
        stack = np.zeros(2, position.game.record)
        stack[0] = position.state
        visits, wins = np.zeros(len(moves), np.int64), np.zeros(len(moves), np.int64)
        rng = make_rng(int(mix(int(mix(self.seed)) ^ position.key)))
        longest = position.game.max_playout_length
        # Compiles on first use, before the clock starts.
        sample(stack, moves, visits, wins, 0, longest, rng, StopFlag().array)
        budget = Budget(limits, stop)
        while not budget.is_spent:
            started = time.perf_counter()
            games = sample(stack, moves, visits, wins, budget.slice_nodes(), longest, rng, budget.stop.array)
            budget.count(games, time.perf_counter() - started)
            if on_progress is not None and budget.progress_due():
                on_progress(self._report(position, moves, visits, wins, budget.seconds))
        return self._report(position, moves, visits, wins, budget.seconds)

    def _report(self, position: Position, moves: Any, visits: Any, wins: Any, seconds: float) -> Report:
        rates = (wins + 1) / (2 * visits + 2)  # shrunk towards 50 %, against lucky moves with few games
        candidates = []
        for index in sorted(range(len(moves)), key=lambda index: -rates[index]):
            move = position.game.write_move(moves[index])
            value = Value.heuristic(float(rates[index]), "win rate")
            candidates.append(Candidate(move, value, (move,), visits=int(visits[index])))
        return Report(
            self.name, candidates[0].move, candidates[0].value, tuple(candidates), int(visits.sum()), seconds
        )
