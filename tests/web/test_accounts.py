"""Accounts: signing in, invitations, sessions, guests, and what each role may do."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import threading
import warnings
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from argon2 import PasswordHasher
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it would rather have another package than httpx
    from starlette.testclient import TestClient

from tengen import cli
from tengen.core.errors import OptionError
from tengen.core.resource_limits import LimitExceeded, ResourceLimits
from tengen.players.configure import configure, engine_player
from tengen.players.player import Person
from tengen.search.limits import Limits
from tengen.store import accounts as stored_accounts
from tengen.store import sessions as stored_sessions
from tengen.store.errors import NotStored, StoreConflict, StoreError, StoreUnavailable
from tengen.store.store import Store
from tengen.web import account_authentication, permissions
from tengen.web.account_authentication import DEVICE_COOKIE, GUEST_COOKIE, SESSION_COOKIE, AccountAuthenticator
from tengen.web.accounts import CACHE_TTL_S, AccountService
from tengen.web.attempt_limiter import AttemptLimiter
from tengen.web.authentication import BROWSER_COOKIE
from tengen.web.passwords import HASHES_QUEUED, Passwords, check_password
from tengen.web.permissions import NotAllowed
from tengen.web.security import SecurityMiddleware
from tengen.web.visitor import Role, Visitor

PASSWORD = "correct horse battery"
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
KEY, GAME = "k" * 22, "game-1"
WS = "ws://127.0.0.1:8564"
HTML = {"accept": "text/html"}


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class CountingPasswords(Passwords):
    """Counts the passwords that are looked at."""

    def __init__(self) -> None:
        super().__init__(QUICK)
        self.looked_at: list[str | None] = []

    async def verify(self, hashed: str | None, password: str) -> bool:
        self.looked_at.append(hashed)
        return await super().verify(hashed, password)


async def _echo(request: Request) -> Response:
    visitor = request.state.visitor
    assert request.state.browser == visitor.id
    return PlainTextResponse(f"{visitor.role} {visitor.name} {visitor.id}")


async def _socket(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text(socket.state.visitor.role)
    try:
        while True:
            await socket.send_text(await socket.receive_text())
    except WebSocketDisconnect:
        pass


class Club:
    """A guarded app with accounts, whose games know one seat."""

    def __init__(self) -> None:
        self.store = Store.in_memory()
        self.clock = Clock()
        self.passwords = CountingPasswords()
        self.service = AccountService(self.store, self.passwords, self.clock)
        self.seated: set[tuple[str, str]] = set()
        self.guard = self.make_guard()

    def make_guard(self, **options: Any) -> SecurityMiddleware:
        async def is_seat_key(game: str, key: str) -> bool:
            return (game, key) == (GAME, KEY)

        async def holds_seat(game: str, browser: str) -> bool:
            return (game, browser) in self.seated

        gate = AccountAuthenticator(
            self.service,
            secret=b"s" * 32,
            is_seat_key=is_seat_key,
            holds_seat=holds_seat,
            address_attempts=AttemptLimiter(self.clock, free_failures=account_authentication.FAILURES_PER_ADDRESS),
            name_attempts=AttemptLimiter(
                self.clock,
                free_failures=account_authentication.FAILURES_PER_NAME,
                max_delay_s=account_authentication.MAX_DELAY_PER_NAME_S,
            ),
        )
        app = Starlette(
            routes=[
                WebSocketRoute("/{path:path}", _socket),
                Route("/{path:path}", _echo, methods=["GET", "POST", "DELETE"]),
            ]
        )
        return SecurityMiddleware(app, authenticator=gate, **options)

    def visit(self, peer: str = "192.0.2.1", guard: SecurityMiddleware | None = None) -> TestClient:
        return TestClient(
            guard or self.guard, base_url="http://127.0.0.1:8564", follow_redirects=False, client=(peer, 5000)
        )

    def join(self, name: str, role: str = "member", password: str = PASSWORD) -> TestClient:
        """Somebody who has accepted an invitation."""
        site = self.visit()
        answer = accept(site, self.store.invite(role), name, password)
        assert answer.status_code == 303, answer.text
        return site

    def close(self) -> None:
        self.service.close()
        self.store.close()


def accept(site: TestClient, token: str, name: str, password: str = PASSWORD) -> httpx.Response:
    return site.post(f"/invite/{token}", data={"name": name, "password": password, "again": password})


def log_in(site: TestClient, name: str, password: str = PASSWORD, to: str = "/") -> httpx.Response:
    return site.post("/login", data={"name": name, "password": password, "to": to}, headers=HTML)


@pytest.fixture
def club() -> Iterator[Club]:
    made = Club()
    yield made
    made.close()


# ---- invitations


def test_the_first_link_makes_the_owner_and_there_is_only_one(club: Club) -> None:
    old = club.store.invite_owner()
    first = club.store.invite_owner()
    assert old is not None
    assert first is not None
    site = club.visit()
    assert site.get(f"/invite/{old}").status_code == 404  # the server was started again
    page = site.get(f"/invite/{first}", headers=HTML)
    assert "owner of this server" in page.text
    assert accept(site, first, "Ann").status_code == 303
    assert site.get("/").text.startswith("owner Ann ")
    assert club.store.invite_owner() is None


def test_an_invitation_works_once_and_looking_at_it_does_not_use_it_up(club: Club) -> None:
    token = club.store.invite("member")
    for _ in range(3):
        assert club.visit().get(f"/invite/{token}", headers=HTML).status_code == 200
    site = club.visit()
    assert accept(site, token, "Ben").status_code == 303
    assert site.get("/").text.startswith("member Ben ")
    late = accept(club.visit(), token, "Carl")
    assert late.status_code == 404
    assert "used already" in late.text
    assert token not in "\n".join(club.store._database.engine.raw_connection().driver_connection.iterdump())


def test_invitations_expire(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    token, real = club.store.invite("member"), stored_accounts.now
    monkeypatch.setattr(stored_accounts, "now", lambda: real() + timedelta(days=6, hours=23))
    assert club.store.invitation(token).role == "member"
    monkeypatch.setattr(stored_accounts, "now", lambda: real() + timedelta(days=7))
    assert accept(club.visit(), token, "Ben").status_code == 404


@pytest.mark.parametrize(
    ("name", "password", "again", "code", "words"),
    [
        ("Ben", "too short", "too short", 422, "at least 10"),
        ("Ben", PASSWORD, "another one entirely", 422, "differ"),
        ("Ben", "aaaaaaaaaaaaa", "aaaaaaaaaaaaa", 422, "easy to guess"),
        ("", PASSWORD, PASSWORD, 422, "name"),
        ("x" * 41, PASSWORD, PASSWORD, 422, "40"),
        ("a\nb", PASSWORD, PASSWORD, 422, "name"),
        ("ANN", PASSWORD, PASSWORD, 409, "taken"),
        ("\uff21nn", PASSWORD, PASSWORD, 409, "taken"),  # looks the same
        ("the machine's", PASSWORD, PASSWORD, 409, "already"),
    ],
)
def test_what_is_wrong_with_a_new_account_is_said_and_the_link_stays(
    club: Club, name: str, password: str, again: str, code: int, words: str
) -> None:
    club.join("Ann")
    club.store.save_player(Person("The machine's"))
    token = club.store.invite("member")
    site = club.visit()
    answer = site.post(f"/invite/{token}", data={"name": name, "password": password, "again": again})
    assert answer.status_code == code
    assert words in answer.text
    assert accept(site, token, "Ben").status_code == 303


def test_an_owner_may_take_over_the_person_who_played_on_this_machine(club: Club) -> None:
    person = Person("Root")
    club.store.save_player(person)
    club.join("root", "owner")
    assert club.store.player_owner(person.id) == club.store.account_named("Root").id


def test_a_reset_link_sets_a_new_password_and_ends_all_sessions(club: Club) -> None:
    site = club.join("Ben")
    token = club.store.make_reset_link(club.store.account_named("ben").id)
    other = club.visit()
    assert "Ben" in other.get(f"/invite/{token}", headers=HTML).text
    answer = other.post(f"/invite/{token}", data={"password": "a new password", "again": "a new password"})
    assert answer.status_code == 303
    assert other.get("/").status_code == 200
    assert site.get("/").status_code == 401
    assert log_in(club.visit(), "Ben").status_code == 401
    assert log_in(club.visit(), "Ben", "a new password").status_code == 303
    with pytest.raises(NotStored):
        club.store.invitation(token)


# ---- signing in


def test_only_who_has_signed_in_gets_in(club: Club) -> None:
    club.join("Ben")
    site = club.visit()
    page = site.get("/library", headers=HTML)
    assert page.status_code == 401
    assert 'value="/library"' in page.text
    assert site.get("/api/games").status_code == 401
    with pytest.raises(WebSocketDisconnect), site.websocket_connect(f"{WS}/_nicegui_ws/socket.io/"):
        pass
    answer = log_in(site, "bEN", to="/library")
    assert (answer.status_code, answer.headers["location"]) == (303, "/library")
    assert answer.headers["x-frame-options"] == "DENY"
    assert site.get("/").text.startswith("member Ben ")
    for target in ("//evil.example", "https://evil.example", "/\\evil", "/\t/evil.example"):
        assert log_in(club.visit(), "Ben", to=target).headers["location"] == "/"


def test_the_cookie_is_out_of_reach_and_the_store_has_only_its_digest(club: Club) -> None:
    club.join("Ben")
    site = club.visit()
    answer = log_in(site, "Ben")
    cookie = next(one for one in answer.headers.get_list("set-cookie") if one.startswith(SESSION_COOKIE))
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie
    dump = "\n".join(club.store._database.engine.raw_connection().driver_connection.iterdump())
    assert site.cookies[SESSION_COOKIE] not in dump
    assert PASSWORD not in dump
    assert "$argon2id$" in dump
    secure = club.visit("127.0.0.1", club.make_guard(proxies=["127.0.0.1"], names=["board.example"]))
    says = {"x-forwarded-for": "192.0.2.9", "x-forwarded-proto": "https", "host": "board.example"}
    answer = secure.post("/login", data={"name": "Ben", "password": PASSWORD}, headers=says)
    cookies = answer.headers.get_list("set-cookie")
    assert [one for one in cookies if one.startswith(SESSION_COOKIE)]
    assert all("; Secure" in one for one in cookies)


def test_an_account_is_the_same_visitor_on_every_device(club: Club) -> None:
    first, second = club.join("Ben"), club.visit()
    log_in(second, "Ben")
    assert first.get("/").text == second.get("/").text
    assert first.cookies[SESSION_COOKIE] != second.cookies[SESSION_COOKIE]
    account = club.store.account_named("Ben")
    assert first.get("/").text.endswith(account.identity)
    assert account.identity != account.id  # the id may be shown; the identity is a key to the games


def test_a_session_that_was_planted_before_is_not_used(club: Club) -> None:
    club.join("Ben")
    site = club.visit()
    site.cookies[SESSION_COOKIE] = planted = "p" * 43
    log_in(site, "Ben")
    assert club.store.find_session(planted) is None


def test_signing_out_ends_the_session_on_the_server(club: Club) -> None:
    site = club.join("Ben")
    token = site.cookies[SESSION_COOKIE]
    assert site.get("/logout").status_code == 200  # an image elsewhere cannot sign anybody out
    assert site.post("/logout", headers={"origin": "http://evil.example"}).status_code == 403
    assert site.post("/logout").status_code == 303
    site.cookies[SESSION_COOKIE] = token
    assert site.get("/").status_code == 401


def test_a_wrong_name_costs_as_much_as_a_wrong_password_and_reads_the_same(club: Club) -> None:
    club.join("Ben")
    site = club.visit()
    wrong_name, wrong_password = log_in(site, "Nobody"), log_in(site, "Ben", "x" * 12)
    assert wrong_name.status_code == wrong_password.status_code == 401
    assert wrong_name.text.replace("Nobody", "Ben") == wrong_password.text
    assert len(club.passwords.looked_at) == 2  # for the name that does not exist, too


def test_guesses_are_slowed_by_address(club: Club) -> None:
    site = club.visit()
    codes = [log_in(site, f"name {number}", "wrong password").status_code for number in range(30)]
    assert codes == [401] * account_authentication.FAILURES_PER_ADDRESS + [429] * 10
    assert log_in(club.visit("198.51.100.1"), "name", "wrong password").status_code == 401


def test_guesses_at_one_name_are_slowed_from_everywhere_but_lock_nobody_out(club: Club) -> None:
    known = club.join("Ben")  # this device has signed in before
    known.post("/logout")
    for number in range(60):
        log_in(club.visit(f"198.51.{number}.1"), "Ben", "wrong password")
    assert len(club.passwords.looked_at) == account_authentication.FAILURES_PER_NAME
    fresh = club.visit("203.0.113.1")
    assert log_in(fresh, "ben").status_code == 429
    assert log_in(known, "Ben").status_code == 303
    for _ in range(20):  # whoever guesses goes on, but the wait has a limit
        club.clock.now += account_authentication.MAX_DELAY_PER_NAME_S
        log_in(club.visit("198.51.100.7"), "Ben", "wrong password")
    club.clock.now += account_authentication.MAX_DELAY_PER_NAME_S
    assert log_in(fresh, "Ben").status_code == 303
    stolen = club.visit("203.0.113.2")
    stolen.cookies[DEVICE_COOKIE] = "0011223344556677." + "0" * 64
    assert log_in(stolen, "Ben").status_code == 429


def test_many_guesses_at_the_same_moment_count_before_they_are_looked_at(club: Club) -> None:
    club.join("Ben")

    async def storm() -> list[int]:
        transport = httpx.ASGITransport(club.guard, client=("192.0.2.77", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as site:
            tries = [site.post("/login", data={"name": "Ben", "password": f"guess {n:06}"}) for n in range(50)]
            return [answer.status_code for answer in await asyncio.gather(*tries)]

    codes = asyncio.run(storm())
    assert codes.count(429) == 50 - account_authentication.FAILURES_PER_NAME
    assert len(club.passwords.looked_at) == account_authentication.FAILURES_PER_NAME


def test_hashing_is_bounded_and_says_so() -> None:
    async def crowd() -> list[object]:
        passwords = Passwords(QUICK)
        try:
            tries = [passwords.verify(None, "x" * 12) for _ in range(HASHES_QUEUED + 5)]
            return await asyncio.gather(*tries, return_exceptions=True)
        finally:
            passwords.close()

    results = asyncio.run(crowd())
    assert sum(isinstance(one, LimitExceeded) for one in results) == 5
    assert [one for one in results if not isinstance(one, LimitExceeded)] == [False] * HASHES_QUEUED


def test_a_password_is_hashed_anew_when_the_parameters_change(club: Club) -> None:
    club.join("Ben")
    account = club.store.account_named("Ben")
    old = PasswordHasher(time_cost=2, memory_cost=16, parallelism=1).hash(PASSWORD)
    club.store.rehash_password(account.id, account.password, old)
    assert log_in(club.visit(), "Ben").status_code == 303
    renewed = club.store.account_named("Ben").password
    assert renewed != old
    assert not QUICK.check_needs_rehash(renewed)
    assert log_in(club.visit(), "Ben").status_code == 303


def test_the_same_password_typed_on_another_keyboard() -> None:
    assert check_password("pässwörter!") == check_password("pa\u0308sswo\u0308rter!")
    for bad in ("", "short", "x" * 5000, "abababababab"):
        with pytest.raises(OptionError):
            check_password(bad)


# ---- sessions


def test_sessions_end_when_they_are_old_or_idle(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    site, real = club.join("Ben"), stored_sessions.now
    number = club.store.sessions()[0].number

    def later(days: float) -> int:
        monkeypatch.setattr(stored_sessions, "now", lambda: real() + timedelta(days=days))
        club.clock.now += CACHE_TTL_S
        return site.get("/").status_code

    assert later(29) == 200
    assert later(31) == 401
    later(29)
    club.store.touch_session(number)
    assert later(58) == 200
    for days in (58, 80, 89.9):
        monkeypatch.setattr(stored_sessions, "now", lambda days=days: real() + timedelta(days=days))
        club.store.touch_session(number)
    assert later(89.9) == 200
    assert later(90.1) == 401


def test_an_account_has_a_limited_number_of_sessions(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.web.accounts.resource_limits", lambda: ResourceLimits(sessions_per_account=2))
    first = club.join("Ben")
    second, third = club.visit(), club.visit()
    log_in(second, "Ben")
    log_in(third, "Ben")
    assert [site.get("/").status_code for site in (first, second, third)] == [401, 200, 200]


def test_the_database_is_not_asked_at_each_request(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    site = club.join("Ben")
    asked, real = [], club.store.find_session
    monkeypatch.setattr(club.store, "find_session", lambda token: (asked.append(token), real(token))[1])
    for _ in range(20):
        assert site.get("/").status_code == 200
    assert len(asked) == 1
    number = club.store.sessions()[0].number
    club.store.revoke_session(number)  # as another process would
    assert site.get("/").status_code == 200
    club.clock.now += CACHE_TTL_S
    assert site.get("/").status_code == 401
    log_in(site, "Ben")
    assert site.get("/").status_code == 200
    asyncio.run(club.service.revoke(club.store.sessions()[0].number))  # in this process: at once
    assert site.get("/").status_code == 401


def test_an_open_socket_of_a_revoked_session_is_closed(club: Club) -> None:
    guard = club.make_guard(socket_check_s=0.05)
    site = club.join("Ben")
    watching = club.visit(guard=guard)
    watching.cookies.update(site.cookies)
    with watching.websocket_connect(f"{WS}/_nicegui_ws/socket.io/") as socket:
        assert socket.receive_text() == "member"
        socket.send_text("hello")
        assert socket.receive_text() == "hello"
        club.store.revoke_sessions(club.store.account_named("Ben").id)
        club.clock.now += CACHE_TTL_S
        with pytest.raises(WebSocketDisconnect) as ended:
            socket.receive_text()
        assert ended.value.code == 1008


def test_changes_of_an_account_end_its_sessions(club: Club) -> None:
    owner = club.join("Ann", "owner")
    boss = Visitor("", Role.OWNER, "Ann", club.store.account_named("Ann").id)
    for change in ("password", "role", "disable"):
        name = f"Ben {change}"
        here, there = club.join(name), club.visit()
        log_in(there, name)
        account = club.store.account_named(name)
        me = Visitor(account.identity, Role.MEMBER, name, account.id)
        if change == "password":
            kept = next(one.number for one in club.store.sessions(account.id))
            with pytest.raises(OptionError, match="is wrong"):
                asyncio.run(club.service.change_password(me, "wrong password", "a new password", kept))
            asyncio.run(club.service.change_password(me, PASSWORD, "a new password", kept))
            assert sorted(site.get("/").status_code for site in (here, there)) == [200, 401]
            continue
        if change == "role":
            asyncio.run(club.service.set_role(boss, account.id, "owner"))
        else:
            asyncio.run(club.service.set_disabled(boss, account.id, True))
            assert log_in(club.visit(), name).status_code == 401
        assert [site.get("/").status_code for site in (here, there)] == [401, 401]
    assert owner.get("/").status_code == 200


def test_only_owners_manage_accounts_and_the_last_one_stays(club: Club) -> None:
    club.join("Ann", "owner")
    club.join("Ben")
    ann, ben = club.store.account_named("Ann"), club.store.account_named("Ben")
    member = Visitor(ben.identity, Role.OWNER, "Ben", ben.id)  # an old page that believes to be an owner's
    for work in (
        lambda: club.service.invite(member, "member"),
        lambda: club.service.reset_link(member, ann.id),
        lambda: club.service.set_role(member, ben.id, "owner"),
        lambda: club.service.set_disabled(member, ann.id, True),
    ):
        with pytest.raises(OptionError, match="only an owner"):
            asyncio.run(work())
    with pytest.raises(StoreError, match="last owner"):
        club.store.set_role(ann.id, "member")
    with pytest.raises(StoreError, match="last owner"):
        club.store.set_disabled(ann.id, True)
    assert club.store.account(ann.id).role == "owner"
    club.store.set_role(ben.id, "owner")
    club.store.set_role(ann.id, "member")


def test_programs_show_a_token(club: Club) -> None:
    club.join("Ben")
    account = club.store.account_named("Ben")
    club.store.create_session(account.id, "t" * 43, "api", "bot", 20)
    site = club.visit()
    bearer = {"authorization": f"Bearer {'t' * 43}"}
    assert site.get("/api/games", headers=bearer).text.startswith("member Ben ")
    assert site.get("/api/games", headers={"authorization": "Bearer nonsense"}).status_code == 401
    site.cookies[SESSION_COOKIE] = "t" * 43  # it is not a cookie
    assert site.get("/").status_code == 401


# ---- guests


def guest_of(club: Club) -> TestClient:
    site = club.visit("203.0.113.9")
    answer = site.get(f"/join/{GAME}/{KEY}", headers=HTML)
    assert answer.status_code == 200
    assert answer.text.startswith("guest ")
    club.seated.add((GAME, site.cookies[BROWSER_COOKIE]))
    return site


ALLOWED = [
    ("GET", f"/game/{GAME}"),
    ("GET", f"/join/{GAME}/{KEY}"),
    ("GET", f"/record/{GAME}.sgf"),
    ("GET", f"/api/games/{GAME}"),
    ("GET", f"/api/games/{GAME}/record.sgf"),
    ("POST", f"/api/games/{GAME}/moves"),
    ("POST", f"/api/games/{GAME}/resign"),
    ("POST", f"/api/games/{GAME}/rematch"),
    ("GET", "/static/tengen.css"),
    ("GET", "/_nicegui/3.0/components/x.js"),
]
FORBIDDEN = [
    *(("GET", path) for path in ("/", "/new", "/analysis", "/library", "/players", "/players/new", "/options")),
    *(("GET", path) for path in ("/books", "/drills", "/explorer", "/clobber", "/pente", "/arena", "/demo")),
    *(("GET", path) for path in ("/accounts", "/puzzles", "/export.sgf", "/analysis/game-1", "/game/game-2")),
    *(("GET", path) for path in ("/api/games", "/api/players", "/api/rules", "/api/books", "/api/openapi.json")),
    *(("GET", path) for path in ("/api/games/game-2", "/api/games/game-2/record.sgf", "/record/game-2.sgf")),
    *(("GET", path) for path in (f"/game/{GAME}/x", f"/api/games/{GAME}/values", f"/record/{GAME}")),
    *(("GET", path) for path in ("//game/game-1", "/static", "/staticx/y", f"/game/{GAME}%2f..%2fx")),
    ("DELETE", f"/api/games/{GAME}"),
    ("POST", f"/api/games/{GAME}"),
    ("POST", f"/api/games/{GAME}/restore"),
    ("POST", f"/api/games/{GAME}/review"),
    ("POST", f"/api/games/{GAME}/book"),
    ("POST", f"/api/games/{GAME}/learn"),
    ("POST", "/api/games"),
    ("POST", "/api/records"),
    ("POST", "/api/analyse"),
    ("POST", "/api/games/game-2/moves"),
    ("GET", f"/api/games/{GAME}/moves"),
]


def test_a_guest_reaches_one_game_only(club: Club) -> None:
    site, nobody = guest_of(club), club.visit()
    for method, path in ALLOWED:
        assert site.request(method, path).status_code == 200, path
    for method, path in FORBIDDEN:
        assert site.request(method, path).status_code == 403, path
    for method, path in [*ALLOWED, *FORBIDDEN]:
        code = nobody.request(method, path).status_code
        assert code == (200 if path.startswith("/join/") else 401), path
        nobody.cookies.clear()
    for path, is_open in (
        ("/_nicegui_ws/socket.io/", True),
        (f"/api/games/{GAME}/events", True),
        ("/api/games/game-2/events", False),
        ("/api/analyse", False),
    ):
        if is_open:
            with site.websocket_connect(f"{WS}{path}") as socket:
                assert socket.receive_text() == "guest"
        else:
            with pytest.raises(WebSocketDisconnect), site.websocket_connect(f"{WS}{path}"):
                pass
    page = site.get("/library", headers=HTML)
    assert "guest of one game" in page.text


def test_a_guest_needs_a_right_link_and_the_id_that_was_given(club: Club) -> None:
    site = guest_of(club)
    wrong = club.visit()
    assert wrong.get(f"/join/{GAME}/wrong").status_code == 404
    assert wrong.get(f"/join/game-2/{KEY}").status_code == 404
    assert wrong.get(f"/game/{GAME}").status_code == 401
    wrong.cookies[BROWSER_COOKIE] = site.cookies[BROWSER_COOKIE]  # without the signature
    assert wrong.get(f"/game/{GAME}").status_code == 401
    wrong.cookies[GUEST_COOKIE] = "0" * 64
    assert wrong.get(f"/game/{GAME}").status_code == 401
    planted = club.visit()
    planted.cookies[BROWSER_COOKIE] = "a" * 32
    text = planted.get(f"/join/{GAME}/{KEY}").text
    assert "a" * 32 not in text
    codes = [club.visit("203.0.113.77").get(f"/join/{GAME}/{n}").status_code for n in range(25)]
    assert codes == [404] * account_authentication.FAILURES_PER_ADDRESS + [429] * 5


def test_members_and_owners_reach_everything_that_pages_then_restrict(club: Club) -> None:
    for role in ("member", "owner"):
        site = club.join(f"The {role}", role)
        for method, path in [*ALLOWED, *FORBIDDEN]:
            assert site.request(method, path).status_code == 200, path
        with site.websocket_connect(f"{WS}/api/analyse") as socket:
            assert socket.receive_text() == role


def test_a_broken_database_is_no_reason_to_let_somebody_in(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    site = club.join("Ben")
    club.clock.now += CACHE_TTL_S

    def fail(_: str) -> None:
        raise StoreError("the disk is gone")

    monkeypatch.setattr(club.store, "find_session", fail)
    answer = site.get("/")
    assert answer.status_code == 503
    assert "disk" not in answer.text


# ---- players, games and quotas


def visitors(club: Club) -> dict[str, Visitor]:
    for name, role in (("Ann", "owner"), ("Ben", "member"), ("Carl", "member")):
        club.join(name, role)
    found = {one.name: Visitor(one.identity, Role(one.role), one.name, one.id) for one in club.store.accounts()}
    return {
        **found,
        "machine": Visitor("m", Role.OWNER),
        "token": Visitor("t", Role.MEMBER),
        "guest": Visitor("g", Role.GUEST),
    }


def test_nobody_plays_as_somebody_else(club: Club) -> None:
    who = visitors(club)
    shared, engine = Person("Shared"), engine_player(configure("random", Limits(nodes=1)))
    club.store.save_player(shared)
    club.store.save_player(engine)
    people = {one.name: one for one in club.store.people()}
    owners = club.store.player_owners()
    expected = {
        "Ann": {"Ann", "Shared"},
        "Ben": {"Ben"},
        "Carl": {"Carl"},
        "machine": {"Shared"},
        "token": {"Shared"},
    }
    for name, allowed in expected.items():
        visitor = who[name]
        found = {p.name for p in people.values() if permissions.may_play_as(visitor, p, owners[p.id])}
        assert found == allowed, name
        assert permissions.may_play_as(visitor, engine, None)
    permissions.check_players(club.store, who["Ben"], (people["Ben"], engine))
    for stolen in ("Carl", "Ann", "Shared"):
        with pytest.raises(NotAllowed, match="another account"):
            permissions.check_players(club.store, who["Ben"], (people[stolen], engine))
    new = Person("A friend at my board")
    permissions.check_players(club.store, who["Ben"], (people["Ben"], new))
    assert club.store.player_owner(new.id) == who["Ben"].account_id
    with pytest.raises(NotAllowed):
        permissions.check_players(club.store, who["Carl"], (people["Carl"], new))
    guest = Person("Guest")
    permissions.check_players(club.store, who["Carl"], (people["Carl"], guest), guest)
    with pytest.raises(NotAllowed, match="reserved for guests"):  # it would be Carl's from then on
        permissions.check_players(club.store, who["Carl"], (people["Carl"], guest))


def test_players_are_changed_by_their_owner_only(club: Club) -> None:
    who = visitors(club)
    mine, engine = Person("Mine"), engine_player(configure("random", Limits(nodes=1)))
    permissions.save_player(club.store, who["Ben"], mine)
    permissions.save_player(club.store, who["Ben"], engine)
    for name, may in (
        ("Ann", True),
        ("Ben", True),
        ("Carl", False),
        ("machine", True),
        ("token", False),
        ("guest", False),
    ):
        visitor = who[name]
        owner = club.store.player_owner(mine.id)
        assert permissions.may_edit_player(visitor, owner) is may, name
        if may:
            permissions.save_player(club.store, visitor, mine.renamed(f"By {name}"))
        else:
            for player in (mine.renamed("Stolen"), engine.renamed("Stolen")):
                with pytest.raises(NotAllowed):
                    permissions.save_player(club.store, visitor, player)
    for name in ("token", "guest"):
        with pytest.raises(NotAllowed):
            permissions.save_player(club.store, who[name], Person("New"))
    with pytest.raises(NotAllowed):
        permissions.add_person(club.store, who["guest"], Person("New"))
    assert "Stolen" not in {one.name for one in club.store.players()}


def test_quotas(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    who = visitors(club)
    limits = ResourceLimits(players_per_member=3, games_per_member=5)
    monkeypatch.setattr(permissions, "resource_limits", lambda: limits)
    for number in range(2):  # Ben himself is the first
        permissions.save_player(club.store, who["Ben"], Person(f"P{number}"))
    with pytest.raises(LimitExceeded, match="3 players"):
        permissions.save_player(club.store, who["Ben"], Person("P3"))
    assert "P3" not in {one.name for one in club.store.people()}
    permissions.save_player(club.store, who["Ann"], Person("P3"))
    permissions.check_quota(club.store, who["Ben"], 5)
    with pytest.raises(LimitExceeded, match="5 games"):
        permissions.check_quota(club.store, who["Ben"], 6)
    permissions.add_imported_games(club.store, who["Ben"], 5)
    with pytest.raises(LimitExceeded, match="5 games"):
        permissions.check_players(club.store, who["Ben"], ())
    for name in ("Ann", "Carl", "machine", "token"):
        permissions.check_quota(club.store, who[name], 5)


def test_games_are_deleted_by_their_players_and_owners(club: Club) -> None:
    from tengen.web.visitor_cache import Seats

    who = visitors(club)
    seats = Seats(who["Ben"].id)
    seats.assign(0, who["Ben"].id)
    seats.assign(1, who["guest"].id)
    found = {name for name, visitor in who.items() if permissions.may_delete(visitor, seats)}
    assert found == {"Ann", "Ben", "machine"}
    without = {name for name, visitor in who.items() if permissions.may_delete(visitor, None)}
    assert without == {"Ann", "machine", "token"}


# ---- the terminal


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words: str) -> str:
        code = cli.run(["accounts", *words])
        said = capsys.readouterr()
        assert (code == 0) == (said.err == ""), said
        return said.out + said.err

    printed = run("invite", "--role", "owner", "--url", "https://board.example/").splitlines()[0]
    token = re.fullmatch(r"https://board\.example/invite/(\S{43})", printed)
    assert token is not None
    assert "there is no role" in run("invite", "--role", "king")
    with Store.open() as store:
        store.accept_invitation(token[1], "Ann", QUICK.hash(PASSWORD))
        store.accept_invitation(store.invite("member"), "Ben", QUICK.hash(PASSWORD))
    assert re.search(r"Ann +owner +active", run("list"))
    assert "last owner" in run("role", "Ann", "member")
    assert "there is no account 'Zoe'; there are: Ann, Ben" in run("role", "Zoe", "member")
    assert "Ben is now owner" in run("role", "ben", "owner")
    assert "disabled" in run("disable", "Ben")
    assert re.search(r"Ben +owner +disabled", run("list"))
    run("enable", "Ben")
    assert "/invite/" in run("reset", "Ben")
    made = run("token", "Ben", "--label", "my bot").splitlines()[0]
    with Store.open() as store:
        session = store.find_session(made)
        assert session is not None
        assert session.kind == "api"
    assert re.search(r"Ben +api +my bot", run("sessions", "Ben"))
    assert "my bot" not in run("sessions", "Ann")
    assert "has ended" in run("revoke", str(session.number))
    assert "no session" in run("revoke", str(session.number))
    assert "give the number" in run("revoke")
    run("token", "Ben")
    assert "1 session ended" in run("revoke", "--all", "Ben")
    with sqlite3.connect(tmp_path / "tengen.db") as database:
        assert database.execute("SELECT count(*) FROM sessions").fetchone() == (0,)
    database.close()


def test_an_account_name_is_taken_only_once_even_at_the_same_moment(club: Club) -> None:
    one, two = club.store.invite("member"), club.store.invite("member")
    club.store.accept_invitation(one, "Ben", "hash")
    with pytest.raises(StoreConflict):
        club.store.accept_invitation(two, "BEN", "hash")
    assert club.store.invitation(two).role == "member"


def test_accounts_in_every_kind_of_database(store_url: str) -> None:
    with Store.open(store_url) as store:
        owner = store.invite_owner()
        assert owner is not None
        ann = store.accept_invitation(owner, "Ann", "hash")
        assert store.invite_owner() is None
        ben = store.accept_invitation(store.invite("member"), "Ben", "hash")
        assert [one.name for one in store.accounts()] == ["Ann", "Ben"]
        numbers = [store.create_session(ben.id, f"{n}" * 43, "browser", "test", 2) for n in range(3)]
        assert [one.number for one in store.sessions(ben.id)] == [numbers[2], numbers[1]]
        assert store.find_session("0" * 43) is None
        found = store.find_session("2" * 43)
        assert found is not None
        assert (found.identity, found.role, found.kind) == (ben.identity, "member", "browser")
        store.touch_session(found.number)
        assert not store.revoke_session(found.number, ann.id)
        assert store.revoke_session(found.number, ben.id)
        assert store.revoke_sessions(ben.id) == 1
        with pytest.raises(StoreError, match="last owner"):
            store.set_disabled(ann.id, True)
        store.set_disabled(ben.id, True)
        assert store.account(ben.id).is_disabled
        assert store.add_player(Person("Mine"), ben.id, 2)
        with pytest.raises(LimitExceeded):
            store.add_player(Person("Another"), ben.id, 2)
        store.add_imported_games(ben.id, 3)
        assert store.count_games_of(ben.id) == 3
        reset = store.make_reset_link(ann.id)
        assert store.use_reset_link(reset, "new").id == ann.id
        assert store.account(ann.id).password == "new"


@pytest.mark.parametrize("name", ["Guest", "guest", " GUEST "])
def test_nobody_can_be_called_as_visitors_without_an_account_are(name: str) -> None:
    """A member of that name would be the opponent of everybody who invites somebody by link."""
    with pytest.raises(OptionError, match="visitors without an account"):
        stored_accounts.check_account_name(name)


def test_sessions_outlive_a_database_that_does_not_answer(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests share one lookup, wait a limited time, and those who were signed in stay signed in."""
    link = club.store.invite_owner()
    assert link is not None
    account = club.store.accept_invitation(link, "Olga", QUICK.hash(PASSWORD))
    club.store.create_session(account.id, "t" * 43, "browser", "here", 20)
    monkeypatch.setattr("tengen.web.accounts.LOOKUP_TIMEOUT_S", 0.2)
    frozen, calls = threading.Event(), []

    def hang(token: str) -> None:
        calls.append(token)
        frozen.wait(30)
        raise StoreUnavailable("the database does not answer")

    async def run() -> None:
        assert await club.service.find("t" * 43) is not None
        club.clock.now += CACHE_TTL_S + 1
        monkeypatch.setattr(club.store, "find_session", hang)
        found = await asyncio.gather(*(club.service.find("t" * 43) for _ in range(20)))
        assert all(one is not None and one.name == "Olga" for one in found)
        assert len(calls) == 1
        with pytest.raises(StoreUnavailable):
            await club.service.find("u" * 43)
        frozen.set()

    asyncio.run(run())
