"""The loop that joins tasks, executor, checkpoint and progress."""

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
from tengen.jobs.flight import Flight, Landed
from tengen.jobs.processes import available_cores
from tengen.jobs.progress import Meter, Progress
from tengen.jobs.task import JobError, Result, Task, TaskError, one_line

T = TypeVar("T")

# Tasks that an executor has at once, for each worker: enough to keep it busy while the caller handles results.
WINDOW_PER_WORKER = 3
LOOK_SECONDS = 3.0  # between two looks whether workers have come to a cluster

# One bad task must not spoil a night's run, so the run goes on after a failure. But when everything fails, a
# million failures say no more than these.
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
    """Do all tasks and yield their results as they come, those of the checkpoint first.

    A result is yielded only after it is on the disk. Tasks are drawn from the iterable ahead of need, never
    more than `window` of them beyond those that have ended. (An iterator is read only once, so the results in
    the checkpoint come as the iterator reaches their tasks.) Ids must differ.

    A task that raises is not tried again: the run goes on and ends with `JobError`, which names every task
    that failed. A task that loses its worker `attempts` times is given up in the same way. After 100 failures
    the run stops at once.

    executor: where the work is done; by default a `LocalExecutor` with a worker for each core. The run leaves
        the caller's executor open.
    on_progress: called at the start and after each change, in the caller's thread; such as a `ProgressBar`.
    window: how many tasks the executor is given at once; by default three for each worker. For an executor
        that is not one of ours, the number of workers is taken to be that of the cores here.
    total: the number of tasks, if `tasks` has no length but the caller knows it; for the progress only.

    When the caller stops (Ctrl-C, an exception, `close` or the end of the generator's life), pending tasks
    are cancelled, processes of a `LocalExecutor` that run the others are killed, and what has ended is stored.
    """
    if attempts < 1:
        raise OptionError(f"a task needs at least one attempt, not {attempts}")
    if window is not None and window < 1:
        raise OptionError(f"the window must hold at least one task, not {window}")
    if total is None and isinstance(tasks, Sized):
        total = len(tasks)
    return _run(tasks, executor, checkpoint, on_progress or _ignore, attempts, window, Meter(total))


def collect(results: Iterable[Result[T]]) -> dict[str, T]:
    """All results of a run by id: `collect(run(tasks))`. If the run fails, the error holds what there is."""
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
        looked = time.monotonic()
        flight: Flight[T] = Flight(executor, window=window, attempts=attempts)
        stored = store.ids() if store is not None else frozenset()
        source = _in_order(tasks, stored)
        failures: list[TaskError] = []
        fresh: deque[Result[T]] = deque()  # on the disk, not yet yielded
        on_progress(meter.snapshot())
        try:
            while True:
                if isinstance(executor, ClusterExecutor) and time.monotonic() - looked > LOOK_SECONDS:
                    with suppress(OSError):  # a scheduler that has gone is told of by its tasks
                        flight.window = max(window, window * executor.workers // workers)
                    looked = time.monotonic()
                # Send before yielding, so that workers are busy while the caller is.
                while flight.has_room() and (task := next(source, None)) is not None:
                    if store is not None and task.id in stored:
                        value = cast(T, store.load(task.id))
                        meter.resume()
                        on_progress(meter.snapshot())
                        yield Result(task.id, value, resumed=True)
                    else:
                        meter.work_starts()
                        flight.send(task)
                while fresh:
                    yield fresh.popleft()
                if len(failures) >= MAX_FAILURES:
                    raise _failed(f"the run stopped after {len(failures)} failures", failures)
                if not flight:
                    break
                if landed := flight.wait():
                    kept, failed = _keep(landed, store)
                    fresh += kept
                    failures += failed
                    meter.finish(done=len(kept), failed=len(failed))
                    on_progress(meter.snapshot())
            if failures:
                done = meter.snapshot().done
                raise _failed(f"{len(failures)} of {done + len(failures)} tasks failed", failures)
        except BrokenExecutor as error:
            kept, failed = _keep(flight.stop(), store)
            yield from (*fresh, *kept)
            failures += failed
            raise JobError(
                f"the executor broke down and cannot go on ({one_line(error)}); all results so far are kept",
                failures,
            ) from error
        except BaseException:
            # What has ended meanwhile may be hours of work. If it was the checkpoint that failed, so be it.
            with suppress(CheckpointError):
                _keep(flight.stop(), store)
            raise


def _in_order(tasks: Iterable[Task[T]], stored: frozenset[str]) -> Iterator[Task[T]]:
    """The tasks, those with a stored result first if the tasks can be gone through twice."""
    if isinstance(tasks, Collection):
        tasks = chain((t for t in tasks if t.id in stored), (t for t in tasks if t.id not in stored))
    seen: set[str] = set()
    for task in tasks:
        if task.id in seen:
            raise OptionError(f"two tasks have the id {task.id!r}: ids must differ")
        seen.add(task.id)
        yield task


def _keep(landed: Iterable[Landed[T]], store: CheckpointFile | None) -> tuple[list[Result[T]], list[TaskError]]:
    """Store results, all in one write. On return they are on the disk."""
    results: list[Result[T]] = []
    failures: list[TaskError] = []
    entries: list[tuple[str, bytes]] = []
    for one in landed:
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
    error = JobError(f"{summary}, all other results are kept: {shown}{rest}", failures)
    error.__cause__ = failures[0]
    return error


def _ignore(progress: Progress) -> None:
    pass
