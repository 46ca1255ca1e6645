"""Another program under supervision: lines to it and from it, each with a time by which it must come.

Its output is read by a thread into a queue with a bound: a program that writes faster than we care to read, or a
line without end, is a flood, and killed. Its last words on standard error are kept for the message that says how
it died.
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
from tengen.search.limits import StopFlag

MAX_UNREAD_LINES = 20_000  # unread: a flood
MAX_UNREAD_BYTES = 16 << 20  # unread, or of one line: a flood
MAX_REPLY_BYTES = 64 << 20  # in answer to one line, though we read it: a flood
STDERR_TAIL_BYTES = 2000  # bytes of standard error that are kept
EXIT_TIMEOUT_S = 1.0  # seconds to end by itself when it is told to
LONGEST_WAIT_S = 3600.0  # systems refuse to wait for weeks at once
STOP_POLL_S = 0.02  # how soon a stop is heeded


class ProcessExited(Exception):
    """It has ended, or was ended. `kind` is that of a `Incident`."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class ReceiveTimeout(Exception):
    """No line came by the time it had to."""


class StopRequested(Exception):
    """The stop flag was set while we waited."""


class ExternalProcess:
    """A program that runs. Not for several threads at once."""

    def __init__(self, program: ExternalProgram) -> None:
        self.name = Path(program.command[0]).name
        if os.sep not in program.command[0] and shutil.which(program.command[0]) is None:
            raise CannotStart(f"there is no program {program.command[0]!r}: give its whole path, or install it")
        self._lines: deque[str] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._has_ended = False  # its output has
        self._is_flooding = False
        self._reply_bytes = 0  # bytes that it wrote since it was last told something
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
                start_new_session=os.name == "posix",  # so that Ctrl-C in the terminal is ours alone
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
        """Raises `ProcessExited` if nobody reads any more."""
        assert self._child.stdin is not None
        self._reply_bytes = 0
        data = memoryview(line.encode() + b"\n")
        try:
            while data:  # raw: a long line may go in pieces
                data = data[self._child.stdin.write(data) or 0 :]
        except (OSError, ValueError):
            raise self._exit_error() from None

    def receive(self, deadline: float, stop: StopFlag | None = None) -> str:
        """The next line, by this time of `time.monotonic()`. Raises `ReceiveTimeout`, `ProcessExited` or `StopRequested`."""
        with self._changed:
            while True:
                if stop is not None and stop.is_set:
                    raise StopRequested
                left = deadline - time.monotonic()
                if left <= 0:  # also while lines keep coming, none of which was the answer
                    raise ReceiveTimeout
                if self._lines:
                    break
                if self._has_ended:
                    raise self._exit_error()
                self._changed.wait(min(left, LONGEST_WAIT_S if stop is None else STOP_POLL_S))
            line = self._lines.popleft()
            self._bytes -= len(line)
            return line

    def _exit_error(self) -> ProcessExited:
        """How it ended."""
        if self._is_flooding:
            return ProcessExited("flood", f"{self.name} flooded its output, and was killed")
        code = self.close(0.0)
        words = self._stderr_tail.decode("utf-8", errors="replace").strip().splitlines()
        last = "".join(symbol for symbol in words[-1] if symbol.isprintable())[:200] if words else ""
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

    # ---- the end

    def _kill(self) -> None:
        """Close the lifeline: the supervisor kills the program and all its children."""
        with self._kill_lock:
            if self._lifeline >= 0:
                os.close(self._lifeline)
            self._lifeline = -1
        if os.name != "posix":
            self._child.kill()

    def close(self, timeout_s: float = EXIT_TIMEOUT_S) -> int:
        """End it, by force if it does not end by itself within so many seconds; returns its exit code."""
        if self._child.stdin is not None and not self._child.stdin.closed:
            with contextlib.suppress(OSError):
                self._child.stdin.close()
        if timeout_s > 0:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(timeout_s)
        elif self._has_ended and not self._is_flooding:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(0.5)  # it closed its output: it is about to end, with a code of its own
        self._kill()
        try:
            code = self._child.wait(10)
        except subprocess.TimeoutExpired:  # the supervisor does nothing but this, so something is very wrong
            self._child.kill()
            code = self._child.wait()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(1)
        for pipe in (self._child.stdout, self._child.stderr):
            if pipe is not None:
                pipe.close()
        return code if code >= 0 else 128 - code
