"""PostgreSQL connections with hard timeouts, even if the server process is frozen.

PostgreSQL's own timeouts (`statement_timeout`, `lock_timeout`) need a working server, and TCP timeouts do not fire
while the server's kernel still acknowledges packets. Therefore the driver's waiting is limited as well: a
connection that exceeds its timeout is closed.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.exc import InvalidatePoolError

if TYPE_CHECKING:
    import psycopg

STATEMENT_TIMEOUT_S = 10.0  # enforced by the server; the driver allows `ANSWER_MARGIN_S` more
LONG_STATEMENT_TIMEOUT_S = 3600.0  # migrations, backups, counting positions
LOCK_TIMEOUT_S = 8.0
ANSWER_MARGIN_S = 2.0  # how long after the server's own timeout the driver gives up
PING_TIMEOUT_S = 3.0
CONNECT_TIMEOUT_S = 5
POOL_TIMEOUT_S = 10.0
POOL_SIZE, POOL_OVERFLOW = 8, 24
IDLE_TRANSACTION_TIMEOUT_S = 300.0  # releases the locks of a process that hangs inside a transaction

_TCP = {
    "connect_timeout": CONNECT_TIMEOUT_S,
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 12_000,  # milliseconds until an unreachable server is given up
}

# SQLSTATE classes and single states caused by the server rather than the statement.
_UNAVAILABLE_CLASSES = frozenset({"08", "28", "3D", "53", "57", "58", "F0", "XX"})
_UNAVAILABLE = frozenset({"25006", "25P03", "40001", "40P01", "55P03"})


class Deadline:
    """Mutable deadline, in monotonic time, shared by all connections of a database."""

    def __init__(self) -> None:
        self.deadline = float("inf")

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.deadline


def make_engine(url: URL, waiting: Deadline) -> Engine:
    """Engine whose connections respect all timeouts. Raises ModuleNotFoundError without the driver."""
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
        timeout = CONNECT_TIMEOUT_S if left > CONNECT_TIMEOUT_S else 2  # the minimum that libpq supports
        connection = LimitedConnection.connect(*args, **{**_TCP, **values, "connect_timeout": timeout})
        connection.execute(
            f"SET statement_timeout = '{STATEMENT_TIMEOUT_S:.0f}s'; SET lock_timeout = '{LOCK_TIMEOUT_S:.0f}s';"
            f"SET idle_in_transaction_session_timeout = '{IDLE_TRANSACTION_TIMEOUT_S:.0f}s'"
        )
        connection.commit()
        return connection

    @event.listens_for(engine, "checkout")
    def ping(connection: Any, record: Any, proxy: Any) -> None:
        """Check a pooled connection; if it is dead, replace the whole pool."""
        connection.answer_timeout_s = PING_TIMEOUT_S
        try:
            connection.execute("SELECT 1")
            connection.rollback()
        except psycopg.Error:
            raise InvalidatePoolError from None
        finally:
            connection.answer_timeout_s = STATEMENT_TIMEOUT_S + ANSWER_MARGIN_S

    return engine


def _limited(gen: Generator[Any, Any, Any], connection: Any, end: float, waiting: Deadline) -> Any:
    """Wrap the driver's wait generator: close the connection and raise once the time is up."""
    import psycopg

    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if not ready and time.monotonic() >= min(end, waiting.deadline):
                connection.pgconn.finish()  # its protocol state is unknown from here on
                raise psycopg.OperationalError("the server did not answer in time")
            wanted = gen.send(ready)
    except StopIteration as done:
        return done.value


def allow_long_statements(connection: Any) -> None:
    """Use the long timeouts until the end of this transaction."""
    connection.exec_driver_sql(f"SET LOCAL statement_timeout = '{LONG_STATEMENT_TIMEOUT_S:.0f}s'")
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{LONG_STATEMENT_TIMEOUT_S:.0f}s'")
    connection.connection.dbapi_connection.answer_timeout_s = LONG_STATEMENT_TIMEOUT_S + ANSWER_MARGIN_S


def is_unavailable(error: psycopg.Error | BaseException | None) -> bool:
    """Whether the server, its disk or the network caused an error, rather than the statement."""
    import psycopg

    state = getattr(error, "sqlstate", None)
    if state is None:
        return isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError))
    return state[:2] in _UNAVAILABLE_CLASSES or state in _UNAVAILABLE
