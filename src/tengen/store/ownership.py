"""Players and games that belong to an account, and their limits."""

from __future__ import annotations

from sqlalchemy import Connection, func, or_, select, update

from tengen.core.resource_limits import LimitExceeded
from tengen.players.player import Person, Player
from tengen.store.component import StoreComponent
from tengen.store.errors import StoreConflict
from tengen.store.players import digest, insert_if_new
from tengen.store.schema import accounts, games, players


class Ownership(StoreComponent):
    """Players and games by account."""

    def player_owner(self, player_id: str) -> str | None:
        """Account that owns a player; None if the server owns it or it is not stored."""
        with self._database.read() as connection:
            return connection.scalar(select(players.c.owner).where(players.c.id == player_id))

    def player_owners(self) -> dict[str, str | None]:
        """Owning account, or None, of each stored player by id."""
        with self._database.read() as connection:
            return {row.id: row.owner for row in connection.execute(select(players.c.id, players.c.owner))}

    def add_player(self, player: Player, owner: str | None, limit: int | None = None) -> bool:
        """Add a new player owned by an account; returns False if it is already stored.

        Raises `LimitExceeded` if the account already has `limit` players.
        """
        with self._database.write() as connection:
            self._database.lock(connection, "players")
            if not insert_if_new(connection, player):
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
        """Number of games that count towards an account's limit: played by its players or imported."""
        mine = select(players.c.id).where(players.c.owner == account_id)
        played = select(func.count()).select_from(games)
        played = played.where(games.c.deleted.is_(None), ~games.c.imported)
        played = played.where(or_(games.c.first_player.in_(mine), games.c.second_player.in_(mine)))
        with self._database.read() as connection:
            imported = connection.scalar(select(accounts.c.imported).where(accounts.c.id == account_id))
            return (connection.scalar(played) or 0) + (imported or 0)

    def add_imported_games(self, account_id: str, count: int) -> None:
        """Add `count` imported games to an account's total."""
        with self._database.write() as connection:
            connection.execute(
                update(accounts).where(accounts.c.id == account_id).values(imported=accounts.c.imported + count)
            )


def claim_person(connection: Connection, person: Person, owner: str, *, may_take_over: bool) -> None:
    """Make an account the owner of a person, adding it if new; an unowned one only if `may_take_over`."""
    known = connection.execute(
        select(players.c.id, players.c.owner).where(players.c.identity_digest == digest(person))
    ).first()
    if known is None:
        insert_if_new(connection, person)
        identity = person.id
    elif known.owner is None and may_take_over:
        identity = known.id
    else:
        raise StoreConflict(f"there is a player {person.name!r} already: choose another name")
    connection.execute(update(players).where(players.c.id == identity).values(owner=owner))
