"""Options of web visitors, the set of guests, and the server's secret."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from tengen.store.component import StoreComponent, now
from tengen.store.rows import to_microseconds
from tengen.store.schema import games, guests, seats, settings, visitors
from tengen.store.seats import IDS_PER_QUERY, Seats, insert_seats

MAX_VISITORS = 2000  # whose options are stored; the least recently seen are removed
SECRET = "secret"


class Visitors(StoreComponent):
    """Options, guests and the secret."""

    def all_options(self) -> dict[str, dict[str, Any]]:
        """Options by visitor."""
        with self._database.read() as connection:
            rows = connection.execute(select(visitors.c.visitor, visitors.c.options)).all()
        return {row.visitor: json.loads(row.options) for row in rows}

    def set_options(self, visitor: str, values: Mapping[str, Any]) -> None:
        """Update some options of a visitor and the time last seen."""
        with self._database.write() as connection:
            self._database.lock(connection, "visitors")
            _put_options(connection, visitor, values)
            _remove_surplus_visitors(connection)

    def guests(self) -> frozenset[str]:
        """All visitors who ever joined through an invite link."""
        with self._database.read() as connection:
            return frozenset(connection.scalars(select(guests.c.visitor)))

    def add_guests(self, new: Iterable[str]) -> None:
        """Permanently mark visitors as guests."""
        with self._database.write() as connection:
            self._database.lock(connection, "visitors")
            _add_guests(connection, set(new))

    def server_secret(self) -> bytes:
        """A random secret, created once per database and shared by all processes that use it."""
        found = self._setting(SECRET)
        if found is None:
            with self._database.write() as connection:
                self._database.lock(connection, "settings")
                found = connection.scalar(select(settings.c.value).where(settings.c.name == SECRET))
                if found is None:
                    found = secrets.token_hex(32)
                    connection.execute(insert(settings).values(name=SECRET, value=found))
        return bytes.fromhex(found)

    def _setting(self, name: str) -> str | None:
        with self._database.read() as connection:
            return connection.scalar(select(settings.c.value).where(settings.c.name == name))

    def import_legacy_data(
        self, secret: str, options: Mapping[str, Mapping[str, Any]], held: Mapping[str, Seats]
    ) -> None:
        """Import, in one transaction, data that earlier versions kept in a file. Existing data is not changed."""
        with self._database.write() as connection:
            self._database.lock(connection, "visitors")
            self._database.lock(connection, "settings")
            if secret and connection.scalar(select(settings.c.value).where(settings.c.name == SECRET)) is None:
                connection.execute(insert(settings).values(name=SECRET, value=secret))
            known = set(connection.scalars(select(visitors.c.visitor)))
            for visitor in list(options)[-MAX_VISITORS:]:
                if visitor not in known:
                    _put_options(connection, visitor, options[visitor])
            _remove_surplus_visitors(connection)
            ids = list(held)
            for start in range(0, len(ids), IDS_PER_QUERY):
                some = ids[start : start + IDS_PER_QUERY]
                free = (
                    select(games.c.id, games.c.number)
                    .outerjoin(seats, seats.c.number == games.c.number)
                    .where(games.c.id.in_(some), seats.c.number.is_(None))
                )
                insert_seats(connection, [(row.number, held[row.id]) for row in connection.execute(free).all()])
            _add_guests(connection, {who for one in held.values() for who in one.guests()})


def _put_options(connection: Connection, visitor: str, values: Mapping[str, Any]) -> None:
    here = visitors.c.visitor == visitor
    before = connection.scalar(select(visitors.c.options).where(here))
    merged = {**(json.loads(before) if before is not None else {}), **values}
    new = {"options": json.dumps(merged), "seen": to_microseconds(now())}
    if before is None:
        connection.execute(insert(visitors).values(visitor=visitor, **new))
    else:
        connection.execute(update(visitors).where(here).values(new))


def _remove_surplus_visitors(connection: Connection) -> None:
    count = connection.scalar(select(func.count()).select_from(visitors)) or 0
    if count > MAX_VISITORS:
        oldest = select(visitors.c.visitor).order_by(visitors.c.seen).limit(count - MAX_VISITORS)
        connection.execute(delete(visitors).where(visitors.c.visitor.in_(oldest)))


def _add_guests(connection: Connection, new: set[str]) -> None:
    wanted = sorted(new)
    for start in range(0, len(wanted), IDS_PER_QUERY):
        some = wanted[start : start + IDS_PER_QUERY]
        known = set(connection.scalars(select(guests.c.visitor).where(guests.c.visitor.in_(some))))
        fresh = [{"visitor": who, "since": to_microseconds(now())} for who in some if who not in known]
        if fresh:
            connection.execute(insert(guests), fresh)
