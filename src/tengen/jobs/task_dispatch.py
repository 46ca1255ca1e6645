"""Tasks submitted to an executor, with retries of those whose worker died.

A task that lost its worker is submitted again; one that loses workers repeatedly is given up. Which task is to
blame?

- `WorkerDied`, raised by our own executor, concerns one task. It counts against that task, which is retried.
- Any other `BrokenExecutor`, or a future cancelled by someone else, may hit all submitted tasks because of one. It
  counts against none of them. All become suspects, and each suspect is submitted alone; if it loses its worker
  again, that counts.
"""

from __future__ import annotations

from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from typing import Generic, TypeVar

from tengen.jobs.cluster import ClusterExecutor
from tengen.jobs.executor import LocalExecutor, WorkerDied
from tengen.jobs.task import Task, TaskError

T = TypeVar("T")

# On Windows, Ctrl-C does not interrupt a wait without timeout.
WAIT_S = 1.0


@dataclass(frozen=True, slots=True)
class FinishedTask(Generic[T]):
    """A finished task with its result, or the reason why it has none."""

    task: Task[T]
    value: T | None = None
    failure: TaskError | None = None


class TaskDispatcher(Generic[T]):
    """Keeps up to `window` tasks on an executor. A task is given up after losing `attempts` workers."""

    def __init__(self, executor: Executor, *, window: int, attempts: int) -> None:
        self._executor = executor
        self.window = window
        self._attempts = attempts
        self._tasks: dict[Future[T], Task[T]] = {}
        self._retries: deque[Task[T]] = deque()
        self._suspects: deque[Task[T]] = deque()
        self._alone: Future[T] | None = None  # a suspect that was submitted alone
        self._lost_workers: Counter[str] = Counter()

    def __bool__(self) -> bool:
        """Whether any task is unfinished."""
        return bool(self._tasks or self._retries or self._suspects)

    def has_capacity(self) -> bool:
        """Whether a new task may be submitted now. Retries have priority."""
        return not self._isolating() and len(self._tasks) + len(self._retries) < self.window

    def send(self, task: Task[T]) -> Future[T]:
        """Submit a task to the executor. Raises BrokenExecutor if the executor is broken."""
        future = self._executor.submit(task.function, *task.args)
        self._tasks[future] = task
        return future

    def wait(self) -> list[FinishedTask[T]]:
        """Wait up to `WAIT_S` seconds for tasks to finish; return those that did, possibly none."""
        if not self._isolating():
            while self._retries and len(self._tasks) < self.window:
                self.send(self._retries.popleft())
        elif not self._tasks:
            self._alone = self.send(self._suspects.popleft())
        done, _ = wait(self._tasks, timeout=WAIT_S, return_when=FIRST_COMPLETED)
        finished = [
            self._finish(future) for future in list(self._tasks) if future in done
        ]  # in the order of sending
        return [one for one in finished if one is not None]

    def stop(self) -> list[FinishedTask[T]]:
        """Cancel all submitted tasks without waiting; return those that had already finished with a result."""
        finished = []
        for future, task in self._tasks.items():
            if future.cancel():
                continue
            if future.done() and not future.cancelled() and future.exception() is None:
                finished.append(FinishedTask(task, future.result()))
            elif isinstance(self._executor, LocalExecutor | ClusterExecutor):
                self._executor.kill(future)
        self._tasks.clear()
        self._retries.clear()
        self._suspects.clear()
        return finished

    def _isolating(self) -> bool:
        """Whether a suspect is running alone or waiting for that; then no other task may be submitted."""
        return bool(self._suspects) or self._alone in self._tasks

    def _finish(self, future: Future[T]) -> FinishedTask[T] | None:
        """The finished task; None if it is to be retried."""
        task = self._tasks.pop(future)
        error = CancelledError("the executor cancelled it") if future.cancelled() else future.exception()
        if error is None:
            return FinishedTask(task, future.result())
        if not isinstance(error, (BrokenExecutor, CancelledError)):
            return FinishedTask(task, failure=TaskError.raised(task.id, error))
        to_blame = isinstance(error, WorkerDied)
        if not to_blame and future is not self._alone:
            self._suspects.append(task)
            return None
        self._lost_workers[task.id] += 1
        if self._lost_workers[task.id] >= self._attempts:
            return FinishedTask(task, failure=TaskError.killed(task.id, self._lost_workers[task.id], error))
        (self._retries if to_blame else self._suspects).append(task)
        return None
