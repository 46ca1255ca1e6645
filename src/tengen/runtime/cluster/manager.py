"""The engine host's manager, with threads of Dask workers in place of processes of its own.

Turns, homes of engines, pauses of background work and retries are decided by `Manager` as on one machine. What is
different: all workers of the cluster are used from the start, they come and go by themselves, and searches fail
with a reason when there has been no worker for a while.
"""

from __future__ import annotations

import math
import pickle
import time
import uuid
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from multiprocessing import Pipe

from tengen.runtime.cluster.link import ClusterLink
from tengen.runtime.cluster.worker import SEARCH_BEGUN, SlotOpened
from tengen.runtime.health import HostHealth
from tengen.runtime.manager import Manager
from tengen.runtime.memory_plan import MemoryPlan
from tengen.runtime.messages import Answer, Caps, Hello, Job
from tengen.runtime.scheduler import Ticket
from tengen.runtime.worker_process import Member

OUTAGE_CHECK_S = 0.5  # how often waiting searches look whether the cluster is back


class ClusterMember(Member):
    """One thread of a Dask worker. Messages reach the manager through a pipe, whose end is the worker's loss."""

    def __init__(self, link: ClusterLink, address: str, caps: Caps, grace: float) -> None:
        self.slot_id = uuid.uuid4().hex
        self.address = address
        self._link = link
        self._grace = grace
        self.connection, self._inbox = Pipe(duplex=False)
        self._number = 0  # of its newest search
        self._has_begun = False
        self._loss = ""
        self.pid = 0
        self.started = False
        self.ticket = None
        self.making_room = False
        self.is_dropping = False
        self.doom = ""
        self.began = time.monotonic()
        self._watched_from = self.began
        self._thinking_time = math.inf
        self._compiling = False
        link.open_slot(self, caps)

    # ---- the manager's side

    def give(self, ticket: Ticket, job: Job) -> None:
        if self._loss:
            raise OSError(self._loss)
        self.ticket = ticket
        self.making_room = False
        self.began = self._watched_from = time.monotonic()
        self._thinking_time = 0.0 if ticket.stopped else job.limits.thinking_time()
        self._compiling = self._has_begun = False
        self._number += 1
        message = pickle.dumps(job, pickle.HIGHEST_PROTOCOL)
        self._link.start_search(self, self._number, message, stopped=ticket.stopped, background=ticket.background)

    def stop(self) -> None:
        self._thinking_time = 0.0
        self._watched_from = time.monotonic()
        self._link.stop_search(self, self._number)

    def hear(self) -> Answer:
        answer: Answer | SlotOpened = super().hear()
        if isinstance(answer, SlotOpened):
            self.pid = answer.pid
            return Hello()
        return answer

    def deadline(self) -> float:
        """Infinite until a thread of the worker has taken the search: other Dask tasks may come before it."""
        return super().deadline() if self.started and self._has_begun else math.inf

    def kill(self, why: str) -> None:
        """Close the slot; the end of the pipe follows. Only if its search hangs is the worker's process ended."""
        hangs = self.ticket is not None and time.monotonic() >= self.deadline()
        self.doom = why
        if hangs:
            self._link.exit_worker(self)
        self._link.close_slot(self)

    def memory_mb(self) -> None:
        """Not known: the process may be on another machine, where Dask watches over its memory."""

    def end(self, patience: float = 5.0) -> str:
        self._link.close_slot(self)
        self.connection.close()
        return self.doom or self._loss or "was lost"

    # ---- the link's side: only its thread uses the pipe's other end

    def receive(self, number: int, answer: bytes) -> None:
        if number != self._number or self._inbox.closed:
            return  # of a search that was given up
        if answer == SEARCH_BEGUN:
            self._watched_from = time.monotonic()
            self._has_begun = True
            return
        with suppress(OSError):
            self._inbox.send_bytes(answer)

    def lose(self, reason: str) -> None:
        self._loss = self._loss or reason
        self._inbox.close()


class ClusterManager(Manager):
    """`workers` of the base class is the number of threads that the cluster has now."""

    def __init__(self, link: ClusterLink, caps: Caps, plan: MemoryPlan, grace: float) -> None:
        self._link = link
        super().__init__(1, caps, plan, grace)
        link.on_change = self._wake
        self._wake()  # for what changed before

    @property
    def workers(self) -> int:
        return max(1, sum(self._link.workers().values()))

    def health(self) -> HostHealth:
        """As of a local host, but the memory of other machines is not known here."""
        outage = self._link.outage()
        found = super().health()
        return replace(
            found,
            is_running=found.is_running and outage is None,
            last_failure=found.last_failure if outage is None else str(outage),
        )

    def end_pondering(self, game_id: str) -> None:
        """A search for this game was asked for elsewhere."""
        with self._lock:
            self._end_pondering(game_id)
            self._wakeup.set()

    def close(self) -> None:
        super().close()
        self._link.close()

    def _wake(self) -> None:
        with self._lock:
            self._wakeup.set()

    def _hire(self) -> None:
        """Use each thread of each worker that has come."""
        threads = self._link.workers()
        with self._lock:
            have = Counter(member.address for member in self._crew if isinstance(member, ClusterMember))
            for address, count in threads.items():
                for _ in range(count - have[address]):
                    self._crew.append(ClusterMember(self._link, address, self._caps, self._grace))
            self._workers = len(self._crew)
            outage = self._link.outage()
            lost = self._waiting() if outage is not None else []
            for ticket in lost:
                assert outage is not None
                self._scheduler.remove(ticket)
                self._finish(ticket, outage)

    def _seconds_to_wait(self) -> float:
        seconds = super()._seconds_to_wait()
        return min(seconds, OUTAGE_CHECK_S) if self._waiting() else seconds

    def _count_failed_start(self, why: str) -> None:
        """A worker was lost before it was used: others may come, and the link knows if none do."""
