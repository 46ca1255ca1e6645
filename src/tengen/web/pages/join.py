"""A seat at a game that somebody else has made: who comes by the link sits down there."""

from __future__ import annotations

from fastapi import Request
from nicegui import ui

from tengen.core.errors import TengenError
from tengen.web.hall import Hall
from tengen.web.pages.frame import SLOWEST, Visit, button, complain, missing, page, patiently
from tengen.web.picture import describe


def register(hall: Hall) -> None:
    @ui.page("/join/{game_id}/{key}", response_timeout=SLOWEST)
    async def join(request: Request, game_id: str, key: str) -> None:
        visit = Visit.of(hall, request)
        try:
            room = await patiently(hall.room(game_id))
        except TengenError as error:
            missing(visit, error)
            return

        async def sit() -> None:
            try:
                await hall.do(room.join, key, visit.browser)
            except TengenError as error:
                complain(error)
                return
            ui.navigate.to(f"/game/{game_id}")

        # A link alone does nothing: programs that show what is behind one would take the seat.
        names = room.match.record.names
        with page(visit, "You are invited to a game"):
            ui.label(f"{describe(room.match.game)}: {names[0]} – {names[1]}")
            button("Sit down", sit, "event_seat", main=True)
