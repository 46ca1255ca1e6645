"""Worker processes on this machine, as a `concurrent.futures.Executor`.

Why not `ProcessPoolExecutor`: its workers share two queues, so if one dies, all are killed and every running and
pending call fails. Hours of unrelated work are lost, and the cause is unknown. Here each worker has its own pipe.
A worker that dies fails only its own call and is replaced when there is work.

`submit`, `kill` and `shutdown` change state under the lock and wake the manager thread (see `worker_pool`). If
that thread fails from a bug, it continues with new workers: running calls fail with `WorkerDied`, pending ones are
kept. Invariants:

- Futures are completed by the manager, outside the lock, because their callbacks may call the executor.
- `_open` contains every call whose future is not done, in the order of submission.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, cast

from tengen.core.errors import OptionError
from tengen.jobs.processes import available_cores
from tengen.jobs.worker import Outcome, ProgressMessage, pack_call
from tengen.jobs.worker_calls import CallCounter, WorkerCalls
from tengen.jobs.worker_pool import WorkerPool
from tengen.jobs.worker_process import UNWANTED, WorkerProcess

P = ParamSpec("P")
T = TypeVar("T")

OnProgress = Callable[[Any], None]

START_TIMEOUT_S = 1800.0  # of a worker including its initializer, which may compile kernels

_log = logging.getLogger(__name__)


class WorkerDied(BrokenExecutor):
    """The worker process died during this call. Other calls are not affected."""


class CallTimedOut(WorkerDied):
    """The call exceeded the executor's time limit and was killed."""


@dataclass(eq=False, slots=True)
class Call:
    """A submitted call."""

    future: Future[object]
    message: bytes
    on_progress: OnProgress | None
    attempts_left: int

    def start(self) -> bool:
        """Mark the call as running unless it was cancelled. A call that was queued again is already running."""
        return self.future.running() or self.future.set_running_or_notify_cancel()


@dataclass(frozen=True)
class ExecutorHealth:
    """Current state of an executor, JSON-compatible by `dataclasses.asdict`. Processes start when there is work.

    `restarts` counts failures of the manager thread, in a `HelperPool` also crashed processes.
    """

    name: str
    workers_wanted: int
    workers_alive: int
    calls_running: int
    calls_queued: int
    restarts: int
    last_failure: str


