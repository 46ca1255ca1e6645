"""The layer `jobs`: what must hold when tasks fail, workers die, disks fill and power goes.

The functions that workers call are at the top; spawned processes import this module to find them.
"""

from __future__ import annotations

import errno
import io
import os
import pickle
import random
import re
import resource
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from importlib import import_module
from itertools import count, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen.jobs.checkpoint as checkpoint_module
import tengen.jobs.task_dispatch as dispatch_module
from tengen.core.errors import OptionError, TengenError
from tengen.jobs import (
    Checkpoint,
    CheckpointError,
    JobError,
    LocalExecutor,
    Progress,
    ProgressBar,
    Task,
    available_cores,
    collect,
    run,
)
from tengen.jobs.checkpoint import encode
from tengen.jobs.executor import WorkerDied
from tengen.jobs.progress import Meter, duration
from tengen.jobs.worker import report_progress
from tests.helpers.job_crashes import Victim, contents, environment, kill_at_random
from tests.helpers.platforms import linux_only
from tests.helpers.waiting import TIMEOUT_S, wait_until


def square(number: int) -> int:
    return number * number


def note(log: str, line: str) -> None:
    """Append a line to a file that several processes write."""
    with open(log, "ab", buffering=0) as file:
        file.write(f"{line}\n".encode())


def noted_sleep(log: str, name: str, seconds: float) -> str:
    note(log, name)
    time.sleep(seconds)
    return name


def noted_death(log: str, name: str) -> None:
    note(log, name)
    os.kill(os.getpid(), signal.SIGKILL)


def die_at_first(log: str, name: str, times: int) -> str:
    """Kill the worker so many times, then return."""
    note(log, name)
    if Path(log).read_text().split().count(name) <= times:
        os._exit(7)
    return name


def nested_squares(count: int) -> list[int]:
    """Uses an executor inside a worker."""
    with LocalExecutor(2) as inner:
        return list(inner.map(square, range(count)))


def nested_sleep(log: str) -> None:
    with LocalExecutor(1) as inner:
        note(log, str(inner.submit(os.getpid).result()))
        inner.submit(time.sleep, 3600).result()


def report_slowly(steps: int, seconds: float) -> int:
    for step in range(steps):
        time.sleep(seconds)
        report_progress(step)
    return steps


def report_steps(steps: int) -> int:
    for step in range(steps):
        report_progress(step)
    return steps


def fail(text: str) -> None:
    raise ValueError(text)


class PickyError(Exception):
    """Can be pickled, but not read back."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} and {two}")


def fail_pickily() -> None:
    raise PickyError("this", "that")


def interrupt_myself() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.05)


def unpicklable() -> object:
    return threading.Lock()


def squares(numbers: int) -> list[Task[int]]:
    return [Task(str(n), square, (n,)) for n in range(numbers)]


class InlineExecutor(Executor):
    """The smallest executor there is: the work is done before `submit` returns."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class HealingPool(Executor):
    """A process pool that is made anew when it has broken, but fails everyone in it when it breaks."""

    def __init__(self) -> None:
        self.pools = [self._new()]

    @staticmethod
    def _new() -> ProcessPoolExecutor:
        return ProcessPoolExecutor(2, mp_context=get_context("spawn"))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        try:
            return self.pools[-1].submit(fn, *args, **kwargs)
        except BrokenExecutor:
            self.pools[-1].shutdown()
            self.pools.append(self._new())
            return self.pools[-1].submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.pools[-1].shutdown(wait, cancel_futures=cancel_futures)


class Poison(Exception):
    """Breaks a BrittleExecutor."""


def poison() -> None:
    time.sleep(0.02)
    raise Poison


