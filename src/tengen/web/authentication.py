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

from tengen.core.translation import ngettext
from tengen.web.forwarding import ClientRequest, is_local_client
from tengen.web.visitor import Role, Visitor

BROWSER_COOKIE = "tengen-browser"  # identifies a browser without an account
YEAR_S = 365 * 24 * 3600
_MAX_FORM_BYTES = 8192


@dataclass(frozen=True)
class Authenticated:
    """An accepted request. The response sets `cookies`; open sockets are closed when `is_valid` returns False."""

    visitor: Visitor
    cookies: tuple[str, ...] = ()
    is_valid: Callable[[], Awaitable[bool]] | None = None
    session: int | None = None  # number of the account's session


class Authenticator(Protocol):
    """Accepts a request, or answers it with a response of its own, such as a login page."""

    async def authenticate(self, request: ClientRequest, receive: Receive) -> Authenticated | Response: ...


class OpenAuthenticator:
    """Accepts everybody. Browsers on this machine are owners, unless they came by an invite link."""

    def __init__(self, is_guest: Callable[[str], bool] = lambda _: False) -> None:
        self._is_guest = is_guest

    async def authenticate(self, request: ClientRequest, _: Receive) -> Authenticated:
        browser, cookies = identify_browser(request)
        return Authenticated(visitor_without_account(request, browser, self._is_guest), cookies)


def visitor_without_account(request: ClientRequest, browser: str, is_guest: Callable[[str], bool]) -> Visitor:
    """The visitor that a browser stands for on a server without accounts."""
    if is_guest(browser):
        return Visitor(browser, Role.GUEST)
    return Visitor(browser, Role.OWNER if is_local_client(request.client) else Role.MEMBER)


def identify_browser(request: ClientRequest) -> tuple[str, tuple[str, ...]]:
    """Return the browser's id, and the cookie to set if it is new."""
    known = request.cookies.get(BROWSER_COOKIE, "")
    if len(known) == 32 and known.isascii() and known.isalnum():
        return known, ()
    made = new_browser_id()
    return made, (cookie(request, BROWSER_COOKIE, made),)


def new_browser_id() -> str:
    return secrets.token_hex(16)


def cookie(request: ClientRequest, name: str, value: str, max_age_s: int = YEAR_S) -> str:
    """A `Set-Cookie` value that scripts cannot read; over HTTPS it is never sent unencrypted."""
    made = f"{name}={value}; Max-Age={max_age_s}; Path=/; HttpOnly; SameSite=Lax"
    return f"{made}; Secure" if request.is_secure else made


def secrets_equal(given: str, wanted: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode("utf-8", "surrogatepass"))


def safe_redirect_path(path: str) -> str:
    """The path to redirect to after a login: `/` unless `path` is on this server."""
    has_only_text = all(" " < character < "\x7f" for character in path)
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) and has_only_text else "/"


def format_duration(seconds: int) -> str:
    if seconds >= 120:
        minutes = -(-seconds // 60)
        return ngettext("{count} minute", "{count} minutes", minutes).format(count=minutes)
    return ngettext("a second", "{count} seconds", seconds).format(count=seconds)


async def read_form(receive: Receive) -> bytes:
    """The body of a form, truncated to a safe length."""
    found = b""
    while len(found) <= _MAX_FORM_BYTES:
        message = await receive()
        found += message.get("body", b"")
        if not message.get("more_body"):
            break
    return found[:_MAX_FORM_BYTES]
