"""The classic player."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.engines.pente.classic.kernels.search import MOST_PLIES
from tengen.engines.pente.classic.kernels.utility import SURELY
from tengen.engines.pente.classic.lost_positions import most_stubborn
from tengen.engines.pente.classic.searcher import ClassicSearcher, Memory
from tengen.engines.pente.classic.tunables import TUNABLES, WEAKNESSES
from tengen.search.driver import deepen
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Candidate, Report
from tengen.search.tunables import Tunable


class ClassicEngine(Engine):
    """Lines and captures counted, candidates by priority, alpha-beta deep and narrow."""

    name: ClassVar[str] = "classic"
    summary: ClassVar[str] = "counts lines and captures, looks at few moves by priority"
    tunables: ClassVar[tuple[Tunable, ...]] = TUNABLES
    weaknesses: ClassVar[tuple[Tunable, ...]] = WEAKNESSES
    deepest: ClassVar[int | None] = MOST_PLIES

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._memory = Memory(self.settings | self.weak)
        self._game: Game | None = None  # what the table is about

    @classmethod
    def plays(cls, game: Game) -> bool:
        """Rows of five, a stone a turn: its windows are of five points. Sides are not chosen by it."""
        options = game.options()
        return (
            game.name == "pente"
            and options["row"] == 5
            and options["stones"] == 1
            and options["opening"] == "none"
        )

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        if self._game != position.game or self.weak["vision"] < 100:  # what is hidden changes from move to move
            self._memory.forget()
            self._game = position.game
        searcher = ClassicSearcher(self._memory, position, seed=self.seed, depth=limits.depth)
        report = deepen(self.name, position, limits, searcher, stop=stop, on_progress=on_progress)
        report = _with_utilities(report, position, searcher.utilities)
        best = position.game.read_move(report.best, position)
        lost = searcher.utilities.get(best, 0.0) <= -SURELY
        if not (lost and self.settings["resist"] and limits.lines == 1):
            return report
        move, nodes = most_stubborn(self._memory, position, limits, best, report.depth, seed=self.seed, stop=stop)
        return _in_favour(replace(report, nodes=report.nodes + nodes), position, move, best)


def _with_utilities(report: Report, position: Position, utilities: dict[Move, float]) -> Report:
    """The same with each candidate's utility as its reason."""
    game = position.game
    by_name = {game.write_move(move): value for move, value in utilities.items()}
    candidates = tuple(
        replace(candidate, reason=f"utility {by_name[candidate.move]:+.6g}" if candidate.move in by_name else "")
        for candidate in report.candidates
    )
    return replace(report, candidates=candidates)


def _in_favour(report: Report, position: Position, move: Move, best: Move) -> Report:
    """A report that prefers another move of the same value."""
    if move == best:
        return report
    name = position.game.write_move(move)
    reason = "lost; leaves the fewest replies that win"
    candidate = Candidate(name, report.value, (name,), reason=reason)
    return replace(report, best=name, candidates=(candidate, *report.candidates[1:]))
