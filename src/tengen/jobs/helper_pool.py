"""Supervised helper processes for calls of a server that need compiled code.

    pool = HelperPool("questions", workers=2)
    found = await pool.run(function, argument)

A call whose process crashes or takes too long is retried in a new process. If workers cannot be started at all,
the pool tries again with a later call, after a growing delay.
"""

from __future__ import annotations

import asyncio
import logging
import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import ParamSpec, TypeVar

from tengen.core.errors import TengenError
from tengen.core.resource_limits import LimitExceeded, resource_limits
from tengen.core.translation import mark
from tengen.jobs.executor import Call, ExecutorHealth, LocalExecutor
from tengen.jobs.processes import lead_group, lower_priority
from tengen.jobs.restart_backoff import RestartBackoff
from tengen.jobs.worker_process import WorkerProcess

P = ParamSpec("P")
R = TypeVar("R")

CALL_TIMEOUT_S = 600.0  # the first call may compile kernels on a slow machine
STOPPED = mark("The helper process stopped. Please try again.")

_log = logging.getLogger(__name__)


class HelperStopped(TengenError):
    """The process that ran a call crashed, took too long, or could not be started."""


def _prepare() -> None:
    lower_priority()
    lead_group()


class HelperPool(LocalExecutor):
    """A pool of up to `workers` low-priority processes for idempotent calls. Thread-safe.

    `submit` raises `LimitExceeded` if too many calls are queued. A call whose process crashes, or neither returns
    nor reports progress for `call_timeout_s` seconds, is attempted `attempts` times; then its future raises
    `HelperStopped`.
    """

    def __init__(
        self, name: str, workers: int = 1, *, call_timeout_s: float = CALL_TIMEOUT_S, attempts: int = 2
    ) -> None:
        super().__init__(workers, initializer=_prepare, call_timeout_s=call_timeout_s)
        self.name = name
        self._attempts = attempts
        self._crashes = RestartBackoff()
        self._usable_at = 0.0
        _open_pools.add(self)

    async def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Like `submit`, for asyncio."""
        return await asyncio.wrap_future(self.submit(function, *args, **kwargs))

    def health(self) -> ExecutorHealth:
        found, crashes = super().health(), self._crashes
        last_failure = crashes.last_failure or found.last_failure
        return replace(found, restarts=crashes.count + found.restarts, last_failure=last_failure)

    def close(self) -> None:
        """Kill the processes; running calls fail and pending ones are cancelled."""
        self.terminate()

    def _check_usable(self) -> None:
        if self._is_shut_down:
            raise HelperStopped(mark("The helper processes have been stopped."))
        if time.monotonic() < self._usable_at:
            raise HelperStopped(STOPPED)
        queued = self._calls_queued()
        if queued >= resource_limits().searches_queued:
            raise LimitExceeded(
                mark("The server is busy: {queued} questions are waiting. Try again later.").format(queued=queued)
            )

    def _handle_exit(self, worker: WorkerProcess[Call], reason: str) -> None:
        if worker.task is not None:
            self._note_crash(reason)
        super()._handle_exit(worker, reason)

    def _break(self, reason: str) -> None:
        """Fail all calls, but accept others after the backoff delay."""
        self._usable_at = time.monotonic() + self._note_crash(reason)
        with self._lock:
            calls = self._drop_calls()
        self._fail_calls(calls, reason)

    def _failure(self, reason: str, *, timed_out: bool = False) -> Exception:
        return HelperStopped(STOPPED)

    def _note_crash(self, reason: str) -> float:
        if self._is_shut_down:
            return 0.0
        _log.warning("helper %r stopped: %s", self.name, reason)
        return self._crashes.note_crash(reason)


def helper_health() -> list[ExecutorHealth]:
    """The state of all pools of this process, sorted by name."""
    return sorted(
        (pool.health() for pool in list(_open_pools) if not pool._is_shut_down), key=lambda one: one.name
    )


_open_pools: weakref.WeakSet[HelperPool] = weakref.WeakSet()
