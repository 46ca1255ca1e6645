"""The guard: every request passes here, of pages, of their sockets and of the API.

A server on the loopback address can be reached by any page in the user's browser, so being local is no proof of
anything. The Host header must be a name that this server goes by (a page elsewhere may let its own name point to
127.0.0.1: DNS rebinding), and requests that a page of another origin sends are refused. A gate then decides who is
let in (`gate`, `token_gate`, `account_gate`). Every answer gets the security headers.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tengen.core.resource_limits import resource_limits
from tengen.store.errors import StoreError
from tengen.web.authentication import BROWSER, Authenticated, Authenticator, OpenAuthenticator
from tengen.web.forwarding import ClientRequest, TrustedProxies, is_at_home, is_loopback
from tengen.web.visitor import Role, Visitor

__all__ = ["BROWSER", "SecurityMiddleware", "is_at_home", "is_loopback"]

SOCKET_CHECK_S = 20.0  # an open socket whose session was revoked is closed within this time
DISCARDED_BODIES = 4  # of a body that is too large, this many times the limit is read before it is refused
DISCARD_TIMEOUT_S = 10.0
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_POLICY_VIOLATION = 1008  # the code that a refused socket is closed with
_log = logging.getLogger(__name__)

_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    # Vue compiles the templates of components in the browser, hence unsafe-eval; nothing comes from elsewhere.
    "content-security-policy": "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; media-src 'self'; "
    "connect-src 'self' ws: wss:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
}


class SecurityMiddleware:
    """Checks Host, Origin and size, then authenticates. Sets `visitor` and `browser` in `request.state`."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        address: str = "127.0.0.1",
        names: Iterable[str] = (),
        proxies: Iterable[str] = (),
        authenticator: Authenticator | None = None,
        largest_body: int | None = None,
        socket_check_s: float = SOCKET_CHECK_S,
    ) -> None:
        """`names` are those that the server goes by; `proxies` are addresses whose X-Forwarded-* is believed."""
        self._app = app
        self._names = _LOOPBACK | {name.lower() for name in names}
        self._any_address = not is_loopback(address)  # a number cannot be rebound to another machine
        self._proxies = TrustedProxies(proxies)
        self._authenticator: Authenticator = authenticator or OpenAuthenticator()
        self._largest = resource_limits().request_bytes if largest_body is None else largest_body
        self._socket_check_s = socket_check_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request = self._proxies.client_request(scope)
        refusal = self._refusal(request)
        admitted: Authenticated | Response = refusal or await self._admit(request, receive)
        if isinstance(admitted, Response):
            if admitted.status_code == 413 and scope["type"] == "http":
                await self._discard_body(receive)
            await _refuse(scope, receive, send, admitted)
            return
        state = scope.setdefault("state", {})
        state["visitor"], state["browser"] = admitted.visitor, admitted.visitor.id
        state["session"] = admitted.session
        if scope["type"] == "websocket":
            await self._serve_socket(scope, receive, send, admitted)
        else:
            await self._serve(scope, receive, send, admitted)

    async def _admit(self, request: ClientRequest, receive: Receive) -> Authenticated | Response:
        if _asks_for_health(request):
            return Authenticated(Visitor("health", Role.GUEST))
        try:
            return await self._authenticator.authenticate(request, receive)
        except StoreError as error:
            _log.warning("a request could not be checked: %s", error)
            return PlainTextResponse("the server cannot reach its database: try again later", 503)

    async def _serve(self, scope: Scope, receive: Receive, send: Send, admitted: Authenticated) -> None:
        body = _Body(receive, self._largest)

        async def answer(message: Message) -> None:
            if body.is_too_large:
                return  # whatever the app makes of a request that broke off: it is answered below
            if message["type"] == "http.response.start":
                found = MutableHeaders(scope=message)
                for cookie in admitted.cookies:
                    found.append("set-cookie", cookie)
            await send(message)

        with suppress(_TooLarge):
            await self._app(scope, body, _with_security_headers(answer))
        if body.is_too_large:
            await self._discard_body(receive)
            await _refuse(scope, receive, send, PlainTextResponse(self._too_large(), 413))

    async def _serve_socket(self, scope: Scope, receive: Receive, send: Send, admitted: Authenticated) -> None:
        if admitted.is_valid is None:
            await self._app(scope, receive, send)
            return
        watched = _WatchedSocket(receive, send, admitted.is_valid, self._socket_check_s)
        try:
            await self._app(scope, watched.receive, watched.send)
        finally:
            watched.close()

    async def _discard_body(self, receive: Receive) -> None:
        """Read what is still sent, within bounds: a proxy or browser that is cut off would not see the answer."""
        left = DISCARDED_BODIES * self._largest
        with suppress(TimeoutError):
            async with asyncio.timeout(DISCARD_TIMEOUT_S):
                while left > 0:
                    message = await receive()
                    left -= len(message.get("body", b""))
                    if message["type"] != "http.request" or not message.get("more_body"):
                        return

    def _too_large(self) -> str:
        return f"a request may have {self._largest:,} bytes, not more"

    def _refusal(self, request: ClientRequest) -> Response | None:
        problem = self._problem(request)
        if problem:
            return PlainTextResponse(problem, 403)
        length = request.headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or len(length) > 18 or int(length) > self._largest:
            return PlainTextResponse(self._too_large(), 413)
        return None

    def _problem(self, request: ClientRequest) -> str:
        headers = request.headers
        if not self._is_mine(request.host):
            return f"this server does not go by the name {request.host!r}"
        origin = headers.get("origin")
        if origin is not None and not _is_same_origin(origin, request):
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


