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

from tengen.web.guard import BROWSER, TOKEN, Guard, is_loopback


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
    assert site.cookies[TOKEN] == "geheim"
    assert site.get("/").status_code == 200


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
