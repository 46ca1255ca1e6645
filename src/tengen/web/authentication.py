"""Authentication behind the security middleware: one authenticator for each way to run a server.

`OpenAuthenticator` accepts everybody who can reach the server: the single-user default on the loopback address.
`TokenAuthenticator` asks for a token that all visitors share, `AccountAuthenticator` for an account.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from starlette.responses import Response
from starlette.types import Receive

from tengen.web.forwarding import ClientRequest, is_at_home
from tengen.web.visitor import Role, Visitor

BROWSER = "tengen-browser"  # the cookie that a browser is known by
YEAR_S = 365 * 24 * 3600
_FORM_BYTES = 8192


@dataclass(frozen=True)
class Authenticated:
    """Somebody is let in. `cookies` are set by the answer; `is_valid` is asked now and then for open sockets."""

    visitor: Visitor
    cookies: tuple[str, ...] = ()
    is_valid: Callable[[], Awaitable[bool]] | None = None
    session: int | None = None  # the number of the account's session


class Authenticator(Protocol):
    """Admits a request, or answers it."""

    async def authenticate(self, request: ClientRequest, receive: Receive) -> Authenticated | Response: ...


class OpenAuthenticator:
    """Admits everybody. The owner is whoever uses a browser on this machine and did not come by an invite link."""

    def __init__(self, is_guest: Callable[[str], bool] = lambda _: False) -> None:
        self._is_guest = is_guest

    async def authenticate(self, request: ClientRequest, _: Receive) -> Authenticated:
        browser, cookies = known_browser(request)
        return Authenticated(browser_visitor(request, browser, self._is_guest), cookies)


def browser_visitor(request: ClientRequest, browser: str, is_guest: Callable[[str], bool]) -> Visitor:
    """A visitor of a server without accounts."""
    if is_guest(browser):
        return Visitor(browser, Role.GUEST)
    return Visitor(browser, Role.OWNER if is_at_home(request.client) else Role.MEMBER)


def known_browser(request: ClientRequest) -> tuple[str, tuple[str, ...]]:
    """The id of a browser, and the cookie that tells it to a new one."""
    known = request.cookies.get(BROWSER, "")
    if len(known) == 32 and known.isascii() and known.isalnum():
        return known, ()
    made = new_browser()
    return made, (cookie(request, BROWSER, made),)


def new_browser() -> str:
    return secrets.token_hex(16)


def cookie(request: ClientRequest, name: str, value: str, max_age_s: int = YEAR_S) -> str:
    """A cookie that scripts cannot read; over HTTPS it is never sent without encryption."""
    made = f"{name}={value}; Max-Age={max_age_s}; Path=/; HttpOnly; SameSite=Lax"
    return f"{made}; Secure" if request.is_secure else made


def is_same(given: str, wanted: str) -> bool:
    """Compare two secrets in a time that does not depend on where they differ."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode("utf-8", "surrogatepass"))


def safe_target(path: str) -> str:
    """Where to go after a login: a page of this server, whatever was asked for."""
    has_only_text = all(" " < character < "\x7f" for character in path)
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) and has_only_text else "/"


def duration(seconds: int) -> str:
    if seconds >= 120:
        return f"{-(-seconds // 60)} minutes"
    return "a second" if seconds == 1 else f"{seconds} seconds"


async def read_form(receive: Receive) -> bytes:
    """The body of a form; what is too long for one is cut off."""
    found = b""
    while len(found) <= _FORM_BYTES:
        message = await receive()
        found += message.get("body", b"")
        if not message.get("more_body"):
            break
    return found[:_FORM_BYTES]
