"""Backups: made and restored while others write, on both databases; bad ones are refused, kills harm nothing."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import tengen
from tengen import cli
from tengen.app import backup as backup_module
from tengen.app.backup import BackupError, make_backup, restore_backup
from tengen.games.records import Record
from tengen.players.player import Person
from tengen.store import snapshot
from tengen.store.errors import StoreError
from tengen.store.game_entry import GameEntry
from tengen.store.seats import Seats
from tengen.store.store import Store
from tests.helpers.platforms import linux_only
from tests.helpers.postgres_server import new_database
from tests.helpers.store_crashes import check, collection


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path / "data"


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """New places for stores, by the kind of database."""

    def make(kind: str) -> str:
        if kind == "postgresql":
            return new_database(request.getfixturevalue("postgres"))
        return str(tmp_path / f"store{len(list(tmp_path.iterdir()))}" / "games.db")

    return make


def quiet(what: str, done: float) -> None:
    assert what
    assert 0.0 <= done <= 1.0


def played(moves: str = "f5 d6 c3") -> GameEntry:
    entry = GameEntry(
        Record.of(tengen.game("othello").start().play_all(moves.split())),
        players=(Person("Ann"), Person("Bea")),
        rated=True,
        end="resignation",
    )
    entry.record.result = "B+R"
    return entry


def fill(store: Store) -> GameEntry:
    store.import_records(collection(1, 40))
    mine = played()
    store.save(mine)
    seats = Seats("ann", open=(False, True))
    seats.assign(0, "ann")
    store.set_seats(mine.id, seats)
    store.set_options("ann", {"lines": 3})
    gone = played("f5 f6")
    gone.players = mine.players
    store.save(gone)
    store.delete(gone.id)
    return mine


def tables(store: Store) -> dict[str, list[tuple[object, ...]]]:
    from sqlalchemy import select

    from tengen.store.schema import metadata

    with store._database.read() as connection:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
            for table in metadata.sorted_tables
        }


# ---- round trips


@pytest.mark.parametrize("source", ["sqlite", "postgresql"])
@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_a_backup_of_any_database_restores_into_any(
    place: Callable[[str], str], tmp_path: Path, source: str, target: str
) -> None:
    file = tmp_path / "backup.zip"
    with Store.open(place(source)) as store:
        mine = fill(store)
        made = make_backup(store, file, quiet)
        expected = tables(store)
    assert made.games == 42
    with Store.open(place(target)) as store:
        restored, replaced = restore_backup(store, file, force=False, on_progress=quiet)
        assert restored == made
        assert replaced is None
        assert tables(store) == expected
        assert store.load(mine.id) == mine
        found = store.seats(mine.id)
        assert found is not None
        assert found.owner == "ann"
        again = played("f5 f4")  # new rows get new numbers
        again.players = mine.players
        store.save(again)
        store.import_records(collection(2, 5))
        assert store.count_games() == 47


def test_a_restore_gives_nobody_access_that_was_taken_since(place: Callable[[str], str], tmp_path: Path) -> None:
    """Sessions that were revoked, and links that were used, after the backup was made."""
    file = tmp_path / "backup.zip"
    with Store.open(place("sqlite")) as store:
        link = store.invite_owner()
        assert link is not None
        account = store.accept_invitation(link, "Olga", "hash")
        unused = store.invite("member")
        store.create_session(account.id, "t" * 43, "browser", "here", 20)
        make_backup(store, file, quiet)
    with Store.open(place("sqlite")) as store:
        restore_backup(store, file, force=False, on_progress=quiet)
        assert [one.name for one in store.accounts()] == ["Olga"]
        assert store.find_session("t" * 43) is None
        with pytest.raises(StoreError):
            store.accept_invitation(unused, "Mallory", "hash")


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_restoring_over_a_store_needs_force_and_keeps_what_was_there(
    place: Callable[[str], str], tmp_path: Path, data: Path, kind: str
) -> None:
    file = tmp_path / "backup.zip"
    (data / "books").mkdir(parents=True)
    (data / "books" / "othello.stats").write_bytes(b"old")
    with Store.open(place("sqlite")) as store:
        fill(store)
        make_backup(store, file, quiet)
    (data / "books" / "othello.stats").write_bytes(b"newer")
    with Store.open(place(kind)) as store:
        other = played("f5 d6")
        store.save(other)
        before = tables(store)
        with pytest.raises(BackupError, match="--force"):
            restore_backup(store, file, force=False, on_progress=quiet)
        assert tables(store) == before
        assert (data / "books" / "othello.stats").read_bytes() == b"newer"
        _, replaced = restore_backup(store, file, force=True, on_progress=quiet)
        assert store.count_games() == 41
        assert (data / "books" / "othello.stats").read_bytes() == b"old"
        assert replaced is not None
        assert (replaced / "books" / "othello.stats").read_bytes() == b"newer"
        with Store.open(str(replaced / "store.db")) as old:
            assert tables(old) == before
    assert [path.name for path in data.iterdir() if path.name.startswith(".")] == []


def test_the_commands(
    tmp_path: Path, data: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open() as store:
        fill(store)
    (data / "books").mkdir()
    for name in ("othello.book", "go.stats", ".hidden.book", "othello.jobs"):
        (data / "books" / name).write_bytes(b"x" * 1000)
    (data / "limits.toml").write_text("record_moves = 1000\n")
    file = tmp_path / "monday.zip"
    assert cli.run(["backup", str(file)]) == 0
    assert "41 games" not in (out := capfd.readouterr().out)
    assert "42 games and 2 books" in out
    with zipfile.ZipFile(file) as archive:
        names = set(archive.namelist())
    assert names == {"manifest.json", "store.db", "limits.toml", "books/othello.book", "books/go.stats"}
    assert cli.run(["restore", str(file)]) == 2
    assert "--force" in capfd.readouterr().err
    assert cli.run(["restore", str(file), "--force"]) == 0
    assert "The previous data are in" in capfd.readouterr().out
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "elsewhere"))
    assert cli.run(["restore", str(file)]) == 0
    assert "before" not in capfd.readouterr().out
    assert (tmp_path / "elsewhere" / "limits.toml").read_text() == "record_moves = 1000\n"
    assert (tmp_path / "elsewhere" / "books" / "go.stats").stat().st_size == 1000
    for command in ("backup", "restore"):
        assert cli.run([command, "--help"]) == 0
        assert "Example: tengen" in capfd.readouterr().out


@linux_only
def test_backups_are_private(tmp_path: Path, data: Path) -> None:
    before = os.umask(0)
    try:
        with Store.open() as store:
            fill(store)
            make_backup(store, tmp_path / "backup.zip", quiet)
            _, replaced = restore_backup(store, tmp_path / "backup.zip", force=True, on_progress=quiet)
    finally:
        os.umask(before)
    assert replaced is not None
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "backup.zip", replaced / "store.db")
    }
    assert modes == {"backup.zip": 0o600, "store.db": 0o600}
    assert stat.S_IMODE(replaced.stat().st_mode) == 0o700


def test_a_backup_that_cannot_be_written_leaves_nothing(tmp_path: Path, data: Path) -> None:
    with Store.open() as store:
        fill(store)
        with pytest.raises(BackupError):
            make_backup(store, tmp_path / "no" / "folder.zip", quiet)
        with pytest.raises(BackupError):
            make_backup(store, tmp_path, quiet)

        def stop(what: str, done: float) -> None:
            if what.startswith("packing"):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            make_backup(store, tmp_path / "half.zip", stop)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


# ---- under load


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_backup_under_load_has_all_that_was_acknowledged(
    place: Callable[[str], str], tmp_path: Path, kind: str
) -> None:
    url, ended = place(kind), threading.Event()
    acknowledged: list[tuple[str, int]] = []
    faults: list[BaseException] = []

    def write(number: int) -> None:
        try:
            while not ended.is_set():
                entry = GameEntry(collection(number, 1)[0])
                for save in range(3):
                    entry.state = {"save": save}
                    store.save(entry)
                    acknowledged.append((entry.id, entry.revision))
        except BaseException as error:
            faults.append(error)

    with Store.open(url) as store:
        store.import_records(collection(1, 200))
        writers = [threading.Thread(target=write, args=(number,)) for number in range(3)]
        for writer in writers:
            writer.start()
        try:
            while len(acknowledged) < 20 and not faults:
                ended.wait(0.01)
            before = list(acknowledged)
            manifest = make_backup(store, tmp_path / "backup.zip", quiet)
            while len(acknowledged) < len(before) + 5 and not faults:
                ended.wait(0.01)
        finally:
            ended.set()
            for writer in writers:
                writer.join()
        assert faults == []
    target = place("sqlite")
    with Store.open(target) as store:
        restore_backup(store, tmp_path / "backup.zip", force=False, on_progress=quiet)
        for identity, revision in before:
            assert store.load(identity).revision >= revision
        assert store.count_games() == manifest.games
        with closing(sqlite3.connect(target)) as raw:
            assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert raw.execute("SELECT count(*) FROM records").fetchone() == (manifest.games,)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_who_uses_the_store_sees_the_old_or_the_new_one(
    place: Callable[[str], str], tmp_path: Path, kind: str
) -> None:
    with Store.open(place("sqlite")) as store:
        store.import_records(collection(1, 150))
        make_backup(store, tmp_path / "backup.zip", quiet)
    seen: list[int] = []
    saved: list[str] = []
    faults: list[BaseException] = []
    ended = threading.Event()
    with Store.open(place(kind)) as store:
        store.import_records(collection(2, 100))

        def read() -> None:
            try:
                while not ended.is_set():
                    seen.append(store.count_games() - len(saved))
            except BaseException as error:
                faults.append(error)

        reader = threading.Thread(target=read)
        reader.start()
        try:
            restore_backup(store, tmp_path / "backup.zip", force=True, on_progress=quiet)
        finally:
            ended.set()
            reader.join()
        assert faults == []
        assert set(seen) <= {100, 150}
        assert store.count_games() == 150
        store.save(played())
        assert store.count_games() == 151


@linux_only
@pytest.mark.parametrize("moment", [0.1, 0.6, 0.99])
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_kill_in_the_middle_of_a_restore_leaves_the_old_store(
    place: Callable[[str], str], tmp_path: Path, kind: str, moment: float
) -> None:
    with Store.open(place("sqlite")) as store:
        store.import_records(collection(1, 300))
        snapshot.save_copy(store._database, tmp_path / "copy.db")
    url = place(kind)
    with Store.open(url) as store:
        store.import_records(collection(2, 100))
    program = f"""
