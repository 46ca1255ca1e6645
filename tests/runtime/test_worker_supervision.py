"""Job workers, helper processes and book jobs under faults: whatever crashes or hangs is started again."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tengen
from tengen.app import book_manager, clobber_analysis, live_books
from tengen.books.live_statistics import LiveBook
from tengen.books.statistics import StatisticsBook
from tengen.core.errors import TengenError
from tengen.core.resource_limits import LimitExceeded, ResourceLimits
from tengen.games.records import Record
from tengen.jobs import LocalExecutor, Progress, Task, collect, run
from tengen.jobs.executor import WorkerDied
from tengen.jobs.helper_pool import HelperPool, HelperStopped, helper_health
from tengen.jobs.worker import Outcome, report_progress
from tengen.jobs.worker_pool import MAX_FAILED_STARTS
from tengen.jobs.worker_process import UNWANTED, WorkerProcess
from tests.helpers.book_stub import batches_of
from tests.helpers.fault_injection import fail_once
from tests.helpers.waiting import TIMEOUT_S, wait_until

# ---- job workers


@pytest.mark.parametrize("method", ["step", "_spawn_workers", "_assign_tasks", "_receive"])
def test_a_bug_of_the_job_manager_costs_the_running_calls(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    armed = fail_once(monkeypatch, LocalExecutor, method)
    with LocalExecutor(1) as executor:
        assert executor.submit(abs, -1).result(TIMEOUT_S) == 1
        running = executor.submit(time.sleep, 1000)
        wait_until(running.running, "not started")
        waiting = executor.submit(abs, -2)
        armed.set()
        if method == "_receive":  # it hears only when somebody speaks
            os.kill(executor.pids()[0], signal.SIGKILL)
        else:
            with executor._lock:
                executor._wakeup.set()
        assert isinstance(running.exception(TIMEOUT_S), WorkerDied)
        assert waiting.result(TIMEOUT_S) == 2, "a waiting call was lost"
        assert executor.submit(abs, -3).result(TIMEOUT_S) == 3
        assert executor.health().restarts == 1
        assert executor.submit(abs, -4).result(TIMEOUT_S) == 4


def test_a_job_manager_that_cannot_work_at_all_breaks_the_executor(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_once(monkeypatch, LocalExecutor, "_spawn_workers", times=100).set()
    with LocalExecutor(1) as executor:
        assert isinstance(executor.submit(abs, -1).exception(TIMEOUT_S), BrokenExecutor)
        with pytest.raises(BrokenExecutor, match="injected"):
            executor.submit(abs, -1)


def test_a_run_survives_its_job_manager(monkeypatch: pytest.MonkeyPatch) -> None:
    armed = fail_once(monkeypatch, LocalExecutor, "_receive")
    with LocalExecutor(2) as executor:
        executor.submit(abs, -1).result(TIMEOUT_S)
        armed.set()
        tasks = [Task(str(number), abs, (-number,)) for number in range(20)]
        assert collect(run(tasks, executor=executor)) == {str(number): number for number in range(20)}
        assert executor.health().restarts == 1


def test_the_answer_to_a_dropped_call_is_ignored() -> None:
    executor = LocalExecutor(1)
    worker: Any = SimpleNamespace(task=None)
    executor._handle(worker, Outcome(1))  # raises nothing


def test_workers_that_are_killed_while_they_start_are_no_failed_starts() -> None:
    executor = LocalExecutor(MAX_FAILED_STARTS)
    for _ in range(MAX_FAILED_STARTS):
        worker = executor._create_worker()
        executor._workers.append(worker)
        worker.kill(UNWANTED)
        executor._reap(worker)
    assert executor.health().last_failure == ""


def test_a_worker_that_was_joined_can_be_killed() -> None:
    worker: WorkerProcess[None] = WorkerProcess("job worker", 60.0)
    worker.kill("was killed")
    worker.join()
    worker.kill("was killed again")  # raises nothing


def test_a_call_that_takes_too_long_is_ended() -> None:
    with LocalExecutor(1, call_timeout_s=0.5) as executor:
        assert isinstance(executor.submit(time.sleep, 1000).exception(TIMEOUT_S), WorkerDied)
        assert executor.submit(abs, -1).result(TIMEOUT_S) == 1


# ---- helper processes


def kill_helper(pool: HelperPool) -> None:
    (pid,) = pool.pids()
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: pid not in pool.pids() or not pool.health().calls_running, "it lives")


def test_a_crashed_helper_says_one_sentence_and_is_replaced(caplog: pytest.LogCaptureFixture) -> None:
    pool = HelperPool("test")
    try:
        assert pool.submit(abs, -1).result(TIMEOUT_S) == 1
        first = pool.pids()
        kill_helper(pool)
        assert pool.submit(abs, -2).result(TIMEOUT_S) == 2, "the call was not tried again"
        assert pool.pids() != first
        before = pool.health().restarts
        caplog.clear()
        running = pool.submit(time.sleep, 1000)
        for _ in range(2):
            wait_until(lambda: pool.health().calls_running == 1, "not started")
            kill_helper(pool)
        error = running.exception(TIMEOUT_S)
        assert type(error) is HelperStopped
        assert str(error) == "The helper process stopped. Please try again."
        assert pool.submit(abs, -3).result(TIMEOUT_S) == 3
        health = pool.health()
        assert health.restarts == before + 2
        assert "signal 9" in health.last_failure
        assert json.loads(json.dumps(asdict(health))) == asdict(health)
        assert [one.name for one in helper_health() if one.name == "test"] == ["test"]
    finally:
        pool.close()
    stopped = [record for record in caplog.records if "helper 'test' stopped" in record.message]
    assert [record.levelname for record in stopped] == ["WARNING"] * 2
    assert not any(record.exc_info for record in caplog.records), "a traceback in the log"
    with pytest.raises(HelperStopped):
        pool.submit(abs, -1)


def start_a_process() -> int:
    """Starts a process that would outlive this one."""
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"]).pid


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_processes_that_a_helper_started_end_with_it() -> None:
    pool = HelperPool("test")
    pid = pool.submit(start_a_process).result(TIMEOUT_S)
    assert is_running(pid)
    pool.close()
    wait_until(lambda: not is_running(pid), "it goes on")


def test_a_helper_pool_whose_executor_broke_gets_another(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_once(monkeypatch, LocalExecutor, "_spawn_workers", times=4).set()
    pool = HelperPool("test")
    try:
        with pytest.raises(HelperStopped):
            pool.submit(abs, -1).result(TIMEOUT_S)
        wait_until(lambda: succeeds(lambda: pool.submit(abs, -1).result(TIMEOUT_S) == 1), "it stays broken")
        assert pool.health().restarts >= 4
    finally:
        pool.close()


def succeeds(work: Callable[[], bool]) -> bool:
    try:
        return work()
    except HelperStopped:
        return False


def test_a_helper_that_hangs_is_ended_and_a_queue_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.jobs.helper_pool.resource_limits", lambda: ResourceLimits(searches_queued=2))
    pool = HelperPool("test", call_timeout_s=2.0)
    try:
        pool.submit(abs, -1).result(TIMEOUT_S)
        hanging = pool.submit(time.sleep, 1000)
        wait_until(lambda: pool.health().calls_running == 1, "not started")
        queued = [pool.submit(abs, -1) for _ in range(2)]
        with pytest.raises(LimitExceeded, match="busy"):
            pool.submit(abs, -1)
        queued[0].cancel()
        assert pool.submit(abs, -2).result(TIMEOUT_S) == 2
        assert type(hanging.exception(TIMEOUT_S)) is HelperStopped
    finally:
        pool.close()


def test_a_killed_clobber_solver_is_explained_and_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clobber_analysis, "analyse_as_sum", kill_myself)

    async def ask() -> None:
        with clobber_analysis.sum_solver():
            with pytest.raises(TengenError, match=r"^The helper process stopped\. Please try again\.$"):
                await clobber_analysis._solver(None, "XO")  # type: ignore[arg-type]
            monkeypatch.setattr(clobber_analysis, "analyse_as_sum", len)
            assert await clobber_analysis._solver(None, "XO") == 2  # type: ignore[arg-type, comparison-overlap]

    asyncio.run(ask())


def kill_myself(*args: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


# ---- books


def games_of(count: int) -> list[Record]:
    position = tengen.game("othello").start().play("d3")
    return [Record.of(position, result="B+1") for _ in range(count)]


def test_a_live_book_survives_a_source_and_a_write_that_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failures = fail_once(monkeypatch, LiveBook, "_publish")
    book = LiveBook("othello", tmp_path / "o.stats")
    good = batches_of("othello", lambda: games_of(4), batch=2)
    times = [0]

    def source(done: int, stopped: Callable[[], bool]) -> Any:
        times[0] += 1
        if times[0] == 1:
            raise HelperStopped("The helper process stopped. Please try again.")
        yield from good(done, stopped)

    try:
        book.feed("games", source)
        assert book.wait(TIMEOUT_S)
        assert book.book.progress == {"games": 4}
        failures.set()
        book.add(games_of(1)[0])
        assert book.wait(TIMEOUT_S)
        health = book.health()
        assert (health.restarts, health.is_running, health.games_waiting) == (2, True, 0)
    finally:
        book.close()
    assert len(caplog.records) == 2
    assert sum(1 for record in caplog.records if record.exc_info) == 0, "a traceback in the log"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_live_book_whose_thread_died_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(self: LiveBook, *args: object) -> None:
        raise SystemExit

    book = LiveBook("othello", tmp_path / "o.stats")
    try:
        with monkeypatch.context() as context:
            context.setattr(LiveBook, "_publish", leave)
            book.add(games_of(1)[0])
            book._thread.join(TIMEOUT_S)
        book.add(games_of(1)[0])
        assert book.wait(TIMEOUT_S)
        assert (tmp_path / "o.stats").exists()
        assert book.health().restarts == 1
    finally:
        book.close()


def test_shipped_games_are_counted_though_the_process_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, path = "othello", tmp_path / "games.gz"
    path.write_bytes(gzip.compress(b"[Game 1]\n" * 250))
    monkeypatch.setattr(live_books, "count_part", Crashing(str(tmp_path / "log"), times=3))
    book = LiveBook(name, tmp_path / "book.stats")
    try:
        book.feed(*live_books.shipped_source(name, path))
        assert book.wait(TIMEOUT_S)
        assert book.health().restarts == 1
        assert list(book.book.progress.values()) == [250]
    finally:
        book.close()


@dataclass(frozen=True)
class Crashing:
    """Counts nothing; the first `times` calls take their process with them."""

    log: str
    times: int

    def __call__(self, game: str, path: Path, done: int) -> StatisticsBook:
        with open(self.log, "a") as log:
            log.write(".")
        if len(Path(self.log).read_text()) <= self.times:
            kill_myself()
        return StatisticsBook(game)


# ---- jobs on books


def run_book_job(function: Callable[..., Any], *args: object, timeout_s: float = TIMEOUT_S) -> Any:
    """The result of a job, and the manager's health afterwards."""

    async def work() -> Any:
        manager = book_manager.BookManager(ThreadPoolExecutor(1))
        try:
            return await manager._run_job(book_manager.BookJob(), timeout_s, function, *args), manager.health()
        finally:
            await manager.close()

    return asyncio.run(work())


