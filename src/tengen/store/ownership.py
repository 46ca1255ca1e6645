"""Which account a player belongs to, and how many players and games an account has."""

from __future__ import annotations

from sqlalchemy import Connection, func, or_, select, update

from tengen.core.resource_limits import LimitExceeded
from tengen.players.player import Person, Player
from tengen.store.errors import StoreConflict
from tengen.store.part import Part
from tengen.store.roster import digest, enlist
from tengen.store.schema import accounts, games, players


class Ownership(Part):
    """Players and games by account."""

    def player_owner(self, player_id: str) -> str | None:
        """The account that a player belongs to; None if it is the server's, or not stored."""
        with self._database.read() as connection:
            return connection.scalar(select(players.c.owner).where(players.c.id == player_id))

    def player_owners(self) -> dict[str, str | None]:
        """The account, or None, by the id of each stored player."""
        with self._database.read() as connection:
            return {row.id: row.owner for row in connection.execute(select(players.c.id, players.c.owner))}

    def add_player(self, player: Player, owner: str | None, limit: int | None = None) -> bool:
        """Add a new player that belongs to an account; returns False if it is stored already.

        Raises `LimitExceeded` if the account has `limit` players.
        """
        with self._database.write() as connection:
            self._database.hold(connection, "players")
            if not enlist(connection, player):
                return False
            if owner is not None:
                connection.execute(update(players).where(players.c.id == player.id).values(owner=owner))
                count = connection.scalar(
                    select(func.count()).select_from(players).where(players.c.owner == owner)
                )
                if limit is not None and count is not None and count > limit:
                    raise LimitExceeded(f"an account may have {limit:,} players: remove some first")
            return True

    def count_games_of(self, account_id: str) -> int:
        """Games that an account keeps: those of its players, and those that it imported."""
        mine = select(players.c.id).where(players.c.owner == account_id)
        kept = select(func.count()).select_from(games)
        kept = kept.where(games.c.deleted.is_(None), ~games.c.imported)
        kept = kept.where(or_(games.c.first_player.in_(mine), games.c.second_player.in_(mine)))
        with self._database.read() as connection:
            imported = connection.scalar(select(accounts.c.imported).where(accounts.c.id == account_id))
            return (connection.scalar(kept) or 0) + (imported or 0)

    def note_imported(self, account_id: str, count: int) -> None:
        """Add imported games to what an account keeps."""
        with self._database.write() as connection:
            connection.execute(
                update(accounts).where(accounts.c.id == account_id).values(imported=accounts.c.imported + count)
            )


def own_person(connection: Connection, person: Person, owner: str, *, may_take_over: bool) -> None:
    """Give an account a person to play as; one of the server's with that name only if it may be taken over."""
    known = connection.execute(
        select(players.c.id, players.c.owner).where(players.c.likeness == digest(person))
    ).first()
    if known is None:
        enlist(connection, person)
        identity = person.id
    elif known.owner is None and may_take_over:
        identity = known.id
    else:
        raise StoreConflict(f"there is a player {person.name!r} already: choose another name")
    connection.execute(update(players).where(players.c.id == identity).values(owner=owner))
