"""The atlas of solved positions: the proof library, to browse."""

from __future__ import annotations

import functools
import json

from nicegui import ui

from tengen import games
from tengen.app.proof_library import Entry, library_entries
from tengen.core.board_svg import board_svg
from tengen.core.errors import TengenError
from tengen.core.translation import gettext as _
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.layout import Visit, add_page, page
from tengen.web.pages.widgets import button, card, errors_shown

_BACKED_BY = {
    "certificate": lambda: _("Certificate, checked in {seconds:g} s"),
    "makes certificate": lambda: _("A command makes a certificate, checked in {seconds:g} s"),
    "search": lambda: _("A search that anybody can repeat, {seconds:g} s"),
}


@functools.lru_cache(256)
def _picture(game: str, options: str) -> str:
    """The board of a position as SVG that fits its card; empty if it cannot be drawn."""
    try:
        svg = board_svg(games.game(game, **json.loads(options)).start().diagram())
    except TengenError:
        return ""
    return svg.replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)


class ProofsPage:
    """All entries, or those of one game."""

    def __init__(self, visit: Visit, game: str) -> None:
        self._visit = visit
        self._entries = library_entries()
        self._names = list(dict.fromkeys(entry.game for entry in self._entries))
        self._game = game if game in self._names else ""

    def build(self) -> None:
        ui.label(
            _("Positions whose result is proved. Each says how it was obtained and how you can check it yourself.")
        )
        titles = {"": _("Every game")} | {name: self._title(name) for name in self._names}
        chosen = ui.select(titles, value=self._game, label=_("Game"), on_change=self._choose)
        chosen.props("outlined dense options-dense").style("min-width: 220px").mark("proof-game")
        self._list = ui.element("div").classes("tg-stack").mark("proofs")
        self._fill()

    @staticmethod
    def _title(name: str) -> str:
        return _(games.game_class(name).title) if name in games.all_names() else _("Sums of games")

    def _choose(self, event: object) -> None:
        self._game = str(getattr(event, "value", "") or "")
        self._list.clear()
        self._fill()

    def _fill(self) -> None:
        with self._list:
            for entry in self._entries:
                if self._game in ("", entry.game):
                    self._build_entry(entry)

    def _build_entry(self, entry: Entry) -> None:
        with card(f"{self._title(entry.game)} · {entry.position}"):
            picture = _picture(entry.board["game"], json.dumps(entry.board["options"])) if entry.board else ""
            with ui.element("div").classes("tg-row").style("align-items: flex-start; gap: 16px"):
                if picture:
                    ui.html(picture, sanitize=False).style("max-width: 100%")
                with ui.element("div").classes("tg-grow"):
                    with ui.element("b"):
                        ui.label(entry.claim)
                    ui.label(_BACKED_BY[entry.kind]().format(seconds=entry.seconds))
                    ui.label(entry.method).classes("tg-quiet")
                    with ui.element("code").style("overflow-wrap: anywhere"):
                        ui.label(entry.check_command)
                    if entry.command and entry.command != entry.check_command:
                        with ui.element("code").style("overflow-wrap: anywhere"):
                            ui.label(entry.command)
                    if picture:
                        button(_("Open on the analysis board"), lambda: self._open(entry), "insights")

    async def _open(self, entry: Entry) -> None:
        with errors_shown():
            game = games.game(entry.board["game"], **entry.board["options"])
            session = await self._visit.sessions.open_board(game, self._visit.browser)
            ui.navigate.to(f"/analysis/{session.id}")


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/proofs")
    async def proofs(visit: Visit, game: str = "") -> None:
        with page(visit, _("Solved positions"), "/proofs"):
            ProofsPage(visit, game).build()
