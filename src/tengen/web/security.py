"""The security middleware that every request passes: pages, their WebSockets and the API.

Any page in the user's browser can reach a server on the loopback address, so a local connection proves nothing.
The Host header must be a name of this server (or a foreign page could use DNS rebinding to reach 127.0.0.1), and
cross-origin requests are refused. Then an authenticator decides who the visitor is (`authentication`,
`token_authentication`, `account_authentication`). Every response gets security headers.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import re
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tengen.core.resource_limits import resource_limits
from tengen.store.errors import StoreError
from tengen.web.authentication import Authenticated, Authenticator, OpenAuthenticator
from tengen.web.forwarding import ClientRequest, TrustedProxies, is_local_client, is_loopback
from tengen.web.visitor import Role, Visitor

SOCKET_CHECK_S = 20.0  # an open socket whose session was revoked is closed within this time
DISCARDED_BODIES = 4  # an oversized body is read up to this multiple of the limit before it is refused
DISCARD_TIMEOUT_S = 10.0
_SHARED_PAGE = re.compile(r"/shared/[\w-]{20,60}", re.ASCII)
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_POLICY_VIOLATION = 1008  # close code of a refused WebSocket
_log = logging.getLogger(__name__)

_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    # unsafe-eval: Vue compiles component templates in the browser. All sources are this server's own.
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
        """`names` are the accepted host names; `proxies` are addresses whose X-Forwarded-* headers are trusted."""
        self._app = app
        self._names = _LOOPBACK | {name.lower() for name in names}
        self._any_address = not is_loopback(address)  # numeric addresses are safe from DNS rebinding
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
        if _is_local_health_check(request):
            return Authenticated(Visitor("health", Role.GUEST))
        if _is_shared_page(request):
            return Authenticated(Visitor("shared", Role.GUEST))
        try:
            return await self._authenticator.authenticate(request, receive)
        except StoreError as error:
            _log.warning("request not authenticated, database unavailable: %s", error)
            return PlainTextResponse("The server cannot reach its database. Try again later.", 503)

    async def _serve(self, scope: Scope, receive: Receive, send: Send, admitted: Authenticated) -> None:
        body = _Body(receive, self._largest)

        async def answer(message: Message) -> None:
            if body.is_too_large:
                return  # the app's response to an aborted request is replaced by the one below
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
        """Read the rest of a body, within bounds: a client cut off while sending never sees the response."""
        left = DISCARDED_BODIES * self._largest
        with suppress(TimeoutError):
            async with asyncio.timeout(DISCARD_TIMEOUT_S):
                while left > 0:
                    message = await receive()
                    left -= len(message.get("body", b""))
                    if message["type"] != "http.request" or not message.get("more_body"):
                        return

    def _too_large(self) -> str:
        return f"Request too large: at most {self._largest:,} bytes are accepted."

    def _refusal(self, request: ClientRequest) -> Response | None:
        reason = self._rejection_reason(request)
        if reason:
            return PlainTextResponse(reason, 403)
        length = request.headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or len(length) > 18 or int(length) > self._largest:
            return PlainTextResponse(self._too_large(), 413)
        return None

    def _rejection_reason(self, request: ClientRequest) -> str:
        headers = request.headers
        if not self._is_own_host(request.host):
            return f"unknown host name {request.host!r}: start the server with --name to accept it"
        origin = headers.get("origin")
        if origin is not None and not _is_same_origin(origin, request):
            return "cross-origin requests are not allowed"
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return "cross-origin requests are not allowed"
        return ""

    def _is_own_host(self, host: str) -> bool:
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


def _is_local_health_check(request: ClientRequest) -> bool:
    """Whether this is a health check from this machine: `tengen doctor` and monitors need no login."""
    is_get = request.scope["type"] == "http" and request.scope["method"] == "GET"
    return is_get and request.path == "/api/health" and is_local_client(request.client)


def _is_shared_page(request: ClientRequest) -> bool:
    """Whether this asks for a result that its owner shared by a secret link; the page checks the link."""
    is_get = request.scope["type"] == "http" and request.scope["method"] == "GET"
    return is_get and _SHARED_PAGE.fullmatch(request.path) is not None


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
    """A WebSocket that is closed once the session it was opened with is no longer valid."""

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
        if not self._is_closed:  # the app is notified by `receive`
            await self._send(message)

    def close(self) -> None:
        if self._pending is not None:
            self._pending.cancel()

    async def _still_valid(self) -> bool:
        try:
            return await self._is_valid()
        except StoreError:
            return True  # do not disconnect visitors because the database is unavailable


class _TooLarge(Exception):
    """The body exceeded its limit."""


class _Body:
    """Counts the bytes of a body as it is received, because a chunked request has no Content-Length."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._left = limit
        self.is_too_large = False

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            self.is_too_large = True
            raise _TooLarge
        return message
