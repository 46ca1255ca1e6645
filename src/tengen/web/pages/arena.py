"""The arena: running and finished tournaments and tunings, with standings, plots and games."""

from __future__ import annotations

import time
from typing import Any

from fastapi import Request
from nicegui import context, ui

from tengen.arena import run_status
from tengen.arena.run_status import RunStatus
from tengen.core.errors import TengenError
from tengen.jobs.progress import duration
from tengen.web.game_sessions import GameSessions
from tengen.web.icons import drawing
from tengen.web.pages.layout import PAGE_TIMEOUT_S, Visit, card, page, show_unavailable

_POLL_INTERVAL_S = 2.0
_SILENCE_NOTICE_S = 600.0  # mention it if there was no update for this long
_HOW = "tengen tournament cup.toml"


def describe_state(one: RunStatus) -> str:
    """The state of a run in a few words."""
    silent = time.time() - one.time
    if one.state == "running" and silent > _SILENCE_NOTICE_S:
        return f"no update for {duration(silent)}"
    return one.state


def _list_run(one: RunStatus) -> None:
    with ui.element("a").classes("tg-item").props(f'href="/arena/{one.kind}/{one.id}"'):
        ui.html(drawing(one.game), sanitize=False)
        with ui.element("div").classes("tg-grow"):
            ui.label(one.name)
            with ui.element("small"):
                ui.label(f"{one.about} · {one.caption} · {describe_state(one)}")


class RunPage:
    """The page of one tournament or tuning, updated as it runs."""

    def __init__(self, sessions: GameSessions, one: RunStatus) -> None:
        self._sessions, self._one = sessions, one
        self._client = context.client

    def build(self) -> None:
        self._about = ui.label().mark("about")
        self._parts: list[Any] = []
        with ui.element("div").classes("tg-plots"):
            for name, _ in self._one.sections:
                with card(name):
                    self._parts.append(ui.html("", sanitize=False).style("width: 100%; overflow-x: auto"))
        with card("Games"):
            self._games = ui.element("div").classes("tg-list")
        self._show()
        if self._one.state == "running":
            self._timer = ui.timer(_POLL_INTERVAL_S, self._poll)

    async def _poll(self) -> None:
        now = await self._sessions.run_in_thread(run_status.find, self._one.kind, self._one.id)
        before = self._one
        if now is None or (now.time, now.state) == (before.time, before.state) or self._client.is_deleted:
            return
        if [name for name, _ in now.sections] != [name for name, _ in self._one.sections]:
            ui.navigate.reload()
            return
        self._one = now
        self._show()
        if now.state != "running":
            self._timer.deactivate()

    def _show(self) -> None:
        one = self._one
        self._about.set_text(f"{one.about} · {one.caption} · {describe_state(one)}")
        for part, (_, html) in zip(self._parts, one.sections, strict=True):
            part.set_content(html)
        self._games.clear()
        with self._games:
            if not one.recent:
                ui.label("Games of a tuning are not stored." if one.kind == "tunings" else "None yet").classes(
                    "tg-quiet"
                )
            for game in one.recent:
                link = ui.element("a").classes("tg-item").props(f'href="/analysis/{game["id"]}"')
                with link, ui.element("div").classes("tg-grow"):
                    ui.label(" – ".join(str(name) for name in game["players"]))
                    with ui.element("small"):
                        ui.label(f"{game['result']} · {game['moves']} moves · {game['reason']}")


def register(sessions: GameSessions) -> None:
    @ui.page("/arena", response_timeout=PAGE_TIMEOUT_S)
    async def arena(request: Request) -> None:
        visit = Visit.from_request(sessions, request)
        found = await sessions.run_in_thread(run_status.find_all)
        with page(visit, "Arena", "/arena"):
            for kind, title in (("tournaments", "Tournaments"), ("tunings", "Tuning")):
                with card(title), ui.element("div").classes("tg-list"):
                    shown = [one for one in found if one.kind == kind]
                    for one in shown:
                        _list_run(one)
                    if not shown:
                        ui.label("None yet").classes("tg-quiet")
            ui.label(f"Start one from a terminal: {_HOW}").classes("tg-quiet")

    @ui.page("/arena/{kind}/{identity}", response_timeout=PAGE_TIMEOUT_S)
    async def one(request: Request, kind: str, identity: str) -> None:
        visit = Visit.from_request(sessions, request)
        found = await sessions.run_in_thread(run_status.find, kind, identity)
        if found is None:
            show_unavailable(visit, TengenError("there is no such tournament or tuning"))
            return
        with page(visit, found.name, "/arena"):
            RunPage(sessions, found).build()
