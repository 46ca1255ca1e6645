"""Who is let in: names, origins, tokens, sizes. Each of the ways in that a stranger could try."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it would rather have another package than httpx
    from starlette.testclient import TestClient

from tengen.web import guesses
from tengen.web.guard import BROWSER, PASS, Guard, is_loopback
from tengen.web.guesses import Guesses


async def _echo(request: Request) -> Response:
    return PlainTextResponse(f"{request.state.browser} {len(await request.body())}")


async def _socket(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text(socket.state.browser)
    await socket.close()


def client(base: str = "http://127.0.0.1:8564", **options: object) -> TestClient:
    app = Starlette(routes=[Route("/", _echo, methods=["GET", "POST"]), WebSocketRoute("/ws", _socket)])
    return TestClient(Guard(app, **options), base_url=base, follow_redirects=False)  # type: ignore[arg-type]


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
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "http://localhost:8564"]
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
    assert site.cookies[BROWSER] == first
    cookie = site.get("/").headers.get("set-cookie")
    assert cookie is None
    forged = client().get("/", headers={"cookie": f"{BROWSER}=../../etc"})
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


def test_requests_are_limited_whether_they_say_how_long_they_are_or_not() -> None:
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
    assert "geheim" not in site.cookies[PASS]
    site.cookies[BROWSER] = "0" * 32  # the pass is for one browser, and not for who finds it
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
    site = client(token="geheim", guesses=Guesses(clock))
    inside = client(token="geheim", guesses=Guesses(clock))
    inside.get("/?token=geheim")
    html = {"accept": "text/html"}
    for _ in range(guesses.FREE):
        answer = site.post("/login", data={"token": "x"}, headers=html)
        assert answer.status_code == 401
    assert "next try is in a second" in answer.text
    waits = []
    for _ in range(12):
        ways = (
            site.post("/login", data={"token": "geheim"}, headers=html),
            site.get("/?token=geheim"),
            site.get("/", headers={"authorization": "Bearer geheim"}),
        )
        assert [way.status_code for way in ways] == [429] * 3  # the right one, too
        assert "too many wrong tokens: wait" in ways[0].text
        waits.append(int(ways[0].headers["retry-after"]))
        clock.now += waits[-1]
        assert site.get("/", headers={"authorization": "Bearer x"}).status_code == 401
    assert waits == [min(int(guesses.LONGEST), 2**power) for power in range(12)]
    clock.now += guesses.LONGEST
    assert site.get("/?token=geheim").status_code == 303
    with pytest.raises(WebSocketDisconnect), client(token="a").websocket_connect("ws://127.0.0.1:8564/ws?token=b"):
        pass


def test_who_has_a_pass_is_not_kept_out_by_somebody_who_guesses_from_the_same_address() -> None:
    counted = Guesses(Clock())
    inside, outside = (client(token="geheim", guesses=counted, secret=b"s" * 32) for _ in range(2))
    inside.get("/?token=geheim")
    for _ in range(9):
        outside.get("/?token=x")
    assert outside.get("/?token=geheim").status_code == 429
    assert inside.get("/").status_code == 200
    outside.cookies[PASS] = "0" * 64  # an old pass is no guess: a tab left open must not lock its owner out
    assert counted.wait("testclient") == 1


def test_guesses_are_counted_by_address_and_forgotten() -> None:
    clock = Clock()
    counted = Guesses(clock)
    for number in range(guesses.FREE + 3):
        counted.wrong(f"2001:db8::{number:x}")  # one network
    counted.wrong("192.0.2.1")
    assert counted.wait("2001:db8::ffff") == 8
    assert counted.wait("192.0.2.1") == counted.wait("2001:db8:0:1::1") == counted.wait("") == 0
    clock.now += guesses.FORGOTTEN + 1
    counted.wrong("2001:db8::1")
    assert counted.wait("2001:db8::1") == 0
    for number in range(guesses.MOST_ADDRESSES + 5):
        counted.wrong(f"name {number}")
    assert len(counted._records) == guesses.MOST_ADDRESSES


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
