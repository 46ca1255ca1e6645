"""What engines think of the positions of kept games: asked for once, kept with the game, used again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial

from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.players.config import EngineConfig, Level
from tengen.runtime.callbacks import OnProgress
from tengen.runtime.host import EngineHost
from tengen.search.report import Kind, Report
from tengen.store.reports import engine_key
from tengen.store.store import Store


class Analyst:
    """Searches in the background, and remembers."""

    def __init__(self, store: Store | None, host: EngineHost) -> None:
        """Without a store nothing is remembered: for games that are not kept."""
        self._store = store
        self._host = host

    def known(self, game_id: str, position: Position, config: EngineConfig) -> Report | None:
        """What is kept of this position, if such an engine has thought about it long enough for the level."""
        moves = position.write_moves(position.moves)
        for kept in () if self._store is None else self._store.reports(game_id, moves):
            if kept.engine == engine_key(config) and _suffices(kept.report, config.level):
                return kept.report
        return None

    def analyse(
        self, game_id: str, position: Position, config: EngineConfig, on_progress: OnProgress | None = None
    ) -> Future[Report]:
        """The report on a position of a kept game: at once if it is known, else after a search in the background.

        Cancelling the future ends the search.
        """
        known = self.known(game_id, position, config)
        if known is not None:
            ready: Future[Report] = Future()
            ready.set_result(known)
            return ready
        return self._search(game_id, position, config, on_progress)

    def review(
        self,
        game_id: str,
        line: Sequence[Position],
        config: EngineConfig,
        on_report: Callable[[Position, Report], None],
    ) -> Review:
        """Analyse every position of a line, the last one first: what came of a move is then known before it."""
        return Review(self, game_id, [position for position in line if not position.is_over], config, on_report)

    def _search(
        self, game_id: str, position: Position, config: EngineConfig, on_progress: OnProgress | None
    ) -> Future[Report]:
        """A report that is told only after it is kept: who has it may close the store."""
        handle = self._host.search(
            config.for_analysis(),
            position,
            config.limits(),
            game_id=f"{game_id} analysis",
            background=True,
            on_progress=on_progress,
        )

        told: Future[Report] = Future()

        def tell(future: Future[Report]) -> None:
            if future.cancelled():
                told.cancel()
            if not told.set_running_or_notify_cancel():
                return
            try:
                report = future.result()
                if self._store is not None:
                    self._store.save_report(game_id, position.write_moves(position.moves), config, report)
                told.set_result(report)
            except Exception as error:
                told.set_exception(error)

        def give_up(future: Future[Report]) -> None:
            if future.cancelled():
                handle.cancel()

        told.add_done_callback(give_up)
        handle.future.add_done_callback(tell)
        return told


class Review:
    """An analysis of a whole line, one position after the other. `stop` it when nobody looks any more."""

    def __init__(
        self,
        analyst: Analyst,
        game_id: str,
        positions: list[Position],
        config: EngineConfig,
        on_report: Callable[[Position, Report], None],
    ) -> None:
        self._analyst = analyst
        self._game_id = game_id
        self._waiting = positions
        self._config = config
        self._on_report = on_report
        self._lock = threading.Lock()
        self._current: Future[Report] | None = None
        self._stopped = False
        self.error: TengenError | None = None
        self.total = len(positions)
        self.finished = threading.Event()
        self._next()

    @property
    def done(self) -> int:
        """How many positions have their report."""
        return self.total - len(self._waiting) - (0 if self.finished.is_set() else 1)

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            current = self._current
        if current is not None:
            current.cancel()
        self.finished.set()

    def _next(self) -> None:
        """Go on until a position has to be searched; what is known already is told at once, without recursion."""
        while True:
            with self._lock:
                if self._stopped or not self._waiting:
                    self.finished.set()
                    return
                position = self._waiting.pop()
            try:
                future = self._analyst.analyse(self._game_id, position, self._config)
            except TengenError as error:  # a game that was deleted meanwhile
                self._fail(error)
                return
            self._current = future
            if not future.done():
                future.add_done_callback(partial(self._reported, position))
                return
            if not self._take(position, future):
                return

    def _reported(self, position: Position, future: Future[Report]) -> None:
        if self._take(position, future):
            self._next()

    def _take(self, position: Position, future: Future[Report]) -> bool:
        """Tell of a report; whether to go on."""
        if future.cancelled() or self._stopped:
            self.finished.set()
            return False
        error = future.exception()
        if error is not None:
            self._fail(error)
            return False
        self._on_report(position, future.result())
        return True

    def _fail(self, error: BaseException) -> None:
        self.error = error if isinstance(error, TengenError) else TengenError(f"the analysis failed: {error!r}")
        self.finished.set()


def _suffices(report: Report, level: Level) -> bool:
    """Whether a search at this level would not have known more."""
    return (
        report.value.kind is Kind.EXACT
        or (level.nodes is not None and report.nodes >= level.nodes)
        or (level.seconds is not None and report.seconds >= 0.9 * level.seconds)
        or (level.depth is not None and report.depth >= level.depth)
    )
