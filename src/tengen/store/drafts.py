"""Drafts: games that a visitor pasted or edited, listed for their owner only. The owner is that of their seats."""

from __future__ import annotations

from sqlalchemy import delete, select, text

from tengen.store.component import StoreComponent
from tengen.store.rows import ListedGame, row_to_listed_game
from tengen.store.schema import games, seats


class Drafts(StoreComponent):
    """The drafts of visitors."""

    def drafts(self, owner: str, limit: int = 100) -> list[ListedGame]:
        """The drafts of a visitor, last changed first. `deleted` is the time of the last change."""
        chosen = (
            select(games)
            .join(seats, seats.c.number == games.c.number)
            .where(text("draft"), seats.c.owner == owner)
            .order_by(games.c.deleted.desc(), games.c.number.desc())
            .limit(limit)
        )
        with self._database.read() as connection:
            return [row_to_listed_game(row) for row in connection.execute(chosen)]

    def remove_surplus_drafts(self, owner: str, most: int) -> int:
        """Remove the oldest drafts of a visitor beyond a number; returns how many."""
        kept = (
            select(games.c.number)
            .join(seats, seats.c.number == games.c.number)
            .where(text("draft"), seats.c.owner == owner)
            .order_by(games.c.deleted.desc(), games.c.number.desc())
        )
        with self._database.write() as connection:
            surplus = list(connection.scalars(kept.offset(most)))
            if surplus:
                connection.execute(delete(games).where(games.c.number.in_(surplus)))
            return len(surplus)
