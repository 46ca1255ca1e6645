"""What strangers, busy servers and failing databases must not do to a game: over HTTP, on a real server."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from tengen import games
from tengen.app import import_export
from tengen.core.resource_limits import ResourceLimits, TooLarge, resource_limits
from tengen.games import records
from tengen.play.game_tree import MatchError
from tengen.players.opponents import opponents
from tengen.store.errors import StoreUnavailable
from tengen.store.listing import Filter
from tengen.store.store import Store
from tengen.web import concurrency_limiter
from tengen.web import game_sessions as game_sessions_module
from tengen.web.api import models
from tests.helpers.api_server import STRAW, ApiServer, api_server
from tests.helpers.waiting import TIMEOUT_S, wait_until


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    with api_server(tmp_path_factory.mktemp("site")) as server:
        yield server


@pytest.fixture
def ann(site: ApiServer) -> Iterator[httpx.Client]:
    with site.visitor("ann") as visitor:
        yield visitor


@pytest.fixture
def eve(site: ApiServer) -> Iterator[httpx.Client]:
    with site.visitor("eve") as visitor:
        yield visitor


def two_people(site: ApiServer, ann: httpx.Client, **wanted: Any) -> tuple[str, list[dict[str, str]], Any]:
    """A game of Go between two people; the headers with which each side plays, and the session."""
    made = site.begin(
        ann, "go", options={"size": 5, "rules": "japanese"}, **{"players": ["Ann", "Bea"], "rated": True, **wanted}
    )
    identity = made["state"]["id"]
    session = site.run(lambda: site.sessions.get(identity))
    # Bea comes by her key: Ann does not sit at her side.
    seats = session.seating.seats.copy()
    seats.holders[1].clear()
    session.seating.set(seats)
    return f"/games/{identity}", [{"X-Tengen-Key": key} for key in made["keys"]], session


# ---- who may do what


def test_a_stranger_cannot_mark_stones_and_marks_are_told_to_all(
    site: ApiServer, ann: httpx.Client, eve: httpx.Client
) -> None:
    path, keys, session = two_people(site, ann)
    session.dead_stones.start_marking = lambda: None  # the engine marks nothing
    for side, move in ((0, "C3"), (1, "A1"), (0, "pass"), (1, "pass")):
        assert ann.post(f"{path}/moves", json={"move": move}, headers=keys[side]).status_code == 200
    assert eve.post(f"{path}/count", json={"dead": ["C3"]}).status_code == 403
    assert session.dead_stones.points() == []
    refused = ann.post(f"{path}/count", json={"dead": ["E5"]}, headers=keys[0])
    assert refused.status_code == 422
    assert "no stone" in refused.json()["detail"]
    assert session.dead_stones.points() == []
    assert session.dead_stones.agreed == set()
    with connect(f"{site.address.replace('http', 'ws')}/api{path}/events") as socket:
        assert json.loads(socket.recv())["event"] == "state"
        assert ann.post(f"{path}/count", json={"dead": ["A1"]}, headers=keys[0]).status_code == 200
        assert json.loads(socket.recv(timeout=TIMEOUT_S))["event"] == "offered"
    assert session.dead_stones.points() == [(0, 4)]
    session.mark(keys[1]["X-Tengen-Key"], (0, 4))
    with pytest.raises(MatchError, match="just changed"):
        session.agree(keys[0]["X-Tengen-Key"], seen=[(0, 4)])
    assert session.match.result is None


def test_a_count_before_the_end_changes_nothing(site: ApiServer, ann: httpx.Client) -> None:
    path, keys, session = two_people(site, ann)
    ann.post(f"{path}/moves", json={"move": "C3"}, headers=keys[0])
    assert ann.post(f"{path}/count", json={"dead": ["C3"]}, headers=keys[0]).status_code == 422
    assert session.dead_stones.points() == []
    assert not session.dead_stones.is_shown


def test_no_engine_helps_in_a_game_between_two_people(site: ApiServer, ann: httpx.Client) -> None:
    path, keys, session = two_people(site, ann)
    config = opponents("go")[0].config
    with pytest.raises(MatchError, match="no engine help"):
        session.hint(keys[0]["X-Tengen-Key"], config)
    assert ann.post(f"{path}/review", headers=keys[0]).status_code == 403
    assert session.match.to_entry().rated


def test_a_review_of_a_game_that_goes_on_makes_it_unrated(site: ApiServer, ann: httpx.Client) -> None:
    made = site.begin(ann, "othello", options={"size": 4}, rated=True)
    session = site.run(lambda: site.sessions.get(made["state"]["id"]))
    assert session.match.to_entry().rated
    assert ann.post(f"/games/{session.id}/review").status_code == 202
    assert not session.match.to_entry().rated
    site.run(lambda: site.sessions.run_in_thread(session.game_reports.stop_review))


def test_a_player_cannot_leave_a_game_between_two_people_by_a_rematch(
    site: ApiServer, ann: httpx.Client, eve: httpx.Client
) -> None:
    path, keys, session = two_people(site, ann)
    ann.post(f"{path}/moves", json={"move": "C3"}, headers=keys[0])
    assert ann.post(f"{path}/rematch", headers=keys[1]).status_code == 422
    assert eve.post(f"{path}/rematch").status_code == 403
    assert session.match.is_running
    assert eve.post(f"{path}/move-now").status_code == 403
    with pytest.raises(Exception, match="only the players"):
        site.run(lambda: site.sessions.rematch(session, "eve"))


def test_two_requests_for_a_rematch_at_once_find_one_game(site: ApiServer, ann: httpx.Client) -> None:
    path, keys, session = two_people(site, ann)
    for side, move in ((0, "C3"), (1, "A1")):
        ann.post(f"{path}/moves", json={"move": move}, headers=keys[side])
    ann.post(f"{path}/resign", headers=keys[0])

    async def ask_twice() -> set[str]:
        who = keys[0]["X-Tengen-Key"]
        made = await asyncio.gather(*(site.sessions.rematch(session, who) for _ in range(2)))
        return {one.id for one in made}

    assert len(site.run(ask_twice)) == 1


# ---- two bugs that new users hit


def test_one_name_is_one_person_in_any_number_of_games(site: ApiServer) -> None:
    import tengen
    from tengen.players.player import Person

    game = tengen.game("othello", size=4)
    sessions = [
        site.run(lambda: site.sessions.create(game, (Person("Host"), Person("Guest")), "host", invited_side=1))
        for _ in range(2)
    ]
    first, second = sessions
    assert first.match.players == second.match.players
    for session in sessions:
        assert site.sessions.store.load(session.id).players[1].name == "Guest"


def test_people_who_come_with_the_same_new_name_at_once_are_one(site: ApiServer) -> None:
    found: list[int] = []

    def begin(visitor: str) -> None:
        with site.visitor(visitor) as each:
            wanted = {"game": "othello", "options": {"size": 4}, "players": ["Newcomer", "Newcomer too"]}
            found.append(each.post("/games", json=wanted).status_code)

    threads = [threading.Thread(target=begin, args=(name,)) for name in "stuvwx"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [201] * len(threads)


# ---- a database that fails


class Failing:
    """Makes a store refuse to save, as one does whose disk is full."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.on = False
        save = type(store).save

        def fail(this: Store, entry: Any) -> None:
            if self.on:
                raise StoreUnavailable("the disk is full; nothing was changed")
            save(this, entry)

        monkeypatch.setattr(type(store), "save", fail)


