"""What new users hit: a second game by link, a pasted game that is still there later, a database that is down."""

from __future__ import annotations

import subprocess
import sys

from playwright.sync_api import Browser, expect

from tests.helpers.web_site import Site, Visitor


def test_every_game_by_link_can_be_played_and_no_engine_helps_in_it(
    browser: Browser, site: str, ann: Visitor
) -> None:
    bea = Visitor.arrive(browser, site)
    for _ in range(2):
        bea.go(ann.invite("othello"))
        bea.press("Join game")
        bea.wait_for_board()
        ann.wait_for_status("Your move")
        expect(ann.page.get_by_role("button", name="Abort")).to_be_enabled()
        expect(ann.page.get_by_role("button", name="Hint")).to_be_disabled()
        ann.move(ann.legal()[0])
        bea.wait_for_status("Your move")
        expect(bea.page.get_by_role("button", name="Hint")).to_be_disabled()
        bea.press("Analyse")
        expect(bea.page.get_by_text("The game can be analysed after it has ended")).to_be_visible()
    answer = bea.context.request.get(bea.page.url.replace("/game/", "/analysis/"), headers={"accept": "text/html"})
    assert (answer.status, "<title>Not available" in answer.text()) == (409, True), "not: not found"
    bea.leave()
    assert bea.complaints == []


def test_a_pasted_game_is_there_when_one_comes_back(server: Site, ann: Visitor) -> None:
    ann.go("/analysis")
    ann.page.get_by_label("SGF, GGF").fill("(;GM[1]SZ[9]PB[Dee]PW[Emi];B[ee];W[cc];B[gc])")
    ann.press("Open")
    ann.wait_for_board()
    address = ann.page.url.removeprefix(ann.address)
    ann.move(ann.legal()[0])  # a variation
    ann.until("() => document.querySelectorAll('.tg-variation .tg-move').length === 1")
    ann.go("/library")
    expect(ann.page.get_by_role("button", name="Import", exact=True)).to_be_visible()
    assert "Emi" not in ann.page.content()  # it is not in the library before somebody keeps it
    ann.go("/")
    server.start_again()
    ann.go(address)
    ann.wait_for_board()
    expect(ann.page.get_by_text("Dee – Emi")).to_be_visible()
    expect(ann.page.locator(".tg-variation .tg-move")).to_have_count(1)
    ann.complaints.clear()  # of the connection that was lost


DATABASE_DOWN = """
from starlette.testclient import TestClient

from tengen.runtime.host import EngineHost
from tengen.store.errors import StoreUnavailable
from tengen.store.store import Store
from tengen.web.game_sessions import GameSessions
from tengen.web.visitor_cache import VisitorCache
from tengen.web.server import Settings, build


def fail(*_, **__):
    raise StoreUnavailable("the database <is> down")


with Store.in_memory() as store, EngineHost(1) as host:
    app = build(GameSessions(store, host, VisitorCache(store)), Settings())
    with TestClient(app, base_url="http://localhost") as client:
        assert client.get("/").status_code == 200
        for name in ("load", "list_games", "players"):
            setattr(Store, name, fail)
        for path in ("/", "/new", "/game/x", "/analysis/x", "/join/x/y"):
            answer = client.get(path)
            assert answer.status_code == 503, (path, answer.status_code)
            assert "is&gt; down" in answer.text or "is> down" in answer.text, (path, answer.text)
"""


def test_pages_explain_that_the_database_is_down() -> None:
    done = subprocess.run([sys.executable, "-c", DATABASE_DOWN], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
