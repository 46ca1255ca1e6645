"""Engine for Clobber: perfect play where it can solve the position, otherwise guided by proof numbers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar

from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.core.values import Stopped
from tengen.engines.clobber.kernels import sums as slots
from tengen.engines.clobber.kernels.sums import DISPROOF, PROOF
from tengen.engines.clobber.solver import SearchLimits, Solver
from tengen.engines.clobber.solver_options import SolverOptions
from tengen.engines.clobber.workspace import TableFull
from tengen.games.clobber.board import colour_swapped
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Budget, Limits, StopFlag, root_moves
from tengen.search.report import Candidate, Report, Value
from tengen.search.tunables import Tunable

NODES_PER_SLICE = 64  # between checks of the clock; fixed, so that results do not depend on time
MAX_BOUNDED_CELLS = 64  # bounds of longer strips take too long for a move


@dataclass
class _Choice:
    """A move at the root: the resulting sum, with the opponent to move, and its state."""

    move: Move
    sum_id: int
    cells: int  # in subgames that have moves
    wins: bool | None = None
    proof: int = 1  # proof number of the opponent's win
    disproof: int = 1

    @property
    def value(self) -> Value:
        if self.wins is not None:
            return Value.exact(1.0 if self.wins else -1.0, "wins")
        return Value.heuristic(self.proof / (self.proof + self.disproof) * 2 - 1, "wins")

    @property
    def rank(self) -> tuple[float, int]:
        """Sort key, best first; among losing moves, prefer those that leave the most cells in play."""
        return -self.value.amount, -self.cells


class ClobberEngine(Engine):
    """Solves all moves in turn, always the one that is closest to a proved win."""

    name: ClassVar[str] = "clobber"
    summary: ClassVar[str] = mark("exact values and proof-number search; perfect where it can solve")
    deepens: ClassVar[bool] = False
    tunables: ClassVar[tuple[Tunable, ...]] = (
        Tunable("memory", 256, 16, 65536, mark("megabytes for sums"), megabytes=True),
        Tunable("short", 20, 0, 40, mark("strips of up to this many cells are replaced by their exact values")),
    )

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        options = SolverOptions(short=self.settings["short"], bound_parts=MAX_BOUNDED_CELLS)
        self._solver = Solver(options, megabytes=self.settings["memory"])

    @classmethod
    def plays(cls, game: Game) -> bool:
        return game.name == "clobber"

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        moves = root_moves(position, limits)
        limits.check_without_depth(self.name, stop)
        self._solver.compile_kernels()  # before the clock starts
        # A search with a node limit must be reproducible, so it starts without earlier results.
        if limits.nodes is not None:
            self._solver.workspace.clear_sums()
            self._solver.workspace.clear_bounds()
        budget = Budget(limits, stop)
        nodes = self._solver.nodes
        self._solver.begin()
        try:
            choices = [self._choice(position, move) for move in moves]
        except TableFull:  # filled by earlier searches
            self._solver.workspace.clear_sums()
            choices = [self._choice(position, move) for move in moves]
        wanted = min(limits.lines, len(choices))
        search_limits = SearchLimits(seconds=budget.seconds_left, stop=budget.stop)
        try:
            self._update(choices)
            with self._solver.limited(search_limits) as watcher:
                while not budget.is_spent:
                    open_choices = [choice for choice in choices if choice.wins is None]
                    if not open_choices or sum(choice.wins is True for choice in choices) >= wanted:
                        break
                    nearest = min(open_choices, key=lambda choice: choice.disproof)
                    started, before = time.perf_counter(), self._solver.nodes
                    self._solver.prove_sum(nearest.sum_id, min(NODES_PER_SLICE, budget.nodes_left), watcher)
                    budget.count(max(1, self._solver.nodes - before), time.perf_counter() - started)
                    self._update(choices)
                    if on_progress is not None and budget.progress_due():
                        on_progress(self._report(position, choices, self._solver.nodes - nodes, budget.seconds))
        except Stopped:
            self._update(choices)
        except TableFull:
            self._solver.workspace.clear_sums()  # the choices keep their results
        return self._report(position, choices, self._solver.nodes - nodes, budget.seconds)

    def _choice(self, position: Position, move: Move) -> _Choice:
        """Set up the position after a move, with colours such that the opponent is Left."""
        game: Any = position.game
        cells = list(game.text(position).replace("/", ""))
        origin, target = game.cells(move)
        cells[target], cells[origin] = cells[origin], "."
        text = "".join(cells)
        board = "/".join(text[at : at + game.width] for at in range(0, len(text), game.width))
        if position.to_move == 0:
            board = colour_swapped(board)
        space = self._solver.workspace
        subgames = space.subgames_of(board)
        size = int((space.subgames.width[subgames] * space.subgames.height[subgames]).sum())
        return _Choice(move, self._solver.sum_of_components(self._solver.components(subgames)), size)

    def _update(self, choices: list[_Choice]) -> None:
        """Read the current results and proof numbers of all moves."""
        sums = self._solver.workspace.sums
        for choice in choices:
            if choice.wins is None:
                known = int(sums.result[choice.sum_id])
                if known != slots.OPEN:
                    choice.wins = known == slots.LOST
                choice.proof = max(1, int(sums.search_data[choice.sum_id, PROOF]))
                choice.disproof = max(1, int(sums.search_data[choice.sum_id, DISPROOF]))

    def _report(self, position: Position, choices: list[_Choice], nodes: int, seconds: float) -> Report:
        candidates = []
        for choice in sorted(choices, key=lambda choice: choice.rank):
            text = position.game.write_move(choice.move)
            candidates.append(Candidate(text, choice.value, (text,)))
        return Report(self.name, candidates[0].move, candidates[0].value, tuple(candidates), nodes, seconds)
