"""Any engine as the one that values a book's positions."""

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
NODES = 20_000
"""What a search without depth may spend on a position."""
MEGABYTES = 16
"""For an engine's table, which is new for each position: the same question, the same answer."""


@dataclass(frozen=True)
class Valuer:
    """Values in grains of so many thousandths, by searches to `depth`; solved for good if the book proves.

    An engine that searches to no depth has NODES for each position. See `tengen.books.BookEngine`.
    """

    engine: str
    depth: int = DEPTH
    value_unit: int = 1000
    proves: bool = True
    batch: int = 8
    settings: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, game: Game, value_unit: int, *, proves: bool = True, depth: int = DEPTH, engine: str = ""
    ) -> Valuer:
        """The engine that plays a game best, or the one that is named."""
        return cls(engine or registry.default_engine(game), depth, value_unit, proves)

    @property
    def name(self) -> str:
        return f"{self.engine} of tengen {RESULTS_VERSION}, depth {self.depth}, {self.settings}"

    def solve(self, position: Position, known: ProbeTable) -> int:
        engine = self._engine(position.game, known)
        if self.proves:
            return self._grains(solve(engine, position))
        return self._grains(engine.search(position, self._limits(engine)))

    def best(self, position: Position, moves: tuple[Move, ...], known: ProbeTable) -> tuple[Move, int]:
        engine = self._engine(position.game, known)
        report = engine.search(position, self._limits(engine, moves))
        return position.game.read_move(report.best, position), self._grains(report)

    def _engine(self, game: Game, table: ProbeTable) -> Engine:
        known = {tunable.name for tunable in registry.engine_class(self.engine).tunables}
        usual = {"table": MEGABYTES} if "table" in known else {}
        engine = registry.create(self.engine, game, **{**usual, **self.settings})
        if isinstance(engine, BookProbingEngine) and len(table.nodes):
            engine.book = table
        return engine

    def _limits(self, engine: Engine, moves: tuple[Move, ...] | None = None) -> Limits:
        if engine.deepens:
            return Limits(depth=self.depth, moves=moves)
        return Limits(nodes=NODES, moves=moves)

    def _grains(self, report: Report) -> int:
        """The value in whole grains, halves up. A share of wins from 0 to 1 becomes one from -1 to 1."""
        amount = report.value.amount
        if report.value.unit == "win rate":
            amount = 2 * amount - 1
        return math.floor(1000 * amount / self.value_unit + 0.5)
