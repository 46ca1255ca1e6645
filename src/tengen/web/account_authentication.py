"""Authentication by accounts: sign-in, invitations, API tokens, and guests of one game.

A guest follows the invite link of a game, has no account, and may use that game only: its page, its API paths, and
the files and sockets that pages need. All other requests of guests are refused here, before any page is built.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qs, quote

from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive

from tengen.core.errors import TengenError
from tengen.core.resource_limits import LimitExceeded
from tengen.core.translation import gettext as _
from tengen.core.translation import translate
from tengen.store.accounts import Account, fold_name
from tengen.store.errors import NotStored, StoreConflict, StoreError
from tengen.store.sessions import SESSION_LIFETIME, Session
from tengen.web.accounts import AccountService, WrongPassword
from tengen.web.attempt_limiter import AttemptLimiter
from tengen.web.authentication import (
    BROWSER_COOKIE,
    Authenticated,
    cookie,
    format_duration,
    new_browser_id,
    read_form,
    safe_redirect_path,
    secrets_equal,
)
from tengen.web.forwarding import ClientRequest
from tengen.web.login_pages import invitation_page, login_page, message_page, new_password_page
from tengen.web.passwords import MIN_PASSWORD_LENGTH
from tengen.web.visitor import Role, Visitor

SESSION_COOKIE, GUEST_COOKIE, DEVICE_COOKIE = "tengen-session", "tengen-guest", "tengen-device"
FAILURES_PER_ADDRESS = 20  # a whole club may share one address
FAILURES_PER_NAME = 10  # wrong passwords for one name before sign-ins with it are delayed …
MAX_DELAY_PER_NAME_S = 60.0  # … but briefly: guessing must not lock the account's owner out
_SHARED_PATHS = re.compile(r"/static/.+|/_nicegui/.+|/_nicegui_ws/.*|/favicon\.ico")
_GAME_PATHS = re.compile(
    r"/game/(?P<page>[^/]+)|/join/(?P<join>[^/]+)/(?P<key>[^/]+)|/record/(?P<record>[^/]+)\.[a-z]+"
    r"|/api/games/(?P<state>[^/]+)(?:/record\.[a-z]+|/events)?"
    r"|/api/games/(?P<act>[^/]+)/(?:moves|take-back|resign|draw|count|pause|resume|reply|rematch)"
)

SeatCheck = Callable[[str, str], Awaitable[bool]]


class AccountAuthenticator:
    """Accepts accounts, their API tokens, and guests.

    `is_seat_key(game_id, key)` checks an invite link, `holds_seat(game_id, browser)` whether a guest has joined a
    game. `secret` signs the cookies of guests and known devices.
    """

    def __init__(
        self,
        accounts: AccountService,
        *,
        secret: bytes,
        is_seat_key: SeatCheck,
        holds_seat: SeatCheck,
        address_attempts: AttemptLimiter | None = None,
        name_attempts: AttemptLimiter | None = None,
    ) -> None:
        self._accounts = accounts
        self._secret = secret
        self._is_seat_key = is_seat_key
        self._holds_seat = holds_seat
        self._address_attempts = address_attempts or AttemptLimiter(free_failures=FAILURES_PER_ADDRESS)
        self._name_attempts = name_attempts or AttemptLimiter(
            free_failures=FAILURES_PER_NAME, max_delay_s=MAX_DELAY_PER_NAME_S
        )

    async def authenticate(self, request: ClientRequest, receive: Receive) -> Authenticated | Response:
        if request.scope["type"] == "http":
            method = request.scope["method"]
            if request.path == "/login":
                return await self._login(request, receive) if method == "POST" else await self._login_form(request)
            if request.path == "/logout" and method == "POST":
                return await self._logout(request)
            if request.path.startswith("/invite/"):
                return await self._invitation(request, receive)
        kind, _, bearer = request.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            session = await self._accounts.find(bearer.strip())
            if session is None:
                return _login_required(request, "this token is not valid")
            return self._authenticated(session, bearer.strip())
        token = request.cookies.get(SESSION_COOKIE, "")
        session = await self._accounts.find(token) if token else None
        if session is not None and session.kind == "browser":
            return self._authenticated(session, token)
        return await self._authenticate_guest(request)

    def _authenticated(self, session: Session, token: str) -> Authenticated:
        visitor = Visitor(session.identity, Role(session.role), session.name, session.account_id)

        async def is_valid() -> bool:
            return await self._accounts.find(token) is not None

        return Authenticated(visitor, is_valid=is_valid, session=session.number)

    # ---- guests

    async def _authenticate_guest(self, request: ClientRequest) -> Authenticated | Response:
        browser = request.cookies.get(BROWSER_COOKIE, "")
        is_known = bool(browser) and secrets_equal(
            request.cookies.get(GUEST_COOKIE, ""), self._sign("guest", browser)
        )
        path = _GAME_PATHS.fullmatch(request.path)
        key = path and path["key"]
        if path and key:
            return await self._authenticate_by_link(request, path["join"], key, browser if is_known else "")
        if is_known:
            guest = Visitor(browser, Role.GUEST)
            if _SHARED_PATHS.fullmatch(request.path):
                return Authenticated(guest)
            if path and _is_allowed(request, path):
                game = next(found for found in path.groups() if found)
                if await self._holds_seat(game, browser):
                    return Authenticated(guest)
            return _members_only(request)
        return _login_required(request)

    async def _authenticate_by_link(
        self, request: ClientRequest, game: str, key: str, browser: str
    ) -> Authenticated | Response:
        """Accept a visitor with the invite link of a game; a new guest gets a fresh, secret browser id."""
        wait = self._address_attempts.delay_s(request.address)
        if wait:
            return _wait(request, "/", wait)
        if not await self._is_seat_key(game, key):
            self._address_attempts.record_failure(request.address)
            text = _("This invite link is not valid. Ask for a new one.")
            return HTMLResponse(message_page(_("Link not valid"), text, ("/login", _("Sign in"))), 404)
        cookies: tuple[str, ...] = ()
        if not browser:
            browser = new_browser_id()
            pass_ = self._sign("guest", browser)
            cookies = (cookie(request, BROWSER_COOKIE, browser), cookie(request, GUEST_COOKIE, pass_))
        return Authenticated(Visitor(browser, Role.GUEST), cookies)

    # ---- signing in and out

    async def _login_form(self, request: ClientRequest) -> Response:
        query = parse_qs(request.scope.get("query_string", b"").decode("latin-1"))
        target = safe_redirect_path(query.get("to", ["/"])[0])
        token = request.cookies.get(SESSION_COOKIE, "")
        if token and await self._accounts.find(token) is not None:
            return RedirectResponse(target, 303)
        return HTMLResponse(login_page(target))

    async def _login(self, request: ClientRequest, receive: Receive) -> Response:
        form = _form(await read_form(receive))
        name, target = form.get("name", ""), safe_redirect_path(form.get("to", "/"))
        device = request.cookies.get(DEVICE_COOKIE, "")
        # A device that has signed in before has its own counter: other people's failures do not block it.
        tries = f"device {device}" if self._is_known_device(device, name) else f"name {fold_name(name)}"
        wait = max(self._address_attempts.delay_s(request.address), self._name_attempts.delay_s(tries))
        if wait:
            return _wait(request, target, wait, name)
        # Recorded before the password is checked, or many guesses could be sent at the same moment.
        self._address_attempts.record_failure(request.address)
        self._name_attempts.record_failure(tries)
        try:
            account, token = await self._accounts.sign_in(name, form.get("password", ""), _label(request))
        except WrongPassword as error:
            wait = max(self._address_attempts.delay_s(request.address), self._name_attempts.delay_s(tries))
            again = _("Try again in {duration}.").format(duration=format_duration(wait)) if wait else ""
            return HTMLResponse(login_page(target, f"{translate(str(error))} {again}".strip(), name), 401)
        except (LimitExceeded, StoreError) as error:
            self._undo_failures(request, tries)
            return HTMLResponse(login_page(target, _sentence(error), name), 503)
        self._undo_failures(request, tries)
        return self._signed_in(request, account, token, target)

    def _undo_failures(self, request: ClientRequest, tries: str) -> None:
        self._address_attempts.undo_failure(request.address)
        self._name_attempts.undo_failure(tries)

    def _signed_in(self, request: ClientRequest, account: Account, token: str, target: str) -> Response:
        response = RedirectResponse(target, 303)
        lifetime = int(SESSION_LIFETIME.total_seconds())
        response.headers.append("set-cookie", cookie(request, SESSION_COOKIE, token, lifetime))
        nonce = secrets.token_hex(8)
        device = f"{nonce}.{self._sign('device', nonce, fold_name(account.name))}"
        response.headers.append("set-cookie", cookie(request, DEVICE_COOKIE, device))
        for name in (GUEST_COOKIE, BROWSER_COOKIE):
            if name in request.cookies:
                response.headers.append("set-cookie", cookie(request, name, "", 0))
        return response

    def _is_known_device(self, device: str, name: str) -> bool:
        nonce, _, signature = device.partition(".")
        return bool(signature) and secrets_equal(signature, self._sign("device", nonce, fold_name(name)))

    async def _logout(self, request: ClientRequest) -> Response:
        token = request.cookies.get(SESSION_COOKIE, "")
        if token:
            await self._accounts.sign_out(token)
        response = RedirectResponse("/login", 303)
        response.headers.append("set-cookie", cookie(request, SESSION_COOKIE, "", 0))
        return response

    # ---- one-time links

    async def _invitation(self, request: ClientRequest, receive: Receive) -> Response:
        token = request.path.removeprefix("/invite/")
        wait = self._address_attempts.delay_s(request.address)
        if wait:
            return _wait(request, "/", wait)
        try:
            link = await self._accounts.invitation(token)
        except NotStored as error:
            self._address_attempts.record_failure(request.address)
            return HTMLResponse(message_page(_("Link not valid"), _sentence(error), ("/login", _("Sign in"))), 404)
        path = f"/invite/{quote(token)}"
        old = link.account

        def page(problem: str = "", name: str = "", code: int = 200) -> Response:
            if old is not None:
                return HTMLResponse(new_password_page(path, old.name, MIN_PASSWORD_LENGTH, problem), code)
            return HTMLResponse(invitation_page(path, link.role, MIN_PASSWORD_LENGTH, problem, name), code)

        if (
            request.scope["method"] != "POST"
        ):  # opening a link does nothing yet: programs that preview links would use it up
            return page()
        form = _form(await read_form(receive))
        name, password = form.get("name", ""), form.get("password", "")
        if password != form.get("again", ""):
            return page(_("The two passwords differ."), name, 422)
        try:
            if old is not None:
                account, session = await self._accounts.reset(token, password, _label(request))
            else:
                account, session = await self._accounts.accept(token, name, password, _label(request))
        except StoreConflict as error:
            return page(_sentence(error), name, 409)
        except LimitExceeded as error:
            return page(_sentence(error), name, 503)
        except TengenError as error:
            return page(_sentence(error), name, 422)
        return self._signed_in(request, account, session, "/")

    def _sign(self, *parts: str) -> str:
        text = "\n".join(parts).encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, text, hashlib.sha256).hexdigest()


def _is_allowed(request: ClientRequest, path: re.Match[str]) -> bool:
    """Whether guests may use this method on a path of their game: they may read and act, but not delete."""
    if request.scope["type"] == "websocket":
        return request.path.endswith("/events")
    return request.scope["method"] in (("POST",) if path["act"] else ("GET", "HEAD"))


def _login_required(request: ClientRequest, problem: str = "") -> Response:
    if not request.wants_html:
        text = problem or "sign in first, or send a token as Authorization: Bearer …"
        return PlainTextResponse(text, 401, {"www-authenticate": "Bearer"})
    return HTMLResponse(login_page(safe_redirect_path(quote(request.path))), 401)


def _members_only(request: ClientRequest) -> Response:
    text = _("You are a guest of one game. Other pages are for members of this server.")
    if not request.wants_html:
        return PlainTextResponse(text, 403)
    return HTMLResponse(message_page(_("Members only"), text, ("/login", _("Sign in"))), 403)


def _wait(request: ClientRequest, target: str, seconds: int, name: str = "") -> Response:
    text = _("Too many failed attempts. Try again in {duration}.").format(duration=format_duration(seconds))
    headers = {"retry-after": str(seconds)}
    if not request.wants_html:
        return PlainTextResponse(text, 429, headers)
    return HTMLResponse(login_page(target, text, name), 429, headers)


def _label(request: ClientRequest) -> str:
    """The label under which a session is listed: browser and operating system."""
    agent = request.headers.get("user-agent", "")
    browsers = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrom": "Chrome", "Safari": "Safari"}
    systems = {"Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "Windows": "Windows", "Mac OS": "macOS"}
    browser = next((name for mark, name in browsers.items() if mark in agent), "")
    system = next((name for mark, name in {**systems, "Linux": "Linux"}.items() if mark in agent), "")
    return " on ".join(part for part in (browser, system) if part) or agent[:40] or "unknown browser"


def _form(body: bytes) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}


def _sentence(error: TengenError) -> str:
    text = translate(str(error))
    return f"{text[:1].upper()}{text[1:]}".rstrip(".") + "."
