"""Connections and transactions: SQLite in a file or in memory, or PostgreSQL; errors in one line.

SQLite runs in WAL mode, so readers never wait. Write transactions take the lock at BEGIN IMMEDIATE, because two
transactions that upgrade from reading to writing would deadlock. Commits are durable (synchronous=FULL).
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, make_url, text
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError, ProgrammingError
from sqlalchemy.exc import DataError as SQLDataError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import StaticPool

from tengen.core.folders import data_folder
from tengen.store import postgresql
from tengen.store.errors import StoreError, StoreUnavailable
from tengen.store.private_files import make_private_folder

DATABASE_FILE = "tengen.db"
LOCK_TIMEOUT_S = 30.0  # a write waits this long for writes of other programs
LONG_LOCK_TIMEOUT_S = 600.0  # for migrations and backups
_CACHE_KIB = 131_072
_WAL_CHECKPOINT_PAGES = 16_384  # 64 MB: imports rewrite the same pages many times


class Database:
    """A database. Safe to use from several threads at once."""

    def __init__(
        self,
        engine: Engine,
        name: str,
        file: Path | None = None,
        single_connection: bool = False,
        waiting: postgresql.Deadline | None = None,
    ) -> None:
        self.engine = engine
        self._waiting = waiting or postgresql.Deadline()
        self._close_failure = ""  # set by the first failure after `set_close_timeout`
        self.name = name  # for messages; never contains a password
        self.file = file
        self.is_sqlite = engine.dialect.name == "sqlite"
        # An in-memory database has a single connection: one thread at a time.
        self._turn = threading.RLock() if single_connection else None

    @classmethod
    def from_url(cls, url: str | None = None) -> Database:
        """The database at a URL or file path, by default `TENGEN_DATABASE` or a file in the data folder."""
        place = url or os.environ.get("TENGEN_DATABASE") or ""
        if not place:
            return cls.from_file(data_folder() / DATABASE_FILE)
        if "://" not in place:
            return cls.from_file(Path(place).expanduser())
        try:
            parsed = make_url(place)
        except ArgumentError:
            raise StoreError(f"{place.split('@')[-1]!r} is not the URL of a database") from None
        kind = parsed.get_backend_name()
        if kind == "sqlite":
            if not parsed.database or parsed.database == ":memory:":
                raise StoreError("an in-memory database would be lost at exit: give a file")
            return cls.from_file(Path(parsed.database))
        if kind not in ("postgresql", "postgres"):
            raise StoreError(f"unsupported database {kind!r}: use sqlite or postgresql")
        parsed = parsed.set(drivername="postgresql+psycopg")
        waiting = postgresql.Deadline()
        try:
            engine = postgresql.make_engine(parsed, waiting)
        except (NoSuchModuleError, ModuleNotFoundError):
            raise StoreError("PostgreSQL needs its driver: pip install 'tengen[postgresql]'") from None
        return cls(engine, f"{parsed.host or 'localhost'}/{parsed.database}", waiting=waiting)

    @classmethod
    def from_file(cls, file: Path) -> Database:
        file = file.absolute()
        try:
            make_private_folder(file.parent)
        except OSError as error:
            raise StoreError(f"{file.parent}: {error.strerror}; games are stored there") from None
        engine = create_engine(
            URL.create("sqlite", database=str(file)),
            connect_args={"timeout": LOCK_TIMEOUT_S},
            pool_size=postgresql.POOL_SIZE,
            max_overflow=postgresql.POOL_OVERFLOW,
            pool_timeout=postgresql.POOL_TIMEOUT_S,
        )
        _set_up_sqlite(engine)
        return cls(engine, str(file), file)

    @classmethod
    def in_memory(cls) -> Database:
        engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
        _set_up_sqlite(engine)
        return cls(engine, "memory", single_connection=True)

    @contextmanager
    def read(self, *, long: bool = False) -> Iterator[Connection]:
        """A read transaction with a consistent snapshot of the database."""
        with self._transaction("REPEATABLE READ", "BEGIN", long) as connection:
            yield connection

    @contextmanager
    def write(self, *, long: bool = False) -> Iterator[Connection]:
        """A write transaction: commits at the end of the block, rolls back if it raises.

        Slow statements time out after seconds, or after an hour if `long`.
        """
        with self._transaction("READ COMMITTED", "BEGIN IMMEDIATE", long) as connection:
            yield connection

    @contextmanager
    def _transaction(self, isolation: str, begin: str, long: bool) -> Iterator[Connection]:
        if self._close_failure:
            raise StoreUnavailable(self._close_failure)
        if self._turn is not None:
            self._turn.acquire()
        try:
            with self.engine.connect() as connection:
                if self.is_sqlite:
                    connection.info["begin"] = begin
                    connection.info["lock_timeout"] = self._lock_timeout(long)
                else:
                    connection.execution_options(isolation_level=isolation)
                with connection.begin():
                    if long and not self.is_sqlite:
                        postgresql.allow_long_statements(connection)
                    yield connection
        except DBAPIError as error:
            raise self._note_failure(self.explain(error)) from error
        except PoolTimeout as error:
            busy = StoreUnavailable(f"{self.name}: the database is busy (no free connection); try again")
            raise self._note_failure(busy) from error
        finally:
            if self._turn is not None:
                self._turn.release()

    def set_close_timeout(self, seconds: float) -> None:
        """Limit all further waiting for the database to `seconds` in total, before the program exits.

        After the first failure, all further requests fail immediately.
        """
        self._waiting.deadline = time.monotonic() + seconds

    def _lock_timeout(self, long: bool) -> float:
        """How long SQLite waits for the lock, in seconds."""
        timeout = LONG_LOCK_TIMEOUT_S if long else LOCK_TIMEOUT_S
        return max(0.0, min(timeout, self._waiting.deadline - time.monotonic()))

    def _note_failure(self, error: StoreError) -> StoreError:
        if isinstance(error, StoreUnavailable) and self._waiting.deadline != float("inf"):
            self._close_failure = str(error)
        return error

    def lock(self, connection: Connection, what: str, shared: bool = False) -> None:
        """Take an advisory lock, exclusive or `shared`, until the end of this transaction.

        A no-op on SQLite, which allows only one writer.
        """
        if not self.is_sqlite:
            number = int.from_bytes(
                hashlib.blake2b(f"tengen {what}".encode(), digest_size=8).digest(), signed=True
            )
            lock = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
            connection.execute(text(f"SELECT {lock}(:number)"), {"number": number})

    def allocate_numbers(self, connection: Connection, table: Table, count: int) -> list[int]:
        """Reserve `count` ascending row numbers, to be used by this transaction."""
        if self.is_sqlite:
            last = connection.scalar(
                text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": table.name}
            )
            return list(range((last or 0) + 1, (last or 0) + 1 + count))
        drawn = text("SELECT nextval(pg_get_serial_sequence(:name, 'number')) FROM generate_series(1, :count)")
        return sorted(connection.scalars(drawn, {"name": table.name, "count": count}))

    def insert_many(self, connection: Connection, table: Table, rows: list[tuple[int, ...]]) -> None:
        """Bulk-insert integer rows, in column order, bypassing SQLAlchemy for speed."""
        if rows:
            names = ", ".join(column.name for column in table.columns)
            marks = ", ".join(("?" if self.is_sqlite else "%s") for _ in table.columns)
            connection.exec_driver_sql(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", rows)

    def explain(self, error: DBAPIError) -> StoreError:
        """Convert a driver error into a readable one; `StoreUnavailable` if the database is at fault."""
        said = " ".join(str(error.orig).split())
        if self.is_sqlite:
            if isinstance(error, (IntegrityError, SQLDataError, ProgrammingError)):
                return StoreError(f"{self.name}: {said}")
            return explain_sqlite(self.name, said)
        if not postgresql.is_unavailable(error.orig):
            return StoreError(f"{self.name}: {said}")
        if "read-only" in said:
            return StoreUnavailable(f"{self.name}: the database is read-only; nothing was changed")
        if getattr(error.orig, "sqlstate", None) == "53100":
            return StoreUnavailable(f"{self.name}: the disk of the database is full; nothing was changed")
        return StoreUnavailable(f"{self.name}: {said}")

    def close(self) -> None:
        """Close all connections that are not in use. A single connection is closed after its transaction.

        SQLite crashes the process if a connection is closed while another thread executes a statement.
        """
        with self._turn or nullcontext():
            self.engine.dispose()


def explain_sqlite(name: str, said: str) -> StoreUnavailable:
    """Convert an error message of SQLite into a readable error."""
    low = said.lower()
    if "locked" in low or "busy" in low:
        return StoreUnavailable(f"{name}: another program has been writing for too long; try again")
    if "disk is full" in low:
        return StoreUnavailable(f"{name}: the disk is full; nothing was changed")
    if "readonly" in low or "read-only" in low:
        return StoreUnavailable(f"{name}: the file or its folder is read-only; nothing was changed")
    if "unable to open" in low:
        return StoreUnavailable(f"{name}: the file cannot be opened; may this user write into its folder?")
    if "malformed" in low or "not a database" in low:
        return StoreUnavailable(
            f"{name}: the file is damaged or not a database; it was not changed (see docs/internals/store.md)"
        )
    if "disk i/o" in low:
        return StoreUnavailable(
            f"{name}: the disk refused to write or read (full, or failing); nothing was changed"
        )
    return StoreUnavailable(f"{name}: {said}")


class _CompilerWithHints(SQLiteCompiler):
    """Emits table hints such as INDEXED BY, which SQLAlchemy omits on SQLite."""

    def get_from_hint_text(self, table: Any, text: str | None) -> str | None:
        return text


def _set_up_sqlite(engine: Engine) -> None:
    engine.dialect.statement_compiler = _CompilerWithHints

    @event.listens_for(engine, "connect")
    def connect(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # we issue BEGIN ourselves
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
        connection.execute(f"PRAGMA wal_autocheckpoint={_WAL_CHECKPOINT_PAGES}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        lock_timeout = connection.info.get("lock_timeout", LOCK_TIMEOUT_S)
        connection.exec_driver_sql(f"PRAGMA busy_timeout={int(1000 * lock_timeout)}")
        connection.exec_driver_sql(connection.info.get("begin", "BEGIN IMMEDIATE"))


def use_wal(file: Path) -> None:
    """Switch a database file to WAL mode, permanently. Other processes may be opening it concurrently."""
    end = time.monotonic() + LOCK_TIMEOUT_S
    while True:
        connection = sqlite3.connect(file, timeout=LOCK_TIMEOUT_S)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            # Switching the mode ignores the busy timeout.
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.02)
        finally:
            with suppress(sqlite3.Error):
                connection.close()
