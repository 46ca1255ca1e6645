"""Copies of the whole store as one SQLite file, for backup and restore.

The format does not depend on the database, so a backup of SQLite can be restored into PostgreSQL and vice versa. A
copy is a consistent snapshot taken while others write. A store is replaced in one transaction: others see either
the old or the new state, even after a crash.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from sqlalchemy import Connection, Select, Table, delete, func, select, text

from tengen.store.database import Database, explain_sqlite
from tengen.store.errors import StoreError, StoreUnavailable
from tengen.store.private_files import make_private_file
from tengen.store.schema import games, invitations, metadata, players, puzzles, sessions
from tengen.store.upgrade import REVISIONS, backup_file, upgrade_schema

PAGES_PER_STEP = 4096  # of 4 KB; progress is reported between steps
ROWS_PER_STEP = 5000

OnProgress: TypeAlias = Callable[[float], None]  # fraction done, from 0 to 1


def _ignore(_: float) -> None:
    pass


def is_empty(database: Database) -> bool:
    """Whether a store has no games, players or puzzles."""
    with database.read() as connection:
        return all(
            connection.execute(select(table).limit(1)).first() is None for table in (games, players, puzzles)
        )


def count_rows(file: Path) -> dict[str, int]:
    """Number of rows of each table of a copy."""
    with _copy_at(file) as copy, copy.read(long=True) as connection:
        return {
            table.name: connection.scalar(select(func.count()).select_from(table)) or 0
            for table in metadata.sorted_tables
        }


def save_copy(database: Database, file: Path, on_progress: OnProgress = _ignore) -> None:
    """Write a snapshot of the store to a new SQLite file; others may use the store meanwhile."""
    with _new_file(file):
        if database.file is not None:
            _copy_sqlite(database.file, file, on_progress)
        else:
            with database.read(long=True) as connection:
                _save_rows(connection, file, on_progress)


def check_copy(file: Path) -> None:
    """Raise `StoreError` unless a file is a valid copy of a store. Upgrades a copy of an older version."""
    try:
        _check_schema_is_harmless(file)
        with _copy_at(file):  # upgrades it
            pass
        if _objects(file) != _expected_objects(file.with_name(f"{file.name}.empty")):
            raise StoreError("the store in this backup has unexpected tables")
        with closing(_connect(file)) as connection:
            if connection.execute("PRAGMA quick_check").fetchall() != [("ok",)]:
                raise StoreError("the store in this backup is damaged")
            if connection.execute("PRAGMA foreign_key_check").fetchone() is not None:
                raise StoreError("the store in this backup is not consistent")
    except sqlite3.Error as error:
        raise StoreError(f"the store in this backup is damaged: {error}") from error
    for version in REVISIONS:
        backup_file(file, version).unlink(missing_ok=True)  # left behind by the upgrade


def delete_credentials(file: Path) -> None:
    """Delete sessions and one-time links from a copy: they may have been revoked or used since."""
    with closing(_connect(file)) as connection, connection:
        for table in (sessions, invitations):
            connection.execute(f"DELETE FROM {table.name}")


def replace_store(database: Database, file: Path, replaced: Path, on_progress: OnProgress = _ignore) -> None:
    """Replace the whole store by a checked copy, after saving the old state to the file `replaced`.

    Concurrent writers wait and then see the new store, so none of their writes is lost unnoticed.
    """
    with _new_file(replaced):
        if database.file is not None:
            _replace_sqlite(database.file, file, replaced, on_progress)
        else:
            with database.write(long=True) as connection:
                database.lock(connection, "upgrade")
                names = ", ".join(table.name for table in metadata.sorted_tables)
                connection.execute(text(f"LOCK TABLE {names} IN EXCLUSIVE MODE"))  # against writers, not readers
                _save_rows(connection, replaced, lambda done: on_progress(done / 2))
                for table in reversed(metadata.sorted_tables):
                    connection.execute(delete(table))  # TRUNCATE would show empty tables to readers
                _load_rows(connection, file, lambda done: on_progress(0.5 + done / 2))


# ---- SQLite to SQLite: pages


def _connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=600, isolation_level=None)
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA trusted_schema=OFF")
    return connection


def _copy_sqlite(source_file: Path, file: Path, on_progress: OnProgress) -> None:
    try:
        with closing(_connect(source_file)) as source, closing(_connect(file)) as copy:
            source.execute("BEGIN")  # all steps see this snapshot
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
            source.backup(copy, pages=PAGES_PER_STEP, progress=_by_pages(on_progress))
            source.rollback()
            copy.execute("PRAGMA journal_mode=DELETE")  # a single file, without a WAL
    except sqlite3.Error as error:
        raise explain_sqlite(str(source_file), str(error)) from error


def _replace_sqlite(store_file: Path, file: Path, replaced: Path, on_progress: OnProgress) -> None:
    """Copy pages into the store, in one transaction.

    From the first successful step on, SQLite holds the write lock, so a copy of the old state taken then contains
    every confirmed write.
    """
    saved = False

    def step(status: int, remaining: int, total: int) -> None:
        nonlocal saved
        if not saved and status == sqlite3.SQLITE_OK:
            _copy_sqlite(store_file, replaced, _ignore)
            saved = True
        _by_pages(on_progress)(status, remaining, total)

    try:
        with closing(_connect(file)) as source, closing(_connect(store_file)) as target:
            source.execute("PRAGMA journal_mode=WAL")  # like the store: the mode is part of the first page
            (pages,) = source.execute("PRAGMA page_count").fetchone()
            source.backup(target, pages=min(PAGES_PER_STEP, pages - 1), progress=step)  # at least two steps
    except sqlite3.Error as error:
        raise explain_sqlite(str(store_file), str(error)) from error


def _by_pages(on_progress: OnProgress) -> Callable[[int, int, int], None]:
    return lambda _, remaining, total: on_progress(1 - remaining / max(1, total))


# ---- PostgreSQL: rows


def _save_rows(connection: Connection, file: Path, on_progress: OnProgress) -> None:
    """Write all rows visible to a transaction into a new SQLite store."""
    done, total = 0, _estimated_rows(connection)
    with _copy_at(file) as copy, copy.write() as target:
        for table in metadata.sorted_tables:
            marks = ", ".join("?" for _ in table.columns)
            names = ", ".join(f'"{column.name}"' for column in table.columns)
            insertion = f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})'
            rows = connection.execute(_all_rows(table))
            for some in rows.partitions(ROWS_PER_STEP):
                target.exec_driver_sql(insertion, [tuple(row) for row in some])
                done += len(some)
                on_progress(min(1.0, done / total))
    with closing(_connect(file)) as copied:
        copied.execute("PRAGMA journal_mode=DELETE")


def _all_rows(table: Table) -> Select[Any]:
    """A streaming query for all rows of a table."""
    return select(table).execution_options(stream_results=True, max_row_buffer=ROWS_PER_STEP)


def _estimated_rows(connection: Connection) -> int:
    if connection.dialect.name == "sqlite":
        return 1
    names = [table.name for table in metadata.sorted_tables]
    found = text("SELECT sum(greatest(reltuples, 0)) FROM pg_class WHERE relname = ANY(:names) AND relkind = 'r'")
    return max(1, int(connection.scalar(found, {"names": names}) or 0))


def _load_rows(connection: Connection, file: Path, on_progress: OnProgress) -> None:
    """Fill empty PostgreSQL tables from a copy."""
    sizes = count_rows(file)
    done, total = 0, max(1, sum(sizes.values()))
    driver: Any = connection.connection.dbapi_connection
    with _copy_at(file) as copy, copy.read() as source:
        for table in metadata.sorted_tables:
            names = ", ".join(f'"{column.name}"' for column in table.columns)
            rows = source.execute(_all_rows(table))
            with driver.cursor() as cursor, cursor.copy(f'COPY "{table.name}" ({names}) FROM STDIN') as writer:
                for some in rows.partitions(ROWS_PER_STEP):
                    for row in some:
                        writer.write_row(tuple(row))
                    done += len(some)
                    on_progress(done / total)
            _continue_numbers(connection, table)


def _continue_numbers(connection: Connection, table: Table) -> None:
    """Set the number sequence to continue after the last row."""
    column = table.autoincrement_column
    if column is None or column.autoincrement is False:
        return
    last = connection.scalar(select(func.max(column)))
    if last is not None:
        move = text("SELECT setval(pg_get_serial_sequence(:name, :column), :last)")
        connection.execute(move, {"name": table.name, "column": column.name, "last": last})


# ---- files


@contextmanager
def _copy_at(file: Path) -> Iterator[Database]:
    """Open a copy as a database, upgraded to the newest version."""
    copy = Database.from_file(file)
    try:
        upgrade_schema(copy)
        yield copy
    finally:
        copy.close()


@contextmanager
def _new_file(file: Path) -> Iterator[None]:
    """Create a private file: complete and synced at the end, or removed on failure."""
    try:
        if file.exists():
            raise StoreError(f"{file} exists already")
        make_private_file(file)
        yield
        with open(file, "rb+") as written:
            os.fsync(written.fileno())
    except OSError as error:
        _remove(file)
        raise StoreUnavailable(f"{file}: {error.strerror}") from error
    except BaseException:
        _remove(file)
        raise


def _remove(file: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)


def _objects(file: Path) -> set[tuple[str, ...]]:
    with closing(_connect(file)) as connection:
        found = connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master").fetchall()
    return {row for row in found if not row[1].startswith("sqlite_")}


def _expected_objects(file: Path) -> set[tuple[str, ...]]:
    """Schema objects of a new store."""
    try:
        with _copy_at(file):
            pass
        return _objects(file)
    finally:
        _remove(file)


def _check_schema_is_harmless(file: Path) -> None:
    """Refuse triggers and views before anything is written, because SQLite would execute them."""
    kinds = {kind for kind, *_ in _objects(file)}
    if not kinds <= {"table", "index"}:
        raise StoreError("the store in this backup has triggers or views, which no store has")