def _asks_for_health(request: ClientRequest) -> bool:
    """Whether a program on this machine asks how the server is: `tengen doctor` and monitors need no login."""
    is_get = request.scope["type"] == "http" and request.scope["method"] == "GET"
    return is_get and request.path == "/api/health" and is_at_home(request.client)


def _is_same_origin(origin: str, request: ClientRequest) -> bool:
    try:
        found = urlsplit(origin)
    except ValueError:
        return False
    if request.is_scheme_certain and found.scheme != request.scheme:
        return False
    return found.netloc.lower() == request.host.lower()


def _with_security_headers(send: Send) -> Send:
    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            found = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                found.setdefault(name, value)
        await send(message)

    return answer


async def _refuse(scope: Scope, receive: Receive, send: Send, response: Response) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
    else:
        await response(scope, receive, _with_security_headers(send))


class _WatchedSocket:
    """A WebSocket that is closed when the session it was opened with is no longer valid."""

    def __init__(
        self, receive: Receive, send: Send, is_valid: Callable[[], Awaitable[bool]], interval_s: float
    ) -> None:
        self._receive, self._send = receive, send
        self._is_valid = is_valid
        self._interval_s = interval_s
        self._checked = time.monotonic()
        self._pending: asyncio.Future[Message] | None = None
        self._is_closed = False

    async def receive(self) -> Message:
        while not self._is_closed:
            if self._pending is None:
                self._pending = asyncio.ensure_future(self._receive())
            left = max(0.0, self._checked + self._interval_s - time.monotonic())
            await asyncio.wait({self._pending}, timeout=left)
            if time.monotonic() - self._checked >= self._interval_s:
                self._checked = time.monotonic()
                if not await self._still_valid():
                    self._is_closed = True
                    await self._send({"type": "websocket.close", "code": _POLICY_VIOLATION})
                    break
            if self._pending.done():
                message, self._pending = self._pending.result(), None
                return message
        return {"type": "websocket.disconnect", "code": _POLICY_VIOLATION}

    async def send(self, message: Message) -> None:
        if not self._is_closed:  # the app learns of the end by `receive`
            await self._send(message)

    def close(self) -> None:
        if self._pending is not None:
            self._pending.cancel()

    async def _still_valid(self) -> bool:
        try:
            return await self._is_valid()
        except StoreError:
            return True  # the database does not answer: nobody is thrown out for that


class _TooLarge(Exception):
    """A body that got longer than it may be."""


class _Body:
    """A request that breaks off when its body gets too long: one sent in pieces gives no length beforehand."""

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