def crash_once(crash: Callable[..., Any], argument: object, log: str) -> int:
    if os.path.exists(log):
        return 42
    Path(log).touch()
    crash(argument)
    return 0


@pytest.mark.parametrize(
    ("crash", "argument", "timeout_s"),
    [(kill_myself, 0, TIMEOUT_S), (os._exit, 3, TIMEOUT_S), (time.sleep, 1000, 8.0)],  # which covers a slow import
)
def test_work_on_books_is_tried_again(
    crash: Callable[..., Any], argument: object, timeout_s: float, tmp_path: Path
) -> None:
    found, health = run_book_job(crash_once, crash, argument, str(tmp_path / "log"), timeout_s=timeout_s)
    assert found == 42
    assert (health.restarts, health.processes) == (1, 0)
    assert json.loads(json.dumps(asdict(health))) == asdict(health)


def test_work_on_books_that_always_crashes_fails_in_one_sentence(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(HelperStopped, match=r"^The helper process stopped\. Please try again\.$"):
        run_book_job(os._exit, 3)
    crashes = [record for record in caplog.records if "helper 'book job' stopped" in record.message]
    assert len(crashes) == book_manager.MAX_ATTEMPTS


def report_without_end() -> None:
    for done in count(1):
        report_progress(Progress(None, done, 0, 0, None))


def test_work_on_books_ends_when_it_is_cancelled_between_two_reports() -> None:
    """A cancellation was lost if it coincided with a report, and the growth went on to its end."""

    async def work() -> None:
        manager, job = book_manager.BookManager(ThreadPoolExecutor(1)), book_manager.BookJob()
        reported = asyncio.Event()
        manager.watch(lambda: reported.set() if job.progress is not None else None)
        for _ in range(3):
            task = asyncio.ensure_future(manager._run_job(job, TIMEOUT_S, report_without_end))
            await reported.wait()
            (pool,) = manager._pools
            (pid,) = pool.pids()
            task.cancel()
            assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)
            assert manager.health().processes == 0
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)
            reported.clear()  # reports that came before the end included
        await manager.close()

    asyncio.run(work())
