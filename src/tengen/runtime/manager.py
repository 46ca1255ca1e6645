"""The engine host's pool, which assigns searches to workers.

Only a stop is written directly into the memory shared with the worker; everything else is done by the manager
thread (see `jobs.worker_pool`). Invariants:

- An unanswered search belongs to the scheduler or to one worker (or, briefly, to `_reap`), never to two.
- Futures are resolved by the callback thread, never under the lock; anyone may cancel one at any time.
- `_unfinished` holds every unanswered search, so none is lost when the manager thread fails.

If the manager thread fails because of a bug, it restarts with new workers and new queues and retries the searches
that were running. It and the callback thread check each other for crashes and hangs.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Sequence

from tengen.core.errors import TengenError
from tengen.core.resource_limits import LimitExceeded, resource_limits
from tengen.core.translation import mark
from tengen.jobs.worker import Outcome, ProgressMessage
from tengen.jobs.worker_pool import WorkerPool
from tengen.runtime.callbacks import CallbackThread
from tengen.runtime.engine_worker import EngineWorker
from tengen.runtime.health import HostHealth, WorkerStatus
from tengen.runtime.memory_plan import MemoryPlan
from tengen.runtime.messages import (
    EngineCrashed,
    EngineError,
    HostClosed,
    Progress,
    SearchCaps,
    SearchJob,
    Stage,
)
from tengen.runtime.scheduler import Scheduler, SearchTask
from tengen.search.report import Report

MAX_CRASHES = 3
CLOSE_TIMEOUT_S = 60.0
RESTARTED_MESSAGE = mark("The engine host was restarted. Please try again.")

_log = logging.getLogger(__name__)


class Manager(WorkerPool[EngineWorker]):
    """Runs searches on worker processes."""

    def __init__(self, workers: int, caps: SearchCaps, plan: MemoryPlan, grace_s: float) -> None:
        super().__init__("engine host", workers)
        self._caps = caps
        self._plan = plan
        self._grace_s = grace_s
        self._recycle_count = 0
        self._unfinished: set[SearchTask] = set()
        self._scheduler: Scheduler[EngineWorker] = Scheduler(plan.engines_per_worker)
        self.callbacks = CallbackThread(self._thread.check)
        self._thread.start()

    # ---- for callers, in any thread

    def add(self, task: SearchTask) -> None:
        """Queue a search. Raises `LimitExceeded` if too many are queued, `HostClosed` after `close`."""
        self._thread.check()
        most = resource_limits().searches_queued
        with self._lock:
            if self._thread.is_closing:
                raise HostClosed(mark("the engine host is closed"))
            # Background searches and games have separate limits: many analyses must not keep anyone from playing.
            queued = len(self._scheduler.waiting(background=task.background))
            if queued >= most:
                raise LimitExceeded(
                    mark("The server is busy: {queued} searches are waiting. Try again later.").format(
                        queued=queued
                    )
                )
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

    def is_searching(self) -> bool:
        """Whether a search that is not in the background is running, and not waiting for kernels."""
        with self._lock:
            tasks = [worker.task for worker in self._workers if not worker.is_compiling]
        return any(task is not None and not task.background for task in tasks)

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

    def _worker_running(self, task: SearchTask) -> EngineWorker | None:
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
        self.callbacks.resolve(task.subscriber, result)
        self._unfinished.discard(task)  # last, so that a failure of this thread in between loses nothing

    # ---- for the manager's thread only

    def step(self) -> None:
        self.callbacks.check()
        super().step()

    def _create_worker(self) -> EngineWorker:
        return EngineWorker(self._caps, self._grace_s)

    def _queue_length(self) -> int:
        return len(self._queued())

    def _queued(self) -> list[SearchTask]:
        return [*self._scheduler.waiting(background=False), *self._scheduler.waiting(background=True)]

    def _assignment_order(self) -> list[EngineWorker]:
        """The worker with the fewest engines first, then the one that has been idle longest."""
        return sorted(self._workers, key=lambda m: (len(self._scheduler.engines(m)), m.started_at))

    def _assign_tasks(self) -> None:
        super()._assign_tasks()
        with self._lock:
            self._preempt_background()

    def _take_task(self, worker: EngineWorker) -> bytes | None:
        now = time.monotonic()
        task = self._scheduler.take(worker, now)
        if task is None:
            return None
        drop = self._scheduler.assign(task.key, worker)
        self.callbacks.progress(task.subscriber, Progress(Stage.STARTED))
        return worker.assign(
            task, SearchJob(task.key, task.import_path, task.request, task.limits_left(now), drop)
        )

    def _return_task(self, worker: EngineWorker) -> None:
        task, worker.task = worker.task, None
        if task is not None and not task.subscriber.future.cancelled():
            self._requeue(task)

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
        deadlines = []
        if any(worker.is_idle for worker in self._workers):
            deadlines.append(self._scheduler.affinity_wait_end())
        if self._is_background_contended():
            deadlines += [worker.slice_end() for worker in self._workers]
        first = min(deadlines, default=math.inf)
        return max(0.0, min(super()._seconds_to_wait(), first - time.monotonic()))

    def _handle(self, worker: EngineWorker, message: Outcome | ProgressMessage) -> None:
        with self._lock:
            self._note_answer(worker, message)
            is_retired = worker.is_idle and not self._check_memory(worker)
        if is_retired:
            worker.join()

    def _check_memory(self, worker: EngineWorker) -> bool:
        """Make an idle worker drop engines if it uses too much memory. If that is not enough, remove it: False."""
        used = worker.memory_mb()
        if used is None:
            return True
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
            return False
        return True

    def _note_answer(self, worker: EngineWorker, message: Outcome | ProgressMessage) -> None:
        task = worker.task
        if isinstance(message, ProgressMessage):
            assert isinstance(message.value, Progress)
            if task is not None:  # else a thread of the engine reports after its answer
                worker.note_progress(message.value)
                self.callbacks.progress(task.subscriber, message.value)
            return
        seconds, has_yielded = time.monotonic() - worker.started_at, worker.is_yielding
        worker.note_answer()
        if task is None:
            return  # it has dropped engines
        self._thread.restarts.note_success()
        report, error = message.value, message.error
        if not isinstance(report, Report):
            if not isinstance(error, TengenError):
                error = EngineError(f"the worker's answer could not be decoded ({error})")
            self._finish(task, error)
        elif not task.background:
            self._finish(task, report)
        else:
            self._note_slice(task, report, seconds, has_yielded)

    def _note_slice(self, task: SearchTask, report: Report, seconds: float, has_yielded: bool) -> None:
        """Record the result of a background search that paused or ended."""
        best_report = task.add_slice(report, seconds)
        if has_yielded and not task.is_finished:
            self._scheduler.add(task)
        else:
            self._finish(task, best_report)

    def _handle_exit(self, worker: EngineWorker, reason: str) -> None:
        """Retry the search of a worker that died, within its remaining time, or fail it after MAX_CRASHES."""
        with self._lock:
            self._scheduler.remove_worker(worker)
            task = worker.task
            if task is None:
                return
            task.crashes += 1
            task.seconds_spent += time.monotonic() - worker.started_at
            if task.subscriber.future.cancelled():
                return
            if task.crashes < MAX_CRASHES:
                self.callbacks.progress(task.subscriber, Progress(Stage.RETRYING, note=f"a worker {reason}"))
                self._requeue(task)
                return
            self._finish(
                task,
                EngineCrashed(
                    mark(
                        "the engine {engine} crashed: its worker died {crashes} times, the last one {reason}"
                    ).format(engine=task.config.engine, crashes=task.crashes, reason=reason)
                ),
            )

    def _handle_failed_starts(self, reason: str) -> None:
        """Fail all queued searches. Later searches try again."""
        self._fail_queued(EngineCrashed(f"engine workers cannot start: {reason}"))

    def _fail_queued(self, error: TengenError) -> None:
        with self._lock:
            for task in self._queued():
                self._scheduler.remove(task)
                self._finish(task, error)

    def _reset_tasks(self, workers: Sequence[EngineWorker]) -> None:
        """Requeue all searches; those that were running lose one attempt."""
        for worker in workers:
            if worker.task is not None:
                worker.task.seconds_spent += time.monotonic() - worker.started_at
        were_waiting = set(self._queued())
        self._scheduler = Scheduler(self._plan.engines_per_worker)
        for task in sorted(self._unfinished, key=lambda one: one.requested_at):
            task.crashes += task not in were_waiting
            if task.crashes >= MAX_CRASHES or self._manager_keeps_failing:
                self._finish(task, EngineCrashed(RESTARTED_MESSAGE))
            elif task in were_waiting:
                self._scheduler.add(task)
            else:
                self.callbacks.progress(task.subscriber, Progress(Stage.RETRYING, note="the host restarted"))
                self._requeue(task)

    def abandon(self) -> None:
        super().abandon()
        self._cancel_all()

    def finish(self) -> None:
        """Cancel all searches and end all workers."""
        self._cancel_all()
        super().finish()

    def _cancel_all(self) -> None:
        with self._lock:
            tasks, self._unfinished = self._unfinished, set()
            for worker in self._workers:
                if worker.task is not None:
                    worker.stop()
            for task in tasks:
                self._scheduler.remove(task)
        for task in tasks:
            self.callbacks.cancel(task.subscriber)
