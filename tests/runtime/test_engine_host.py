"""The engine host: what must hold when many games share few workers, and when engines fail, hang and die."""

from __future__ import annotations

import json
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import tengen
from tengen import games
from tengen.core.errors import AmbiguousMove, GameOver, IllegalMove, OptionError, UnreadableMove
from tengen.players.config import EngineConfig
from tengen.runtime import scheduler as scheduler_module
from tengen.runtime.callbacks import Subscriber
from tengen.runtime.host import EngineHost
from tengen.runtime.messages import EngineCrashed, HostClosed, Progress, Request, Stage
from tengen.runtime.scheduler import AFFINITY_WAIT_S, MAX_ROUNDS_AHEAD, Scheduler, SearchTask
from tengen.runtime.turn import create_engine
from tengen.search.limits import Clock, Limits
from tengen.search.report import Report
from tests.helpers.engine_host import (
    DIARY,
    DYING,
    GO,
    HANGING,
    SHORT,
    Leftovers,
    ProgressLog,
    Table,
    pid_of,
    play_under_fire,
    searches_of,
)
from tests.helpers.platforms import linux_only
from tests.helpers.waiting import TIMEOUT_S, wait_until

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
    request = Request.from_position(position)
    assert games.game(request.game, **request.options).start().play_all(request.moves) == position  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "error", [IllegalMove("a1", "it is taken"), AmbiguousMove("x", ["x1", "x2"]), GameOver("over")]
)
def test_errors_travel_as_themselves(error: Exception) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


# ---- the scheduler alone


def make_task(
    game: str, spec: EngineConfig | None = None, requested_at: float = 0.0, background: bool = False
) -> SearchTask:
    return SearchTask(
        spec or EngineConfig("random", book=False),
        SHORT,
        "",
        Limits(),
        game,
        Subscriber(None),
        requested_at=requested_at,
        background=background,
    )


def test_games_take_turns_however_much_one_asks_for() -> None:
    scheduler: Scheduler[str] = Scheduler(engines_per_worker=100)
    for number in range(5):
        scheduler.add(make_task("greedy", EngineConfig("random", seed=number, book=False)))
    for name in "ab":
        scheduler.add(make_task(name))
        scheduler.add(make_task(name, EngineConfig("uct", book=False)))
    order = []
    while (turn := scheduler.take("worker", 0.0)) is not None:
        order.append(turn.game_id)
    assert order == ["greedy", "a", "b", "greedy", "a", "b", "greedy", "greedy", "greedy"]


def test_what_is_cancelled_costs_no_turn() -> None:
    scheduler: Scheduler[str] = Scheduler(engines_per_worker=100)
    scheduler.add(make_task("patient"))
    for _ in range(50):  # somebody leafs through a game
        glance = make_task("hasty")
        scheduler.add(glance)
        assert scheduler.remove(glance)
        assert not scheduler.remove(glance)
    scheduler.add(make_task("patient", EngineConfig("uct", book=False)))
    scheduler.add(make_task("hasty"))
    taken = [scheduler.take("worker", 0.0) for _ in range(3)]
    assert [t and t.game_id for t in taken] == ["patient", "hasty", "patient"]


def test_background_work_waits_for_all_else() -> None:
    scheduler: Scheduler[str] = Scheduler(engines_per_worker=100)
    scheduler.add(make_task("idle", background=True))
    scheduler.add(make_task("a"))
    taken = [scheduler.take("worker", 0.0) for _ in range(3)]
    assert [t and t.game_id for t in taken] == ["a", "idle", None]


def test_a_search_waits_for_its_home_but_not_for_long() -> None:
    scheduler: Scheduler[str] = Scheduler(engines_per_worker=100)
    mine = make_task("a", requested_at=10.0)
    scheduler.assign(mine.key, "home")
    scheduler.add(mine)
    assert scheduler.take("other", 10.0) is None
    assert scheduler.affinity_wait_end() == 10.0 + AFFINITY_WAIT_S
    assert scheduler.take("other", 10.0 + AFFINITY_WAIT_S) is mine
    # Another game that could go on may do so a few times, but not for ever.
    scheduler.add(mine)
    other = make_task("b", requested_at=10.0)
    turns = []
    while mine not in turns:
        scheduler.add(other)
        turns.append(scheduler.take("other", 10.0))
    assert turns == [other] * (int(mine.round_number) + MAX_ROUNDS_AHEAD + 1) + [mine]


