"""Who is let in: names, origins, tokens, sizes. Each of the ways in that a stranger could try."""

from __future__ import annotations

import socket
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it would rather have another package than httpx
    from starlette.testclient import TestClient

from tengen.core.errors import OptionError
from tengen.web import attempt_limiter, security, server
from tengen.web.attempt_limiter import AttemptLimiter
from tengen.web.authentication import BROWSER_COOKIE
from tengen.web.forwarding import is_local_client, is_loopback
from tengen.web.security import SecurityMiddleware
from tengen.web.token_authentication import PASS_COOKIE, TokenAuthenticator


async def _echo(request: Request) -> Response:
    if "who" in request.query_params:
        client = request.client
        return PlainTextResponse(
            f"{None if client is None else client[0]} {request.state.visitor.role} {request.base_url}"
        )
    return PlainTextResponse(f"{request.state.browser} {len(await request.body())}")


async def _socket(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text(socket.state.browser)
    await socket.close()


def client(
    base: str = "http://127.0.0.1:8564",
    *,
    peer: str = "testclient",
    token: str | None = None,
    secret: bytes | None = None,
    attempts: AttemptLimiter | None = None,
    **options: Any,
) -> TestClient:
    app = Starlette(routes=[Route("/", _echo, methods=["GET", "POST"]), WebSocketRoute("/ws", _socket)])
    gate = None if token is None else TokenAuthenticator(token, secret=secret, attempts=attempts)
    return TestClient(
        SecurityMiddleware(app, authenticator=gate, **options),
        base_url=base,
        follow_redirects=False,
        client=(peer, 50000),
    )


@pytest.mark.parametrize("host", ["127.0.0.1:8564", "localhost:1", "LOCALHOST", "[::1]:80"])
def test_it_goes_by_the_names_of_this_machine(host: str) -> None:
    assert client().get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "192.168.0.7", "", "localhost@evil", "["]
)
def test_other_names_are_refused_so_that_no_name_can_be_rebound_to_it(host: str) -> None:
    assert client().get("/", headers={"host": host}).status_code == 403


def test_told_to_listen_elsewhere_it_goes_by_numbers_and_the_names_it_was_given() -> None:
    open_to_others = client(address="0.0.0.0", names=["board.example"])
    for host, code in (("192.168.0.7:8564", 200), ("Board.example", 200), ("evil.example", 403)):
        assert open_to_others.get("/", headers={"host": host}).status_code == code, host


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "http://localhost:8564", "http://[", "["]
)
def test_pages_of_other_sites_get_nothing(origin: str) -> None:
    site = client()
    assert site.get("/", headers={"origin": origin}).status_code == 403
    assert site.post("/", content=b"x", headers={"origin": origin}).status_code == 403
    with (
        pytest.raises(WebSocketDisconnect),
        site.websocket_connect("ws://127.0.0.1:8564/ws", headers={"origin": origin}),
    ):
        pass


def test_a_request_that_a_foreign_page_makes_without_an_origin_is_refused_but_a_link_may_be_followed() -> None:
    site = client()
    assert site.get("/", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}).status_code == 403
    assert site.get("/", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}).status_code == 200


def test_own_pages_are_served() -> None:
    site = client()
    assert site.post("/", content=b"x", headers={"origin": "http://127.0.0.1:8564"}).status_code == 200
    with site.websocket_connect("ws://127.0.0.1:8564/ws", headers={"origin": "http://127.0.0.1:8564"}) as socket:
        assert len(socket.receive_text()) == 32


def test_a_browser_is_known_again_by_its_cookie_and_cannot_choose_it() -> None:
    site = client()
    first = site.get("/").text.split()[0]
    assert site.get("/").text.split()[0] == first
    assert site.cookies[BROWSER_COOKIE] == first
    cookie = site.get("/").headers.get("set-cookie")
    assert cookie is None
    forged = client().get("/", headers={"cookie": f"{BROWSER_COOKIE}=../../etc"})
    assert len(forged.text.split()[0]) == 32
    assert "HttpOnly" in forged.headers["set-cookie"]
    assert "SameSite=Lax" in forged.headers["set-cookie"]


def test_pages_cannot_be_framed_nor_load_from_elsewhere() -> None:
    headers = client().get("/").headers
    assert headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


def _pieces() -> Iterator[bytes]:
    for _ in range(30):
        yield b"x" * 100


