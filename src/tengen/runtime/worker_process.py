"""A worker of the engine host, from without: its process, its pipe, its stop flag, and when it must be done."""

from __future__ import annotations

import math
import multiprocessing
import pickle
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from tengen.jobs.processes import die_with_parent, ignore_interrupts, join_process, lower_priority, memory_mb
from tengen.players.config import EngineConfig
from tengen.runtime.messages import (
    Answer,
    Caps,
    Drop,
    Dropped,
    EngineFailed,
    EngineKey,
    Failure,
    Job,
    Progress,
    Stage,
)
from tengen.runtime.scheduler import Ticket

START_SECONDS = 180.0  # for a new process to load Numba: at the lowest priority, on a machine that is very busy
COMPILE_SECONDS = 300.0  # for one kernel
TURN = 5.0  # seconds after which background work makes room for other background work


class Member:
    """One worker. `ticket` is the search that it has not answered yet; only the manager changes it."""

    def __init__(self, caps: Caps, grace: float) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._grace = grace
        # Shared memory without a name: it goes with the last process that has it, however that ends.
        self._flag: Any = spawn.RawArray("q", 1)
        self.connection, theirs = multiprocessing.Pipe()
        self._process = spawn.Process(
            target=_live, args=(theirs, self._flag, caps), name="engine worker", daemon=True
        )
        try:
            self._process.start()
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()  # or its end would never be seen
        assert self._process.pid is not None, "it has started"
        self.pid = self._process.pid
        self.started = False  # it has said hello
        self.ticket: Ticket | None = None
        self.making_room = False  # its background work was told to stop, and will go on later
        self.is_dropping = False  # it was told to give up engines, and has not answered yet
        self.doom = ""  # why we killed it
        self.began = time.monotonic()
        self._watched_from = self.began
        self._thinking_time = math.inf
        self._compiling = False

    @property
    def is_idle(self) -> bool:
        return self.started and self.ticket is None and not self.doom and not self.is_dropping

    def give(self, ticket: Ticket, job: Job) -> None:
        """Hand it a search. Raises OSError if it has died."""
        self._flag[0] = ticket.stopped
        self.ticket = ticket
        self.making_room = False
        self.began = self._watched_from = time.monotonic()
        self._thinking_time = 0.0 if ticket.stopped else job.limits.thinking_time()
        self._compiling = False
        self.connection.send_bytes(pickle.dumps(job, pickle.HIGHEST_PROTOCOL))

    def drop(self, keys: tuple[EngineKey, ...]) -> None:
        """Let it give up engines while it is idle. If it has died, its pipe tells that as ever."""
        self.is_dropping = True
        self._watched_from = time.monotonic()
        with suppress(OSError):
            self.connection.send_bytes(pickle.dumps(Drop(keys), pickle.HIGHEST_PROTOCOL))

    def stop(self) -> None:
        """Let its search come to an end, which takes a few hundredths of a second."""
        self._flag[0] = 1
        self._thinking_time = 0.0
        self._watched_from = time.monotonic()

    def make_room(self) -> None:
        """Let its background work pause."""
        self.making_room = True
        self.stop()

    def hear(self) -> Answer:
        """What it says. Raises EOFError or OSError if it has died."""
        message = self.connection.recv_bytes()
        try:
            answer: Answer = pickle.loads(message)
        except Exception as error:
            return Failure(EngineFailed(f"a worker's answer could not be read ({error})"))
        if isinstance(answer, Dropped):
            self.is_dropping = False
        if isinstance(answer, Progress):
            if answer.stage is Stage.COMPILING:
                self._compiling = True
                self._watched_from = time.monotonic()
            elif self._compiling:  # an engine's clock starts after compiling, and so does ours
                self._compiling = False
                self._watched_from = time.monotonic()
        return answer

    def deadline(self) -> float:
        """When it will have been silent for too long; infinite where its search has no limit of time."""
        if self.doom:
            return math.inf
        if not self.started:
            return self.began + START_SECONDS
        if self.is_dropping:
            return self._watched_from + self._grace
        if self.ticket is None:
            return math.inf
        patience = COMPILE_SECONDS if self._compiling else self._grace + _extra_time_s(self.ticket.config)
        return self._watched_from + self._thinking_time + patience

    def turn_ends(self) -> float:
        """When its background work has had its turn."""
        if self.ticket is None or not self.ticket.background or self.making_room:
            return math.inf
        return self.began + TURN

    def memory_mb(self) -> int | None:
        """Megabytes that its process uses, where the system tells."""
        return memory_mb(self.pid)

    def kill(self, why: str) -> None:
        """End it. Its pipe then tells its death like any other."""
        self.doom = why
        self._process.kill()

    def end(self, patience: float = 5.0) -> str:
        """Wait for its end, and tell how it came."""
        manner = join_process(self._process, self.connection, patience)
        return self.doom or manner


def _extra_time_s(config: EngineConfig) -> float:
    """An external program may be started twice in one search, and has its own timeout each time."""
    return 0.0 if config.program is None else 3 * config.program.timeout_s


def _live(connection: Connection, flag: Any, caps: Caps) -> None:
    """A worker's life. The rules for it hold before Numba is loaded, which takes a second."""
    ignore_interrupts()
    die_with_parent()
    lower_priority()  # to what shows a click, though engines use every core
    from tengen.runtime.worker import work

    work(connection, flag, caps)
