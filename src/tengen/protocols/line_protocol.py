"""Reading and answering the lines of a protocol while the engine searches.

One thread reads lines into a queue; the caller's thread answers them in order. A queued line may also stop the
running search: a searching command declares which lines interrupt it (`InputQueue.interrupted_by`). Lines that
were queued before the search started count as well, so the result does not depend on timing.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from tengen.runtime.preparing import preparing_listener
from tengen.search.limits import StopFlag

MAX_LINE_BYTES = 1 << 20  # GUIs send whole games in one line; the rest of a longer line is discarded
MAX_QUEUED_LINES = 10_000  # then reading pauses, and the other program has to wait

Line = str | None  # None marks the end of the input
InterruptTest = Callable[[Line], bool]


def any_input(line: Line) -> bool:
    """Interrupt test that is true for any line and for the end of the input."""
    return True


class SearchInterrupt:
    """Stop flag of a running search, set by input lines for which `test` is true."""

    def __init__(self, test: InterruptTest, changed: threading.Condition) -> None:
        self.test = test
        self.stop = StopFlag()
        self._changed = changed

    def set(self) -> None:
        """Stop the search, like an interrupting line."""
        with self._changed:
            self.stop.set()
            self._changed.notify_all()

    def wait(self) -> None:
        """Wait until the search is interrupted, for a search that has nothing left to do."""
        with self._changed:
            self._changed.wait_for(lambda: self.stop.is_set)


class InputQueue:
    """Queue of input lines that can interrupt the running search."""

    def __init__(self) -> None:
        self._lines: deque[Line] = deque()
        self._changed = threading.Condition()
        self._interrupt: SearchInterrupt | None = None

    def put(self, line: Line) -> None:
        """Add a line that was read, waiting while the queue is full."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._lines) < MAX_QUEUED_LINES)
            self._lines.append(line)
            if self._interrupt is not None and self._interrupt.test(line):
                self._interrupt.stop.set()
            self._changed.notify_all()

    def take(self) -> Line:
        """Remove and return the next line, waiting for one."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._lines))
            line = self._lines.popleft()
            self._changed.notify_all()
            return line

    @contextmanager
    def interrupted_by(self, test: InterruptTest) -> Iterator[SearchInterrupt]:
        """Within this context, a line for which `test` is true sets the stop flag of the returned interrupt."""
        interrupt = SearchInterrupt(test, self._changed)
        with self._changed:
            self._interrupt = interrupt
            if any(test(line) for line in self._lines):
                interrupt.stop.set()
        try:
            yield interrupt
        finally:
            with self._changed:
                self._interrupt = None


class LineProtocol(ABC):
    """Base class of protocols that consist of text lines."""

    def __init__(self, input_queue: InputQueue, write: Callable[[str], None]) -> None:
        """`write` sends one line immediately."""
        self.input_queue = input_queue
        self.write = write

    @abstractmethod
    def handle(self, line: str) -> bool:
        """Answer one line, given without line end. Returns False after the last one."""

    @abstractmethod
    def report_error(self, error: Exception) -> None:
        """Report an unexpected exception in the form that the protocol has for errors."""

    def end(self) -> None:  # noqa: B027 -- optional hook
        """Called after the last line."""


def run_protocol(
    protocol: Callable[[InputQueue, Callable[[str], None]], LineProtocol], source: BinaryIO, sink: BinaryIO
) -> None:
    """Run a protocol until it ends, the input ends, or the other program has gone."""
    input_queue = InputQueue()

    def write(text: str) -> None:
        sink.write(text.encode("utf-8", errors="replace") + b"\n")
        sink.flush()

    reader = threading.Thread(
        target=_read, args=(source.fileno(), input_queue), name="protocol reader", daemon=True
    )
    # A broken pipe means that the other program has gone, which ends the session as well.
    with suppress(BrokenPipeError), preparing_listener(_announce):
        handler = protocol(input_queue, write)
        reader.start()
        try:
            while (line := input_queue.take()) is not None:
                try:
                    if not handler.handle(line):
                        break
                except OSError:
                    raise
                except Exception as error:
                    traceback.print_exc()
                    handler.report_error(error)
        finally:
            handler.end()


def _read(source: int, input_queue: InputQueue) -> None:
    """Read lines until the input ends. Uses `os.read`, because a buffered file stays locked at exit."""
    pieces = LineSplitter()
    while True:
        try:
            data = os.read(source, 1 << 16)
        except OSError:
            data = b""
        for line in pieces.feed(data):
            input_queue.put(line)
        if not data:
            input_queue.put(None)
            return


class LineSplitter:
    """Splits a byte stream into lines, truncated to MAX_LINE_BYTES."""

    def __init__(self) -> None:
        self._partial = bytearray()
        self._is_truncated = False  # the current line has reached the limit

    def feed(self, data: bytes) -> list[str]:
        """The lines completed by `data`; empty `data` marks the end and completes the last line."""
        if not data:
            return [self._finish_line()] if self._partial else []
        *whole, rest = data.split(b"\n")
        lines = []
        for piece in whole:
            self._add(piece)
            lines.append(self._finish_line())
        self._add(rest)
        return lines

    def _finish_line(self) -> str:
        line = self._partial.decode("utf-8", errors="replace")
        self._partial.clear()
        self._is_truncated = False
        return line

    def _add(self, piece: bytes) -> None:
        if not self._is_truncated:
            self._partial += piece[: MAX_LINE_BYTES - len(self._partial)]
            self._is_truncated = len(self._partial) >= MAX_LINE_BYTES


def printable(text: str, max_length: int | None = None) -> str:
    """`text` without control characters, cut to `max_length`."""
    return "".join(symbol for symbol in text if symbol.isprintable())[:max_length]


def _announce(text: str) -> None:
    """Explain a slow first move on standard error, where a person may see it."""
    print(f"tengen: {text}", file=sys.stderr, flush=True)
