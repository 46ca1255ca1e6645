"""Seats: who may act in a game that is played over the web.

A *seat* is one side of a game played by a person. Each has a key that grants access to it: in another browser by
an invite link, or in a program through the API. Seats belong to a stored game and are deleted with it.
"""

from __future__ import annotations

import copy
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from tengen.store.component import StoreComponent
from tengen.store.errors import NotStored
from tengen.store.schema import games, seat_holders, seats

IDS_PER_QUERY = 500  # databases limit the parameters of a statement


def _new_keys() -> tuple[str, str]:
    return secrets.token_urlsafe(16), secrets.token_urlsafe(16)


@dataclass
class Seats:
    """Access to one game: its creator, and for each side the key and the visitors who play it.

    `open` marks the sides that still wait for a guest to follow the invite link.
    """

    owner: str
    keys: tuple[str, str] = field(default_factory=_new_keys)
    holders: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    open: tuple[bool, bool] = (False, False)

    def sides(self, who: str) -> frozenset[int]:
        """The sides that a visitor plays."""
        return frozenset(side for side in (0, 1) if who in self.holders[side])

    def side_of(self, key: str) -> int | None:
        """The side that a key belongs to."""
        return next((side for side in (0, 1) if hmac.compare_digest(self.keys[side].encode(), key.encode())), None)

    def guests(self) -> set[str]:
        """The visitors who joined through an invite link."""
        return {who for holders in self.holders for who in holders} - {self.owner}

    def is_guest(self, who: str) -> bool:
        """Whether `who`, a visitor or a key, is a guest: not the creator, or the key of a side offered by link."""
        side = self.side_of(who)
        given = side is not None and (self.open[side] or any(one != self.owner for one in self.holders[side]))
        return given or who in self.guests()

    def assign(self, side: int, who: str) -> None:
        """Let a visitor play a side."""
        if who not in self.holders[side]:
            self.holders[side].append(who)
        if who != self.owner:
            self.open = (False, self.open[1]) if side == 0 else (self.open[0], False)

    def copy(self) -> Seats:
        """A deep copy, to be modified and adopted only once it is stored."""
        return copy.deepcopy(self)


class SeatStorage(StoreComponent):
    """Seats of stored games."""

    def seats(self, game_id: str) -> Seats | None:
        """The seats of a game; None if it has none or is not stored."""
        return self.all_seats([game_id]).get(game_id)

    def all_seats(self, game_ids: Iterable[str]) -> dict[str, Seats]:
        """The seats of several games by id; games without seats are left out."""
        wanted = list(game_ids)
        found: dict[str, Seats] = {}
        with self._database.read() as connection:
            for start in range(0, len(wanted), IDS_PER_QUERY):
                some = wanted[start : start + IDS_PER_QUERY]
                rows = select(games.c.id, seats).join(seats, seats.c.number == games.c.number)
                by_number: dict[int, Seats] = {}
                for row in connection.execute(rows.where(games.c.id.in_(some))):
                    by_number[row.number] = found[row.id] = Seats(
                        row.owner,
                        (row.first_key, row.second_key),
                        ([], []),
                        (bool(row.first_open), bool(row.second_open)),
                    )
                held = select(seat_holders).where(seat_holders.c.number.in_(list(by_number)))
                for row in connection.execute(held.order_by(seat_holders.c.place)) if by_number else ():
                    by_number[row.number].holders[row.side].append(row.visitor)
        return found

    def set_seats(self, game_id: str, value: Seats) -> None:
        """Store the seats of a stored game, durably."""
        with self._database.write() as connection:
            number = connection.scalar(select(games.c.number).where(games.c.id == game_id).with_for_update())
            if number is None:
                raise NotStored(f"there is no game with the id {game_id}")
            connection.execute(delete(seat_holders).where(seat_holders.c.number == number))
            connection.execute(delete(seats).where(seats.c.number == number))
            insert_seats(connection, [(number, value)])


def insert_seats(connection: Connection, rows: list[tuple[int, Seats]]) -> None:
    """Insert seats by game number, for games that have none."""
    if not rows:
        return
    connection.execute(
        insert(seats),
        [
            {
                "number": number,
                "owner": one.owner,
                "first_key": one.keys[0],
                "second_key": one.keys[1],
                "first_open": one.open[0],
                "second_open": one.open[1],
            }
            for number, one in rows
        ],
    )
    holders: list[dict[str, Any]] = [
        {"number": number, "side": side, "visitor": who, "place": place}
        for number, one in rows
        for side in (0, 1)
        for place, who in enumerate(one.holders[side])
    ]
    if holders:
        connection.execute(insert(seat_holders), holders)