def test_requests_are_limited_whether_they_say_how_long_they_are_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "DISCARD_TIMEOUT_S", 0.1)  # the test client sends nothing after a refusal
    site = client(largest_body=1000)
    assert site.post("/", content=b"x" * 1000).status_code == 200
    assert site.post("/", content=b"x" * 1001).status_code == 413
    assert site.post("/", content=_pieces()).status_code == 413
    assert site.post("/", content=b"x", headers={"content-length": "-1"}).status_code == 413


def test_the_token_is_asked_for_and_remembered() -> None:
    site = client(token="geheim")
    page = site.get("/", headers={"accept": "text/html"})
    assert page.status_code == 401
    assert "<form" in page.text
    assert site.get("/").status_code == 401
    assert site.get("/?token=wrong").status_code == 401
    assert site.get("/", headers={"authorization": "Bearer geheim"}).status_code == 200
    with pytest.raises(WebSocketDisconnect), site.websocket_connect("ws://127.0.0.1:8564/ws"):
        pass
    let_in = site.get("/?token=geheim")
    assert let_in.status_code == 303
    assert let_in.headers["location"] == "/"  # the token does not stay in the address
    assert site.get("/").status_code == 200
    assert "geheim" not in site.cookies[PASS_COOKIE]
    site.cookies[BROWSER_COOKIE] = "0" * 32  # the pass is for one browser, and not for who finds it
    assert site.get("/").status_code == 401


def test_a_pass_holds_after_the_server_was_started_again_but_not_with_another_token() -> None:
    first = client(token="geheim", secret=b"s" * 32)
    first.get("/?token=geheim")
    for token, secret, code in (("geheim", b"s" * 32, 200), ("neu", b"s" * 32, 401), ("geheim", b"t" * 32, 401)):
        again = client(token=token, secret=secret)
        again.cookies.update(first.cookies)
        assert again.get("/").status_code == code


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_wrong_tokens_cost_more_time_each_time_and_are_not_even_looked_at_meanwhile() -> None:
    clock = Clock()
    site = client(token="geheim", attempts=AttemptLimiter(clock))
    inside = client(token="geheim", attempts=AttemptLimiter(clock))
    inside.get("/?token=geheim")
    html = {"accept": "text/html"}
    for _ in range(attempt_limiter.FREE_FAILURES):
        answer = site.post("/login", data={"token": "x"}, headers=html)
        assert answer.status_code == 401
    assert "Try again in a second" in answer.text
    waits = []
    for _ in range(12):
        ways = (
            site.post("/login", data={"token": "geheim"}, headers=html),
            site.get("/?token=geheim"),
            site.get("/", headers={"authorization": "Bearer geheim"}),
        )
        assert [way.status_code for way in ways] == [429] * 3  # the right one, too
        assert "Too many wrong tokens. Try again in" in ways[0].text
        waits.append(int(ways[0].headers["retry-after"]))
        clock.now += waits[-1]
        assert site.get("/", headers={"authorization": "Bearer x"}).status_code == 401
    assert waits == [min(int(attempt_limiter.MAX_DELAY_S), 2**power) for power in range(12)]
    clock.now += attempt_limiter.MAX_DELAY_S
    assert site.get("/?token=geheim").status_code == 303
    with pytest.raises(WebSocketDisconnect), client(token="a").websocket_connect("ws://127.0.0.1:8564/ws?token=b"):
        pass


def test_who_has_a_pass_is_not_kept_out_by_somebody_who_guesses_from_the_same_address() -> None:
    counted = AttemptLimiter(Clock())
    inside, outside = (client(token="geheim", attempts=counted, secret=b"s" * 32) for _ in range(2))
    inside.get("/?token=geheim")
    for _ in range(9):
        outside.get("/?token=x")
    assert outside.get("/?token=geheim").status_code == 429
    assert inside.get("/").status_code == 200
    outside.cookies[PASS_COOKIE] = "0" * 64  # an old pass is no guess: a tab left open must not lock its owner out
    assert counted.delay_s("testclient") == 1


