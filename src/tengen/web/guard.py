"""Who is let in: every request passes here, of pages, of their sockets and of the API.

A server on the loopback address can be reached by any page in the user's browser, so being local is no proof of
anything. The Host header must be a name that this server goes by (a page elsewhere may let its own name point to
127.0.0.1: DNS rebinding), and requests that a page of another origin sends are refused. A server on any other
address also asks for a token.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Iterable
from contextlib import suppress
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 8 * 1024 * 1024  # bytes of a request: a large collection of games
BROWSER, TOKEN = "tengen-browser", "tengen-token"  # cookies
_YEAR = 365 * 24 * 3600
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})

_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    # Vue compiles the templates of components in the browser, hence unsafe-eval; nothing comes from elsewhere.
    "content-security-policy": "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; media-src 'self'; "
    "connect-src 'self' ws: wss:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
}


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach a server at this address."""
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return address.lower() == "localhost"


class Guard:
    """Checks Host, Origin, size and token; knows each browser by a cookie, which is in `request.state.browser`."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        address: str = "127.0.0.1",
        names: Iterable[str] = (),
        token: str | None = None,
        largest_body: int = LARGEST_BODY,
    ) -> None:
        self._app = app
        self._names = _LOOPBACK | {name.lower() for name in names}
        self._any_address = not is_loopback(address)  # a number cannot be rebound to another machine
        self._token = token
        self._largest = largest_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        problem = self._problem(headers)
        if problem:
            await self._refuse(scope, receive, send, PlainTextResponse(problem, 403))
            return
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._largest:
            await self._refuse(scope, receive, send, PlainTextResponse(self._too_large(), 413))
            return
        cookies = _cookies(headers)
        if self._token is not None and not self._knows(headers, cookies):
            await self._refuse(scope, receive, send, await self._ask(scope, receive, headers))
            return
        known = cookies.get(BROWSER, "")
        browser = known if len(known) == 32 and known.isalnum() else secrets.token_hex(16)
        scope.setdefault("state", {})["browser"] = browser
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return

        body = _Body(receive, self._largest)

        async def answer(message: Message) -> None:
            if body.is_too_large:
                return  # whatever the app makes of a request that broke off: it is answered below
            if message["type"] == "http.response.start":
                found = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    found.setdefault(name, value)
                if browser != known:
                    found.append("set-cookie", _cookie(BROWSER, browser))
            await send(message)

        with suppress(_TooLarge):
            await self._app(scope, body, answer)
        if body.is_too_large:
            await PlainTextResponse(self._too_large(), 413)(scope, receive, send)

    def _too_large(self) -> str:
        return f"a request may have {self._largest:,} bytes, not more"

    def _problem(self, headers: Headers) -> str:
        host = headers.get("host", "")
        if not self._is_mine(host):
            return f"this server does not go by the name {host!r}"
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return "pages of other sites may not use this server"
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return "pages of other sites may not use this server"
        return ""

    def _is_mine(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self._names or f"[{name}]" in self._names:
            return True
        if not self._any_address:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    # ---- the token

    def _knows(self, headers: Headers, cookies: dict[str, str]) -> bool:
        return self._fits(cookies.get(TOKEN, "")) or self._fits(
            headers.get("authorization", "").removeprefix("Bearer ")
        )

    def _fits(self, given: str) -> bool:
        return self._token is not None and hmac.compare_digest(given.encode(), self._token.encode())

    async def _ask(self, scope: Scope, receive: Receive, headers: Headers) -> Response:
        """Let somebody in who has the token in the address or types it; otherwise ask for it."""
        path = quote(scope["path"])
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        wrong = bool(given)
        if scope["type"] == "http" and scope["path"] == "/login" and scope["method"] == "POST":
            body = parse_qs((await _body(receive, 4096)).decode("utf-8", "replace"))
            given, path, wrong = body.get("token", [""])[0], body.get("to", ["/"])[0], True
        if self._fits(given):
            target = path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"
            response: Response = RedirectResponse(target, 303)
            response.headers.append("set-cookie", _cookie(TOKEN, given))
            return response
        if "text/html" not in headers.get("accept", ""):
            return PlainTextResponse("a token is needed: send it as Authorization: Bearer …", 401)
        return HTMLResponse(_LOGIN.format(to=escape(path), wrong="That is not the token." if wrong else ""), 401)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, response: Response) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await response(scope, receive, send)


class _TooLarge(Exception):
    """A body that got longer than it may be."""


class _Body:
    """A request that breaks off when its body gets too long: who sends in pieces gives no length beforehand."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._left = most
        self.is_too_large = False

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            self.is_too_large = True
            raise _TooLarge
        return message


async def _body(receive: Receive, most: int) -> bytes:
    found = b""
    while len(found) <= most:
        message = await receive()
        found += message.get("body", b"")
        if not message.get("more_body"):
            break
    return found[:most]


def _cookies(headers: Headers) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(headers.get("cookie", "")).items()}
    except CookieError:
        return {}


def _cookie(name: str, value: str) -> str:
    return f"{name}={value}; Max-Age={_YEAR}; Path=/; HttpOnly; SameSite=Lax"


_LOGIN = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tengen</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{{font-family:system-ui,sans-serif;display:grid;place-items:center;min-height:90vh;background:#f3f2ee}}
form{{background:#fff;padding:28px;border-radius:12px;border:1px solid #dedbd3;display:grid;gap:12px;width:300px}}
input,button{{font:inherit;padding:10px;border-radius:8px;border:1px solid #bbb}}
button{{background:#2a6fbb;color:#fff;border:0;font-weight:600}}</style></head><body>
<form method="post" action="/login"><b>Tengen</b>
<label for="token">The token that this server was started with</label>
<input id="token" name="token" type="password" autofocus autocomplete="current-password">
<input type="hidden" name="to" value="{to}"><span style="color:#b3480a">{wrong}</span>
<button>Come in</button></form></body></html>"""
