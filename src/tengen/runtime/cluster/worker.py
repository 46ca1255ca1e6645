"""What runs in a Dask worker for a `ClusterHost`: searches, one at a time per slot, and the order to stop one.

A *slot* keeps engines between searches, as an engine process on the server's own machine does. It is the value of
a Dask task that the host holds on to, so a worker drops the slot when the host closes or its process dies. Answers
travel as Dask events (worker, scheduler, host), which keep their order. A stop is a plain call of `stop_search`,
which Dask makes in the worker's event loop while the search runs in another thread.

The host imports this module, too, so Numba is loaded only when a slot is opened.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from tengen.core.errors import TengenError
from tengen.core.resource_limits import resource_limits
from tengen.jobs.cluster import dask
from tengen.jobs.processes import available_cores, memory_mb
from tengen.runtime.memory_plan import MemoryPlan
from tengen.runtime.messages import Caps, Drop, EngineKey, Job
from tengen.search.limits import StopFlag

SEARCH_BEGUN = (
    b""  # in place of an answer: a thread has taken up the search, which may have waited for other tasks
)
ORPHAN_CHECK_S = 0.5  # how often a search looks whether its host still wants it

_slots: WeakValueDictionary[str, Slot] = WeakValueDictionary()


def tengen_version() -> str:
    return version("tengen")


@dataclass(frozen=True)
class SlotOpened:
    """The first message of a slot."""

    pid: int


class _EventSender:
    """Sends answers of the search `number` to the host, from any thread."""

    def __init__(self, worker: Any, topic: str, slot_id: str) -> None:
        self.number = 0
        self._worker = worker
        self._topic = topic
        self._slot_id = slot_id

    def send_bytes(self, message: bytes) -> None:
        self._worker.log_event(self._topic, {"slot": self._slot_id, "number": self.number, "answer": message})


class Slot:
    """Engines in this worker for one host, and the search that it runs. Searches have rising numbers."""

    def __init__(self, slot_id: str, topic: str, caps: Caps) -> None:
        from tengen.runtime.worker import Searcher

        # As if there were one worker per core of this machine.
        self._plan = MemoryPlan.of(resource_limits(), available_cores(), caps.memory)
        caps = replace(caps, memory=self._plan.search)
        self._worker: Any = dask().get_worker()
        self._sender = _EventSender(self._worker, topic, slot_id)
        self._flag = np.zeros(1, np.int64)
        self._searcher = Searcher(self._sender, StopFlag(self._flag), caps)
        self._searching = threading.Lock()
        self._lock = threading.Lock()  # for the sender's number, the flag, and what follows
        self._last_stopped = 0
        self._engines: OrderedDict[EngineKey, None] = OrderedDict()  # least recently used first
        self._sender.send_bytes(pickle.dumps(SlotOpened(os.getpid())))

    def run(self, number: int, job: Job, stopped: bool) -> None:
        with self._searching:
            with self._lock:
                self._sender.number = number
                self._flag[0] = stopped or self._last_stopped >= number
            self._sender.send_bytes(SEARCH_BEGUN)
            self._watch(number, self._worker.get_current_task())
            try:
                self._searcher.do(job)
            finally:
                with self._lock:
                    self._last_stopped = max(self._last_stopped, number)  # ends the watch
            self._check_memory(job)

    def stop(self, number: int) -> None:
        """Stop a search, even one that has not begun."""
        with self._lock:
            self._last_stopped = max(self._last_stopped, number)
            if self._sender.number == number:
                self._flag[0] = 1

    def _check_memory(self, job: Job) -> None:
        """Give up engines if this process uses too much memory. The host's next search then creates a new one."""
        for key in job.drop:
            self._engines.pop(key, None)
        self._engines[job.key] = None
        self._engines.move_to_end(job.key)
        used = memory_mb(os.getpid())
        count = 0 if used is None else self._plan.engines_to_drop(tuple(self._engines), used)
        if count:
            self._searcher.drop(Drop(tuple(self._engines.popitem(last=False)[0] for _ in range(count))))

    def _watch(self, number: int, task: str) -> None:
        """Stop the search when its Dask task was cancelled: by its host, or because the host has died."""
        worker = self._worker

        def look() -> None:
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
                worker.loop.call_later(ORPHAN_CHECK_S, look)

        worker.loop.add_callback(look)


def open_slot(slot_id: str, topic: str, caps: Caps, wanted_version: str) -> Slot:
    """Create a slot. Raises `TengenError` if this worker has another version of Tengen than the host."""
    if tengen_version() != wanted_version:
        raise TengenError(f"it has Tengen {tengen_version()}, not {wanted_version}: use the same everywhere")
    slot = _slots[slot_id] = Slot(slot_id, topic, caps)
    return slot


def run_search(slot: Slot, number: int, job: bytes, stopped: bool) -> None:
    slot.run(number, pickle.loads(job), stopped)


def stop_search(slot_id: str, number: int) -> None:
    slot = _slots.get(slot_id)
    if slot is not None:
        slot.stop(number)


def exit_process() -> None:
    """End a worker whose search hangs. Its other tasks are given to other workers by Dask."""
    os._exit(1)
