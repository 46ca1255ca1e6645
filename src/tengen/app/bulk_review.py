"""Reviewing many stored games in the background, one after another or several at once, also on a cluster.

Every report is stored when it is made and stored reports are not made again, so a review that was interrupted goes
on where it stopped when the same games are reviewed again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tengen.app.analysis import Analyst, Review, review_passes
from tengen.app.game_reports import ReportIndex
from tengen.app.review import critical_positions, deep_config
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.engines import registry
from tengen.players.config import EngineConfig
from tengen.players.configure import configured
from tengen.runtime.host import EngineHost
from tengen.search.report import Report
from tengen.store.listing import Filter
from tengen.store.reports import report_quality
from tengen.store.store import Store

MIN_MOVES = 2  # shorter games are not reviewed
WAIT_S = 0.2


def default_config(position: Position) -> EngineConfig:
    """The engine that reviews a game."""
    return configured(EngineConfig(registry.default_engine(position.game), book=False))


class GameReview:
    """The review of one game. `reports` has the best report of each position so far, by ply."""

    def __init__(
        self,
        host: EngineHost,
        line: Sequence[Position],
        game_id: str = "game",
        store: Store | None = None,
        config: EngineConfig | None = None,
        *,
        deep: bool = True,
    ) -> None:
        self.line = list(line)
        self._index = ReportIndex() if store is None else ReportIndex.from_stored(store.reports(game_id))
        passes = review_passes(self.line, config or default_config(self.line[0]), lambda: self.reports, deep=deep)
        self._review: Review = Analyst(store, host).review_in_passes(game_id, passes, self._on_report)

    @property
    def reports(self) -> dict[int, Report]:
        return self._index.for_line(self.line)

    @property
    def progress(self) -> tuple[int, int, int]:
        """Number of the pass, and its positions done and in total."""
        return self._review.pass_number, self._review.done, self._review.total

    def wait(self, timeout: float) -> bool:
        """Wait for the end; returns whether it has ended. Raises the error of a search."""
        ended = self._review.finished.wait(timeout)
        if ended and self._review.error is not None:
            raise self._review.error
        return ended

    def stop(self) -> None:
        self._review.stop()

    def _on_report(self, position: Position, report: Report) -> None:
        known = self._index.find(position)
        if known is None or report_quality(known) <= report_quality(report):
            self._index[tuple(position.write_moves(position.moves))] = report


def is_reviewed(store: Store, game_id: str, line: Sequence[Position]) -> bool:
    """Whether every position of a game has a stored report, and the critical ones one of a longer search."""
    reports = ReportIndex.from_stored(store.reports(game_id)).for_line(line)
    if any(position.ply not in reports for position in line if not position.is_over):
        return False
    return not critical_positions(line, reports, deep_config(default_config(line[0])).limits)


@dataclass
class BulkProgress:
    """Games done of all, how many of these were reviewed before or failed, and the current game."""

    done: int = 0
    total: int = 0
    known: int = 0
    failed: int = 0
    current: str = ""


class BulkReview:
    """Reviews the games of a filter. `run` blocks; call it in a thread and `stop` from another.

    `on_reviewed` is called after each game with its id, its line and the reports by ply. `at_once` games are under
    review, each of which keeps one engine of the host busy. Calls come one at a time.
    """

    def __init__(
        self,
        store: Store,
        host: EngineHost,
        games: Filter,
        *,
        at_once: int = 1,
        on_reviewed: Callable[[str, list[Position], dict[int, Report]], None] = lambda *_args: None,
        on_progress: Callable[[BulkProgress], None] = lambda progress: None,
    ) -> None:
        self._store = store
        self._host = host
        self._filter = games
        self._on_reviewed = on_reviewed
        self._on_progress = on_progress
        self._at_once = max(1, at_once)
        self._stopping = threading.Event()
        self._lock = threading.Lock()  # around changes of the progress, and calls
        self.progress = BulkProgress()

    def run(self) -> BulkProgress:
        """Review all games that are not reviewed yet; returns the progress, also if it was stopped."""
        # Not games in progress: values would help their players.
        games = [one.id for one in self._store.all_games(self._filter) if one.finished or one.imported]
        self.progress.total = len(games)
        with ThreadPoolExecutor(self._at_once, thread_name_prefix="review") as pool:
            for _done in pool.map(self._review_if_running, games):
                pass
        return self.progress

    def stop(self) -> None:
        self._stopping.set()

    def _review_if_running(self, game_id: str) -> None:
        if self._stopping.is_set():
            return
        known = failed = False
        try:
            known = not self._review(game_id)
        except TengenError:
            failed = True  # deleted meanwhile, or an engine failed: the others go on
        with self._lock:
            self.progress.known += known and not self._stopping.is_set()
            self.progress.failed += failed
            self.progress.done += not self._stopping.is_set()
            self._on_progress(self.progress)

    def _review(self, game_id: str) -> bool:
        """Review a game; returns False if there is nothing to do."""
        record = self._store.load(game_id).record
        line = record.positions()
        self.progress.current = f"{record.names[0] or '?'} – {record.names[1] or '?'}"
        if len(line) <= MIN_MOVES or is_reviewed(self._store, game_id, line):
            return False
        review = GameReview(self._host, line, game_id, self._store)
        while not review.wait(WAIT_S):
            if self._stopping.is_set():
                review.stop()
                return True
            with self._lock:
                self._on_progress(self.progress)
        with self._lock:
            self._on_reviewed(game_id, line, review.reports)
        return True
