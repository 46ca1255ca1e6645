"""The language of a visitor: their preference, or else that of their browser. The API answers in English."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from tengen.core.translation import LANGUAGES, negotiate, use_language
from tengen.web.preferences import Preferences


def visitor_language(preferences: Preferences, headers: Headers) -> str:
    """The language that a visitor has chosen, or else that of their browser."""
    if preferences.language in LANGUAGES:
        return preferences.language
    return negotiate(headers.get("accept-language", ""))


class LanguageMiddleware:
    """Translates what is sent outside pages, such as the login form, into the browser's language."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith("/api"):
            await self._app(scope, receive, send)
            return
        with use_language(negotiate(Headers(scope=scope).get("accept-language", ""))):
            await self._app(scope, receive, send)
