"""Sessions of signed-in browsers and API tokens of programs. Only digests of tokens are stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, Select, delete, insert, select, update

from tengen.store.accounts import digest_of
from tengen.store.component import StoreComponent, now
from tengen.store.rows import from_microseconds, to_microseconds
from tengen.store.schema import accounts, sessions

SESSION_LIFETIME = timedelta(days=90)
SESSION_IDLE_LIFETIME = timedelta(days=30)
API_TOKEN_LIFETIME = timedelta(days=365)


@dataclass(frozen=True)
class Session:
    """A signed-in browser (`kind` "browser") or an API token ("api"), with its account."""

    number: int
    kind: str
    label: str
    created: datetime
    used: datetime
    expires: datetime
    account_id: str
    identity: str
    name: str
    role: str


class Sessions(StoreComponent):
    """The sessions of all accounts."""

    def create_session(self, account_id: str, token: str, kind: str, label: str, limit: int) -> int:
        """Store a session and return its number. Beyond `limit` per account, the least recently used end."""
        created = now()
        lifetime = SESSION_LIFETIME if kind == "browser" else API_TOKEN_LIFETIME
        with self._database.write() as connection:
            self._database.lock(connection, "accounts")
            connection.execute(delete(sessions).where(sessions.c.expires <= to_microseconds(created)))
            idle = to_microseconds(created - SESSION_IDLE_LIFETIME)
            connection.execute(delete(sessions).where(sessions.c.kind == "browser", sessions.c.used <= idle))
            made = connection.execute(
                insert(sessions).values(
                    digest=digest_of(token),
                    account=account_id,
                    kind=kind,
                    label="".join(letter for letter in label if letter.isprintable())[:200],
                    created=to_microseconds(created),
                    used=to_microseconds(created),
                    expires=to_microseconds(created + lifetime),
                )
            )
            recent = select(sessions.c.number).where(sessions.c.account == account_id)
            # Ties by number: with a coarse clock, the new session must not be the one that ends.
            recent = recent.order_by(sessions.c.used.desc(), sessions.c.number.desc()).limit(limit)
            numbers = list(connection.scalars(recent))
            connection.execute(
                delete(sessions).where(sessions.c.account == account_id, sessions.c.number.not_in(numbers))
            )
            assert made.inserted_primary_key is not None
            return int(made.inserted_primary_key[0])

    def find_session(self, token: str) -> Session | None:
        """The session of a token; None if it has expired or its account is disabled."""
        wanted = _select().where(sessions.c.digest == digest_of(token), ~accounts.c.disabled)
        with self._database.read() as connection:
            row = connection.execute(wanted).first()
        return None if row is None or not _is_valid(found := _session(row)) else found

    def sessions(self, account_id: str | None = None) -> list[Session]:
        """Sessions of one or all accounts, most recently used first."""
        wanted = _select().order_by(sessions.c.used.desc(), sessions.c.number.desc())
        if account_id is not None:
            wanted = wanted.where(sessions.c.account == account_id)
        with self._database.read() as connection:
            return [found for row in connection.execute(wanted) if _is_valid(found := _session(row))]

    def touch_session(self, number: int) -> None:
        """Update the time of last use."""
        with self._database.write() as connection:
            connection.execute(
                update(sessions).where(sessions.c.number == number).values(used=to_microseconds(now()))
            )

    def revoke_session(self, number: int, account_id: str | None = None) -> bool:
        """End a session, if `account_id` is given only one of that account; returns whether it existed."""
        ended = delete(sessions).where(sessions.c.number == number)
        if account_id is not None:
            ended = ended.where(sessions.c.account == account_id)
        with self._database.write() as connection:
            return connection.execute(ended).rowcount > 0

    def revoke_sessions(self, account_id: str) -> int:
        """End all sessions of an account and return their number."""
        with self._database.write() as connection:
            return int(connection.execute(delete(sessions).where(sessions.c.account == account_id)).rowcount)


def _select() -> Select[Any]:
    return select(sessions, accounts.c.identity, accounts.c.name, accounts.c.role).join(
        accounts, accounts.c.id == sessions.c.account
    )


def _is_valid(session: Session) -> bool:
    moment_now = now()
    is_idle = session.kind == "browser" and session.used + SESSION_IDLE_LIFETIME <= moment_now
    return session.expires > moment_now and not is_idle


def _session(row: Row[Any]) -> Session:
    return Session(
        row.number,
        row.kind,
        row.label,
        from_microseconds(row.created),
        from_microseconds(row.used),
        from_microseconds(row.expires),
        row.account,
        row.identity,
        row.name,
        row.role,
    )
