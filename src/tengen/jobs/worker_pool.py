"""A pool of worker processes and the thread that manages it.

The manager thread owns the workers: it starts them, assigns tasks, receives answers, kills workers that take too
long and reaps exited ones. Other threads change the queues under the lock and wake it. `LocalExecutor` and the
engine host's `Manager` are pools; they decide which task is next, what an answer means, and what happens to the
task of a worker that died. Invariants:

- `worker.task` changes only under the lock, so a stop or kill cannot hit a worker that has moved on.
- An unanswered task is queued or belongs to one worker (or, briefly, to `_reap`), never both.
- The manager thread ends after all workers, because they die with it (see `processes`).

If a step raises, the thread replaces all workers, queues their tasks again and goes on (see `supervised_thread`).
"""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from typing import Any, Generic, TypeVar

from tengen.jobs.processes import Wakeup, shield_children_from_interrupts
from tengen.jobs.supervised_thread import CHECK_INTERVAL_S, SupervisedThread
from tengen.jobs.task import one_line
from tengen.jobs.worker import Outcome, ProgressMessage
from tengen.jobs.worker_process import UNWANTED, WorkerProcess

W = TypeVar("W", bound=WorkerProcess[Any])

# A worker may be killed by coincidence while it starts. This many in a row are not a coincidence: the program
# cannot be imported, or its main module lacks the guard that spawning needs.
MAX_FAILED_STARTS = 3
MAX_RESTARTS = 3  # of the manager in a row; after that, tasks fail instead of waiting for the next restart
STOP_TIMEOUT_S = 1.0  # for workers to exit when the pool closes

_GUARD_HINT = "; check that the main module guards its code with 'if __name__ == \"__main__\":'"


class WorkerPool(ABC, Generic[W]):
    """Base class of pools. Methods with one underscore run in the manager thread unless they say otherwise."""

    def __init__(self, name: str, max_workers: int) -> None:
        self._max_workers = max_workers
        self._lock = threading.Lock()
        self._wakeup = Wakeup()  # used with the lock held
        self._workers: list[W] = []
        self._failed_starts = 0
        self._thread = SupervisedThread(name, self)

    @property
    def _manager_keeps_failing(self) -> bool:
        return self._thread.restarts.in_a_row >= MAX_RESTARTS

    # ---- decisions of the pool

    @abstractmethod
    def _create_worker(self) -> W:
        """Start a worker process."""

    @abstractmethod
    def _queue_length(self) -> int:
        """The number of queued tasks. Called with the lock held."""

    @abstractmethod
    def _take_task(self, worker: W) -> bytes | None:
        """Assign the next task to an idle worker and return the message to send. Called with the lock held."""

    @abstractmethod
    def _return_task(self, worker: W) -> None:
        """Queue a task again that could not be sent because its worker had died. Called with the lock held."""

    @abstractmethod
    def _handle(self, worker: W, message: Outcome | ProgressMessage) -> None:
        """Handle a message of a worker that is ready."""

    @abstractmethod
    def _handle_exit(self, worker: W, reason: str) -> None:
        """Handle the task, if any, of a worker that exited and was removed."""

    @abstractmethod
    def _handle_failed_starts(self, reason: str) -> None:
        """Handle that workers cannot be started."""

    @abstractmethod
    def _reset_tasks(self, workers: Sequence[W]) -> None:
        """Queue all tasks again after a failure of the manager. Called with the lock held."""

    def _assignment_order(self) -> Iterable[W]:
        """The workers, first those that should get the next task. Called with the lock held."""
        return list(self._workers)

    # ---- manager thread

    def step(self) -> None:
        """Do all pending work, then wait for an event."""
        self._spawn_workers()
        self._assign_tasks()
        with self._lock:
            by_connection: dict[object, W] = {worker.connection: worker for worker in self._workers}
            seconds = self._seconds_to_wait()
        for ready in wait([self._wakeup.reader, *by_connection], seconds):  # type: ignore[list-item]
            if ready is self._wakeup.reader:
                with self._lock:
                    self._wakeup.clear()
            else:
                self._receive(by_connection[ready])
        with self._lock:
            for worker in self._workers:
                if time.monotonic() >= worker.expires_at:
                    worker.is_overdue = True
                    worker.kill("did not answer in time and was killed")

    def _seconds_to_wait(self) -> float:
        """Seconds until the next deadline, at most the interval in which this thread must report progress."""
        first = min((worker.expires_at for worker in self._workers), default=math.inf)
        return min(CHECK_INTERVAL_S, max(0.0, first - time.monotonic()))

    def _spawn_workers(self) -> None:
        """Start workers while more tasks are queued than workers are free."""
        while True:
            with self._lock:
                free = sum(worker.task is None for worker in self._workers)
                if (
                    self._queue_length() <= free
                    or len(self._workers) >= self._max_workers
                    or self._thread.is_closing
                ):
                    return
            try:
                shield_children_from_interrupts()
                worker = self._create_worker()
            except Exception as error:  # out of memory or processes, or this process is daemonic
                self._count_failed_start(one_line(error))
            else:
                with self._lock:
                    self._workers.append(worker)

    def _assign_tasks(self) -> None:
        with self._lock:
            workers = self._assignment_order()
        for worker in workers:
            with self._lock:
                message = self._take_task(worker) if worker.is_idle else None
            if message is None:
                continue
            try:
                worker.send(message)  # without the lock: a large message waits until the worker reads it
            except OSError:  # it died while idle, so the task is not to blame
                with self._lock:
                    self._return_task(worker)
                    self._wakeup.set()  # there may be no other event to wait for
                self._reap(worker)

    def _receive(self, worker: W) -> None:
        try:
            message = worker.receive()
        except (EOFError, OSError):
            self._reap(worker)
            return
        if worker.is_ready:
            self._handle(worker, message)
        elif isinstance(message, Outcome) and message.error is not None:
            worker.kill(f"failed to initialize ({one_line(message.error)})")
        else:
            with self._lock:
                worker.is_ready = True
                worker.watch(math.inf)
                self._failed_starts = 0

    def _reap(self, worker: W) -> None:
        """Remove an exited worker."""
        with self._lock:
            self._workers.remove(worker)
        exit_reason = worker.join()
        if not worker.is_ready and worker.kill_reason != UNWANTED:
            self._count_failed_start(f"the last one {exit_reason}{'' if worker.kill_reason else _GUARD_HINT}")
        self._handle_exit(worker, exit_reason)

    def _count_failed_start(self, reason: str) -> None:
        self._failed_starts += 1
        if self._failed_starts >= MAX_FAILED_STARTS:
            self._failed_starts = 0
            self._handle_failed_starts(reason)

    # ---- supervision

    def recover(self) -> None:
        """Replace all workers and queue their tasks again."""
        with self._lock:
            workers, self._workers = self._workers, []
            self._reset_tasks(workers)
            self._wakeup.close()
            self._wakeup = Wakeup()
        for worker in workers:
            with suppress(Exception):
                worker.kill("was replaced")
                worker.join()

    def unblock(self) -> bool:
        for worker in list(self._workers):  # without the lock: the hanging thread may hold it
            worker.kill(f"was killed because the {self._thread.name} hung")
        return False

    def abandon(self) -> None:
        for worker in list(self._workers):
            worker.kill(UNWANTED)

    def finish(self) -> None:
        """End all workers."""
        with self._lock:
            workers, self._workers = self._workers, []
        for worker in workers:
            worker.close()
        deadline = time.monotonic() + STOP_TIMEOUT_S
        for worker in workers:
            worker.join(max(0.0, deadline - time.monotonic()))