def test_engines_are_given_up_least_recently_used_first() -> None:
    scheduler: Scheduler[str] = Scheduler(engines_per_worker=2)
    a, b, c = (make_task(name) for name in "abc")
    assert scheduler.assign(a.key, "w") == scheduler.assign(b.key, "w") == scheduler.assign(a.key, "w") == ()
    assert scheduler.assign(c.key, "w") == (b.key,)
    assert (scheduler.preferred_worker(a), scheduler.preferred_worker(b), scheduler.preferred_worker(c)) == (
        "w",
        None,
        "w",
    )
    scheduler.assign(a.key, "v")
    scheduler.remove_worker("w")
    assert (scheduler.preferred_worker(a), scheduler.preferred_worker(c)) == ("v", None)


def test_time_spent_is_not_given_back() -> None:
    search = make_task("a", requested_at=100.0)
    search.limits = Limits(seconds=5.0, clock=Clock(60.0, 1.0))
    assert search.limits_left(100.0) == search.limits
    share = search.limits.thinking_time()
    search.seconds_spent = 1.0
    left = search.limits_left(103.0)
    assert left.clock == Clock(57.0, 1.0), "a game's clock runs while the search waits"
    assert left.seconds == pytest.approx(share - 1.0)
    search.seconds_spent = 99.0
    assert search.limits_left(200.0).thinking_time() <= scheduler_module.MIN_SEARCH_TIME_S
    search.limits = Limits(nodes=10)
    assert search.limits_left(200.0) == search.limits, "nothing but time is cut"


def test_fair_and_sticky_in_the_long_run() -> None:
    """A model of 20 games on 2 workers, one of which is home to 15 of them: all make the same progress."""
    scheduler: Scheduler[int] = Scheduler(engines_per_worker=20)
    tasks = [make_task(str(number)) for number in range(20)]
    for number, each in enumerate(tasks):
        scheduler.assign(each.key, int(number >= 15))
        scheduler.add(each)
    done, at_home = Counter[str](), 0
    for now in range(2000):
        worker = now % 2
        turn = scheduler.take(worker, 0.0)  # never patient for long enough: only turns count
        if turn is None:
            continue
        at_home += scheduler.preferred_worker(turn) == worker
        scheduler.assign(turn.key, worker)
        done[turn.game_id] += 1
        assert max(done.values()) - min(done[str(n)] for n in range(20)) <= MAX_ROUNDS_AHEAD + 2
        scheduler.add(turn)
    assert at_home > 1800


# ---- searches


def test_slow_callbacks_get_the_newest_report(local_host: EngineHost) -> None:
    seen: list[float] = []

    def slow(progress: Progress) -> None:
        if progress.report is not None:
            seen.append(progress.report.seconds)
            time.sleep(0.6)

    handle = local_host.search(
        EngineConfig("flat", book=False), GO, Limits(seconds=1.6), game_id="slow", on_progress=slow
    )
    report = handle.result(TIMEOUT_S)
    assert 1 <= len(seen) <= report.seconds / 0.6 + 2, "outdated reports were delivered"
    assert seen == sorted(seen)


def test_a_long_game_is_replayed_only_from_where_it_was_known() -> None:
    from tengen.runtime.worker import PositionCache

    cache = PositionCache()
    path = games.import_path("othello")
    moves: tuple[int, ...] = ()
    known = [cache.position("g", path, Request("othello", {"size": 6}))]
    for _ in range(3):
        moves += known[-1].legal_moves[:1]
        known.append(cache.position("g", path, Request("othello", {"size": 6}, moves)))
        assert known[-1].parent is known[-2]
    assert cache.position("g", path, Request("othello", {"size": 6}, moves[:1])) is known[1]
    assert cache.position("g", path, Request("othello", {"size": 8})).game.options()["size"] == 8
    with pytest.raises(UnreadableMove):
        cache.position("g", path, Request("othello", {"size": 8}, ("xyz",)))
    assert cache.position("g", path, Request("othello", {"size": 8})).ply == 0


