"""The engine host under faults: long waits, bugs and deaths of its threads, full queues, little memory."""

from __future__ import annotations

import ctypes
import json
import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import tengen
from tengen.core.errors import OptionError, TengenError
from tengen.core.resource_limits import LimitExceeded, ResourceLimits
from tengen.jobs import supervised_thread, worker_pool
from tengen.jobs.restart_backoff import RestartBackoff
from tengen.play.clock import Clock
from tengen.play.match import Match
from tengen.play.match_runner import MatchRunner
from tengen.play.time_control import TimeControl
from tengen.players.config import EngineConfig
from tengen.players.configure import configure, engine_player
from tengen.players.player import EnginePlayer, Person, read_player
from tengen.runtime import callbacks as callbacks_module
from tengen.runtime.host import EngineHost
from tengen.runtime.manager import Manager
from tengen.runtime.memory_plan import MIN_SHARE_MB, MemoryPlan, workers_that_fit
from tengen.runtime.messages import EngineCrashed, HostClosed, Progress, Request
from tengen.search.limits import Clock as SearchClock
from tengen.search.limits import Limits
from tests.helpers.fault_injection import fail_once
from tests.helpers.waiting import TIMEOUT_S, wait_until

SHORT = Request("othello", {"size": 4})
DIARY = EngineConfig("tests.helpers.faulty_engines:Diary", book=False)
GREEDY = "tests.helpers.faulty_engines:Greedy"


