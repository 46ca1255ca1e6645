"""What engines found of the positions of one game: kept with it, and a review that values all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tengen.app.analysis import Analyst, Review
from tengen.core.position import Position, line_keys
from tengen.play.match import Match
from tengen.players.config import EngineConfig, Level
from tengen.runtime.host import EngineHost
from tengen.search.report import Report
from tengen.store.store import Store

Moves = tuple[str, ...]


def moves_to(position: Position) -> Moves:
    """The moves that lead to a position: by them its reports are stored."""
    return tuple(map(sys.intern, position.write_moves(position.moves)))


class ReportIndex(dict[Moves, Report]):
    """The best known report of each position, by the moves that lead to it.

    `of` and `along` find reports by the positions' line keys: comparing all moves of each position of a long game
    would take quadratic time.
    """

    def __init__(self, known: Mapping[Moves, Report] | None = None) -> None:
        super().__init__()
        self._by_line: dict[bytes, Report] = {}
        for moves, report in (known or {}).items():
            self[moves] = report

    def __setitem__(self, moves: Moves, report: Report) -> None:
        super().__setitem__(moves, report)
        *_, key = line_keys(moves)
        self._by_line[key] = report

    def of(self, position: Position) -> Report | None:
        return self._by_line.get(position.line_key) if self._by_line else None

    def along(self, line: Sequence[Position]) -> dict[int, Report]:
        """The reports on positions of a line, by their ply."""
        if not self._by_line:
            return {}
        return {one.ply: report for one in line if (report := self._by_line.get(one.line_key)) is not None}


def with_review_level(config: EngineConfig) -> EngineConfig:
    """The engine limited to one second per position, because a review searches every position of a game."""
    return replace(config, level=Level(seconds=1.0))


class GameReports:
    """`index` has what is known of the game. `tell` is called, in any thread, with what is new; with no
    moves, when a review begins or ends.
    """

    def __init__(self, match: Match, store: Store, host: EngineHost, tell: Callable[[Moves], None]) -> None:
        self.index = ReportIndex()
        self.review: Review | None = None
        self.reviewer = ""  # who asked for it
        self._match = match
        self._store = store
        self._tell = tell
        self._analyst = Analyst(store, host)
        for kept in store.reports(match.id):
            if kept.moves not in self.index:
                self.index[tuple(map(sys.intern, kept.moves))] = kept.report

    def of(self, position: Position) -> Report | None:
        return self.index.of(position)

    def keep(self, moves: Moves, config: EngineConfig, report: Report) -> None:
        """Keep what an engine found of a position. Waits for the disk."""
        self.index[moves] = report
        self._store.save_report(self._match.id, moves, config, report)
        self._tell(moves)

    @property
    def is_reviewing(self) -> bool:
        return self.review is not None and not self.review.finished.is_set()

    def begin_review(self, config: EngineConfig, reviewer: str = "") -> Review:
        """Value every position of the game in the background, unless that is being done."""
        if self.review is None or self.review.finished.is_set():
            self.reviewer = reviewer
            line = list(self._match.live.line())
            self.review = self._analyst.review(self._match.id, line, config, self._valued)
            self._tell(())
        return self.review

    def stop_review(self) -> None:
        if self.review is not None:
            self.review.stop()
        self._tell(())

    def _valued(self, position: Position, report: Report) -> None:
        moves = moves_to(position)
        self.index[moves] = report
        self._tell(moves)