def test_games_of_other_packages_and_compiling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that only this process has registered reaches the workers, and compiling is told."""
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path))
    monkeypatch.setattr(games, "_GAMES", dict(games._GAMES))
    notes = ProgressLog()
    with EngineHost(1) as host:
        games.register("nim", "tengen_nim.game:Nim")
        request = Request("nim", {"size": 7}, ("take 1", 2))
        report = host.search(
            EngineConfig("random", book=False), request, Limits(), game_id="h", on_progress=notes
        ).result(180)
    assert report.best in {"1", "2", "3"}
    stages = [progress.stage for progress in notes.all]
    assert stages[0] is Stage.STARTED
    assert Stage.COMPILING in stages
    assert any(re.match(r"Preparing .+ \(first time only\)", progress.note) for progress in notes.all)


def test_caps_hold_whatever_a_spec_asks_for() -> None:
    game = tengen.game("go", size=9)
    engine = create_engine(EngineConfig("uct", threads=64), game, max_threads=2, max_memory_mb=8)
    assert (engine.settings["memory"], engine.threads) == (8, 2)
    config = EngineConfig("alphabeta", threads=64, settings={"table": 2})
    engine = create_engine(config, game, max_threads=2, max_memory_mb=8)
    assert (engine.settings["table"], engine.threads) == (2, 1)
    for wrong in ({"workers": 0}, {"threads": 0}, {"memory_mb": 0}, {"engines_per_worker": 0}, {"grace_s": 0.0}):
        with pytest.raises(OptionError):
            EngineHost(**wrong)  # type: ignore[arg-type]


# ---- many games


def test_twenty_games_on_two_workers_all_progress_and_finish(
    local_host: EngineHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where each move takes a while, because the machine is busy, no engine would be found again.
    monkeypatch.setattr(scheduler_module, "AFFINITY_WAIT_S", TIMEOUT_S)
    tables = [Table(local_host, f"game {number}", number) for number in range(20)]
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
    assert max(gaps) <= MAX_ROUNDS_AHEAD + 2, "a game fell behind"
    at_home = sum(table.at_home for table in tables) / sum(table.position.ply - 1 for table in tables)
    print(f"engines found again: {100 * at_home:.0f} %")
    assert at_home > 0.5
    assert all(len(worker.engines) <= 16 for worker in local_host.status())


def test_engines_stay_where_they_are_and_are_bounded() -> None:
    with EngineHost(2, engines_per_worker=2) as host:

        def play(game_id: str) -> Report:
            return host.search(EngineConfig(DIARY, book=False), SHORT, Limits(nodes=1), game_id=game_id).result(
                TIMEOUT_S
            )

        reports = [play("a") for _ in range(4)]
        assert [searches_of(report) for report in reports] == [1, 2, 3, 4]
        assert len({pid_of(report) for report in reports}) == 1
        # Its home is busy: after a moment another worker makes an engine of its own, which is then kept there.
        blocker = host.search(EngineConfig(DIARY, book=False), SHORT, Limits(), game_id="a")
        wait_until(lambda: any(worker.searching for worker in host.status()), "not started")
        elsewhere = play("a")
        assert searches_of(elsewhere) == 1
        assert pid_of(elsewhere) != pid_of(reports[0])
        blocker.stop()
        blocker.result(TIMEOUT_S)
        assert searches_of(play("a")) == 2
        for name in "bcdefgh":
            play(name)
        assert all(len(worker.engines) <= 2 for worker in host.status())
        assert searches_of(play("a")) == 1, "given up long ago"


# ---- stopping


# ---- background work


# ---- failures


@pytest.fixture(scope="module")
def frail() -> Iterator[EngineHost]:
    """A host that soon kills workers which do not answer."""
    with EngineHost(2, grace_s=5.0) as host:
        yield host


def test_an_engine_that_dies_again_and_again_is_given_up_and_disturbs_nobody(frail: EngineHost) -> None:
    notes, other_notes = ProgressLog(), ProgressLog()
    other = frail.search(EngineConfig("flat", book=False), GO, Limits(), game_id="other", on_progress=other_notes)
    other_notes.await_stage(Stage.SEARCHING)
    handle = frail.search(EngineConfig(DYING, book=False), SHORT, Limits(), game_id="bad", on_progress=notes)
    with pytest.raises(EngineCrashed, match=r"Dying crashed: its worker died 3 times.*signal 9"):
        handle.result(TIMEOUT_S)
    assert not other.done()
    other.stop()
    assert other.result(TIMEOUT_S).nodes > 0
    assert Counter(progress.stage for progress in notes.all) == {Stage.STARTED: 3, Stage.RETRYING: 2}
    assert not any(progress.stage is Stage.RETRYING for progress in other_notes.all)


def test_a_retry_gets_what_is_left_of_the_time(frail: EngineHost, tmp_path: Path) -> None:
    spec = EngineConfig(DYING, settings={"log": str(tmp_path / "log"), "times": 1})
    report = frail.search(spec, SHORT, Limits(seconds=1.0), game_id="g").result(TIMEOUT_S)
    assert 0 < report.value.amount <= 0.7, "the dead worker took 0.3 of 1 second"


def test_an_engine_that_hangs_is_killed_and_tried_again(frail: EngineHost, tmp_path: Path) -> None:
    timed, endless = ProgressLog(), ProgressLog()
    specs = [EngineConfig(HANGING, settings={"log": str(tmp_path / name), "times": 1}) for name in "ab"]
    first = frail.search(specs[0], SHORT, Limits(seconds=0.1), game_id="h1", on_progress=timed)
    # Without a limit of time it may take as long as it likes, until it is stopped.
    second = frail.search(specs[1], SHORT, Limits(), game_id="h2", on_progress=endless)
    assert first.result(TIMEOUT_S).best
    endless.await_stage(Stage.STARTED)
    assert not second.done()
    second.stop()
    assert second.result(TIMEOUT_S).best
    for notes in (timed, endless):
        retries = [progress.note for progress in notes.all if progress.stage is Stage.RETRYING]
        assert retries == ["a worker did not answer in time and was killed"]


# ---- kills at random


@linux_only
def test_kills_in_mid_search_change_nothing() -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    result = play_under_fire(random.Random(seed), kills=2, seconds=TIMEOUT_S)
    print(f"{result} (seed {seed})")
    assert result.kills == 2  # a hundred are soaked
    assert result.retries >= 1


# ---- the host's own life

SCRIPT = """
import sys, time
from tengen.runtime.host import EngineHost
from tengen.players.config import EngineConfig
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


