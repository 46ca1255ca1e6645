"""Code that runs in a Dask worker for a `ClusterHost`: searches, one at a time per slot, and stop requests.

A *slot* caches engines between searches, like a local worker process. It is the value of a Dask task whose future
the host holds, so the worker drops the slot when the host closes or dies. Answers are sent as Dask events (worker,
scheduler, host), which keep their order. A stop is a plain call of `stop_search`, which Dask makes in the worker's
event loop while the search runs in another thread.

The host imports this module, too, so Numba is loaded only when a slot is opened.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections import OrderedDict
from dataclasses import replace
from importlib.metadata import version
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from tengen.core.errors import TengenError
from tengen.core.resource_limits import resource_limits
from tengen.jobs.cluster import dask
from tengen.jobs.processes import available_cores, memory_mb
from tengen.jobs.worker import Outcome, ProgressMessage, answer, pack
from tengen.runtime.memory_plan import MemoryPlan
from tengen.runtime.messages import EngineKey, Progress, SearchCaps, SearchJob
from tengen.search.limits import StopFlag

SEARCH_STARTED = b""  # sent instead of an answer when a thread starts the search
ORPHAN_CHECK_S = 0.5  # how often a search checks that its host still wants it

_slots: WeakValueDictionary[str, Slot] = WeakValueDictionary()


def tengen_version() -> str:
    return version("tengen")


class _EventSender:
    """Sends packed messages of the search `number` to the host, from any thread."""

    def __init__(self, worker: Any, topic: str, slot_id: str) -> None:
        self.number = 0
        self._worker = worker
        self._topic = topic
        self._slot_id = slot_id

    def send(self, message: bytes) -> None:
        self._worker.log_event(self._topic, {"slot": self._slot_id, "number": self.number, "answer": message})


class Slot:
    """Engines in this worker for one host, and the search that it runs. Searches have increasing numbers."""

    def __init__(self, slot_id: str, topic: str, caps: SearchCaps) -> None:
        from tengen.runtime.worker import SearchRunner

        # Plan for one worker per core of this machine.
        self._plan = MemoryPlan.from_limits(resource_limits(), available_cores(), caps.memory_mb)
        caps = replace(caps, memory_mb=self._plan.search_mb)
        self._worker: Any = dask().get_worker()
        self._sender = _EventSender(self._worker, topic, slot_id)
        self._flag = np.zeros(1, np.int64)
        self._runner = SearchRunner(self._report_progress, StopFlag(self._flag), caps)
        self._searching = threading.Lock()
        self._lock = threading.Lock()  # guards the sender's number, the flag and the fields below
        self._last_stopped = 0
        self._engines: OrderedDict[EngineKey, None] = OrderedDict()  # least recently used first
        self._sender.send(pack(Outcome(os.getpid())))

    def run(self, number: int, job: SearchJob, stopped: bool) -> None:
        with self._searching:
            with self._lock:
                self._sender.number = number
                self._flag[0] = stopped or self._last_stopped >= number
            self._sender.send(SEARCH_STARTED)
            self._watch(number, self._worker.get_current_task())
            try:
                self._sender.send(answer(self._runner.run, job))
            finally:
                with self._lock:
                    self._last_stopped = max(self._last_stopped, number)  # ends `_watch`
            self._check_memory(job)

    def _report_progress(self, progress: Progress) -> None:
        self._sender.send(pack(ProgressMessage(progress)))

    def stop(self, number: int) -> None:
        """Stop a search, even one that has not started."""
        with self._lock:
            self._last_stopped = max(self._last_stopped, number)
            if self._sender.number == number:
                self._flag[0] = 1

    def _check_memory(self, job: SearchJob) -> None:
        """Drop engines if this process uses too much memory. The host's next search then creates a new one."""
        for key in job.drop:
            self._engines.pop(key, None)
        self._engines[job.key] = None
        self._engines.move_to_end(job.key)
        used = memory_mb(os.getpid())
        count = 0 if used is None else self._plan.engines_to_drop(tuple(self._engines), used)
        if count:
            self._runner.drop_engines([self._engines.popitem(last=False)[0] for _ in range(count)])

    def _watch(self, number: int, task: str) -> None:
        """Stop the search when its Dask task is cancelled, by its host or because the host has died."""
        worker = self._worker

        def check() -> None:
            if self._last_stopped >= number:
                return
            state = worker.state.tasks.get(task)
            if (
                state is None
                or state.state not in ("executing", "long-running")
                or worker.status.name != "running"
            ):
                self.stop(number)
            else:
                worker.loop.call_later(ORPHAN_CHECK_S, check)

        worker.loop.add_callback(check)


def open_slot(slot_id: str, topic: str, caps: SearchCaps, wanted_version: str) -> Slot:
    """Create a slot. Raises `TengenError` if this worker's version of Tengen differs from the host's."""
    if tengen_version() != wanted_version:
        raise TengenError(
            f"it runs Tengen {tengen_version()}, not {wanted_version}: install the same version everywhere"
        )
    slot = _slots[slot_id] = Slot(slot_id, topic, caps)
    return slot


def run_search(slot: Slot, number: int, job: bytes, stopped: bool) -> None:
    slot.run(number, pickle.loads(job), stopped)


def stop_search(slot_id: str, number: int) -> None:
    slot = _slots.get(slot_id)
    if slot is not None:
        slot.stop(number)


def exit_process() -> None:
    """Exit a worker whose search hangs. Dask reschedules its other tasks."""
    os._exit(1)
