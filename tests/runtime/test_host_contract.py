"""What a host on this machine and a host on a Dask cluster have in common: the same tests for both."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import CancelledError, wait

import pytest

import tengen
from tengen.core.errors import AmbiguousMove, IllegalMove, OptionError, UnreadableMove
from tengen.engines.registry import create
from tengen.players.config import EngineConfig
from tengen.runtime.host import EngineHost, SearchHandle
from tengen.runtime.messages import EngineError, Progress, Request, Stage
from tengen.search.limits import Limits
from tengen.search.report import Report
from tests.helpers.engine_host import (
    DIARY,
    GO,
    RAISING,
    SHORT,
    WORDLESS,
    ProgressLog,
)
from tests.helpers.waiting import TIMEOUT_S, wait_until

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own


@pytest.fixture(scope="module", params=["local", "cluster"])
def host(request: pytest.FixtureRequest) -> EngineHost:
    """A host with two workers: of this machine, then of a cluster."""
    return request.getfixturevalue(f"{request.param}_host")


@pytest.fixture(scope="module", params=["local", "cluster"])
def lone(request: pytest.FixtureRequest) -> EngineHost:
    """A host with one worker, for which searches have to wait."""
    return request.getfixturevalue(f"lone_{request.param}_host")


def test_a_search_gives_the_same_report_as_the_engine_itself(host: EngineHost) -> None:
    position = tengen.game("othello", size=6).start()
    spec = EngineConfig("uct", seed=5, settings={"reuse": False, "memory": 16}, book=False)
    notes = ProgressLog()
    report = host.search(spec, position, Limits(nodes=3000), game_id="one", on_progress=notes).result(TIMEOUT_S)
    expected = create("uct", seed=5, reuse=False, memory=16).search(position, Limits(nodes=3000))
    assert report.candidates == expected.candidates
    by_request = host.search(spec, Request("othello", {"size": 6}), Limits(nodes=3000), game_id="two")
    assert by_request.result(TIMEOUT_S).candidates == expected.candidates
    assert notes.all[0] == Progress(Stage.STARTED)


def test_progress_comes_in_one_thread_of_the_host(host: EngineHost) -> None:
    first, second = ProgressLog(), ProgressLog()
    handles = [
        host.search(EngineConfig("flat", book=False), GO, Limits(seconds=0.8), game_id=name, on_progress=notes)
        for name, notes in (("p1", first), ("p2", second))
    ]
    finished_in: list[str] = []
    handles[0].future.add_done_callback(lambda future: finished_in.append(threading.current_thread().name))
    for handle in handles:
        handle.result(TIMEOUT_S)
    assert first.threads == second.threads == set(finished_in) == {"engine host callbacks"}
    reports = [progress.report for progress in first.all if progress.stage is Stage.SEARCHING]
    assert reports
    assert all(report is not None and report.engine == "flat" for report in reports)


def test_a_callback_that_fails_or_waits_harms_nobody(host: EngineHost, caplog: pytest.LogCaptureFixture) -> None:
    def fail(progress: Progress) -> None:
        raise ZeroDivisionError

    errors: list[BaseException] = []
    handles: list[SearchHandle] = []

    def wait_for_myself(progress: Progress) -> None:
        try:
            handles[0].result()
        except RuntimeError as error:
            errors.append(error)

    handles.append(
        host.search(
            EngineConfig("flat", book=False), GO, Limits(seconds=0.5), game_id="w", on_progress=wait_for_myself
        )
    )
    assert (
        host.search(EngineConfig("random", book=False), GO, Limits(), game_id="f", on_progress=fail)
        .result(TIMEOUT_S)
        .best
    )
    assert handles[0].result(TIMEOUT_S).best
    assert errors
    assert "callback" in caplog.text


def test_await_and_cancel_with_asyncio(host: EngineHost) -> None:
    async def play() -> Report:
        forever = host.search(EngineConfig("flat", book=False), GO, Limits(), game_id="f1")
        task = asyncio.ensure_future(_await(forever))
        report = await host.search(EngineConfig("random", book=False), GO, Limits(), game_id="f2")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert forever.done()
        return report

    assert asyncio.run(play()).best
    wait_until(lambda: all(worker.searching is None for worker in host.status()), "the worker was not freed")


async def _await(handle: SearchHandle) -> Report:
    return await handle


def test_a_stop_takes_effect(host: EngineHost) -> None:
    """Searches without an end come to one; how soon is printed."""
    delays = []
    for number in range(6):
        notes = ProgressLog()
        handle = host.search(
            EngineConfig(("uct", "flat", "alphabeta")[number % 3]), GO, Limits(), game_id="stop", on_progress=notes
        )
        notes.await_stage(Stage.SEARCHING)
        began = time.monotonic()
        handle.stop()
        report = handle.result(TIMEOUT_S)
        delays.append(time.monotonic() - began)
        tengen.game("go", size=9).start().play(report.best)
        assert not any(progress.stage is Stage.RETRYING for progress in notes.all), "it was not stopped but killed"
    delays.sort()
    print(f"stop: median {1000 * delays[3]:.1f} ms, worst {1000 * delays[-1]:.1f} ms")


def test_a_stop_before_the_turn_still_gives_a_move(lone: EngineHost) -> None:
    blocker = lone.search(EngineConfig(DIARY, book=False), SHORT, Limits(), game_id="b")
    others = [
        lone.search(EngineConfig("random", book=False), SHORT, Limits(), game_id=str(number))
        for number in range(3)
    ]
    stopped = lone.search(EngineConfig("flat", book=False), GO, Limits(), game_id="s")
    order: list[SearchHandle] = []
    for handle in (*others, stopped):
        handle.future.add_done_callback(lambda future, handle=handle: order.append(handle))  # type: ignore[misc]
    stopped.stop()
    blocker.stop()
    report = stopped.result(TIMEOUT_S)
    assert report.nodes == 0
    tengen.game("go", size=9).start().play(report.best)
    wait([other.future for other in others], TIMEOUT_S)
    assert order[0] is stopped
    assert blocker.done()
    stopped.stop()  # nothing happens


def test_cancelling(host: EngineHost) -> None:
    running = [
        host.search(EngineConfig(DIARY, book=False), SHORT, Limits(), game_id=f"c{number}") for number in range(2)
    ]
    waiting = host.search(EngineConfig(DIARY, book=False), SHORT, Limits(), game_id="c3")
    wait_until(lambda: sum(worker.searching is not None for worker in host.status()) == 2, "not started")
    for handle in (waiting, *running):
        assert handle.cancel()
        with pytest.raises(CancelledError):
            handle.result(TIMEOUT_S)
    assert not wait([handle.future for handle in (waiting, *running)], TIMEOUT_S).not_done
    assert host.search(EngineConfig("random", book=False), SHORT, Limits(), game_id="c4").result(TIMEOUT_S).best


def test_pondering_yields_to_all_and_helps_its_own_game(lone: EngineHost) -> None:
    spec = EngineConfig("uct", settings={"memory": 64}, book=False)
    notes = ProgressLog()
    ponder = lone.ponder(spec, GO, game_id="mine", on_progress=notes)
    notes.await_stage(Stage.SEARCHING)
    assert lone.search(EngineConfig("random", book=False), GO, Limits(), game_id="other").result(TIMEOUT_S).best
    assert not ponder.done()
    notes.await_stage(Stage.STARTED, 2)
    notes.await_stage(Stage.SEARCHING, 2)
    report = lone.search(spec, GO, Limits(nodes=50), game_id="mine").result(TIMEOUT_S)
    pondered = ponder.result(TIMEOUT_S).nodes
    assert pondered > 0
    visits = sum(candidate.visits for candidate in report.candidates)
    assert visits > 50 + min(1000, pondered // 2), "the tree was not kept"
    unlucky = lone.ponder(spec, GO, game_id="third")
    lone.search(spec, GO, Limits(nodes=1), game_id="third").result(TIMEOUT_S)
    wait_until(unlucky.done, "pondering goes on")


def test_background_work_is_done_in_turns(lone: EngineHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.runtime.engine_worker.BACKGROUND_SLICE_S", 0.2)
    first, second = ProgressLog(), ProgressLog()
    analysis = lone.search(
        EngineConfig("flat", book=False), GO, Limits(), game_id="a", background=True, on_progress=first
    )
    first.await_stage(Stage.STARTED)
    other = lone.search(
        EngineConfig("flat", book=False), GO, Limits(), game_id="b", background=True, on_progress=second
    )
    second.await_stage(Stage.STARTED, 2)
    first.await_stage(Stage.STARTED, 2)
    limited = lone.search(EngineConfig("flat", book=False), GO, Limits(seconds=0.5), game_id="c", background=True)
    assert limited.result(TIMEOUT_S).engine == "flat", "its turns do not add up"
    analysis.stop()
    assert analysis.result(TIMEOUT_S).nodes > 0
    second.await_stage(Stage.SEARCHING)
    other.stop()
    assert other.result(TIMEOUT_S).nodes > 0


def test_errors_reach_the_caller_and_the_worker_lives_on(host: EngineHost) -> None:
    def fail(spec: EngineConfig, request: Request = SHORT, limits: Limits | None = None) -> BaseException:
        error = host.search(spec, request, limits or Limits(), game_id="e").future.exception(TIMEOUT_S)
        assert error is not None
        return error

    host.search(EngineConfig("random", book=False), SHORT, Limits(), game_id="e").result(TIMEOUT_S)
    before = {worker.pid for worker in host.status()}
    bug = fail(EngineConfig(RAISING, seed=1, book=False))
    assert type(bug) is EngineError
    assert "ValueError: a bug" in str(bug)
    assert "Raising" in str(bug)
    assert "faulty_engines.py" in str(bug.__cause__), "the worker's traceback is lost"
    ambiguous = fail(EngineConfig(RAISING, seed=2, book=False))
    assert isinstance(ambiguous, AmbiguousMove)
    assert ambiguous.choices == ["x1", "x2"]
    assert "SystemExit" in str(fail(EngineConfig(RAISING, seed=3, book=False)))
    assert isinstance(fail(EngineConfig(RAISING, seed=4, book=False)), UnreadableMove)
    assert "Report" in str(fail(EngineConfig(WORDLESS, book=False)))
    assert "there is no engine 'deep'" in str(fail(EngineConfig("deep", book=False)))
    assert "no engine at" in str(fail(EngineConfig("tests.helpers.faulty_engines:Nobody", book=False)))
    assert "is not an engine" in str(fail(EngineConfig("os:getpid", book=False)))
    assert "no setting 'x'" in str(fail(EngineConfig("uct", settings={"x": 1}, book=False)))
    assert isinstance(fail(EngineConfig("uct", book=False), Request("othello", {"size": 4}, ("a1",))), IllegalMove)
    assert isinstance(fail(EngineConfig("uct", book=False), Request("othello", {"size": 5})), OptionError)
    with pytest.raises(OptionError, match="there is no game 'chess'"):
        host.search(EngineConfig("uct", book=False), Request("chess"), Limits(), game_id="e")
    assert host.search(EngineConfig("random", book=False), SHORT, Limits(), game_id="e").result(TIMEOUT_S).best
    assert before <= {worker.pid for worker in host.status()}
