"""Common parts of all pages: header, theme, visitor, notifications, error pages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, TypeVar

from fastapi import Request, Response
from fastapi.responses import HTMLResponse
from nicegui import app, context, ui

from tengen.core.errors import TengenError
from tengen.games import records
from tengen.play.player_lookup import user_name
from tengen.web.game_sessions import GameSessions
from tengen.web.http_errors import retry_header, status_of
from tengen.web.icons import BRAND
from tengen.web.preferences import Preferences
from tengen.web.visitor import Visitor

_R = TypeVar("_R")
PAGE_TIMEOUT_S = 30.0  # generous: engines may keep the machine busy
NOTICE_DELAY_S = 1.0  # work that takes longer is announced
PREPARING = "Preparing (first time only)…"
PREPARING_BOARD = "Preparing the board (first time only)…"
STATIC = Path(__file__).parent.parent / "static"
_NAVIGATION = (
    ("/", "Home"),
    ("/new", "New game"),
    ("/analysis", "Analyse"),
    ("/puzzles", "Puzzles"),
    ("/library", "Library"),
    ("/players", "Players"),
    ("/explorer", "Explorer"),
    ("/books", "Books"),
    ("/drills", "Drills"),
    ("/clobber", "Clobber"),
    ("/pente", "Pente"),
    ("/arena", "Arena"),
    ("/demo", "Demo"),
    ("/options", "Options"),
)


@dataclass(frozen=True)
class Visit:
    """A request for a page: the visitor and their preferences."""

    sessions: GameSessions
    visitor: Visitor
    preferences: Preferences

    @classmethod
    def from_request(cls, sessions: GameSessions, request: Request) -> Visit:
        """Also sets the theme, so that the page looks right while it loads."""
        visitor: Visitor = request.state.visitor
        visit = cls(sessions, visitor, Preferences.load(sessions.visitors, visitor.id))
        style = STATIC / "tengen.css"
        ui.add_head_html(f'<link rel="stylesheet" href="/static/tengen.css?{style.stat().st_mtime_ns}">')
        ui.dark_mode({"auto": None, "light": False, "dark": True}[visit.preferences.theme])
        ui.colors(primary="#2a6fbb", secondary="#5b6470", accent="#d9822b", negative="#b3480a", warning="#b87400")
        return visit

    @property
    def browser(self) -> str:
        """The id under which the visitor's seats and preferences are stored."""
        return self.visitor.id

    @property
    def may_edit_books(self) -> bool:
        return self.visitor.is_owner

    @property
    def name(self) -> str:
        """The visitor's display name."""
        return self.visitor.name or self.preferences.name or user_name()


def _navigation(visitor: Visitor) -> tuple[tuple[str, str], ...]:
    if visitor.account_id is not None:
        return (*_NAVIGATION, ("/accounts", "Account"))
    return _NAVIGATION


@contextmanager
def frame(visit: Visit, title: str, current: str = "") -> Iterator[None]:
    """A page with its header; build the content within the block."""
    ui.page_title(f"{title} · Tengen" if title else "Tengen")
    with ui.element("header").classes("tg-header"):
        with ui.element("a").classes("tg-brand").props('href="/" aria-label="Tengen, home"'):
            ui.html(BRAND, sanitize=False)
            with ui.element("span"):
                ui.label("Tengen")
        with ui.element("nav").classes("tg-nav").props('aria-label="Pages"'):
            for target, name in _navigation(visit.visitor):
                link = ui.element("a").props(f'href="{target}"')
                if target == current:
                    link.classes("tg-current").props('aria-current="page"')
                with link:
                    ui.html(name, sanitize=False)
    if current:  # on a phone it may be scrolled out of view
        ui.run_javascript(
            "document.querySelector('.tg-current').scrollIntoView({inline: 'center', block: 'nearest'})"
        )
    with ui.element("div").style("width: 100%"):
        yield


