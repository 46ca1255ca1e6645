"""The engine host: what must hold when many games share few workers, and when engines fail, hang and die."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, wait
from dataclasses import replace
from multiprocessing import get_context, resource_tracker
from pathlib import Path
from typing import NamedTuple

import pytest

import tengen
from tengen import games
from tengen.core.errors import AmbiguousMove, GameOver, IllegalMove, OptionError, UnreadableMove
from tengen.core.position import Position
from tengen.engines.registry import create
from tengen.players.config import EngineConfig
from tengen.runtime import scheduler as scheduler_module
from tengen.runtime.callbacks import Recipient
from tengen.runtime.host import EngineHost, SearchHandle
from tengen.runtime.messages import EngineCrashed, EngineFailed, HostClosed, Progress, Request, Stage
from tengen.runtime.scheduler import MOST_TURNS_AHEAD, PATIENCE, Scheduler, Ticket
from tengen.runtime.turn import create_engine
from tengen.search.limits import Clock, Limits
from tengen.search.report import Report

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
GO = Request("go", {"size": 9})
SHORT = Request("othello", {"size": 4})
DIARY, DYING, HANGING, RAISING, WORDLESS = (
    f"tests.helpers.faulty_engines:{name}" for name in ("Diary", "Dying", "Hanging", "Raising", "Wordless")
)
WAIT = 240.0  # for what should take a second or two, on a machine that is busy with other things


@pytest.fixture(scope="module")
def host() -> Iterator[EngineHost]:
    """One host for many tests: starting workers takes most of the time."""
    with EngineHost(2) as host:
        yield host


@pytest.fixture(scope="module")
def lone() -> Iterator[EngineHost]:
    """A host with one worker, for which searches have to wait."""
    with EngineHost(1) as host:
        yield host


class Notes:
    """The progress of a search, as it comes, and in which threads."""

    def __init__(self) -> None:
        self.all: list[Progress] = []
        self.threads: set[str] = set()
        self._change = threading.Condition()

    def __call__(self, progress: Progress) -> None:
        with self._change:
            self.all.append(progress)
            self.threads.add(threading.current_thread().name)
            self._change.notify_all()

    def await_stage(self, stage: Stage, times: int = 1) -> None:
        with self._change:
            done = self._change.wait_for(lambda: sum(p.stage is stage for p in self.all) >= times, WAIT)
        assert done, f"no {stage} in {[progress.stage for progress in self.all]}"


def pid_of(report: Report) -> int:
    return int(report.candidates[0].reason)


def searches_of(report: Report) -> int:
    return report.candidates[0].visits


def eventually(condition: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.01)


# ---- plain data


def test_specs_are_keys_and_survive_json() -> None:
    spec = EngineConfig("uct", seed=3, threads=2, settings={"exploration": 0.5, "reuse": False})
    same = EngineConfig.from_dict(json.loads(json.dumps(spec.to_dict())))
    assert same == spec
    assert len({spec, same, replace(spec, settings={"reuse": False, "exploration": 0.5})}) == 1
    assert spec != replace(spec, settings={})
    assert spec != replace(spec, seed=4)
    assert pickle.loads(pickle.dumps(spec)) == spec
    with pytest.raises(OptionError, match="thread"):
        EngineConfig("uct", threads=0, book=False)


def test_a_request_is_a_position() -> None:
    position = tengen.game("go", size=5, komi=3).start().play_all(["C3", "pass", "B2"])
    request = Request.of(position)
    assert games.game(request.game, **request.options).start().play_all(request.moves) == position  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "error", [IllegalMove("a1", "it is taken"), AmbiguousMove("x", ["x1", "x2"]), GameOver("over")]
)
def test_errors_travel_as_themselves(error: Exception) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


# ---- the scheduler alone


def ticket(game: str, spec: EngineConfig | None = None, asked: float = 0.0, background: bool = False) -> Ticket:
    return Ticket(
        spec or EngineConfig("random", book=False),
        SHORT,
        "",
        Limits(),
        game,
        Recipient(None),
        asked=asked,
        background=background,
    )


def test_games_take_turns_however_much_one_asks_for() -> None:
    scheduler: Scheduler[str] = Scheduler(kept=100)
    for number in range(5):
        scheduler.add(ticket("greedy", EngineConfig("random", seed=number, book=False)))
    for name in "ab":
        scheduler.add(ticket(name))
        scheduler.add(ticket(name, EngineConfig("uct", book=False)))
    order = []
    while (turn := scheduler.take("worker", 0.0)) is not None:
        order.append(turn.game_id)
    assert order == ["greedy", "a", "b", "greedy", "a", "b", "greedy", "greedy", "greedy"]


def test_what_is_cancelled_costs_no_turn() -> None:
    scheduler: Scheduler[str] = Scheduler(kept=100)
    scheduler.add(ticket("patient"))
    for _ in range(50):  # somebody leafs through a game
        glance = ticket("hasty")
        scheduler.add(glance)
        assert scheduler.remove(glance)
        assert not scheduler.remove(glance)
    scheduler.add(ticket("patient", EngineConfig("uct", book=False)))
    scheduler.add(ticket("hasty"))
    taken = [scheduler.take("worker", 0.0) for _ in range(3)]
    assert [t and t.game_id for t in taken] == ["patient", "hasty", "patient"]


def test_background_work_waits_for_all_else() -> None:
    scheduler: Scheduler[str] = Scheduler(kept=100)
    scheduler.add(ticket("idle", background=True))
    scheduler.add(ticket("a"))
    taken = [scheduler.take("worker", 0.0) for _ in range(3)]
    assert [t and t.game_id for t in taken] == ["a", "idle", None]


def test_a_search_waits_for_its_home_but_not_for_long() -> None:
    scheduler: Scheduler[str] = Scheduler(kept=100)
    mine = ticket("a", asked=10.0)
    scheduler.move_in(mine.key, "home")
    scheduler.add(mine)
    assert scheduler.take("other", 10.0) is None
    assert scheduler.patience_ends() == 10.0 + PATIENCE
    assert scheduler.take("other", 10.0 + PATIENCE) is mine
    # Another game that could go on may do so a few times, but not for ever.
    scheduler.add(mine)
    other = ticket("b", asked=10.0)
    turns = []
    while mine not in turns:
        scheduler.add(other)
        turns.append(scheduler.take("other", 10.0))
    assert turns == [other] * (int(mine.turn) + MOST_TURNS_AHEAD + 1) + [mine]


def test_engines_are_given_up_least_recently_used_first() -> None:
    scheduler: Scheduler[str] = Scheduler(kept=2)
    a, b, c = (ticket(name) for name in "abc")
    assert scheduler.move_in(a.key, "w") == scheduler.move_in(b.key, "w") == scheduler.move_in(a.key, "w") == ()
    assert scheduler.move_in(c.key, "w") == (b.key,)
    assert (scheduler.home(a), scheduler.home(b), scheduler.home(c)) == ("w", None, "w")
    scheduler.move_in(a.key, "v")
    scheduler.bury("w")
    assert (scheduler.home(a), scheduler.home(c)) == ("v", None)


def test_time_spent_is_not_given_back() -> None:
    search = ticket("a", asked=100.0)
    search.limits = Limits(seconds=5.0, clock=Clock(60.0, 1.0))
    assert search.limits_left(100.0) == search.limits
    share = search.limits.thinking_time()
    search.seconds_spent = 1.0
    left = search.limits_left(103.0)
    assert left.clock == Clock(57.0, 1.0), "a game's clock runs while the search waits"
    assert left.seconds == pytest.approx(share - 1.0)
    search.seconds_spent = 99.0
    assert search.limits_left(200.0).thinking_time() <= scheduler_module.LEAST_SECONDS
    search.limits = Limits(nodes=10)
    assert search.limits_left(200.0) == search.limits, "nothing but time is cut"


def test_fair_and_sticky_in_the_long_run() -> None:
    """A model of 20 games on 2 workers, one of which is home to 15 of them: all make the same progress."""
    scheduler: Scheduler[int] = Scheduler(kept=20)
    tickets = [ticket(str(number)) for number in range(20)]
    for number, each in enumerate(tickets):
        scheduler.move_in(each.key, int(number >= 15))
        scheduler.add(each)
    done, at_home = Counter[str](), 0
    for now in range(2000):
        worker = now % 2
        turn = scheduler.take(worker, 0.0)  # never patient for long enough: only turns count
        if turn is None:
            continue
        at_home += scheduler.home(turn) == worker
        scheduler.move_in(turn.key, worker)
        done[turn.game_id] += 1
        assert max(done.values()) - min(done[str(n)] for n in range(20)) <= MOST_TURNS_AHEAD + 2
        scheduler.add(turn)
    assert at_home > 1800


# ---- searches


def test_a_search_gives_the_same_report_as_the_engine_itself(host: EngineHost) -> None:
    position = tengen.game("othello", size=6).start()
    spec = EngineConfig("uct", seed=5, settings={"reuse": False, "memory": 16}, book=False)
    notes = Notes()
    report = host.search(spec, position, Limits(nodes=3000), game_id="one", on_progress=notes).result(WAIT)
    expected = create("uct", seed=5, reuse=False, memory=16).search(position, Limits(nodes=3000))
    assert report.candidates == expected.candidates
    by_request = host.search(spec, Request("othello", {"size": 6}), Limits(nodes=3000), game_id="two")
    assert by_request.result(WAIT).candidates == expected.candidates
    assert notes.all[0] == Progress(Stage.STARTED)


def test_progress_comes_in_one_thread_of_the_host(host: EngineHost) -> None:
    first, second = Notes(), Notes()
    handles = [
        host.search(EngineConfig("flat", book=False), GO, Limits(seconds=0.8), game_id=name, on_progress=notes)
        for name, notes in (("p1", first), ("p2", second))
    ]
    finished_in: list[str] = []
    handles[0].future.add_done_callback(lambda future: finished_in.append(threading.current_thread().name))
    for handle in handles:
        handle.result(WAIT)
    assert first.threads == second.threads == set(finished_in) == {"engine host callbacks"}
    reports = [progress.report for progress in first.all if progress.stage is Stage.THINKING]
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
        .result(WAIT)
        .best
    )
    assert handles[0].result(WAIT).best
    assert errors
    assert "callback" in caplog.text


def test_slow_callbacks_get_the_newest_report(host: EngineHost) -> None:
    seen: list[float] = []

    def slow(progress: Progress) -> None:
        if progress.report is not None:
            seen.append(progress.report.seconds)
            time.sleep(0.6)

    handle = host.search(
        EngineConfig("flat", book=False), GO, Limits(seconds=1.6), game_id="slow", on_progress=slow
    )
    report = handle.result(WAIT)
    assert len(seen) <= report.seconds / 0.6 + 2, "what was overtaken is told"
    assert seen == sorted(seen)


def test_a_long_game_is_replayed_only_from_where_it_was_known() -> None:
    from tengen.runtime.worker import Lines

    lines = Lines()
    place = games.place("othello")
    moves: tuple[int, ...] = ()
    known = [lines.reach("g", place, Request("othello", {"size": 6}))]
    for _ in range(3):
        moves += known[-1].legal_moves[:1]
        known.append(lines.reach("g", place, Request("othello", {"size": 6}, moves)))
        assert known[-1].parent is known[-2]
    assert lines.reach("g", place, Request("othello", {"size": 6}, moves[:1])) is known[1]
    assert lines.reach("g", place, Request("othello", {"size": 8})).game.options()["size"] == 8
    with pytest.raises(UnreadableMove):
        lines.reach("g", place, Request("othello", {"size": 8}, ("xyz",)))
    assert lines.reach("g", place, Request("othello", {"size": 8})).ply == 0


def test_games_of_other_packages_and_compiling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that only this process has registered reaches the workers, and compiling is told."""
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path))
    monkeypatch.setattr(games, "_GAMES", dict(games._GAMES))
    notes = Notes()
    with EngineHost(1) as host:
        games.register("heap", "tests.helpers.heap_game:Heap")
        request = Request("heap", {"size": 7}, ("take 1", 2))
        report = host.search(
            EngineConfig("random", book=False), request, Limits(), game_id="h", on_progress=notes
        ).result(180)
    assert report.best in {"1", "2", "3"}
    stages = [progress.stage for progress in notes.all]
    assert stages[0] is Stage.STARTED
    assert Stage.COMPILING in stages
    assert any("position_kernels" in progress.note for progress in notes.all)


