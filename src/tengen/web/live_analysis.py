"""An engine beside a game that is being played, for a player who wants its view: off until it is asked for.

It values the position looked at, then those of the game that have no value yet, the newest first: so the graph
and the points lost are there, though an opponent may answer faster than anybody can think.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from tengen.app.background_search import BackgroundSearcher
from tengen.app.game_reports import Moves, moves_leading_to
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.play.game_tree import MatchError
from tengen.players.config import EngineConfig
from tengen.players.opponents import opponents
from tengen.search.limits import Limits
from tengen.search.report import Report
from tengen.web.game_session import GameSession
from tengen.web.game_sessions import GameSessions

SECONDS = 3.0  # for the position looked at
SECONDS_BEFORE = 1.0  # for those that were passed by
LINES = 3


def may_accompany(session: GameSession, browser: str) -> bool:
    """Whether an engine's view is fair: nobody else plays, or the game has ended."""
    return session.may_be_helped(browser)


class LiveAnalysis:
    """`tell` is called, in the server's thread, whenever it knows something new of the position looked at."""

    def __init__(self, sessions: GameSessions, session: GameSession, name: str, tell: Callable[[], None]) -> None:
        self._sessions = sessions
        self._session = session
        self._config = opponents(session.match.game.name)[-1].config
        self._position = session.match.live
        self._tried: set[bytes] = set()  # by their line keys
        self._searcher = BackgroundSearcher(sessions.host, name, tell, self._done)

    @classmethod
    async def open(
        cls, sessions: GameSessions, session: GameSession, browser: str, name: str, tell: Callable[[], None]
    ) -> LiveAnalysis:
        """Begin. A game that goes on is not rated any more. Raises `MatchError` where it would not be fair."""
        if not may_accompany(session, browser):
            raise MatchError("the game goes on: an engine's view is for when it has ended")
        if session.match.result is None and session.sides(browser):
            await sessions.run_in_thread(session.match.unrate)
        return cls(sessions, session, name, tell)

    @property
    def report(self) -> Report | None:
        """The best that is known of the position looked at."""
        fresh = self._searcher.report if self._searcher.position is self._position else None
        return fresh or self._session.game_reports.find(self._position)

    @property
    def note(self) -> str:
        """What it is at, while there is no report."""
        return self._searcher.note or "thinking …"

    def look(self, position: Position) -> None:
        """Somebody looks at this position now; it may be the one from before in a game that has gone on."""
        if position is not self._position or self._searcher.position is None:
            self._position = position
            self._go_on()

    def close(self) -> None:
        self._searcher.stop()

    def _go_on(self) -> None:
        wanted = self._next()
        if wanted is None:
            self._searcher.stop()
        elif wanted is not self._searcher.position:
            seconds = SECONDS if wanted is self._position else SECONDS_BEFORE
            self._searcher.search(wanted, self._config, Limits(seconds=seconds, lines=LINES))

    def _next(self) -> Position | None:
        """What to value next."""
        line = [self._position, *reversed(list(self._session.match.live.line()))]
        return next((one for one in line if not one.is_over and not self._is_known(one)), None)

    def _is_known(self, position: Position) -> bool:
        return position.line_key in self._tried or self._session.game_reports.find(position) is not None

    def _done(self, position: Position, config: EngineConfig, report: Report | None) -> None:
        moves = moves_leading_to(position)
        self._tried.add(position.line_key)
        if report is not None:
            asyncio.get_running_loop().run_in_executor(None, self._keep, moves, config, report)
        if report is None and position is self._position:
            return  # why it failed stays to be read
        self._go_on()

    def _keep(self, moves: Moves, config: EngineConfig, report: Report) -> None:
        with suppress(TengenError):  # the game was deleted meanwhile: then nobody needs it
            self._session.game_reports.add(moves, config, report)
