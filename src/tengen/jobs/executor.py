"""Worker processes on this machine, as a `concurrent.futures.Executor`.

Why not `ProcessPoolExecutor`: its workers share two queues, so if one dies, all are killed and every running and
pending call fails. Hours of unrelated work are lost, and the cause is unknown. Here each worker has its own pipe.
A worker that dies fails only its own call and is replaced when there is work.

One thread, the manager, owns the workers: it starts them, assigns calls, receives answers and reaps exited
processes. If it fails from a bug, it continues with new workers: running calls fail with `WorkerDied`, pending
ones are kept. `submit`, `kill` and `shutdown` change state under the lock and wake the manager. Invariants:

- `worker.call` is set while the worker has a call that it has not answered. Only the manager changes it, under the
  lock, so that `kill` cannot hit a worker that has already moved on to another call.
- Futures are completed by the manager, outside the lock, because their callbacks may call the executor.
- The manager thread ends after all workers, because they die with it (see `processes`).
- `_open` contains every call whose future is not done, in the order of submission.
"""

from __future__ import annotations

import atexit
import logging
import multiprocessing
import pickle
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import TracebackType
from typing import ParamSpec, TypeVar, cast

from tengen.core.errors import OptionError
from tengen.jobs.processes import Wakeup, available_cores, join_process, shield_children_from_interrupts
from tengen.jobs.restart_backoff import RestartBackoff
from tengen.jobs.task import one_line
from tengen.jobs.worker import serve, unpack

P = ParamSpec("P")
T = TypeVar("T")

# A worker may be killed by coincidence while it starts. This many in a row are not a coincidence: the program
# cannot be imported, or its main module lacks the guard that spawning needs.
_START_ATTEMPTS = 3
_MAX_CONSECUTIVE_RESTARTS = 3  # of the manager; then the executor is broken
MAX_WAIT_S = 30.0  # the manager checks deadlines at least this often
START_TIMEOUT_S = 1800.0  # of a worker including its initializer, which may compile kernels

_log = logging.getLogger(__name__)


class WorkerDied(BrokenExecutor):
    """The worker process died during this call. Other calls are not affected."""


class CallTimedOut(WorkerDied):
    """The call exceeded the executor's time limit and was killed."""


@dataclass(eq=False, slots=True)
class _Call:
    future: Future[object]
    message: bytes
    killed: bool = False  # by request, so it must not be assigned to another worker
    timed_out: bool = False


@dataclass(eq=False, slots=True)
class _Worker:
    process: SpawnProcess
    connection: Connection
    started: bool = False  # set by the worker's first message
    call: _Call | None = None
    since: float = field(default_factory=time.monotonic)  # when it was started or received its call


@dataclass(frozen=True)
class ExecutorStatus:
    """Current workers and calls of an executor; `restarts` counts failures of its manager."""

    pids: tuple[int, ...]
    calls_running: int
    calls_queued: int
    is_broken: bool
    restarts: int
    last_failure: str


