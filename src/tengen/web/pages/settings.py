"""The options page, and the demo in which two engines play."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

from fastapi import Request
from nicegui import ui

from tengen import games
from tengen.core.errors import TengenError
from tengen.players.opponents import opponents
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.background_music import has_music
from tengen.web.pages.home import tile
from tengen.web.pages.layout import PAGE_TIMEOUT_S, Visit, await_with_notice, button, card, page, show_unavailable
from tengen.web.preferences import RANGES

_SWITCHES = (
    ("sound", "Sounds"),
    ("coordinates", "Coordinates"),
    ("numbers", "Move numbers on the stones"),
    ("dots", "Dots on legal moves in Othello"),
    ("letters", "Letters on the stones (helps with colour blindness)"),
)
_NUMBERS = (
    ("depth", "Moves of the opponent's plan shown on the board"),
    ("lines", "Lines in an analysis"),
    ("seconds", "Seconds per position in an analysis"),
    ("volume", "Volume of the music"),
)
_DEMOS: dict[str, dict[str, object]] = {
    "go": {"size": 9},
    "pente": {"size": 13},
    "clobber": {"size": "5x6"},
    "othello": {},
}


def _build(visit: Visit) -> None:
    options, visitors = visit.preferences, visit.sessions.visitors

    def keep(name: str, event: Any) -> None:
        value = event.value
        if name in RANGES:
            low, high = RANGES[name]
            value = max(low, min(high, int(value or 0)))
        visitors.set_options(visit.browser, **{name: value})
        if name == "theme":
            ui.navigate.reload()

    def keep_name(event: Any) -> None:
        visitors.set_options(visit.browser, name=str(event.value or "").strip()[:80])

    with ui.element("div").classes("tg-columns"):
        with card("You"):
            if visit.visitor.account_id is not None:
                ui.label(f"You play as {visit.visitor.name}.")
                ui.link("Password, sessions, sign out", "/accounts")
            else:
                field = ui.input("Your name", value=options.name, on_change=keep_name, placeholder=visit.name)
                field.props("outlined dense debounce=300")
        with card("Appearance"):
            ui.label("Theme")
            ui.toggle(
                {"auto": "System", "light": "Light", "dark": "Dark"},
                value=options.theme,
                on_change=partial(keep, "theme"),
            ).props("no-caps unelevated toggle-color=primary")
        with card("Confirm moves"):
            ui.radio(
                {"never": "Never", "touch": "On touch screens only", "always": "Always"},
                value=options.confirm,
                on_change=partial(keep, "confirm"),
            ).props("dense")
            ui.label("On a touch screen, drag to aim and see the effect before you confirm.").classes("tg-quiet")
        with card("Board and sound"):
            for switch, label in _SWITCHES:
                ui.switch(label, value=getattr(options, switch), on_change=partial(keep, switch))
            music = ui.switch("Music while playing", value=options.music, on_change=partial(keep, "music"))
            if not has_music():
                music.disable()
                ui.label("Start Tengen with a music folder to enable this: tengen web --music FOLDER").classes(
                    "tg-quiet"
                )
        with card("Numbers"):
            for number, label in _NUMBERS:
                low, high = RANGES[number]
                ui.number(
                    label, value=getattr(options, number), min=low, max=high, on_change=partial(keep, number)
                ).props("outlined dense")
    button("Done", lambda: ui.navigate.to("/"), "check", main=True)


def register(sessions: GameSessions) -> None:
    @ui.page("/options", response_timeout=PAGE_TIMEOUT_S)
    async def options(request: Request) -> None:
        visit = Visit.from_request(sessions, request)
        with page(visit, "Options", "/options"):
            _build(visit)

    @ui.page("/demo", response_timeout=PAGE_TIMEOUT_S)
    async def demo(request: Request) -> None:
        with page(Visit.from_request(sessions, request), "Demo", "/demo"):
            ui.label("Two engines play each other. Nothing is saved.")
            with ui.element("div").classes("tg-games"):
                for game in games.names():
                    tile(game, f"/demo/{game}")

    @ui.page("/demo/{name}", response_timeout=PAGE_TIMEOUT_S)
    async def show(request: Request, name: str) -> None:
        visit = Visit.from_request(sessions, request)
        try:
            game = games.game(name, **_DEMOS.get(name, {}))
            first, second = random.sample(opponents(name)[1:4], 2)
            session = await await_with_notice(
                sessions.create(game, (first, second), visit.browser, rated=False, in_library=False)
            )
        except TengenError as error:
            show_unavailable(visit, error)
            return
        ui.navigate.to(f"/game/{session.id}")
