"""An analysis: one person's look at a game, an engine that thinks about what is looked at, and what it found.

Whoever may change the game works on its own tree, so variations and comments are kept; anybody else on a copy. The
engine's searches are background work, which makes room for games that are being played.
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
from tengen.play.match import Match
from tengen.play.view import View
from tengen.players.config import EngineConfig
from tengen.search.limits import Limits
from tengen.search.report import Kind, Report
from tengen.web.game_session import GameSession
from tengen.web.game_sessions import GameSessions


class AnalysisSession:
    """`tell` is called, in the server's thread, whenever there is something new about the position looked at."""

    def __init__(
        self, sessions: GameSessions, session: GameSession, match: Match, name: str, tell: Callable[[], None]
    ) -> None:
        self.session = session
        self.match = match
        self.view = View(match)
        self.is_on = True
        self.lines = 3
        self.seconds = 10.0
        self.config: EngineConfig | None = None
        self.searcher = BackgroundSearcher(sessions.host, name, tell, self._found)
        self._sessions = sessions

    @classmethod
    async def open(
        cls, sessions: GameSessions, session: GameSession, browser: str, name: str, tell: Callable[[], None]
    ) -> AnalysisSession:
        """A study of a session's game, by somebody who may change it or not.

        Raises `MatchError` for a player of a game against somebody else: an engine's help would not be fair.
        """
        match = session.match
        if session.may_change(browser):
            if match.result is None and session.sides(browser):
                if not session.is_at_one_board(browser):
                    raise MatchError("the game goes on: it can be analysed when it has ended")
                await sessions.run_in_thread(match.unrate)
        else:
            match = await sessions.run_in_thread(lambda: Match.open(session.store.load(session.id)))
        return cls(sessions, session, match, name, tell)

    @property
    def is_own(self) -> bool:
        """Whether what is done here is kept with the game."""
        return self.match is self.session.match

    @property
    def position(self) -> Position:
        return self.view.position

    @property
    def report(self) -> Report | None:
        """The best that is known of the position looked at: of the running search, or from before."""
        return self.searcher.report or self.session.game_reports.find(self.position)

    # ---- the engine

    def looked(self) -> None:
        """Something else is looked at, or the engine is another: search that, if somebody stays there."""
        self.searcher.stop()
        known = self.session.game_reports.find(self.position)
        solved = known is not None and known.value.kind is Kind.EXACT and len(known.candidates) >= self.lines
        if self.is_on and self.config is not None and not self.position.is_over and not solved:
            self.searcher.search(self.position, self.config, Limits(seconds=self.seconds, lines=self.lines))

    def close(self) -> None:
        self.is_on = False
        self.looked()

    def _found(self, position: Position, config: EngineConfig, report: Report | None) -> None:
        if report is not None and self.is_own:
            loop = asyncio.get_running_loop()
            loop.run_in_executor(None, self._keep, moves_leading_to(position), config, report)

    def _keep(self, moves: Moves, config: EngineConfig, report: Report) -> None:
        with suppress(TengenError):  # the game was deleted meanwhile: then nobody needs it
            self.session.game_reports.add(moves, config, report)

    # ---- the tree, in the server's thread unless the game is changed

    async def play(self, *moves: str) -> None:
        """Try moves, one after the other; they become a variation unless the tree has them."""
        for move in moves:
            added = await self._sessions.run_in_thread(self.match.add_variation, self.view.node, move)
            self.view.show(added)
        self.looked()

    async def remove(self) -> None:
        await self._sessions.run_in_thread(self.match.delete_variation, self.view.node)
        self.looked()

    async def comment(self, text: str) -> None:
        await self._sessions.run_in_thread(self.match.set_comment, self.view.node, text)
