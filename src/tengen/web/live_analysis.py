"""Engine analysis beside a game in progress, for a player who switches it on.

It searches the position shown first, then all positions of the game without a report, latest first. So graph and
losses are complete, even if the opponent answers faster than the analysis.
"""

from __future__ import annotations

from collections.abc import Callable

from tengen.app.background_search import BackgroundSearcher
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.play.game_tree import MatchError
from tengen.players.config import EngineConfig
from tengen.players.opponents import analysis_player
from tengen.search.limits import Limits
from tengen.search.report import Report
from tengen.web.game_session import GameSession
from tengen.web.game_sessions import GameSessions

SECONDS_SHOWN = 3.0  # for the position shown
SECONDS_OTHERS = 1.0  # for each other position of the game
LINES = 3


class LiveAnalysis:
    """`on_change` is called in the event loop whenever there is news about the position shown."""

    def __init__(
        self, sessions: GameSessions, session: GameSession, name: str, on_change: Callable[[], None]
    ) -> None:
        self._sessions = sessions
        self._session = session
        self._config = analysis_player(session.match.game.name).config
        self._position = session.match.live
        self._tried: set[bytes] = set()  # by their line keys
        self._searcher = BackgroundSearcher(sessions.host, name, on_change, self._on_done)

    @classmethod
    async def open(
        cls, sessions: GameSessions, session: GameSession, browser: str, name: str, on_change: Callable[[], None]
    ) -> LiveAnalysis:
        """Start the analysis; a game in progress becomes unrated. Raises `MatchError` if it would not be fair."""
        if not session.seating.may_use_engine(browser):
            raise MatchError(mark("engine analysis is available after the game has ended"))
        if session.match.result is None and session.seating.sides(browser):
            await sessions.run_in_thread(session.match.unrate)
        return cls(sessions, session, name, on_change)

    @property
    def report(self) -> Report | None:
        """The best known report on the position shown."""
        fresh = self._searcher.report if self._searcher.position is self._position else None
        return fresh or self._session.game_reports.find(self._position)

    @property
    def note(self) -> str:
        """The state of the search while there is no report."""
        return translate(self._searcher.note) or _("Searching …")

    def show_position(self, position: Position) -> None:
        """Follow the display to a position. Also call it when the game has more moves."""
        if position is not self._position or self._searcher.position is None:
            self._position = position
            self._search_next()

    def close(self) -> None:
        self._searcher.stop()

    def _search_next(self) -> None:
        wanted = self._next()
        if wanted is None:
            self._searcher.stop()
        elif wanted is not self._searcher.position:
            seconds = SECONDS_SHOWN if wanted is self._position else SECONDS_OTHERS
            self._searcher.search(wanted, self._config, Limits(seconds=seconds, lines=LINES))

    def _next(self) -> Position | None:
        """The next position to search."""
        line = [self._position, *reversed(list(self._session.match.live.line()))]
        return next((one for one in line if not one.is_over and not self._is_known(one)), None)

    def _is_known(self, position: Position) -> bool:
        return position.line_key in self._tried or self._session.game_reports.find(position) is not None

    def _on_done(self, position: Position, config: EngineConfig, report: Report | None) -> None:
        self._tried.add(position.line_key)
        if report is not None:
            self._session.game_reports.add_in_background(position, config, report)
        if report is None and position is self._position:
            return  # leave the error message visible
        self._search_next()