@contextmanager
def page(visit: Visit, title: str, current: str = "") -> Iterator[None]:
    """A single-column page with its title as the heading."""
    with frame(visit, title, current), ui.element("div").classes("tg-page"):
        heading(title)
        yield


def heading(text: str, level: int = 1) -> None:
    with ui.element(f"h{level}"):
        ui.label(text)


@contextmanager
def card(title: str = "") -> Iterator[ui.element]:
    with ui.element("section").classes("tg-card") as section:
        if title:
            heading(title, 2)
        yield section


def show_error(error: TengenError | str) -> None:
    """Show an error as a notification. The text is never interpreted as HTML."""
    ui.notify(str(error), type="negative", position="top", close_button="✕", timeout=7000)


def show_message(text: str) -> None:
    ui.notify(text, color="dark", position="top", timeout=3500)


async def await_with_notice(work: Coroutine[Any, Any, _R], text: str = PREPARING_BOARD) -> _R:
    """Wait for data that a page needs. If it takes long, send the page with a notice first."""
    task = asyncio.ensure_future(work)
    done, _ = await asyncio.wait({task}, timeout=NOTICE_DELAY_S)
    if done:
        return task.result()
    client = context.client
    with ui.element("div").classes("tg-page") as notice, ui.element("div").classes("tg-row"):
        ui.spinner(size="lg")
        ui.label(text)
    try:
        await client.connected(timeout=60)
        result = await task
    finally:
        if not client.is_deleted:
            notice.delete()
    if client.is_deleted:
        raise asyncio.CancelledError  # the visitor has left
    return result


def register_error_pages() -> None:
    """Show an error page instead of a traceback when a page cannot be built. Call it once per process."""

    @app.exception_handler(TengenError)
    async def explain(_: Request, error: TengenError) -> Response:
        status = status_of(error)
        return HTMLResponse(_ERROR_PAGE.format(escape(str(error))), status, retry_header(status))


_ERROR_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tengen</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta http-equiv="refresh" content="5">
<link rel="stylesheet" href="/static/tengen.css"></head><body><main class="tg-page" role="alert">
<h1>This page is not available</h1><p>{}</p><p>Retrying in a few seconds.</p>
<p><a href="/">Back to the home page</a></p></main></body></html>"""


def show_unavailable(visit: Visit, error: TengenError) -> None:
    """A page for something that does not exist or is not available now."""
    status = status_of(error)
    if status in (429, 503):
        context.client.status_code = status
    with page(visit, "Not available" if status in (429, 503) else "Not found"):
        ui.label(str(error))
        ui.link("Back to the home page", "/")


def chip(text: str, act: Callable[[], Any]) -> ui.button:
    """A small button for a common choice."""
    return ui.button(text, on_click=act).props("outline no-caps dense color=primary").classes("tg-choice")


def button(text: str, act: Callable[[], Any], icon: str = "", *, main: bool = False, **props: str) -> ui.button:
    """A button in the app's style."""
    made = ui.button(text, on_click=act, icon=icon or None)
    made.props("unelevated no-caps" if main else "flat no-caps").props("color=primary")
    for name, value in props.items():
        made.props(f'{name.replace("_", "-")}="{value}"')
    return made


async def confirm(question: str, yes: str) -> bool:
    """Ask for confirmation."""
    with ui.dialog() as dialog, ui.card():
        ui.label(question)
        with ui.row():
            button(yes, lambda: dialog.submit(True), main=True)
            button("Cancel", lambda: dialog.submit(False))
    return bool(await dialog)


def prop_text(text: str | None) -> str:
    """Text for a prop, which NiceGUI parses between double quotes."""
    return (text or "").replace("\\", "\\\\").replace('"', "'")


def download_formats(game: str) -> list[str]:
    """The formats offered for download: SGF, if it supports the game, and text."""
    return [name for name in ("sgf", "text") if records.format_named(name).holds(game)]
