"""Streaming analysis: a search in its own thread that any input ends at once.

The answering thread does not wait for the engine's final report, which may take long to build: it ends the stream
and continues. Use `join` before using the engine or its report again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from tengen.core.position import Position
from tengen.protocols.line_protocol import InputQueue, SearchInterrupt, any_input
from tengen.runtime.engine_runner import EngineRunner
from tengen.search.limits import Limits
from tengen.search.report import Report

FormatReport = Callable[[Report], str | None]  # text to write, if any


class AnalysisStream:
    """One stream of analysis. Nothing is written after `run` has returned."""

    def __init__(
        self, runner: EngineRunner, position: Position, limits: Limits, format_report: FormatReport
    ) -> None:
        self.position = position
        self.report: Report | None = None
        self._engine = runner.engine_for(position.game)
        self._limits = limits
        self._format = format_report
        self._thread: threading.Thread | None = None
        self._write_lock = threading.Lock()
        self._is_closed = False
        self._has_written = threading.Event()  # also set when there is nothing to write
        self._error: BaseException | None = None

    def run(self, input_queue: InputQueue, write: Callable[[str], None]) -> None:
        """Write reports until any input arrives, but at least one."""
        with input_queue.interrupted_by(any_input) as interrupt:
            self._thread = threading.Thread(
                target=self._search, args=(interrupt, write), name="analysis", daemon=True
            )
            self._thread.start()
            try:
                interrupt.wait()
                self._has_written.wait()
            finally:
                interrupt.set()
                with self._write_lock:
                    self._is_closed = True
        if self._error is not None:
            raise self._error

    def join(self) -> None:
        """Wait until the search has ended."""
        if self._thread is not None:
            self._thread.join()

    def _search(self, interrupt: SearchInterrupt, write: Callable[[str], None]) -> None:
        def progress(report: Report) -> None:
            if self._has_written.is_set() and interrupt.stop.is_set:
                return
            text = self._format(report)
            with self._write_lock:
                if text is not None and not self._is_closed:
                    write(text)
                    self._has_written.set()

        try:
            self.report = self._engine.search(
                self.position, self._limits, stop=interrupt.stop, on_progress=progress
            )
            progress(self.report)
        except BaseException as error:  # re-raised by `run`
            self._error = error
            interrupt.set()
        finally:
            self._has_written.set()