class LocalExecutor(WorkerPool[WorkerProcess[Call]], Executor):
    """An executor of spawned processes, by default one per core. They start when there is work.

    Use it in a `with` statement: leaving the block normally waits for the calls, leaving it by an exception
    (Ctrl-C) kills the workers at once. `initializer(*initargs)` is called in each worker before its first call. A
    call that returns nothing and reports no progress for `call_timeout_s` seconds is killed, and its future fails
    with `CallTimedOut`.
    """

    name = "jobs"
    _attempts = 1  # of a call whose worker dies

    def __init__(
        self,
        workers: int | None = None,
        *,
        initializer: Callable[..., object] | None = None,
        initargs: tuple[object, ...] = (),
        call_timeout_s: float | None = None,
    ) -> None:
        if workers is not None and workers < 1:
            raise OptionError(f"an executor needs at least one worker, not {workers}")
        self.workers = available_cores() if workers is None else workers
        super().__init__("manager of job workers", self.workers)
        self._initializer = initializer
        self._initargs = initargs
        self._call_timeout_s = float("inf") if call_timeout_s is None else call_timeout_s
        self._pending: deque[Call] = deque()
        self._open: dict[Call, None] = {}
        self._counter = CallCounter()
        self._is_shut_down = False
        self._broken: BrokenExecutor | None = None
        _open_executors.add(self)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return self.submit_with_progress(None, fn, *args, **kwargs)

    def submit_with_progress(
        self, on_progress: OnProgress | None, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        """Like `submit`. The manager thread calls `on_progress` with each argument of `worker.report_progress`."""
        future: Future[T] = Future()
        try:
            message = pack_call(fn, *args, **kwargs)
        except Exception as error:  # caused by the arguments, so the future reports it
            future.set_running_or_notify_cancel()
            future.set_exception(error)
            return future
        with self._lock:
            self._check_usable()
            call = Call(cast("Future[object]", future), message, on_progress, self._attempts)
            self._pending.append(call)
            self._open[call] = None
            self._thread.start()
            self._wakeup.set()
        return future

    def _check_usable(self) -> None:
        """Raise if no call can be submitted. Called in any thread, with the lock held."""
        if self._broken is not None:
            raise BrokenExecutor(str(self._broken)) from self._broken
        if self._is_shut_down:
            raise RuntimeError("the executor has been shut down")

    def worker_calls(self) -> list[WorkerCalls]:
        """The calls of each process, also of those that have exited."""
        return self._counter.workers({_process_name(pid) for pid in self.pids()})

    def pids(self) -> tuple[int, ...]:
        """The ids of the worker processes."""
        with self._lock:
            return tuple(worker.pid for worker in self._workers)

    def health(self) -> ExecutorHealth:
        with self._lock:
            return ExecutorHealth(
                name=self.name,
                workers_wanted=self.workers,
                workers_alive=len(self._workers),
                calls_running=sum(worker.task is not None for worker in self._workers),
                calls_queued=self._calls_queued(),
                restarts=self._thread.restarts.count,
                last_failure=self._thread.restarts.last_failure if self._broken is None else str(self._broken),
            )

    def _calls_queued(self) -> int:
        return sum(not call.future.cancelled() for call in self._pending)

    def kill(self, future: Future[T]) -> None:
        """Kill the worker that runs this call, if any. The future then fails with `WorkerDied`."""
        with self._lock:
            for worker in self._workers:
                if worker.task is not None and worker.task.future is future:
                    worker.task.attempts_left = 0
                    worker.kill("was killed")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._lock:
            self._is_shut_down = True
            cancelled: list[Call] = []
            if cancel_futures:
                cancelled.extend(self._pending)
                self._pending.clear()
            self._wakeup.set()
        for call in cancelled:
            if call.future.cancel():
                self._open.pop(call, None)
                call.future.set_running_or_notify_cancel()
            else:  # it was assigned to a worker before
                self._finish(call, error=self._failure("the worker process died before this call began"))
        if wait and self._thread.thread is not threading.current_thread():
            self._thread.join()
            self._fail_calls(list(self._open), "the manager of the workers ended before this call")
            with self._lock:
                self._wakeup.close()

    def terminate(self) -> None:
        """Shut down at once: pending calls are cancelled, running ones fail with `WorkerDied`."""
        self.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            for worker in self._workers:
                if worker.task is not None:
                    worker.task.attempts_left = 0
                worker.kill(UNWANTED if worker.task is None else "was killed")
        self.shutdown()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.shutdown()
        else:
            self.terminate()

    # ---- manager thread

    def step(self) -> None:
        with self._lock:
            is_busy = self._pending or any(worker.task is not None for worker in self._workers)
            if self._is_shut_down and not is_busy:
                self._thread.request_close()
                return
        super().step()

    def _create_worker(self) -> WorkerProcess[Call]:
        return WorkerProcess("job worker", START_TIMEOUT_S, self._initializer, self._initargs)

    def _queue_length(self) -> int:
        return len(self._pending)

    def _take_task(self, worker: WorkerProcess[Call]) -> bytes | None:
        while self._pending:
            call = self._pending.popleft()
            if call.start():
                worker.task = call
                worker.started_at = time.monotonic()
                worker.watch(self._call_timeout_s)
                return call.message
            self._open.pop(call, None)  # it was cancelled
        return None

    def _return_task(self, worker: WorkerProcess[Call]) -> None:
        call = worker.task
        if call is not None and call.attempts_left:
            worker.task = None
            self._pending.appendleft(call)

    def _handle(self, worker: WorkerProcess[Call], message: Outcome | ProgressMessage) -> None:
        call = worker.task
        if call is None:  # dropped while its answer was in the pipe
            return
        if isinstance(message, ProgressMessage):
            worker.watch(self._call_timeout_s)
            if call.on_progress is not None:
                try:
                    call.on_progress(message.value)
                except Exception:
                    _log.exception("a progress callback failed")
            return
        with self._lock:
            worker.task = None
            worker.watch(float("inf"))
        self._counter.add(_process_name(worker.pid), time.monotonic() - worker.started_at)
        self._thread.restarts.note_success()
        self._finish(call, message.value, message.error)

    def _handle_exit(self, worker: WorkerProcess[Call], reason: str) -> None:
        call = worker.task
        if call is None:
            return
        if worker.is_overdue or not worker.kill_reason:  # otherwise nobody wanted the result any more
            self._counter.add_lost(_process_name(worker.pid))
        call.attempts_left -= 1
        if call.attempts_left > 0:
            with self._lock:
                self._pending.appendleft(call)
            return
        if worker.is_overdue:
            reason = f"the call took more than {self._call_timeout_s:g} s"
        else:
            reason = f"the worker process {reason} during this call"
        self._finish(call, error=self._failure(reason, timed_out=worker.is_overdue))

    def _handle_failed_starts(self, reason: str) -> None:
        self._break(f"workers cannot start, {reason}")

    def _reset_tasks(self, workers: Sequence[WorkerProcess[Call]]) -> None:
        for call in self._open:
            if call.future.running():
                call.attempts_left -= 1
        self._pending = deque(call for call in self._open if call.attempts_left > 0 and not call.future.done())

    def recover(self) -> None:
        super().recover()
        self._fail_calls(
            [call for call in self._open if call.attempts_left <= 0],
            "the worker process was stopped because its manager failed",
        )
        if self._manager_keeps_failing:
            self._break(f"workers cannot be managed ({self._thread.restarts.last_failure})")

    def abandon(self) -> None:
        super().abandon()
        self._fail_calls(list(self._open), "the manager of the workers failed")

    def _break(self, reason: str) -> None:
        """Mark the executor as broken and fail all calls."""
        with self._lock:
            self._broken = BrokenExecutor(reason)
            self._thread.request_close()
            calls = self._drop_calls()
        for call in calls:
            self._finish(call, error=self._broken)

    def _drop_calls(self) -> list[Call]:
        """Remove all calls from the queue and from the workers, which are killed. Called with the lock held."""
        calls = list(self._open)
        self._pending.clear()
        for worker in self._workers:
            worker.task = None
            worker.kill(UNWANTED)
        return calls

    # ---- futures, in any thread

    def _failure(self, reason: str, *, timed_out: bool = False) -> Exception:
        """The exception of a call that was lost."""
        return CallTimedOut(reason) if timed_out else WorkerDied(reason)

    def _fail_calls(self, calls: list[Call], reason: str) -> None:
        """Fail unanswered calls, so that callers do not wait indefinitely."""
        for call in calls:
            self._finish(call, error=self._failure(reason))

    def _finish(self, call: Call, value: object = None, error: BaseException | None = None) -> None:
        """Complete the future of a call unless it was cancelled."""
        if not call.future.done() and call.start():
            if error is not None:
                call.future.set_exception(error)
            else:
                call.future.set_result(value)
        self._open.pop(call, None)


def _process_name(pid: int) -> str:
    return f"process {pid}"


_open_executors: weakref.WeakSet[LocalExecutor] = weakref.WeakSet()


@atexit.register
def _terminate_all() -> None:
    """Terminate executors that were not shut down. Registered after multiprocessing's handler, so called before
    it.
    """
    for executor in list(_open_executors):
        executor.terminate()
