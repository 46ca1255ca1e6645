"""Connections to PostgreSQL that never wait forever, not even for a server whose processes are frozen.

PostgreSQL's own timeouts (`statement_timeout`, `lock_timeout`) end a slow statement while the server works. They
do not help if the server stands still, and neither do TCP's: the kernel of its machine goes on acknowledging. So
the waiting itself is limited here, in the driver: a connection whose time is up is closed.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.exc import InvalidatePoolError

if TYPE_CHECKING:
    import psycopg

STATEMENT_TIMEOUT_S = 10.0  # enforced by the server; the driver waits a little longer
LONG_STATEMENT_TIMEOUT_S = 3600.0  # migrations, backups, counting positions
LOCK_TIMEOUT_S = 8.0
ANSWER_MARGIN_S = 2.0  # how much longer than the server's timeout the driver waits for its answer
PING_TIMEOUT_S = 3.0
CONNECT_TIMEOUT_S = 5
POOL_TIMEOUT_S = 10.0
POOL_SIZE, POOL_OVERFLOW = 8, 24
IDLE_TRANSACTION_TIMEOUT_S = 300.0  # a process that hangs inside a transaction does not keep its locks

_TCP = {
    "connect_timeout": CONNECT_TIMEOUT_S,
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 12_000,  # milliseconds: a server whose machine is gone
}

# SQLSTATE classes, and single states, that are about the server and not about the statement.
_UNAVAILABLE_CLASSES = frozenset({"08", "28", "3D", "53", "57", "58", "F0", "XX"})
_UNAVAILABLE = frozenset({"25006", "25P03", "40001", "40P01", "55P03"})


class Waiting:
    """How long the connections of a database wait. `deadline` is when all must be over, in monotonic time."""

    def __init__(self) -> None:
        self.deadline = float("inf")

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.deadline


def make_engine(url: URL, waiting: Waiting) -> Engine:
    """An engine for a URL whose connections give up in time. Raises ModuleNotFoundError without the driver."""
    import psycopg

    class LimitedConnection(psycopg.Connection[Any]):
        """A connection whose every wait for the server ends after `answer_timeout_s`."""

        answer_timeout_s = STATEMENT_TIMEOUT_S + ANSWER_MARGIN_S

        def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
            end = time.monotonic() + self.answer_timeout_s
            return super().wait(_limited(gen, self, min(end, waiting.deadline), waiting), *args, **kwargs)

    engine = create_engine(
        url,
        pool_size=POOL_SIZE,
        max_overflow=POOL_OVERFLOW,
        pool_timeout=POOL_TIMEOUT_S,
        pool_reset_on_return="rollback",
    )

    @event.listens_for(engine, "do_connect")
    def connect(dialect: Any, record: Any, args: Any, values: dict[str, Any]) -> Any:
        if waiting.is_over:
            raise psycopg.OperationalError("the server did not answer in time")
        left = waiting.deadline - time.monotonic()
        timeout = CONNECT_TIMEOUT_S if left > CONNECT_TIMEOUT_S else 2  # libpq's least
        connection = LimitedConnection.connect(*args, **{**_TCP, **values, "connect_timeout": timeout})
        connection.execute(
            f"SET statement_timeout = '{STATEMENT_TIMEOUT_S:.0f}s'; SET lock_timeout = '{LOCK_TIMEOUT_S:.0f}s';"
            f"SET idle_in_transaction_session_timeout = '{IDLE_TRANSACTION_TIMEOUT_S:.0f}s'"
        )
        connection.commit()
        return connection

    @event.listens_for(engine, "checkout")
    def ping(connection: Any, record: Any, proxy: Any) -> None:
        """Find out whether a connection from the pool still works; if not, all of the pool are made anew."""
        connection.answer_timeout_s = PING_TIMEOUT_S
        try:
            connection.execute("SELECT 1")
            connection.rollback()
        except psycopg.Error:
            raise InvalidatePoolError from None
        finally:
            connection.answer_timeout_s = STATEMENT_TIMEOUT_S + ANSWER_MARGIN_S

    return engine


def _limited(gen: Generator[Any, Any, Any], connection: Any, end: float, waiting: Waiting) -> Any:
    """The driver's generator, ended with an error when its time is up: then the connection is closed."""
    import psycopg

    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if not ready and time.monotonic() >= min(end, waiting.deadline):
                connection.pgconn.finish()  # nobody knows what it would still answer
                raise psycopg.OperationalError("the server did not answer in time")
            wanted = gen.send(ready)
    except StopIteration as done:
        return done.value


def allow_long_statements(connection: Any) -> None:
    """Until the end of this transaction, statements may take long."""
    connection.exec_driver_sql(f"SET LOCAL statement_timeout = '{LONG_STATEMENT_TIMEOUT_S:.0f}s'")
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{LONG_STATEMENT_TIMEOUT_S:.0f}s'")
    connection.connection.dbapi_connection.answer_timeout_s = LONG_STATEMENT_TIMEOUT_S + ANSWER_MARGIN_S


def is_unavailable(error: psycopg.Error | BaseException | None) -> bool:
    """Whether an error is about the server, its disk or the way to it, not about what was asked of it."""
    import psycopg

    state = getattr(error, "sqlstate", None)
    if state is None:
        return isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError))
    return state[:2] in _UNAVAILABLE_CLASSES or state in _UNAVAILABLE