def test_guesses_are_counted_by_address_and_forgotten() -> None:
    clock = Clock()
    counted = AttemptLimiter(clock)
    for number in range(attempt_limiter.FREE_FAILURES + 3):
        counted.record_failure(f"2001:db8::{number:x}")  # one network
    counted.record_failure("192.0.2.1")
    assert counted.delay_s("2001:db8::ffff") == 8
    assert counted.delay_s("192.0.2.1") == counted.delay_s("2001:db8:0:1::1") == counted.delay_s("") == 0
    clock.now += attempt_limiter.RESET_AFTER_S + 1
    counted.record_failure("2001:db8::1")
    assert counted.delay_s("2001:db8::1") == 0
    for number in range(attempt_limiter.MAX_TRACKED_KEYS + 5):
        counted.record_failure(f"name {number}")
    assert len(counted._records) == attempt_limiter.MAX_TRACKED_KEYS


def test_the_form_takes_the_token_and_leads_nowhere_else() -> None:
    for target, expected in (("/game/1", "/game/1"), ("//evil.example", "/"), ("https://evil.example", "/")):
        site = client(token="geheim")
        answer = site.post("/login", data={"token": "geheim", "to": target})
        assert answer.status_code == 303
        assert answer.headers["location"] == expected
    wrong = client(token="geheim").post(
        "/login", data={"token": "x", "to": '"><script>'}, headers={"accept": "text/html"}
    )
    assert wrong.status_code == 401
    assert "<script>" not in wrong.text


def test_which_addresses_only_this_machine_can_reach() -> None:
    for address in ("127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost"):
        assert is_loopback(address), address
    for address in ("0.0.0.0", "::", "192.168.0.7", "board.example"):
        assert not is_loopback(address), address


# ---- reverse proxies


def told(site: TestClient, **headers: str) -> str:
    return site.get("/?who", headers={name.replace("_", "-"): value for name, value in headers.items()}).text


def test_rotating_forwarded_addresses_do_not_get_round_the_brake() -> None:
    for options in ({"peer": "127.0.0.1"}, {"peer": "192.0.2.9"}):
        site = client(token="geheim", attempts=AttemptLimiter(Clock()), **options)
        codes = [
            site.get("/?token=x", headers={"x-forwarded-for": f"198.51.100.{number}"}).status_code
            for number in range(10)
        ]
        assert codes == [401] * 5 + [429] * 5


def test_a_configured_proxy_says_who_asks_but_a_client_cannot() -> None:
    proxied = client(
        peer="10.0.0.1", proxies=["10.0.0.0/8", "127.0.0.1"], token="geheim", attempts=AttemptLimiter(Clock())
    )
    for number in range(10):  # what stands left of the address that the proxy adds was sent by the client
        answer = proxied.get(
            "/?token=x", headers={"x-forwarded-for": f"198.51.100.{number}, 203.0.113.5, 10.2.2.2"}
        )
    assert answer.status_code == 429
    assert proxied.get("/?token=x", headers={"x-forwarded-for": "203.0.113.6"}).status_code == 401


@pytest.mark.parametrize(
    ("forwarded", "expected"),
    [
        ("203.0.113.5", "203.0.113.5"),
        ("127.0.0.1, 203.0.113.5", "203.0.113.5"),
        ("203.0.113.5, 127.0.0.1", "203.0.113.5"),
        ("127.0.0.1", "127.0.0.1"),
        ("203.0.113.5:4711", "203.0.113.5"),
        ("[2001:db8::1]:80", "2001:db8::1"),
        ("nonsense", "None"),
        ("203.0.113.5, nonsense", "None"),
        ("", "None"),
    ],
)
def test_the_client_is_the_last_address_that_is_no_proxy(forwarded: str, expected: str) -> None:
    site = client(peer="127.0.0.1", proxies=["127.0.0.1"])
    assert told(site, x_forwarded_for=forwarded).split()[0] == expected


def test_loopback_behind_a_proxy_on_another_machine_is_not_this_machine() -> None:
    """A client in the proxies' own network may send any address to the left of its own."""
    site = client(peer="10.1.1.1", proxies=["10.0.0.0/8"])
    assert told(site, x_forwarded_for="127.0.0.1, 10.9.9.9").split()[:2] == ["None", "member"]
    assert told(site, x_forwarded_for="203.0.113.5, 10.9.9.9").split()[0] == "203.0.113.5"


