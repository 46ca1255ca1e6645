"""Actions of a player besides moving: take back, pause, offer a draw, resign, rematch, analyse.

Every button has its fixed place. An action that does not apply now is disabled, so that no button ever moves
under the pointer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from nicegui import ui

from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext
from tengen.web.game_session import GameSession
from tengen.web.pages.change_players import change_players
from tengen.web.pages.layout import Visit
from tengen.web.pages.widgets import (
    button,
    confirm,
    download_items,
    errors_shown,
    show_error,
    show_message,
)
from tengen.web.permissions import check_quota

PLAN_DEPTHS = (0, 1, 3, 6)
UNRATES = mark("Engine help makes this game unrated. Continue?")


class GameActions:
    """The buttons. `watch` receives the number of search moves to show."""

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
        act = self.act
        session, who = self._session, self._visit.browser
        self._buttons = {
            "back": button(_("Take back"), self._take_back, "undo"),
            "hint": button(_("Hint"), self._ask_hint, "lightbulb"),
            "now": button(_("Move now"), lambda: act(session.move_now, who), "bolt"),
            "pause": button(_("Pause"), self._pause_or_resume, "pause"),
            "draw": button(_("Draw"), self._offer_draw, "handshake"),
            "resign": button(_("Resign"), self._resign_or_abort, "flag"),
            "analyse": button(_("Analyse"), self.analyse, "insights"),
            "rematch": button(_("Rematch"), self.rematch, "replay"),
        }
        with button(_("More"), lambda: None, "more_horiz") as more, ui.menu():
            download_items(self._match.game.name, session.id)
            self._change = ui.menu_item(
                _("Change players or clock…"), lambda: change_players(self._sessions, session, self._visit.visitor)
            )
            ui.separator()
            for depth in PLAN_DEPTHS:
                plan = ngettext("Show opponent's plan: {count} move", "Show opponent's plan: {count} moves", depth)
                text = plan.format(count=depth) if depth else _("Hide opponent's plan")
                ui.menu_item(text, partial(self._watch, depth))
        for tool in (*self._buttons.values(), more):
            tool.props("stack dense")

    def show(self) -> None:
        """Enable the actions that apply now."""
        match, session, who = self._match, self._session, self._visit.browser
        mine, ended = session.seating.sides(who), match.result is not None
        plays = bool(mine) and not ended
        owns = session.seating.seats is not None and session.seating.seats.owner == who
        thinks = match.to_move is not None and session.seating.is_engine(match.to_move) and match.is_running
        controls = not ended and (bool(mine) or owns)
        can_resume = controls and not match.is_running and not match.is_counting
        enabled = {
            "back": plays and match.live.ply > 0,
            "hint": not ended and session.seating.is_turn_of(who) and session.seating.may_use_engine(who),
            "now": thinks and (bool(mine) or owns),
            "pause": (controls and match.is_running) or (can_resume and session.seating.unclaimed_side is None),
            "draw": plays and match.game.can_draw and match.live.ply > 0,
            "resign": plays,
            "analyse": True,
            "rematch": ended and (bool(mine) or owns),
        }
        for name, tool in self._buttons.items():
            tool.set_enabled(enabled[name])
        self._label("pause", _("Resume") if can_resume else _("Pause"), "play_arrow" if can_resume else "pause")
        can_abort = match.can_abort
        self._label("resign", _("Abort") if can_abort else _("Resign"), "close" if can_abort else "flag")
        self._buttons["rematch"].set_text(_("Go to rematch") if session.next_game_id else _("Rematch"))
        alone = session.seating.plays_alone(who) or (owns and not mine)
        self._change.set_enabled(not ended and alone)

    def _label(self, name: str, text: str, icon: str) -> None:
        self._buttons[name].set_text(text)
        self._buttons[name].set_icon(icon)

    async def act(self, work: Any, *args: Any) -> None:
        with errors_shown():
            await self._sessions.run_for_player(work, *args)

    async def may_unrate(self, question: str) -> bool:
        """Ask before something makes a rated game unrated; asked once, because it is unrated then."""
        helps = self._match.result is None and bool(self._session.seating.sides(self._visit.browser))
        return not (helps and self._match.is_rated) or await confirm(question, _("Continue"))

    async def _ask_hint(self) -> None:
        if await self.may_unrate(_(UNRATES)):
            await self._hint()

    async def _take_back(self) -> None:
        alone = self._session.seating.plays_alone(self._visit.browser)
        question = _("Taking back a move makes this game unrated. Continue?")
        if not alone or await self.may_unrate(question):
            await self.act(self._session.take_back, self._visit.browser)

    async def _pause_or_resume(self) -> None:
        work = self._session.pause if self._match.is_running else self._session.start
        await self.act(work, self._visit.browser)

    async def _offer_draw(self) -> None:
        with errors_shown():
            if await self._sessions.run_for_player(self._session.draw, self._visit.browser):
                show_message(_("Draw declined"))

    async def _resign_or_abort(self) -> None:
        if self._match.can_abort:
            if await confirm(_("Abort this game? It will not count."), _("Abort")):
                await self.act(self._session.abort, self._visit.browser)
        elif await confirm(_("Resign this game?"), _("Resign")):
            await self.act(self._session.resign, self._visit.browser)

    async def rematch(self) -> None:
        with errors_shown():
            await self._sessions.run_in_thread(check_quota, self._sessions.store, self._visit.visitor)
            session = await self._sessions.rematch(self._session, self._visit.browser)
            ui.navigate.to(f"/game/{session.id}")

    async def analyse(self) -> None:
        if self._session.seating.sides(self._visit.browser) and not self._session.seating.may_use_engine(
            self._visit.browser
        ):
            show_error(_("The game can be analysed after it has ended"))
        elif await self.may_unrate(_(UNRATES)):
            ui.navigate.to(f"/analysis/{self._session.id}")
