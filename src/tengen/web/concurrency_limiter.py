"""Limits on concurrent work per visitor: requests, WebSockets, analyses.

Visitors are identified by their authenticated cookie, otherwise by address. Because cookies can be made up, each
address has a limit as well: `VISITORS_PER_ADDRESS` times a visitor's, since a club may share one address.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tengen.core.resource_limits import LimitExceeded, resource_limits

VISITORS_PER_ADDRESS = 8
RETRY_AFTER_S = 1
QUEUE_TIMEOUT_S = 5.0  # a request over the limit waits this long, then it is refused
FILE_PATHS = ("/static/", "/_nicegui/")  # scripts and styles: cheap to serve, not limited
POLLING = "/_nicegui_ws/"  # long polling, the fallback for browsers without WebSockets
TRY_AGAIN_LATER = 1013  # WebSocket close code


class ConcurrencyLimiter:
    """ASGI middleware behind `SecurityMiddleware`.

    A request over the limit waits briefly for another of the same visitor to finish, because a browser that opens
    many tabs requests all of them at once. Sets `request.state.arrived` to when a request was completely received.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._busy: dict[str, Counter[str]] = {"http": Counter(), "websocket": Counter()}
        self._waiting: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_file = scope.get("method") in ("GET", "HEAD") and scope["path"].startswith(FILE_PATHS)
        if scope["type"] not in self._busy or is_file:
            await self._app(scope, receive, send)
            return
        is_socket = scope["type"] == "websocket" or scope["path"].startswith(POLLING)
        busy = self._busy["websocket" if is_socket else "http"]
        limits = resource_limits()
        most = limits.sockets_per_visitor if is_socket else limits.requests_per_visitor
        bounds = {f"address {_address(scope)}": VISITORS_PER_ADDRESS * most}
        visitor = visitor_of(scope)
        if visitor:
            bounds[visitor] = most
        if not await self._may_enter(busy, bounds, 0.0 if is_socket else QUEUE_TIMEOUT_S):
            await _refuse(scope, receive, send, most)
            return
        busy.update(bounds.keys())
        try:
            await self._app(scope, _TimedReceive(scope, receive), send)
        finally:
            _release(busy, bounds.keys())

    async def _may_enter(self, busy: Counter[str], bounds: dict[str, int], timeout_s: float) -> bool:
        """Wait up to `timeout_s` seconds until a request is within its bounds; returns whether it is."""
        if _is_free(busy, bounds):
            return True
        if not _is_free(self._waiting, bounds):  # the queue is as long as the limit
            return False
        self._waiting.update(bounds.keys())
        try:
            end = time.monotonic() + timeout_s
            while time.monotonic() < end:
                await asyncio.sleep(0.05)
                if _is_free(busy, bounds):
                    return True
            return False
        finally:
            _release(self._waiting, bounds.keys())


class _TimedReceive:
    """Records when a request's body was complete: a move counts as made at that time."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._state = scope.setdefault("state", {})
        self._receive = receive

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request" and not message.get("more_body"):
            self._state["arrived"] = time.monotonic()
        return message


class Slots:
    """A limited number of slots per visitor."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._taken: dict[str, set[int]] = {}

    @contextmanager
    def take(self, who: str, most: int) -> Iterator[int]:
        """Occupy the visitor's first free slot within a `with` block. Raises `LimitExceeded`."""
        taken = self._taken.setdefault(who, set())
        free = next((number for number in range(most) if number not in taken), None)
        if free is None:
            raise LimitExceeded(f"You already have {most} {self._what} running. Wait for one to finish.")
        taken.add(free)
        try:
            yield free
        finally:
            taken.discard(free)
            if not taken and self._taken.get(who) is taken:
                del self._taken[who]


def _is_free(busy: Counter[str], bounds: dict[str, int]) -> bool:
    return all(busy[key] < bound for key, bound in bounds.items())


def _release(busy: Counter[str], keys: Collection[str]) -> None:
    busy.subtract(keys)
    for key in keys:
        if not busy[key]:
            del busy[key]


def visitor_of(scope: Scope) -> str:
    """The key of an authenticated visitor; empty for a request without cookie or token."""
    browser = str(scope.get("state", {}).get("browser", ""))
    headers = Headers(scope=scope)
    known = "cookie" in headers or "authorization" in headers
    return f"visitor {browser}" if browser and known else ""


def caller_of(scope: Scope) -> str:
    """A short id of the sender that does not reveal the cookie."""
    who = visitor_of(scope) or _address(scope)
    return hashlib.blake2b(who.encode(), digest_size=8).hexdigest()


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""


async def _refuse(scope: Scope, receive: Receive, send: Send, most: int) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})  # a close code needs an accepted connection
        await send({"type": "websocket.close", "code": TRY_AGAIN_LATER, "reason": "too many connections"})
        return
    detail = f"Too many requests at once: at most {most} per visitor. Wait for one to finish."
    response = JSONResponse({"detail": detail}, 429, {"retry-after": str(RETRY_AFTER_S)})
    await response(scope, receive, send)
