"""Parent-side handle of one engine worker: process, pipe, stop flag, watchdog deadline."""

from __future__ import annotations

import math
import multiprocessing
import pickle
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from tengen.jobs.processes import die_with_parent, ignore_interrupts, join_process, lower_priority, memory_mb
from tengen.players.config import EngineConfig
from tengen.runtime.messages import (
    DropEngines,
    EngineFailed,
    EngineKey,
    EnginesDropped,
    Progress,
    SearchCaps,
    SearchFailure,
    SearchJob,
    Stage,
    WorkerMessage,
)
from tengen.runtime.scheduler import SearchTask

STARTUP_TIMEOUT_S = 180.0  # generous: importing Numba at low priority on a loaded machine
COMPILE_TIMEOUT_S = 300.0  # per kernel
BACKGROUND_SLICE_S = 5.0  # background searches yield to each other after this long


class WorkerProcess:
    """Handle of a worker process. `task` is its unanswered search; only the manager's thread assigns it."""

    def __init__(self, caps: SearchCaps, grace_s: float) -> None:
        spawn = multiprocessing.get_context("spawn")
        # Anonymous shared memory: the system frees it with the last process that uses it, even after a crash.
        self._flag: Any = spawn.RawArray("q", 1)
        self.connection, theirs = multiprocessing.Pipe()
        self._process = spawn.Process(
            target=_worker_main, args=(theirs, self._flag, caps), name="engine worker", daemon=True
        )
        try:
            self._process.start()
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()  # otherwise the end of the pipe would never be seen
        assert self._process.pid is not None, "a started process has a pid"
        self._init_state(self._process.pid, grace_s)

    def _init_state(self, pid: int, grace_s: float) -> None:
        self.pid = pid
        self._grace_s = grace_s
        self.is_ready = False  # set by the worker's first message
        self.task: SearchTask | None = None
        self.is_yielding = False  # the background search was asked to pause; it will be resumed
        self.is_dropping_engines = False  # it was asked to drop engines and has not confirmed yet
        self.kill_reason = ""  # why the pool killed it, for the error message
        self.started_at = time.monotonic()
        self._watchdog_start = self.started_at
        self._search_time_s = math.inf
        self._is_compiling = False

    @property
    def is_idle(self) -> bool:
        return self.is_ready and self.task is None and not self.kill_reason and not self.is_dropping_engines

    def send(self, task: SearchTask, job: SearchJob) -> None:
        """Start a search. Raises OSError if the process has died."""
        self._flag[0] = task.stopped
        self._set_task(task, job)
        self.connection.send_bytes(pickle.dumps(job, pickle.HIGHEST_PROTOCOL))

    def _set_task(self, task: SearchTask, job: SearchJob) -> None:
        self.task = task
        self.is_yielding = self._is_compiling = False
        self.started_at = self._watchdog_start = time.monotonic()
        self._search_time_s = 0.0 if task.stopped else job.limits.thinking_time()

    def drop_engines(self, keys: tuple[EngineKey, ...]) -> None:
        """Make an idle worker drop engines. If the process has died, the closed pipe reports it."""
        self.is_dropping_engines = True
        self._watchdog_start = time.monotonic()
        with suppress(OSError):
            self.connection.send_bytes(pickle.dumps(DropEngines(keys), pickle.HIGHEST_PROTOCOL))

    def stop(self) -> None:
        """End the search early; its report follows within a few hundredths of a second."""
        self._flag[0] = 1
        self._await_stop()

    def _await_stop(self) -> None:
        self._search_time_s = 0.0
        self._watchdog_start = time.monotonic()

    def pause(self) -> None:
        """Interrupt a background search, to be resumed later."""
        self.is_yielding = True
        self.stop()

    def receive(self) -> WorkerMessage:
        """Next message. Raises EOFError or OSError if the process has died."""
        message = self.connection.recv_bytes()
        try:
            answer: WorkerMessage = pickle.loads(message)
        except Exception as error:
            return SearchFailure(EngineFailed(f"the worker's answer could not be decoded ({error})"))
        if isinstance(answer, EnginesDropped):
            self.is_dropping_engines = False
        if isinstance(answer, Progress):
            if answer.stage is Stage.COMPILING:
                self._is_compiling = True
                self._watchdog_start = time.monotonic()
            elif self._is_compiling:  # the engine's time starts after compilation, and so does the watchdog's
                self._is_compiling = False
                self._watchdog_start = time.monotonic()
        return answer

    def deadline(self) -> float:
        """When the watchdog should fire, in monotonic time; infinite for searches without a time limit."""
        if self.kill_reason:
            return math.inf
        if not self.is_ready:
            return self.started_at + STARTUP_TIMEOUT_S
        if self.is_dropping_engines:
            return self._watchdog_start + self._grace_s
        if self.task is None:
            return math.inf
        margin_s = COMPILE_TIMEOUT_S if self._is_compiling else self._grace_s + _extra_time_s(self.task.config)
        return self._watchdog_start + self._search_time_s + margin_s

    def slice_end(self) -> float:
        """When the time slice of its background search ends."""
        if self.task is None or not self.task.background or self.is_yielding:
            return math.inf
        return self.started_at + BACKGROUND_SLICE_S

    def memory_mb(self) -> int | None:
        """Resident memory of the process; None where the system does not report it."""
        return memory_mb(self.pid)

    def kill(self, reason: str) -> None:
        """Kill the process; the closed pipe then reports its exit."""
        self.kill_reason = reason
        self._process.kill()

    def join(self, timeout_s: float = 5.0) -> str:
        """Wait for the process to exit and describe how it ended."""
        exit_reason = join_process(self._process, self.connection, timeout_s)
        return self.kill_reason or exit_reason


def _extra_time_s(config: EngineConfig) -> float:
    """Extra watchdog time: an external program may be started twice in one search, each with its own timeout."""
    return 0.0 if config.program is None else 3 * config.program.timeout_s


def _worker_main(connection: Connection, flag: Any, caps: SearchCaps) -> None:
    """Entry point of the worker process. Signal handling is set up before the slow import of Numba."""
    ignore_interrupts()
    die_with_parent()
    lower_priority()  # the user interface must stay responsive although engines use every core
    from tengen.runtime.worker import run_worker

    run_worker(connection, flag, caps)