class BrittleExecutor(Executor):
    """Threads that behave like a pool of processes in which one death fails everybody in flight."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flying: list[Future[Any]] = []
        self._threads: list[threading.Thread] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()

        def work() -> None:
            try:
                value = fn(*args, **kwargs)
            except Poison:
                with self._lock:
                    broken, self._flying = self._flying, []
                for victim in broken:
                    victim.set_exception(BrokenExecutor("one has died, all are dead"))
                return
            with self._lock:
                if future not in self._flying:
                    return
                self._flying.remove(future)
            future.set_result(value)

        with self._lock:
            self._flying.append(future)
        self._threads.append(threading.Thread(target=work))
        self._threads[-1].start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        for thread in self._threads:
            thread.join()


@pytest.fixture(scope="module")
def local() -> Iterator[LocalExecutor]:
    """One pool for many tests: starting workers takes most of the time."""
    with LocalExecutor(2) as executor:
        yield executor


@pytest.fixture(params=["inline", "threads", "local"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    if request.param == "local":
        yield request.getfixturevalue("local")
    else:
        with InlineExecutor() if request.param == "inline" else ThreadPoolExecutor(3) as made:
            yield made


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "log"
    path.touch()
    return str(path)


# Runs, with every kind of executor.


def test_all_results_come_and_are_resumed(executor: Executor, tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "squares")
    expected = {str(n): n * n for n in range(20)}
    first = list(run(squares(20), executor=executor, checkpoint=checkpoint))
    assert {result.id: result.value for result in first} == expected
    assert not any(result.resumed for result in first)
    assert contents(checkpoint) == expected
    again = list(run(squares(20), executor=executor, checkpoint=checkpoint))
    assert {result.id: result.value for result in again} == expected
    assert all(result.resumed for result in again)


def test_only_what_is_missing_is_done(executor: Executor, tmp_path: Path, log: str) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "")
    tasks = [Task(name, noted_sleep, (log, name, 0)) for name in "abcdef"]
    collect(run(tasks[3:5], executor=executor, checkpoint=checkpoint))
    results = list(run(tasks, executor=executor, checkpoint=checkpoint))
    assert [result.id for result in results[:2]] == ["d", "e"], "stored results come first"
    assert [result.resumed for result in results] == [True] * 2 + [False] * 4
    assert sorted(Path(log).read_text().split()) == list("abcdef"), "each task was done once"
    # Fewer tasks than the checkpoint has: only those asked for.
    assert collect(run(tasks[:1], executor=executor, checkpoint=checkpoint)) == {"a": "a"}


def test_without_a_checkpoint(executor: Executor) -> None:
    assert collect(run(iter(squares(5)), executor=executor)) == {str(n): n * n for n in range(5)}
    assert collect(run([], executor=executor)) == {}


def test_exceptions_are_reported_and_the_run_goes_on(executor: Executor, tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "")
    tasks: list[Task[Any]] = [Task("bad", fail, ("no such move",)), *squares(12), Task("worse", fail, ("x",))]
    with pytest.raises(JobError, match=r"2 of 14 tasks failed, .*\(ValueError: no such move\)") as caught:
        collect(run(tasks, executor=executor, checkpoint=checkpoint))
    assert caught.value.results == contents(checkpoint) == {str(n): n * n for n in range(12)}
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, TengenError)
    failures = {failure.task_id: failure for failure in caught.value.failures}
    assert set(failures) == {"bad", "worse"}
    cause = failures["bad"].__cause__
    assert isinstance(cause, ValueError)
    assert cause.args == ("no such move",)
    shown = "".join(traceback.format_exception(failures["bad"]))
    assert "raise ValueError(text)" in shown, "the traceback leads to the line in the task"
    # A failure is not stored, so it is tried again in the next run.
    with pytest.raises(JobError, match="1 of 1 tasks failed"):
        collect(run([tasks[0]], executor=executor, checkpoint=checkpoint))


def test_many_failures_stop_the_run(executor: Executor) -> None:
    drawn = 0

    def bad_tasks() -> Iterator[Task[None]]:
        nonlocal drawn
        for drawn in count(1):
            yield Task(str(drawn), fail, ("always",))

    with pytest.raises(JobError, match="stopped after"):
        collect(run(bad_tasks(), executor=executor, window=5))
    assert 100 <= drawn < 120


def test_a_result_that_cannot_be_stored_is_a_failure(executor: Executor, tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "")
    with pytest.raises(JobError, match=r"task 'lock' .*pickle") as caught:
        collect(run([Task("lock", unpicklable), *squares(3)], executor=executor, checkpoint=checkpoint))
    assert caught.value.results == contents(checkpoint) == {"0": 0, "1": 1, "2": 4}


def test_collect_hands_over_what_there_is(executor: Executor) -> None:
    with pytest.raises(JobError) as caught:
        collect(run([*squares(3), Task("bad", fail, ("x",))], executor=executor))
    assert caught.value.results == {"0": 0, "1": 1, "2": 4}


def test_lazy_tasks_are_drawn_only_as_far_as_the_window(executor: Executor) -> None:
    drawn = ended = 0

    def progress(now: Progress) -> None:
        nonlocal ended
        ended = now.done + now.failed

    def endless() -> Iterator[Task[int]]:
        nonlocal drawn
        for drawn in count(1):
            assert drawn <= ended + 7
            yield Task(str(drawn), square, (drawn,))

    results = run(endless(), executor=executor, window=7, on_progress=progress)
    assert len(list(islice(results, 50))) == 50
    results.close()
    assert 50 <= drawn <= 50 + 2 * 7


def test_the_window_is_used_in_full() -> None:
    """Seven tasks that wait for one another end only if all seven are sent."""
    barrier = threading.Barrier(7, timeout=TIMEOUT_S)
    with ThreadPoolExecutor(7) as threads:
        tasks = [Task(str(n), barrier.wait) for n in range(14)]
        assert len(collect(run(tasks, executor=threads, window=7))) == 14


def test_workers_that_come_later_get_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four tasks that wait for one another end only if the window grows with the cluster."""
    barrier = threading.Barrier(4, timeout=TIMEOUT_S)

    class Growing(ThreadPoolExecutor):
        workers = 1

    def come(_: object) -> None:
        Growing.workers = 4

    module = import_module("tengen.jobs.run")  # the name alone is the function
    monkeypatch.setattr(module, "ClusterExecutor", Growing)
    monkeypatch.setattr(module, "CLUSTER_POLL_S", 0.0)
    with Growing(4) as threads:
        results = run([Task(str(n), barrier.wait) for n in range(4)], executor=threads, window=1, on_progress=come)
        assert len(collect(results)) == 4


