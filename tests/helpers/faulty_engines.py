"""Engines that misbehave, for the engine host's tests: its workers know them by their place in this module."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tengen.core.errors import AmbiguousMove
from tengen.core.position import Position
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag, root_moves
from tengen.search.report import Candidate, Report, Value


class Diary(Engine):
    """Plays the first move; its report tells which process this is and how often this engine has searched."""

    name = "diary"
    summary = "tells about itself"

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
        """Nothing yet."""

    def is_time(self) -> bool:
        """True the first `times` times that any process asks (always, without a log)."""
        if not self.log:
            return True
        with open(self.log, "ab", buffering=0) as file:
            file.write(b".")
        return len(Path(self.log).read_bytes()) <= self.times


class Dying(Diary):
    """Takes its process with it."""

    def misbehave(self, position: Position) -> None:
        if self.is_time():
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGKILL)


class Hanging(Diary):
    """Heeds neither time nor stop."""

    def misbehave(self, position: Position) -> None:
        if self.is_time():
            time.sleep(1000)


class Raising(Diary):
    """Raises what its seed says."""

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
    """Never moves."""

    def misbehave(self, position: Position) -> None:
        raise ValueError("broken")


class Wordless(Diary):
    """Returns something that is no report."""

    def search(self, *args: Any, **options: Any) -> Any:
        return "e4"


class Greedy(Diary):
    """Keeps megabytes of memory; with `leaks` they outlive the engine."""

    leaked: ClassVar[list[Any]] = []

    def __init__(self, *, megabytes: int = 0, leaks: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.memory = np.ones(megabytes << 17)
        if leaks:
            self.leaked.append(self.memory)
