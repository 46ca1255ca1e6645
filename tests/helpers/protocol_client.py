"""Clients of our protocol servers: line by line in the same thread, or over pipes like another program."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tengen.protocols.line_protocol import InputQueue, LineProtocol, run_protocol

Factory = Callable[[InputQueue, Callable[[str], None]], LineProtocol]


class Talk:
    """A protocol server that handles each line at once. A queued line always ends the analysis."""

    def __init__(self, factory: Factory) -> None:
        self.input_queue = InputQueue()
        self.input_queue.put("whatever comes next")
        self._written: list[str] = []
        self.protocol = factory(self.input_queue, self._written.append)
        self.open = True

    def say(self, line: str) -> str:
        """The complete answer to a line."""
        try:
            self.open = self.protocol.handle(line)
        except Exception as error:  # as the line host does
            self.protocol.report_error(error)
            raise
        answer = "".join(f"{text}\n" for text in self._written)
        self._written.clear()
        return answer


class Pipes:
    """A protocol server in its own thread, at the other end of two pipes."""

    def __init__(self, factory: Factory) -> None:
        to_read, self._to = os.pipe()
        self._from, from_write = os.pipe()
        self._rest = b""
        source, sink = os.fdopen(to_read, "rb", buffering=0), os.fdopen(from_write, "wb", buffering=0)

        def run() -> None:
            with source, sink:
                run_protocol(factory, source, sink)

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def send(self, text: str | bytes) -> None:
        os.write(self._to, text.encode() if isinstance(text, str) else text)

    def line(self) -> str:
        """The next line of output."""
        while b"\n" not in self._rest:
            data = os.read(self._from, 1 << 16)
            if not data:
                raise EOFError
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode()

    def until(self, wanted: Callable[[str], bool]) -> list[str]:
        """The lines of output up to the first for which `condition` is true."""
        lines = [self.line()]
        while not wanted(lines[-1]):
            lines.append(self.line())
        return lines

    def hang_up(self) -> None:
        """Close our end and wait until the server has ended."""
        os.close(self._to)
        self._thread.join(60)
        assert not self._thread.is_alive()
        os.close(self._from)


def resident_bytes() -> int:
    """The resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def seconds_to_stop(pipes: Pipes, begin: str, shown: Callable[[str], bool], then: str, ended: str) -> float:
    """The time from sending a line that ends an analysis to the answer to that line."""
    pipes.send(begin)
    pipes.until(shown)
    time.sleep(0.05)
    started = time.perf_counter()
    pipes.send(then)
    pipes.until(lambda line: line == ended)
    return time.perf_counter() - started
