"""A worker of the engine host, from within: it does one search at a time and keeps engines between them.

The stop flag lies in memory that it shares with the host. Only the host writes it: it clears the flag before a job
that should run, and sets it at any moment. The end of the pipe ends the worker.
"""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import sys
import threading
import traceback
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NoReturn, Protocol

from tengen import games
from tengen.core.compiled.cache import compile_listener
from tengen.core.errors import TengenError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.jobs.task import one_line
from tengen.runtime.messages import (
    Answer,
    Caps,
    Drop,
    Dropped,
    EngineFailed,
    EngineKey,
    Failure,
    Hello,
    Job,
    Progress,
    Request,
    Stage,
)
from tengen.runtime.turn import create_engine, take_turn
from tengen.search.engine import Engine
from tengen.search.limits import StopFlag
from tengen.search.report import Report

GAMES_REMEMBERED = 32


def work(connection: Connection, flag: Any, caps: Caps) -> None:
    """The life of a worker."""
    worker = Searcher(connection, StopFlag(flag), caps)
    worker.say(Hello())
    while True:
        try:
            message = connection.recv_bytes()
        except (EOFError, OSError):
            _leave()
        order = pickle.loads(message)
        if isinstance(order, Drop):
            worker.drop(order)
        else:
            worker.do(order)


class Sender(Protocol):
    """What takes a worker's answers: a pipe, or a cluster."""

    def send_bytes(self, message: bytes, /) -> None:
        """Raises OSError if nobody listens any more."""


class Searcher:
    """Runs searches and keeps their engines. The process ends when nobody listens any more."""

    def __init__(self, connection: Sender, stop: StopFlag, caps: Caps) -> None:
        self._connection = connection
        self._stop = stop
        self._caps = caps
        self._voice = threading.Lock()  # an engine's threads may compile, and tell it, at the same time
        self._engines: dict[EngineKey, Engine] = {}
        self._lines = Lines()

    def say(self, answer: Answer) -> None:
        message = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
        with self._voice:
            try:
                self._connection.send_bytes(message)
            except OSError:
                _leave()

    def drop(self, order: Drop) -> None:
        for key in order.keys:
            self._engines.pop(key, None)
        gc.collect()
        _return_free_memory()
        self.say(Dropped())

    def do(self, job: Job) -> None:
        for key in job.drop:
            self._engines.pop(key, None)
        name = job.key[1].engine
        try:
            with compile_listener(lambda kernel: self.say(Progress(Stage.COMPILING, note=kernel))):
                report = self._search(job)
            if not isinstance(report, Report):
                raise TypeError(f"its search returned {type(report).__name__} instead of a Report")
            self.say(report)
        except BaseException as error:  # SystemExit too: an engine that calls sys.exit must not end the worker
            self._engines.pop(job.key, None)  # who knows in what state
            self.say(_failure(name, error))

    def _search(self, job: Job) -> Report:
        game_id, config = job.key
        position = self._lines.reach(game_id, job.place, job.request)
        if job.key not in self._engines:
            self._engines[job.key] = create_engine(
                config, position.game, max_threads=self._caps.threads, max_memory_mb=self._caps.memory
            )
        return take_turn(
            self._engines[job.key],
            config,
            position,
            job.limits,
            stop=self._stop,
            on_progress=lambda report: self.say(Progress(Stage.THINKING, report)),
        )


def _return_free_memory() -> None:
    """Ask the C library to give freed memory back to the system; only glibc has this."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _leave() -> NoReturn:
    """Nobody listens any more. There is nothing to tidy up, and Python takes half a second to unload Numba."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _failure(engine: str, error: BaseException) -> Failure:
    """The error as the host may have it: without anything that would load Numba there, and surely readable."""
    if isinstance(error, TengenError):
        try:
            pickle.loads(pickle.dumps(error))
            return Failure(error)
        except Exception:
            pass  # it holds something that cannot travel: its text can
    trace = "".join(traceback.format_exception(error))
    return Failure(EngineFailed(f"the engine {engine} failed ({one_line(error)})"), trace)


@dataclass
class _Line:
    place: str
    request: Request
    positions: list[Position]  # after none, one, two, … of the request's moves


class Lines:
    """The positions of recent games, so that a long game is replayed only from where it was known."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Line] = OrderedDict()

    def reach(self, game_id: str, place: str, request: Request) -> Position:
        """The position that is asked for. Raises a `TengenError` if there is no such game or line of play."""
        line = self._known.pop(game_id, None)
        if line is None or (line.place, line.request.game, line.request.options) != (
            place,
            request.game,
            request.options,
        ):
            games.register(request.game, place)
            start = games.game(request.game, **request.options).start()
            line = _Line(place, Request(request.game, request.options), [start])
        common = 0
        for ours, theirs in zip(line.request.moves, request.moves, strict=False):
            if ours != theirs:
                break
            common += 1
        del line.positions[common + 1 :]
        for move in request.moves[common:]:
            position = line.positions[-1]
            line.positions.append(position.play(move if isinstance(move, str) else Move(move)))
        line.request = request
        self._known[game_id] = line
        if len(self._known) > GAMES_REMEMBERED:
            self._known.popitem(last=False)
        return line.positions[-1]
