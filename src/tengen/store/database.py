"""The connection to what stores: SQLite in a file, in memory, or PostgreSQL. Transactions, and errors in one line.

SQLite keeps a log of writes (WAL), so that readers never wait. A transaction that will write takes the lock when
it begins: two that first read and then both want to write could only fail. What is committed is on the disk
(synchronous=FULL), whatever happens to the process or the power.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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

FILE = "tengen.db"
PATIENCE = 30.0  # seconds that a write waits for those of other programs
LONG_PATIENCE_S = 600.0  # the same for migrations and backups
_CACHE_KIB = 131_072
_LOG_PAGES = 16_384  # 64 MB: an import changes the same pages again and again


class Database:
    """One place to store into. May be used from several threads at once."""

    def __init__(
        self,
        engine: Engine,
        name: str,
        file: Path | None = None,
        one_connection: bool = False,
        waiting: postgresql.Waiting | None = None,
    ) -> None:
        self.engine = engine
        self._waiting = waiting or postgresql.Waiting()
        self._gave_up = ""  # why, once the time to close is limited and something has failed
        self.name = name  # for messages: never with a password
        self.file = file
        self.is_sqlite = engine.dialect.name == "sqlite"
        # In memory there is one connection: who uses it has it alone.
        self._turn = threading.RLock() if one_connection else None

    @classmethod
    def at(cls, url: str | None = None) -> Database:
        """The database at a URL or path of a file; without one at `TENGEN_DATABASE` or in the data folder."""
        place = url or os.environ.get("TENGEN_DATABASE") or ""
        if not place:
            return cls.in_file(data_folder() / FILE)
        if "://" not in place:
            return cls.in_file(Path(place).expanduser())
        try:
            parsed = make_url(place)
        except ArgumentError:
            raise StoreError(f"{place.split('@')[-1]!r} is not the URL of a database") from None
        kind = parsed.get_backend_name()
        if kind == "sqlite":
            if not parsed.database or parsed.database == ":memory:":
                raise StoreError("a database in memory would be gone at the end: give a file")
            return cls.in_file(Path(parsed.database))
        if kind not in ("postgresql", "postgres"):
            raise StoreError(f"games are stored in sqlite or postgresql, not in {kind!r}")
        parsed = parsed.set(drivername="postgresql+psycopg")
        waiting = postgresql.Waiting()
        try:
            engine = postgresql.make_engine(parsed, waiting)
        except (NoSuchModuleError, ModuleNotFoundError):
            raise StoreError("PostgreSQL needs its driver: pip install 'tengen[postgresql]'") from None
        return cls(engine, f"{parsed.host or 'localhost'}/{parsed.database}", waiting=waiting)

    @classmethod
    def in_file(cls, file: Path) -> Database:
        file = file.absolute()
        try:
            make_private_folder(file.parent)
        except OSError as error:
            raise StoreError(f"{file.parent}: {error.strerror}; games are stored there") from None
        engine = create_engine(
            URL.create("sqlite", database=str(file)),
            connect_args={"timeout": PATIENCE},
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
        return cls(engine, "memory", one_connection=True)

    @contextmanager
    def read(self, *, long: bool = False) -> Iterator[Connection]:
        """A connection that sees one state of the store, whatever is written meanwhile."""
        with self._transaction("REPEATABLE READ", "BEGIN", long) as connection:
            yield connection

    @contextmanager
    def write(self, *, long: bool = False) -> Iterator[Connection]:
        """A transaction: all that is done in the block is stored at its end, or nothing if it raises.

        A statement that takes more than some seconds fails, unless the transaction may take `long`.
        """
        with self._transaction("READ COMMITTED", "BEGIN IMMEDIATE", long) as connection:
            yield connection

    @contextmanager
    def _transaction(self, isolation: str, begin: str, long: bool) -> Iterator[Connection]:
        if self._gave_up:
            raise StoreUnavailable(self._gave_up)
        if self._turn is not None:
            self._turn.acquire()
        try:
            with self.engine.connect() as connection:
                if self.is_sqlite:
                    connection.info["begin"] = begin
                    connection.info["patience"] = self._patience(long)
                else:
                    connection.execution_options(isolation_level=isolation)
                with connection.begin():
                    if long and not self.is_sqlite:
                        postgresql.allow_long_statements(connection)
                    yield connection
        except DBAPIError as error:
            raise self._noted(self.explain(error)) from error
        except PoolTimeout as error:
            raise self._noted(StoreUnavailable(f"{self.name}: too much is waiting for the database")) from error
        finally:
            if self._turn is not None:
                self._turn.release()

    def limit_waiting(self, seconds: float) -> None:
        """From now on, wait for the database no longer than this in all: the program wants to end.

        After the first failure within that time, whatever else wants to be stored fails at once.
        """
        self._waiting.deadline = time.monotonic() + seconds

    def _patience(self, long: bool) -> float:
        """Seconds that SQLite waits for the lock."""
        patience = LONG_PATIENCE_S if long else PATIENCE
        return max(0.0, min(patience, self._waiting.deadline - time.monotonic()))

    def _noted(self, error: StoreError) -> StoreError:
        if isinstance(error, StoreUnavailable) and self._waiting.deadline != float("inf"):
            self._gave_up = str(error)
        return error

    def hold(self, connection: Connection, what: str, shared: bool = False) -> None:
        """Until the end of this transaction, nobody else holds the same, or only others who share it.

        On SQLite there is one writer anyway.
        """
        if not self.is_sqlite:
            number = int.from_bytes(
                hashlib.blake2b(f"tengen {what}".encode(), digest_size=8).digest(), signed=True
            )
            lock = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
            connection.execute(text(f"SELECT {lock}(:number)"), {"number": number})

    def numbers(self, connection: Connection, table: Table, count: int) -> list[int]:
        """New numbers for so many rows, counting up; this transaction is to use them."""
        if self.is_sqlite:
            last = connection.scalar(
                text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": table.name}
            )
            return list(range((last or 0) + 1, (last or 0) + 1 + count))
        drawn = text("SELECT nextval(pg_get_serial_sequence(:name, 'number')) FROM generate_series(1, :count)")
        return sorted(connection.scalars(drawn, {"name": table.name, "count": count}))

    def insert_many(self, connection: Connection, table: Table, rows: list[tuple[int, ...]]) -> None:
        """Insert rows of numbers, in the order of the table's columns, past SQLAlchemy: there are so many."""
        if rows:
            names = ", ".join(column.name for column in table.columns)
            marks = ", ".join(("?" if self.is_sqlite else "%s") for _ in table.columns)
            connection.exec_driver_sql(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", rows)

    def explain(self, error: DBAPIError) -> StoreError:
        """What went wrong, in words for people; `StoreUnavailable` if it is the database's fault."""
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
        self.engine.dispose()


def explain_sqlite(name: str, said: str) -> StoreUnavailable:
    """What is wrong with a file, by what SQLite says of it."""
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
            f"{name}: the file is damaged or no database; it was left as it is (see docs/internals/store.md)"
        )
    if "disk i/o" in low:
        return StoreUnavailable(
            f"{name}: the disk refused to write or read (full, or failing); nothing was changed"
        )
    return StoreUnavailable(f"{name}: {said}")


class _CompilerWithHints(SQLiteCompiler):
    """Writes hints such as INDEXED BY after the name of the table; SQLAlchemy leaves them out on SQLite."""

    def get_from_hint_text(self, table: Any, text: str | None) -> str | None:
        return text


def _set_up_sqlite(engine: Engine) -> None:
    engine.dialect.statement_compiler = _CompilerWithHints

    @event.listens_for(engine, "connect")
    def connect(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say, not where the driver guesses
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
        connection.execute(f"PRAGMA wal_autocheckpoint={_LOG_PAGES}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        patience = connection.info.get("patience", PATIENCE)
        connection.exec_driver_sql(f"PRAGMA busy_timeout={int(1000 * patience)}")
        connection.exec_driver_sql(connection.info.get("begin", "BEGIN IMMEDIATE"))


def use_wal(file: Path) -> None:
    """Make a database keep a log of writes; it stays so. Others may be opening it at this moment."""
    end = time.monotonic() + PATIENCE
    while True:
        connection = sqlite3.connect(file, timeout=PATIENCE)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            # The switch does not wait for others as everything else does.
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.02)
        finally:
            with suppress(sqlite3.Error):
                connection.close()
