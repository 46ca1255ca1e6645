"""The engine host's code in a worker: runs one search at a time and caches engines between searches.

Only the host writes the stop flag: it clears the flag before it sends a job and may set it at any time.
"""

from __future__ import annotations

import ctypes
import gc
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from tengen import games
from tengen.core.compiled.kernel import expect_background_compilation
from tengen.core.errors import TengenError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.jobs.task import one_line
from tengen.runtime.messages import EngineError, EngineKey, Progress, Request, SearchCaps, SearchJob, Stage
from tengen.runtime.preparing import preparing_listener
from tengen.runtime.turn import create_engine, take_turn
from tengen.runtime.warmup import compiling_together
from tengen.search.engine import Engine
from tengen.search.limits import StopFlag
from tengen.search.report import Report

MAX_CACHED_GAMES = 32


class SearchRunner:
    """Runs searches and caches their engines. `report_progress` may be called in any thread."""

    def __init__(self, report_progress: Callable[[Progress], None], stop: StopFlag, caps: SearchCaps) -> None:
        self._report_progress = report_progress
        self._stop = stop
        self._caps = caps
        self._engines: dict[EngineKey, Engine] = {}
        self._positions = PositionCache()
        self._reported = ""
        expect_background_compilation(caps.background_compilation)

    def drop_engines(self, keys: Iterable[EngineKey]) -> None:
        """Drop engines and return their memory to the system."""
        for key in keys:
            self._engines.pop(key, None)
        gc.collect()
        with suppress(OSError, AttributeError):  # only glibc can
            ctypes.CDLL(None).malloc_trim(0)

    def run(self, job: SearchJob) -> Report:
        """The engine's turn. Raises the engine's `TengenError`; any other exception becomes an `EngineError`."""
        for key in job.drop:
            self._engines.pop(key, None)
        self._reported = ""
        try:
            with preparing_listener(self._report_preparing):
                report = self._search(job)
            if not isinstance(report, Report):
                raise TypeError(f"search() returned {type(report).__name__} instead of a Report")
            return report
        except BaseException as error:  # also SystemExit: an engine that calls sys.exit must not end the worker
            self._engines.pop(job.key, None)  # its state is unknown
            if isinstance(error, TengenError):
                raise
            # Another exception may be of a class that the host cannot or should not import.
            raise EngineError(
                mark("the engine {engine} failed ({one_line})").format(
                    engine=job.key[1].engine, one_line=one_line(error)
                )
            ) from error

    def _report_preparing(self, text: str) -> None:
        if text != self._reported:
            self._reported = text
            self._report_progress(Progress(Stage.COMPILING, note=text))

    def _search(self, job: SearchJob) -> Report:
        game_id, config = job.key
        position = self._positions.position(game_id, job.import_path, job.request)
        with compiling_together(position.game, config):
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
                on_progress=lambda report: self._report_progress(Progress(Stage.SEARCHING, report)),
            )


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
