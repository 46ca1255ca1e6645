"""The worker process of the engine host: runs one search at a time and caches engines between searches.

The stop flag is in memory shared with the host. Only the host writes it: it clears the flag before it sends a job
and may set it at any time. The worker exits when its pipe is closed.
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
    DropEngines,
    EngineFailed,
    EngineKey,
    EnginesDropped,
    Progress,
    Request,
    SearchCaps,
    SearchFailure,
    SearchJob,
    Stage,
    WorkerMessage,
    WorkerReady,
)
from tengen.runtime.turn import create_engine, take_turn
from tengen.search.engine import Engine
from tengen.search.limits import StopFlag
from tengen.search.report import Report

MAX_CACHED_GAMES = 32


def run_worker(connection: Connection, flag: Any, caps: SearchCaps) -> None:
    """Main loop of a worker process."""
    worker = SearchRunner(connection, StopFlag(flag), caps)
    worker.send(WorkerReady())
    while True:
        try:
            data = connection.recv_bytes()
        except (EOFError, OSError):
            _exit_process()
        message = pickle.loads(data)
        if isinstance(message, DropEngines):
            worker.drop_engines(message)
        else:
            worker.run(message)


class Sender(Protocol):
    """Transport for a worker's messages: a pipe, or a Dask cluster."""

    def send_bytes(self, message: bytes, /) -> None:
        """Raises OSError if the host has gone."""


class SearchRunner:
    """Runs searches and caches their engines. Ends the process when the host has gone."""

    def __init__(self, connection: Sender, stop: StopFlag, caps: SearchCaps) -> None:
        self._connection = connection
        self._stop = stop
        self._caps = caps
        self._send_lock = threading.Lock()  # several threads of an engine may report compilation at the same time
        self._engines: dict[EngineKey, Engine] = {}
        self._positions = PositionCache()

    def send(self, answer: WorkerMessage) -> None:
        message = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
        with self._send_lock:
            try:
                self._connection.send_bytes(message)
            except OSError:
                _exit_process()

    def drop_engines(self, message: DropEngines) -> None:
        for key in message.keys:
            self._engines.pop(key, None)
        gc.collect()
        _return_free_memory()
        self.send(EnginesDropped())

    def run(self, job: SearchJob) -> None:
        for key in job.drop:
            self._engines.pop(key, None)
        name = job.key[1].engine
        try:
            with compile_listener(lambda kernel: self.send(Progress(Stage.COMPILING, note=kernel))):
                report = self._search(job)
            if not isinstance(report, Report):
                raise TypeError(f"search() returned {type(report).__name__} instead of a Report")
            self.send(report)
        except BaseException as error:  # also SystemExit: an engine that calls sys.exit must not end the worker
            self._engines.pop(job.key, None)  # its state is unknown
            self.send(_search_failure(name, error))

    def _search(self, job: SearchJob) -> Report:
        game_id, config = job.key
        position = self._positions.position(game_id, job.import_path, job.request)
        if job.key not in self._engines:
            self._engines[job.key] = create_engine(
                config, position.game, max_threads=self._caps.threads, max_memory_mb=self._caps.memory_mb
            )
        return take_turn(
            self._engines[job.key],
            config,
            position,
            job.limits,
            stop=self._stop,
            on_progress=lambda report: self.send(Progress(Stage.SEARCHING, report)),
        )


def _return_free_memory() -> None:
    """Return freed memory to the system, where the C library can (glibc)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _exit_process() -> NoReturn:
    """Exit without cleanup: there is nothing to clean up, and unloading Numba takes half a second."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _search_failure(engine: str, error: BaseException) -> SearchFailure:
    """The error in a form that is safe to unpickle in the host and does not load Numba there."""
    if isinstance(error, TengenError):
        try:
            pickle.loads(pickle.dumps(error))
            return SearchFailure(error)
        except Exception:
            pass  # it holds something that cannot be pickled: send its text instead
    trace = "".join(traceback.format_exception(error))
    return SearchFailure(EngineFailed(f"the engine {engine} failed ({one_line(error)})"), trace)


@dataclass
class _CachedGame:
    import_path: str
    request: Request
    positions: list[Position]  # after 0, 1, 2, … moves of the request


class PositionCache:
    """Positions of recent games, so that a game is replayed only from where it differs."""

    def __init__(self) -> None:
        self._games: OrderedDict[str, _CachedGame] = OrderedDict()

    def position(self, game_id: str, import_path: str, request: Request) -> Position:
        """The requested position. Raises a `TengenError` if the game or a move is invalid."""
        cached = self._games.pop(game_id, None)
        if cached is None or (cached.import_path, cached.request.game, cached.request.options) != (
            import_path,
            request.game,
            request.options,
        ):
            games.register(request.game, import_path)
            start = games.game(request.game, **request.options).start()
            cached = _CachedGame(import_path, Request(request.game, request.options), [start])
        common = 0
        for ours, theirs in zip(cached.request.moves, request.moves, strict=False):
            if ours != theirs:
                break
            common += 1
        del cached.positions[common + 1 :]
        for move in request.moves[common:]:
            position = cached.positions[-1]
            cached.positions.append(position.play(move if isinstance(move, str) else Move(move)))
        cached.request = request
        self._games[game_id] = cached
        if len(self._games) > MAX_CACHED_GAMES:
            self._games.popitem(last=False)
        return cached.positions[-1]
