"""The arena: running and finished tournaments and tunings, with standings, plots and games."""

from __future__ import annotations

import time
from typing import Any

from nicegui import context, ui

from tengen.arena import run_status
from tengen.arena.run_status import RunStatus
from tengen.core.errors import TengenError
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext, translate
from tengen.jobs.progress import duration
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.game_tiles import list_item
from tengen.web.pages.layout import Visit, add_page, page
from tengen.web.pages.widgets import card, note

_POLL_INTERVAL_S = 2.0
_SILENCE_NOTICE_S = 600.0  # mention it if there was no update for this long


def describe_state(one: RunStatus) -> str:
    """The state of a run in a few words."""
    silent = time.time() - one.time
    if one.state == "running" and silent > _SILENCE_NOTICE_S:
        return _("no update for {duration}").format(duration=duration(silent))
    return _(one.state)


class RunPage:
    """The page of one tournament or tuning, updated as it runs."""

    def __init__(self, sessions: GameSessions, one: RunStatus) -> None:
        self._sessions, self._one = sessions, one
        self._client = context.client

    def build(self) -> None:
        self._about = ui.label().mark("about")
        self._parts: list[Any] = []
        with ui.element("div").classes("tg-plots"):
            for name, _html in self._one.sections:
                with card(name):
                    self._parts.append(ui.html("", sanitize=False).style("width: 100%; overflow-x: auto"))
        with card(_("Games")):
            self._games = ui.element("div").classes("tg-list")
        self._show()
        if self._one.state == "running":
            self._timer = ui.timer(_POLL_INTERVAL_S, self._poll)

    async def _poll(self) -> None:
        now = await self._sessions.run_in_thread(run_status.find, self._one.kind, self._one.id)
        before = self._one
        if now is None or (now.time, now.state) == (before.time, before.state) or self._client.is_deleted:
            return
        if [name for name, _html in now.sections] != [name for name, _html in self._one.sections]:
            ui.navigate.reload()
            return
        self._one = now
        self._show()
        if now.state != "running":
            self._timer.deactivate()

    def _show(self) -> None:
        one = self._one
        self._about.set_text(f"{one.about} · {one.caption} · {describe_state(one)}")
        for part, (_name, html) in zip(self._parts, one.sections, strict=True):
            part.set_content(html)
        self._games.clear()
        with self._games:
            if not one.recent:
                note(_("Games of a tuning are not stored.") if one.kind == "tunings" else _("None yet"))
            for game in one.recent:
                link = ui.element("a").classes("tg-item").props(f'href="/analysis/{game["id"]}"')
                with link, ui.element("div").classes("tg-grow"):
                    ui.label(" – ".join(str(name) for name in game["players"]))
                    with ui.element("small"):
                        ui.label(
                            ngettext(
                                "{result} · {count} move · {reason}",
                                "{result} · {count} moves · {reason}",
                                game["moves"],
                            ).format(
                                result=game["result"], count=game["moves"], reason=translate(str(game["reason"]))
                            )
                        )


_EMPTY = {
    "tournaments": mark("Matches between engines, with standings and ratings that are updated after every game."),
    "tunings": mark("Searches for better settings of an engine, by many short games."),
}
_COMMANDS = {
    "tournaments": "tengen tournament cup.toml",
    "tunings": "tengen tune --help",
}


def _explain_first(kind: str) -> None:
    with ui.element("div").classes("tg-empty"):
        ui.label(_(_EMPTY[kind]))
        ui.label(_("Start one in a terminal and follow it here:"))
        with ui.element("code"):
            ui.label(_COMMANDS[kind])


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/arena")
    async def arena(visit: Visit) -> None:
        found = await sessions.run_in_thread(run_status.find_all)
        with page(visit, _("Arena"), "/arena"):
            for kind, title in (("tournaments", _("Tournaments")), ("tunings", _("Tuning"))):
                with card(title), ui.element("div").classes("tg-list"):
                    shown = [one for one in found if one.kind == kind]
                    for one in shown:
                        text = f"{one.about} · {one.caption} · {describe_state(one)}"
                        list_item(one.game, f"/arena/{one.kind}/{one.id}", one.name, text)
                    if not shown:
                        _explain_first(kind)

    @add_page(sessions, "/arena/{kind}/{identity}")
    async def one(visit: Visit, kind: str, identity: str) -> None:
        found = await sessions.run_in_thread(run_status.find, kind, identity)
        if found is None:
            raise TengenError(mark("there is no such tournament or tuning"))
        with page(visit, found.name, "/arena"):
            RunPage(sessions, found).build()
