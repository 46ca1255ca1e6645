"""Start pages of an analysis: an empty board, a pasted game, or the opening explorer."""

from __future__ import annotations

from fastapi import Request
from nicegui import ui

from tengen import games
from tengen.app.game_options import options_of, read_options
from tengen.core.errors import TengenError
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.home import tile
from tengen.web.pages.layout import (
    PAGE_TIMEOUT_S,
    Visit,
    await_with_notice,
    button,
    card,
    page,
    show_error,
    show_unavailable,
)


def register(sessions: GameSessions) -> None:
    @ui.page("/analysis", response_timeout=PAGE_TIMEOUT_S)
    async def board(request: Request) -> None:
        visit = Visit.from_request(sessions, request)
        with page(visit, "Analyse", "/analysis"):
            with ui.element("div").classes("tg-games"):
                for game in games.names():
                    tile(game, f"/board/{game}")
            with card("Or paste a game"):
                text = ui.textarea("SGF, GGF, a transcript, …").props("outlined").mark("paste")

                async def open_pasted() -> None:
                    try:
                        record = await sessions.import_export.first_game(str(text.value or "").encode())
                        session = await await_with_notice(sessions.open_board(record.game, visit.browser, record))
                    except TengenError as error:
                        show_error(error)
                        return
                    ui.navigate.to(f"/analysis/{session.id}")

                button("Open", open_pasted, "search", main=True)

    @ui.page("/explorer", response_timeout=PAGE_TIMEOUT_S)
    async def explorer(request: Request) -> None:
        with page(Visit.from_request(sessions, request), "Explorer", "/explorer"):
            ui.label("Moves played in a position by all games of the library, and how those games ended.")
            with ui.element("div").classes("tg-games"):
                for game in games.names():
                    tile(game, f"/board/{game}?tab=Explorer")

    @ui.page("/board/{game}", response_timeout=PAGE_TIMEOUT_S)
    async def fresh(request: Request, game: str, tab: str = "") -> None:
        visit = Visit.from_request(sessions, request)
        try:
            given = {option.name: option.default for option in options_of(game)}
            given |= {name: value for name, value in request.query_params.items() if name in given}
            made, problems = read_options(game, given)
            if made is None:
                raise TengenError("; ".join(problems.values()))
            session = await await_with_notice(sessions.open_board(made, visit.browser))
        except TengenError as error:
            show_unavailable(visit, error)
            return
        ui.navigate.to(f"/analysis/{session.id}" + (f"?tab={tab}" if tab.isalpha() else ""))
