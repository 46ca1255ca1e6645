"""Engines that misbehave, for tests of the engine host. Workers import them by the path of this module."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from threading import Timer
from typing import Any, ClassVar

import numpy as np

from tengen.core.errors import AmbiguousMove
from tengen.core.position import Position
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag, root_moves
from tengen.search.report import Candidate, Report, Value


class Diary(Engine):
    """Plays the first move; its report holds the process id and the number of searches of this engine."""

    name = "diary"
    summary = "reports its process id and its number of searches"

    def __init__(self, *, log: str = "", times: int = 0, **options: Any) -> None:
        super().__init__(**options)
        self.log = log
        self.times = times
        self.searches = 0

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        self.searches += 1
        self.misbehave(position)
        until = time.monotonic() + min(limits.thinking_time(), 60)
        while limits.nodes is None and time.monotonic() < until and not (stop and stop.is_set):
            time.sleep(0.005)
        move = position.game.write_move(root_moves(position, limits)[0])
        value = Value.heuristic(limits.thinking_time() if limits.thinking_time() < 1e9 else -1, "seconds")
        candidate = Candidate(move, value, (move,), visits=self.searches, reason=str(os.getpid()))
        return Report(self.name, move, value, (candidate,), nodes=1, seconds=0.0)

    def misbehave(self, position: Position) -> None:
        """Overridden by the faulty engines below."""

    def is_time(self) -> bool:
        """Whether this is one of the first `times` calls in all processes; always true without a log file."""
        if not self.log:
            return True
        with open(self.log, "ab", buffering=0) as file:
            file.write(b".")
        return len(Path(self.log).read_bytes()) <= self.times


class Dying(Diary):
    """Kills its own process."""

    def misbehave(self, position: Position) -> None:
        if self.is_time():
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGKILL)


class Hanging(Diary):
    """Ignores its time limit and its stop flag."""

    def misbehave(self, position: Position) -> None:
        if self.is_time():
            time.sleep(1000)


class Late(Diary):
    """Reports progress, from another thread, after its first answer; then writes its log file."""

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        report = super().search(position, limits, stop=stop)

        def report_late() -> None:
            assert on_progress is not None
            on_progress(report)
            Path(self.log).touch()

        if self.searches == 1:
            Timer(0.2, report_late).start()
        return report


class Raising(Diary):
    """Raises an error chosen by its seed."""

    def misbehave(self, position: Position) -> None:
        if self.seed == 1:
            raise ValueError("a bug\nwith details")
        if self.seed == 2:
            raise AmbiguousMove("x", ["x1", "x2"])
        if self.seed == 3:
            sys.exit(3)
        if self.seed == 4:
            position.play("nonsense")


class Broken(Diary):
    """Fails in every search."""

    def misbehave(self, position: Position) -> None:
        raise ValueError("broken")


class Wordless(Diary):
    """Returns something that is not a report."""

    def search(self, *args: Any, **options: Any) -> Any:
        return "e4"


class Greedy(Diary):
    """Allocates memory; with `leaks` it is not freed with the engine."""

    leaked: ClassVar[list[Any]] = []

    def __init__(self, *, megabytes: int = 0, leaks: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.memory = np.ones(megabytes << 17)
        if leaks:
            self.leaked.append(self.memory)
