"""Actions of a player besides moving: take back, pause, offer a draw, resign, rematch, analyse."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from nicegui import ui

from tengen.core.errors import TengenError
from tengen.web.game_session import GameSession
from tengen.web.pages.change_players import change_players
from tengen.web.pages.layout import Visit, button, confirm, download_formats, show_error, show_message
from tengen.web.permissions import check_quota


class GameActions:
    """Buttons; only those that apply now are visible. `watch` receives the number of search moves to show."""

    def __init__(
        self,
        visit: Visit,
        session: GameSession,
        hint: Callable[[], Awaitable[None]],
        watch: Callable[[int], Awaitable[None]],
    ) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._session = session
        self._match = session.match
        self._hint = hint
        self._watch = watch

    def build(self) -> None:
        act = self._act
        session, who = self._session, self._visit.browser
        self._buttons = {
            "back": button("Take back", lambda: act(session.take_back, who), "undo"),
            "hint": button("Hint", self._hint, "lightbulb"),
            "now": button("Move now", lambda: act(session.move_now, who), "bolt"),
            "pause": button("Pause", lambda: act(session.pause, who), "pause"),
            "on": button("Resume", lambda: act(session.start, who), "play_arrow", main=True),
            "draw": button("Draw", self._offer_draw, "handshake"),
            "resign": button("Resign", self._resign, "flag"),
            "rematch": button("Rematch", self._rematch, "replay", main=True),
            "analyse": button("Analyse", self._analyse, "insights"),
        }
        with button("", lambda: None, "more_horiz", aria_label="More").props("dense"), ui.menu():
            for form in download_formats(self._match.game.name):
                ui.menu_item(f"Download as {form}", partial(_download, f"/record/{session.id}.{form}"))
            self._change = ui.menu_item(
                "Change players or clock…",
                lambda: change_players(self._sessions, session, self._visit.visitor),
            )
            ui.separator()
            for depth in (0, 1, 3, 6):
                plural = "s" if depth > 1 else ""
                words = f"Show opponent's plan: {depth} move{plural}" if depth else "Hide opponent's plan"
                ui.menu_item(words, partial(self._watch, depth))

    def show(self) -> None:
        """Show the actions that apply now."""
        match, session = self._match, self._session
        mine, ended = session.sides(self._visit.browser), match.result is not None
        seats = session.seats
        owns = seats is not None and seats.owner == self._visit.browser
        thinks = match.to_move is not None and session.is_engine(match.to_move) and match.is_running
        visible = {
            "back": bool(mine) and not ended and match.live.ply > 0,
            "hint": not ended and self._is_my_move() and session.may_use_engine(self._visit.browser),
            "now": thinks and (bool(mine) or owns),
            "pause": not ended and match.is_running and (bool(mine) or owns),
            "on": not ended
            and not match.is_running
            and not match.is_counting
            and (bool(mine) or owns)
            and session.unclaimed_side is None,
            "draw": bool(mine) and not ended and match.game.can_draw and match.live.ply > 0,
            "resign": bool(mine) and not ended,
            "rematch": ended and (bool(mine) or owns),
            "analyse": True,
        }
        for name, tool in self._buttons.items():
            tool.set_visibility(visible[name])
        self._buttons["rematch"].set_text("Go to rematch" if session.next_game_id else "Rematch")
        alone = session.plays_alone(self._visit.browser) or (owns and not mine)
        self._change.set_visibility(not ended and alone)

    def _is_my_move(self) -> bool:
        to_move = self._match.to_move
        mine = to_move is not None and to_move in self._session.sides(self._visit.browser)
        return mine and self._session.unclaimed_side is None

    async def _act(self, work: Any, *args: Any) -> None:
        try:
            await self._sessions.run_for_player(work, *args)
        except TengenError as error:
            show_error(error)

    async def _offer_draw(self) -> None:
        try:
            if await self._sessions.run_for_player(self._session.draw, self._visit.browser):
                show_message("Draw declined")
        except TengenError as error:
            show_error(error)

    async def _resign(self) -> None:
        if await confirm("Resign this game?", "Resign"):
            await self._act(self._session.resign, self._visit.browser)

    async def _rematch(self) -> None:
        try:
            await self._sessions.run_in_thread(check_quota, self._sessions.store, self._visit.visitor)
            session = await self._sessions.rematch(self._session, self._visit.browser)
        except TengenError as error:
            show_error(error)
            return
        ui.navigate.to(f"/game/{session.id}")

    async def _analyse(self) -> None:
        if self._session.sides(self._visit.browser) and not self._session.may_use_engine(self._visit.browser):
            show_error("The game can be analysed after it has ended")
            return
        rated = self._match.result is None and self._session.sides(self._visit.browser)
        if not rated or await confirm("Engine help makes this game unrated. Continue?", "Analyse"):
            ui.navigate.to(f"/analysis/{self._session.id}")


def _download(path: str) -> None:
    ui.download.from_url(path)
