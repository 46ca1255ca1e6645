"""Processes on this machine, as a `concurrent.futures.Executor`.

Why not `ProcessPoolExecutor`: its workers share two queues, so when one dies, all are killed and every
running and pending call fails. Hours of innocent work are lost, and nobody knows who did it. Here each worker
has its own pipe. A worker that dies takes one call with it, the one to blame, and is replaced when there is
work.

One thread, the manager, owns the workers: it starts them, hands out calls, hears answers and reaps exited ones.
If it fails from a bug, it goes on with new workers: calls that ran fail with `WorkerDied`, waiting ones are done.
All else (`submit`, `kill`, `shutdown`) leaves a note under the lock and wakes it. Invariants:

- `worker.call` is set while the worker has a call that it has not answered; only the manager changes it, and
  under the lock, so that `kill` cannot hit a worker that has gone on to another call.
- A future is finished by the manager, outside the lock, since its callbacks may call us.
- The manager ends last, after all workers: they die with it (see `worker`).
- `_open` holds every call whose future is not done, in the order of submission.
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
from tengen.jobs.processes import Bell, available_cores, end, shield_children_from_interrupts
from tengen.jobs.restarts import Restarts
from tengen.jobs.task import one_line
from tengen.jobs.worker import serve, unpack

P = ParamSpec("P")
T = TypeVar("T")

# A worker may be killed by chance while it starts. So many in a row are no chance: the program cannot be
# imported, or its main module lacks the guard that spawning needs.
_START_ATTEMPTS = 3
_MOST_RESTARTS = 3  # of the manager in a row: then it cannot work at all
LONGEST_WAIT_S = 30.0  # of the manager, before it looks at deadlines again
START_TIMEOUT_S = 1800.0  # for a worker with its initializer, which may compile kernels

_log = logging.getLogger(__name__)


class WorkerDied(BrokenExecutor):
    """The worker process ended during this very call. No other call is concerned."""


class CallTimedOut(WorkerDied):
    """The call took longer than the executor allows, and was ended."""


@dataclass(eq=False, slots=True)
class _Call:
    future: Future[object]
    message: bytes
    killed: bool = False  # by request, so it must not be handed to another worker
    timed_out: bool = False


@dataclass(eq=False, slots=True)
class _Worker:
    process: SpawnProcess
    connection: Connection
    started: bool = False  # it has said hello
    call: _Call | None = None
    since: float = field(default_factory=time.monotonic)  # it was started, or has this call


@dataclass(frozen=True)
class ExecutorStatus:
    """The workers and calls of an executor now; `restarts` counts failures of its manager."""

    pids: tuple[int, ...]
    calls_running: int
    calls_queued: int
    is_broken: bool
    restarts: int
    last_failure: str


class LocalExecutor(Executor):
    """Spawned processes, as many as there are cores unless told otherwise; they start when there is work.

    Use it in a `with` statement: leaving it normally waits for the work, leaving it by an exception (Ctrl-C)
    kills the workers at once. `initializer(*initargs)` is called in each worker before its first call.
    A call that takes longer than `call_timeout_s` is killed, and its future fails with `WorkerDied`.
    Workers are daemonic: a call may start processes by `subprocess`, but not by `multiprocessing`.
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
        self._restarts = Restarts()
        self._crew: list[_Worker] = []
        self._failed_starts = 0
        self._closing = False
        self._broken: BrokenExecutor | None = None
        self._bell = Bell()  # rung with the lock
        _open_executors.add(self)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            message = pickle.dumps((fn, args, kwargs), pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # the call's own fault, so it is for the future to tell
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
                failed = None if self._manager is None else RuntimeError("the manager's thread ended")
                self._manager = threading.Thread(
                    target=self._manage, args=(failed,), name="job manager", daemon=True
                )
                self._manager.start()
            self._bell.ring()
        return future

    def status(self) -> ExecutorStatus:
        with self._lock:
            return ExecutorStatus(
                pids=tuple(worker.process.pid for worker in self._crew if worker.process.pid is not None),
                calls_running=sum(worker.call is not None for worker in self._crew),
                calls_queued=sum(not call.future.cancelled() for call in self._pending),
                is_broken=self._broken is not None,
                restarts=self._restarts.count,
                last_failure=self._restarts.last_failure if self._broken is None else str(self._broken),
            )

    def kill(self, future: Future[T]) -> None:
        """End the worker that runs this call, if one does. The future then fails with `WorkerDied`."""
        with self._lock:
            for worker in self._crew:
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
            self._bell.ring()
        for call in cancelled:
            self._open.pop(call, None)
            if call.future.cancel():
                call.future.set_running_or_notify_cancel()
            else:  # it was with a worker before, see _hand_out
                call.future.set_exception(WorkerDied("the worker process died before this call began"))
        if wait and self._manager is not None:
            self._manager.join()
            self._fail_open("the workers' manager ended before this call did")

    def terminate(self) -> None:
        """Shut down at once: pending calls are cancelled, running ones fail with `WorkerDied`."""
        self.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            for worker in self._crew:
                worker.process.kill()
        self.shutdown()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.shutdown()
        else:
            self.terminate()

    # The manager's side.

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
                    if self._restarts.in_a_row >= _MOST_RESTARTS:
                        raise
                    failure = error
        except BaseException as error:
            self._break(error)
        finally:
            self._dismiss()

    def _restart(self, failure: BaseException) -> None:
        """Go on after a bug of the manager, with new workers and with the calls that wait."""
        reason = one_line(failure)
        delay_s = self._restarts.note_crash(reason)
        _log.error("the manager of job workers failed: %s; it restarts in %.1f s", reason, delay_s)
        _log.debug("the failure's traceback", exc_info=failure)
        with self._lock:
            crew, self._crew = self._crew, []
            for worker in crew:
                worker.call = None
                worker.process.kill()
            waiting = [call for call in self._open if not (call.future.running() or call.future.done())]
            self._pending = deque(waiting)
            self._bell.close()
            self._bell = Bell()
        self._fail_open("the worker process was stopped because its manager failed", only_running=True)
        for worker in crew:
            end(worker.process, worker.connection)
        time.sleep(delay_s)

    def _fail_open(self, reason: str, only_running: bool = False) -> None:
        """Let calls without an answer fail, so that nobody waits for them."""
        for call in list(self._open):
            if only_running and not call.future.running():
                continue
            self._open.pop(call, None)
            if not call.future.done() and _start(call):
                call.future.set_exception(WorkerDied(reason))

    def _step(self) -> bool:
        """Do what can be done now, then wait for something to happen. False when all is done."""
        self._hire()
        self._hand_out()
        with self._lock:
            if self._closing and not self._pending and all(worker.call is None for worker in self._crew):
                return False
        by_connection = {worker.connection: worker for worker in self._crew}
        for ready in wait([self._bell.ear, *by_connection], self._seconds_to_wait()):
            if ready is self._bell.ear:
                with self._lock:
                    self._bell.heard()
            else:
                self._hear(by_connection[cast(Connection, ready)])
        with self._lock:
            for worker in self._crew:
                if time.monotonic() >= self._deadline(worker):
                    if worker.call is not None:
                        worker.call.killed = worker.call.timed_out = True
                    worker.process.kill()
        return True

    def _deadline(self, worker: _Worker) -> float:
        """When a worker will have taken too long to start, or for its call."""
        if not worker.started:
            return worker.since + START_TIMEOUT_S
        return float("inf") if worker.call is None else worker.since + self._call_timeout_s

    def _seconds_to_wait(self) -> float:
        first = min((self._deadline(worker) for worker in self._crew), default=float("inf"))
        return min(LONGEST_WAIT_S, max(0.0, first - time.monotonic()))

    def _hire(self) -> None:
        """Start workers, if there are more calls than workers to take them."""
        while True:
            with self._lock:
                free = sum(worker.call is None for worker in self._crew)
                if len(self._pending) <= free or len(self._crew) >= self.workers:
                    return
            ours, theirs = multiprocessing.Pipe()
            process = multiprocessing.get_context("spawn").Process(
                target=serve, args=(theirs, self._initializer, self._initargs), name="job worker", daemon=True
            )
            process.start()
            theirs.close()  # or its end would never be seen
            with self._lock:
                self._crew.append(_Worker(process, ours))

    def _hand_out(self) -> None:
        for worker in [w for w in self._crew if w.started and w.call is None]:
            with self._lock:
                call = worker.call = self._next_call()
                worker.since = time.monotonic()
            if call is None:
                return
            try:
                worker.connection.send_bytes(call.message)
            except OSError:
                # The worker died idle, before it could know of this call. Not the call's fault.
                with self._lock:
                    if not call.killed:
                        worker.call = None
                        self._pending.appendleft(call)
                        self._bell.ring()  # there may be nothing else to wait for
                self._bury(worker)

    def _next_call(self) -> _Call | None:
        while self._pending:
            call = self._pending.popleft()
            if _start(call):
                return call
            self._open.pop(call, None)  # it was cancelled
        return None

    def _hear(self, worker: _Worker) -> None:
        try:
            message = worker.connection.recv_bytes()
        except (EOFError, OSError):
            self._bury(worker)
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
        assert call is not None, "a worker speaks only when asked"
        self._restarts.note_success()
        if outcome.error is not None:
            call.future.set_exception(outcome.error)
        else:
            call.future.set_result(outcome.value)
        self._open.pop(call, None)
        if call.killed:  # it answered at the last moment: it must not be given another call
            self._bury(worker)

    def _bury(self, worker: _Worker) -> None:
        """A worker's pipe has ended: let its call, if any, fail."""
        with self._lock:
            self._crew.remove(worker)
        manner = end(worker.process, worker.connection)
        if worker.call is not None:
            if worker.call.timed_out:
                error: WorkerDied = CallTimedOut(f"the call took more than {self._call_timeout_s:g} s")
            else:
                error = WorkerDied(f"the worker process {manner} during this call")
            worker.call.future.set_exception(error)
            self._open.pop(worker.call, None)
        elif not worker.started:
            self._failed_starts += 1
            if self._failed_starts >= _START_ATTEMPTS:
                raise BrokenExecutor(
                    f"workers cannot start, the last one {manner}: is the main module's own work guarded by "
                    "'if __name__ == \"__main__\":'?"
                )

    def _break(self, error: BaseException) -> None:
        """Nothing can be run any more: let everything fail."""
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
            for worker in self._crew:
                worker.call = None
                worker.process.kill()
        for call in calls:
            call.future.set_exception(broken)

    def _dismiss(self) -> None:
        with self._lock:
            crew, self._crew = self._crew, []
        for worker in crew:
            worker.connection.close()  # an idle worker takes this as the end
            if not worker.started:
                worker.process.kill()
        for worker in crew:
            end(worker.process, worker.connection)


def _start(call: _Call) -> bool:
    """Mark a call as running, unless it was cancelled. One that was handed back is running already."""
    return call.future.running() or call.future.set_running_or_notify_cancel()


_open_executors: weakref.WeakSet[LocalExecutor] = weakref.WeakSet()


@atexit.register
def _terminate_all() -> None:
    """End those that nobody shut down. (Registered after multiprocessing's own, and so called before.)"""
    for executor in list(_open_executors):
        executor.terminate()
