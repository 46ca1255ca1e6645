"""Pages for addresses that do not exist and for pages that cannot be built."""

from __future__ import annotations

import logging
from html import escape

from fastapi import Request, Response
from fastapi.exception_handlers import http_exception_handler
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, PlainTextResponse
from nicegui import Client, app, ui
from starlette.exceptions import HTTPException

from tengen.core.errors import TengenError
from tengen.core.translation import gettext as _
from tengen.core.translation import language, translate
from tengen.web.game_sessions import GameSessions
from tengen.web.head import stylesheet_url
from tengen.web.http_errors import retry_header, status_of
from tengen.web.pages.layout import Visit, build_ways_out, page

_log = logging.getLogger(__name__)


def register(sessions: GameSessions) -> None:
    """Replace NiceGUI's error pages. Call it once per process."""

    @app.exception_handler(404)
    async def not_found(request: Request, error: Exception) -> Response:
        endpoint = request.scope.get("endpoint")
        if endpoint not in (None, app) and isinstance(error, HTTPException):
            return await http_exception_handler(request, error)  # a route without a page answered so
        return show_not_found(request)

    @app.exception_handler(RequestValidationError)
    async def wrong_query(request: Request, _error: Exception) -> Response:
        return show_not_found(request)

    def show_not_found(request: Request) -> Response:
        if "text/html" not in request.headers.get("accept", ""):
            return PlainTextResponse("Not found", 404)
        with Client(ui.page(""), request=request) as client:
            visit = Visit.from_request(sessions, request)
            with page(visit, _("This page does not exist")):
                ui.label(_("The address is wrong, or what was here has been deleted."))
                build_ways_out()
        return client.build_response(request, 404)

    @app.exception_handler(TengenError)
    async def explain(_request: Request, error: TengenError) -> Response:
        status = status_of(error)
        header = retry_header(status)
        return HTMLResponse(_unavailable_page(translate(str(error)), retry=bool(header)), status, header)

    @app.exception_handler(Exception)
    async def report(request: Request, error: Exception) -> Response:
        if not request.scope.get("nicegui_page_path"):
            raise error
        _log.error("page %s failed", request.url.path, exc_info=error)
        text = _("This is a fault of the program. The log of the server has the details.")
        return HTMLResponse(_unavailable_page(text, retry=False), 500)


def _unavailable_page(text: str, *, retry: bool) -> str:
    """A page that needs neither the database nor a connection to the server."""
    refresh = '<meta http-equiv="refresh" content="5">' if retry else ""
    retrying = f"<p>{escape(_('Retrying in a few seconds.'))}</p>" if retry else ""
    return (
        f'<!doctype html><html lang="{language()}"><head><meta charset="utf-8"><title>Tengen</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{refresh}'
        f'<link rel="stylesheet" href="{stylesheet_url()}"></head><body class="body--light">'
        f'<main class="tg-page" role="alert"><h1>{escape(_("This page is not available"))}</h1>'
        f"<p>{escape(text)}</p>{retrying}"
        f'<p><a href="/">{escape(_("Back to the home page"))}</a></p></main></body></html>'
    )
