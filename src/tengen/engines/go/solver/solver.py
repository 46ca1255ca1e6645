"""The value of a position on a small board, proved from both sides."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tengen.core.errors import OptionError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.solver.grid import LARGEST, Array, Grid
from tengen.engines.go.solver.kernels import state as kernel
from tengen.engines.go.solver.prover import Board, Prover, Stopped
from tengen.games.go import PASS, Go
from tengen.search.engine import OnProgress
from tengen.search.limits import Budget, Limits, StopFlag
from tengen.search.report import Candidate, Kind, Report, Value
from tengen.search.solve import in_wins

MOST_EFFORT = kernel.MOST_PLIES - 10
STEP = 4  # by which the effort for a question grows
LONGEST_LINE = 60
_SUPERKO = {"simple": kernel.SIMPLE, "situational": kernel.SITUATIONAL, "positional": kernel.POSITIONAL}


def check(position: Position) -> None:
    """Raise `OptionError` where this solver has nothing to say."""
    game = position.game
    assert isinstance(game, Go)
    if game.area > LARGEST:
        raise OptionError(f"boards of up to {LARGEST} points can be solved, not {game.width}x{game.height}")
    if game.scoring != "area" or game.suicide:
        raise OptionError("small boards are solved by area scoring, without suicide")
    if position.state.handicap:
        raise OptionError("handicap stones must stand before a position can be solved")


@dataclass
class _Question:
    """Whether a side can reach a goal; by what effort it was searched, and at what cost."""

    side: int
    goal: int
    weights: Array | None = None  # what was learned about it
    effort: int = 0
    nodes: int = 0
    thorough: bool = False  # a search that relies on what failed on other lines has come to its end
    exhausted: bool = False  # no greater effort will prove it


@dataclass
class _Bounds:
    """What is proved of a position: Black gets from `low` to `high` points more than White, komi apart."""

    low: int
    high: int
    move: int | None = None  # the bit of a move that reaches the mover's bound


class SmallBoardSolver:
    """Solves one position; `Report`s count from the mover's side, komi included."""

    def __init__(self, position: Position, megabytes: int, stop: StopFlag, on_progress: OnProgress | None) -> None:
        check(position)
        game = position.game
        assert isinstance(game, Go)
        self._game, self._root = game, position
        self._grid = Grid(game.width, game.height)
        self._komi = int(position.state.komi) / 1000
        self._budget = Budget(Limits(), stop)
        self._on_progress = on_progress
        past = [self._board(earlier) for earlier in position.line()]
        self._prover = Prover(self._grid, megabytes, past, _SUPERKO[game.ko])
        self._effort = 0

    def solve(self, *, wld: bool, every_move: bool) -> Report:
        """Prove the value, or with `every_move` that of each move; after a stop, what is proved so far."""
        if every_move:
            report = self._each_move(wld)
        else:
            bounds = self._bounds(self._root, wld, lambda bounds: self._report([self._candidate(bounds)], wld))
            report = self._report([self._candidate(bounds, with_line=True)], wld)
        return in_wins(report) if wld else report

    def _each_move(self, wld: bool) -> Report:
        # A move that is legal and of which nothing is known yet stands with the bounds of the whole board.
        found = {move: _Bounds(-self._grid.area, self._grid.area) for move in self._root.legal_moves}

        def report() -> Report:
            candidates = [self._after(move, bounds) for move, bounds in found.items()]
            return self._report(sorted(candidates, key=lambda one: -one.value.amount), wld)

        for move in found:
            after = self._root.play(move)
            if after.is_over:
                score = round(after.final_score / 1000 + self._komi)
                found[move] = _Bounds(score, score)
            else:
                found[move] = self._bounds(after, wld, lambda _: report())
        return report()

    # ---- proving

    def _bounds(self, position: Position, wld: bool, report: Callable[[_Bounds], Report]) -> _Bounds:
        """Ask, in turns, the questions that could settle a position, always the one that has cost least so far."""
        board = self._board(position)
        area = self._grid.area
        bounds = _Bounds(-area, area)
        if wld:  # beyond the first score that wins or loses nothing matters
            bounds = _Bounds(max(-area, math.ceil(self._komi) - 1), min(area, math.floor(self._komi) + 1))
        asked: dict[tuple[int, int], _Question] = {}

        def look() -> None:
            if self._budget.stop.is_set:
                raise Stopped
            if self._on_progress is not None and self._budget.progress_due():
                self._on_progress(report(bounds))

        try:
            while bounds.low < bounds.high:
                open_ones: list[_Question] = []
                for side, goal in _worth_asking(bounds, area):
                    question = asked.setdefault((side, goal), _Question(side, goal))
                    if not question.exhausted:
                        open_ones.append(question)
                    if open_ones and side == 1:
                        break
                if not open_ones:
                    break
                self._ask(min(open_ones, key=lambda one: one.nodes), board, bounds, look)
        except Stopped:
            pass
        return bounds

    def _ask(self, question: _Question, board: Board, bounds: _Bounds, look: Callable[[], None]) -> None:
        side, goal = question.side, question.goal
        if question.weights is None:
            question.weights = self._prover.learned(board, side, goal, look)
        question.effort += STEP
        self._effort = question.effort
        before = self._prover.nodes
        proved = self._prover.proves(
            board, side, goal, question.effort, look, thorough=question.thorough, weights=question.weights
        )
        question.nodes += self._prover.nodes - before
        if proved:
            if side == 0:
                bounds.low = goal
            else:
                bounds.high = -goal
            if side == board.to_move:
                bounds.move = self._prover.root_move
        question.exhausted = (question.thorough and proved is None) or question.effort + STEP > MOST_EFFORT
        question.thorough |= proved is None

    # ---- reporting

    def _report(self, candidates: list[Candidate], wld: bool) -> Report:
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
            # A search under way must not be disturbed by another: only the last report looks for a move.
            move = self._any_move(bounds) if with_line else root.legal_moves[0]
        line = [move, *self._line(root.play(move), bounds)] if with_line else [move]
        return Candidate(self._game.write_move(move), self._value(bounds), tuple(root.write_moves(line)))

    def _after(self, move: Move, bounds: _Bounds) -> Candidate:
        text = self._game.write_move(move)
        return Candidate(text, self._value(bounds), (text,))

    def _any_move(self, bounds: _Bounds) -> Move:
        """Where the mover's bound needs no move of his: one that keeps what is safe, if that is seen at once."""
        side = self._root.to_move
        goal = bounds.low if side == 0 else -bounds.high
        moves = self._root.legal_moves
        for move in moves:
            after = self._root.play(move)
            if move != PASS and self._prover.proves(self._board(after), side, goal, 1):
                return move
        return moves[0]

    def _line(self, position: Position, bounds: _Bounds) -> Iterator[Move]:
        """How the game may go on: both sides by their proofs, or by the move that was hardest to answer."""
        for _ in range(LONGEST_LINE):
            if position.is_over:
                return
            board, mover = self._board(position), position.to_move
            goals = (bounds.low, -bounds.high)
            bit = self._prover.best(board, mover, goals[mover])
            if bit is None:
                bit = self._prover.best(board, 1 - mover, goals[1 - mover])
            if bit is None or self._grid.move(bit) not in position.legal_moves:
                return
            yield self._grid.move(bit)
            position = position.play(self._grid.move(bit))

    def _value(self, bounds: _Bounds) -> Value:
        """For the mover at the root, komi included."""
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


def _worth_asking(bounds: _Bounds, area: int) -> Iterator[tuple[int, int]]:
    """(side, goal) in pairs, of which the first are to be settled before the others are asked.

    On many boards one side takes everything; where it does not, that is soon shown. Then the gap is halved: if ko
    did not interfere, one of two opposite questions could be proved. The last pair narrows it.
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
    """What `Solver.solve` asks for (search/engine.py), by a table of so many megabytes."""
    solver = SmallBoardSolver(position, megabytes, stop or StopFlag(), on_progress)
    return solver.solve(wld=wld, every_move=every_move)
