"""A store survives kills, company, full disks, damage and its own upgrades."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import event, select

import tengen
from tengen.games.records import Record
from tengen.store import database as database_module
from tengen.store import upgrade
from tengen.store.errors import StoreError
from tengen.store.game_entry import GameEntry
from tengen.store.schema import games, metadata
from tengen.store.store import Store
from tests.helpers.platforms import linux_only
from tests.helpers.postgres_server import new_database
from tests.helpers.store_crashes import IMPORTED, Launcher, acknowledged, check, collection, kill_at_random

KILLS = 6  # for each kind of database; the soak makes 200


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    launcher = Launcher()
    yield launcher
    launcher.close()


def entry(moves: str = "f5 d6 c3") -> GameEntry:
    return GameEntry(Record.of(tengen.game("othello").start().play_all(moves.split())))


# ---- kills and company


@linux_only
def test_what_was_acknowledged_survives_kills(store_url: str, tmp_path: Path, launcher: Launcher) -> None:
    rng = random.Random(2024)
    log = tmp_path / "log"
    killed = [kill_at_random(launcher, rng, store_url, log) for _ in range(KILLS)]
    assert sum(within for within, _ in killed) >= KILLS // 4, "some kills came while there was work"


@linux_only
def test_two_who_play_and_two_who_import_at_once_lose_nothing(
    store_url: str, tmp_path: Path, launcher: Launcher
) -> None:
    log = tmp_path / "log"
    # Both importers have the same collections, so each game is new to one and a duplicate to the other.
    tasks = [("play", 1), ("play", 2), ("import", 3), ("import", 3)]
    running = [launcher.start(task, store_url, seed, log) for task, seed in tasks]
    assert [launcher.wait(pid) for pid in running] == [0, 0, 0, 0]
    check(store_url, log)
    imports = [fact for fact in acknowledged(log) if "imported" in fact]
    assert sum(fact["added"] for fact in imports) == 12 * IMPORTED
    assert sum(fact["duplicates"] for fact in imports) == 12 * IMPORTED


@linux_only
def test_many_may_make_the_store_at_once(store_url: str, tmp_path: Path, launcher: Launcher) -> None:
    running = [launcher.start("open", store_url, 0, tmp_path / "log") for _ in range(5)]
    assert [launcher.wait(pid) for pid in running] == [0] * 5
    check(store_url, tmp_path / "log")


def test_threads_share_a_store(store_url: str) -> None:
    with Store.open(store_url) as store:
        threads_at_work(store)


def test_threads_share_a_store_in_memory() -> None:
    with Store.in_memory() as store:
        threads_at_work(store)


def threads_at_work(store: Store) -> None:
    faults: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for record in collection(number, 5):
                mine = GameEntry(record)
                store.save(mine)
                mine.state = {"seen": True}
                store.save(mine)
                assert store.load(mine.id) == mine
                store.list_games()
            store.import_records(collection(100 + number % 2, 10))
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert store.count_games() == 4 * 5 + 2 * 10


# ---- disks and files


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith(("-wal", "-shm"))}


def refused(place: Path | str, *words: str) -> str:
    with pytest.raises(StoreError) as caught:
        Store.open(str(place)).close()
    message = str(caught.value)
    assert "\n" not in message
    assert all(word in message for word in words), message
    return message


def test_a_full_disk_is_said_and_changes_nothing(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "games.db")) as store:
        kept = entry()
        store.save(kept)

        @event.listens_for(store._database.engine, "begin")
        def limit(connection: object) -> None:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()  # type: ignore[attr-defined]
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")  # type: ignore[attr-defined]

        with pytest.raises(StoreError, match="the disk is full"):
            store.import_records(collection(1, 500))
        kept.record.root.comment = "".join(random.Random(1).choices("0123456789abcdef", k=100_000))
        with pytest.raises(StoreError, match="the disk is full"):
            store.save(kept)
        assert kept.revision == 1
        event.remove(store._database.engine, "begin", limit)
    with Store.open(str(tmp_path / "games.db")) as store:
        assert store.load(kept.id).record == entry().record
        assert store.count_games() == 1


@linux_only
def test_a_disk_that_refuses_to_write_is_said(tmp_path: Path) -> None:
    import resource

    with Store.open(str(tmp_path / "games.db")) as store:
        kept = entry()
        store.save(kept)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        # No file may grow beyond the size that the log of writes has now.
        resource.setrlimit(resource.RLIMIT_FSIZE, ((tmp_path / "games.db-wal").stat().st_size, before[1]))
        try:
            with pytest.raises(StoreError, match="the disk refused"):
                store.import_records(collection(1, 50))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert store.count_games() == 1
        store.save(kept)


@linux_only
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_read_only_store_is_said(tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "data"
    Store.open(str(folder / "games.db")).close()
    before = contents(folder)
    locked = folder / "games.db" if what == "file" else folder
    locked.chmod(0o444 if what == "file" else 0o555)
    if os.getuid() == 0:  # whom no permission stops
        allowed = os.access
        monkeypatch.setattr(
            os, "access", lambda path, mode: allowed(path, mode) and not (mode == os.W_OK and Path(path) == locked)
        )
    try:
        refused(folder / "games.db", "read-only")
    finally:
        locked.chmod(0o755)
    assert contents(folder) == before


def test_no_folder_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused(tmp_path / "file" / "games.db", "games are stored there")
    refused(tmp_path, "folder")


@pytest.mark.parametrize("kind", ["text", "head", "schema", "cut"])
def test_a_damaged_file_is_said_and_left_alone(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "games.db"
    with Store.open(str(file)) as store:
        store.import_records(collection(1, 30))
    data = bytearray(file.read_bytes())
    if kind == "text":
        data = bytearray(b"Dear diary, " * 1000)
    elif kind == "head":
        data[:16] = b"not SQLite at al"
    elif kind == "schema":
        data[100:4096] = bytes(4096 - 100)
    else:
        data = data[: 4096 * 2]
    file.write_bytes(data)
    refused(file, "damaged")
    assert contents(tmp_path) == {"games.db": bytes(data)}


def test_a_damaged_page_is_said_when_it_is_met(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    with Store.open(str(file)):
        pass
    empty = file.stat().st_size // 4096  # pages of the tables without any game: the store is to open
    with Store.open(str(file)) as store:
        store.import_records(collection(1, 300))
        names = [game.id for game in store.all_games()]
    data = bytearray(file.read_bytes())
    assert len(data) // 4096 > empty
    for page in range(empty, len(data) // 4096):
        data[4096 * page : 4096 * page + 64] = b"\xff" * 64
    file.write_bytes(data)
    with Store.open(str(file)) as store, pytest.raises(StoreError, match="damaged"):
        [store.load(name) for name in names]


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
        other.commit()
    before = contents(tmp_path)
    refused(file, "another program")
    assert contents(tmp_path) == before


def test_a_newer_store_is_refused_untouched(store_url: str, tmp_path: Path) -> None:
    with Store.open(store_url) as store, store._database.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    before = contents(Path(store_url).parent) if "://" not in store_url else {}
    refused(store_url, "9999", "newer Tengen")
    if "://" not in store_url:
        assert contents(Path(store_url).parent) == before


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("mysql://me:secret@host/x", "sqlite or postgresql"),
        ("sqlite://", "in-memory"),
        ("postgresql://me:secret@127.0.0.1:1/x", "127.0.0.1/x"),
    ],
)
def test_a_wrong_url_is_said_without_the_password(place: str, words: str) -> None:
    assert "secret" not in refused(place, words)


def test_waiting_for_others_ends_with_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "games.db"
    monkeypatch.setattr(database_module, "LOCK_TIMEOUT_S", 0.1)
    with Store.open(str(file)) as store, closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert store.count_games() == 0, "readers do not wait"
        with pytest.raises(StoreError, match="another program has been writing"):
            store.save(entry())
        other.rollback()
        store.save(entry())


# ---- versions


def migrations() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(upgrade.__file__).parent / "migrations"))
    return config


def test_the_migrations_make_the_tables_of_the_schema(store_url: str) -> None:
    with Store.open(store_url) as store, store._database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_the_versions_are_those_of_the_migrations() -> None:
    script = ScriptDirectory.from_config(migrations())
    assert tuple(reversed([step.revision for step in script.walk_revisions()])) == upgrade.REVISIONS


def make_old(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store as the first version made it, with games."""
    with monkeypatch.context() as past:
        past.setattr(upgrade, "NEWEST", "0001")
        with Store.open(url) as store:
            store.import_records(collection(1, 20))


