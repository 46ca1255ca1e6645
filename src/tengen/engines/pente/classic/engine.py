"""The classic player."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines.pente.classic.kernels.utility import FORCED_WIN_VALUE
from tengen.engines.pente.classic.lost_positions import choose_stubborn_move
from tengen.engines.pente.classic.search_state import MAX_PLIES
from tengen.engines.pente.classic.searcher import ClassicSearcher, SearchMemory
from tengen.engines.pente.classic.tunables import TUNABLES, WEAKNESSES
from tengen.search.driver import deepen
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Candidate, Report
from tengen.search.tunables import Tunable


class ClassicEngine(Engine):
    """Counts lines and captures, generates candidates by priority, searches deep and narrow."""

    name: ClassVar[str] = "classic"
    summary: ClassVar[str] = mark("counts lines and captures, searches few moves by priority")
    tunables: ClassVar[tuple[Tunable, ...]] = TUNABLES
    weaknesses: ClassVar[tuple[Tunable, ...]] = WEAKNESSES
    max_depth: ClassVar[int | None] = MAX_PLIES

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._memory = SearchMemory(self.settings | self.weak)
        self._game: Game | None = None  # game the table entries are valid for

    @classmethod
    def plays(cls, game: Game) -> bool:
        """Variants with rows of five and one stone per turn, without opening protocols, but not renju or caro."""
        options = game.options()
        return (
            game.name == "pente"
            and options["row"] == 5
            and options["stones"] == 1
            and options["opening"] == "none"
            and not options["renju"]
            and not options["caro"]
        )

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        if self._game != position.game or self.weak["vision"] < 100:  # hidden moves change from search to search
            self._memory.clear()
            self._game = position.game
        searcher = ClassicSearcher(self._memory, position, seed=self.seed, depth=limits.depth)
        report = deepen(self.name, position, limits, searcher, stop=stop, on_progress=on_progress)
        report = _with_utilities(report, position, searcher.utilities)
        best = position.game.read_move(report.best, position)
        lost = searcher.utilities.get(best, 0.0) <= -FORCED_WIN_VALUE
        if not (lost and self.settings["resist"] and limits.lines == 1):
            return report
        move, nodes = choose_stubborn_move(
            self._memory, position, limits, best, report.depth, seed=self.seed, stop=stop
        )
        return _prefer_move(replace(report, nodes=report.nodes + nodes), position, move, best)


def _with_utilities(report: Report, position: Position, utilities: dict[Move, float]) -> Report:
    """Add each candidate's utility as its reason."""
    game = position.game
    by_name = {game.write_move(move): value for move, value in utilities.items()}
    candidates = tuple(
        replace(candidate, reason=f"utility {by_name[candidate.move]:+.6g}" if candidate.move in by_name else "")
        for candidate in report.candidates
    )
    return replace(report, candidates=candidates)


def _prefer_move(report: Report, position: Position, move: Move, best: Move) -> Report:
    """A report that prefers another move of the same value."""
    if move == best:
        return report
    name = position.game.write_move(move)
    reason = "lost; leaves the fewest winning replies"
    candidate = Candidate(name, report.value, (name,), reason=reason)
    return replace(report, best=name, candidates=(candidate, *report.candidates[1:]))