import os, signal
from pathlib import Path
from tengen.store import snapshot
from tengen.store.store import Store
copy, old = Path({str(tmp_path / "copy.db")!r}), Path({str(tmp_path / "old")!r})
snapshot.PAGES_PER_STEP = 5
snapshot.ROWS_PER_STEP = 50

def show(done):
    if done >= {moment}:
        os.kill(os.getpid(), signal.SIGKILL)

with Store.open({url!r}) as store:
    snapshot.replace_store(store._database, copy, old, show)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    with Store.open(url) as store:
        # SQLite shows its last step when it is done.
        assert store.count_games() == 100 or (store.count_games() == 300 and kind == "sqlite" and moment > 0.9)
    check(url, tmp_path / "no log")


# ---- bad archives


@pytest.fixture
def good(tmp_path: Path) -> Path:
    with Store.open(str(tmp_path / "good" / "games.db")) as store:
        fill(store)
        make_backup(store, tmp_path / "good.zip", quiet)
    return tmp_path / "good.zip"


def changed(good: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """The same archive with other members, and a manifest that says so."""
    with zipfile.ZipFile(good) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    bad = good.with_name("bad.zip")
    with zipfile.ZipFile(bad, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return bad


def claim(members: dict[str, bytes], name: str, content: bytes) -> None:
    """Add a member that the manifest knows."""
    import hashlib

    manifest = json.loads(members["manifest.json"])
    manifest["members"][name] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    members["manifest.json"] = json.dumps(manifest).encode()
    members[name] = content


def refused(bad: Path, words: str = "") -> None:
    folder = bad.parent / "target"
    with Store.open(str(folder / "games.db")) as store:
        if snapshot.is_empty(store._database):
            store.save(played())
        before = tables(store)
        with pytest.raises((BackupError, StoreError)) as caught:
            restore_backup(store, bad, force=True, on_progress=quiet)
        assert tables(store) == before
    assert "\n" not in str(caught.value)
    assert words in str(caught.value), str(caught.value)


@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.9, 0.999])
def test_a_truncated_backup_is_refused(good: Path, part: float) -> None:
    content = good.read_bytes()
    bad = good.with_name("bad.zip")
    bad.write_bytes(content[: int(part * len(content))])
    refused(bad, "not a backup")


