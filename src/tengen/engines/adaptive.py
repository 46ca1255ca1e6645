"""An opponent that keeps the game close: the best move when it is behind, a slower one when it is ahead.

The default engine of the game values its best moves. Among those that lose at most `give` of what there is to win,
the one is played after which the game is closest to even, `lead` for the engine. Losses are measured in the unit
of the values: win rates, discs or points.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from tengen.core.game import Game
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines import registry
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Candidate, Report
from tengen.search.tunables import Tunable

LINES = 8  # moves that are valued
MIN_VISIT_SHARE = 0.05  # of those of the best move: values of less visited moves are unreliable
_MEMORY_MB = 16
# By unit: the value of an even game, and how much of it `give=1` and `lead=1` are.
_SCALES = {"win rate": (0.5, 0.5), "wins": (0.0, 1.0), "discs": (0.0, 16.0), "points": (0.0, 20.0)}
_OTHER = (0.0, 1.0)


class AdaptiveEngine(Engine):
    """Keeps the game close: plays its best when behind, and gives something back when ahead."""

    name: ClassVar[str] = "adaptive"
    summary: ClassVar[str] = mark("keeps the game close: its best when behind, a slower move when ahead")
    tunables: ClassVar[tuple[Tunable, ...]] = (
        Tunable("give", 0.4, 0.0, 1.0, mark("how much a move may give away when ahead")),
        Tunable("lead", 0.0, -1.0, 1.0, mark("how far ahead it wants to be; negative: behind")),
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._engine: Engine | None = None
        self._game: Game | None = None

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        lines = max(limits.lines, LINES)
        report = self._engine_for(position.game).search(
            position, replace(limits, lines=lines), stop=stop, on_progress=on_progress
        )
        if limits.lines > 1:  # an analysis
            return replace(report, engine=self.name)
        chosen = closest(report.candidates, float(self.settings["give"]), float(self.settings["lead"]))
        others = tuple(one for one in report.candidates if one is not chosen)
        return replace(
            report, engine=self.name, best=chosen.move, value=chosen.value, candidates=(chosen, *others)
        )

    def _engine_for(self, game: Game) -> Engine:
        if self._engine is None or self._game != game:
            kind = registry.engine_class(registry.default_engine(game))
            memory = {tunable.name: _MEMORY_MB for tunable in kind.tunables if tunable.megabytes}
            self._engine, self._game = kind(seed=self.seed, **memory), game
        return self._engine


def closest(candidates: tuple[Candidate, ...], give: float, lead: float) -> Candidate:
    """The move that leaves the game closest to even, of those that do not lose too much; the best when behind."""
    best = candidates[0]
    even, scale = _SCALES.get(best.value.unit, _OTHER)
    wanted = even + lead * scale
    if best.value.amount <= wanted:
        return best
    near = [
        one
        for one in candidates
        if one.value.unit == best.value.unit
        and one.visits >= MIN_VISIT_SHARE * best.visits
        and one.value.amount >= max(wanted, best.value.amount - give * scale)
    ]
    return min(near, key=lambda one: one.value.amount, default=best)
