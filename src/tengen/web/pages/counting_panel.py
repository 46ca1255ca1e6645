"""The end of a game in which dead stones are agreed on: the score so far, and what can be done about it."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from tengen.app.move_preview import point_name
from tengen.core.translation import gettext as _
from tengen.core.translation import translate
from tengen.web.board_data import dead_stone_overlay
from tengen.web.game_session import GameSession
from tengen.web.pages.game_actions import GameActions
from tengen.web.pages.score_table import build_score_table
from tengen.web.pages.widgets import button, note


class CountingPanel:
    """Shown while dead stones are marked. Everybody sees the score; only players have buttons."""

    def __init__(self, session: GameSession, who: str, actions: GameActions) -> None:
        self._session = session
        self._who = who
        self._actions = actions
        self._card = ui.element("div").classes("tg-card tg-counting").mark("counting")
        self._shown: tuple[object, ...] | None = None  # a click is lost if its button is replaced meanwhile

    def show(self) -> None:
        match, marks = self._session.match, self._session.dead_stones
        mine = self._session.seating.sides(self._who)
        advice = self._advice() if match.is_counting else ""
        shown = (match.is_counting, match.live.ply, mine, advice, marks.points(), marks.is_engine_marking)
        if shown == self._shown:
            return
        self._shown = shown
        self._card.set_visibility(match.is_counting)
        self._card.clear()
        if not match.is_counting:
            return
        with self._card:
            ui.label(advice).props('role="status"')
            outcome = match.game.count(match.live, marks.names())
            ui.label(translate(match.game.write_outcome(outcome)).partition(":")[0]).style("font-weight: 600")
            build_score_table(match, match.live, marks.names())
            if mine:
                self._build_buttons()

    def overlay(self) -> dict[str, Any]:
        """Dead stones, territory, and question marks on strings that the engine is not sure about."""
        marks, live = self._session.dead_stones, self._session.match.live
        shown = dead_stone_overlay(live, marks.points())
        if self._session.match.is_counting:
            shown["labels"] = [(column, row, "?") for column, row in marks.unsure()]
        return shown

    def _advice(self) -> str:
        session, marks = self._session, self._session.dead_stones
        mine = session.seating.sides(self._who)
        if marks.is_engine_marking:
            return _("Looking for dead stones…")
        if not mine:
            return _("The players mark the dead stones.")
        disputed = self._disputed()
        if disputed:
            message = _("Your opponent does not agree about {points}. Change the marks, or play on.")
            return message.format(points=" ".join(disputed))
        if marks.agreed - mine:
            return _("Your opponent agrees with these marks.")
        if marks.agreed & mine:
            return _("You agreed. Waiting for your opponent.")
        if marks.unsure():
            return _("Faded stones are dead; “?” marks groups that the engine is not sure about. Tap to change.")
        return _("Faded stones are dead. Tap a group to change it.")

    def _disputed(self) -> list[str]:
        """Stones about which an engine opponent disagrees."""
        session = self._session
        mine = session.seating.sides(self._who)
        if len(mine) != 1 or not session.seating.is_engine(1 - min(mine)):
            return []
        diagram = session.match.live.diagram()
        return [point_name(diagram, point) for point in session.dead_stones.disputed(min(mine))]

    def _build_buttons(self) -> None:
        session, who, act = self._session, self._who, self._actions.act
        seen = session.dead_stones.points()
        # People who mark stones themselves need not wait for the engine, unless it is their opponent.
        has_engine = any(session.seating.is_engine(side) for side in (0, 1))
        is_early = session.dead_stones.is_engine_marking and (has_engine or not seen)
        with ui.element("div").classes("tg-row"):
            agree = button(_("Agree"), lambda: act(session.agree, who, seen), "check", main=True)
            agree.set_enabled(not is_early and not self._disputed())
            button(_("Play on"), lambda: act(session.play_on, who), "play_arrow")
            button(_("Reset marks"), lambda: act(session.reset_marks, who), "restart_alt")
        note(_("Playing on takes back the passes. The game stays as it is otherwise."))