class LocalExecutor(Executor):
    """An executor of spawned processes, by default one per core. They start when there is work.

    Use it in a `with` statement: leaving the block normally waits for the calls, leaving it by an exception
    (Ctrl-C) kills the workers at once. `initializer(*initargs)` is called in each worker before its first call. A
    call that takes longer than `call_timeout_s` is killed, and its future fails with `CallTimedOut`. Workers are
    daemonic: a call may start processes with `subprocess`, but not with `multiprocessing`.
    """

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
        self._initializer = initializer
        self._initargs = initargs
        self._call_timeout_s = float("inf") if call_timeout_s is None else call_timeout_s
        self._lock = threading.Lock()
        self._manager: threading.Thread | None = None
        self._pending: deque[_Call] = deque()
        self._open: dict[_Call, None] = {}
        self._restarts = RestartBackoff()
        self._processes: list[_Worker] = []
        self._failed_starts = 0
        self._closing = False
        self._terminated = False  # a call that is being assigned must not go to another worker
        self._broken: BrokenExecutor | None = None
        self._wakeup = Wakeup()  # used with the lock held
        _open_executors.add(self)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            message = pickle.dumps((fn, args, kwargs), pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # caused by the arguments, so the future reports it
            future.set_running_or_notify_cancel()
            future.set_exception(error)
            return future
        with self._lock:
            if self._broken is not None:
                raise BrokenExecutor(str(self._broken)) from self._broken
            if self._closing:
                raise RuntimeError("the executor has been shut down")
            call = _Call(cast("Future[object]", future), message)
            self._pending.append(call)
            self._open[call] = None
            if self._manager is None or not self._manager.is_alive():
                failed = None if self._manager is None else RuntimeError("the manager thread ended")
                self._manager = threading.Thread(
                    target=self._manage, args=(failed,), name="job manager", daemon=True
                )
                self._manager.start()
            self._wakeup.set()
        return future

    def status(self) -> ExecutorStatus:
        with self._lock:
            return ExecutorStatus(
                pids=tuple(worker.process.pid for worker in self._processes if worker.process.pid is not None),
                calls_running=sum(worker.call is not None for worker in self._processes),
                calls_queued=sum(not call.future.cancelled() for call in self._pending),
                is_broken=self._broken is not None,
                restarts=self._restarts.count,
                last_failure=self._restarts.last_failure if self._broken is None else str(self._broken),
            )

    def kill(self, future: Future[T]) -> None:
        """Kill the worker that runs this call, if any. The future then fails with `WorkerDied`."""
        with self._lock:
            for worker in self._processes:
                if worker.call is not None and worker.call.future is future:
                    worker.call.killed = True
                    worker.process.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._lock:
            self._closing = True
            cancelled: list[_Call] = []
            if cancel_futures:
                cancelled.extend(self._pending)
                self._pending.clear()
            self._wakeup.set()
        for call in cancelled:
            self._open.pop(call, None)
            if call.future.cancel():
                call.future.set_running_or_notify_cancel()
            else:  # it was assigned to a worker before, see _assign_calls
                call.future.set_exception(WorkerDied("the worker process died before this call began"))
        if wait and self._manager is not None:
            self._manager.join()
            self._fail_open("the manager of the workers ended before this call")

    def terminate(self) -> None:
        """Shut down at once: pending calls are cancelled, running ones fail with `WorkerDied`."""
        self.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._terminated = True
            for worker in self._processes:
                worker.process.kill()
        self.shutdown()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.shutdown()
        else:
            self.terminate()

    # ---- manager thread

    def _manage(self, failure: BaseException | None) -> None:
        try:
            while True:
                if failure is not None:
                    self._restart(failure)
                try:
                    shield_children_from_interrupts()
                    while self._step():
                        pass
                    return
                except BrokenExecutor:
                    raise
                except BaseException as error:
                    if self._restarts.in_a_row >= _MAX_CONSECUTIVE_RESTARTS:
                        raise
                    failure = error
        except BaseException as error:
            self._break(error)
        finally:
            self._stop_workers()

    def _restart(self, failure: BaseException) -> None:
        """Continue after a bug in the manager, with new workers and the pending calls."""
        reason = one_line(failure)
        delay_s = self._restarts.note_crash(reason)
        _log.error("the manager of job workers failed: %s; it restarts in %.1f s", reason, delay_s)
        _log.debug("the failure's traceback", exc_info=failure)
        with self._lock:
            processes, self._processes = self._processes, []
            for worker in processes:
                worker.call = None
                worker.process.kill()
            waiting = [call for call in self._open if not (call.future.running() or call.future.done())]
            self._pending = deque(waiting)
            self._wakeup.close()
            self._wakeup = Wakeup()
        self._fail_open("the worker process was stopped because its manager failed", only_running=True)
        for worker in processes:
            join_process(worker.process, worker.connection)
        time.sleep(delay_s)

    def _fail_open(self, reason: str, only_running: bool = False) -> None:
        """Fail unanswered calls, so that callers do not wait indefinitely."""
        for call in list(self._open):
            if only_running and not call.future.running():
                continue
            self._open.pop(call, None)
            if not call.future.done() and _start(call):
                call.future.set_exception(WorkerDied(reason))

    def _step(self) -> bool:
        """Do all pending work, then wait for an event. Returns False when the executor has finished."""
        self._spawn_workers()
        self._assign_calls()
        with self._lock:
            if self._closing and not self._pending and all(worker.call is None for worker in self._processes):
                return False
        by_connection = {worker.connection: worker for worker in self._processes}
        for ready in wait([self._wakeup.reader, *by_connection], self._seconds_to_wait()):
            if ready is self._wakeup.reader:
                with self._lock:
                    self._wakeup.clear()
            else:
                self._receive(by_connection[cast(Connection, ready)])
        with self._lock:
            for worker in self._processes:
                if time.monotonic() >= self._deadline(worker):
                    if worker.call is not None:
                        worker.call.killed = worker.call.timed_out = True
                    worker.process.kill()
        return True

    def _deadline(self, worker: _Worker) -> float:
        """The monotonic time at which a worker is killed for taking too long to start or to answer."""
        if not worker.started:
            return worker.since + START_TIMEOUT_S
        return float("inf") if worker.call is None else worker.since + self._call_timeout_s

    def _seconds_to_wait(self) -> float:
        first = min((self._deadline(worker) for worker in self._processes), default=float("inf"))
        return min(MAX_WAIT_S, max(0.0, first - time.monotonic()))

    def _spawn_workers(self) -> None:
        """Start workers while there are more pending calls than idle workers."""
        while True:
            with self._lock:
                free = sum(worker.call is None for worker in self._processes)
                if len(self._pending) <= free or len(self._processes) >= self.workers:
                    return
            ours, theirs = multiprocessing.Pipe()
            process = multiprocessing.get_context("spawn").Process(
                target=serve, args=(theirs, self._initializer, self._initargs), name="job worker", daemon=True
            )
            process.start()
            theirs.close()  # otherwise the end of the pipe would not be detected
            with self._lock:
                self._processes.append(_Worker(process, ours))

    def _assign_calls(self) -> None:
        for worker in [w for w in self._processes if w.started and w.call is None]:
            with self._lock:
                call = worker.call = self._next_call()
                worker.since = time.monotonic()
            if call is None:
                return
            try:
                worker.connection.send_bytes(call.message)
            except OSError:
                # The worker died while idle, before it received this call.
                with self._lock:
                    if not (call.killed or self._terminated):
                        worker.call = None
                        self._pending.appendleft(call)
                        self._wakeup.set()  # there may be no other event to wait for
                self._reap(worker)

    def _next_call(self) -> _Call | None:
        while self._pending:
            call = self._pending.popleft()
            if _start(call):
                return call
            self._open.pop(call, None)  # it was cancelled
        return None

    def _receive(self, worker: _Worker) -> None:
        try:
            message = worker.connection.recv_bytes()
        except (EOFError, OSError):
            self._reap(worker)
            return
        outcome = unpack(message)
        if not worker.started:
            if outcome.error is not None:
                raise BrokenExecutor(
                    f"a worker's initializer failed ({one_line(outcome.error)})"
                ) from outcome.error
            worker.started = True
            self._failed_starts = 0
            return
        with self._lock:
            call, worker.call = worker.call, None
        assert call is not None, "a worker answers only calls"
        self._restarts.note_success()
        if outcome.error is not None:
            call.future.set_exception(outcome.error)
        else:
            call.future.set_result(outcome.value)
        self._open.pop(call, None)
        if call.killed:  # it answered just before it was killed: do not assign it another call
            self._reap(worker)

    def _reap(self, worker: _Worker) -> None:
        """Remove a worker whose pipe was closed, and fail its call, if any."""
        with self._lock:
            self._processes.remove(worker)
        exit_reason = join_process(worker.process, worker.connection)
        if worker.call is not None:
            if worker.call.timed_out:
                error: WorkerDied = CallTimedOut(f"the call took more than {self._call_timeout_s:g} s")
            else:
                error = WorkerDied(f"the worker process {exit_reason} during this call")
            worker.call.future.set_exception(error)
            self._open.pop(worker.call, None)
        elif not worker.started:
            self._failed_starts += 1
            if self._failed_starts >= _START_ATTEMPTS:
                raise BrokenExecutor(
                    f"workers cannot start, the last one {exit_reason}: is the main module's own work guarded by "
                    "'if __name__ == \"__main__\":'?"
                )

    def _break(self, error: BaseException) -> None:
        """Mark the executor as broken and fail all calls."""
        if isinstance(error, BrokenExecutor):
            broken = error
        else:
            broken = BrokenExecutor(f"workers cannot be managed ({one_line(error)})")
            broken.__cause__ = error
        with self._lock:
            self._broken = broken
            calls = [call for call in self._open if not call.future.done() and _start(call)]
            self._open.clear()
            self._pending.clear()
            for worker in self._processes:
                worker.call = None
                worker.process.kill()
        for call in calls:
            call.future.set_exception(broken)

    def _stop_workers(self) -> None:
        with self._lock:
            processes, self._processes = self._processes, []
        for worker in processes:
            worker.connection.close()  # makes an idle worker exit
            if not worker.started:
                worker.process.kill()
        for worker in processes:
            join_process(worker.process, worker.connection)


def _start(call: _Call) -> bool:
    """Mark a call as running unless it was cancelled. A call that was returned to the queue is already running."""
    return call.future.running() or call.future.set_running_or_notify_cancel()


_open_executors: weakref.WeakSet[LocalExecutor] = weakref.WeakSet()


@atexit.register
def _terminate_all() -> None:
    """Terminate executors that were not shut down. Registered after multiprocessing's handler, so called before
    it.
    """
    for executor in list(_open_executors):
        executor.terminate()