def test_caps_hold_whatever_a_spec_asks_for() -> None:
    game = tengen.game("go", size=9)
    engine = create_engine(EngineConfig("uct", threads=64), game, max_threads=2, max_memory_mb=8)
    assert (engine.settings["memory"], engine.threads) == (8, 2)
    config = EngineConfig("alphabeta", threads=64, settings={"table": 2})
    engine = create_engine(config, game, max_threads=2, max_memory_mb=8)
    assert (engine.settings["table"], engine.threads) == (2, 1)
    for wrong in ({"workers": 0}, {"threads": 0}, {"memory": 0}, {"engines_kept": 0}, {"grace": 0.0}):
        with pytest.raises(OptionError):
            EngineHost(**wrong)  # type: ignore[arg-type]


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
    eventually(lambda: all(worker.searching is None for worker in host.status()), "the worker was not freed")


async def _await(handle: SearchHandle) -> Report:
    return await handle


# ---- many games


def test_twenty_games_on_two_workers_all_progress_and_finish(
    host: EngineHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where each move takes a while, because the machine is busy, no engine would be found again.
    monkeypatch.setattr(scheduler_module, "PATIENCE", WAIT)
    tables = [Table(host, f"game {number}", number) for number in range(20)]
    gaps: list[int] = []

    def measure() -> None:
        if all(not table.position.is_over for table in tables):
            plies = [table.position.ply for table in tables]
            gaps.append(max(plies) - min(plies))

    for table in tables:
        table.after_move = measure
    began = time.monotonic()
    for table in tables:
        table.start()
    for table in tables:
        table.finish()
    moves = sum(table.position.ply for table in tables)
    print(f"20 games on 2 workers: {moves} moves in {time.monotonic() - began:.1f} s, gap {max(gaps)}")
    assert max(gaps) <= MOST_TURNS_AHEAD + 2, "a game fell behind"
    at_home = sum(table.at_home for table in tables) / sum(table.position.ply - 1 for table in tables)
    print(f"engines found again: {100 * at_home:.0f} %")
    assert at_home > 0.5
    assert all(len(worker.engines) <= 16 for worker in host.status())


class Table:
    """A game that an engine plays against itself: as soon as one move is there, the next is asked for."""

    def __init__(self, host: EngineHost, game_id: str, seed: int) -> None:
        self.host = host
        self.game_id = game_id
        self.spec = EngineConfig("tests.helpers.faulty_engines:Diary", seed=seed, book=False)
        self.position = tengen.game("othello", size=4).start()
        self.at_home = 0
        self.after_move: Callable[[], None] = lambda: None
        self._over = threading.Event()
        self._error: BaseException | None = None

    def start(self) -> None:
        handle = self.host.search(self.spec, self.position, Limits(seconds=0.02), game_id=self.game_id)
        handle.future.add_done_callback(lambda future: self._moved(handle))

    def _moved(self, handle: SearchHandle) -> None:
        try:
            report = handle.result(0)
            self.at_home += searches_of(report) > 1
            self.position = self.position.play(report.best)
            self.after_move()
            if not self.position.is_over:
                self.start()
                return
        except BaseException as error:
            self._error = error
        self._over.set()

    def finish(self) -> None:
        assert self._over.wait(WAIT), f"{self.game_id} has not ended"
        if self._error is not None:
            raise self._error


def test_engines_stay_where_they_are_and_are_bounded() -> None:
    with EngineHost(2, engines_kept=2) as host:

        def play(game_id: str) -> Report:
            return host.search(EngineConfig(DIARY, book=False), SHORT, Limits(nodes=1), game_id=game_id).result(
                WAIT
            )

        reports = [play("a") for _ in range(4)]
        assert [searches_of(report) for report in reports] == [1, 2, 3, 4]
        assert len({pid_of(report) for report in reports}) == 1
        # Its home is busy: after a moment another worker makes an engine of its own, which is then kept there.
        blocker = host.search(EngineConfig(DIARY, book=False), SHORT, Limits(), game_id="a")
        eventually(lambda: any(worker.searching for worker in host.status()), "not started")
        elsewhere = play("a")
        assert searches_of(elsewhere) == 1
        assert pid_of(elsewhere) != pid_of(reports[0])
        blocker.stop()
        blocker.result(WAIT)
        assert searches_of(play("a")) == 2
        for name in "bcdefgh":
            play(name)
        assert all(len(worker.engines) <= 2 for worker in host.status())
        assert searches_of(play("a")) == 1, "given up long ago"


# ---- stopping


def test_a_stop_takes_effect(host: EngineHost) -> None:
    """Searches without an end come to one; how soon is printed."""
    delays = []
    for number in range(6):
        notes = Notes()
        handle = host.search(
            EngineConfig(("uct", "flat", "alphabeta")[number % 3]), GO, Limits(), game_id="stop", on_progress=notes
        )
        notes.await_stage(Stage.THINKING)
        began = time.monotonic()
        handle.stop()
        report = handle.result(WAIT)
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
    report = stopped.result(WAIT)
    assert report.nodes == 0
    tengen.game("go", size=9).start().play(report.best)
    wait([other.future for other in others], WAIT)
    assert order[0] is stopped
    assert blocker.done()
    stopped.stop()  # nothing happens


def test_cancelling(host: EngineHost) -> None:
    running = [
        host.search(EngineConfig(DIARY, book=False), SHORT, Limits(), game_id=f"c{number}") for number in range(2)
    ]
    waiting = host.search(EngineConfig(DIARY, book=False), SHORT, Limits(), game_id="c3")
    eventually(lambda: sum(worker.searching is not None for worker in host.status()) == 2, "not started")
    for handle in (waiting, *running):
        assert handle.cancel()
        with pytest.raises(CancelledError):
            handle.result(WAIT)
    assert not wait([handle.future for handle in (waiting, *running)], WAIT).not_done
    assert host.search(EngineConfig("random", book=False), SHORT, Limits(), game_id="c4").result(WAIT).best


# ---- background work


def test_pondering_yields_to_all_and_helps_its_own_game(lone: EngineHost) -> None:
    spec = EngineConfig("uct", settings={"memory": 64}, book=False)
    notes = Notes()
    ponder = lone.ponder(spec, GO, game_id="mine", on_progress=notes)
    notes.await_stage(Stage.THINKING)
    assert lone.search(EngineConfig("random", book=False), GO, Limits(), game_id="other").result(WAIT).best
    assert not ponder.done()
    notes.await_stage(Stage.STARTED, 2)
    notes.await_stage(Stage.THINKING, 2)
    report = lone.search(spec, GO, Limits(nodes=50), game_id="mine").result(WAIT)
    pondered = ponder.result(WAIT).nodes
    assert pondered > 0
    visits = sum(candidate.visits for candidate in report.candidates)
    assert visits > 50 + min(1000, pondered // 2), "the tree was not kept"
    unlucky = lone.ponder(spec, GO, game_id="third")
    lone.search(spec, GO, Limits(nodes=1), game_id="third").result(WAIT)
    eventually(unlucky.done, "pondering goes on")


def test_background_work_is_done_in_turns(lone: EngineHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.runtime.worker_process.TURN", 0.2)
    first, second = Notes(), Notes()
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
    assert limited.result(WAIT).engine == "flat", "its turns do not add up"
    analysis.stop()
    assert analysis.result(WAIT).nodes > 0
    second.await_stage(Stage.THINKING)
    other.stop()
    assert other.result(WAIT).nodes > 0


# ---- failures


def test_errors_reach_the_caller_and_the_worker_lives_on(host: EngineHost) -> None:
    def fail(spec: EngineConfig, request: Request = SHORT, limits: Limits | None = None) -> BaseException:
        error = host.search(spec, request, limits or Limits(), game_id="e").future.exception(WAIT)
        assert error is not None
        return error

    host.search(EngineConfig("random", book=False), SHORT, Limits(), game_id="e").result(WAIT)
    before = {worker.pid for worker in host.status()}
    bug = fail(EngineConfig(RAISING, seed=1, book=False))
    assert type(bug) is EngineFailed
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
    assert host.search(EngineConfig("random", book=False), SHORT, Limits(), game_id="e").result(WAIT).best
    assert before <= {worker.pid for worker in host.status()}


@pytest.fixture(scope="module")
def frail() -> Iterator[EngineHost]:
    """A host whose workers are about to die; they have little grace, but enough to load kernels."""
    with EngineHost(2, grace=10.0) as host:
        yield host


def test_an_engine_that_dies_again_and_again_is_given_up_and_disturbs_nobody(frail: EngineHost) -> None:
    notes, other_notes = Notes(), Notes()
    other = frail.search(EngineConfig("flat", book=False), GO, Limits(), game_id="other", on_progress=other_notes)
    other_notes.await_stage(Stage.THINKING)
    handle = frail.search(EngineConfig(DYING, book=False), SHORT, Limits(), game_id="bad", on_progress=notes)
    with pytest.raises(EngineCrashed, match=r"Dying was given up: its worker died 3 times.*signal 9"):
        handle.result(WAIT)
    assert not other.done()
    other.stop()
    assert other.result(WAIT).nodes > 0
    assert Counter(progress.stage for progress in notes.all) == {Stage.STARTED: 3, Stage.RETRYING: 2}
    assert not any(progress.stage is Stage.RETRYING for progress in other_notes.all)


def test_a_retry_gets_what_is_left_of_the_time(frail: EngineHost, tmp_path: Path) -> None:
    spec = EngineConfig(DYING, settings={"log": str(tmp_path / "log"), "times": 1})
    report = frail.search(spec, SHORT, Limits(seconds=1.0), game_id="g").result(WAIT)
    assert 0 < report.value.amount <= 0.7, "the dead worker took 0.3 of 1 second"


def test_an_engine_that_hangs_is_killed_and_tried_again(frail: EngineHost, tmp_path: Path) -> None:
    timed, endless = Notes(), Notes()
    specs = [EngineConfig(HANGING, settings={"log": str(tmp_path / name), "times": 1}) for name in "ab"]
    first = frail.search(specs[0], SHORT, Limits(seconds=0.1), game_id="h1", on_progress=timed)
    # Without a limit of time it may take as long as it likes, until it is stopped.
    second = frail.search(specs[1], SHORT, Limits(), game_id="h2", on_progress=endless)
    assert first.result(WAIT).best
    endless.await_stage(Stage.STARTED)
    assert not second.done()
    second.stop()
    assert second.result(WAIT).best
    for notes in (timed, endless):
        retries = [progress.note for progress in notes.all if progress.stage is Stage.RETRYING]
        assert retries == ["a worker did not answer in time and was killed"]


# ---- kills at random


class Kills(NamedTuple):
    kills: int
    moves: int
    retries: int
    seconds: float


def play_under_fire(rng: random.Random, kills: int, seconds: float, tables: int = 6) -> Kills:
    """Play games whose every report is known, killing workers in mid-search, until there were so many kills.

    Checks every report, and that no process and no shared memory is left.
    """
    leftovers = Leftovers()
    position = tengen.game("othello", size=6).start()
    expected: dict[tuple[EngineConfig, tuple[int, ...]], Report] = {}
    specs = [
        EngineConfig("flat", seed=1, book=False),
        EngineConfig("uct", seed=2, settings={"reuse": False, "memory": 16}, book=False),
    ]
    limits = {specs[0]: Limits(nodes=6000), specs[1]: Limits(nodes=6000)}
    positions: list[Position] = []
    for _ in range(4):
        position = position.play(rng.choice(position.legal_moves))
        positions.append(position)
    for spec in specs:
        for each in positions:
            engine = create(spec.engine, seed=spec.seed, **dict(spec.settings))
            expected[spec, each.moves] = engine.search(each, limits[spec])
    began = time.monotonic()
    made = moves = 0
    retries: list[Progress] = []

    def note(progress: Progress) -> None:
        if progress.stage is Stage.RETRYING:
            retries.append(progress)

    with EngineHost(2) as host:
        while made < kills and time.monotonic() - began < seconds:
            asked = []
            for number in range(tables):
                spec, each = specs[number % 2], rng.choice(positions)
                handle = host.search(spec, each, limits[spec], game_id=str(number), on_progress=note)
                asked.append((expected[spec, each.moves], handle))
            hits: Counter[object] = Counter()
            while made < kills and not all(handle.done() for _, handle in asked):
                time.sleep(rng.uniform(0, 0.1))
                at_work = [w for w in host.status() if w.searching is not None and hits[w.searching] < 2]
                if at_work:
                    victim = rng.choice(at_work)
                    hits[victim.searching] += 1  # a third death would rightly be given up
                    os.kill(victim.pid, signal.SIGKILL)
                    made += 1
                    time.sleep(rng.uniform(0, 0.3))
            for report, handle in asked:
                assert handle.result(WAIT).candidates == report.candidates
                moves += 1
    leftovers.check()
    return Kills(made, moves, len(retries), time.monotonic() - began)


class Leftovers:
    """What this process has now of children, shared memory and open files; `check` that it has no more later."""

    def __init__(self) -> None:
        resource_tracker.ensure_running()  # it stays, and so does the memory from which flags are taken
        get_context("spawn").RawArray("q", 1)
        self.before = self._now()

    def check(self) -> None:
        def nothing_more() -> bool:
            return all(now <= before for now, before in zip(self._now(), self.before, strict=True))

        eventually(nothing_more, f"{self.before} was all there was before")

    def _now(self) -> tuple[set[str], set[str], int]:
        pids: set[str] = set()
        for task in Path("/proc/self/task").iterdir():
            with contextlib.suppress(OSError):  # a thread that has ended meanwhile: its children go to another
                pids |= set((task / "children").read_text().split())
        shared = {name for name in os.listdir("/dev/shm") if name.startswith(("pym-", "psm_"))}
        return pids, shared, len(os.listdir("/proc/self/fd"))


@linux
def test_kills_in_mid_search_change_nothing() -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    result = play_under_fire(random.Random(seed), kills=2, seconds=WAIT)
    print(f"{result} (seed {seed})")
    assert result.kills == 2  # a hundred are soaked
    assert result.retries >= 1


# ---- the host's own life

SCRIPT = """
import sys, time
from tengen.runtime.host import EngineHost
from tengen.players.config import EngineConfig
from tengen.runtime.messages import Request
from tengen.search.limits import Limits

if __name__ == "__main__":
    host = EngineHost(2)
    handles = [
        host.search(EngineConfig("flat"), Request("go", {"size": 9}), Limits(), game_id=name) for name in "ab"
    ]
    while sum(worker.searching is not None for worker in host.status()) < 2:
        time.sleep(0.01)
    try:
        print(*(worker.pid for worker in host.status()), flush=True)
        time.sleep(600)
    except KeyboardInterrupt:
        time.sleep(0.3)
        for handle in handles:
            handle.stop()
            handle.result(200)
        print("numba" in sys.modules, *(worker.pid for worker in host.status()), flush=True)
        sys.exit()  # nobody closes the host
"""


def alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def start_script(tmp_path: Path, text: str) -> subprocess.Popen[str]:
    script = tmp_path / "script.py"
    script.write_text(text)
    return subprocess.Popen(
        [sys.executable, "-W", "error", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@linux
def test_workers_die_with_a_host_that_is_killed(tmp_path: Path) -> None:
    with start_script(tmp_path, SCRIPT) as script:
        assert script.stdout is not None
        pids = script.stdout.readline().split()
        assert len(pids) == 2
        script.kill()
    eventually(lambda: not any(alive(pid) for pid in pids), "orphans")


@linux
def test_interrupts_are_the_hosts_own_business_and_numba_stays_out_of_it(tmp_path: Path) -> None:
    with start_script(tmp_path, SCRIPT) as script:
        assert script.stdout is not None
        pids = script.stdout.readline().split()
        os.killpg(script.pid, signal.SIGINT)
        out, err = script.communicate(timeout=WAIT)
    assert out.split() == ["False", *pids], err
    assert script.returncode == 0
    assert err == ""
    assert not any(alive(pid) for pid in pids)


@linux
def test_closing_leaves_nothing() -> None:
    leftovers = Leftovers()
    host = EngineHost(2)
    handles = [
        host.search(EngineConfig("flat", book=False), GO, Limits(), game_id=str(number)) for number in range(5)
    ]
    eventually(lambda: any(worker.searching for worker in host.status()), "not started")
    began = time.monotonic()
    host.close()
    print(f"closed in {1000 * (time.monotonic() - began):.0f} ms")
    assert all(handle.future.cancelled() for handle in handles)
    host.close()
    with pytest.raises(HostClosed, match="closed"):
        host.search(EngineConfig("random", book=False), SHORT, Limits(), game_id="x")
    leftovers.check()


def test_a_program_without_a_guard_is_told_so(tmp_path: Path) -> None:
    text = SCRIPT.replace('if __name__ == "__main__":', "if True:").replace("EngineHost(2)", "EngineHost(1)")
    text = text.replace("while sum", "handles[0].result()\n    while sum")
    with start_script(tmp_path, text) as script:
        _, err = script.communicate(timeout=WAIT)
    assert script.returncode != 0
    assert "__main__" in err
