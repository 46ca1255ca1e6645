"""Exact values of small-board positions, proved from both sides."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tengen.core.errors import OptionError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.solver.grid import MAX_POINTS, Array, Grid
from tengen.engines.go.solver.kernels import state as kernel
from tengen.engines.go.solver.prover import Board, Prover, Stopped
from tengen.games.go import PASS, Go
from tengen.search.engine import OnProgress
from tengen.search.limits import Budget, Limits, StopFlag
from tengen.search.report import Candidate, Kind, Report, Value
from tengen.search.solve import in_wins

MAX_EFFORT = kernel.MAX_PLIES - 10
EFFORT_STEP = 4  # growth of the effort for a goal
MAX_LINE_LENGTH = 60
_SUPERKO = {"simple": kernel.SIMPLE, "situational": kernel.SITUATIONAL, "positional": kernel.POSITIONAL}


def check(position: Position) -> None:
    """Raise `OptionError` if the solver does not support the position."""
    game = position.game
    assert isinstance(game, Go)
    if game.area > MAX_POINTS:
        raise OptionError(f"boards of up to {MAX_POINTS} points can be solved, not {game.width}x{game.height}")
    if game.scoring != "area" or game.suicide:
        raise OptionError("only games with area scoring and without suicide can be solved")
    if position.state.handicap:
        raise OptionError("handicap stones must be placed before a position can be solved")


@dataclass
class _GoalSearch:
    """The search for a proof that a side reaches a goal: effort and nodes so far."""

    side: int
    goal: int
    weights: Array | None = None  # learned values, None before the first search
    effort: int = 0
    nodes: int = 0
    thorough: bool = False  # the search that relies on table entries of failures is finished
    exhausted: bool = False  # more effort will not prove it


@dataclass
class _Bounds:
    """Proved bounds of Black's score, without komi."""

    low: int
    high: int
    move: int | None = None  # bit of a move that reaches the bound of the side to move