def test_a_backup_with_a_changed_byte_is_refused(good: Path) -> None:
    content = bytearray(good.read_bytes())
    content[len(content) // 2] ^= 0xFF
    bad = good.with_name("bad.zip")
    bad.write_bytes(content)
    refused(bad, "damaged")


@pytest.mark.parametrize(
    "name",
    ["../evil.book", "books/../../evil.book", "/etc/passwd", "books/x/y.book", "books\\..\\evil.book", "web.json",
     "books/.evil.book", "books/evil.py", "C:evil.book"],
)  # fmt: skip
def test_names_that_lead_elsewhere_are_refused(good: Path, name: str) -> None:
    refused(changed(good, lambda members: claim(members, name, b"evil")), "does not belong")
    assert not (good.parent / "evil.book").exists()


def test_a_bomb_is_refused(good: Path) -> None:
    refused(
        changed(good, lambda members: claim(members, "books/go.book", bytes(300 << 20))),
        "size that makes no sense",
    )


def test_a_member_that_is_longer_than_the_manifest_says_is_refused(good: Path) -> None:
    def change(members: dict[str, bytes]) -> None:
        claim(members, "books/go.book", b"x" * 100)
        members["books/go.book"] = b"x" * 101

    refused(changed(good, change), "makes no sense")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff",
        b'{"format": "other"}',
        b'{"format": "tengen backup", "version": 99}',
        b"[" * 99999,
    ],
)
def test_a_bad_manifest_is_refused(good: Path, text: bytes) -> None:
    refused(changed(good, lambda members: members.update({"manifest.json": text})))


