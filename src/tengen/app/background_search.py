"""A background search for the position that a user looks at; a new position replaces the previous search.

Background searches yield to games in progress. Everything here runs in the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future

from tengen.app.event_loop import call_in_loop
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.players.config import EngineConfig
from tengen.runtime.host import EngineHost, SearchHandle
from tengen.runtime.messages import Progress, Stage
from tengen.search.limits import Limits
from tengen.search.report import Report

DEBOUNCE_S = 0.15  # a position is searched only if it stays selected this long

OnDone = Callable[[Position, EngineConfig, Report | None], None]


class BackgroundSearcher:
    """`on_change` is called after every change; `on_done` when a search ends, without a report if it failed.

    `report` is the latest report on `position`; without one, `note` describes the state of the search.
    """

    def __init__(self, host: EngineHost, name: str, on_change: Callable[[], None], on_done: OnDone) -> None:
        self.position: Position | None = None
        self.report: Report | None = None
        self.note = ""
        self.is_searching = False
        self._host = host
        self._name = name
        self._on_change = on_change
        self._on_done = on_done
        self._loop = asyncio.get_running_loop()
        self._handle: SearchHandle | None = None
        self._timer: asyncio.TimerHandle | None = None

    def search(self, position: Position, config: EngineConfig, limits: Limits) -> None:
        """Replace the current search, after a short delay."""
        self.stop()
        self.position = position
        self._timer = self._loop.call_later(DEBOUNCE_S, self._begin, position, config, limits)

    def stop(self) -> None:
        """Cancel the search and clear its result."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        self.position = self.report = None
        self.note = ""
        self.is_searching = False

    def _begin(self, position: Position, config: EngineConfig, limits: Limits) -> None:
        self._timer = None

        def progress(update: Progress) -> None:
            call_in_loop(self._loop, self._on_progress, position, update)

        def end(future: Future[Report]) -> None:
            call_in_loop(self._loop, self._end, position, config, future)

        try:
            self._handle = self._host.search(
                config.for_analysis(), position, limits, game_id=self._name, background=True, on_progress=progress
            )
        except TengenError as error:
            self._fail(position, config, error)
            return
        self.is_searching = True
        self._handle.future.add_done_callback(end)
        self._on_change()

    def _on_progress(self, position: Position, update: Progress) -> None:
        if position is not self.position or self._handle is None:
            return
        if update.report is not None:
            self.report, self.note = update.report, ""
        elif update.stage is Stage.COMPILING:
            self.note = update.note
        self._on_change()

    def _end(self, position: Position, config: EngineConfig, future: Future[Report]) -> None:
        if position is not self.position or self._handle is None or self._handle.future is not future:
            return
        self._handle = None
        self.is_searching = False
        if future.cancelled():
            return
        error = future.exception()
        if error is not None:
            self._fail(position, config, error)
            return
        self.report = future.result()
        self._on_change()
        self._on_done(position, config, self.report)

    def _fail(self, position: Position, config: EngineConfig, error: BaseException) -> None:
        self.note = str(error)
        self._on_change()
        self._on_done(position, config, None)
