"""Bringing a database up to this program's version: when it is opened, under a lock, with a backup first.

A database of a newer program, or of another one, is refused before anything in it is touched.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, inspect, text

from tengen.store.database import Database, explain_sqlite, use_wal
from tengen.store.errors import StoreError, StoreUnavailable
from tengen.store.private_files import make_private_file

# Every version, the oldest first. The tests compare this with the migrations, which only an upgrade loads.
REVISIONS = ("0001", "0002", "0003", "0004", "0005")
NEWEST = REVISIONS[-1]


def bring_up_to_date(database: Database) -> None:
    """Make or upgrade the tables. Two programs may do that at once: the second finds it done."""
    if database.file is not None:
        _look_at(database.file)
        try:
            make_private_file(database.file)
        except OSError as error:
            raise StoreUnavailable(f"{database.file}: {error.strerror}; games are stored there") from None
        try:
            use_wal(database.file)
        except sqlite3.Error as error:
            raise explain_sqlite(database.name, str(error)) from error
    with database.read() as connection:
        if _version(connection, database.name) == NEWEST:
            return
    with database.write(long=True) as connection:
        database.hold(connection, "upgrade")
        version = _version(connection, database.name)
        if version == NEWEST:
            return
        if version is not None and database.file is not None:
            _back_up(database.file, version)
        _upgrade(connection)


def _look_at(file: Path) -> None:
    """Refuse a file that is none of ours before it is opened for writing."""
    try:
        if file.is_dir():
            raise StoreError(f"{file}: this is a folder, not a file")
        if not file.exists() or file.stat().st_size == 0:
            return
    except OSError as error:
        raise StoreError(f"{file}: {error.strerror}; games are stored there") from None
    if not os.access(file, os.W_OK) or not os.access(file.parent, os.W_OK):
        raise explain_sqlite(str(file), "readonly")
    try:
        with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True, timeout=60)) as connection:
            tables = {
                name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            found = connection.execute("SELECT version_num FROM alembic_version").fetchall() if (
                "alembic_version" in tables
            ) else []  # fmt: skip
    except sqlite3.Error as error:
        raise explain_sqlite(str(file), str(error)) from error
    _judge(tables - {"sqlite_sequence"}, [row[0] for row in found], str(file))


def _version(connection: Connection, name: str) -> str | None:
    """The version of the tables; None if there are none."""
    tables = set(inspect(connection).get_table_names()) - {"sqlite_sequence"}
    found: list[str] = []
    if "alembic_version" in tables:
        found = list(connection.scalars(text("SELECT version_num FROM alembic_version")))
    return _judge(tables, found, name)


def _judge(tables: set[str], versions: list[str], name: str) -> str | None:
    if not tables:
        return None
    if not versions:
        raise StoreError(f"{name}: this database belongs to another program; it was left as it is")
    if versions[0] not in REVISIONS:
        raise StoreError(
            f"{name}: the store has version {versions[0]}, this program knows up to {NEWEST}: use a newer Tengen"
        )
    return versions[0]


def backup_file(file: Path, version: str) -> Path:
    """Where the copy goes that is made before an upgrade from this version."""
    return file.with_name(f"{file.name}.{version}.backup")


def _back_up(file: Path, version: str) -> None:
    """Copy the database as it was last committed; the caller holds the lock, so nobody changes it meanwhile."""
    target = backup_file(file, version)
    unfinished = target.with_name(f"{target.name}.tmp")
    try:
        unfinished.unlink(missing_ok=True)
        make_private_file(unfinished)
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(unfinished)) as copy:
            source.backup(copy)
        with open(unfinished, "rb+") as written:
            os.fsync(written.fileno())
        os.replace(unfinished, target)
    except (sqlite3.Error, OSError) as error:
        unfinished.unlink(missing_ok=True)
        raise StoreError(f"{file}: no backup could be made, so it was not upgraded: {error}") from error


def _upgrade(connection: Connection) -> None:
    # Loading alembic takes longer than opening a store, and is seldom needed.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, NEWEST)
