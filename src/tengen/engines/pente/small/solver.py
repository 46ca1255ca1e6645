"""Solver for boards up to 6x6: won, drawn or lost, for each move. See `kernels.search`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tengen.core.game import Game, Move
from tengen.core.interrupt import run_with_stop
from tengen.core.position import Position
from tengen.engines.pente.small.board_tables import new_work
from tengen.engines.pente.small.kernels.search import is_above
from tengen.games.pente.game import Pente
from tengen.games.pente.record import STRIDE
from tengen.search.engine import OnProgress
from tengen.search.kernels.transposition_table import make_table
from tengen.search.limits import Budget, Limits, StopFlag
from tengen.search.report import Candidate, Report, Value

MAX_SIZE = 6
MAX_GOAL = 14
"""Seven pairs: table entries have three bits for them. Without a goal a game might never end."""


def is_small(game: Game) -> bool:
    """Whether the solver supports this game: rows of five or more, pairs captured or nothing, no other rules."""
    return (
        isinstance(game, Pente)
        and game.size <= MAX_SIZE
        and (game.row, game.stones, game.opening) == (5, 1, "none")
        and not (game.exact or game.poof or game.boat or game.renju or game.caro)
        and (game.captures == "none" or (game.captures == "pairs" and 0 < game.goal <= MAX_GOAL))
    )


def solver_stones(position: Position) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Stones as bits, and captured pairs, of the side to move and of the other."""
    assert isinstance(position.game, Pente)
    state, size = position.state, position.game.size
    rows = np.arange(1, size + 1)
    grid = state.pente_stones[STRIDE * rows[:, None] + rows].reshape(-1)
    own = int(state.colour)
    sides = (own, 1 - own)
    words = [sum(1 << int(at) for at in np.flatnonzero(grid == 1 + side)) for side in sides]
    return np.array(words, np.uint64), np.array([state.captured[side] // 2 for side in sides], np.int64)


class SmallSolver:
    """Solves positions of one game; results stay in its table."""

    def __init__(self, game: Pente, megabytes: int, stop: StopFlag, on_wait: Callable[[], None]) -> None:
        self._game = game
        self._table = make_table(megabytes << 20)
        self._stop, self._on_wait = stop, on_wait
        self._works = new_work(game)

    @property
    def nodes(self) -> int:
        return int(self._works[0].nodes)

    def value(self, position: Position) -> int | None:
        """1, 0 or -1 for the side to move; None if stopped."""
        for alpha in (0, -1):
            is_above_alpha = self.is_above(position, alpha)
            if is_above_alpha is None:
                return None
            if is_above_alpha:
                return alpha + 1
        return -1

    def is_above(self, position: Position, alpha: int) -> bool | None:
        """Whether the value of a position for the side to move is above `alpha`; None if stopped."""
        if position.is_over:
            return (position.final_score if position.to_move == 0 else -position.final_score) > 1000 * alpha
        return self.answer(*solver_stones(position), alpha)

    def answer(self, stones: np.ndarray[Any, Any], pairs: np.ndarray[Any, Any], alpha: int) -> bool | None:
        """The same, of stones and pairs as `solver_stones` returns them."""
        arguments = (self._works, self._table, self._stop.array, stones, pairs, np.int64(alpha))
        is_above_alpha = run_with_stop(lambda: is_above(*arguments), self._stop.set, self._on_wait)
        return None if self._works[0].stopped else bool(is_above_alpha)


def solve_small(
    position: Position,
    megabytes: int,
    *,
    every_move: bool,
    stop: StopFlag | None = None,
    on_progress: OnProgress | None = None,
) -> Report:
    """Result of a position with a move that achieves it; of all moves with `every_move`."""
    return _SolveRun(position, megabytes, stop or StopFlag(), on_progress).solve(every_move)


class _SolveRun:
    """State of solving one position: solved moves, and the resulting bounds of its value."""

    def __init__(self, position: Position, megabytes: int, stop: StopFlag, on_progress: OnProgress | None) -> None:
        assert isinstance(position.game, Pente)
        self._position, self._game = position, position.game
        self._found: list[tuple[Move, int]] = []
        self._low, self._high = -1, 1
        self._budget = Budget(Limits(), stop)
        self._on_progress = on_progress
        self._solver = SmallSolver(position.game, megabytes, stop, self._notify)

    def solve(self, every_move: bool) -> Report:
        if every_move:
            self._solve_each()
        else:
            self._solve_best()
        return self._report()

    def _solve_each(self) -> None:
        for move in self._position.legal_moves:
            value = self._solver.value(self._position.play(move))
            if value is None:
                return
            self._found.append((move, -value))
            self._low = max(self._low, -value)
        self._high = self._low

    def _solve_best(self) -> None:
        after = {move: self._position.play(move) for move in self._position.legal_moves}
        for value in (1, 0):  # does any move win? does any move draw?
            for move, next_one in after.items():
                is_above_alpha = self._solver.is_above(next_one, -value)
                if is_above_alpha is None:
                    return
                if not is_above_alpha:
                    self._found = [(move, value)]
                    self._low = self._high = value
                    return
            self._high = value - 1
        self._found = [(self._position.legal_moves[0], -1)]

    def _notify(self) -> None:
        if self._on_progress is not None and self._budget.progress_due():
            self._on_progress(self._report())

    def _report(self) -> Report:
        """Each solved move has its exact value; the position has what is proved so far."""
        game = self._game
        candidates = tuple(
            Candidate(game.write_move(move), Value.exact(float(value), game.unit), (game.write_move(move),))
            for move, value in sorted(self._found, key=lambda pair: -pair[1])
        )
        value = self._value()
        if not candidates:
            move = game.write_move(self._position.legal_moves[0])
            candidates = (Candidate(move, value, (move,)),)
        return Report(
            engine="pente",
            best=candidates[0].move,
            value=value,
            candidates=candidates,
            nodes=self._solver.nodes,
            seconds=self._budget.seconds,
        )

    def _value(self) -> Value:
        low, high, unit = self._low, self._high, self._game.unit
        if low == high:
            return Value.exact(float(low), unit)
        if (low, high) == (-1, 1):
            return Value.heuristic(0.0, unit)
        return Value.proved(0.0, unit, low=low == 0, high=high == 0)
