"""The engine host's manager on a cluster: each worker is a thread of a Dask worker instead of a local process.

`Manager` schedules searches, pauses and retries as on one machine. The differences: all workers of the cluster are
used from the start, they appear and disappear on their own, and searches fail with a reason when there has been no
worker for a while.
"""

from __future__ import annotations

import math
import time
import uuid
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from multiprocessing import Pipe

from tengen.jobs.worker import Outcome, ProgressMessage, pack
from tengen.runtime.cluster.link import ClusterLink
from tengen.runtime.cluster.worker import SEARCH_STARTED
from tengen.runtime.engine_worker import EngineWorker
from tengen.runtime.health import HostHealth
from tengen.runtime.manager import Manager
from tengen.runtime.memory_plan import MemoryPlan
from tengen.runtime.messages import SearchCaps, SearchJob
from tengen.runtime.scheduler import SearchTask

OUTAGE_CHECK_S = 0.5  # how often queued searches check for an outage


class ClusterWorker(EngineWorker):
    """Handle of one thread of a Dask worker. Its messages arrive through a pipe; a lost worker closes the pipe."""

    def __init__(self, link: ClusterLink, address: str, caps: SearchCaps, grace_s: float) -> None:
        self.slot_id = uuid.uuid4().hex
        self.address = address
        self._link = link
        self.connection, self._inbox = Pipe(duplex=False)
        self._number = 0  # of its latest search
        self._has_started = False
        self._loss = ""
        self._init_state(0, math.inf)
        self._init_search_state(grace_s)
        link.open_slot(self, caps)

    # ---- for the manager's thread

    def assign(self, task: SearchTask, job: SearchJob) -> bytes:
        self._has_started = False
        self._number += 1
        super().assign(task, job)
        return pack(job)

    def send(self, message: bytes) -> None:
        if self._loss:
            raise OSError(self._loss)
        assert self.task is not None
        self._link.start_search(
            self, self._number, message, stopped=self.task.stopped, background=self.task.background
        )

    def _set_flag(self, stopped: bool) -> None:
        if stopped:
            self._link.stop_search(self, self._number)

    def receive(self) -> Outcome | ProgressMessage:
        message = super().receive()
        if not self.is_ready and isinstance(message, Outcome):
            assert isinstance(message.value, int)
            self.pid = message.value
        return message

    def watch(self, timeout_s: float) -> None:
        """Only after a thread of the worker has started the search: other Dask tasks may come first."""
        super().watch(timeout_s if self._has_started else math.inf)

    def kill(self, reason: str) -> None:
        """Close the slot, which closes the pipe. The worker's process is ended only if its search hangs."""
        hangs = self.task is not None and time.monotonic() >= self.expires_at
        self.kill_reason = reason
        self.expires_at = math.inf
        if hangs:
            self._link.exit_worker(self)
        self._link.close_slot(self)

    def memory_mb(self) -> None:
        """Unknown: the process may be on another machine, where Dask limits its memory."""

    def join(self, timeout_s: float = 5.0) -> str:
        self._link.close_slot(self)
        self.connection.close()
        return self.kill_reason or self._loss or "was lost"

    # ---- for the link's thread, the only user of the pipe's other end

    def on_answer(self, number: int, answer: bytes) -> None:
        if number != self._number or self._inbox.closed:
            return  # of an earlier search
        if answer == SEARCH_STARTED:
            self._has_started = True
            self._watch_search(self._search_time_s)
            return
        with suppress(OSError):
            self._inbox.send_bytes(answer)

    def on_lost(self, reason: str) -> None:
        self._loss = self._loss or reason
        self._inbox.close()


class ClusterManager(Manager):
    """Manager whose `workers` is the number of threads that the cluster has now."""

    def __init__(self, link: ClusterLink, caps: SearchCaps, plan: MemoryPlan, grace_s: float) -> None:
        self._link = link
        super().__init__(1, caps, plan, grace_s)
        link.on_change = self._wake
        self._wake()  # changes before `on_change` was set

    @property
    def workers(self) -> int:
        return max(1, sum(self._link.workers().values()))

    def health(self) -> HostHealth:
        """Like that of a local host, without the memory use of other machines."""
        outage = self._link.outage()
        found = super().health()
        return replace(
            found,
            is_running=found.is_running and outage is None,
            last_failure=found.last_failure if outage is None else str(outage),
        )

    def end_pondering(self, game_id: str) -> None:
        """Stop pondering for this game, because a search for it runs on the local host."""
        with self._lock:
            self._end_pondering(game_id)
            self._wakeup.set()

    def close(self) -> None:
        super().close()
        self._link.close()

    def _wake(self) -> None:
        with self._lock:
            self._wakeup.set()

    def _spawn_workers(self) -> None:
        """Add a slot for each thread of each new worker; fail queued searches during an outage."""
        threads = self._link.workers()
        with self._lock:
            have = Counter(worker.address for worker in self._workers if isinstance(worker, ClusterWorker))
            for address, count in threads.items():
                for _ in range(count - have[address]):
                    self._workers.append(ClusterWorker(self._link, address, self._caps, self._grace_s))
            self._max_workers = len(self._workers)
        if (outage := self._link.outage()) is not None:
            self._fail_queued(outage)

    def _seconds_to_wait(self) -> float:
        seconds = super()._seconds_to_wait()
        return min(seconds, OUTAGE_CHECK_S) if self._queued() else seconds

    def _count_failed_start(self, reason: str) -> None:
        """Nothing to do: other workers may connect, and the link reports an outage if none do."""
