"""The engine host's manager thread, which assigns searches to workers.

The manager owns the workers: it starts them, assigns searches, receives answers, kills workers that hang and reaps
exited ones. Callers change the queues under the lock and wake the manager; only a stop is written directly into
the memory shared with the worker. Invariants:

- An unanswered search belongs to the scheduler or to one worker (or, briefly, to `_reap`), never to two.
- `worker.task` changes only under the lock, so a stop cannot hit a worker that has moved on to another search.
- Futures are resolved by the callback thread, never under the lock; anyone may cancel one at any time.
- The manager exits last, after all workers, because they are killed when it exits.
- `_unfinished` holds every unanswered search, so none is lost when this thread fails.

If this thread fails because of a bug, it restarts with new workers and new queues and retries the searches that
were running. It and the callback thread check each other for crashes and hangs.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from contextlib import suppress
from multiprocessing.connection import wait

from tengen.core.errors import TengenError
from tengen.core.resource_limits import LimitExceeded, resource_limits
from tengen.jobs.processes import Wakeup, shield_children_from_interrupts
from tengen.jobs.supervised_thread import CHECK_INTERVAL_S, SupervisedThread
from tengen.jobs.task import one_line
from tengen.jobs.worker import RemoteError
from tengen.runtime.callbacks import CallbackThread
from tengen.runtime.health import HostHealth, WorkerStatus
from tengen.runtime.memory_plan import MemoryPlan
from tengen.runtime.messages import (
    EngineCrashed,
    EnginesDropped,
    HostClosed,
    Progress,
    SearchCaps,
    SearchFailure,
    SearchJob,
    Stage,
    WorkerMessage,
    WorkerReady,
)
from tengen.runtime.scheduler import Scheduler, SearchTask
from tengen.runtime.worker_process import WorkerProcess
from tengen.search.report import Report

MAX_CRASHES = 3
MAX_FAILED_STARTS = 3  # in a row: more than bad luck
MAX_RESTARTS = 3  # of this thread in a row; after that, searches fail instead of waiting for the next restart
STOP_TIMEOUT_S = 1.0  # for searches to stop when the host closes; compilation cannot be stopped
CLOSE_TIMEOUT_S = 60.0
RESTARTED_MESSAGE = "The engine host was restarted. Please try again."

_log = logging.getLogger(__name__)


class Manager:
    """Runs searches on worker processes: the manager thread and its thread-safe interface."""

    def __init__(self, workers: int, caps: SearchCaps, plan: MemoryPlan, grace_s: float) -> None:
        self._max_workers = workers
        self._caps = caps
        self._plan = plan
        self._grace_s = grace_s
        self._lock = threading.Lock()
        self._wakeup = Wakeup()  # used with the lock held
        self._workers: list[WorkerProcess] = []
        self._retired: list[WorkerProcess] = []  # asked to exit, not yet joined
        self._recycle_count = 0
        self._unfinished: set[SearchTask] = set()
        self._scheduler: Scheduler[WorkerProcess] = Scheduler(plan.engines_per_worker)
        self._failed_starts = 0
        self._thread = SupervisedThread("engine host", self)
        self.callbacks = CallbackThread(self._thread.check)
        self._thread.start()

    # ---- for callers, in any thread

    def add(self, task: SearchTask) -> None:
        """Queue a search. Raises `LimitExceeded` if too many are queued, `HostClosed` after `close`."""
        self._thread.check()
        most = resource_limits().searches_queued
        with self._lock:
            if self._thread.is_closing:
                raise HostClosed("the engine host is closed")
            # Background searches and games have separate limits: many analyses must not keep anyone from playing.
            queued = len(self._scheduler.waiting(background=task.background))
            if queued >= most:
                raise LimitExceeded(f"The server is busy: {queued} searches are waiting. Try again later.")
            if not task.ponder:
                self._end_pondering(task.game_id)
            self._unfinished.add(task)
            self._scheduler.add(task)
            self._wakeup.set()
        task.subscriber.future.add_done_callback(lambda future: self._note_done(task))

    def stop(self, task: SearchTask) -> None:
        """End a search early: it reports its best result so far."""
        with self._lock:
            self._stop(task)
            self._wakeup.set()

    def status(self) -> list[WorkerStatus]:
        with self._lock:
            return [
                WorkerStatus(
                    worker.pid,
                    None if worker.task is None else worker.task.key,
                    self._scheduler.engines(worker),
                )
                for worker in self._workers
                if worker.is_ready and not worker.kill_reason
            ]

    def health(self) -> HostHealth:
        with self._lock:
            workers = list(self._workers)
            running = sum(worker.task is not None for worker in workers)
            queued = len(self._queued())
        used = [worker.memory_mb() for worker in workers]
        restarts = self._thread.restarts
        return HostHealth(
            is_running=self._thread.is_alive() and not self._thread.is_closing,
            workers_wanted=self._max_workers,
            workers_alive=sum(worker.is_ready and not worker.kill_reason for worker in workers),
            searches_running=running,
            searches_queued=queued,
            searches_queued_limit=resource_limits().searches_queued,
            restarts=restarts.count + self.callbacks.restarts.count,
            workers_recycled=self._recycle_count,
            last_failure=restarts.last_failure or self.callbacks.restarts.last_failure,
            memory_mb=None if None in used else sum(one for one in used if one is not None),
            memory_budget_mb=self._plan.budget_mb,
        )

    def close(self) -> None:
        """Cancel all searches and end the workers. Returns when they have exited."""
        with self._lock:
            self._thread.request_close()
            self._wakeup.set()
        self._thread.join(CLOSE_TIMEOUT_S)
        self.callbacks.close()
        with self._lock:
            self._wakeup.close()

    def _stop(self, task: SearchTask) -> None:
        if task.stopped:
            return
        task.stopped = True
        worker = self._worker_running(task)
        if worker is not None:
            worker.stop()
        elif self._scheduler.remove(task):
            self._requeue(task)

    def _end_pondering(self, game_id: str) -> None:
        at_work = (worker.task for worker in self._workers if worker.task is not None)
        for task in (*self._scheduler.waiting(background=True), *at_work):
            if task.ponder and task.game_id == game_id:
                self._stop(task)

    def _note_done(self, task: SearchTask) -> None:
        """Release the worker or queue entry of a cancelled search."""
        if not task.subscriber.future.cancelled():
            return
        with self._lock:
            self._unfinished.discard(task)
            task.stopped = True
            worker = self._worker_running(task)
            if worker is not None:
                worker.stop()
            self._scheduler.remove(task)
            self._wakeup.set()
        self.callbacks.cancel(task.subscriber)  # also notifies `concurrent.futures.wait`

    def _worker_running(self, task: SearchTask) -> WorkerProcess | None:
        return next((worker for worker in self._workers if worker.task is task), None)

    def _requeue(self, task: SearchTask) -> None:
        """Put a search back at the head of its queue. A stopped one finishes at once if it has a report."""
        if task.stopped:
            if task.best_report is not None:
                self._finish(task, task.best_report)
                return
            if task.ponder:
                self._unfinished.discard(task)
                self.callbacks.cancel(task.subscriber)
                return
            task.background = False  # a stopped search takes only milliseconds
        self._scheduler.add(task, first=True)

    def _finish(self, task: SearchTask, result: Report | TengenError) -> None:
        self.callbacks.finish(task.subscriber, result)
        self._unfinished.discard(task)  # last, so that a failure of this thread in between loses nothing

    # ---- for the manager's thread only

    def recover(self) -> None:
        """Replace all workers and requeue all searches; those that were running lose one attempt."""
        with self._lock:
            workers, self._workers = [*self._workers, *self._retired], []
            self._retired = []
            for worker in workers:
                if worker.task is not None:
                    worker.task.seconds_spent += time.monotonic() - worker.started_at
            were_waiting = set(self._queued())
            self._scheduler = Scheduler(self._plan.engines_per_worker)
            for task in sorted(self._unfinished, key=lambda one: one.requested_at):
                task.crashes += task not in were_waiting
                if task.crashes >= MAX_CRASHES or self._thread.restarts.in_a_row >= MAX_RESTARTS:
                    self._finish(task, EngineCrashed(RESTARTED_MESSAGE))
                elif task in were_waiting:
                    self._scheduler.add(task)
                else:
                    self.callbacks.progress(task.subscriber, Progress(Stage.RETRYING, note="the host restarted"))
                    self._requeue(task)
            self._wakeup.close()
            self._wakeup = Wakeup()
        for worker in workers:
            with suppress(Exception):
                worker.kill("was replaced")
                worker.join()

    def unblock(self) -> None:
        for worker in list(self._workers):  # without the lock: the hanging thread may hold it
            worker.kill("was killed because the engine host hung")

    def abandon(self) -> None:
        for worker in (*self._workers, *self._retired):
            worker.kill("was no longer needed")
        for task in list(self._unfinished):
            self.callbacks.cancel(task.subscriber)

    def step(self) -> None:
        self.callbacks.check()
        self._spawn_workers()
        with self._lock:
            lost = self._assign_tasks()
            self._preempt_background()
            seconds = self._seconds_to_wait()
            by_connection: dict[object, WorkerProcess] = {worker.connection: worker for worker in self._workers}
        if lost is not None:
            self._reap(lost)
            return
        for ready in wait([self._wakeup.reader, *(worker.connection for worker in self._workers)], seconds):
            if ready is self._wakeup.reader:
                with self._lock:
                    self._wakeup.clear()
            else:
                self._receive(by_connection[ready])
        with self._lock:
            for worker in self._workers:
                if time.monotonic() >= worker.deadline():
                    worker.kill("did not answer in time and was killed")

    def _spawn_workers(self) -> None:
        """Start workers while more searches are queued than workers are free."""
        while True:
            with self._lock:
                free = sum(worker.task is None for worker in self._workers)
                if (
                    len(self._queued()) <= free
                    or len(self._workers) >= self._max_workers
                    or self._thread.is_closing
                ):
                    return
            try:
                shield_children_from_interrupts()
                worker = WorkerProcess(self._caps, self._grace_s)
            except Exception as error:  # out of memory or processes, or this process is itself a daemonic worker
                self._count_failed_start(one_line(error))
            else:
                with self._lock:
                    self._workers.append(worker)

    def _queued(self) -> list[SearchTask]:
        return [*self._scheduler.waiting(background=False), *self._scheduler.waiting(background=True)]

    def _assign_tasks(self) -> WorkerProcess | None:
        """Assign queued searches to idle workers. Returns a worker that turned out to be dead, if any."""
        # Prefer the worker with the fewest engines, then the one that has been idle longest.
        for worker in sorted(self._workers, key=lambda m: (len(self._scheduler.engines(m)), m.started_at)):
            now = time.monotonic()
            if not worker.is_idle or (task := self._scheduler.take(worker, now)) is None:
                continue
            drop = self._scheduler.assign(task.key, worker)
            try:
                worker.send(task, SearchJob(task.key, task.import_path, task.request, task.limits_left(now), drop))
            except OSError:  # it died while idle, so the search is not to blame
                worker.task = None
                self._requeue(task)
                return worker
            self.callbacks.progress(task.subscriber, Progress(Stage.STARTED))
        return None

    def _preempt_background(self) -> None:
        """Pause background searches so that queued searches can run."""
        busy = [m for m in self._workers if m.task is not None and m.task.background and not m.is_yielding]
        waiting = self._scheduler.waiting(background=False)
        for task in waiting:
            preferred = self._scheduler.preferred_worker(task)
            if preferred is not None and preferred in busy:
                busy.remove(preferred)
                preferred.pause()
        soon_free = sum(worker.is_idle or worker.is_yielding for worker in self._workers)
        for worker in busy[: max(0, len(waiting) - soon_free)]:
            worker.pause()
        if self._is_background_contended():
            now = time.monotonic()
            over = [worker for worker in busy if now >= worker.slice_end()]
            for worker in over[: len(self._queued())]:
                worker.pause()

    def _is_background_contended(self) -> bool:
        """Whether all workers run background searches and more of them are queued."""
        games, background = (self._scheduler.waiting(background=background) for background in (False, True))
        return len(self._workers) == self._max_workers and bool(background) and not games

    def _seconds_to_wait(self) -> float:
        """Seconds until the next deadline, at most the interval in which this thread must report progress."""
        deadlines = [worker.deadline() for worker in self._workers]
        if any(worker.is_idle for worker in self._workers):
            deadlines.append(self._scheduler.affinity_wait_end())
        if self._is_background_contended():
            deadlines += [worker.slice_end() for worker in self._workers]
        first = min(deadlines, default=math.inf)
        return min(CHECK_INTERVAL_S, max(0.0, first - time.monotonic()))

    def _receive(self, worker: WorkerProcess) -> None:
        try:
            answer = worker.receive()
        except (EOFError, OSError):
            self._reap(worker)
            return
        with self._lock:
            self._note_answer(worker, answer)
            if worker.is_idle and not isinstance(answer, WorkerReady):
                self._check_memory(worker)
            retired, self._retired = self._retired, []
        for one in retired:
            one.join()

    def _check_memory(self, worker: WorkerProcess) -> None:
        """Make an idle worker drop engines if it uses too much memory; replace it if that is not enough."""
        used = worker.memory_mb()
        if used is None:
            return
        engines = self._scheduler.engines(worker)
        count = self._plan.engines_to_drop(engines, used)
        if count:
            worker.drop_engines(self._scheduler.evict(worker, count))
        elif self._plan.is_above_share(used):
            _log.info(
                "engine host: replacing worker %d, which uses %d MB (limit %d MB)",
                worker.pid,
                used,
                self._plan.share_mb,
            )
            self._recycle_count += 1
            self._workers.remove(worker)
            self._scheduler.remove_worker(worker)
            worker.connection.close()  # makes an idle worker exit
            self._retired.append(worker)

    def _note_answer(self, worker: WorkerProcess, answer: WorkerMessage) -> None:
        if isinstance(answer, WorkerReady):
            worker.is_ready = True
            self._failed_starts = 0
            return
        if isinstance(answer, EnginesDropped):
            return
        task = worker.task
        assert task is not None, "workers send answers only while they have a task"
        if isinstance(answer, Progress):
            self.callbacks.progress(task.subscriber, answer)
            return
        worker.task = None
        self._thread.restarts.note_success()
        if isinstance(answer, SearchFailure):
            if answer.trace:
                answer.error.__cause__ = RemoteError(answer.trace)
            self._finish(task, answer.error)
        elif not task.background:
            self._finish(task, answer)
        else:
            self._note_slice(task, answer, time.monotonic() - worker.started_at, worker.is_yielding)

    def _note_slice(self, task: SearchTask, report: Report, seconds: float, has_yielded: bool) -> None:
        """Record the result of a background search that paused or ended."""
        best_report = task.add_slice(report, seconds)
        if has_yielded and not task.is_finished:
            self._scheduler.add(task)
        else:
            self._finish(task, best_report)

    def _reap(self, worker: WorkerProcess) -> None:
        """Remove an exited worker. Its search is retried elsewhere within its remaining time."""
        with self._lock:
            self._workers.remove(worker)
            self._scheduler.remove_worker(worker)
        exit_reason = worker.join()
        if not worker.is_ready:
            self._count_failed_start(f"the last one {exit_reason}")
        task = worker.task
        if task is None:
            return
        with self._lock:
            task.crashes += 1
            task.seconds_spent += time.monotonic() - worker.started_at
            if task.subscriber.future.cancelled():
                return
            if task.crashes < MAX_CRASHES:
                self.callbacks.progress(task.subscriber, Progress(Stage.RETRYING, note=f"a worker {exit_reason}"))
                self._requeue(task)
                return
            self._finish(
                task,
                EngineCrashed(
                    f"the engine {task.config.engine} crashed: its worker died {task.crashes} times, "
                    f"the last one {exit_reason}"
                ),
            )

    def _count_failed_start(self, reason: str) -> None:
        """After several failures in a row, fail all queued searches. Later searches try again."""
        self._failed_starts += 1
        if self._failed_starts < MAX_FAILED_STARTS:
            return
        self._failed_starts = 0
        error = EngineCrashed(
            f"engine workers cannot start ({reason}). Check that the main module guards its code with "
            "'if __name__ == \"__main__\":'."
        )
        with self._lock:
            for task in self._queued():
                self._scheduler.remove(task)
                self._finish(task, error)

    def finish(self) -> None:
        """Cancel all searches and end all workers."""
        with self._lock:
            workers, self._workers = self._workers, []
            tasks, self._unfinished = self._unfinished, set()
            for task in tasks:
                self._scheduler.remove(task)
        for task in tasks:
            self.callbacks.cancel(task.subscriber)
        for worker in workers:
            worker.stop()
            worker.connection.close()  # makes an idle worker exit
            if not worker.is_ready:
                worker.kill("was no longer needed")
        deadline = time.monotonic() + STOP_TIMEOUT_S
        for worker in workers:
            worker.join(max(0.0, deadline - time.monotonic()))
