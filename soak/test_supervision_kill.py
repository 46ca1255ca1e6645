"""Random faults in an engine host and a helper pool at work: processes are killed, methods of managers raise."""

from __future__ import annotations

import gc
import os
import random
import signal
import sys
import time
from collections import Counter
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.helpers.engine_host import Leftovers
from tests.helpers.platforms import linux_only

from tengen.jobs import LocalExecutor
from tengen.jobs.helper_pool import HelperPool, HelperStopped
from tengen.players.config import EngineConfig
from tengen.runtime.host import EngineHost
from tengen.runtime.manager import Manager
from tengen.runtime.messages import EngineCrashed, Request
from tengen.search.limits import Limits

SECONDS = float(os.environ.get("SOAK_SECONDS", "90"))
TIMEOUT_S = 120.0
GAME = Request("othello", {"size": 6})


class Faults:
    """Lets one of some methods raise, once, when `arm` is called."""

    def __init__(self, patch: pytest.MonkeyPatch, owner: type, methods: list[str]) -> None:
        self._armed = ""
        self._methods = methods
        for method in methods:
            patch.setattr(owner, method, self._faulty(method, getattr(owner, method)))

    def arm(self, rng: random.Random) -> None:
        self._armed = rng.choice(self._methods)

    def _faulty(self, method: str, original: Any) -> Any:
        def run(owner: Any, *args: Any) -> Any:
            if self._armed == method:
                self._armed = ""
                raise SystemExit("injected") if hash(args) % 2 else ZeroDivisionError("injected")
            return original(owner, *args)

        return run


def leave(future: Future[Any]) -> None:
    raise SystemExit


@linux_only
def test_an_engine_host_survives_bugs_of_its_threads_and_deaths_of_workers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    rng, ends, faults = random.Random(seed), Counter[str](), Counter[str]()
    leftovers = Leftovers()
    methods = [
        "step",
        "_spawn_workers",
        "_assign_tasks",
        "_preempt_background",
        "_receive",
        "_note_answer",
        "_check_memory",
        "_reap",
    ]
    bugs = Faults(monkeypatch, Manager, methods)
    spec = EngineConfig("uct", seed=3, settings={"reuse": False, "memory": 16}, book=False)
    with EngineHost(2) as host:
        expected = host.search(spec, GAME, Limits(nodes=3000), game_id="first").result(TIMEOUT_S).candidates
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            handles = [host.search(spec, GAME, Limits(nodes=3000), game_id=str(n)) for n in range(6)]
            time.sleep(rng.uniform(0, 0.5))
            fault = rng.choice(["worker", "manager", "callbacks", "none"])
            faults[fault] += 1
            workers = host.status()
            if fault == "worker" and workers:
                os.kill(rng.choice(workers).pid, signal.SIGKILL)
            elif fault == "manager":
                bugs.arm(rng)
            elif fault == "callbacks":
                with suppress(SystemExit):  # a search that is already done calls it right here
                    rng.choice(handles).future.add_done_callback(leave)
            for handle in handles:
                try:
                    assert handle.result(TIMEOUT_S).candidates == expected, f"seed {seed}"
                    ends["report"] += 1
                except EngineCrashed:
                    ends["crashed"] += 1
        assert host.search(spec, GAME, Limits(nodes=3000), game_id="last").result(TIMEOUT_S).candidates == expected
        health = host.health()
        assert health.is_running
        assert (health.searches_running, health.searches_queued) == (0, 0)
    leftovers.check()
    with capsys.disabled():
        print(
            f"\nengine host: faults {dict(faults)}, searches {dict(ends)}, {health.restarts} restarts, seed {seed}"
        )
    assert ends["report"] > 10 * ends["crashed"]


@linux_only
def test_a_helper_pool_survives_the_same(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    rng, ends, faults = random.Random(seed), Counter[str](), Counter[str]()
    leftovers = Leftovers()
    bugs = Faults(monkeypatch, LocalExecutor, ["step", "_spawn_workers", "_assign_tasks", "_receive", "_reap"])
    pool = HelperPool("soak", workers=2)
    until = time.monotonic() + SECONDS / 2
    while time.monotonic() < until:
        calls: list[Future[Any]] = []
        for number in range(8):
            try:
                calls.append(pool.submit(divmod, number, 3))
            except HelperStopped:
                ends["refused"] += 1
        time.sleep(rng.uniform(0, 0.2))
        fault = rng.choice(["worker", "manager", "none"])
        faults[fault] += 1
        pids = pool.pids()
        if fault == "worker" and pids:
            os.kill(rng.choice(pids), signal.SIGKILL)
        elif fault == "manager":
            bugs.arm(rng)
        for call in calls:
            error = call.exception(TIMEOUT_S)
            assert error is None or isinstance(error, HelperStopped), f"seed {seed}"
            ends["answer" if error is None else "stopped"] += 1
    health = pool.health()
    pool.close()
    del pool, calls, call  # the pipe that wakes its manager goes with it
    gc.collect()
    leftovers.check()
    with capsys.disabled():
        print(f"\nhelper pool: faults {dict(faults)}, calls {dict(ends)}, {health.restarts} restarts, seed {seed}")
    assert ends["answer"] > ends["stopped"] + ends["refused"]