def test_wrong_use_is_refused(executor: Executor) -> None:
    with pytest.raises(OptionError, match="two tasks have the id '0'"):
        collect(run([*squares(2), *squares(2)], executor=executor))
    with pytest.raises(OptionError, match="attempt"):
        run(squares(2), executor=executor, attempts=0)
    with pytest.raises(OptionError, match="window"):
        run(squares(2), executor=executor, window=0)
    with pytest.raises(OptionError, match="worker"):
        LocalExecutor(0)


def test_arrays(local: LocalExecutor, tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "")
    tasks = [Task("a", np.arange, (100_000,)), Task("b", np.eye, (300,))]
    for _ in range(2):
        results = collect(run(tasks, executor=local, checkpoint=checkpoint))
        np.testing.assert_array_equal(results["a"], np.arange(100_000))
        np.testing.assert_array_equal(results["b"], np.eye(300))


# Workers that die.


def test_a_dying_worker_is_replaced_and_the_task_sent_again(local: LocalExecutor, log: str) -> None:
    tasks = [Task("frail", die_at_first, (log, "frail", 2)), *squares(10)]
    assert collect(run(tasks, executor=local)) == {"frail": "frail"} | {str(n): n * n for n in range(10)}
    assert Path(log).read_text().split() == ["frail"] * 3


def test_a_poisonous_task_is_given_up_by_name(local: LocalExecutor, log: str, tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "")
    innocents = [Task(f"i{n}", noted_sleep, (log, f"i{n}", 0.05)) for n in range(10)]
    tasks: list[Task[Any]] = [*innocents[:3], Task("poison", noted_death, (log, "poison")), *innocents[3:]]
    with pytest.raises(
        JobError, match=r"1 of 11 tasks failed.*'poison' was given up: its worker died 3 times"
    ) as e:
        collect(run(tasks, executor=local, checkpoint=checkpoint))
    assert e.value.results == contents(checkpoint) == {task.id: task.id for task in innocents}
    assert [failure.task_id for failure in e.value.failures] == ["poison"]
    assert isinstance(e.value.failures[0].__cause__, WorkerDied)
    assert "signal 9" in str(e.value.failures[0])
    done = Path(log).read_text().split()
    assert done.count("poison") == 3
    assert sorted(set(done) - {"poison"}) == sorted(task.id for task in innocents)
    assert len(done) == 3 + len(innocents), "no innocent task was done twice"


def test_innocents_are_not_blamed_when_a_whole_pool_breaks(log: str) -> None:
    innocents = [Task(f"i{n}", noted_sleep, (log, f"i{n}", 0.05)) for n in range(5)]
    tasks: list[Task[Any]] = [*innocents[:2], Task("poison", noted_death, (log, "poison")), *innocents[2:]]
    with HealingPool() as pool:
        with pytest.raises(JobError) as caught:
            # With one attempt only, a single wrong blame is enough to lose a result.
            collect(run(tasks, executor=pool, attempts=1, window=6))
        assert len(pool.pools) > 1
    assert [failure.task_id for failure in caught.value.failures] == ["poison"]
    assert set(caught.value.results) == {task.id for task in innocents}


