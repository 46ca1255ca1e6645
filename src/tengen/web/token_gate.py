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

from tengen.web.forwarding import Arrival
from tengen.web.gate import (
    BROWSER,
    Admission,
    browser_visitor,
    cookie,
    duration,
    is_same,
    known_browser,
    new_browser,
    read_form,
    safe_target,
)
from tengen.web.guesses import Guesses
from tengen.web.login_page import token_page

PASS = "tengen-pass"


class TokenGate:
    """Passes are valid while `secret` and `token` stay the same; without a `secret`, until the server ends."""

    def __init__(
        self,
        token: str,
        *,
        secret: bytes | None = None,
        guesses: Guesses | None = None,
        is_guest: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._token = token
        self._secret = secret or secrets.token_bytes(32)
        self._guesses = guesses or Guesses()
        self._is_guest = is_guest

    async def admit(self, arrival: Arrival, receive: Receive) -> Admission | Response:
        browser, cookies = known_browser(arrival)
        if not is_same(arrival.cookies.get(PASS, ""), self._pass_of(browser)):
            answer = await self._ask(arrival, receive)
            if answer is not None:
                return answer
        return Admission(browser_visitor(arrival, browser, self._is_guest), cookies)

    def _pass_of(self, browser: str) -> str:
        about = f"{self._token}\n{browser}".encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, about, hashlib.sha256).hexdigest()

    async def _ask(self, arrival: Arrival, receive: Receive) -> Response | None:
        """Let somebody in who shows the token: a program, which gets None, or a browser, which gets a pass."""
        scope = arrival.scope
        target = quote(arrival.path)
        bearer = arrival.headers.get("authorization", "").removeprefix("Bearer ")
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if scope["type"] == "http" and arrival.path == "/login" and scope["method"] == "POST":
            body = parse_qs((await read_form(receive)).decode("utf-8", "replace"))
            given, target = body.get("token", [""])[0], body.get("to", ["/"])[0]
        wait = self._guesses.wait(arrival.address)
        if wait:
            return _refusal(arrival, target, f"Too many wrong tokens: wait {duration(wait)}.", wait)
        if bearer and is_same(bearer, self._token):
            return None
        if given and is_same(given, self._token):
            browser = new_browser()
            response: Response = RedirectResponse(safe_target(target), 303)
            response.headers.append("set-cookie", cookie(arrival, BROWSER, browser))
            response.headers.append("set-cookie", cookie(arrival, PASS, self._pass_of(browser)))
            return response
        if not bearer and not given:
            return _refusal(arrival, target, "")
        self._guesses.wrong(arrival.address)
        wait = self._guesses.wait(arrival.address)
        again = f" The next try is in {duration(wait)}." if wait else ""
        return _refusal(arrival, target, f"That is not the token.{again}")


def _refusal(arrival: Arrival, target: str, problem: str, wait: int = 0) -> Response:
    headers = {"retry-after": str(wait)} if wait else {}
    code = 429 if wait else 401
    if not arrival.wants_html:
        text = problem or "a token is needed: send it as Authorization: Bearer …"
        return PlainTextResponse(text, code, headers)
    return HTMLResponse(token_page(target, problem), code, headers)
