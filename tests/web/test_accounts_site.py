"""A real server with accounts, and one with a token: what each role gets from every page and path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tengen.store.store import Store
from tengen.web.account_authentication import SESSION_COOKIE
from tests.helpers.web_accounts import PASSWORD, open_account
from tests.helpers.web_site import DESKTOP, STRAW, TIMEOUT_MS, Visitor, serving

HTML = {"accept": "text/html"}
PAGES = ["/", "/new", "/analysis", "/puzzles", "/library", "/players", "/players/new", "/explorer", "/books"]
PAGES += ["/drills", "/clobber", "/pente", "/arena", "/demo", "/options", "/accounts", "/nothing-here"]
PATHS = ["/api/rules", "/api/games", "/api/players", "/api/books", "/api/puzzles", "/api/openapi.json"]
PATHS += ["/export.text", "/api/explore?game=othello"]


@dataclass
class ClubSite:
    address: str
    tokens: dict[str, str]  # of the sessions, by name

    def visit(self, name: str = "") -> httpx.Client:
        cookies = {SESSION_COOKIE: self.tokens[name]} if name else {}
        return httpx.Client(base_url=self.address, cookies=cookies, timeout=TIMEOUT_MS / 1000)


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClubSite]:
    folder: Path = tmp_path_factory.mktemp("club")
    with serving(folder, "--accounts") as (address, _):
        with Store.open(str(folder / "tengen.db")) as store:
            roles = (("Ann", "owner"), ("Ben", "member"), ("Carl", "member"))
            tokens = {name: open_account(store, name, role) for name, role in roles}
        yield ClubSite(address, tokens)
    assert "Traceback" not in (folder / "server.log").read_text()


def begin(site: httpx.Client, one: str, two: str) -> httpx.Response:
    wanted = {"game": "clobber", "options": {"size": "2x3"}, "players": [one, two]}
    return site.post("/api/games", json=wanted)


def test_strangers_get_nothing_but_the_form(club: ClubSite) -> None:
    with club.visit() as stranger:
        for path in (*PAGES, *PATHS, "/static/tengen.css", "/_nicegui_ws/socket.io/?EIO=4&transport=polling"):
            answer = stranger.get(path, headers=HTML)
            assert answer.status_code == 401, path
            assert "Sign in" in answer.text
            assert answer.headers["x-frame-options"] == "DENY"
        assert begin(stranger, "Ann", STRAW).status_code == 401


@pytest.mark.parametrize("name", ["Ann", "Ben"])
def test_accounts_get_the_pages(club: ClubSite, name: str) -> None:
    with club.visit(name) as site:
        for path in (*PAGES, *PATHS):
            answer = site.get(path, headers=HTML)
            expected = {"/nothing-here": 404, "/export.text": 422}  # there is nothing to export yet
            assert answer.status_code == expected.get(path, 200), path
        assert ("Invite" in site.get("/accounts").text) == (name == "Ann")


def test_nobody_begins_a_game_as_somebody_else(club: ClubSite) -> None:
    with club.visit("Ben") as ben, club.visit("Carl") as carl:
        stolen = begin(ben, "carl", STRAW)
        assert stolen.status_code == 403
        assert "belongs to another account" in stolen.json()["detail"]
        made = begin(ben, "Ben", STRAW)
        assert made.status_code == 201, made.text
        game = made.json()["state"]["id"]
        assert carl.get(f"/api/games/{game}").status_code == 200  # members watch one another
        for path in ("moves", "resign", "take-back", "pause"):
            body = {"move": "a1-a2"} if path == "moves" else None
            assert carl.post(f"/api/games/{game}/{path}", json=body).status_code in (403, 422), path
        assert carl.delete(f"/api/games/{game}").status_code == 403
        account_id = {"X-Tengen-Key": "Ben"}
        assert carl.delete(f"/api/games/{game}", headers=account_id).status_code == 403
        # A game in which nobody has moved is in no list, and could not be restored.
        move = ben.get(f"/api/games/{game}").json()["legal"][0]
        assert ben.post(f"/api/games/{game}/moves", json={"move": move}).status_code == 200
        assert ben.post(f"/api/games/{game}/resign").status_code == 200
    with club.visit("Ann") as ann:
        assert ann.delete(f"/api/games/{game}").status_code == 204
    with club.visit("Ben") as ben:
        assert ben.post(f"/api/games/{game}/restore").status_code == 204


def test_only_the_owner_changes_books_and_players_of_others(club: ClubSite) -> None:
    with club.visit("Ben") as ben, club.visit("Ann") as ann:
        players = {one["name"]: one["id"] for one in ben.get("/api/players").json()}
        for name, mine, owners in (("Ben", True, True), ("Ann", False, True), (STRAW, False, True)):
            for site, may in ((ben, mine), (ann, owners)):
                page = site.get(f"/players/{players[name]}").text
                assert ("Only its owner can change this player" not in page) == may, name
        made = begin(ben, "Ben", STRAW).json()["state"]["id"]
        ben.post(f"/api/games/{made}/resign")
        refused = ben.post(f"/api/games/{made}/learn")
        assert refused.status_code == 403
        assert "owner" in refused.json()["detail"]


def test_a_guest_plays_one_game_and_sees_nothing_else(club: ClubSite, browser: Browser) -> None:
    with club.visit("Ben") as ben:
        made = begin(ben, "Ben", "A visitor").json()
        other = begin(ben, "Ben", STRAW).json()["state"]["id"]
        game, key = made["state"]["id"], made["keys"][1]
        context = browser.new_context(**DESKTOP)
        context.set_default_timeout(TIMEOUT_MS)
        try:
            guest = Visitor(context, context.new_page(), club.address).listen()
            guest.go(f"/join/{game}/{key}")
            guest.page.locator("button.bg-primary").first.click()  # take the seat
            guest.page.wait_for_url(f"**/game/{game}")
            guest.wait_for_board()
            legal = ben.get(f"/api/games/{game}").json()["legal"]
            assert ben.post(f"/api/games/{game}/moves", json={"move": legal[0]}).status_code == 200
            guest.wait_for_turn(1)
            guest.move(guest.legal()[0])
            guest.wait_for_ply(2)
            assert guest.complaints == []
            for path in (*PAGES, *PATHS, f"/game/{other}", f"/analysis/{game}", f"/api/games/{other}"):
                answer = context.request.get(f"{club.address}{path}", headers=HTML)
                assert answer.status == 403, path
                assert "guest of one game" in answer.text()
                assert "refresh" not in answer.text(), "waiting does not help"
            assert context.request.get(f"{club.address}/api/games/{game}").status == 200
            assert context.request.delete(f"{club.address}/api/games/{game}").status == 403
            body = json.dumps({"text": "(;GM[1])"})
            answer = context.request.post(
                f"{club.address}/api/records", data=body, headers={"content-type": "application/json"}
            )
            assert answer.status == 403
        finally:
            context.close()


def test_signing_in_and_out_in_a_browser(club: ClubSite, browser: Browser) -> None:
    context = browser.new_context(**DESKTOP)
    try:
        page = context.new_page()
        page.goto(f"{club.address}/players")
        page.get_by_label("Name").fill("Carl")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/players")
        page.goto(f"{club.address}/accounts")
        expect(page.get_by_text("Signed in as Carl (member)")).to_be_visible()
        expect(page.get_by_text("Invite a user")).to_have_count(0)
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url("**/login")
        assert context.request.get(f"{club.address}/accounts").status == 401
    finally:
        context.close()


def test_an_owner_invites_somebody_in_a_browser(club: ClubSite, browser: Browser) -> None:
    owner, newcomer = browser.new_context(**DESKTOP), browser.new_context(**DESKTOP)
    try:
        owner.add_cookies([{"name": SESSION_COOKIE, "value": club.tokens["Ann"], "url": club.address}])
        page = owner.new_page()
        page.goto(f"{club.address}/accounts")
        page.get_by_role("button", name="Create link").click()
        url = page.get_by_label("Link").input_value()
        assert url.startswith(f"{club.address}/invite/")
        other = newcomer.new_page()
        other.goto(url)
        other.get_by_label("Name").fill("Dora")
        for field in ("Password", "Repeat the password"):
            other.get_by_label(field, exact=field != "Password").first.fill(PASSWORD)
        other.get_by_role("button", name="Create account").click()
        other.wait_for_url(f"{club.address}/")
        assert newcomer.request.get(f"{club.address}/library").status == 200
    finally:
        owner.close()
        newcomer.close()


def test_a_server_with_a_token(tmp_path: Path) -> None:
    """Forwarded headers get round no brake and make nobody the owner; players are changed by the owner only."""
    with serving(tmp_path, "--token", "geheim") as (address, _):
        bearer = {"authorization": "Bearer geheim"}
        with httpx.Client(base_url=address, timeout=TIMEOUT_MS / 1000) as site:
            assert site.get("/", headers={**bearer, "origin": "http://["}).status_code == 403
            players = {one["name"]: one["id"] for one in site.get("/api/players", headers=bearer).json()}
            path = f"/players/{players[STRAW]}"
            assert "Only its owner" not in site.get(path, headers=bearer).text
            elsewhere = {**bearer, "x-forwarded-for": "192.0.2.1"}
            assert "Only its owner" in site.get(path, headers=elsewhere).text
            assert "Only the owner" in site.get("/players/new", headers=elsewhere).text
            assert "Add a person" in site.get("/players", headers=bearer).text
            assert "Add a person" not in site.get("/players", headers=elsewhere).text
            codes = [
                site.get("/?token=x", headers={"x-forwarded-for": f"198.51.100.{number}"}).status_code
                for number in range(10)
            ]
            assert codes == [401] * 5 + [429] * 5
