"""Processes on this machine, as a `concurrent.futures.Executor`.

Why not `ProcessPoolExecutor`: its workers share two queues, so when one dies, all are killed and every
running and pending call fails. Hours of innocent work are lost, and nobody knows who did it. Here each worker
has its own pipe. A worker that dies takes one call with it, the one to blame, and is replaced when there is
work.

One thread, the manager, owns the workers: it starts them, hands out calls, hears answers and buries the dead.
All else (`submit`, `kill`, `shutdown`) leaves a note under the lock and wakes it. Invariants:

- `worker.call` is set while the worker has a call that it has not answered; only the manager changes it, and
  under the lock, so that `kill` cannot hit a worker that has gone on to another call.
- A future is finished by the manager, outside the lock, since its callbacks may call us.
- The manager ends last, after all workers: they die with it (see `worker`).
"""

from __future__ import annotations

import atexit
import multiprocessing
import pickle
import threading
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import TracebackType
from typing import ParamSpec, TypeVar, cast

from tengen.core.errors import OptionError
from tengen.jobs.processes import Bell, available_cores, end, shield_children_from_interrupts
from tengen.jobs.task import one_line
from tengen.jobs.worker import serve, unpack

P = ParamSpec("P")
T = TypeVar("T")

# A worker may be killed by chance while it starts. So many in a row are no chance: the program cannot be
# imported, or its main module lacks the guard that spawning needs.
_START_ATTEMPTS = 3


class WorkerDied(BrokenExecutor):
    """The worker process ended during this very call. No other call is concerned."""


@dataclass(eq=False, slots=True)
class _Call:
    future: Future[object]
    message: bytes
    killed: bool = False  # by request, so it must not be handed to another worker


@dataclass(eq=False, slots=True)
class _Worker:
    process: SpawnProcess
    connection: Connection
    started: bool = False  # it has said hello
    call: _Call | None = None


class LocalExecutor(Executor):
    """Spawned processes, as many as there are cores unless told otherwise; they start when there is work.

    Use it in a `with` statement: leaving it normally waits for the work, leaving it by an exception (Ctrl-C)
    kills the workers at once. `initializer(*initargs)` is called in each worker before its first call.
    Workers are daemonic: a call may start processes by `subprocess`, but not by `multiprocessing`.
    """

    def __init__(
        self,
        workers: int | None = None,
        *,
        initializer: Callable[..., object] | None = None,
        initargs: tuple[object, ...] = (),
    ) -> None:
        if workers is not None and workers < 1:
            raise OptionError(f"an executor needs at least one worker, not {workers}")
        self.workers = available_cores() if workers is None else workers
        self._initializer = initializer
        self._initargs = initargs
        self._lock = threading.Lock()
        self._manager: threading.Thread | None = None
        self._pending: deque[_Call] = deque()
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
            self._pending.append(_Call(cast("Future[object]", future), message))
            if self._manager is None:
                self._manager = threading.Thread(target=self._manage, name="job manager", daemon=True)
                self._manager.start()
            self._bell.ring()
        return future

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
            if call.future.cancel():
                call.future.set_running_or_notify_cancel()
            else:  # it was with a worker before, see _hand_out
                call.future.set_exception(WorkerDied("the worker process died before this call began"))
        if wait and self._manager is not None:
            self._manager.join()

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

    def _manage(self) -> None:
        try:
            shield_children_from_interrupts()
            while self._step():
                pass
        except BaseException as error:
            self._break(error)
        finally:
            self._dismiss()

    def _step(self) -> bool:
        """Do what can be done now, then wait for something to happen. False when all is done."""
        self._hire()
        self._hand_out()
        with self._lock:
            if self._closing and not self._pending and all(worker.call is None for worker in self._crew):
                return False
        by_connection = {worker.connection: worker for worker in self._crew}
        for ready in wait([self._bell.ear, *by_connection]):
            if ready is self._bell.ear:
                with self._lock:
                    self._bell.heard()
            else:
                self._hear(by_connection[cast(Connection, ready)])
        return True

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
        if outcome.error is not None:
            call.future.set_exception(outcome.error)
        else:
            call.future.set_result(outcome.value)
        if call.killed:  # it answered at the last moment: it must not be given another call
            self._bury(worker)

    def _bury(self, worker: _Worker) -> None:
        """A worker's pipe has ended: let its call, if any, fail."""
        with self._lock:
            self._crew.remove(worker)
        manner = end(worker.process, worker.connection)
        if worker.call is not None:
            worker.call.future.set_exception(WorkerDied(f"the worker process {manner} during this call"))
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
            calls = [call for call in self._pending if _start(call)]
            calls += [worker.call for worker in self._crew if worker.call is not None]
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