def test_an_old_store_is_backed_up_and_upgraded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "games.db"
    make_old(str(file), monkeypatch)
    with Store.open(str(file)) as store:
        assert store.count_games() == 20
        assert store.reports(next(store.all_games()).id) == []
    backup = upgrade.backup_file(file, "0001")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.db", backup.name]
    with closing(sqlite3.connect(backup)) as old:
        assert old.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]
        assert old.execute("SELECT count(*) FROM games").fetchone() == (20,)
        assert old.execute("SELECT count(*) FROM sqlite_master WHERE name = 'reports'").fetchone() == (0,)
    shutil.copy(backup, tmp_path / "again.db")
    with Store.open(str(tmp_path / "again.db")) as store:
        assert store.count_games() == 20


def test_an_old_store_in_postgresql_is_upgraded(postgres: int, monkeypatch: pytest.MonkeyPatch) -> None:
    url = new_database(postgres)
    make_old(url, monkeypatch)
    with Store.open(url) as store:
        assert store.reports(next(store.all_games()).id) == []


def test_an_upgrade_that_fails_changes_nothing(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make_old(store_url, monkeypatch)
    real = upgrade._upgrade

    def fail(connection: object) -> None:
        real(connection)  # type: ignore[arg-type]
        raise StoreError("the power went")

    with monkeypatch.context() as broken:
        broken.setattr(upgrade, "_upgrade", fail)
        refused(store_url, "the power went")
    with monkeypatch.context() as past:
        past.setattr(upgrade, "NEWEST", "0001")
        with Store.open(store_url) as store, store._database.read() as connection:
            assert not connection.dialect.has_table(connection, "reports")
            assert len(connection.execute(select(games.c.number)).all()) == 20
    with Store.open(store_url) as store:
        assert store.count_games() == 20


def test_without_a_backup_there_is_no_upgrade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "games.db"
    make_old(str(file), monkeypatch)
    upgrade.backup_file(file, "0001").mkdir()
    refused(file, "no backup could be made")
    with closing(sqlite3.connect(file)) as old:
        assert old.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]


@linux_only
def test_two_may_upgrade_at_once(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, launcher: Launcher
) -> None:
    make_old(store_url, monkeypatch)
    running = [launcher.start("open", store_url, 0, tmp_path / "log") for _ in range(4)]
    assert [launcher.wait(pid) for pid in running] == [0] * 4
    assert check(store_url, tmp_path / "log")["games"] == 20


def test_closing_a_store_in_memory_waits_for_a_transaction_of_another_thread() -> None:
    database = database_module.Database.in_memory()
    within, finish, closed = threading.Event(), threading.Event(), threading.Event()

    def write() -> None:
        with database.write():
            within.set()
            finish.wait(60)

    def close() -> None:
        database.close()
        closed.set()

    threads = [threading.Thread(target=write), threading.Thread(target=close)]
    threads[0].start()
    assert within.wait(60)
    threads[1].start()
    assert not closed.wait(0.2)
    finish.set()
    assert closed.wait(60)
    for thread in threads:
        thread.join()
