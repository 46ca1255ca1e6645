"""Authentication by one token that all visitors share.

A browser that has shown the token gets a *pass*: a cookie derived from a secret of the server and valid for one
browser id. It also gets a new browser id, because one planted earlier could be known to an attacker. Wrong
tokens cost time (`attempt_limiter`).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from urllib.parse import parse_qs, quote

from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive

from tengen.core.translation import gettext as _
from tengen.web.attempt_limiter import AttemptLimiter
from tengen.web.authentication import (
    BROWSER_COOKIE,
    Authenticated,
    cookie,
    format_duration,
    identify_browser,
    new_browser_id,
    read_form,
    safe_redirect_path,
    secrets_equal,
    visitor_without_account,
)
from tengen.web.forwarding import ClientRequest
from tengen.web.login_pages import token_page

PASS_COOKIE = "tengen-pass"


class TokenAuthenticator:
    """Passes stay valid as long as `secret` and `token` do; without a `secret`, until the server stops."""

    def __init__(
        self,
        token: str,
        *,
        secret: bytes | None = None,
        attempts: AttemptLimiter | None = None,
        is_guest: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._token = token
        self._secret = secret or secrets.token_bytes(32)
        self._attempts = attempts or AttemptLimiter()
        self._is_guest = is_guest

    async def authenticate(self, request: ClientRequest, receive: Receive) -> Authenticated | Response:
        browser, cookies = identify_browser(request)
        if not secrets_equal(request.cookies.get(PASS_COOKIE, ""), self._pass_of(browser)):
            response = await self._check_token(request, receive)
            if response is not None:
                return response
        return Authenticated(visitor_without_account(request, browser, self._is_guest), cookies)

    def _pass_of(self, browser: str) -> str:
        message = f"{self._token}\n{browser}".encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, message, hashlib.sha256).hexdigest()

    async def _check_token(self, request: ClientRequest, receive: Receive) -> Response | None:
        """None for a program with the right bearer token; else a redirect that sets the pass, or a refusal."""
        scope = request.scope
        target = quote(request.path)
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if scope["type"] == "http" and request.path == "/login" and scope["method"] == "POST":
            body = parse_qs((await read_form(receive)).decode("utf-8", "replace"))
            given, target = body.get("token", [""])[0], body.get("to", ["/"])[0]
        delay_s = self._attempts.delay_s(request.address)
        if delay_s:
            problem = _("Too many wrong tokens. Try again in {duration}.").format(
                duration=format_duration(delay_s)
            )
            return _refusal(request, target, problem, delay_s)
        if bearer and secrets_equal(bearer, self._token):
            return None
        if given and secrets_equal(given, self._token):
            browser = new_browser_id()
            response: Response = RedirectResponse(safe_redirect_path(target), 303)
            response.headers.append("set-cookie", cookie(request, BROWSER_COOKIE, browser))
            response.headers.append("set-cookie", cookie(request, PASS_COOKIE, self._pass_of(browser)))
            return response
        if not bearer and not given:
            return _refusal(request, target, "")
        self._attempts.record_failure(request.address)
        delay_s = self._attempts.delay_s(request.address)
        again = _("Try again in {duration}.").format(duration=format_duration(delay_s)) if delay_s else ""
        return _refusal(request, target, f"{_('Wrong token.')} {again}".strip())


def _refusal(request: ClientRequest, target: str, problem: str, delay_s: int = 0) -> Response:
    headers = {"retry-after": str(delay_s)} if delay_s else {}
    code = 429 if delay_s else 401
    if not request.wants_html:
        text = problem or "token required: send it as Authorization: Bearer …"
        return PlainTextResponse(text, code, headers)
    return HTMLResponse(token_page(target, problem), code, headers)
