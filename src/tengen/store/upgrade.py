"""Schema upgrade when a database is opened: under a lock, and after a backup.

Databases of newer versions or other programs are refused before anything is changed.
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

# All schema versions, oldest first. A test compares them with the migrations, which are loaded only to upgrade.
REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007")
NEWEST = REVISIONS[-1]


def upgrade_schema(database: Database) -> None:
    """Create or upgrade the tables. Safe if two programs do it at once."""
    if database.file is not None:
        _check_file(database.file)
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
        database.lock(connection, "upgrade")
        version = _version(connection, database.name)
        if version == NEWEST:
            return
        if version is not None and database.file is not None:
            _back_up(database.file, version)
        _upgrade(connection)


def _check_file(file: Path) -> None:
    """Refuse a foreign or newer file before it is opened for writing."""
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
    _check_version(tables - {"sqlite_sequence"}, [row[0] for row in found], str(file))


def _version(connection: Connection, name: str) -> str | None:
    """Schema version of the database; None if it is empty."""
    tables = set(inspect(connection).get_table_names()) - {"sqlite_sequence"}
    found: list[str] = []
    if "alembic_version" in tables:
        found = list(connection.scalars(text("SELECT version_num FROM alembic_version")))
    return _check_version(tables, found, name)


def _check_version(tables: set[str], versions: list[str], name: str) -> str | None:
    """Return the schema version, None if empty. Raises `StoreError` if this program cannot use the database."""
    if not tables:
        return None
    if not versions:
        raise StoreError(f"{name}: this database belongs to another program; it was not changed")
    if versions[0] not in REVISIONS:
        raise StoreError(
            f"{name}: the store has version {versions[0]}, this program knows up to {NEWEST}: use a newer Tengen"
        )
    return versions[0]


def backup_file(file: Path, version: str) -> Path:
    """Path of the backup made before upgrading from `version`."""
    return file.with_name(f"{file.name}.{version}.backup")


def _back_up(file: Path, version: str) -> None:
    """Copy the committed state; the caller holds the write lock."""
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
    # Imported here because loading alembic takes longer than opening a store.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, NEWEST)
