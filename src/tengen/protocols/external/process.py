"""Process of an external program: lines to it and from it, with deadlines.

A thread reads its output into a bounded queue. A program that writes too much, or a line without end, counts as a
flood and is killed. The end of its standard error is stored for the error message.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path

from tengen.players.program import ExternalProgram
from tengen.protocols.external.errors import CannotStart
from tengen.protocols.line_protocol import printable
from tengen.search.limits import StopFlag

MAX_UNREAD_LINES = 20_000
MAX_UNREAD_BYTES = 16 << 20  # also of a single line
MAX_REPLY_BYTES = 64 << 20  # since the last line sent, even if it is read
STDERR_TAIL_BYTES = 2000  # stored for error messages
EXIT_TIMEOUT_S = 1.0  # to exit after being asked to
MAX_WAIT_S = 3600.0  # systems refuse longer waits
STOP_POLL_S = 0.02  # how often the stop flag is checked


class ProcessExited(Exception):
    """The program exited or was killed. `kind` is that of an `Incident`."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class ReceiveTimeout(Exception):
    """No line arrived before the deadline."""


class StopRequested(Exception):
    """The stop flag was set while waiting for a line."""


class ExternalProcess:
    """A running program. Not thread-safe."""

    def __init__(self, program: ExternalProgram) -> None:
        self.name = Path(program.command[0]).name
        if os.sep not in program.command[0] and shutil.which(program.command[0]) is None:
            raise CannotStart(f"program {program.command[0]!r} not found: install it or give its full path")
        self._lines: deque[str] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._has_ended = False  # its output
        self._is_flooding = False
        self._reply_bytes = 0  # since the last line was sent
        self._stderr_tail = b""
        self._kill_lock = threading.Lock()
        lifeline, self._lifeline = os.pipe()
        command: list[str] = list(program.command)
        if os.name == "posix":
            supervisor = Path(__file__).with_name("supervisor.py")
            command = [sys.executable, "-I", "-S", str(supervisor), str(lifeline), *command]
        try:
            self._child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=program.folder or None,
                pass_fds=(lifeline,) if os.name == "posix" else (),
                start_new_session=os.name == "posix",  # so that Ctrl-C in the terminal reaches only us
                bufsize=0,
            )
        except OSError as error:
            os.close(self._lifeline)
            raise CannotStart(f"{self.name} cannot be started: {error.strerror}: {error.filename}") from None
        finally:
            os.close(lifeline)
        self._threads = [
            threading.Thread(target=self._read_stdout, name=f"{self.name} output", daemon=True),
            threading.Thread(target=self._read_stderr, name=f"{self.name} errors", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        return self._child.pid

    # ---- lines

    def send(self, line: str) -> None:
        """Send a line. Raises `ProcessExited` if the program has gone."""
        assert self._child.stdin is not None
        self._reply_bytes = 0
        data = memoryview(line.encode() + b"\n")
        try:
            while data:  # unbuffered: a long line may be written in pieces
                data = data[self._child.stdin.write(data) or 0 :]
        except (OSError, ValueError):
            raise self._exit_error() from None

    def receive(self, deadline: float, stop: StopFlag | None = None) -> str:
        """The next line, before `deadline` in monotonic time.

        Raises `ReceiveTimeout`, `ProcessExited` or `StopRequested`.
        """
        with self._changed:
            while True:
                if stop is not None and stop.is_set:
                    raise StopRequested
                left = deadline - time.monotonic()
                if left <= 0:  # checked first: other lines may keep coming
                    raise ReceiveTimeout
                if self._lines:
                    break
                if self._has_ended:
                    raise self._exit_error()
                self._changed.wait(min(left, MAX_WAIT_S if stop is None else STOP_POLL_S))
            line = self._lines.popleft()
            self._bytes -= len(line)
            return line

    def _exit_error(self) -> ProcessExited:
        """An exception that describes how the process ended."""
        if self._is_flooding:
            return ProcessExited("flood", f"{self.name} flooded its output and was killed")
        code = self.close(0.0)
        words = self._stderr_tail.decode("utf-8", errors="replace").strip().splitlines()
        last = printable(words[-1], 200) if words else ""
        how = f"was killed by signal {code - 128}" if code > 128 else f"ended with exit code {code}"
        return ProcessExited("died", f"{self.name} {how}{f': {last}' if last else ''}")

    def _read_stdout(self) -> None:
        assert self._child.stdout is not None
        rest = bytearray()
        source = self._child.stdout.fileno()
        while True:
            try:
                data = os.read(source, 1 << 16)
            except (OSError, ValueError):
                data = b""
            whole = []
            if b"\n" in data or not data:
                *whole, last = (rest + data + b"\n" * (not data)).split(b"\n")
                rest = bytearray(last)
            else:
                rest += data
            with self._changed:
                for line in whole:
                    self._lines.append(line.decode("utf-8", errors="replace").rstrip("\r"))
                    self._bytes += len(line)
                self._reply_bytes += len(data)
                waiting = self._bytes + len(rest)
                if (
                    len(self._lines) > MAX_UNREAD_LINES
                    or waiting > MAX_UNREAD_BYTES
                    or self._reply_bytes > MAX_REPLY_BYTES
                ):
                    self._is_flooding = True
                    self._lines.clear()
                if self._is_flooding or not data:
                    self._has_ended = True
                self._changed.notify_all()
            if self._is_flooding:
                self._kill()
            if self._has_ended:
                return

    def _read_stderr(self) -> None:
        assert self._child.stderr is not None
        source = self._child.stderr.fileno()
        while True:
            try:
                data = os.read(source, 1 << 16)
            except (OSError, ValueError):
                return
            if not data:
                return
            self._stderr_tail = (self._stderr_tail + data)[-STDERR_TAIL_BYTES:]

    # ---- shutdown

    def _kill(self) -> None:
        """Close the lifeline, so that the supervisor kills the program and all its children."""
        with self._kill_lock:
            if self._lifeline >= 0:
                os.close(self._lifeline)
            self._lifeline = -1
        if os.name != "posix":
            self._child.kill()

    def close(self, timeout_s: float = EXIT_TIMEOUT_S) -> int:
        """End the program, by force if it does not exit within `timeout_s`; returns its exit code."""
        if self._child.stdin is not None and not self._child.stdin.closed:
            with contextlib.suppress(OSError):
                self._child.stdin.close()
        if timeout_s > 0:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(timeout_s)
        elif self._has_ended and not self._is_flooding:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(0.5)  # it closed its output, so it is about to exit with its own code
        self._kill()
        try:
            code = self._child.wait(10)
        except subprocess.TimeoutExpired:  # the supervisor itself does not react
            self._child.kill()
            code = self._child.wait()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(1)
        for pipe in (self._child.stdout, self._child.stderr):
            if pipe is not None:
                pipe.close()
        return code if code >= 0 else 128 - code