@pytest.fixture
def set_limits(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def use(**values: Any) -> None:
        found = ResourceLimits(**values)
        for name in ("runtime.manager", "runtime.host", "play.time_control", "players.configure"):
            monkeypatch.setattr(f"tengen.{name}.resource_limits", lambda: found)

    return use


def search(host: EngineHost, limits: Limits | None = None, game_id: str = "g", spec: EngineConfig = DIARY) -> Any:
    return host.search(spec, SHORT, Limits(nodes=1) if limits is None else limits, game_id=game_id)


def test_progress_after_the_answer_is_ignored(tmp_path: Path) -> None:
    spec = EngineConfig("tests.helpers.faulty_engines:Late", settings={"log": str(tmp_path / "log")}, book=False)
    with EngineHost(1) as host:
        first = search(host, spec=spec).result(TIMEOUT_S)
        wait_until((tmp_path / "log").exists, "no late progress")
        second = search(host, spec=spec).result(TIMEOUT_S)
        assert second.candidates[0].reason == first.candidates[0].reason, "the worker was replaced"
        assert host.health().restarts == 0


# ---- levels and clocks (a wait for a million seconds ended the manager's thread)


@pytest.mark.parametrize(
    "limits",
    [
        Limits(seconds=1e9),
        Limits(seconds=1e300),
        Limits(clock=SearchClock(3_600_000.0, moves_to_go=1)),
        Limits(nodes=10**30, seconds=1e9),
    ],
)
def test_a_very_long_search_leaves_the_host_alive(limits: Limits, local_host: EngineHost) -> None:
    started = threading.Event()
    long = local_host.search(DIARY, SHORT, limits, game_id="long", on_progress=lambda _: started.set())
    assert started.wait(TIMEOUT_S)
    assert search(local_host, game_id="short").result(TIMEOUT_S).best
    long.stop()
    assert long.result(TIMEOUT_S).best
    assert local_host.health().restarts == 0


def test_a_wait_is_short_whatever_the_deadline() -> None:
    with EngineHost(1) as host:
        manager = host._manager
        handle = search(host, Limits(seconds=3000.0))
        wait_until(lambda: any(worker.searching for worker in host.status()), "not started")
        assert 0 <= manager._seconds_to_wait() <= supervised_thread.CHECK_INTERVAL_S
        handle.cancel()


def test_an_engine_on_a_clock_of_a_thousand_hours_moves() -> None:
    """The reproduction of the finding: a stored game with such a clock, made before there were bounds."""
    control = TimeControl.parse("1000h/move", stored=True)
    players = (engine_player(EngineConfig("uct", Limits(seconds=1e9, nodes=50))), Person("Ann"))
    with EngineHost(1) as host:
        match = Match.new(tengen.game("othello", size=4), players, control=control)
        runner = MatchRunner(match, host)
        runner.start()
        wait_until(lambda: match.live.ply == 1, "the engine did not move")
        runner.close()
        assert host.health().restarts == 0


def test_new_levels_and_clocks_are_bounded_and_stored_ones_still_load(set_limits: Callable[..., None]) -> None:
    set_limits(level_seconds=60, level_nodes=1000, clock_seconds=3600)
    for level in (Limits(seconds=61.0), Limits(seconds=1e9), Limits(nodes=1001)):
        with pytest.raises(OptionError, match="a level has at most") as error:
            configure("uct", level)
        assert "\n" not in str(error.value)
        stored = EnginePlayer("Old", EngineConfig("uct", level))
        assert read_player(json.loads(json.dumps(stored.to_dict()))) == stored
    assert configure("uct", Limits(seconds=60.0, nodes=1000)).limits.seconds == 60
    for text in ("61m", "1000h/move", "10m+2h", "10m+3x61m", "5m+25/2h"):
        with pytest.raises(OptionError, match="may be at most 1h"):
            TimeControl.parse(text)
        clock = Clock.from_control(TimeControl.parse(text, stored=True))
        assert Clock.from_dict(json.loads(json.dumps(clock.to_dict()))) == clock
    assert TimeControl.parse("1h").main == 3600
    assert TimeControl.parse("none").is_none


def test_searches_are_lowered_to_the_limits_of_the_machine(set_limits: Callable[..., None]) -> None:
    from tengen.runtime.host import _within_machine_limits as lowered

    set_limits(level_seconds=60, level_nodes=1000)
    assert lowered(Limits(seconds=1e9, depth=3)) == Limits(seconds=60.0, depth=3)
    assert lowered(Limits(nodes=10**15)) == Limits(nodes=1000, seconds=60.0)
    assert lowered(Limits(depth=60)).thinking_time() == 60  # a depth that is never reached must not keep a worker
    assert lowered(Limits(clock=SearchClock(1e7))).thinking_time() == 60
    for fine in (Limits(), Limits(seconds=5.0), Limits(clock=SearchClock(60.0))):
        assert lowered(fine) == fine


def test_a_closed_host_says_so_in_an_error_for_users() -> None:
    host = EngineHost(1)
    host.close()
    with pytest.raises(HostClosed, match="closed"):
        search(host)
    assert issubclass(HostClosed, TengenError)
    assert not host.health().is_running


# ---- the threads of the engine host


@pytest.mark.parametrize(
    "method", ["step", "_spawn_workers", "_assign_tasks", "_receive", "_note_answer", "_preempt_background"]
)
def test_a_bug_of_the_manager_costs_a_retry(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    armed = fail_once(monkeypatch, Manager, method)
    with EngineHost(1) as host:
        first = search(host).result(TIMEOUT_S)
        armed.set()
        assert search(host).result(TIMEOUT_S).best, "a search during the failure was not retried"
        wait_until(lambda: host.health().restarts == 1, "the failure was not noticed")
        assert search(host, game_id="later").result(TIMEOUT_S).best
        health = host.health()
        assert health.is_running
        assert health.last_failure == "ZeroDivisionError: injected"
        assert first.best


def test_a_running_search_is_tried_again_with_a_new_worker(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    armed = fail_once(monkeypatch, Manager, "_preempt_background")
    notes: list[Progress] = []
    with EngineHost(1) as host:
        running = host.search(DIARY, SHORT, Limits(), game_id="running", on_progress=notes.append)
        wait_until(lambda: any(worker.searching for worker in host.status()), "not started")
        before = host.status()[0].pid
        waiting = search(host, game_id="waiting")
        armed.set()
        host._manager.stop(waiting._task)  # something happens: the manager takes a step
        wait_until(lambda: "the host restarted" in [note.note for note in notes], "not tried again")
        running.stop()
        assert running.result(TIMEOUT_S).best
        assert waiting.result(TIMEOUT_S).best
        assert before not in {worker.pid for worker in host.status()}
    lines = [record.getMessage() for record in caplog.records]
    assert [line for line in lines if "failed" in line] == [
        "engine host failed: ZeroDivisionError: injected; it restarts in 0.1 s"
    ]


def test_a_manager_that_always_fails_gives_searches_up_and_recovers(monkeypatch: pytest.MonkeyPatch) -> None:
    armed = fail_once(monkeypatch, Manager, "_assign_tasks", times=4)
    armed.set()
    with EngineHost(1) as host:
        with pytest.raises(EngineCrashed, match=r"^The engine host was restarted\. Please try again\.$"):
            search(host).result(TIMEOUT_S)
        wait_until(lambda: host.health().restarts == 4, "it did not try again")
        assert search(host).result(TIMEOUT_S).best


def leave_thread(manager: Manager) -> None:
    raise SystemExit


def kill_thread(thread: threading.Thread) -> None:
    """Let SystemExit strike a thread, wherever it is."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(SystemExit))
    thread.join(TIMEOUT_S)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_dead_manager_thread_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callbacks_module, "CHECK_INTERVAL_S", 0.1)
    monkeypatch.setattr(worker_pool, "CHECK_INTERVAL_S", 0.1)
    with EngineHost(1) as host:
        search(host).result(TIMEOUT_S)
        running = search(host, Limits(), "running")
        wait_until(lambda: any(worker.searching for worker in host.status()), "not started")
        thread = host._manager._thread.thread
        recover = Manager.recover

        def fail_in_that_thread(self: Manager) -> None:
            """Not even its own recovery works; that of its successor does."""
            if threading.current_thread() is thread:
                leave_thread(self)
            recover(self)

        with monkeypatch.context() as context:
            context.setattr(Manager, "recover", fail_in_that_thread)
            kill_thread(thread)
            wait_until(lambda: host._manager._thread.thread is not thread, "nobody has noticed")
        running.stop()
        assert running.result(TIMEOUT_S).best, "what was under way is lost"
        assert search(host).result(TIMEOUT_S).best
        assert host.health().restarts >= 1


def test_a_manager_that_hangs_gets_new_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that stops in the midst of a message would block it for ever."""
    monkeypatch.setattr(callbacks_module, "CHECK_INTERVAL_S", 0.2)
    monkeypatch.setattr(worker_pool, "CHECK_INTERVAL_S", 1.0)
    monkeypatch.setattr(supervised_thread, "HANG_TIMEOUT_S", 3.0)
    pids: list[int] = []
    hang, original = threading.Event(), Manager._receive

    def receive(self: Manager, worker: Any) -> None:
        if hang.is_set():
            hang.clear()
            pids.append(worker.pid)
            worker._process.join(TIMEOUT_S)  # until it is killed
        original(self, worker)

    monkeypatch.setattr(Manager, "_receive", receive)
    with EngineHost(1) as host:
        search(host).result(TIMEOUT_S)
        hang.set()
        assert search(host, game_id="hangs").result(TIMEOUT_S).best
        assert pids
        assert pids[0] not in {worker.pid for worker in host.status()}


def test_a_callback_may_end_its_thread_or_block_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callbacks_module, "STALL_TIMEOUT_S", 1.0)
    monkeypatch.setattr(callbacks_module, "CHECK_INTERVAL_S", 0.1)
    monkeypatch.setattr(worker_pool, "CHECK_INTERVAL_S", 0.1)
    go_on = threading.Event()

    def leave(future: Any) -> None:
        raise SystemExit

    def block(future: Any) -> None:
        go_on.wait(TIMEOUT_S)

    with EngineHost(1) as host:
        for callback in (leave, block):
            handle = search(host, Limits(), callback.__name__)
            handle.future.add_done_callback(callback)
            handle.stop()
            assert search(host, game_id="next").result(TIMEOUT_S).best
        assert host.health().restarts == 1, "a blocked thread is replaced, one that fails goes on"
        assert "callback" in host.health().last_failure
        go_on.set()


def test_health_is_plain_data() -> None:
    with EngineHost(2) as host:
        idle = host.health()
        assert (idle.workers_wanted, idle.workers_alive, idle.searches_running, idle.searches_queued) == (
            2,
            0,
            0,
            0,
        )
        handles = [search(host, Limits(), str(number)) for number in range(5)]
        wait_until(lambda: host.health().searches_running == 2, "not started")
        health = host.health()
        assert (health.workers_alive, health.searches_queued, health.is_running) == (2, 3, True)
        if Path("/proc/self/statm").exists():
            assert health.memory_mb is not None
            assert 100 < health.memory_mb < 4000
        assert json.loads(json.dumps(asdict(health))) == asdict(health)
        for handle in handles:
            handle.cancel()


def test_restarts_wait_longer_and_longer() -> None:
    restarts = RestartBackoff(0.1, 1.0, healthy_after_s=60.0)
    assert [restarts.note_crash("x") for _ in range(6)] == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.0, 1.0])
    restarts.note_success()
    assert restarts.note_crash("y") == pytest.approx(0.1)
    assert (restarts.count, restarts.last_failure) == (7, "y")


