"""The page of one run of the arena, updated as it is played."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from fastapi import FastAPI, Request, Response
from nicegui import context, ui

from tengen.app import arena_document
from tengen.app.arena_queue import RunView
from tengen.core.errors import TengenError
from tengen.core.locale_format import number
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate, use_language
from tengen.jobs.progress import duration
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.arena import KINDS, POLL_INTERVAL_S, meter_html, state_chip
from tengen.web.pages.arena_games import GamesPanel
from tengen.web.pages.layout import Visit, add_page, page
from tengen.web.pages.library import refused
from tengen.web.pages.widgets import (
    button,
    card,
    confirm,
    copy_text,
    errors_shown,
    note,
    table_row,
    text_link,
)
from tengen.web.permissions import check_arena
from tengen.web.preferences import Preferences
from tengen.web.visitor_language import visitor_language

_MIN_RATE_S = 10.0  # before the rate is shown
_WHOLE = (
    mark("Result"),
    mark("Variants"),
    mark("Standings"),
    mark("Who beat whom"),
)  # sections as wide as the page


class RunPage:
    """A run with its figures, plots, workers and games, and what its owner may do with it."""

    def __init__(self, visit: Visit, view: RunView) -> None:
        self._visit = visit
        self._queue = visit.sessions.arena
        self._view = view
        self._client = context.client
        self._first = (time.monotonic(), view.status.done)
        self._key = view.status.kind, view.status.id

    async def build(self) -> None:
        with card():
            with ui.element("div").classes("tg-run-head"):
                self._chip = ui.element("span")
                self._about = ui.label().mark("about")
            self._meter = ui.html("", sanitize=False).style("width: 100%")
            self._caption = ui.label().classes("tg-outcome").props('role="status"').mark("caption")
            self._rate = note("")
            self._figures = ui.element("div").classes("tg-run-figures")
            self._actions = ui.element("div").classes("tg-row")
        self._plots = ui.element("div").classes("tg-plots")
        self._parts: dict[str, Any] = {}
        with card(_("Workers")) as self._workers_card:
            self._workers = ui.element("div").style("width: 100%; overflow-x: auto")
        with card(_("Games")):
            self._games = GamesPanel(self._queue, *self._key)
            await self._games.build()
        self._show()
        ui.timer(POLL_INTERVAL_S, self._poll)

    async def _poll(self) -> None:
        try:
            now = await self._queue.view(*self._key)
        except TengenError:  # it was removed
            return
        if self._client.is_deleted:
            return
        before, self._view = self._view, now
        if now != before:
            self._show(before)
            if now.status.done != before.status.done:
                await self._games.update()

    # ---- display

    def _show(self, before: RunView | None = None) -> None:
        view, status = self._view, self._view.status
        if before is None or before.state != view.state:
            self._chip.clear()
            with self._chip:
                state_chip(view)
            self._build_actions()
            self._first = (time.monotonic(), status.done)
        self._about.set_text(f"{_(KINDS[status.kind])} · {status.about}")
        self._meter.set_content(meter_html(view, wide=True))
        is_over = view.state in ("finished", "failed") and view.note
        self._caption.set_text(translate(view.note) if is_over else status.caption)
        is_preparing = not status.done and view.state in ("waiting", "running")
        self._rate.set_text(
            _("The first results take longer: engines are prepared.") if is_preparing else self._describe_rate()
        )
        self._figures.clear()
        with self._figures:
            for name, value in () if view.is_empty else status.figures:
                main, _parenthesis, interval = value.partition(" (")
                with ui.element("div"):
                    with ui.element("small"):
                        ui.label(_(name))
                    with ui.element("b"):
                        ui.label(main)
                    if interval:
                        with ui.element("small"):
                            ui.label(interval.removesuffix(")").replace(", ", " … "))
        self._show_sections({} if view.is_empty else dict(status.sections))
        self._show_workers()

    def _show_sections(self, sections: dict[str, str]) -> None:
        """Update the tables and plots; build them again only if there are others."""
        if list(sections) != list(self._parts):
            self._plots.clear()
            self._parts.clear()
            with self._plots:
                for name in sections:
                    with card(_(name)) as section:
                        if name in _WHOLE:
                            section.classes("tg-whole")
                        self._parts[name] = ui.html("", sanitize=False).style("width: 100%; overflow-x: auto")
        for name, html in sections.items():
            self._parts[name].set_content(html)

    def _describe_rate(self) -> str:
        """Games a minute and the time left, as seen by this page."""
        status, (since, done) = self._view.status, self._first
        passed = time.monotonic() - since
        if self._view.state != "running" or passed < _MIN_RATE_S or status.done <= done:
            return ""
        rate = (status.done - done) / passed
        text = _("{rate} a minute").format(rate=number(round(60 * rate, 1)))
        if status.total:
            left = duration((status.total - status.done) / rate)
            text += " · " + _("at most {duration} left").format(duration=left)
        return text

    def _show_workers(self) -> None:
        rows = self._view.status.workers
        is_running = self._view.state == "running"
        self._workers_card.set_visibility(bool(rows) and (is_running or any(row["lost"] for row in rows)))
        self._workers.clear()
        with self._workers, ui.element("table").classes("tg-pairs"):
            heads = (mark("worker"), mark("tasks"), mark("a minute"), mark("lost"), mark("state"))
            table_row(*(_(head) for head in heads), tag="th")
            for row in rows:
                rate = 60 * row["calls"] / row["seconds"] if row["seconds"] else 0.0
                state = _("working") if row["is_alive"] and is_running else _("gone")
                table_row(row["name"], number(row["calls"]), number(round(rate, 1)), number(row["lost"]), state)

    # ---- actions

    def _build_actions(self) -> None:
        view = self._view
        kind, identity = self._key
        address = f"/arena/{kind}/{identity}"
        self._actions.clear()
        with self._actions:
            if self._visit.visitor.is_owner:
                if view.queued is not None and view.queued.is_active:
                    button(_("Stop"), partial(self._act, self._queue.stop), "stop", main=True)
                elif view.queued is not None and view.state in ("stopped", "failed"):
                    button(_("Resume"), partial(self._act, self._queue.resume), "play_arrow", main=True)
                if view.queued is None and view.state == "running":
                    note(_("Started in a terminal, and stopped there."))
                if view.queued is not None:
                    button(
                        _("Change and start"),
                        partial(ui.navigate.to, f"/arena/new?copy={kind}-{identity}"),
                        "edit",
                    )
                button(_("Share"), self._share, "share")
            text_link(_("Print or save"), f"{address}.html", "tg-link-button")
            text_link(_("Data"), f"{address}.json", "tg-link-button")
            if self._visit.visitor.is_owner and view.state not in ("running", "waiting"):
                button(_("Remove"), self._remove, "delete")

    async def _act(self, action: Any) -> None:
        with errors_shown():
            check_arena(self._visit.visitor)
            await action(*self._key)
            await self._poll()

    async def _remove(self) -> None:
        if not await confirm(_("Remove this run? Its games stay in the library."), _("Remove")):
            return
        with errors_shown():
            check_arena(self._visit.visitor)
            await self._queue.remove(*self._key)
            ui.navigate.to("/arena")

    async def _share(self) -> None:
        with errors_shown():
            check_arena(self._visit.visitor)
            token = await self._visit.sessions.run_in_thread(arena_document.share, *self._key)
            await copy_text(
                f"location.origin + '/shared/{token}'", _("The link is copied: whoever has it can read this page.")
            )


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/arena/{kind}/{identity}")
    async def one(visit: Visit, kind: str, identity: str) -> None:
        view = await sessions.arena.view(kind, identity)
        with page(visit, view.status.name, "/arena"):
            await RunPage(visit, view).build()


def serve_documents(app: FastAPI, sessions: GameSessions) -> None:
    """Serve results as pages to print or save, as data, and to people who have a link."""

    async def document(request: Request, kind: str, identity: str, links: str) -> Response:
        language = visitor_language(Preferences.load(sessions.visitors, request.state.visitor.id), request.headers)
        with use_language(language):
            view = await sessions.arena.view(kind, identity)
            games = await sessions.arena.games(kind, identity)
            html = await sessions.run_in_thread(arena_document.to_html, view, games, links)
        return Response(html, media_type="text/html; charset=utf-8")

    @app.get("/arena/{kind}/{identity}.html", include_in_schema=False)
    async def page_to_print(request: Request, kind: str, identity: str) -> Response:
        try:
            return await document(request, kind, identity, str(request.base_url).rstrip("/"))
        except TengenError as error:
            return refused(error)

    @app.get("/arena/{kind}/{identity}.json", include_in_schema=False)
    async def data(kind: str, identity: str) -> Response:
        try:
            view = await sessions.arena.view(kind, identity)
            games = await sessions.arena.games(kind, identity)
            headers = {"content-disposition": f'attachment; filename="tengen-{kind}-{identity[:8]}.json"'}
            return Response(arena_document.to_json(view, games), media_type="application/json", headers=headers)
        except TengenError as error:
            return refused(error)

    @app.get("/shared/{token}", include_in_schema=False)
    async def shared(request: Request, token: str) -> Response:
        found = await sessions.run_in_thread(arena_document.shared, token)
        try:
            if found is None:
                raise TengenError(mark("this link is not valid any more"))
            return await document(request, *found, "")
        except TengenError as error:
            return refused(error)
