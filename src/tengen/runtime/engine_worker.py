"""Parent-side handle of one engine worker: a worker process with a stop flag and the time limits of a search."""

from __future__ import annotations

import atexit
import math
import multiprocessing
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tengen.jobs.processes import lower_priority
from tengen.jobs.worker import pack_call, report_progress
from tengen.jobs.worker_process import WorkerProcess
from tengen.runtime.messages import EngineKey, Progress, SearchCaps, SearchJob, Stage
from tengen.runtime.scheduler import SearchTask
from tengen.search.report import Report

if TYPE_CHECKING:
    from tengen.runtime.worker import SearchRunner

STARTUP_TIMEOUT_S = 180.0  # generous: importing Numba at low priority on a loaded machine
COMPILE_TIMEOUT_S = 300.0  # per kernel
BACKGROUND_SLICE_S = 5.0  # background searches yield to each other after this long


class EngineWorker(WorkerProcess[SearchTask]):
    """Handle of a worker process that runs searches."""

    def __init__(self, caps: SearchCaps, grace_s: float) -> None:
        # Anonymous shared memory: the system frees it with the last process that uses it, even after a crash.
        self._flag: Any = multiprocessing.get_context("spawn").RawArray("q", 1)
        super().__init__("engine worker", STARTUP_TIMEOUT_S, _set_up, (self._flag, caps))
        self._init_search_state(grace_s)

    def _init_search_state(self, grace_s: float) -> None:
        self._grace_s = grace_s
        self._search_time_s = 0.0
        self.is_compiling = False
        self.is_yielding = False  # the background search was asked to pause; it will be resumed
        self.is_dropping_engines = False  # it was asked to drop engines and has not confirmed yet

    @property
    def is_idle(self) -> bool:
        return super().is_idle and not self.is_dropping_engines

    def assign(self, task: SearchTask, job: SearchJob) -> bytes:
        """Note that the worker runs this search; returns the message to send."""
        self.task = task
        self.is_yielding = self.is_compiling = False
        self.started_at = time.monotonic()
        self._set_flag(task.stopped)
        self._watch_search(0.0 if task.stopped else job.limits.thinking_time())
        return pack_call(_run_search, job)

    def stop(self) -> None:
        """End the search early; its report follows within a few hundredths of a second."""
        self._set_flag(True)
        self._watch_search(0.0)

    def pause(self) -> None:
        """Interrupt a background search, to be resumed later."""
        self.is_yielding = True
        self.stop()

    def drop_engines(self, keys: tuple[EngineKey, ...]) -> None:
        """Make an idle worker drop engines. If the process has died, the closed pipe reports it."""
        self.is_dropping_engines = True
        self.watch(self._grace_s)
        with suppress(OSError):
            self.send(pack_call(_drop_engines, keys))

    def note_progress(self, progress: Progress) -> None:
        """Adjust the watchdog: the engine's time starts after compilation."""
        was_compiling, self.is_compiling = self.is_compiling, progress.stage is Stage.COMPILING
        if self.is_compiling or was_compiling:
            self._watch_search(self._search_time_s)

    def note_answer(self) -> None:
        """Note that the worker has answered and is idle."""
        self.task = None
        self.is_dropping_engines = False
        self.watch(math.inf)

    def slice_end(self) -> float:
        """When the time slice of its background search ends."""
        if self.task is None or not self.task.background or self.is_yielding:
            return math.inf
        return self.started_at + BACKGROUND_SLICE_S

    def _set_flag(self, stopped: bool) -> None:
        self._flag[0] = stopped

    def _watch_search(self, search_time_s: float) -> None:
        self._search_time_s = search_time_s
        if self.is_compiling:
            self.watch(search_time_s + COMPILE_TIMEOUT_S)
        else:
            assert self.task is not None
            # An external program may be started twice in one search, each time with its own timeout.
            program = self.task.config.program
            self.watch(search_time_s + self._grace_s + (0.0 if program is None else 3 * program.timeout_s))


# ---- in the worker process

_runner: SearchRunner


def _set_up(flag: Any, caps: SearchCaps) -> None:
    global _runner
    lower_priority()  # the user interface must stay responsive although engines use every core
    from tengen.runtime.worker import SearchRunner  # loads Numba
    from tengen.search.limits import StopFlag

    _runner = SearchRunner(report_progress, StopFlag(flag), caps)
    atexit.register(os._exit, 0)  # there is nothing to clean up, and unloading Numba takes half a second


def _run_search(job: SearchJob) -> Report:
    return _runner.run(job)


def _drop_engines(keys: tuple[EngineKey, ...]) -> None:
    _runner.drop_engines(keys)
