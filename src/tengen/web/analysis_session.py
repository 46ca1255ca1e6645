"""One visitor's analysis of a game: the position shown, an engine that searches it, and the reports.

Visitors who may change the game work on its own tree, so variations and comments are stored; others work on a
copy. Searches run in the background and yield to games in progress.
"""

from __future__ import annotations

from collections.abc import Callable

from tengen.app.background_search import BackgroundSearcher
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.play.game_tree import MatchError
from tengen.play.match import Match
from tengen.play.view import View
from tengen.players.config import EngineConfig
from tengen.search.limits import Limits
from tengen.search.report import Kind, Report
from tengen.web.game_session import GameSession
from tengen.web.game_sessions import GameSessions


class AnalysisSession:
    """`on_change` is called in the event loop whenever there is news about the position shown."""

    def __init__(
        self, sessions: GameSessions, session: GameSession, match: Match, name: str, on_change: Callable[[], None]
    ) -> None:
        self.session = session
        self.match = match
        self.view = View(match)
        self.is_on = True
        self.lines = 3
        self.seconds = 10.0
        self.config: EngineConfig | None = None
        self.searcher = BackgroundSearcher(sessions.host, name, on_change, self._on_done)
        self._sessions = sessions

    @classmethod
    async def open(
        cls, sessions: GameSessions, session: GameSession, browser: str, name: str, on_change: Callable[[], None]
    ) -> AnalysisSession:
        """Open an analysis of a session's game. A game in progress becomes unrated.

        Raises `MatchError` for a player of a running game against another person: engine help would not be fair.
        """
        match = session.match
        if session.seating.may_change(browser):
            if match.result is None and session.seating.sides(browser):
                if not session.seating.plays_alone(browser):
                    raise MatchError(mark("the game can be analysed after it has ended"))
                await sessions.run_in_thread(match.unrate)
        else:
            match = await sessions.run_in_thread(lambda: Match.open(session.store.load(session.id)))
        return cls(sessions, session, match, name, on_change)

    @property
    def is_own(self) -> bool:
        """Whether changes are stored with the game."""
        return self.match is self.session.match

    @property
    def position(self) -> Position:
        return self.view.position

    @property
    def report(self) -> Report | None:
        """The best known report on the position shown: of the running search or an earlier one."""
        return self.searcher.report or self.session.game_reports.find(self.position)

    # ---- the engine

    def restart_search(self) -> None:
        """Search the position shown, after a change of position or engine."""
        self.searcher.stop()
        known = self.session.game_reports.find(self.position)
        solved = known is not None and known.value.kind is Kind.EXACT and len(known.candidates) >= self.lines
        if self.is_on and self.config is not None and not (self.position.is_over or solved or self._waits):
            self.searcher.search(self.position, self.config, Limits(seconds=self.seconds, lines=self.lines))

    @property
    def _waits(self) -> bool:
        """Whether the first pass of a review is running: it takes seconds, and longer beside another search."""
        review = self.session.game_reports.review
        return review is not None and not review.finished.is_set() and review.pass_number == 1

    def resume_search(self) -> None:
        """Search the position shown unless that is done or running, after a pass of a review has ended."""
        if self.searcher.position is None:
            self.restart_search()

    def close(self) -> None:
        self.is_on = False
        self.restart_search()

    def _on_done(self, position: Position, config: EngineConfig, report: Report | None) -> None:
        if report is not None and self.is_own:
            self.session.game_reports.add_in_background(position, config, report)

    # ---- the tree

    async def play(self, *moves: str) -> None:
        """Play moves from the position shown; moves not in the tree become a variation."""
        for move in moves:
            added = await self._sessions.run_in_thread(self.match.add_variation, self.view.node, move)
            self.view.show(added)
        self.restart_search()

    async def remove(self) -> None:
        await self._sessions.run_in_thread(self.match.delete_variation, self.view.node)
        self.restart_search()

    async def comment(self, text: str) -> None:
        await self._sessions.run_in_thread(self.match.set_comment, self.view.node, text)
