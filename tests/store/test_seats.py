"""Seats, visitors and drafts in the store, and what an earlier version kept of them in a file."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import tengen
from tengen.games.records import Record
from tengen.jobs.helper_pool import HelperPool
from tengen.play.match import Match
from tengen.players.player import Person
from tengen.runtime.host import EngineHost
from tengen.search.report import Candidate, Report, Value
from tengen.store import games as games_module
from tengen.store import visitors as visitors_module
from tengen.store.errors import NotStored, StoreConflict, StoreError, StoreUnavailable
from tengen.store.game_entry import GameEntry
from tengen.store.listing import Filter
from tengen.store.seats import Seats
from tengen.store.store import Store
from tengen.web import visitor_cache
from tengen.web.game_session import GameSession
from tengen.web.visitor_cache import VisitorCache
from tests.helpers.paths import GOLDEN
from tests.helpers.postgres_server import new_database

EARLIER = GOLDEN / "web-0.1.json"  # written by the version that kept a file
IDS = [f"00000000-0000-4000-8000-00000000000{number}" for number in (1, 2, 3)]


@pytest.fixture(params=["sqlite", "postgresql", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "memory":
        with Store.in_memory() as made:
            yield made
        return
    url = str(tmp_path / "games.db")
    if request.param == "postgresql":
        url = new_database(request.getfixturevalue("postgres"))
    with Store.open(url) as made:
        yield made


def entry(moves: str = "f5 d6 c3", **more: Any) -> GameEntry:
    return GameEntry(Record.of(tengen.game("othello").start().play_all(moves.split())), **more)


# ---- seats


def test_seats_are_stored_with_their_game(store: Store) -> None:
    kept = entry()
    store.save(kept)
    assert store.seats(kept.id) is None
    seats = Seats("ann", open=(False, True))
    seats.assign(0, "ann")
    store.set_seats(kept.id, seats)
    assert store.seats(kept.id) == seats
    for who in ("bea", "cat", "ann"):
        seats.assign(1, who)
    store.set_seats(kept.id, seats)
    assert store.seats(kept.id) == seats
    assert store.all_seats([kept.id, "nothing"]) == {kept.id: seats}
    with pytest.raises(NotStored):
        store.set_seats("nothing", seats)


def test_seats_survive_a_deletion_and_end_with_the_game(store: Store) -> None:
    kept, other = entry(), entry("f5 f6")
    for one in (kept, other):
        store.save(one)
        seats = Seats("ann")
        seats.assign(0, "ann")
        store.set_seats(one.id, seats)
    store.delete(kept.id)
    assert store.seats(kept.id) is not None, "it can be restored"
    assert store.purge(datetime.now(UTC) + timedelta(days=1)) == 1
    assert store.seats(kept.id) is None
    assert store.seats(other.id) is not None


def test_no_number_of_games_makes_the_oldest_lose_its_owner(store: Store) -> None:
    first = entry()
    store.save(first)
    store.set_seats(first.id, Seats("ann"))
    for number in range(30):
        later = entry(state={"number": number})
        store.save(later)
        store.set_seats(later.id, Seats("bea"))
    found = store.seats(first.id)
    assert found is not None
    assert found.owner == "ann"
    assert not hasattr(visitor_cache, "MOST_GAMES")


def test_what_is_not_stored_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.new_event_loop()
    store, host, pool, visitors = Store.in_memory(), EngineHost(1), HelperPool("test"), VisitorCache()
    match = Match.new(tengen.game("go", size=5), (Person("Ann"), Person("Guest")), save=store.save)
    seats = Seats("ann", open=(False, True))
    seats.assign(0, "ann")
    store.set_seats(match.id, seats)
    session = GameSession(match, store, host, pool, visitors, loop)

    def fail(*_: object) -> None:
        raise StoreUnavailable("the disk is full")

    try:
        with monkeypatch.context() as broken:
            broken.setattr(store, "set_seats", fail)
            with pytest.raises(StoreUnavailable):
                session.join(seats.keys[1], "bea")
        assert session.seating.sides("bea") == frozenset()
        assert session.seating.unclaimed_side == 1
        assert session.join(seats.keys[1], "bea") == 1
        assert session.seating.sides("bea") == {1}
        assert visitors.is_guest("bea")
        stored = store.seats(match.id)
        assert stored is not None
        assert stored.sides("bea") == {1}
    finally:
        session.close()
        pool.close()
        host.close()
        visitors.close()
        store.close()
        loop.close()


def test_reading_the_seats_of_a_room_does_not_ask_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.new_event_loop()
    store, host, pool, visitors = Store.in_memory(), EngineHost(1), HelperPool("test"), VisitorCache()
    match = Match.new(tengen.game("go", size=5), (Person("Ann"), Person("Bea")), save=store.save)
    store.set_seats(match.id, Seats("ann"))
    session = GameSession(match, store, host, pool, visitors, loop)

    @contextmanager
    def never(**_: bool) -> Iterator[None]:
        raise AssertionError("the database was asked")
        yield

    try:
        with monkeypatch.context() as watched:
            watched.setattr(store._database, "read", never)
            watched.setattr(visitors._store._database, "read", never)
            assert session.seating.seats is not None
            (
                session.seating.sides("ann"),
                session.seating.unclaimed_side,
                session.seating.may_change("ann"),
                visitors.options("ann"),
                visitors.is_guest("ann"),
            )
    finally:
        session.close()
        pool.close()
        host.close()
        visitors.close()
        store.close()
        loop.close()


# ---- visitors


def test_options_are_merged_and_the_longest_unseen_are_forgotten(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitors_module, "MAX_VISITORS", 3)
    for who in "abc":
        store.set_options(who, {"lines": 1, "theme": "dark"})
    store.set_options("a", {"lines": 2})
    store.set_options("d", {"lines": 4})
    assert store.all_options() == {
        "a": {"lines": 2, "theme": "dark"},
        "c": {"lines": 1, "theme": "dark"},
        "d": {"lines": 4},
    }


def test_the_secret_and_guests_stay(store: Store) -> None:
    secret = store.server_secret()
    assert len(secret) == 32
    assert store.server_secret() == secret
    store.add_guests(["bea", "cat"])
    store.add_guests(["bea", "dan"])
    assert store.guests() == {"bea", "cat", "dan"}


def test_two_servers_on_one_database_see_what_the_other_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitor_cache, "REFRESH_S", 0.0)
    with Store.open(str(tmp_path / "games.db")) as one, Store.open(str(tmp_path / "games.db")) as two:
        first, second = VisitorCache(one), VisitorCache(two)
        first.set_options("ann", lines=7)
        first.add_guests(["bea"])
        first.close()
        second.is_guest("bea")
        second._writer.submit(lambda: None).result()  # until it has read again
        assert second.options("ann") == {"lines": 7}
        assert second.is_guest("bea")
        second.close()


def test_options_that_cannot_be_stored_cost_a_line_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    visitors = VisitorCache()

    def fail(*_: object) -> None:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(visitors._store, "set_options", fail)
    visitors.set_options("ann", lines=7)
    visitors.close()
    assert visitors.options("ann") == {"lines": 7}
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "the disk is full" in caplog.text
    assert caplog.records[0].exc_info is None


# ---- the file of earlier versions


def make_earlier(store: Store, folder: Path, ids: list[str] = IDS) -> Path:
    for number, identity in enumerate(ids):
        store.save(entry(id=identity, state={"number": number}))
    file = folder / "web.json"
    shutil.copy(EARLIER, file)
    return file


def test_the_file_of_an_earlier_version_is_moved_into_the_store_once(store: Store, tmp_path: Path) -> None:
    file = make_earlier(store, tmp_path)
    data = json.loads(EARLIER.read_text())
    visitors = VisitorCache(store, file)
    assert not file.exists()
    assert (tmp_path / "web.json.imported").read_text() == EARLIER.read_text()
    assert visitors.secret == bytes.fromhex(data["secret"])
    assert visitors.options("ann-browser") == {"theme": "dark", "lines": 5}
    assert visitors.options("bea-browser") == {"name": "Bea"}
    for identity in IDS:
        old, new = data["seats"][identity], store.seats(identity)
        assert new is not None
        assert new.owner == old["owner"]
        assert [list(new.keys), list(new.holders), list(new.open)] == [old["keys"], old["holders"], old["open"]]
    assert visitors.is_guest("bea-browser")
    assert visitors.is_guest("cat-browser")
    assert not visitors.is_guest("ann-browser")
    visitors.close()


def test_what_was_stored_since_is_not_overwritten_by_the_file(store: Store, tmp_path: Path) -> None:
    file = make_earlier(store, tmp_path, IDS[:2])
    secret = store.server_secret()
    mine = Seats("eve")
    store.set_seats(IDS[0], mine)
    store.set_options("ann-browser", {"lines": 1})
    visitors = VisitorCache(store, file)
    assert store.seats(IDS[0]) == mine
    assert store.seats(IDS[1]) is not None
    assert store.seats(IDS[2]) is None, "there is no such game"
    assert visitors.options("ann-browser") == {"lines": 1}
    assert visitors.secret == secret
    visitors.close()


def test_a_file_that_cannot_be_stored_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(str(tmp_path / "games.db")) as store:
        file = make_earlier(store, tmp_path)

        def fail(*_: object) -> None:
            raise StoreUnavailable("the disk is full")

        with monkeypatch.context() as broken:
            broken.setattr(visitors_module, "_add_guests", fail)  # the last step of the transaction
            with pytest.raises(StoreUnavailable):
                VisitorCache(store, file)
        assert file.read_text() == EARLIER.read_text()
        assert store.all_options() == {}
        assert store.seats(IDS[0]) is None
        VisitorCache(store, file).close()
        assert store.seats(IDS[0]) is not None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"options": 3, "seats": {}}', '{"options": {}}', "\x00"])
def test_a_damaged_file_is_put_aside(tmp_path: Path, text: str) -> None:
    file = tmp_path / "web.json"
    file.write_text(text)
    visitors = VisitorCache(Store.in_memory(), file)
    assert visitors.options("ann") == {}
    assert not file.exists()
    assert (tmp_path / "web.json.unreadable").read_text() == text
    visitors.close()


def test_damaged_seats_in_a_file_cost_only_themselves(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "games.db")) as store:
        file = make_earlier(store, tmp_path)
        data = json.loads(file.read_text())
        data["seats"][IDS[0]] = {"owner": "ann"}
        data["seats"][IDS[1]]["keys"] = [1, 2]
        file.write_text(json.dumps(data))
        VisitorCache(store, file).close()
        assert set(store.all_seats(IDS)) == {IDS[2]}


# ---- drafts


def test_a_draft_can_be_loaded_but_is_on_no_list(store: Store) -> None:
    draft = entry(draft=True)
    store.save(draft)
    listed = entry("f5 f6")
    store.save(listed)
    assert store.load(draft.id) == draft
    assert store.load(draft.id).draft
    draft.record.root.comment = "changed"
    store.save(draft)
    assert store.load(draft.id).record.root.comment == "changed"
    assert [game.id for game in store.list_games().games] == [listed.id]
    assert store.list_games(Filter(deleted=True)).games == ()
    assert store.list_games(Filter(finished=False)).games[0].id == listed.id
    assert store.count_games() == 1
    assert store.count_games(Filter(deleted=True)) == 0
    assert store.ids_with_prefix(draft.id) == store.ids_with_prefix(draft.id, deleted=True) == []
    assert store.explore(tengen.game("othello").start()).games == 1
    store.set_seats(draft.id, Seats("ann"))
    value = Value.heuristic(0.5, "win rate")
    store.save_report(draft.id, ["f5"], "uct", Report("uct", "d6", value, (Candidate("d6", value),), 1, 1.0))
    assert len(store.reports(draft.id)) == 1


def test_a_draft_becomes_a_game(store: Store) -> None:
    ends: list[str] = []
    store.on_game_end(lambda ended: ends.append(ended.id))
    draft = entry(draft=True, end="resignation", players=(Person("Ann"), Person("Bea")), rated=True)
    draft.record.result = "B+R"
    store.save(draft)
    assert ends == []
    assert store.ratings("othello") == []
    draft.draft = False
    store.save(draft)
    assert ends == [draft.id]
    assert len(store.ratings("othello")) == 2
    assert store.count_games() == 1
    assert store.explore(tengen.game("othello").start()).games == 1
    assert store.load(draft.id) == draft
    draft.draft = True
    with pytest.raises(StoreConflict, match="draft"):
        store.save(draft)


def test_drafts_are_removed_by_age_number_and_wish(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games_module, "MAX_DRAFTS", 3)
    drafts = [entry(draft=True, state={"number": number}) for number in range(5)]
    for draft in drafts:
        store.save(draft)
    left = [draft for draft in drafts if is_stored(store, draft)]
    assert left == drafts[2:]
    with pytest.raises(StoreError, match="draft"):
        store.restore(left[0].id)
    store.delete(left[0].id)
    assert not is_stored(store, left[0])
    assert store.purge() == 0
    later = games_module.now() + timedelta(days=31)
    monkeypatch.setattr(games_module, "now", lambda: later)
    newest = entry(draft=True)
    store.save(newest)
    assert not is_stored(store, left[1])
    assert is_stored(store, newest)


def is_stored(store: Store, one: GameEntry) -> bool:
    try:
        store.load(one.id)
    except NotStored:
        return False
    return True
