"""A server with one token that all visitors share.

Whoever has shown the token gets a *pass*: a cookie that is made from a secret of the server, so that it cannot be
guessed as a token can, and that is valid for one browser only. With the pass comes a new browser id: one that was
planted in the browser before could be known to somebody else. Wrong guesses cost time (`guesses`).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from urllib.parse import parse_qs, quote

from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive

from tengen.web.attempt_limiter import AttemptLimiter
from tengen.web.authentication import (
    BROWSER,
    Authenticated,
    browser_visitor,
    cookie,
    duration,
    is_same,
    known_browser,
    new_browser,
    read_form,
    safe_target,
)
from tengen.web.forwarding import ClientRequest
from tengen.web.login_pages import token_page

PASS = "tengen-pass"


class TokenAuthenticator:
    """Passes are valid while `secret` and `token` stay the same; without a `secret`, until the server ends."""

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
        browser, cookies = known_browser(request)
        if not is_same(request.cookies.get(PASS, ""), self._pass_of(browser)):
            answer = await self._ask(request, receive)
            if answer is not None:
                return answer
        return Authenticated(browser_visitor(request, browser, self._is_guest), cookies)

    def _pass_of(self, browser: str) -> str:
        about = f"{self._token}\n{browser}".encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, about, hashlib.sha256).hexdigest()

    async def _ask(self, request: ClientRequest, receive: Receive) -> Response | None:
        """Let somebody in who shows the token: a program, which gets None, or a browser, which gets a pass."""
        scope = request.scope
        target = quote(request.path)
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if scope["type"] == "http" and request.path == "/login" and scope["method"] == "POST":
            body = parse_qs((await read_form(receive)).decode("utf-8", "replace"))
            given, target = body.get("token", [""])[0], body.get("to", ["/"])[0]
        wait = self._attempts.wait(request.address)
        if wait:
            return _refusal(request, target, f"Too many wrong tokens: wait {duration(wait)}.", wait)
        if bearer and is_same(bearer, self._token):
            return None
        if given and is_same(given, self._token):
            browser = new_browser()
            response: Response = RedirectResponse(safe_target(target), 303)
            response.headers.append("set-cookie", cookie(request, BROWSER, browser))
            response.headers.append("set-cookie", cookie(request, PASS, self._pass_of(browser)))
            return response
        if not bearer and not given:
            return _refusal(request, target, "")
        self._attempts.wrong(request.address)
        wait = self._attempts.wait(request.address)
        again = f" The next try is in {duration(wait)}." if wait else ""
        return _refusal(request, target, f"That is not the token.{again}")


def _refusal(request: ClientRequest, target: str, problem: str, wait: int = 0) -> Response:
    headers = {"retry-after": str(wait)} if wait else {}
    code = 429 if wait else 401
    if not request.wants_html:
        text = problem or "a token is needed: send it as Authorization: Bearer …"
        return PlainTextResponse(text, code, headers)
    return HTMLResponse(token_page(target, problem), code, headers)
