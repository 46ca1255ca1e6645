"""Runs the engines of a match: searches for the engine to move, ponders, and ends the game when a flag falls.

A runner never blocks. People's moves go to the match; engines' moves come from the host's workers. After every
event the runner computes which search should be running now, and starts or cancels accordingly, so take-backs,
results and changes of players need no special handling, and unrelated events disturb no search.
"""

from __future__ import annotations

import threading
import time
import uuid
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from tengen.core.errors import EngineResigned, TengenError
from tengen.core.position import Position
from tengen.play import events
from tengen.play.clock import TimeIsUp
from tengen.play.game_tree import MatchError
from tengen.play.match import Match
from tengen.play.time_control import TimeControl
from tengen.play.time_management import limits_for
from tengen.players.config import EngineConfig
from tengen.players.player import EnginePlayer
from tengen.runtime.callbacks import OnProgress
from tengen.runtime.host import EngineHost, SearchHandle
from tengen.runtime.messages import Progress
from tengen.search.limits import Limits
from tengen.search.report import Report


def accepts_draw(report: Report | None) -> bool:
    """Whether an engine whose last search ended with this report accepts a draw: it does unless it is ahead."""
    return report is not None and report.value.amount <= (0.5 if report.value.unit == "win rate" else 0.0)


class _Task(NamedTuple):
    """A search that should be running. With other time controls it is restarted."""

    position: Position
    config: EngineConfig
    is_pondering: bool
    controls: tuple[TimeControl, TimeControl]


