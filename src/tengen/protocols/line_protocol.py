"""The host of a line protocol: lines are read while the engine thinks, and answered one after the other.

One thread reads; the caller's works. A line that has arrived waits for its turn, but it may end what runs now: a
command that thinks says which lines end it (`InputQueue.interrupted_by`), those that arrived before it began included. So
nothing depends on whether a line came a moment before or after a search started.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from tengen.search.limits import StopFlag

MAX_LINE_BYTES = 1 << 20  # bytes of a line: GUIs send whole games in one; the rest of a longer one is thrown away
MAX_QUEUED_LINES = 10_000  # lines: beyond that the reader waits, and the other program with it

Line = str | None  # None is the end of the input
InterruptTest = Callable[[Line], bool]


def any_input(line: Line) -> bool:
    """InterruptTest an analysis: whatever comes, the end of the input too."""
    return True


class SearchInterrupt:
    """What runs now, and the flag that test it."""

    def __init__(self, test: InterruptTest, changed: threading.Condition) -> None:
        self.test = test
        self.stop = StopFlag()
        self._changed = changed

    def set(self) -> None:
        """As if a line had ended it."""
        with self._changed:
            self.stop.set()
            self._changed.notify_all()

    def wait(self) -> None:
        """Until something test it: for what has nothing left to do and is to go on until it is told."""
        with self._changed:
            self._changed.wait_for(lambda: self.stop.is_set)


class InputQueue:
    """The lines that wait for their turn."""

    def __init__(self) -> None:
        self._lines: deque[Line] = deque()
        self._changed = threading.Condition()
        self._interrupt: SearchInterrupt | None = None

    def put(self, line: Line) -> None:
        """A line has arrived."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._lines) < MAX_QUEUED_LINES)
            self._lines.append(line)
            if self._interrupt is not None and self._interrupt.test(line):
                self._interrupt.stop.set()
            self._changed.notify_all()

    def take(self) -> Line:
        """The next line, when there is one."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._lines))
            line = self._lines.popleft()
            self._changed.notify_all()
            return line

    @contextmanager
    def interrupted_by(self, test: InterruptTest) -> Iterator[SearchInterrupt]:
        """While this runs, a line for which `test` is true sets the flag of the interrupt."""
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
    """A language of lines: what each means is for the subclass to say."""

    def __init__(self, input_queue: InputQueue, write: Callable[[str], None]) -> None:
        """`write` sends one line, at once."""
        self.input_queue = input_queue
        self.write = write

    def begin(self) -> None:  # noqa: B027 -- most have nothing to do
        """Before the first line is handled; lines are read meanwhile."""

    @abstractmethod
    def handle(self, line: str) -> bool:
        """Answer one line, without its end. False when that was the last."""

    @abstractmethod
    def report_error(self, error: Exception) -> None:
        """Answer a line whose handling failed by a fault of ours: in the form that the protocol has for errors."""

    def end(self) -> None:  # noqa: B027 -- most have nothing to do
        """After the last line."""


def run_protocol(
    protocol: Callable[[InputQueue, Callable[[str], None]], LineProtocol], source: BinaryIO, sink: BinaryIO
) -> None:
    """Speak a protocol until it test, the input test, or nobody listens any more."""
    input_queue = InputQueue()

    def write(text: str) -> None:
        sink.write(text.encode("utf-8", errors="replace") + b"\n")
        sink.flush()

    reader = threading.Thread(
        target=_read, args=(source.fileno(), input_queue), name="protocol reader", daemon=True
    )
    try:
        handler = protocol(input_queue, write)
        reader.start()
        handler.begin()
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
    except BrokenPipeError:
        pass  # the other program has gone, which test the conversation as well as any word


def _read(source: int, input_queue: InputQueue) -> None:
    """Read lines until the input test. By `os.read`: a buffered file would stay locked when the program test."""
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
    """Lines from bytes that come in pieces. What is longer than MAX_LINE_BYTES is cut off there."""

    def __init__(self) -> None:
        self._partial = bytearray()
        self._is_truncated = False  # in a line whose beginning was long enough already

    def feed(self, data: bytes) -> list[str]:
        """The lines that these bytes complete; no bytes mean the end, which completes the last one."""
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


def announce_compilation() -> None:
    """Explain a first start that takes long, where a person may see it."""
    print("tengen: compiling for this machine (first time only); this takes a minute", file=sys.stderr, flush=True)
