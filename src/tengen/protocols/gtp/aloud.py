"""Thinking aloud: a search in a thread of its own, which any input ends at once.

The thread that answers does not wait for the engine's last report, which may take longer to put together than
anybody should wait: it ends the stream and goes on. Whoever needs the engine or its report next waits for it by
`settle`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from tengen.core.position import Position
from tengen.protocols.lines import Inbox, Watch, any_input
from tengen.runtime.engine_runner import EngineRunner
from tengen.search.limits import Limits
from tengen.search.report import Report

Show = Callable[[Report], str | None]  # the text to write, if any


class Aloud:
    """One stream of analysis. Its invariant: nothing is written after `run` has returned."""

    def __init__(self, runner: EngineRunner, position: Position, limits: Limits, show: Show) -> None:
        self.position = position
        self.report: Report | None = None
        self._engine = runner.engine_for(position.game)
        self._limits = limits
        self._show = show
        self._thread: threading.Thread | None = None
        self._writing = threading.Lock()
        self._closed = False
        self._begun = threading.Event()  # something was written, or there is nothing to write
        self._error: BaseException | None = None

    def run(self, inbox: Inbox, write: Callable[[str], None]) -> None:
        """Write reports until any input comes; at least one, however soon that is."""
        with inbox.watching(any_input) as watch:
            self._thread = threading.Thread(target=self._search, args=(watch, write), name="analysis", daemon=True)
            self._thread.start()
            try:
                watch.wait()
                self._begun.wait()
            finally:
                watch.end()
                with self._writing:
                    self._closed = True
        if self._error is not None:
            raise self._error

    def settle(self) -> None:
        """Wait until the engine has come to rest."""
        if self._thread is not None:
            self._thread.join()

    def _search(self, watch: Watch, write: Callable[[str], None]) -> None:
        def progress(report: Report) -> None:
            if self._begun.is_set() and watch.stop.is_set:
                return
            text = self._show(report)
            with self._writing:
                if text is not None and not self._closed:
                    write(text)
                    self._begun.set()

        try:
            self.report = self._engine.search(self.position, self._limits, stop=watch.stop, on_progress=progress)
            progress(self.report)
        except BaseException as error:  # it is raised again where it can be answered
            self._error = error
            watch.end()
        finally:
            self._begun.set()