@pytest.mark.parametrize("attempts", [1, 3])
def test_suspects_are_tried_in_isolation(log: str, attempts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second killer that waits its turn must not meet the suspects of the first one's deed."""
    monkeypatch.setattr(dispatch_module, "WAIT_S", 0.005)  # or the tasks would have to last longer
    first = [Task(f"a{n}", noted_sleep, (log, f"a{n}", 0.1)) for n in range(4)]
    second = [Task(f"b{n}", noted_sleep, (log, f"b{n}", 0.1)) for n in range(4)]
    tasks: list[Task[Any]] = [Task("x", poison), *first, Task("y", poison), *second]
    with BrittleExecutor() as brittle, pytest.raises(JobError) as caught:
        collect(run(tasks, executor=brittle, attempts=attempts, window=5))
    assert [failure.task_id for failure in caught.value.failures] == ["x", "y"]
    assert set(caught.value.results) == {task.id for task in first + second}


def test_an_executor_that_stays_broken_ends_the_run(log: str, tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "")
    tasks: list[Task[Any]] = [*squares(2), Task("poison", noted_death, (log, "poison")), *squares(9)[5:]]
    pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
    with pool, pytest.raises(JobError, match="executor failed and cannot continue") as caught:
        collect(run(tasks, executor=pool, window=1, checkpoint=checkpoint))
    assert caught.value.results == contents(checkpoint) == {"0": 0, "1": 1}


# The local executor by itself.


def test_local_executor_is_an_executor(local: LocalExecutor) -> None:
    assert list(local.map(square, range(10))) == [n * n for n in range(10)]
    assert local.submit(int, "ff", base=16).result(TIMEOUT_S) == 255
    with pytest.raises(PicklingFailed):
        local.submit(lambda: 0).result(TIMEOUT_S)
    error = local.submit(fail_pickily).exception(TIMEOUT_S)
    assert isinstance(error, RuntimeError)
    assert str(error) == "PickyError: this and that"
    assert isinstance(local.submit(sys.exit, 3).exception(TIMEOUT_S), SystemExit)
    assert isinstance(local.submit(os._exit, 3).exception(TIMEOUT_S), WorkerDied)
    payload = os.urandom(3_000_000)  # more than a pipe holds, both ways
    assert local.submit(bytes.upper, payload).result(TIMEOUT_S) == payload.upper()


PicklingFailed = (pickle.PicklingError, AttributeError)  # Python 3.11 raises the one, later ones the other


def test_workers_ignore_interrupts(local: LocalExecutor) -> None:
    assert local.submit(interrupt_myself).exception(TIMEOUT_S) is None


def test_a_worker_that_dies_idle_is_nobodys_fault() -> None:
    def kill_worker(future: Future[int]) -> None:
        """Called by the manager when the worker has become idle, before it is handed the next call."""
        os.kill(future.result(), signal.SIGKILL)
        time.sleep(0.2)

    with LocalExecutor(1) as executor:
        first = executor.submit(os.getpid)
        first.add_done_callback(kill_worker)
        assert executor.submit(pow, 5, 2).result(TIMEOUT_S) == 25


def test_kill_ends_one_call_only(local: LocalExecutor) -> None:
    futures = [local.submit(time.sleep, 100), local.submit(time.sleep, 0.5)]
    wait_until(lambda: all(future.running() for future in futures))
    local.kill(futures[0])
    assert isinstance(futures[0].exception(TIMEOUT_S), WorkerDied)
    assert futures[1].result(TIMEOUT_S) is None
    assert local.submit(square, 3).result(TIMEOUT_S) == 9


def test_a_call_may_use_an_executor_which_dies_with_it(local: LocalExecutor, log: str) -> None:
    assert local.submit(nested_squares, 5).result(TIMEOUT_S) == [0, 1, 4, 9, 16]
    future = local.submit(nested_sleep, log)
    wait_until(lambda: Path(log).read_text().strip())
    local.kill(future)
    assert isinstance(future.exception(TIMEOUT_S), WorkerDied)
    wait_until(lambda: not Path(f"/proc/{Path(log).read_text().strip()}").exists())


def test_a_call_reports_progress(local: LocalExecutor) -> None:
    steps: list[int] = []

    def collect_and_fail(step: int) -> None:
        steps.append(step)
        raise ZeroDivisionError

    assert local.submit_with_progress(collect_and_fail, report_steps, 5).result(TIMEOUT_S) == 5
    assert steps == [0, 1, 2, 3, 4], "in order, whatever the callback does"
    assert local.submit(report_steps, 3).result(TIMEOUT_S) == 3, "nobody listens"


def test_progress_restarts_the_time_limit() -> None:
    with LocalExecutor(1, call_timeout_s=2.0) as executor:
        assert executor.submit(report_slowly, 6, 0.5).result(TIMEOUT_S) == 6


def test_stopping_a_run_frees_the_callers_executor(local: LocalExecutor, tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "")
    tasks: list[Task[Any]] = [Task("quick", square, (3,)), *(Task(str(n), time.sleep, (3600,)) for n in range(9))]
    results = run(tasks, executor=local, checkpoint=checkpoint)
    assert next(results).id == "quick"
    results.close()
    assert local.submit(square, 4).result(TIMEOUT_S) == 16, "the workers are not held by the sleepers"
    assert contents(checkpoint) == {"quick": 9}


def test_what_ended_before_a_stop_is_stored(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "")
    second = threading.Event()

    def slow() -> str:
        second.wait(TIMEOUT_S)
        return "slow"

    with ThreadPoolExecutor(2) as threads:
        results = run([Task("quick", square, (3,)), Task("slow", slow)], executor=threads, checkpoint=checkpoint)
        assert next(results).id == "quick"
        second.set()
        threads.shutdown(wait=True)
        results.close()
    assert contents(checkpoint) == {"quick": 9, "slow": "slow"}


def test_initializer(tmp_path: Path) -> None:
    with LocalExecutor(1, initializer=os.chdir, initargs=(tmp_path,)) as executor:
        assert executor.submit(os.getcwd).result(TIMEOUT_S) == str(tmp_path)
    with pytest.raises(RuntimeError, match="shut down"):
        executor.submit(os.getcwd)


def test_an_initializer_that_fails_breaks_the_executor() -> None:
    executor = LocalExecutor(1, initializer=os.chdir, initargs=("/no/such/folder",))
    with executor, pytest.raises(JobError, match=r"failed to initialize.*/no/such/folder"):
        collect(run(squares(5), executor=executor))


def test_shutdown_waits_or_cancels() -> None:
    with LocalExecutor(1) as executor:
        first = executor.submit(pow, 2, 2)
        last = executor.submit(pow, 3, 2)
    assert (first.result(0), last.result(0)) == (4, 9)
    executor = LocalExecutor(1)
    running = executor.submit(time.sleep, 100)
    pending = executor.submit(pow, 3, 2)
    wait_until(running.running)
    executor.terminate()
    assert isinstance(running.exception(0), WorkerDied)
    assert pending.cancelled()


def test_leaving_by_an_exception_does_not_wait() -> None:
    executor = LocalExecutor(1)
    running = executor.submit(time.sleep, 60)
    wait_until(running.running)
    with pytest.raises(ZeroDivisionError), executor:
        raise ZeroDivisionError
    assert isinstance(running.exception(0), WorkerDied)


def test_cores() -> None:
    assert 1 <= available_cores() <= (os.cpu_count() or 1)
    assert LocalExecutor().workers == available_cores()


# The checkpoint file.

BLOCKS: list[dict[str, object]] = [{"a": 1}, {"b": [2, "two"], "ć": None}, {"d": 4.5}]


def write_blocks(path: Path, blocks: list[dict[str, object]]) -> list[int]:
    """Write a checkpoint; the sizes of the file before the first and after each block."""
    sizes = []
    with Checkpoint(path, "meaning").open() as file:
        sizes.append(path.stat().st_size)
        for block in blocks:
            file.append([(task_id, encode(value)) for task_id, value in block.items()])
            sizes.append(path.stat().st_size)
    return sizes


def union(blocks: list[dict[str, object]]) -> dict[str, object]:
    return {task_id: value for block in blocks for task_id, value in block.items()}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(max_size=200),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
any_text = st.text(st.characters(), max_size=20)  # lone surrogates too


@settings(max_examples=40, deadline=None)
@given(any_text, st.lists(st.dictionaries(any_text, values, max_size=4), max_size=4))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, fingerprint: str, blocks: list[dict[str, object]]
) -> None:
    checkpoint = Checkpoint(tmp_path_factory.getbasetemp() / "written and read", fingerprint)
    Path(checkpoint.path).unlink(missing_ok=True)
    expected: dict[str, object] = {}
    for block in blocks:
        with checkpoint.open() as file:
            file.append([(task_id, encode(value)) for task_id, value in block.items()])
            expected |= block
            assert {task_id: file.load(task_id) for task_id in file.ids()} == expected
        assert contents(checkpoint) == expected


