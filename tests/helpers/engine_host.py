"""Requests, progress logs and stress runs shared by the tests of the engine hosts."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing import get_context, resource_tracker
from pathlib import Path
from typing import NamedTuple

import tengen
from tengen.core.position import Position
from tengen.engines.registry import create
from tengen.players.config import EngineConfig
from tengen.runtime.host import EngineHost, SearchHandle
from tengen.runtime.messages import Progress, Request, Stage
from tengen.search.limits import Limits
from tengen.search.report import Report
from tests.helpers.waiting import TIMEOUT_S, wait_until

GO = Request("go", {"size": 9})
SHORT = Request("othello", {"size": 4})
DIARY, DYING, HANGING, RAISING, WORDLESS = (
    f"tests.helpers.faulty_engines:{name}" for name in ("Diary", "Dying", "Hanging", "Raising", "Wordless")
)


class ProgressLog:
    """A progress callback that records every message and the threads it was called in."""

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
            done = self._change.wait_for(lambda: sum(p.stage is stage for p in self.all) >= times, TIMEOUT_S)
        assert done, f"no {stage} in {[progress.stage for progress in self.all]}"


def pid_of(report: Report) -> int:
    return int(report.candidates[0].reason)


def searches_of(report: Report) -> int:
    return report.candidates[0].visits


class Table:
    """A game that an engine plays against itself: each move requests the next search."""

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
        assert self._over.wait(TIMEOUT_S), f"{self.game_id} has not ended"
        if self._error is not None:
            raise self._error


class Kills(NamedTuple):
    kills: int
    moves: int
    retries: int
    seconds: float


def play_under_fire(rng: random.Random, kills: int, seconds: float, tables: int = 6) -> Kills:
    """Play games with known reports while killing workers in mid-search, until `kills` kills were made.

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
                    hits[victim.searching] += 1  # the host gives up after a third crash
                    os.kill(victim.pid, signal.SIGKILL)
                    made += 1
                    time.sleep(rng.uniform(0, 0.3))
            for report, handle in asked:
                assert handle.result(TIMEOUT_S).candidates == report.candidates
                moves += 1
    leftovers.check()
    return Kills(made, moves, len(retries), time.monotonic() - began)


class Leftovers:
    """The child processes, shared memory and open files of this process; `check` fails if there are more later."""

    def __init__(self) -> None:
        resource_tracker.ensure_running()  # the tracker stays, and so does the memory pool of stop flags
        get_context("spawn").RawArray("q", 1)
        self.before = self._now()

    def check(self) -> None:
        def nothing_more() -> bool:
            return all(now <= before for now, before in zip(self._now(), self.before, strict=True))

        wait_until(nothing_more, f"{self.before} was all there was before")

    def _now(self) -> tuple[set[str], set[str], int]:
        pids: set[str] = set()
        for task in Path("/proc/self/task").iterdir():
            with contextlib.suppress(OSError):  # the thread has ended; its children belong to another one now
                pids |= set((task / "children").read_text().split())
        shared = {name for name in os.listdir("/dev/shm") if name.startswith(("pym-", "psm_"))}
        return pids, shared, len(os.listdir("/proc/self/fd"))
