"""One search after the other in the background, for who looks at positions: a new one takes the place of the last.

Background work makes room for games that are being played. Everything here happens in the server's thread.
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

PAUSE = 0.15  # seconds that somebody stays at a move before it is searched

Done = Callable[[Position, EngineConfig, Report | None], None]


class BackgroundSearcher:
    """`tell` is called whenever there is something new; `done` when a search ends: without a report, it failed.

    `report` is the newest of the search for `position`; `note` says what it is at while there is none.
    """

    def __init__(self, host: EngineHost, name: str, tell: Callable[[], None], done: Done) -> None:
        self.position: Position | None = None
        self.report: Report | None = None
        self.note = ""
        self.is_searching = False
        self._host = host
        self._name = name
        self._tell = tell
        self._done = done
        self._loop = asyncio.get_running_loop()
        self._handle: SearchHandle | None = None
        self._later: asyncio.TimerHandle | None = None

    def search(self, position: Position, config: EngineConfig, limits: Limits) -> None:
        """Search this, if nothing else is wanted in the next moment."""
        self.stop()
        self.position = position
        self._later = self._loop.call_later(PAUSE, self._begin, position, config, limits)

    def stop(self) -> None:
        """Give up what is searched, and forget it."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        self.position = self.report = None
        self.note = ""
        self.is_searching = False

    def _begin(self, position: Position, config: EngineConfig, limits: Limits) -> None:
        self._later = None

        def progress(news: Progress) -> None:
            call_in_loop(self._loop, self._hear, position, news)

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
        self._tell()

    def _hear(self, position: Position, news: Progress) -> None:
        if position is not self.position or self._handle is None:
            return
        if news.report is not None:
            self.report, self.note = news.report, ""
        elif news.stage is Stage.COMPILING:
            self.note = f"Compiling for this machine, once: {news.note} …"
        self._tell()

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
        self._tell()
        self._done(position, config, self.report)

    def _fail(self, position: Position, config: EngineConfig, error: BaseException) -> None:
        self.note = str(error)
        self._tell()
        self._done(position, config, None)
