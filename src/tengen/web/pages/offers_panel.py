"""Offers between two players, their answers, and the invite link of a game that waits for a guest."""

from __future__ import annotations

import json

from nicegui import ui

from tengen.core.translation import gettext as _
from tengen.core.translation import mark
from tengen.web.game_session import GameSession
from tengen.web.offers import Offer
from tengen.web.pages.game_actions import GameActions
from tengen.web.pages.widgets import button, copy_text, note
from tengen.web.seating import player_name

_REQUESTS = {
    "draw": mark("{name} offers a draw"),
    "take back": mark("{name} asks to take back a move"),
    "pause": mark("{name} asks for a pause"),
}
_WAITING = {
    "draw": mark("You offered a draw. Waiting for an answer."),
    "take back": mark("You asked to take back a move. Waiting for an answer."),
    "pause": mark("You asked for a pause. Waiting for an answer."),
}
_DECLINED = {
    "draw": mark("Draw declined"),
    "take back": mark("Your opponent does not want to take back the move"),
    "pause": mark("Your opponent does not want a pause"),
}


class OffersPanel:
    """Built again only if it differs, because a click is lost if its button is replaced meanwhile."""

    def __init__(self, session: GameSession, who: str, actions: GameActions) -> None:
        self._session = session
        self._who = who
        self._actions = actions
        self._offers = ui.element("div").classes("tg-row")
        self._invitation = ui.element("div")
        self._shown: tuple[object, ...] | None = None

    def show(self) -> None:
        session = self._session
        mine = session.seating.sides(self._who)
        names = session.match.record.names
        shown = (
            session.offers.pending,
            session.offers.declined,
            mine,
            session.seating.unclaimed_side,
            session.match.is_rated,
            names,
        )
        if shown == self._shown:
            return
        self._shown = shown
        self._offers.clear()
        self._invitation.clear()
        with self._offers:
            if session.offers.pending is not None:
                self._show_offer(session.offers.pending)
            elif session.offers.declined is not None and session.offers.declined.side in mine:
                ui.label(_(_DECLINED[session.offers.declined.kind])).props('role="status"').mark("declined")
        seats = session.seating.seats
        if session.seating.unclaimed_side is not None and seats is not None and seats.owner == self._who:
            path = f"/join/{session.id}/{seats.keys[session.seating.unclaimed_side]}"
            with self._invitation:
                with ui.element("div").classes("tg-link"):
                    link = ui.link(_("Invite link"), path).mark("invitation")
                    link.props(f'data-path="{path}"')
                    button(_("Copy"), lambda: copy_link(path), "content_copy").props("dense")
                note(_("Send this link to your opponent. The game starts when they join."))

    def _show_offer(self, offer: Offer) -> None:
        session, who, act = self._session, self._who, self._actions.act
        mine = session.seating.sides(who)
        if offer.side in mine:
            ui.label(_(_WAITING[offer.kind])).props('role="status"')
            return
        name = player_name(session.match, offer.side)
        ui.label(_(_REQUESTS[offer.kind]).format(name=name)).style("font-weight: 600").props('role="status"')
        if not mine:
            return
        if offer.kind == "take back" and session.match.is_rated:
            note(_("The game becomes unrated then."))
        button(_("Accept"), lambda: act(session.answer_offer, who, True), main=True)
        button(_("Decline"), lambda: act(session.answer_offer, who, False))


async def copy_link(path: str) -> None:
    """Copy the address of a page of this server to the clipboard."""
    await copy_text(f"location.origin + {json.dumps(path)}", _("Link copied"))
