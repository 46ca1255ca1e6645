"""The main loop of a run: tasks, executor, checkpoint and progress."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sized
from concurrent.futures import BrokenExecutor, Executor
from contextlib import ExitStack, suppress
from itertools import chain
from typing import TypeVar, cast

from tengen.core.errors import OptionError
from tengen.jobs.checkpoint import Checkpoint, CheckpointError, CheckpointFile, encode
from tengen.jobs.cluster import ClusterExecutor
from tengen.jobs.executor import LocalExecutor
from tengen.jobs.processes import available_cores
from tengen.jobs.progress import Meter, Progress
from tengen.jobs.task import JobError, Result, Task, TaskError, one_line
from tengen.jobs.task_dispatch import FinishedTask, TaskDispatcher

T = TypeVar("T")

# Submitted tasks per worker: enough to keep it busy while the caller handles results.
WINDOW_PER_WORKER = 3
CLUSTER_POLL_S = 3.0  # interval of checks for new cluster workers

# One bad task must not end a long run, so it continues after a failure. If everything fails, it stops after this
# many failures.
MAX_FAILURES = 100


def run(
    tasks: Iterable[Task[T]],
    *,
    executor: Executor | None = None,
    checkpoint: Checkpoint | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    attempts: int = 3,
    window: int | None = None,
    total: int | None = None,
) -> Generator[Result[T], None, None]:
    """Run all tasks and yield their results as they arrive, those of the checkpoint first.

    A result is yielded only after it has been written to disk. At most `window` unfinished tasks are taken from
    the iterable. (An iterator is read only once, so results in the checkpoint are yielded when it reaches their
    tasks.) Task ids must be unique.

    A task that raises is not retried: the run continues and ends with a `JobError` that lists all failed tasks. A
    task that loses its worker `attempts` times fails in the same way. After `MAX_FAILURES` the run stops.

    executor: by default a `LocalExecutor` with one worker per core. The caller's executor is left open.
    on_progress: called at the start and after each change, in the caller's thread; for example a `ProgressBar`.
    window: maximum number of submitted tasks; by default `WINDOW_PER_WORKER` per worker. For an executor of
        another class, the number of workers is assumed to be the number of local cores.
    total: the number of tasks, if `tasks` has no length; used for progress only.

    When the caller stops (Ctrl-C, an exception, `close`, or garbage collection of the generator), pending tasks
    are cancelled, processes of a `LocalExecutor` that run tasks are killed, and finished results are stored.
    """
    if attempts < 1:
        raise OptionError(f"a task needs at least one attempt, not {attempts}")
    if window is not None and window < 1:
        raise OptionError(f"the window must hold at least one task, not {window}")
    if total is None and isinstance(tasks, Sized):
        total = len(tasks)
    return _run(tasks, executor, checkpoint, on_progress or _ignore, attempts, window, Meter(total))


def collect(results: Iterable[Result[T]]) -> dict[str, T]:
    """All results of a run by id: `collect(run(tasks))`. If the run fails, the error contains the results so
    far.
    """
    collected: dict[str, T] = {}
    try:
        for result in results:
            collected[result.id] = result.value
    except JobError as error:
        error.results.update(collected)
        raise
    return collected


def _run(
    tasks: Iterable[Task[T]],
    executor: Executor | None,
    checkpoint: Checkpoint | None,
    on_progress: Callable[[Progress], None],
    attempts: int,
    window: int | None,
    meter: Meter,
) -> Generator[Result[T], None, None]:
    with ExitStack() as stack:
        store = stack.enter_context(checkpoint.open()) if checkpoint is not None else None
        if executor is None:
            executor = stack.enter_context(LocalExecutor())
        workers = executor.workers if isinstance(executor, LocalExecutor | ClusterExecutor) else available_cores()
        if window is None:
            window = WINDOW_PER_WORKER * workers
        polled_at = time.monotonic()
        dispatcher: TaskDispatcher[T] = TaskDispatcher(executor, window=window, attempts=attempts)
        stored = store.ids() if store is not None else frozenset()
        source = _in_order(tasks, stored)
        failures: list[TaskError] = []
        fresh: deque[Result[T]] = deque()  # stored, but not yet yielded
        on_progress(meter.snapshot())
        try:
            while True:
                if isinstance(executor, ClusterExecutor) and time.monotonic() - polled_at > CLUSTER_POLL_S:
                    with suppress(OSError):  # the tasks report a lost scheduler
                        dispatcher.window = max(window, window * executor.workers // workers)
                    polled_at = time.monotonic()
                # Submit before yielding, so that workers are busy while the caller handles results.
                while dispatcher.has_capacity() and (task := next(source, None)) is not None:
                    if store is not None and task.id in stored:
                        value = cast(T, store.load(task.id))
                        meter.resume()
                        on_progress(meter.snapshot())
                        yield Result(task.id, value, resumed=True)
                    else:
                        meter.work_starts()
                        dispatcher.send(task)
                while fresh:
                    yield fresh.popleft()
                if len(failures) >= MAX_FAILURES:
                    raise _failed(f"the run stopped after {len(failures)} failures", failures)
                if not dispatcher:
                    break
                if finished := dispatcher.wait():
                    kept, failed = _store(finished, store)
                    fresh += kept
                    failures += failed
                    meter.finish(done=len(kept), failed=len(failed))
                    on_progress(meter.snapshot())
            if failures:
                done = meter.snapshot().done
                raise _failed(f"{len(failures)} of {done + len(failures)} tasks failed", failures)
        except BrokenExecutor as error:
            kept, failed = _store(dispatcher.stop(), store)
            yield from (*fresh, *kept)
            failures += failed
            raise JobError(
                f"the executor failed and cannot continue ({one_line(error)}); all results so far are stored",
                failures,
            ) from error
        except BaseException:
            # Finished results may be hours of work. Ignore an error of the checkpoint, which may be the cause.
            with suppress(CheckpointError):
                _store(dispatcher.stop(), store)
            raise


def _in_order(tasks: Iterable[Task[T]], stored: frozenset[str]) -> Iterator[Task[T]]:
    """The tasks; those with a stored result first if `tasks` is a collection."""
    if isinstance(tasks, Collection):
        tasks = chain((t for t in tasks if t.id in stored), (t for t in tasks if t.id not in stored))
    seen: set[str] = set()
    for task in tasks:
        if task.id in seen:
            raise OptionError(f"two tasks have the id {task.id!r}: ids must differ")
        seen.add(task.id)
        yield task


def _store(
    finished: Iterable[FinishedTask[T]], store: CheckpointFile | None
) -> tuple[list[Result[T]], list[TaskError]]:
    """Write results to the checkpoint, all in one write; on return they are on disk."""
    results: list[Result[T]] = []
    failures: list[TaskError] = []
    entries: list[tuple[str, bytes]] = []
    for one in finished:
        if one.failure is not None:
            failures.append(one.failure)
            continue
        if store is not None:
            try:
                entries.append((one.task.id, encode(one.value)))
            except Exception as error:
                failures.append(TaskError.unstorable(one.task.id, error))
                continue
        results.append(Result(one.task.id, cast(T, one.value), resumed=False))
    if store is not None:
        store.append(entries)
    return results, failures


def _failed(summary: str, failures: list[TaskError]) -> JobError:
    shown = "; ".join(str(failure) for failure in failures[:3])
    rest = f"; and {len(failures) - 3} more" if len(failures) > 3 else ""
    error = JobError(f"{summary}, all other results are stored: {shown}{rest}", failures)
    error.__cause__ = failures[0]
    return error


def _ignore(progress: Progress) -> None:
    pass