# ---- the queue


def test_the_queue_is_bounded_and_abandoned_searches_leave_it(set_limits: Callable[..., None]) -> None:
    set_limits(searches_queued=3)
    with EngineHost(1) as host:
        running = search(host, Limits(), "running")
        wait_until(lambda: any(worker.searching for worker in host.status()), "not started")
        queued = [search(host, Limits(), str(number)) for number in range(3)]
        with pytest.raises(
            LimitExceeded, match=r"^The server is busy: 3 searches are waiting\. Try again later\.$"
        ):
            search(host, game_id="one too many")
        # Background work has a queue of its own.
        background = host.search(DIARY, SHORT, Limits(), game_id="b", background=True)
        assert host.health().searches_queued == 4
        queued[1].cancel()
        assert host.health().searches_queued == 3, "a cancelled search keeps its place"
        after = search(host, game_id="now there is room")
        for handle in (*queued, background, running):
            handle.cancel()
        assert after.result(TIMEOUT_S).best


def test_a_game_is_paused_with_a_reason_when_the_server_is_busy(set_limits: Callable[..., None]) -> None:
    set_limits(searches_queued=2)
    with EngineHost(1) as host:
        handles = [search(host, Limits(), "running")]
        wait_until(lambda: any(worker.searching for worker in host.status()), "not started")
        handles += [search(host, Limits(), str(number)) for number in range(2)]
        players = (engine_player(configure("random", Limits(nodes=1))), Person("Ann"))
        match = Match.new(tengen.game("othello", size=4), players)
        told: list[str] = []
        match.watch(lambda event: told.append(str(event)))
        runner = MatchRunner(match, host)
        runner.start()
        assert not match.is_running
        assert any("The server is busy" in one for one in told)
        for handle in handles:
            handle.cancel()
        runner.start()
        wait_until(lambda: match.live.ply == 1, "the game does not go on")
        runner.close()


