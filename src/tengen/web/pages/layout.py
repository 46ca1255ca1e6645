"""The frame of all pages: registration, title, navigation, theme, visitor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from fastapi import Request, Response
from nicegui import Client, context, ui

from tengen.core.errors import TengenError
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.play.game_tree import MatchError
from tengen.play.player_lookup import user_name
from tengen.web.game_sessions import GameSessions
from tengen.web.head import head_html
from tengen.web.http_errors import status_of
from tengen.web.pages.navigation import build_navigation
from tengen.web.pages.page_language import set_page_language
from tengen.web.pages.shortcuts import build_shortcuts
from tengen.web.pages.widgets import heading, text_link
from tengen.web.preferences import Preferences
from tengen.web.visitor import Visitor
from tengen.web.visitor_language import visitor_language

_R = TypeVar("_R")
PAGE_TIMEOUT_S = 30.0  # generous: engines may keep the machine busy
NOTICE_DELAY_S = 1.0  # work that takes longer is announced
PREPARING = mark("Preparing (first time only)…")
PREPARING_BOARD = mark("Preparing the board (first time only)…")
_CONTENT_ID = "tg-content"
_visits: WeakKeyDictionary[Client, Visit] = WeakKeyDictionary()


@dataclass(frozen=True)
class Visit:
    """A request for a page: the visitor, their preferences, and the path."""

    sessions: GameSessions
    visitor: Visitor
    preferences: Preferences
    path: str = ""

    @classmethod
    def from_request(cls, sessions: GameSessions, request: Request) -> Visit:
        """Also sets language and theme, so that the page looks right while it loads."""
        visitor: Visitor = request.state.visitor
        visit = cls(sessions, visitor, Preferences.load(sessions.visitors, visitor.id), request.url.path)
        _visits[context.client] = visit
        set_page_language(context.client, visitor_language(visit.preferences, request.headers))
        ui.add_head_html(head_html(visit.preferences.theme))
        # In the page itself, which is this visitor's own copy: an element would be light until it is mounted.
        context.client.page.dark = {"auto": None, "light": False, "dark": True}[visit.preferences.theme]
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


PageBuilder = Callable[..., Coroutine[Any, Any, Response | None]]


def add_page(sessions: GameSessions, path: str) -> Callable[[PageBuilder], None]:
    """Decorator that registers `build(visit, …)` as a page; other parameters come from the path and the query.

    It may return a response, such as a redirect, instead of building content. A `TengenError` raised before any
    content is built is shown as a page.
    """

    def register(build: PageBuilder) -> None:
        async def show(request: Request, **given: Any) -> Response | None:
            visit = Visit.from_request(sessions, request)
            content = context.client.content.default_slot.children
            empty = len(content)
            try:
                return await build(visit, **given)
            except TengenError as error:
                if len(content) > empty:
                    raise
                show_unavailable(visit, error)
                return None

        _visit, *parameters = signature(build, eval_str=True).parameters.values()
        request = Parameter("request", Parameter.POSITIONAL_OR_KEYWORD, annotation=Request)
        show.__signature__ = Signature([request, *parameters])  # type: ignore[attr-defined]
        ui.page(path, response_timeout=PAGE_TIMEOUT_S)(show)

    return register


@contextmanager
def frame(visit: Visit, title: str, current: str = "", *, show_title: bool = False) -> Iterator[None]:
    """A page with its navigation; build the content within the block.

    The title is the page's heading, for screen readers only unless `show_title`. `current` is the path of the page
    that it belongs to, by default its own.
    """
    ui.page_title(f"{title} · Tengen" if title else "Tengen")
    with ui.element("a").classes("tg-skip").props(f'href="#{_CONTENT_ID}"'):
        ui.label(_("Skip to the content"))
    build_navigation(visit.visitor, current or visit.path)
    build_shortcuts()
    with ui.element("div").classes("tg-content").props(f'id="{_CONTENT_ID}" tabindex="-1"'):
        if not show_title:
            with ui.element("h1").classes("tg-sr"):
                ui.label(title or "Tengen")
        yield


@contextmanager
def page(visit: Visit, title: str, current: str = "") -> Iterator[None]:
    """A single-column page with its title as the heading."""
    with frame(visit, title, current, show_title=True), ui.element("div").classes("tg-page"):
        heading(title)
        yield


async def await_with_notice(work: Coroutine[Any, Any, _R], text: str = PREPARING_BOARD) -> _R:
    """Wait for data that a page needs. If it takes long, send the page with a notice first."""
    task = asyncio.ensure_future(work)
    done, _pending = await asyncio.wait({task}, timeout=NOTICE_DELAY_S)
    if done:
        return task.result()
    client = context.client
    with ui.element("div") as notice:
        build_navigation(_visits[client].visitor, _visits[client].path)
        with ui.element("div").classes("tg-page").props('role="status"'):
            with ui.element("h1").classes("tg-waiting"):
                ui.label(translate(text))
            for height in (120, 220, 160):
                ui.element("div").classes("tg-skeleton").style(f"height: {height}px")
    try:
        await client.connected(timeout=60)
        result = await task
    finally:
        if not client.is_deleted:
            notice.delete()
    if client.is_deleted:
        raise asyncio.CancelledError  # the visitor has left
    return result


def show_unavailable(visit: Visit, error: TengenError) -> None:
    """A page for something that does not exist or is not available now."""
    status = status_of(error)
    if isinstance(error, MatchError):
        status = 409  # it exists, but this is not possible now
    elif status not in (403, 429, 503):
        status = 404
    context.client.status_code = status
    with page(visit, _("Not found") if status == 404 else _("Not available")):
        ui.label(translate(str(error)))
        build_ways_out()


def build_ways_out() -> None:
    """Links for a visitor who found nothing on this page."""
    with ui.element("div").classes("tg-row"):
        text_link(_("Back to the home page"), "/", "tg-main-button")
        for path, text in (("/new", _("New game")), ("/library", _("Library"))):
            text_link(text, path, "tg-link-button")
