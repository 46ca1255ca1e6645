"""Parent-side handle of a worker process: process, pipe, watchdog, kill reason."""

from __future__ import annotations

import math
import multiprocessing
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from tengen.jobs.processes import join_process, kill_process, memory_mb
from tengen.jobs.worker import Outcome, ProgressMessage, serve, unpack

T = TypeVar("T")

UNWANTED = "was no longer needed"  # kill reason of a worker that did nothing wrong


class WorkerProcess(Generic[T]):
    """Handle of a worker process. `task` is its unanswered task; only the pool's manager assigns it.

    The process is not daemonic, so that a call may use an executor of its own. It still dies with its parent (see
    `processes`).
    """

    def __init__(
        self,
        name: str,
        start_timeout_s: float,
        initializer: Callable[..., object] | None = None,
        initargs: tuple[object, ...] = (),
    ) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("spawn").Process(
            target=serve, args=(theirs, initializer, initargs), name=name
        )
        try:
            self._process.start()
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()  # otherwise the end of the pipe would never be detected
        assert self._process.pid is not None, "a started process has a pid"
        self._init_state(self._process.pid, start_timeout_s)

    def _init_state(self, pid: int, start_timeout_s: float) -> None:
        self.pid = pid
        self.task: T | None = None
        self.is_ready = False  # set by the worker's first message
        self.is_overdue = False  # killed because it did not answer in time
        self.kill_reason = ""  # why the pool killed it, for the error message
        self.started_at = time.monotonic()  # when it was started or received its task
        self.expires_at = self.started_at + start_timeout_s  # when the watchdog fires

    @property
    def is_idle(self) -> bool:
        return self.is_ready and self.task is None and not self.kill_reason

    def watch(self, timeout_s: float) -> None:
        """Let the watchdog fire in `timeout_s` seconds; an infinite time stops it."""
        self.expires_at = math.inf if self.kill_reason else time.monotonic() + timeout_s

    def send(self, message: bytes) -> None:
        """Send a packed call. Raises OSError if the process has died."""
        self.connection.send_bytes(message)

    def receive(self) -> Outcome | ProgressMessage:
        """Next message. Raises EOFError or OSError if the process has died."""
        return unpack(self.connection.recv_bytes())

    def memory_mb(self) -> int | None:
        """Resident memory of the process; None where the system does not report it."""
        return memory_mb(self.pid)

    def kill(self, reason: str) -> None:
        """Kill the process; the closed pipe then reports its exit."""
        self.kill_reason = reason
        self.expires_at = math.inf
        with suppress(ValueError):  # another thread has just joined it
            kill_process(self._process)

    def close(self) -> None:
        """Make an idle worker exit; kill one that is still starting."""
        self.connection.close()
        if not self.is_ready:
            self.kill(UNWANTED)

    def join(self, timeout_s: float = 5.0) -> str:
        """Wait for the process to exit and describe how it ended."""
        exit_reason = join_process(self._process, self.connection, timeout_s)
        return self.kill_reason or exit_reason
