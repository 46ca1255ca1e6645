"""Supervised helper processes for short calls that need compiled code.

    pool = HelperPool("questions", workers=2)
    found = await pool.run(function, argument)

A call whose process crashes is retried once in a new process. If workers cannot be started at all, the pool tries
again with a later call, after a growing delay. A call that takes too long is killed.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from tengen.core.errors import TengenError
from tengen.core.resource_limits import LimitExceeded, resource_limits
from tengen.jobs.executor import LocalExecutor, WorkerDied
from tengen.jobs.processes import lower_priority, memory_mb
from tengen.jobs.restart_backoff import RestartBackoff

P = ParamSpec("P")
R = TypeVar("R")

CALL_TIMEOUT_S = 600.0  # the first call may compile kernels on a slow machine
STOPPED = "The helper process stopped. Please try again."

_log = logging.getLogger(__name__)


class HelperStopped(TengenError):
    """The process that ran a call crashed, took too long, or could not be started."""


@dataclass(frozen=True)
class HelperHealth:
    """Current state of a pool, JSON-compatible by `dataclasses.asdict`. Processes start when there is work.

    `restarts` counts crashed processes and failures of the thread that manages them.
    """

    name: str
    workers_wanted: int
    workers_alive: int
    calls_running: int
    calls_queued: int
    restarts: int
    last_failure: str
    memory_mb: int | None


class HelperPool:
    """A pool of up to `workers` low-priority processes. Thread-safe."""

    def __init__(self, name: str, workers: int = 1, call_timeout_s: float = CALL_TIMEOUT_S) -> None:
        self.name = name
        self._workers = workers
        self._call_timeout_s = call_timeout_s
        self._lock = threading.Lock()
        self._restarts = RestartBackoff()
        self._earlier_restarts = 0  # of replaced executors
        self._usable_at = 0.0
        self._closed = False
        self._executor = self._new_executor()
        _open_pools.add(self)

    def submit(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Run a module-level function in a helper process. The future raises the function's exceptions.

        The function should be idempotent. If its process crashes twice, or takes too long, the future raises
        `HelperStopped`. Raises `LimitExceeded` if too many calls are queued.
        """
        with self._lock:
            if self._closed:
                raise HelperStopped("The helper processes have been stopped.")
            queued = self._executor.status().calls_queued
            if queued >= resource_limits().searches_queued:
                raise LimitExceeded(f"The server is busy: {queued} questions are waiting. Try again later.")
            attempt = self._submit(function, *args, **kwargs)
        outer: Future[R] = Future()

        def again() -> Future[R]:
            with self._lock:
                return self._submit(function, *args, **kwargs)

        self._follow(outer, attempt, again)
        return outer

    async def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Like `submit`, for asyncio."""
        return await asyncio.wrap_future(self.submit(function, *args, **kwargs))

    def health(self) -> HelperHealth:
        with self._lock:
            status = self._executor.status()
        used = [memory_mb(pid) for pid in status.pids]
        return HelperHealth(
            name=self.name,
            workers_wanted=self._workers,
            workers_alive=len(status.pids),
            calls_running=status.calls_running,
            calls_queued=status.calls_queued,
            restarts=self._restarts.count + self._earlier_restarts + status.restarts,
            last_failure=status.last_failure or self._restarts.last_failure,
            memory_mb=None if None in used else sum(one for one in used if one is not None),
        )

    def close(self) -> None:
        """Kill the processes; running calls fail and pending ones are cancelled."""
        with self._lock:
            self._closed = True
        self._executor.terminate()

    def _new_executor(self) -> LocalExecutor:
        return LocalExecutor(self._workers, initializer=lower_priority, call_timeout_s=self._call_timeout_s)

    def _submit(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Submit a call, replacing a broken executor after the backoff delay."""
        try:
            return self._executor.submit(function, *args, **kwargs)
        except (BrokenExecutor, RuntimeError):
            if self._closed or time.monotonic() < self._usable_at:
                raise HelperStopped(STOPPED) from None
        broken, self._executor = self._executor, self._new_executor()
        self._earlier_restarts += broken.status().restarts
        try:
            return self._executor.submit(function, *args, **kwargs)
        except (BrokenExecutor, RuntimeError):
            raise HelperStopped(STOPPED) from None

    def _follow(self, outer: Future[R], attempt: Future[R], again: Callable[[], Future[R]] | None) -> None:
        """Complete `outer` with the outcome of `attempt`; if its process died, retry with `again`."""

        def finish(future: Future[R]) -> None:
            if future.cancelled():
                error: BaseException | None = HelperStopped(STOPPED)
                outer.cancel()
            else:
                error = future.exception()
            if isinstance(error, BrokenExecutor):
                self._note_crash(str(error))
                if again is not None and type(error) is WorkerDied and not (self._closed or outer.cancelled()):
                    with suppress(HelperStopped):
                        self._follow(outer, again(), None)
                        return
                error = HelperStopped(STOPPED)
            if not outer.set_running_or_notify_cancel():
                return
            if error is None:
                outer.set_result(future.result())
            else:
                outer.set_exception(error)

        attempt.add_done_callback(finish)
        outer.add_done_callback(lambda future: attempt.cancel() if future.cancelled() else None)

    def _note_crash(self, reason: str) -> None:
        if self._closed:
            return
        delay_s = self._restarts.note_crash(reason)
        self._usable_at = time.monotonic() + delay_s
        _log.warning("helper %r stopped: %s", self.name, reason)


def helper_health() -> list[HelperHealth]:
    """The state of all pools of this process, sorted by name."""
    return sorted((pool.health() for pool in list(_open_pools) if not pool._closed), key=lambda one: one.name)


_open_pools: weakref.WeakSet[HelperPool] = weakref.WeakSet()