def test_other_files_are_refused(good: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"Dear diary")
    refused(tmp_path / "bad.zip", "not a backup")
    refused(tmp_path / "missing.zip", "No such file")
    refused(changed(good, lambda members: members.pop("store.db") and None), "manifest says")  # type: ignore[func-returns-value]
    refused(changed(good, lambda members: members.update({"more": b""})), "manifest says")
    refused(changed(good, lambda members: claim(members, "store.db", b"no database" * 1000)), "damaged")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("CREATE TRIGGER t AFTER INSERT ON games BEGIN DELETE FROM games; END", "triggers"),
        ("CREATE VIEW v AS SELECT 1", "triggers or views"),
        ("CREATE TABLE other (x)", "unexpected tables"),
        ("DROP INDEX rating_once", "unexpected tables"),
        ("UPDATE alembic_version SET version_num = '9999'", "9999"),
        ("DELETE FROM records", "rows"),
        ("PRAGMA foreign_keys=OFF; DELETE FROM games", "consistent"),
    ],
)
def test_a_store_that_is_none_of_ours_is_refused(good: Path, statement: str, words: str) -> None:
    def change(members: dict[str, bytes]) -> None:
        file = good.with_name("changed.db")
        file.write_bytes(members["store.db"])
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(statement)
            connection.commit()
        claim(members, "store.db", file.read_bytes())

    refused(changed(good, change), words)


def test_a_backup_of_an_older_version_is_upgraded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tengen.store import upgrade

    file = tmp_path / "old" / "games.db"
    with monkeypatch.context() as past:
        past.setattr(upgrade, "NEWEST", "0003")
        Store.open(str(file)).close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("INSERT INTO players VALUES ('1', 'person', 'Ann', 'x', '{}', 0)")
        connection.commit()
    content = file.read_bytes()
    with Store.open(str(tmp_path / "new.db")) as store:
        make_backup(store, tmp_path / "good.zip", quiet)

    def change(members: dict[str, bytes]) -> None:
        claim(members, "store.db", content)
        manifest = json.loads(members["manifest.json"])
        manifest["rows"] = {"players": 1}
        members["manifest.json"] = json.dumps(manifest).encode()

    with Store.open(str(tmp_path / "target" / "games.db")) as store:
        restore_backup(store, changed(tmp_path / "good.zip", change), force=True, on_progress=quiet)
        assert len(tables(store)["players"]) == 1


def test_a_full_disk_is_said_before_anything_is_unpacked(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from collections import namedtuple

    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(backup_module.shutil, "disk_usage", lambda _: usage(10, 10, 0))
    refused(good, "must be free")
