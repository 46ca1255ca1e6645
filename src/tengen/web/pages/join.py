"""The page behind an invite link: join a game that another visitor created."""

from __future__ import annotations

from fastapi import Request
from nicegui import ui

from tengen.core.errors import TengenError
from tengen.web.board_data import describe_game
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.layout import (
    PAGE_TIMEOUT_S,
    Visit,
    await_with_notice,
    button,
    page,
    show_error,
    show_unavailable,
)


def register(sessions: GameSessions) -> None:
    @ui.page("/join/{game_id}/{key}", response_timeout=PAGE_TIMEOUT_S)
    async def join(request: Request, game_id: str, key: str) -> None:
        visit = Visit.from_request(sessions, request)
        try:
            session = await await_with_notice(sessions.get(game_id))
        except TengenError as error:
            show_unavailable(visit, error)
            return

        async def take_seat() -> None:
            try:
                await sessions.run_in_thread(session.join, key, visit.browser)
            except TengenError as error:
                show_error(error)
                return
            ui.navigate.to(f"/game/{game_id}")

        # Opening the link does not join yet: programs that preview links would take the seat.
        names = session.match.record.names
        with page(visit, "You are invited to a game"):
            ui.label(f"{describe_game(session.match.game)}: {names[0]} – {names[1]}")
            button("Join game", take_seat, "event_seat", main=True)