@linux_only
def test_workers_die_with_a_host_that_is_killed(tmp_path: Path) -> None:
    with start_script(tmp_path, SCRIPT) as script:
        assert script.stdout is not None
        pids = script.stdout.readline().split()
        assert len(pids) == 2
        script.kill()
    wait_until(lambda: not any(alive(pid) for pid in pids), "orphans")


@linux_only
def test_interrupts_are_the_hosts_own_business_and_numba_stays_out_of_it(tmp_path: Path) -> None:
    with start_script(tmp_path, SCRIPT) as script:
        assert script.stdout is not None
        pids = script.stdout.readline().split()
        os.killpg(script.pid, signal.SIGINT)
        out, err = script.communicate(timeout=TIMEOUT_S)
    assert out.split() == ["False", *pids], err
    assert script.returncode == 0
    assert err == ""
    assert not any(alive(pid) for pid in pids)


@linux_only
def test_closing_leaves_nothing() -> None:
    leftovers = Leftovers()
    host = EngineHost(2)
    handles = [
        host.search(EngineConfig("flat", book=False), GO, Limits(), game_id=str(number)) for number in range(5)
    ]
    wait_until(lambda: any(worker.searching for worker in host.status()), "not started")
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
        _, err = script.communicate(timeout=TIMEOUT_S)
    assert script.returncode != 0
    assert "__main__" in err