def test_only_a_direct_visitor_of_this_machine_is_its_owner() -> None:
    direct = client(peer="127.0.0.1")
    assert told(direct).split()[1] == "owner"
    for header in ("x_forwarded_for", "x_real_ip", "forwarded"):
        assert told(direct, **{header: "127.0.0.1"}).split()[:2] == ["None", "member"]
    proxied = client(peer="127.0.0.1", proxies=["127.0.0.1"])
    assert told(proxied).split()[:2] == ["None", "member"]  # a proxy that does not say for whom it asks
    assert told(proxied, x_forwarded_for="203.0.113.5").split()[1] == "member"
    assert told(client(peer="192.0.2.9"), x_forwarded_for="127.0.0.1").split()[:2] == ["192.0.2.9", "member"]
    assert is_local_client(("::ffff:127.0.0.1", 1))
    assert not is_local_client(None)


def test_scheme_and_host_are_taken_from_a_configured_proxy_only() -> None:
    says: dict[str, str] = {
        "x-forwarded-for": "203.0.113.5",
        "x-forwarded-proto": "https",
        "x-forwarded-host": "board.example",
    }
    options: dict[str, Any] = {"names": ["board.example"], "token": "geheim"}
    for proxies, is_https in ((["127.0.0.1"], True), ([], False)):
        site = client(peer="127.0.0.1", proxies=proxies, **options)
        let_in = site.get("/?token=geheim", headers=says)
        assert [("; Secure" in one) for one in let_in.headers.get_list("set-cookie")] == [is_https] * 2
        bearer = {**says, "authorization": "Bearer geheim"}
        base = site.get("/?who", headers=bearer).text.split()[2]
        assert base == ("https://board.example/" if is_https else "http://127.0.0.1:8564/")
        for origin, is_own in (
            ("https://board.example", is_https),
            ("http://board.example", False),
            ("http://127.0.0.1:8564", not is_https),
        ):
            answer = site.get("/", headers={**bearer, "origin": origin})
            assert answer.status_code == (200 if is_own else 403), (origin, proxies)
    evil = {**says, "x-forwarded-host": "evil.example"}
    assert client(peer="127.0.0.1", proxies=["127.0.0.1"], **options).get("/", headers=evil).status_code == 403


def test_what_is_not_a_network_is_no_proxy() -> None:
    with pytest.raises(OptionError, match=r"10\.0\.0\.0/8"):
        client(proxies=["nginx"])


def test_a_browser_id_from_before_the_login_is_not_used_after_it() -> None:
    planted = "a" * 32
    site = client(token="geheim")
    site.cookies[BROWSER_COOKIE] = planted
    site.get("/?token=geheim")
    values = [one.value for one in site.cookies.jar if one.name == BROWSER_COOKIE and one.value != planted]
    assert len(values) == 1
    attacker = client(token="geheim")
    attacker.get("/?token=geheim")
    site.cookies.clear()
    site.cookies[BROWSER_COOKIE], site.cookies[PASS_COOKIE] = planted, attacker.cookies[PASS_COOKIE]
    assert site.get("/").status_code == 401


def test_every_answer_has_the_security_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "DISCARD_TIMEOUT_S", 0.1)  # the test client sends nothing after a refusal
    site = client(token="geheim", largest_body=1000)
    html = {"accept": "text/html"}
    answers = [
        site.get("/", headers=html),
        site.get("/?token=x", headers=html),
        site.get("/?token=geheim"),
        site.get("/", headers={"host": "evil.example"}),
        site.get("/", headers={"origin": "http://["}),
        site.post("/", content=b"x" * 1001),
    ]
    site.get("/?token=geheim")
    answers += [site.get("/"), site.post("/", content=_pieces()), site.get("/nothing")]
    assert [one.status_code for one in answers] == [401, 401, 303, 403, 403, 413, 200, 413, 404]
    for answer in answers:
        assert answer.headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["referrer-policy"] == "same-origin"


def test_answers_are_sent_without_delay() -> None:
    with server.listen("127.0.0.1", 0) as bound:
        assert bound.proto == socket.IPPROTO_TCP  # asyncio sets TCP_NODELAY only then


def test_programs_on_this_machine_ask_for_its_health_without_a_login() -> None:
    path = "/api/health"
    for peer, headers, code in (
        ("127.0.0.1", {}, 404),  # let in; this app has no such path
        ("127.0.0.1", {"x-forwarded-for": "192.0.2.1"}, 401),
        ("192.0.2.1", {}, 401),
    ):
        assert client(peer=peer, token="geheim").get(path, headers=headers).status_code == code
    assert client(peer="127.0.0.1", token="geheim").post(path).status_code == 401
    assert client(peer="127.0.0.1", token="geheim").get("/api/health/x").status_code == 401
