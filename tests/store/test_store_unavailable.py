"""A database that cannot answer: an error of its own kind, in bounded time, and no success for unsaved data."""

from __future__ import annotations

import random
import sqlite3
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import event

import tengen
from tengen.games.records import Record
from tengen.players.player import Person
from tengen.store import database as database_module
from tengen.store import postgresql
from tengen.store.errors import NotStored, StoreConflict, StoreError, StoreUnavailable
from tengen.store.game_entry import GameEntry
from tengen.store.store import Store
from tests.helpers.frozen_postgres import frozen
from tests.helpers.platforms import linux_only
from tests.helpers.postgres_server import new_database, running

LONGEST_S = 60.0  # the promise is 15 s; the machine may be busy


@pytest.fixture(scope="module")
def own_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A server that no other test uses, to be frozen."""
    with running(tmp_path_factory.mktemp("frozen") / "postgres") as port:
        yield port


def entry(moves: str = "f5 d6 c3") -> GameEntry:
    return GameEntry(Record.of(tengen.game("othello").start().play_all(moves.split())))


def is_other(error: StoreError) -> bool:
    return not isinstance(error, StoreUnavailable)


# ---- kinds of errors


def test_a_full_disk_makes_the_store_unavailable(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "games.db")) as store:

        @event.listens_for(store._database.engine, "begin")
        def limit(connection: object) -> None:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()  # type: ignore[attr-defined]
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")  # type: ignore[attr-defined]

        kept = entry()
        kept.record.root.comment = "".join(random.Random(1).choices("0123456789abcdef", k=1_000_000))
        with pytest.raises(StoreUnavailable, match="the disk is full"):
            store.save(kept)
        assert kept.revision == 0
        with pytest.raises(NotStored):
            store.load(kept.id)


def test_a_lock_held_for_too_long_makes_the_store_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "games.db"
    monkeypatch.setattr(database_module, "LOCK_TIMEOUT_S", 0.1)
    with Store.open(str(file)) as store, closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable):
            store.save(entry())


def test_a_damaged_file_makes_the_store_unavailable(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    file.write_bytes(b"Dear diary, " * 1000)
    with pytest.raises(StoreUnavailable, match="damaged"):
        Store.open(str(file))


def test_no_server_makes_the_store_unavailable() -> None:
    with pytest.raises(StoreUnavailable):
        Store.open("postgresql://tengen@127.0.0.1:1/x")


def test_errors_of_users_are_of_another_kind(postgres: int, tmp_path: Path) -> None:
    for url in (str(tmp_path / "games.db"), new_database(postgres)):
        with Store.open(url) as store:
            with pytest.raises(NotStored) as missing:
                store.load("nothing")
            kept = entry()
            store.save(kept)
            kept.revision = 0
            with pytest.raises(StoreConflict) as conflict:
                store.save(kept)
            store.save_player(Person("Ann"))
            with pytest.raises(StoreError) as twice:
                store.save_player(Person("ann"))
        assert is_other(missing.value)
        assert is_other(conflict.value)
        assert is_other(twice.value)


def test_a_read_only_postgresql_makes_the_store_unavailable(postgres: int) -> None:
    url = new_database(postgres)
    Store.open(url).close()
    url += "%20-cdefault_transaction_read_only%3Don"
    with Store.open(url) as store, pytest.raises(StoreUnavailable, match="read-only"):
        store.save(entry())


def test_a_slow_statement_is_ended(postgres: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "STATEMENT_TIMEOUT_S", 1.0)
    with Store.open(new_database(postgres)) as store:
        with pytest.raises(StoreUnavailable, match="statement timeout"), store._database.read() as connection:
            connection.exec_driver_sql("SELECT pg_sleep(60)")
        with store._database.write(long=True) as connection:
            connection.exec_driver_sql("SELECT pg_sleep(1.5)")
        store.save(entry())


def test_a_lock_of_another_transaction_is_not_waited_for_forever(
    postgres: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "LOCK_TIMEOUT_S", 1.0)
    with Store.open(new_database(postgres)) as store, store._database.write() as holder:
        store._database.lock(holder, "something")
        with pytest.raises(StoreUnavailable, match="lock timeout"), store._database.write() as connection:
            store._database.lock(connection, "something")


def test_a_connection_that_was_ended_is_replaced(postgres: int) -> None:
    with Store.open(new_database(postgres)) as store:
        store.save(entry())
        with store._database.read() as first:
            pid = first.exec_driver_sql("SELECT pg_backend_pid()").scalar()
        import psycopg

        with psycopg.connect(f"postgresql://tengen@127.0.0.1:{postgres}/postgres", autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", [pid])
        store.save(entry())
        assert store.count_games() == 2


# ---- a server that stands still


@linux_only
def test_a_frozen_server_is_given_up_in_time(own_postgres: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "PING_TIMEOUT_S", 1.0)
    monkeypatch.setattr(postgresql, "CONNECT_TIMEOUT_S", 2)
    with Store.open(new_database(own_postgres)) as store:
        kept = entry()
        store.save(kept)
        with frozen(own_postgres):
            began = time.monotonic()
            with pytest.raises(StoreUnavailable):
                store.save(kept)
            assert time.monotonic() - began < LONGEST_S
            assert kept.revision == 1
        store.save(kept)
        assert store.load(kept.id).revision == kept.revision == 2


@linux_only
def test_a_statement_under_way_is_given_up_when_the_server_freezes(
    own_postgres: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "STATEMENT_TIMEOUT_S", 1.0)
    with Store.open(new_database(own_postgres)) as store:
        began = time.monotonic()
        with (
            pytest.raises(StoreUnavailable, match="did not answer"),
            store._database.read() as connection,
            frozen(own_postgres),
        ):
            connection.exec_driver_sql("SELECT 1")
        assert time.monotonic() - began < LONGEST_S


@linux_only
def test_closing_does_not_wait_for_a_frozen_server(own_postgres: int) -> None:
    with Store.open(new_database(own_postgres)) as store:
        entries = [entry() for _ in range(20)]
        for one in entries:
            store.save(one)
        with frozen(own_postgres):
            began = time.monotonic()
            store.set_close_timeout(1.0)
            for one in entries:
                with pytest.raises(StoreUnavailable):
                    store.save(one)
            store.close()
            assert time.monotonic() - began < LONGEST_S / 4, "not once for every game"


def test_closing_does_not_wait_for_a_lock(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    with Store.open(str(file)) as store, closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN IMMEDIATE")
        store.set_close_timeout(0.2)
        began = time.monotonic()
        with pytest.raises(StoreUnavailable):
            store.save(entry())
        assert time.monotonic() - began < database_module.LOCK_TIMEOUT_S / 2


def test_a_save_whose_answer_was_lost_can_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was committed, but nobody knew: the next save of the same entry is no conflict with itself."""
    with Store.open(str(tmp_path / "games.db")) as store:
        kept = entry()
        store.save(kept)
        real = store._database.write

        def lose_the_answer(**options: bool) -> object:
            from contextlib import contextmanager

            @contextmanager
            def committed() -> Iterator[object]:
                with real(**options) as connection:
                    yield connection
                raise StoreUnavailable("the server closed the connection")

            return committed()

        with monkeypatch.context() as broken:
            broken.setattr(store._database, "write", lose_the_answer)
            with pytest.raises(StoreUnavailable):
                store.save(kept)
        assert kept.revision == 1
        with Store.open(str(tmp_path / "games.db")) as elsewhere:
            other = elsewhere.load(kept.id)
            assert other.revision == 2
        store.save(kept)
        assert kept.revision == 3
        with pytest.raises(StoreConflict):
            store.save(other)


