"""Teaching mode beside a game: a warning before a bad move, hints in steps, reasons for the opponent's moves.

It makes the game unrated, like a hint, and is not available between two people.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nicegui import context, ui

from tengen.app.teaching import HINT_STEPS, LIMIT_NAMES, OPTION, WarningLimit, check_move, hint, why
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.play.player_lookup import candidates
from tengen.players.config import DEFAULT_LIMITS
from tengen.players.opponents import hint_player
from tengen.players.player import EnginePlayer
from tengen.search.report import Report
from tengen.web.game_session import GameSession
from tengen.web.pages.layout import Visit
from tengen.web.pages.widgets import button, confirm, errors_shown, named_dialog, note, show_error

CHECK_TIMEOUT_S = 15.0  # then the move is played unchecked: nobody waits longer for advice


class TeachingPanel:
    """`show_hint` draws the best line on the board, with the last step of a hint."""

    def __init__(self, visit: Visit, session: GameSession, show_hint: Callable[[int, Report], None]) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._session = session
        self._show_hint = show_hint
        self._client = context.client
        self._limit = _limit(visit)
        self._searches: dict[bytes, asyncio.Task[Report]] = {}  # by position, of the position shown last only
        self._step = 0
        self._teachers = {"": hint_player(session.match.game.name)}
        self._teacher = ""
        self.is_on = False

    async def find_teachers(self) -> None:
        """Offer external engines that are stored as players."""
        game = self._session.match.game.name
        found = await self._sessions.run_in_thread(candidates, self._sessions.store, game)
        programs = [one for one in found if isinstance(one, EnginePlayer) and one.config.program is not None]
        self._teachers |= {one.id: one for one in programs}
        names = {identity: one.name if identity else _("Tengen") for identity, one in self._teachers.items()}
        self._adviser.set_options(names, value=self._teacher)
        self._adviser.set_visibility(self.is_on and bool(programs))

    def build(self) -> None:
        with ui.element("div").classes("tg-card") as self._card:
            with ui.element("div").classes("tg-row tg-spread"):
                self._switch = ui.switch(_("Teaching"), on_change=self._turn).props("dense").mark("teaching")
                names = {str(limit): _(name) for limit, name in LIMIT_NAMES.items()}
                self._choice = ui.select(
                    names, label=_("Warn me of"), value=str(self._limit), on_change=self._choose
                ).props("outlined dense options-dense")
            self._adviser = ui.select({"": _("Tengen")}, label=_("Advice from"), value="")
            self._adviser.props("outlined dense options-dense").mark("adviser")
            self._adviser.on_value_change(self._choose_teacher)
            self._adviser.set_visibility(False)
            with ui.element("div").classes("tg-helper") as self._content:
                self._why = note("").mark("why-opponent")
                with ui.element("div").classes("tg-row tg-spread"):
                    self._text = ui.label("").classes("tg-status").props('role="status"').mark("teacher")
                    self._more = button(_("Small hint"), self._hint, "lightbulb")
        self._content.set_visibility(False)
        self._choice.set_visibility(False)

    def show(self) -> None:
        """Follow the game; the best move is looked for as soon as it is the visitor's turn."""
        seating, match, who = self._session.seating, self._session.match, self._visit.browser
        plays = match.result is None and bool(seating.sides(who))
        self._card.set_visibility(plays and seating.may_use_engine(who))
        if not self.is_on:
            return
        live = match.live
        if live.line_key not in self._searches:
            self._forget()
            self._step = 0
            self._text.set_text("")
            self._more.set_text(_("Small hint"))
            mine = live.to_move in seating.sides(who)
            self._why.set_text(why(live) if mine else "")
            if mine and not live.is_over and match.result is None:
                self._search(live)
        self._more.set_enabled(seating.is_turn_of(who))

    async def may_play(self, move: str) -> bool:
        """Whether to play a move: it is checked first, and a warning asks the visitor."""
        live = self._session.match.live
        if not self.is_on or not self._session.seating.is_turn_of(self._visit.browser):
            return True
        try:
            after = await self._sessions.run_in_thread(live.play, move)
            if after.is_over:
                return True
            self._text.set_text(_("Checking your move…"))
            async with asyncio.timeout(CHECK_TIMEOUT_S):
                best, reply = await asyncio.gather(self._search(live), self._search(after))
            warning = check_move(live, move, best, reply, self._limit)
        except (TengenError, TimeoutError):  # an illegal move is explained by the board
            return True
        finally:
            self._text.set_text("")
        if warning is None or self._client.is_deleted or self._session.match.live is not live:
            return True
        return await self._ask(move, warning.text)

    def close(self) -> None:
        self._forget()

    # ---- searches

    def _search(self, position: Position) -> asyncio.Task[Report]:
        """The report on a position; it is searched once."""
        known = self._searches.get(position.line_key)
        if known is None:
            known = asyncio.ensure_future(self._run(position))
            self._searches[position.line_key] = known
        return known

    async def _run(self, position: Position) -> Report:
        config = self._teachers[self._teacher].config
        if not config.limits:  # a program that would search as its own options say
            config = replace(config, limits=DEFAULT_LIMITS)
        handle = await self._sessions.run_for_player(self._session.assess, self._visit.browser, config, position)
        return await asyncio.wrap_future(handle.future)

    def _forget(self) -> None:
        for search in self._searches.values():
            search.cancel()
        self._searches = {}

    # ---- user actions

    async def _turn(self, event: Any) -> None:
        if event.value and not self.is_on:
            question = _("Engine help makes this game unrated. Continue?")
            if self._session.match.is_rated and not await confirm(question, _("Continue")):
                self._switch.set_value(False)
                return
        self.is_on = bool(event.value)
        if self.is_on:
            with errors_shown():
                await self._sessions.run_for_player(self._session.start_teaching, self._visit.browser)
                await self.find_teachers()
        else:
            self._forget()
        self._content.set_visibility(self.is_on)
        self._choice.set_visibility(self.is_on)
        self._adviser.set_visibility(self.is_on and len(self._teachers) > 1)
        self.show()

    def _choose_teacher(self, event: Any) -> None:
        self._teacher = event.value or ""
        self._forget()
        self.show()

    def _choose(self, event: Any) -> None:
        self._limit = WarningLimit(event.value)
        self._sessions.visitors.set_options(self._visit.browser, **{OPTION: str(self._limit)})

    async def _hint(self) -> None:
        """The next step of a hint."""
        live = self._session.match.live
        try:
            report = await self._search(live)
        except TengenError as error:
            show_error(error)
            return
        if self._client.is_deleted or live is not self._session.match.live:
            return
        self._step = min(HINT_STEPS, self._step + 1)
        self._text.set_text(hint(live, report, self._step))
        self._more.set_text(_("Clearer hint") if self._step < HINT_STEPS else _("Small hint"))
        if self._step == HINT_STEPS:
            self._show_hint(live.ply, report)

    async def _ask(self, move: str, text: str) -> bool:
        with named_dialog(_("Warning")) as dialog, ui.card():
            ui.label(_("Are you sure about {move}?").format(move=move)).style("font-weight: 650")
            ui.label(text).mark("warning")
            with ui.row():
                button(_("Take it back"), lambda: dialog.submit(False), main=True)
                button(_("Play it anyway"), lambda: dialog.submit(True))
        return bool(await dialog)


def _limit(visit: Visit) -> WarningLimit:
    stored = visit.sessions.visitors.options(visit.browser).get(OPTION)
    return WarningLimit(stored) if stored in list(WarningLimit) else WarningLimit.MISTAKE
