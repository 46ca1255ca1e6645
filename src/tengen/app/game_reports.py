"""Engine reports on the positions of one game: stored with it, and completed by a review of every position."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from tengen.app.analysis import Analyst, Review, review_passes
from tengen.core.errors import TengenError
from tengen.core.position import Position, line_keys
from tengen.play.match import Match
from tengen.players.config import EngineConfig
from tengen.runtime.host import EngineHost
from tengen.search.report import Kind, Report
from tengen.store.reports import StoredReport, report_quality
from tengen.store.store import Store

Moves = tuple[str, ...]


def moves_leading_to(position: Position) -> Moves:
    """The moves that lead to a position, the key of its stored reports."""
    return tuple(map(sys.intern, position.write_moves(position.moves)))


class ReportIndex(dict[Moves, Report]):
    """The best known report of each position, by the moves that lead to it.

    `find` and `for_line` use the positions' line keys: comparing all moves of each position of a long game would
    take quadratic time.
    """

    def __init__(self, known: Mapping[Moves, Report] | None = None) -> None:
        super().__init__()
        self._by_line: dict[bytes, Report] = {}
        for moves, report in (known or {}).items():
            self[moves] = report

    @classmethod
    def from_stored(cls, reports: Iterable[StoredReport]) -> ReportIndex:
        """The best of the reports on each position, given the best first, as the store does."""
        return cls({tuple(map(sys.intern, one.moves)): one.report for one in reversed(list(reports))})

    def __setitem__(self, moves: Moves, report: Report) -> None:
        super().__setitem__(moves, report)
        *_, key = line_keys(moves)
        self._by_line[key] = report

    def find(self, position: Position) -> Report | None:
        return self._by_line.get(position.line_key) if self._by_line else None

    def for_line(self, line: Sequence[Position]) -> dict[int, Report]:
        """The reports on positions of a line, by ply."""
        if not self._by_line:
            return {}
        return {one.ply: report for one in line if (report := self._by_line.get(one.line_key)) is not None}


class GameReports:
    """The reports of one match. `on_change` is called, in any thread, with the moves of a position that has a new
    report, and without moves when a review starts or ends.
    """

    def __init__(self, match: Match, store: Store, host: EngineHost, on_change: Callable[[Moves], None]) -> None:
        self.index = ReportIndex.from_stored(store.reports(match.id))
        self.review: Review | None = None
        self.reviewer = ""  # id of the visitor who started it
        self._replaces_others = False  # the review is by an external engine, which was chosen for it
        self.on_reviewed: Callable[[], None] = lambda: None  # called, in any thread, when a review is complete
        self._match = match
        self._store = store
        self._on_change = on_change
        self._analyst = Analyst(store, host)
        self._starting = threading.Lock()

    def find(self, position: Position) -> Report | None:
        return self.index.find(position)

    def add_in_background(self, position: Position, config: EngineConfig, report: Report) -> None:
        """Add and store a report in another thread. The game may have been deleted meanwhile."""
        moves = moves_leading_to(position)

        def add() -> None:
            with suppress(TengenError):
                self.add(moves, config, report)

        asyncio.get_running_loop().run_in_executor(None, add)

    def add(self, moves: Moves, config: EngineConfig, report: Report) -> None:
        """Add and store a report. Waits for the disk."""
        self.index[moves] = report
        self._store.save_report(self._match.id, moves, config, report)
        self._on_change(moves)

    @property
    def is_reviewing(self) -> bool:
        return self.review is not None and not self.review.finished.is_set()

    def start_review(self, config: EngineConfig, reviewer: str = "") -> Review:
        """Start a review, unless one is running: all positions quickly, then the critical ones for longer."""
        with self._starting:  # the pages of both players start one at the end of their game
            if self.is_reviewing:
                assert self.review is not None
                return self.review
            self.reviewer = reviewer
            self._replaces_others = config.program is not None
            line = list(self._match.live.line())
            passes = review_passes(line, config, lambda: self.index.for_line(line))
            self.review = self._analyst.review_in_passes(self._match.id, passes, self._on_report, self._on_pass)
            self._on_change(())
        return self.review

    def stop_review(self) -> None:
        if self.review is not None:
            self.review.stop()
        self._on_change(())

    def is_reviewed(self) -> bool:
        """Whether every position of the game has a report."""
        line = [position for position in self._match.live.line() if not position.is_over]
        return len(self.index.for_line(line)) == len(line)

    def _on_pass(self) -> None:
        self._on_change(())
        review = self.review
        if review is not None and review.finished.is_set() and review.error is None:
            self.on_reviewed()

    def _on_report(self, position: Position, report: Report) -> None:
        moves, before = moves_leading_to(position), self.index.find(position)
        if (
            before is None
            or report_quality(before) <= report_quality(report)  # else another engine saw more
            or (self._replaces_others and before.engine != report.engine and before.value.kind is not Kind.EXACT)
        ):
            self.index[moves] = report
        self._on_change(moves)
