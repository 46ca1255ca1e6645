"""How much one visitor may have under way at the same time: requests, WebSockets, analyses.

A visitor is known by the cookie that the guard checked, and otherwise by the address. Cookies can be made up, so
an address has a limit, too: `VISITORS_PER_ADDRESS` times that of a visitor, since a club may share one.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tengen.core.resource_limits import LimitExceeded, resource_limits

VISITORS_PER_ADDRESS = 8
RETRY_AFTER_S = 1
TRY_AGAIN_LATER = 1013  # the code of a WebSocket that is closed for this reason


class Throttle:
    """ASGI middleware behind the guard. Also notes when a request arrived, in `request.state.arrived`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._busy: dict[str, Counter[str]] = {"http": Counter(), "websocket": Counter()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = scope["type"]
        if kind not in self._busy:
            await self._app(scope, receive, send)
            return
        scope.setdefault("state", {})["arrived"] = time.monotonic()
        limits = resource_limits()
        most = limits.requests_per_visitor if kind == "http" else limits.sockets_per_visitor
        visitor, address = visitor_of(scope), f"address {_address(scope)}"
        bounds = {address: VISITORS_PER_ADDRESS * most}
        if visitor:
            bounds[visitor] = most
        busy = self._busy[kind]
        if any(busy[key] >= bound for key, bound in bounds.items()):
            await _refuse(scope, receive, send, most)
            return
        busy.update(bounds.keys())
        try:
            await self._app(scope, receive, send)
        finally:
            busy.subtract(bounds.keys())
            for key in bounds:
                if not busy[key]:
                    del busy[key]


class Slots:
    """A number of places for each visitor: who wants one more than there are is refused."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._taken: dict[str, set[int]] = {}

    @contextmanager
    def take(self, who: str, most: int) -> Iterator[int]:
        """Take the first free place of a visitor, for the time of a block. Raises `LimitExceeded`."""
        taken = self._taken.setdefault(who, set())
        free = next((number for number in range(most) if number not in taken), None)
        if free is None:
            raise LimitExceeded(
                f"{most} {self._what} of yours are running, which is the most: wait for one of them"
            )
        taken.add(free)
        try:
            yield free
        finally:
            taken.discard(free)
            if not taken and self._taken.get(who) is taken:
                del self._taken[who]


def visitor_of(scope: Scope) -> str:
    """Who sends a request, as far as their cookie or token tells; nothing for one who comes without any."""
    browser = str(scope.get("state", {}).get("browser", ""))
    headers = Headers(scope=scope)
    known = "cookie" in headers or "authorization" in headers
    return f"visitor {browser}" if browser and known else ""


def caller_of(scope: Scope) -> str:
    """A short name for who sends a request, which does not tell their cookie."""
    who = visitor_of(scope) or _address(scope)
    return hashlib.blake2b(who.encode(), digest_size=8).hexdigest()


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""


async def _refuse(scope: Scope, receive: Receive, send: Send, most: int) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})  # a code can be sent only to who was let in
        await send({"type": "websocket.close", "code": TRY_AGAIN_LATER, "reason": "too many connections"})
        return
    detail = f"{most} requests of one visitor are answered at the same time, not more: wait for one of them"
    response = JSONResponse({"detail": detail}, 429, {"retry-after": str(RETRY_AFTER_S)})
    await response(scope, receive, send)
