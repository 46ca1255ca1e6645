"""The host of a line protocol: lines are read while the engine thinks, and answered one after the other.

One thread reads; the caller's works. A line that has arrived waits for its turn, but it may end what runs now: a
command that thinks says which lines end it (`Inbox.watching`), those that arrived before it began included. So
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

LONGEST = 1 << 20  # bytes of a line: GUIs send whole games in one; the rest of a longer one is thrown away
MOST_WAITING = 10_000  # lines: beyond that the reader waits, and the other program with it

Line = str | None  # None is the end of the input
Ends = Callable[[Line], bool]


def any_input(line: Line) -> bool:
    """Ends an analysis: whatever comes, the end of the input too."""
    return True


class Watch:
    """What runs now, and the flag that ends it."""

    def __init__(self, ends: Ends, changed: threading.Condition) -> None:
        self.ends = ends
        self.stop = StopFlag()
        self._changed = changed

    def end(self) -> None:
        """As if a line had ended it."""
        with self._changed:
            self.stop.set()
            self._changed.notify_all()

    def wait(self) -> None:
        """Until something ends it: for what has nothing left to do and is to go on until it is told."""
        with self._changed:
            self._changed.wait_for(lambda: self.stop.is_set)


class Inbox:
    """The lines that wait for their turn."""

    def __init__(self) -> None:
        self._lines: deque[Line] = deque()
        self._changed = threading.Condition()
        self._watch: Watch | None = None

    def put(self, line: Line) -> None:
        """A line has arrived."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._lines) < MOST_WAITING)
            self._lines.append(line)
            if self._watch is not None and self._watch.ends(line):
                self._watch.stop.set()
            self._changed.notify_all()

    def take(self) -> Line:
        """The next line, when there is one."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._lines))
            line = self._lines.popleft()
            self._changed.notify_all()
            return line

    @contextmanager
    def watching(self, ends: Ends) -> Iterator[Watch]:
        """While this runs, a line for which `ends` is true sets the flag of the watch."""
        watch = Watch(ends, self._changed)
        with self._changed:
            self._watch = watch
            if any(ends(line) for line in self._lines):
                watch.stop.set()
        try:
            yield watch
        finally:
            with self._changed:
                self._watch = None


class Protocol(ABC):
    """A language of lines: what each means is for the subclass to say."""

    def __init__(self, inbox: Inbox, write: Callable[[str], None]) -> None:
        """`write` sends one line, at once."""
        self.inbox = inbox
        self.write = write

    def begin(self) -> None:  # noqa: B027 -- most have nothing to do
        """Before the first line is handled; lines are read meanwhile."""

    @abstractmethod
    def handle(self, line: str) -> bool:
        """Answer one line, without its end. False when that was the last."""

    @abstractmethod
    def complain(self, error: Exception) -> None:
        """Answer a line whose handling failed by a fault of ours: in the form that the protocol has for errors."""

    def end(self) -> None:  # noqa: B027 -- most have nothing to do
        """After the last line."""


def converse(
    protocol: Callable[[Inbox, Callable[[str], None]], Protocol], source: BinaryIO, sink: BinaryIO
) -> None:
    """Speak a protocol until it ends, the input ends, or nobody listens any more."""
    inbox = Inbox()

    def write(text: str) -> None:
        sink.write(text.encode("utf-8", errors="replace") + b"\n")
        sink.flush()

    reader = threading.Thread(target=_read, args=(source.fileno(), inbox), name="protocol reader", daemon=True)
    try:
        speaker = protocol(inbox, write)
        reader.start()
        speaker.begin()
        try:
            while (line := inbox.take()) is not None:
                try:
                    if not speaker.handle(line):
                        break
                except OSError:
                    raise
                except Exception as error:
                    traceback.print_exc()
                    speaker.complain(error)
        finally:
            speaker.end()
    except BrokenPipeError:
        pass  # the other program has gone, which ends the conversation as well as any word


def _read(source: int, inbox: Inbox) -> None:
    """Read lines until the input ends. By `os.read`: a buffered file would stay locked when the program ends."""
    pieces = LineSplitter()
    while True:
        try:
            data = os.read(source, 1 << 16)
        except OSError:
            data = b""
        for line in pieces.feed(data):
            inbox.put(line)
        if not data:
            inbox.put(None)
            return


class LineSplitter:
    """Lines from bytes that come in pieces. What is longer than LONGEST is cut off there."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._long = False  # in a line whose beginning was long enough already

    def feed(self, data: bytes) -> list[str]:
        """The lines that these bytes complete; no bytes mean the end, which completes the last one."""
        if not data:
            return [self._whole()] if self._rest else []
        *whole, rest = data.split(b"\n")
        lines = []
        for piece in whole:
            self._add(piece)
            lines.append(self._whole())
        self._add(rest)
        return lines

    def _whole(self) -> str:
        line = self._rest.decode("utf-8", errors="replace")
        self._rest.clear()
        self._long = False
        return line

    def _add(self, piece: bytes) -> None:
        if not self._long:
            self._rest += piece[: LONGEST - len(self._rest)]
            self._long = len(self._rest) >= LONGEST


def announce_compilation() -> None:
    """Explain a first start that takes long, where a person may see it."""
    print("tengen: compiling for this machine (first time only); this takes a minute", file=sys.stderr, flush=True)
