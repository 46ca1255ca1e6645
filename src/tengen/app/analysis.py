"""Engine analysis of stored games: each position is searched once, and its report is stored with the game."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from tengen.app.review import critical_positions, deep_config, quick_config, suffices
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.players.config import EngineConfig
from tengen.runtime.callbacks import OnProgress
from tengen.runtime.host import EngineHost
from tengen.search.report import Report
from tengen.store.reports import engine_key
from tengen.store.store import Store


class Analyst:
    """Searches in the background and stores the reports."""

    def __init__(self, store: Store | None, host: EngineHost, lines: int = 1) -> None:
        """Without a store, reports are not stored: for games that are not stored either.

        `lines` is the number of moves that searches report with their values and variations.
        """
        self._store = store
        self._host = host
        self._lines = lines

    def known(self, game_id: str, position: Position, config: EngineConfig) -> Report | None:
        """The stored report on a position by this engine, if its search was at least as long as the level asks."""
        moves = position.write_moves(position.moves)
        for stored in () if self._store is None else self._store.reports(game_id, moves):
            if stored.engine == engine_key(config) and suffices(stored.report, config.limits):
                return stored.report
        return None

    def analyse(
        self, game_id: str, position: Position, config: EngineConfig, on_progress: OnProgress | None = None
    ) -> Future[Report]:
        """The report on a position: at once if it is stored, else after a background search.

        Cancelling the future stops the search.
        """
        known = self.known(game_id, position, config)
        if known is not None:
            ready: Future[Report] = Future()
            ready.set_result(known)
            return ready
        return self._search(game_id, position, config, on_progress)

    def review(
        self,
        game_id: str,
        line: Sequence[Position],
        config: EngineConfig,
        on_report: Callable[[Position, Report], None],
    ) -> Review:
        """Analyse every position of a line, last position first."""
        return self.review_in_passes(game_id, [ReviewPass(config, lambda: list(line))], on_report)

    def review_in_passes(
        self,
        game_id: str,
        passes: Sequence[ReviewPass],
        on_report: Callable[[Position, Report], None],
        on_pass: Callable[[], None] = lambda: None,
    ) -> Review:
        """Analyse positions in several passes. `on_pass` is called, in any thread, at the end of each."""
        return Review(self, game_id, passes, on_report, on_pass)

    def _search(
        self, game_id: str, position: Position, config: EngineConfig, on_progress: OnProgress | None
    ) -> Future[Report]:
        """Search a position. The future completes after the report is stored, so the store may then be closed."""
        handle = self._host.search(
            config.for_analysis(),
            position,
            replace(config.search_limits(), lines=self._lines),
            game_id=f"{game_id} analysis",
            background=True,
            on_progress=on_progress,
        )

        result: Future[Report] = Future()

        def on_done(future: Future[Report]) -> None:
            if future.cancelled():
                result.cancel()
            if not result.set_running_or_notify_cancel():
                return
            try:
                report = future.result()
                if self._store is not None:
                    self._store.save_report(game_id, position.write_moves(position.moves), config, report)
                result.set_result(report)
            except Exception as error:
                result.set_exception(error)

        def on_cancel(future: Future[Report]) -> None:
            if future.cancelled():
                handle.cancel()

        result.add_done_callback(on_cancel)
        handle.future.add_done_callback(on_done)
        return result


class ReviewPass(NamedTuple):
    """A part of a review: its engine, and the positions to search, asked for when the pass begins."""

    config: EngineConfig
    positions: Callable[[], list[Position]]


def review_passes(
    line: Sequence[Position],
    config: EngineConfig,
    reports: Callable[[], Mapping[int, Report]],
    *,
    deep: bool = True,
) -> list[ReviewPass]:
    """A quick pass over all positions, and a long look at those around the largest changes.

    The long look may show other changes, so there is a second one at these. `reports` gives the best reports so
    far.
    """
    longer = deep_config(config)
    critical = ReviewPass(longer, lambda: critical_positions(line, reports(), longer.limits))
    quick = ReviewPass(quick_config(config, len(line)), lambda: list(line))
    return [quick, critical, critical] if deep else [quick]


class Review:
    """An analysis of a game, one position after another. Call `stop` when it is no longer needed.

    `total` is the number of positions of the current pass, `pass_number` counts from 1.
    """

    def __init__(
        self,
        analyst: Analyst,
        game_id: str,
        passes: Sequence[ReviewPass],
        on_report: Callable[[Position, Report], None],
        on_pass: Callable[[], None],
    ) -> None:
        self._analyst = analyst
        self._game_id = game_id
        self._passes = list(passes)
        self._waiting: list[Position] = []
        self._on_report = on_report
        self._on_pass = on_pass
        self._lock = threading.Lock()
        self._current: Future[Report] | None = None
        self._stopped = False
        self.error: TengenError | None = None
        self.total = 0
        self.pass_number = 0
        self.finished = threading.Event()
        self._begin_pass()
        self._next()

    @property
    def done(self) -> int:
        """Number of positions of the current pass with a report."""
        return max(0, self.total - len(self._waiting) - (0 if self.finished.is_set() else 1))

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            current = self._current
        if current is not None:
            current.cancel()
        self.finished.set()

    def _begin_pass(self) -> bool:
        """Begin the next pass that has positions to search; returns whether there is one."""
        while self._passes:
            config, positions = self._passes.pop(0)
            found = [position for position in positions() if not position.is_over]
            if found:
                self._config, self._waiting, self.total = config, found, len(found)
                self.pass_number += 1
                return True
        return False

    def _next(self) -> None:
        """Continue up to the next position that needs a search; stored reports are passed on in a loop."""
        while True:
            if not self._stopped and not self._waiting and self._begin_pass():
                self._on_pass()
            with self._lock:
                if self._stopped or not self._waiting:
                    break
                position = self._waiting.pop()
            try:
                future = self._analyst.analyse(self._game_id, position, self._config)
            except TengenError as error:  # the game may have been deleted
                self._fail(error)
                return
            self._current = future
            if not future.done():
                future.add_done_callback(partial(self._reported, position))
                return
            if not self._take(position, future):
                return
        self.finished.set()
        self._on_pass()

    def _reported(self, position: Position, future: Future[Report]) -> None:
        if self._take(position, future):
            self._next()

    def _take(self, position: Position, future: Future[Report]) -> bool:
        """Pass on a report; returns whether to continue."""
        if future.cancelled() or self._stopped:
            self.finished.set()
            return False
        error = future.exception()
        if error is not None:
            self._fail(error)
            return False
        self._on_report(position, future.result())
        return True

    def _fail(self, error: BaseException) -> None:
        self.error = (
            error
            if isinstance(error, TengenError)
            else TengenError(mark("the analysis failed: {error!r}").format(error=error))
        )
        self.finished.set()
        self._on_pass()