class SmallBoardSolver:
    """Solves one position. Reported values are for the side to move, komi included."""

    def __init__(self, position: Position, megabytes: int, stop: StopFlag, on_progress: OnProgress | None) -> None:
        check(position)
        game = position.game
        assert isinstance(game, Go)
        self._game, self._root = game, position
        self._grid = Grid(game.width, game.height)
        self._komi = int(position.state.komi) / 1000
        self._budget = Budget(Limits(), stop)
        self._on_progress = on_progress
        history = [self._board(earlier) for earlier in position.line()]
        self._prover = Prover(self._grid, megabytes, history, _SUPERKO[game.ko])
        self._effort = 0

    def solve(self, *, wld: bool, every_move: bool) -> Report:
        """Prove the value of the position, or of `every_move`. After a stop, report what is proved so far."""
        if every_move:
            report = self._each_move(wld)
        else:
            bounds = self._bounds(self._root, wld, lambda bounds: self._report([self._candidate(bounds)]))
            report = self._report([self._candidate(bounds, with_line=True)])
        return in_wins(report) if wld else report

    def _each_move(self, wld: bool) -> Report:
        # Until a move is searched, its bounds are those of the whole board.
        found = {move: _Bounds(-self._grid.area, self._grid.area) for move in self._root.legal_moves}

        def report() -> Report:
            candidates = [self._after(move, bounds) for move, bounds in found.items()]
            return self._report(sorted(candidates, key=lambda one: -one.value.amount))

        for move in found:
            after = self._root.play(move)
            if after.is_over:
                score = round(after.final_score / 1000 + self._komi)
                found[move] = _Bounds(score, score)
            else:
                found[move] = self._bounds(after, wld, lambda _: report())
        return report()

    def _bounds(self, position: Position, wld: bool, report: Callable[[_Bounds], Report]) -> _Bounds:
        """Narrow the bounds of a position, always continuing the useful search with the fewest nodes so far."""
        board = self._board(position)
        area = self._grid.area
        bounds = _Bounds(-area, area)
        if wld:  # only the sign of the score matters
            bounds = _Bounds(max(-area, math.ceil(self._komi) - 1), min(area, math.floor(self._komi) + 1))
        searches: dict[tuple[int, int], _GoalSearch] = {}

        def check_stop() -> None:
            if self._budget.stop.is_set:
                raise Stopped
            if self._on_progress is not None and self._budget.progress_due():
                self._on_progress(report(bounds))

        try:
            while bounds.low < bounds.high:
                unfinished: list[_GoalSearch] = []
                for side, goal in _useful_goals(bounds, area):
                    search = searches.setdefault((side, goal), _GoalSearch(side, goal))
                    if not search.exhausted:
                        unfinished.append(search)
                    if unfinished and side == 1:
                        break
                if not unfinished:
                    break
                self._search_goal(min(unfinished, key=lambda one: one.nodes), board, bounds, check_stop)
        except Stopped:
            pass
        return bounds

    def _search_goal(
        self, search: _GoalSearch, board: Board, bounds: _Bounds, check_stop: Callable[[], None]
    ) -> None:
        side, goal = search.side, search.goal
        if search.weights is None:
            search.weights = self._prover.learn_weights(board, side, goal, check_stop)
        search.effort += EFFORT_STEP
        self._effort = search.effort
        before = self._prover.nodes
        proved = self._prover.prove(
            board, side, goal, search.effort, check_stop, thorough=search.thorough, weights=search.weights
        )
        search.nodes += self._prover.nodes - before
        if proved:
            if side == 0:
                bounds.low = goal
            else:
                bounds.high = -goal
            if side == board.to_move:
                bounds.move = self._prover.root_move
        search.exhausted = (search.thorough and proved is None) or search.effort + EFFORT_STEP > MAX_EFFORT
        search.thorough |= proved is None

    def _report(self, candidates: list[Candidate]) -> Report:
        return Report(
            engine="go",
            best=candidates[0].move,
            value=candidates[0].value,
            candidates=tuple(candidates),
            nodes=self._prover.nodes,
            seconds=self._budget.seconds,
            depth=self._effort,
        )

    def _candidate(self, bounds: _Bounds, *, with_line: bool = False) -> Candidate:
        root = self._root
        move = None if bounds.move is None else self._grid.move(bounds.move)
        if move is None or move not in root.legal_moves:
            # A running search must not be disturbed by another, so only the final report searches for a move.
            move = self._any_move(bounds) if with_line else root.legal_moves[0]
        line = [move, *self._line(root.play(move), bounds)] if with_line else [move]
        return Candidate(self._game.write_move(move), self._value(bounds), tuple(root.write_moves(line)))

    def _after(self, move: Move, bounds: _Bounds) -> Candidate:
        text = self._game.write_move(move)
        return Candidate(text, self._value(bounds), (text,))

    def _any_move(self, bounds: _Bounds) -> Move:
        """A move that obviously keeps the mover's bound, for proofs that contain no move of the mover."""
        side = self._root.to_move
        goal = bounds.low if side == 0 else -bounds.high
        moves = self._root.legal_moves
        for move in moves:
            after = self._root.play(move)
            if move != PASS and self._prover.prove(self._board(after), side, goal, 1):
                return move
        return moves[0]

    def _line(self, position: Position, bounds: _Bounds) -> Iterator[Move]:
        """A continuation in which both sides follow their proofs, or the move that was hardest to refute."""
        for _ in range(MAX_LINE_LENGTH):
            if position.is_over:
                return
            board, mover = self._board(position), position.to_move
            goals = (bounds.low, -bounds.high)
            bit = self._prover.best_point(board, mover, goals[mover])
            if bit is None:
                bit = self._prover.best_point(board, 1 - mover, goals[1 - mover])
            if bit is None or self._grid.move(bit) not in position.legal_moves:
                return
            yield self._grid.move(bit)
            position = position.play(self._grid.move(bit))

    def _value(self, bounds: _Bounds) -> Value:
        """Value for the side to move at the root, komi included."""
        unit, sign = self._game.unit, 1 if self._root.to_move == 0 else -1
        low, high = sorted((sign * (bounds.low - self._komi), sign * (bounds.high - self._komi)))
        if low == high:
            return Value.exact(low + 0.0, unit)
        trivial = -self._grid.area - sign * self._komi
        return Value(high if low == trivial else low, Kind.BOUND, unit, None if low == trivial else low, high)

    def _board(self, position: Position) -> Board:
        black, white = self._grid.stones(position)
        state = position.state
        ko = 1 << self._grid.bit(Move(int(state.ko))) if state.ko else 0
        return Board(black, white, position.to_move, ko, int(state.passes) > 0)


def _useful_goals(bounds: _Bounds, area: int) -> Iterator[tuple[int, int]]:
    """Pairs of opposite goals as (side, goal), in the order in which they should be settled.

    On many boards one side gets everything; if not, that is quickly shown. Then the gap is halved: without ko, one
    of two opposite goals can be proved. The last pair narrows the gap from its ends.
    """
    if bounds.high == area:
        yield 0, area
        yield 1, 1 - area
    if bounds.low == -area:
        yield 0, 1 - area
        yield 1, area
    middle = (bounds.low + bounds.high + 1) // 2
    yield 0, middle
    yield 1, 1 - middle
    yield 0, bounds.low + 1
    yield 1, 1 - bounds.high


def solve_small_board(
    position: Position,
    megabytes: int,
    *,
    wld: bool = False,
    every_move: bool = False,
    stop: StopFlag | None = None,
    on_progress: OnProgress | None = None,
) -> Report:
    """Solve a small board with a transposition table of `megabytes`: see `search.engine`."""
    solver = SmallBoardSolver(position, megabytes, stop or StopFlag(), on_progress)
    return solver.solve(wld=wld, every_move=every_move)