# ---- who may read the files


@linux_only
@pytest.mark.parametrize("umask", [0, 0o022, 0o777])
def test_files_are_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    import os

    before = os.umask(umask)
    try:
        with Store.open(str(tmp_path / "data" / "games.db")) as store:
            store.save(entry())
            found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "data").iterdir()}
    finally:
        os.umask(before)
    assert found == {"games.db": 0o600, "games.db-wal": 0o600, "games.db-shm": 0o600}
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


@linux_only
@pytest.mark.parametrize(("mode", "then"), [(0o644, 0o600), (0o666, 0o660), (0o660, 0o660), (0o600, 0o600)])
def test_an_old_file_is_closed_to_others(tmp_path: Path, mode: int, then: int) -> None:
    file = tmp_path / "games.db"
    Store.open(str(file)).close()
    file.chmod(mode)
    Store.open(str(file)).close()
    assert stat.S_IMODE(file.stat().st_mode) == then


def test_many_threads_do_not_starve_each_other(tmp_path: Path) -> None:
    """More threads than connections in the pool: each gets its turn."""
    with Store.open(str(tmp_path / "games.db")) as store:
        faults: list[BaseException] = []

        def work() -> None:
            try:
                store.save(entry())
            except BaseException as error:
                faults.append(error)

        threads = [threading.Thread(target=work) for _ in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert faults == []
        assert store.count_games() == 40


def test_counts_are_right_whether_kept_or_counted_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tengen.store import listing
    from tengen.store.listing import Filter

    monkeypatch.setattr(listing, "MAX_UNCACHED_COUNT", 3)
    with Store.open(str(tmp_path / "games.db")) as store:
        entries = [entry() for _ in range(8)]
        for one in entries:
            store.save(one)
        assert store.count_games() == 8  # and now it is kept
        with store._database.read() as connection:
            assert connection.exec_driver_sql("SELECT game, total FROM game_counts").all() == [("othello", 8)]
        store.delete(entries[0].id, entries[1].id)
        assert store.count_games() == 6
        store.restore(entries[0].id)
        store.save(entries[2])
        store.save(entry())
        draft = GameEntry(entry().record, draft=True)
        store.save(draft)
        assert store.count_games() == store.count_games(Filter(game="othello")) == 8
        assert store.count_games(Filter(finished=True)) == 0
        store._cache_counts()
        draft.draft = False
        store.save(draft)
        assert store.count_games() == store.count_games(Filter(finished=False)) == 9
        store.purge()
        assert store.count_games() == 9
