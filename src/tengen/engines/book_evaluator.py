"""Use any engine to evaluate the positions of an opening book."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from tengen.books.probe import BookProbingEngine, ProbeTable
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.core.results_version import RESULTS_VERSION
from tengen.engines import registry
from tengen.search.engine import Engine
from tengen.search.limits import Limits
from tengen.search.report import Report
from tengen.search.solve import solve

DEPTH = 12
NODES = 20_000  # node limit per position of engines that ignore depth
MEGABYTES = 16  # of the engine's table, which is new for each position so that results are reproducible


@dataclass(frozen=True)
class BookEvaluator:
    """Values in units of `value_unit`/1000 points by searches to `depth`; exact if the book requires proof.

    Implements `tengen.books.BookEngine`.
    """

    engine: str
    depth: int = DEPTH
    value_unit: int = 1000
    proves: bool = True
    batch: int = 8
    settings: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def for_game(
        cls, game: Game, value_unit: int, *, proves: bool = True, depth: int = DEPTH, engine: str = ""
    ) -> BookEvaluator:
        """An evaluator with the default engine of a game, or with the named engine."""
        return cls(engine or registry.default_engine(game), depth, value_unit, proves)

    @property
    def name(self) -> str:
        return f"{self.engine} of tengen {RESULTS_VERSION}, depth {self.depth}, {self.settings}"

    def solve(self, position: Position, known: ProbeTable) -> int:
        engine = self._engine(position.game, known)
        if self.proves:
            return self._in_units(solve(engine, position))
        return self._in_units(engine.search(position, self._limits(engine)))

    def best(self, position: Position, moves: tuple[Move, ...], known: ProbeTable) -> tuple[Move, int]:
        engine = self._engine(position.game, known)
        report = engine.search(position, self._limits(engine, moves))
        return position.game.read_move(report.best, position), self._in_units(report)

    def _engine(self, game: Game, table: ProbeTable) -> Engine:
        known = {tunable.name for tunable in registry.engine_class(self.engine).tunables}
        defaults = {"table": MEGABYTES} if "table" in known else {}
        engine = registry.create(self.engine, game, **{**defaults, **self.settings})
        if isinstance(engine, BookProbingEngine) and len(table.nodes):
            engine.book = table
        return engine

    def _limits(self, engine: Engine, moves: tuple[Move, ...] | None = None) -> Limits:
        if engine.deepens:
            return Limits(depth=self.depth, moves=moves)
        return Limits(nodes=NODES, moves=moves)

    def _in_units(self, report: Report) -> int:
        """The value in units of `value_unit`/1000, rounded half up. A win rate is scaled to -1 to 1."""
        amount = report.value.amount
        if report.value.unit == "win rate":
            amount = 2 * amount - 1
        return math.floor(1000 * amount / self.value_unit + 0.5)
