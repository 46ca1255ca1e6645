"""Who is let in: every request passes here, of pages, of their sockets and of the API.

A server on the loopback address can be reached by any page in the user's browser, so being local is no proof of
anything. The Host header must be a name that this server goes by (a page elsewhere may let its own name point to
127.0.0.1: DNS rebinding), and requests that a page of another origin sends are refused. A server on any other
address also asks for a token. Who has shown it gets a *pass*: a cookie that is made from a secret of the server's,
so that it cannot be guessed as a token can, and holds for that browser only. Wrong guesses cost time (`guesses`).
"""

from __future__ import annotations

import hashlib
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

from tengen.web.guesses import Guesses

LARGEST_BODY = 8 * 1024 * 1024  # bytes of a request: a large collection of games
BROWSER, PASS = "tengen-browser", "tengen-pass"  # cookies
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


def is_at_home(client: tuple[str, int] | None) -> bool:
    """Whether a request comes from this machine; a proxy here tells whose it passes on (X-Forwarded-For)."""
    return client is not None and is_loopback(client[0].removeprefix("::ffff:"))


class Guard:
    """Checks Host, Origin, size and token; knows each browser by a cookie, which is in `request.state.browser`."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        address: str = "127.0.0.1",
        names: Iterable[str] = (),
        token: str | None = None,
        secret: bytes | None = None,
        guesses: Guesses | None = None,
        largest_body: int = LARGEST_BODY,
    ) -> None:
        """Passes hold as long as the `secret` and the token are the same; without one, for this server's life."""
        self._app = app
        self._names = _LOOPBACK | {name.lower() for name in names}
        self._any_address = not is_loopback(address)  # a number cannot be rebound to another machine
        self._token = token
        self._secret = secret or secrets.token_bytes(32)
        self._guesses = guesses or Guesses()
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
        known = cookies.get(BROWSER, "")
        browser = known if len(known) == 32 and known.isalnum() else secrets.token_hex(16)
        if self._token is not None and not _same(cookies.get(PASS, ""), self._pass_of(browser)):
            answered = await self._ask(scope, receive, headers, browser)
            if answered is not None:
                await self._refuse(scope, receive, send, answered)
                return
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

    def _pass_of(self, browser: str) -> str:
        """What a browser that has shown the token shows from then on."""
        about = f"{self._token}\n{browser}".encode()
        return hmac.new(self._secret, about, hashlib.sha256).hexdigest()

    async def _ask(self, scope: Scope, receive: Receive, headers: Headers, browser: str) -> Response | None:
        """Let somebody in who shows the token: a program, which gets None, or a browser, which gets a pass."""
        asked = quote(scope["path"])
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if scope["type"] == "http" and scope["path"] == "/login" and scope["method"] == "POST":
            body = parse_qs((await _body(receive, 4096)).decode("utf-8", "replace"))
            given, asked = body.get("token", [""])[0], body.get("to", ["/"])[0]
        address = (scope.get("client") or ("", 0))[0]
        wait = self._guesses.wait(address)
        if wait:
            return self._answer(headers, asked, f"There were too many wrong tokens: wait {_long(wait)}.", wait)
        assert self._token is not None
        if bearer and _same(bearer, self._token):
            return None
        if given and _same(given, self._token):
            target = asked if asked.startswith("/") and not asked.startswith(("//", "/\\")) else "/"
            response: Response = RedirectResponse(target, 303)
            response.headers.append("set-cookie", _cookie(BROWSER, browser))
            response.headers.append("set-cookie", _cookie(PASS, self._pass_of(browser)))
            return response
        if not bearer and not given:
            return self._answer(headers, asked, "")
        self._guesses.wrong(address)
        wait = self._guesses.wait(address)
        again = f" The next try is in {_long(wait)}." if wait else ""
        return self._answer(headers, asked, f"That is not the token.{again}")

    def _answer(self, headers: Headers, asked: str, problem: str, wait: int = 0) -> Response:
        """Nobody is let in yet; with how many seconds to wait, if that is why."""
        more = {"retry-after": str(wait)} if wait else {}
        if "text/html" not in headers.get("accept", ""):
            words = problem or "a token is needed: send it as Authorization: Bearer …"
            return PlainTextResponse(words, 429 if wait else 401, more)
        return HTMLResponse(_LOGIN.format(to=escape(asked), wrong=problem), 429 if wait else 401, more)

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


def _same(given: str, wanted: str) -> bool:
    """Whether two texts are equal, in a time that does not tell how far."""
    return hmac.compare_digest(given.encode(), wanted.encode())


def _long(seconds: int) -> str:
    if seconds >= 120:
        return f"{-(-seconds // 60)} minutes"
    return "a second" if seconds == 1 else f"{seconds} seconds"


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