def test_a_file_cut_at_any_byte_gives_a_prefix_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "c"
    sizes = write_blocks(path, BLOCKS)
    whole = path.read_bytes()
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        with Checkpoint(path, "meaning").open() as file:
            kept = [block for block, end in zip(BLOCKS, sizes[1:], strict=True) if end <= size]
            assert file.ids() == set(union(kept)), size
            file.append([("new", encode(size))])
        assert contents(Checkpoint(path, "meaning")) == union(kept) | {"new": size}


def test_a_flipped_bit_is_never_read_as_a_result(tmp_path: Path) -> None:
    path = tmp_path / "c"
    sizes = write_blocks(path, BLOCKS)
    whole = path.read_bytes()
    for at in range(len(whole)):
        flipped = bytearray(whole)
        flipped[at] ^= 1 << at % 8
        path.write_bytes(flipped)
        if at < sizes[-2]:
            with pytest.raises(CheckpointError):
                Checkpoint(path, "meaning").open()
            assert path.read_bytes() == flipped, "a file that is refused is left alone"
        elif at < sizes[-2] + 12:
            # The head of the last block: a kill cannot do that, and it may hide blocks that follow.
            with pytest.raises(CheckpointError, match=f"damaged after byte {sizes[-2]}: the 3 results before"):
                Checkpoint(path, "meaning").open()
        else:
            # As after a loss of power: nobody can tell, so the results of the last block are done again.
            assert contents(Checkpoint(path, "meaning")) == union(BLOCKS[:-1])