class MatchRunner:
    """Connects a match to an engine host. `start` and `close` return at once."""

    def __init__(self, match: Match, host: EngineHost, *, ponder: bool = False) -> None:
        self.match = match
        self._host = host
        self._ponder = ponder
        self._lock = threading.RLock()
        self._task: _Task | None = None
        self._handle: SearchHandle | None = None
        self._flag_timer: threading.Timer | None = None
        self._warming_up: list[SearchHandle] = []
        self._reports: dict[int, Report] = {}  # the last report of each player
        self._seed = uuid.UUID(match.id).int >> 96  # differs between games; the same after a restart
        self._unwatch = match.watch(self._on_event)
        if match.is_running:
            self._on_event(events.Started(match.clock))

    def start(self) -> None:
        """Start or resume the game. In timed games engines are warmed up before the clock starts."""
        match = self.match
        timed = not all(control.is_none for control in match.clock.controls)
        configs = [self._config(player) for player in (0, 1) if self._is_engine(player)]
        if match.to_move is None or match.is_running or not (timed and configs):
            match.start()
            return
        with self._lock:
            self._warming_up = [
                self._host.search(
                    # With one line the book would answer, and the engine would not be warmed up.
                    config,
                    match.live,
                    Limits(nodes=1, lines=2),
                    game_id=match.id,
                    on_progress=match.report_progress,
                )
                for config in configs
            ]
            warming_up = list(self._warming_up)
        for handle in warming_up:
            handle.future.add_done_callback(self._on_warmed_up)

    def close(self) -> None:
        """Cancel the search and adjourn the game if it is unfinished."""
        self._unwatch()
        with self._lock:
            self._cancel()
            warming_up, self._warming_up = self._warming_up, []
            if self._flag_timer is not None:
                self._flag_timer.cancel()
        for handle in warming_up:
            handle.cancel()
        self.match.adjourn()

    def move_now(self) -> None:
        """Stop the search so that the engine plays the best move found so far."""
        with self._lock:
            if self._handle is not None and self._task is not None and not self._task.is_pondering:
                self._handle.stop()

    def hint(
        self, config: EngineConfig, position: Position, on_progress: OnProgress | None = None
    ) -> SearchHandle:
        """Search a position for a player, without disturbing the engines that play.

        An unfinished game is no longer rated then.
        """
        if self.match.result is None:
            self.match.unrate()
        return self._host.search(
            replace(config.for_analysis(), seed=self._seed),
            position,
            config.search_limits(),
            game_id=f"{self.match.id} hint",
            on_progress=on_progress,
        )

    def offer_draw(self, player: int) -> bool:
        """Offer the engine opponent a draw; returns whether it accepts, see `accepts_draw`."""
        other = 1 - player
        if not self._is_engine(other):
            raise MatchError("only engines answer draw offers here: ask the other player, then call `Match.draw`")
        if not accepts_draw(self._reports.get(other)):
            return False
        self.match.draw()
        return True

    # ---- private

    def _is_engine(self, player: int) -> bool:
        return isinstance(self.match.players[player], EnginePlayer)

    def _config(self, player: int) -> EngineConfig:
        engine = self.match.players[player]
        assert isinstance(engine, EnginePlayer)
        return replace(engine.config, seed=self._seed + player)

    def _on_warmed_up(self, future: Future[Report]) -> None:
        """An engine is warmed up or failed. After the last one, start the clock or report the failure."""
        with self._lock:
            if not self._warming_up or not all(handle.done() for handle in self._warming_up):
                return
            done = [handle.future for handle in self._warming_up]
            self._warming_up = []
        errors = [one.exception() for one in done if not one.cancelled()]
        error = next((one for one in errors if one is not None), None)
        try:
            if isinstance(error, TengenError):
                self.match.report_engine_failure(error)
            else:
                self.match.start()
        except MatchError:
            pass  # the game has ended meanwhile

    def _on_event(self, event: events.Event) -> None:
        """Update the flag timer and the running search."""
        if isinstance(event, events.SearchProgress | events.TreeEdited | events.SaveFailed | events.Saved):
            return
        with self._lock:
            self._set_flag_timer()
            task = self._wanted_task()
            if task is not None and task == self._task:
                return
            self._cancel()
            if task is None:
                return
            position, config, is_pondering, _ = self._task = task
            refused: TengenError | None = None
            try:
                if is_pondering:
                    handle = self._host.ponder(config, position, game_id=self.match.id)
                else:
                    handle = self._search(position, config)
                self._handle = handle
            except TengenError as error:  # the host is overloaded or closing
                self._task, refused = None, error
        if refused is not None:
            if not is_pondering:
                self.match.report_engine_failure(refused)
        elif not is_pondering:
            handle.future.add_done_callback(partial(self._on_search_done, position, handle))

    def _wanted_task(self) -> _Task | None:
        match = self.match
        player = match.to_move
        if player is None or not match.is_running:
            return None
        if self._is_engine(player):
            return _Task(match.live, self._config(player), False, match.clock.controls)
        if self._ponder and self._is_engine(1 - player):
            return _Task(match.live, self._config(1 - player), True, match.clock.controls)
        return None

    def _search(self, position: Position, config: EngineConfig) -> SearchHandle:
        match = self.match
        engine = match.players[position.to_move]
        assert isinstance(engine, EnginePlayer)
        limits = limits_for(match.clock, time.monotonic(), engine.config.search_limits())

        def on_progress(progress: Progress) -> None:
            if match.live == position:
                match.report_progress(progress)

        return self._host.search(config, position, limits, game_id=match.id, on_progress=on_progress)

    def _on_search_done(self, position: Position, handle: SearchHandle, future: Future[Report]) -> None:
        """Play the move that a search found, unless it was cancelled or the game has left that position."""
        with self._lock:
            if handle is not self._handle or future.cancelled():
                return
            self._task = self._handle = None
        error = future.exception()
        try:
            if error is None:
                self._reports[position.to_move] = future.result()
                self.match.play(future.result().best, at=position)
            elif isinstance(error, EngineResigned):
                self.match.resign(position.to_move)
            elif isinstance(error, TengenError):
                self.match.report_engine_failure(error)
            else:
                self.match.report_engine_failure(TengenError(f"the search failed: {error!r}"))
        except (TimeIsUp, MatchError):
            pass  # the flag has fallen, or the game has moved on
        except TengenError as illegal:
            self.match.report_engine_failure(illegal)

    def _cancel(self) -> None:
        handle, self._handle, self._task = self._handle, None, None
        if handle is not None:
            handle.cancel()

    def _set_flag_timer(self) -> None:
        """Start a timer for the moment at which the flag of the running clock falls."""
        if self._flag_timer is not None:
            self._flag_timer.cancel()
            self._flag_timer = None
        falls_at = self.match.clock.falls_at
        if falls_at is not None:
            seconds = min(max(0.0, falls_at - time.monotonic()) + 0.001, threading.TIMEOUT_MAX)
            self._flag_timer = threading.Timer(seconds, self.match.check_time)
            self._flag_timer.daemon = True
            self._flag_timer.start()
