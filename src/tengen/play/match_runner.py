"""A table: a match at which engines may sit. They are asked for a move when it is theirs, and the flag is watched.

A table never waits. People's moves go to the match; engines' moves come from the host's workers. Whatever happens
in the match, the table looks at what it should be doing now and does that: search for the engine to move, think
ahead, or nothing. So a take-back, an end or a change of players needs no word to the table, and opening a settings
page disturbs no search.
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
    """Whether an engine with this opinion of its position, the last it had, is content with a draw."""
    return report is not None and report.value.amount <= (0.5 if report.value.unit == "win rate" else 0.0)


class _Task(NamedTuple):
    """What is searched, by whom, whether it is thinking ahead, and on which clock: with another it begins anew."""

    position: Position
    config: EngineConfig
    ahead: bool
    controls: tuple[TimeControl, TimeControl]


class Table:
    """A match and a host. `start` it, `leave` it; both return at once."""

    def __init__(self, match: Match, host: EngineHost, *, ponder: bool = False) -> None:
        self.match = match
        self._host = host
        self._ponder = ponder
        self._lock = threading.RLock()
        self._task: _Task | None = None
        self._handle: SearchHandle | None = None
        self._flag: threading.Timer | None = None
        self._preparing: list[SearchHandle] = []
        self._last: dict[int, Report] = {}  # each player's last report
        self._seed = uuid.UUID(match.id).int >> 96  # other games, other moves; the same after a restart
        self._unwatch = match.watch(self._attend)
        if match.is_running:
            self._attend(events.Started(match.clock))

    def start(self) -> None:
        """Begin the game, or go on with it. Engines on a clock are made ready before it starts."""
        match = self.match
        timed = not all(control.is_none for control in match.clock.controls)
        configs = [self._config(player) for player in (0, 1) if self._is_engine(player)]
        if match.to_move is None or match.is_running or not (timed and configs):
            match.start()
            return
        with self._lock:
            self._preparing = [
                self._host.search(
                    # Two lines: for one a book would answer, and nothing would be made ready.
                    config,
                    match.live,
                    Limits(nodes=1, lines=2),
                    game_id=match.id,
                    on_progress=match.tell_thinking,
                )
                for config in configs
            ]
            waiting = list(self._preparing)
        for handle in waiting:
            handle.future.add_done_callback(self._prepared)

    def leave(self) -> None:
        """End the search, stop the clock, and keep the game as it is: unfinished, if it is."""
        self._unwatch()
        with self._lock:
            self._give_up()
            waiting, self._preparing = self._preparing, []
            if self._flag is not None:
                self._flag.cancel()
        for handle in waiting:
            handle.cancel()
        self.match.adjourn()
        self.match.save()

    def move_now(self) -> None:
        """Let the engine that thinks play what it has found so far."""
        with self._lock:
            if self._handle is not None and self._task is not None and not self._task.ahead:
                self._handle.stop()

    def hint(self, config: EngineConfig, on_progress: OnProgress | None = None) -> SearchHandle:
        """What an engine would play at the position looked at. The engines at the table go on undisturbed.

        In an unfinished game that is help, so the game is not rated any more.
        """
        if self.match.end is None:
            self.match.unrate()
        return self._host.search(
            replace(config.for_analysis(), seed=self._seed),
            self.match.looked_at,
            config.limits(),
            game_id=f"{self.match.id} hint",
            on_progress=on_progress,
        )

    def offer_draw(self, player: int) -> bool:
        """Offer the engine opponent a draw; it accepts unless it thinks that it is ahead, and says which."""
        other = 1 - player
        if not self._is_engine(other):
            raise MatchError("a person is asked by whoever shows the board, who then calls `draw`")
        if not accepts_draw(self._last.get(other)):
            return False
        self.match.draw()
        return True

    # ---- within

    def _is_engine(self, player: int) -> bool:
        return isinstance(self.match.players[player], EnginePlayer)

    def _config(self, player: int) -> EngineConfig:
        engine = self.match.players[player]
        assert isinstance(engine, EnginePlayer)
        return replace(engine.config, seed=self._seed + player)

    def _prepared(self, future: Future[Report]) -> None:
        """An engine is ready, or failed: the clock starts with the last one."""
        with self._lock:
            if not self._preparing or not all(handle.done() for handle in self._preparing):
                return
            done = [handle.future for handle in self._preparing]
            self._preparing = []
        errors = [one.exception() for one in done if not one.cancelled()]
        error = next((one for one in errors if one is not None), None)
        try:
            if isinstance(error, TengenError):
                self.match.tell_trouble(error)
            else:
                self.match.start()
        except MatchError:
            pass  # it has ended meanwhile

    def _attend(self, event: events.Event) -> None:
        """Something has happened: watch the right flag, and search what should be searched now."""
        if isinstance(event, events.Thinking | events.Looked | events.Annotated | events.NotSaved | events.Saved):
            return
        with self._lock:
            self._watch_flag()
            task = self._wanted()
            if task is not None and task == self._task:
                return
            self._give_up()
            if task is None:
                return
            position, config, ahead, _ = self._task = task
            refused: TengenError | None = None
            try:
                if ahead:
                    handle = self._host.ponder(config, position, game_id=self.match.id)
                else:
                    handle = self._search(position, config)
                self._handle = handle
            except TengenError as error:  # the server is busy, or about to end
                self._task, refused = None, error
        if refused is not None:
            if not ahead:
                self.match.tell_trouble(refused)
        elif not ahead:
            handle.future.add_done_callback(partial(self._answer, position, handle))

    def _wanted(self) -> _Task | None:
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
        limits = limits_for(match.clock, time.monotonic(), engine.config.limits())

        def progress(news: Progress) -> None:
            if match.live == position:
                match.tell_thinking(news)

        return self._host.search(config, position, limits, game_id=match.id, on_progress=progress)

    def _answer(self, position: Position, handle: SearchHandle, future: Future[Report]) -> None:
        """A search has ended: play its move, unless the game has left that position or the table given it up."""
        with self._lock:
            if handle is not self._handle or future.cancelled():
                return
            self._task = self._handle = None
        error = future.exception()
        try:
            if error is None:
                self._last[position.to_move] = future.result()
                self.match.play_live(future.result().best, at=position)
            elif isinstance(error, EngineResigned):
                self.match.resign(position.to_move)
            elif isinstance(error, TengenError):
                self.match.tell_trouble(error)
            else:
                self.match.tell_trouble(TengenError(f"the search failed: {error!r}"))
        except (TimeIsUp, MatchError):
            pass  # the match knows: it has ended on time, or gone on without this move
        except TengenError as illegal:
            self.match.tell_trouble(illegal)

    def _give_up(self) -> None:
        handle, self._handle, self._task = self._handle, None, None
        if handle is not None:
            handle.cancel()

    def _watch_flag(self) -> None:
        """Set an alarm for the moment at which the flag on the running clock will fall."""
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None
        falls_at = self.match.clock.falls_at
        if falls_at is not None:
            seconds = min(max(0.0, falls_at - time.monotonic()) + 0.001, threading.TIMEOUT_MAX)
            self._flag = threading.Timer(seconds, self.match.check_time)
            self._flag.daemon = True
            self._flag.start()