def test_zeros_at_the_end_are_cut_off(tmp_path: Path) -> None:
    """A loss of power may leave a file that is longer than what was written to the disk."""
    path = tmp_path / "c"
    sizes = write_blocks(path, BLOCKS)
    whole = path.read_bytes()
    for zeros in (1, 11, 12, 13, 5000):
        path.write_bytes(whole + bytes(zeros))
        assert contents(Checkpoint(path, "meaning")) == union(BLOCKS)
        assert path.read_bytes() == whole
    path.write_bytes(whole[: sizes[-2] + 15].ljust(len(whole), b"\0"))
    assert contents(Checkpoint(path, "meaning")) == union(BLOCKS[:-1])


def test_blocks_of_another_place_or_file_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "c"
    sizes = write_blocks(path, BLOCKS)
    whole = path.read_bytes()
    header, *blocks = (whole[a:b] for a, b in zip([0, *sizes], sizes, strict=False))
    for order in [(1, 0, 2), (0, 0, 1), (1, 2), (0, 2, 1)]:
        path.write_bytes(header + b"".join(blocks[n] for n in order))
        with pytest.raises(CheckpointError, match="damaged"):
            Checkpoint(path, "meaning").open()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda p: write_blocks(p, BLOCKS),
            "belongs to another run: it was made for 'meaning', this run is for 'meant'",
        ),
        (lambda p: p.write_bytes(b"some notes of mine"), "is not a checkpoint"),
        (lambda p: p.write_bytes(b"TENGENJB\x02\0\0\0\0\0\0\0"), "has format 2, this version of Tengen reads 1"),
        (lambda p: p.write_bytes(b"TENGENJB\x01\0\0\0\xff\xff\xff\xff"), "damaged or unfinished header"),
        (lambda p: p.mkdir(), "Is a directory"),
    ],
)
def test_a_file_that_is_not_of_this_run_is_refused(
    tmp_path: Path, make: Callable[[Path], object], message: str
) -> None:
    path = tmp_path / "c"
    make(path)
    before = path.is_file() and path.read_bytes()
    with pytest.raises(CheckpointError, match=re.escape(message)):
        collect(run(squares(2), executor=InlineExecutor(), checkpoint=Checkpoint(path, "meant")))
    assert (path.is_file() and path.read_bytes()) == before


def test_results_of_another_run_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "c"
    with pytest.raises(CheckpointError, match="No such file"):
        Checkpoint.existing(path)
    collect(run(squares(3), executor=InlineExecutor(), checkpoint=Checkpoint(path, "meänt")))
    found = Checkpoint.existing(path)
    assert found.fingerprint == "meänt"
    with found.open() as file:
        assert len(file) == 3
    content = path.read_bytes()
    for damaged in (
        b"notes",
        content[:10],
        content[:18] + b"X" + content[19:],
        b"TENGENJB\x01\0\0\0\xff\xff\xff\xff",
    ):
        path.write_bytes(damaged)
        with pytest.raises(CheckpointError, match=r"is not a checkpoint|header"):
            Checkpoint.existing(path)
        assert path.read_bytes() == damaged


def test_a_long_fingerprint_is_shown_where_it_differs(tmp_path: Path) -> None:
    common = "x" * 500
    Checkpoint(tmp_path / "c", common + "depth 12").open().close()
    with pytest.raises(CheckpointError, match=r"for …'x+depth 12', .* for …'x+depth 14';") as caught:
        Checkpoint(tmp_path / "c", common + "depth 14").open()
    assert len(str(caught.value)) < 300 + len(str(tmp_path))


def test_a_process_being_started_does_not_keep_the_lock(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "x")
    with checkpoint.open() as file:
        copy = os.dup(file._file.fileno())  # as a child has it between fork and exec
    try:
        checkpoint.open().close()
    finally:
        os.close(copy)


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "x")
    other = [sys.executable, "-c", "import sys; from tengen.jobs import *; Checkpoint(sys.argv[1], 'x').open()"]
    with checkpoint.open():
        with pytest.raises(CheckpointError, match="in use by another run"):
            checkpoint.open()
        second = subprocess.run([*other, str(checkpoint.path)], capture_output=True, text=True, env=environment())
        assert second.returncode == 1
        assert "in use by another run" in second.stderr
    checkpoint.open().close()


