"""The options page, and the demo in which two engines play."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

from nicegui import ui

from tengen import games
from tengen.core.translation import LANGUAGES, mark
from tengen.core.translation import gettext as _
from tengen.players.opponents import demo_opponents
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.background_music import has_music
from tengen.web.pages.board_settings import build_board_settings
from tengen.web.pages.game_tiles import build_tiles
from tengen.web.pages.layout import Visit, add_page, await_with_notice, page
from tengen.web.pages.widgets import button, card, note
from tengen.web.preferences import AUTOMATIC, RANGES

_SWITCHES = (
    ("sound", mark("Sounds")),
    ("coordinates", mark("Coordinates")),
    ("numbers", mark("Move numbers on the stones")),
    ("dots", mark("Dots on legal moves in Othello")),
    ("letters", mark("Letters on the stones (helps with colour blindness)")),
)
_NUMBERS = (
    ("depth", mark("Moves of the opponent's plan shown on the board")),
    ("lines", mark("Lines in an analysis")),
    ("seconds", mark("Seconds per position in an analysis")),
)
_VOLUME = ("volume", mark("Volume of the music"))
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
        if name in ("theme", "language"):
            ui.navigate.reload()

    def keep_name(event: Any) -> None:
        visitors.set_options(visit.browser, name=str(event.value or "").strip()[:80])

    def number_field(name: str, label: str) -> None:
        low, high = RANGES[name]
        field = ui.number(_(label), value=getattr(options, name), min=low, max=high, on_change=partial(keep, name))
        field.props("outlined dense")

    with ui.element("div").classes("tg-columns"):
        with card(_("You")):
            if visit.visitor.account_id is not None:
                ui.label(_("You play as {name}.").format(name=visit.visitor.name))
                ui.link(_("Password, sessions, sign out"), "/accounts")
            else:
                field = ui.input(_("Your name"), value=options.name, on_change=keep_name, placeholder=visit.name)
                field.props("outlined dense debounce=300")
        with card(_("Appearance")):
            ui.label(_("Theme"))
            ui.toggle(
                {"auto": _("System"), "light": _("Light"), "dark": _("Dark")},
                value=options.theme,
                on_change=partial(keep, "theme"),
            ).props("no-caps unelevated toggle-color=primary")
            ui.select(
                {AUTOMATIC: _("Language of the browser"), **LANGUAGES},
                label=_("Language"),
                value=options.language,
                on_change=partial(keep, "language"),
            ).props("outlined dense")
        with card(_("Confirm moves")):
            ui.radio(
                {"never": _("Never"), "touch": _("On touch screens only"), "always": _("Always")},
                value=options.confirm,
                on_change=partial(keep, "confirm"),
            ).props("dense")
            note(_("On a touch screen, drag to aim and see the effect before you confirm."))
        build_board_settings(options, keep)
        with card(_("Board and sound")):
            for switch, label in _SWITCHES:
                ui.switch(_(label), value=getattr(options, switch), on_change=partial(keep, switch))
            music = ui.switch(_("Music while playing"), value=options.music, on_change=partial(keep, "music"))
            if has_music():
                number_field(*_VOLUME)
            else:
                music.disable()
                note(_("Start Tengen with a music folder to enable this: tengen web --music FOLDER"))
        with card(_("Analysis")):
            for name, label in _NUMBERS:
                number_field(name, label)
    button(_("Done"), lambda: ui.navigate.to("/"), "check", main=True)


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/options")
    async def options(visit: Visit) -> None:
        with page(visit, _("Settings"), "/options"):
            _build(visit)

    @add_page(sessions, "/demo")
    async def demo(visit: Visit) -> None:
        with page(visit, _("Demo"), "/demo"):
            ui.label(_("Two engines play each other. Nothing is saved."))
            build_tiles("/demo/{}")

    @add_page(sessions, "/demo/{name}")
    async def show(visit: Visit, name: str) -> None:
        game = games.game(name, **_DEMOS.get(name, {}))
        first, second = random.sample(demo_opponents(name), 2)
        session = await await_with_notice(
            sessions.create(game, (first, second), visit.browser, rated=False, in_library=False)
        )
        ui.navigate.to(f"/game/{session.id}")
