"""Talking to our own protocols within a test: line by line, or over pipes as another program would."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tengen.protocols.lines import Inbox, Protocol, converse

Factory = Callable[[Inbox, Callable[[str], None]], Protocol]


class Talk:
    """A protocol whose lines are handled at once. Something always waits behind, which ends every analysis."""

    def __init__(self, factory: Factory) -> None:
        self.inbox = Inbox()
        self.inbox.put("whatever comes next")
        self._written: list[str] = []
        self.protocol = factory(self.inbox, self._written.append)
        self.open = True

    def say(self, line: str) -> str:
        """All that is answered to a line; every line of it ends with a line end."""
        try:
            self.open = self.protocol.handle(line)
        except Exception as error:  # as the host does
            self.protocol.complain(error)
            raise
        answer = "".join(f"{text}\n" for text in self._written)
        self._written.clear()
        return answer


class Pipes:
    """A protocol in a thread of its own, at the other end of two pipes."""

    def __init__(self, factory: Factory) -> None:
        to_read, self._to = os.pipe()
        self._from, from_write = os.pipe()
        self._rest = b""
        source, sink = os.fdopen(to_read, "rb", buffering=0), os.fdopen(from_write, "wb", buffering=0)

        def run() -> None:
            with source, sink:
                converse(factory, source, sink)

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def send(self, text: str | bytes) -> None:
        os.write(self._to, text.encode() if isinstance(text, str) else text)

    def line(self) -> str:
        """The next line that is answered."""
        while b"\n" not in self._rest:
            data = os.read(self._from, 1 << 16)
            if not data:
                raise EOFError
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode()

    def until(self, wanted: Callable[[str], bool]) -> list[str]:
        """The lines up to one that is wanted."""
        lines = [self.line()]
        while not wanted(lines[-1]):
            lines.append(self.line())
        return lines

    def hang_up(self) -> None:
        """Close our end, and wait until the other has gone."""
        os.close(self._to)
        self._thread.join(60)
        assert not self._thread.is_alive()
        os.close(self._from)


def resident_bytes() -> int:
    """What this process has in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def seconds_to_stop(pipes: Pipes, begin: str, shown: Callable[[str], bool], then: str, ended: str) -> float:
    """How long an analysis goes on after a line comes: from that line to the answer to it."""
    pipes.send(begin)
    pipes.until(shown)
    time.sleep(0.05)
    started = time.perf_counter()
    pipes.send(then)
    pipes.until(lambda line: line == ended)
    return time.perf_counter() - started