def test_a_move_that_is_not_saved_is_no_success_and_is_saved_later(
    site: ApiServer, ann: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_sessions_module, "SAVE_RETRY_S", 0.05)
    failing = Failing(site.sessions.store, monkeypatch)
    path, keys, session = two_people(site, ann)
    assert ann.get(path).json()["saved"]
    with connect(f"{site.address.replace('http', 'ws')}/api{path}/events") as socket:
        socket.recv()
        failing.on = True
        answer = ann.post(f"{path}/moves", json={"move": "C3"}, headers=keys[0])
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) > 0
        assert "not saved" in answer.json()["detail"]
        assert answer.json()["state"]["moves"] == ["C3"]
        assert answer.json()["state"]["saved"] is False
        assert ann.get(path).json()["saved"] is False
        assert not session.can_close, "what is not saved would be lost"
        assert site.sessions.store.load(session.id).record.moves() == []
        failing.on = False
        told = {}
        while told.get("event") != "saved":
            told = json.loads(socket.recv(timeout=TIMEOUT_S))
        assert told["state"]["saved"] is True
    assert len(site.sessions.store.load(session.id).record.moves()) == 1
    assert ann.post(f"{path}/moves", json={"move": "D3"}, headers=keys[1]).status_code == 200


def test_a_game_that_cannot_be_saved_does_not_begin(
    site: ApiServer, ann: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = Failing(site.sessions.store, monkeypatch)
    site.begin(ann, "othello", options={"size": 4})
    failing.on = True
    wanted = {"game": "othello", "options": {"size": 4}, "players": ["Ann", STRAW]}
    answer = ann.post("/games", json=wanted)
    assert answer.status_code == 503
    assert "disk is full" in answer.json()["detail"]
    failing.on = False


def test_a_store_that_cannot_be_read_is_503(
    site: ApiServer, ann: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise StoreUnavailable("the database does not answer")

    for name in ("load", "list_games", "players"):
        monkeypatch.setattr(type(site.sessions.store), name, fail)
    monkeypatch.setattr(import_export.ImportExportPool, "_run", fail)  # what a helper process answers
    for path in ("/games", "/players", "/games/nothing"):
        answer = ann.get(path)
        assert answer.status_code == 503, path
        assert "retry-after" in answer.headers
    for path in ("/record/nothing.sgf", "/export.sgf"):
        assert httpx.get(f"{site.address}{path}").status_code == 503, path


# ---- long requests and many of them


def test_who_disconnects_ends_the_search(site: ApiServer, ann: httpx.Client) -> None:
    asked = {"game": "othello", "engine": "alphabeta", "seconds": 60}
    ann.post("/analyse", json={**asked, "seconds": 0.05}).raise_for_status()  # compiled
    with pytest.raises(httpx.ReadTimeout):
        ann.post("/analyse", json=asked, timeout=2.0)
    began = time.monotonic()
    wait_until(lambda: all(worker.searching is None for worker in site.sessions.host.status()))
    assert time.monotonic() - began < 30, "the search went on, though nobody waited for it"


def test_each_visitor_has_a_limited_number_of_analyses(site: ApiServer, ann: httpx.Client) -> None:
    most, host = resource_limits().analyses_per_visitor, site.sessions.host
    asked = {"game": "othello", "engine": "uct", "seconds": 60}

    def ask() -> None:
        with site.visitor("busy") as visitor, pytest.raises(httpx.ReadTimeout):
            visitor.post("/analyse", json=asked, timeout=3.0)

    def running() -> int:
        return sum(worker.searching is not None for worker in host.status()) + host.health().searches_queued

    threads = [threading.Thread(target=ask) for _ in range(most)]
    for thread in threads:
        thread.start()
    wait_until(lambda: running() == most)
    with site.visitor("busy") as visitor:
        assert visitor.post("/analyse", json=asked).status_code == 429
    for thread in threads:
        thread.join()  # they disconnect
    assert ann.post("/analyse", json={**asked, "seconds": 0.05}).status_code == 200
    wait_until(lambda: running() == 0)


def test_too_many_requests_of_one_visitor_are_refused_and_others_served(
    site: ApiServer, ann: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concurrency_limiter, "QUEUE_TIMEOUT_S", 0.5)
    most = resource_limits().requests_per_visitor
    hold = threading.Event()
    monkeypatch.setattr(type(site.sessions.store), "players", lambda _: [hold.wait(60), []][1])
    codes: list[int] = []

    def ask() -> None:
        with site.visitor("many") as visitor:
            codes.append(visitor.get("/players").status_code)

    threads = [threading.Thread(target=ask) for _ in range(most + 3)]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(codes) == 3)
    assert codes == [429] * 3
    assert ann.get("/rules").status_code == 200
    hold.set()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [200] * most + [429] * 3


def test_sockets_of_one_visitor_are_limited(site: ApiServer, ann: httpx.Client) -> None:
    most = resource_limits().sockets_per_visitor
    made = site.begin(ann, "othello", options={"size": 4})
    address = f"{site.address.replace('http', 'ws')}/api/games/{made['state']['id']}/events"
    cookie = {"Cookie": f"tengen-browser={'s' * 32}"}
    with ExitStack() as stack:
        opened = [stack.enter_context(connect(address, additional_headers=cookie)) for _ in range(most)]
        assert json.loads(opened[-1].recv())["event"] == "state"
        with connect(address, additional_headers=cookie) as refused, pytest.raises(Exception, match="1013"):
            refused.recv(timeout=TIMEOUT_S)

    def is_free() -> bool:
        with connect(address, additional_headers=cookie) as socket:
            try:
                return bool(json.loads(socket.recv())["event"] == "state")
            except Exception:
                return False

    wait_until(is_free)


def test_the_state_is_built_once_for_all_who_watch(
    site: ApiServer, ann: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, keys, session = two_people(site, ann)
    address = f"{site.address.replace('http', 'ws')}/api{path}/events"
    built = []
    of = models.State.from_session
    with ExitStack() as stack:
        sockets = [stack.enter_context(connect(address)) for _ in range(20)]
        for socket in sockets:
            socket.recv()
        monkeypatch.setattr(models.State, "from_session", lambda session: built.append(1) or of(session))
        assert ann.post(f"{path}/moves", json={"move": "C3"}, headers=keys[0]).status_code == 200
        for socket in sockets:
            told = {}
            while told.get("event") != "moved":
                told = json.loads(socket.recv(timeout=TIMEOUT_S))
            assert told["state"]["moves"] == ["C3"]
        assert len(built) <= 4  # for the answer, and for each event
    wait_until(lambda: not session.watchers)


def test_so_many_watch_one_game(site: ApiServer, ann: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _, session = two_people(site, ann)
    for _ in range(resource_limits().watchers_per_game):
        session.watchers.add(lambda _: None)
    with connect(f"{site.address.replace('http', 'ws')}/api{path}/events") as socket:
        told = json.loads(socket.recv())
        assert told["event"] == "error"
        assert "too many watchers" in told["detail"]


# ---- imports


def othello_games(count: int, seed: int) -> str:
    """Different games, in text."""
    import random

    import tengen

    rng = random.Random(seed)
    lines = []
    for _ in range(count):
        position = tengen.game("othello").start()
        for _ in range(20):
            position = position.play(rng.choice(position.legal_moves))
        lines.append("".join(position.write_moves(position.moves)))
    return "\n".join(lines)


def test_imports_run_in_helpers_and_wait_in_a_queue(
    site: ApiServer, ann: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = othello_games(5, 1)
    with monkeypatch.context() as here:
        here.setattr(records, "parse", None)  # the server itself reads no file
        done = ann.post("/records", json={"text": text}).raise_for_status().json()
    assert (done["added"], done["bad"]) == (5, [])

    assert ann.post("/records", json={"text": text}).json()["duplicates"] == 5
    too_large = "x" * (resource_limits().upload_bytes + 1)
    assert ann.post("/records", json={"text": too_large}).status_code == 422
    with pytest.raises(TooLarge):
        site.run(lambda: site.sessions.import_export.import_file(too_large.encode()))
    limits = resource_limits()
    monkeypatch.setattr(site.sessions.import_export, "_waiting", limits.imports_at_once + limits.imports_queued)
    answer = ann.post("/records", json={"text": text})
    assert answer.status_code == 429
    assert "retry-after" in answer.headers


def test_an_import_that_takes_too_long_is_ended(site: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_export, "import_file", _sleep)
    monkeypatch.setattr(import_export, "IMPORT_TIMEOUT_S", 0.5)
    with pytest.raises(Exception, match="split it"):
        site.run(lambda: site.sessions.import_export.import_file(b"f5"))
    monkeypatch.undo()
    assert site.run(lambda: site.sessions.import_export.import_file(b"f5d6")).bad == []


def _sleep(*_: object) -> None:
    time.sleep(600)


# ---- clocks


def test_a_move_is_charged_until_it_arrived_and_in_time_if_it_arrived_in_time(
    site: ApiServer, ann: httpx.Client
) -> None:
    path, keys, session = two_people(site, ann, time="2s/move")
    begun = session.match.clock.since
    release = threading.Event()
    for _ in range(4):  # all threads that make moves are busy
        site.sessions._players.submit(release.wait, 60)
    answers: list[Any] = []

    def move() -> None:
        with site.visitor("ann") as visitor:
            answers.append(visitor.post(f"{path}/moves", json={"move": "C3"}, headers=keys[0]))

    thread = threading.Thread(target=move)
    thread.start()
    wait_until(lambda: time.monotonic() > begun + 2.5)
    assert session.match.result is None, "the flag fell although the move had arrived"
    released = time.monotonic()
    release.set()
    thread.join()
    assert answers[0].status_code == 200, answers[0].text
    clock = session.match.clock
    assert clock.moves[0].seconds < 2
    assert clock.since >= released > begun + 2, "the opponent's time begins when the move is made"
    wait_until(lambda: session.match.result is not None)  # now the opponent's flag falls
    assert session.match.result.winner == 0


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/games", {"game": "x" * 1000, "players": ["Ann", "Bea"]}),
        ("/games", {"game": "othello", "players": ["A" * 1000, "Bea"]}),
        ("/games", {"game": "othello", "players": ["Ann", "Bea"], "time": "1" * 1000}),
        ("/games", {"game": "othello", "players": ["Ann", "Bea"], "options": {"a" * 200: 1}}),
        ("/games", {"game": "othello", "players": ["Ann", "Bea"], "options": {str(n): 1 for n in range(50)}}),
        ("/games", {"game": "othello", "players": ["Ann", "Bea"], "options": {"size": "1" * 100_000}}),
        ("/games", {"game": "othello", "players": ["Ann", "Bea"], "options": {"size": 10**30}}),
        ("/games", {"game": "othello", "players": ["Ann", "Bea"], "options": {"name": "x"}}),
        ("/games", {"game": "othello", "players": ["Ann", "Bea"], "options": {"cls": "x"}}),
        ("/analyse", {"game": "othello", "moves": ["f5"] * 10_000}),
        ("/analyse", {"game": "othello", "moves": ["f" * 1000]}),
        ("/analyse", {"game": "othello", "seconds": 1e9}),
        ("/analyse", {"game": "othello", "engine": "u" * 1000}),
        ("/analyse", {"game": "othello", "lines": 10**9}),
    ],
)
def test_every_field_has_a_bound(ann: httpx.Client, path: str, body: dict[str, Any]) -> None:
    answer = ann.post(path, json=body)
    assert answer.status_code == 422
    assert len(answer.json()["detail"]) < 300


def test_a_file_of_many_games_is_written_by_a_helper(site: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the server it would hold up every player while thousands of games are written."""
    site.run(lambda: site.sessions.import_export.import_file(b"f5d6c3\nf5f6e6"))
    with monkeypatch.context() as here:
        here.setattr(records, "serialise", None)  # the server itself writes no file
        data = site.run(lambda: site.sessions.import_export.export(Filter(game="othello"), "sgf"))
    assert data.count(b"(;") >= 2


def test_a_board_beyond_the_limit_is_refused(site: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_sessions_module, "resource_limits", lambda: ResourceLimits(board_points=100))
    with pytest.raises(TooLarge, match="361 points, at most 100 are allowed"):
        site.run(lambda: site.sessions.open_board(games.game("go", size=19), "somebody"))