def test_a_full_disk_stops_the_run_and_is_resumed(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "x")
    tasks = [Task(str(n), bytes, (300_000,)) for n in range(8)]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, hard))
    try:
        with pytest.raises(CheckpointError, match=r"cannot write.*File too large; its 3 earlier results are kept"):
            collect(run(tasks, executor=InlineExecutor(), checkpoint=checkpoint, window=1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert len(contents(checkpoint)) == 3
    assert len(collect(run(tasks, executor=InlineExecutor(), checkpoint=checkpoint))) == 8


def test_an_interrupted_write_is_undone_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "x")
    with checkpoint.open() as file:
        with monkeypatch.context() as patch:

            def torn(target: io.RawIOBase, data: bytes) -> None:
                target.write(data[: len(data) // 2])
                raise KeyboardInterrupt

            patch.setattr(checkpoint_module, "_write", torn)
            with pytest.raises(KeyboardInterrupt):
                file.append([("long", encode("x" * 1000))])
        file.append([("short", encode("y"))])
        assert file.ids() == {"short"}
    assert contents(checkpoint) == {"short": "y"}


def test_after_a_failed_sync_nothing_more_is_promised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    checkpoint = Checkpoint(tmp_path / "c", "x")
    with checkpoint.open() as file:
        file.append([("a", encode(1))])
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", broken)
            with pytest.raises(CheckpointError, match="Input/output error"):
                file.append([("b", encode(2))])
        with pytest.raises(CheckpointError, match="earlier write"):
            file.append([("c", encode(3))])
    assert contents(checkpoint)["a"] == 1


def test_a_result_is_synced_before_it_is_yielded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced_size = 0
    path = tmp_path / "c"
    real = os.fsync

    def sync(handle: int) -> None:
        nonlocal synced_size
        real(handle)
        synced_size = path.stat().st_size

    monkeypatch.setattr(os, "fsync", sync)
    sizes = []
    for _ in run(squares(5), executor=InlineExecutor(), checkpoint=Checkpoint(path, "x"), window=1):
        assert synced_size == path.stat().st_size
        sizes.append(synced_size)
    assert sizes == sorted(set(sizes)), "each result made the file grow"


def test_a_result_that_cannot_be_read_back_names_its_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "x")
    with checkpoint.open() as file:
        file.append([("old", encode(PickyError("this", "that")))])
        with pytest.raises(CheckpointError, match=r"result of task 'old' .* cannot be read back"):
            file.load("old")


# Whole processes that are killed and interrupted.


@linux_only
@pytest.mark.parametrize(("kind", "kills"), [("threads", 5), ("local", 5)])
def test_a_killed_run_loses_nothing_and_resumes(tmp_path: Path, kind: str, kills: int) -> None:
    rng = random.Random(2024)
    tasks = 900
    stored = [kill_at_random(tmp_path, rng, kind, tasks) for _ in range(kills)]
    assert all(before <= after for before, after in stored)
    assert any(before < after < tasks for before, after in stored), "some kills came while there was work"
    victim = Victim(tmp_path, kind, tasks, 0)
    assert victim.end() == ""
    assert set(victim.check()) == {str(n) for n in range(tasks)}


@linux_only
@pytest.mark.parametrize("long", [3600, -1], ids=["sleeping", "holding the interpreter lock"])
def test_interrupt_ends_it_and_leaves_nothing(tmp_path: Path, long: float) -> None:
    """As Ctrl-C in a terminal: the signal goes to the whole group."""
    victim = Victim(tmp_path, "local", 6, 0, long)
    wait_until(lambda: len(victim.acknowledged()) == 6)
    assert len(victim.family()) >= 2
    errors = victim.end(signal.SIGINT, group=True)
    assert victim.process.returncode not in (0, None)
    assert errors.count("Traceback") == 1, "the workers say nothing"
    assert errors.strip().endswith("KeyboardInterrupt")
    wait_until(lambda: not victim.family())
    assert len(victim.check()) == 6


@linux_only
@pytest.mark.parametrize("long", [3600, -1], ids=["sleeping", "holding the interpreter lock"])
def test_no_worker_outlives_a_killed_parent(tmp_path: Path, long: float) -> None:
    victim = Victim(tmp_path, "local", 6, 0, long)
    wait_until(lambda: len(victim.acknowledged()) == 6)
    assert len(victim.family()) >= 2
    victim.end(signal.SIGKILL)
    wait_until(lambda: not victim.family())
    assert len(victim.check()) == 6


def run_script(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(text)
    return subprocess.run(
        [sys.executable, script], capture_output=True, text=True, env=environment(), timeout=TIMEOUT_S
    )


def test_a_main_module_without_guard_ends_in_a_clear_error(tmp_path: Path) -> None:
    text = "import math; from tengen.jobs import *\nprint(collect(run([Task('a', math.factorial, (3,))])))"
    ended = run_script(tmp_path, text)
    assert ended.returncode == 1
    assert "check that the main module guards its code" in ended.stderr.splitlines()[-1]


def test_an_executor_that_nobody_shut_down_does_not_hold_up_the_exit(tmp_path: Path) -> None:
    text = """if __name__ == "__main__":
        import time; from tengen.jobs import *
        executor = LocalExecutor(1)
        future = executor.submit(time.sleep, 3600)
        while not future.running(): time.sleep(0.01)"""
    ended = run_script(tmp_path, text)
    assert (ended.returncode, ended.stderr) == (0, "")


# Progress.


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_progress_counts_and_estimates() -> None:
    clock = Clock()
    meter = Meter(100, clock)
    assert meter.snapshot() == Progress(total=100, done=0, resumed=0, failed=0, rate=None)
    assert meter.snapshot().seconds_left is None
    for _ in range(40):
        meter.resume()
        clock.now += 0.001
    assert meter.snapshot() == Progress(total=100, done=40, resumed=40, failed=0, rate=None)
    meter.work_starts()
    clock.now += 4
    meter.finish(done=1, failed=1)
    now = meter.snapshot()
    assert (now.done, now.resumed, now.failed, now.rate) == (41, 40, 1, 0.5)
    assert now.seconds_left == 58 / 0.5, "resumed tasks say nothing about the rate"
    clock.now += 4
    meter.finish(done=58, failed=0)
    assert meter.snapshot().seconds_left == 0


def test_progress_forgets_the_distant_past() -> None:
    clock = Clock()
    meter = Meter(None, clock)
    meter.work_starts()
    for _ in range(200):  # ten a second ...
        clock.now += 0.1
        meter.finish(done=1, failed=0)
    assert meter.snapshot().rate == pytest.approx(10)
    for _ in range(200):  # ... then one in two seconds
        clock.now += 2
        meter.finish(done=1, failed=0)
    assert meter.snapshot().rate == pytest.approx(0.5)
    assert meter.snapshot().seconds_left is None, "no total, no end"


def test_progress_sees_through_bunches() -> None:
    """Equal tasks on many cores end together; the rate does not jump."""
    clock = Clock()
    meter = Meter(10_000, clock)
    meter.work_starts()
    for _ in range(10):
        clock.now += 60
        for _ in range(64):
            clock.now += 0.001
            meter.finish(done=1, failed=0)
            assert meter.snapshot().rate is not None
        assert meter.snapshot().rate == pytest.approx(64 / 60, rel=0.05)


def test_progress_is_reported_by_a_run(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "x")
    collect(run(squares(3), executor=InlineExecutor(), checkpoint=checkpoint))
    seen: list[Progress] = []
    tasks: list[Task[Any]] = [*squares(5), Task("bad", fail, ("x",))]
    with pytest.raises(JobError):
        collect(run(tasks, executor=InlineExecutor(), checkpoint=checkpoint, on_progress=seen.append, window=1))
    assert [(p.total, p.done, p.resumed, p.failed) for p in seen] == [
        (6, 0, 0, 0),
        *((6, n, n, 0) for n in (1, 2, 3)),
        (6, 4, 3, 0),
        (6, 5, 3, 0),
        (6, 5, 3, 1),
    ]
    list(run(iter(squares(1)), executor=InlineExecutor(), total=77, on_progress=seen.append))
    assert seen[-1].total == 77


def test_progress_as_text() -> None:
    assert str(Progress(None, 5, 0, 0, None)) == "5 done"
    text = str(Progress(100, 41, 40, 1, 0.5))
    assert text == "41 of 100 done (40 resumed), 1 failed, 0.5 a second, 1 min 56 s left"
    assert [duration(s) for s in (0.4, 59.4, 59.6, 3599, 7500, 273_600)] == [
        "0 s", "59 s", "1 min 00 s", "59 min 59 s", "2 h 05 min", "3 d 4 h",
    ]  # fmt: skip


def test_plain_progress_is_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with ProgressBar("Valuing", clock) as bar:
        for done in range(100):
            clock.now += 1
            bar(Progress(100, done, 0, 0, 1.0))
        bar(Progress(100, 100, 0, 0, 1.0))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Valuing: 29 of 100 done, 1 a second, 1 min 11 s left"
    assert lines[-1] == "Valuing: 100 of 100 done, 1 a second"
    assert len(lines) == 4


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with ProgressBar("Valuing [b]") as bar:
        list(run(squares(8), executor=InlineExecutor(), on_progress=bar))
    assert "\x1b[" in terminal.getvalue(), "it was drawn"
    assert "Valuing [b]" in terminal.getvalue()
    assert "Valuing [b]: 8 of 8 done" in terminal.getvalue().splitlines()[-1]
