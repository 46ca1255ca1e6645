"""The tasks that an executor has now, and what becomes of those whose worker dies.

A task that lost its worker is sent again; one that keeps losing workers is given up. Whom to blame?

- `WorkerDied`, from our own executor, is about one task: it counts against that task, which is sent again.
- Any other `BrokenExecutor`, or a future that somebody else cancelled, may strike all tasks in flight for the
  deed of one. It counts against none of them. All become suspects, and each suspect is sent alone, with
  nothing else in flight; if it then loses its worker again, that counts.
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

# On Windows a wait without end does not hear Ctrl-C.
_WAIT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Landed(Generic[T]):
    """A task that has come to its end, with what it returned, or why it has no result."""

    task: Task[T]
    value: T | None = None
    failure: TaskError | None = None


class Flight(Generic[T]):
    """At most `window` tasks at once on an executor, each with its chances of `attempts` dead workers."""

    def __init__(self, executor: Executor, *, window: int, attempts: int) -> None:
        self._executor = executor
        self.window = window
        self._attempts = attempts
        self._tasks: dict[Future[T], Task[T]] = {}
        self._again: deque[Task[T]] = deque()
        self._suspects: deque[Task[T]] = deque()
        self._alone: Future[T] | None = None  # sent as a suspect, with nothing else in flight
        self._deaths: Counter[str] = Counter()

    def __bool__(self) -> bool:
        """Whether any task has not landed yet."""
        return bool(self._tasks or self._again or self._suspects)

    def has_room(self) -> bool:
        """Whether a new task may be sent now. Those to be sent again go first."""
        return not self._isolating() and len(self._tasks) + len(self._again) < self.window

    def send(self, task: Task[T]) -> Future[T]:
        """Hand a task to the executor. Raises BrokenExecutor if that cannot work any more."""
        future = self._executor.submit(task.function, *task.args)
        self._tasks[future] = task
        return future

    def wait(self) -> list[Landed[T]]:
        """Wait until something happens; the tasks that have landed, perhaps none."""
        if not self._isolating():
            while self._again and len(self._tasks) < self.window:
                self.send(self._again.popleft())
        elif not self._tasks:
            self._alone = self.send(self._suspects.popleft())
        done, _ = wait(self._tasks, timeout=_WAIT_SECONDS, return_when=FIRST_COMPLETED)
        landed = [self._land(future) for future in list(self._tasks) if future in done]  # in the order of sending
        return [one for one in landed if one is not None]

    def stop(self) -> list[Landed[T]]:
        """Abandon all that is in flight, without waiting; the tasks that had landed with a result."""
        landed = []
        for future, task in self._tasks.items():
            if future.cancel():
                continue
            if future.done() and not future.cancelled() and future.exception() is None:
                landed.append(Landed(task, future.result()))
            elif isinstance(self._executor, LocalExecutor | ClusterExecutor):
                self._executor.kill(future)
        self._tasks.clear()
        self._again.clear()
        self._suspects.clear()
        return landed

    def _isolating(self) -> bool:
        """Whether suspects wait for their turn, or one is flying alone: nothing else may be sent."""
        return bool(self._suspects) or self._alone in self._tasks

    def _land(self, future: Future[T]) -> Landed[T] | None:
        """What has become of a task; None if it is to be sent again."""
        task = self._tasks.pop(future)
        error = CancelledError("the executor cancelled it") if future.cancelled() else future.exception()
        if error is None:
            return Landed(task, future.result())
        if not isinstance(error, (BrokenExecutor, CancelledError)):
            return Landed(task, failure=TaskError.raised(task.id, error))
        to_blame = isinstance(error, WorkerDied)
        if not to_blame and future is not self._alone:
            self._suspects.append(task)
            return None
        self._deaths[task.id] += 1
        if self._deaths[task.id] >= self._attempts:
            return Landed(task, failure=TaskError.killed(task.id, self._deaths[task.id], error))
        (self._again if to_blame else self._suspects).append(task)
        return None