# ---- memory


def test_a_plan_follows_the_budget() -> None:
    large = MemoryPlan.from_limits(ResourceLimits(engine_memory_mb=16_000), workers=4)
    assert (large.share_mb, large.search_mb) == (4000, 256)
    small = MemoryPlan.from_limits(ResourceLimits(engine_memory_mb=800), workers=2)
    assert (small.share_mb, small.search_mb) == (400, 72), "the cap of a search shrinks on a small machine"
    tiny = MemoryPlan.from_limits(ResourceLimits(engine_memory_mb=100), workers=2)
    assert (tiny.share_mb, tiny.search_mb) == (MIN_SHARE_MB, 16)
    assert workers_that_fit(ResourceLimits(engine_memory_mb=1000), cores=16) == 3
    assert workers_that_fit(ResourceLimits(engine_memory_mb=100), cores=16) == 1
    engines = list(range(10))
    assert small.engines_to_drop(engines, 300) == 0
    assert small.engines_to_drop(engines, 356) == 3  # 10 MB each: 28 MB must go, so that 72 MB are free
    assert small.engines_to_drop(engines[:1], 390) == 0, "the last engine stays while the share is kept"
    assert small.engines_to_drop(engines[:1], 401) == 1


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="measures processes in /proc")
def test_a_worker_stays_within_its_share(set_limits: Callable[..., None]) -> None:
    """Engines of 60 MB each in a budget of 500: they are given up in time, and the worker lives on."""
    set_limits(engine_memory_mb=500)
    most = 0
    with EngineHost(1) as host:
        for number in range(12):
            search(
                host, game_id=str(number), spec=EngineConfig(GREEDY, settings={"megabytes": 60}, book=False)
            ).result(TIMEOUT_S)
            most = max(most, host.health().memory_mb or 0)
        wait_until(lambda: len(host.status()) == 1, "there is no worker")
        health = host.health()
        kept = len(host.status()[0].engines)
    assert health.memory_budget_mb == 500
    assert most <= 500, "the worker outgrew its budget"
    assert 1 <= kept < 12
    assert health.workers_recycled == 0


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="measures processes in /proc")
def test_a_worker_that_leaks_is_replaced(set_limits: Callable[..., None]) -> None:
    set_limits(engine_memory_mb=400)
    leaking = EngineConfig(GREEDY, settings={"megabytes": 150, "leaks": True}, book=False)
    with EngineHost(1) as host:
        pids = set()
        for number in range(6):
            report = search(host, game_id=str(number), spec=leaking).result(TIMEOUT_S)
            pids.add(report.candidates[0].reason)
        assert host.health().workers_recycled >= 1
        assert len(pids) == 1 + host.health().workers_recycled or len(pids) == host.health().workers_recycled
        assert host.health().restarts == 0
