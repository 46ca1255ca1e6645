"""Stored players: unique ids, and no two with the same name and engine configuration."""

from __future__ import annotations

import hashlib
import json

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from tengen.core.translation import mark
from tengen.players.player import EnginePlayer, Person, Player, identity_key, read_player
from tengen.store.component import StoreComponent, now
from tengen.store.errors import NotStored, StoreError
from tengen.store.rows import folded, to_microseconds
from tengen.store.schema import games, players


class Players(StoreComponent):
    """Stored people and engines."""

    def players(self) -> list[Player]:
        """All players, by name."""
        with self._database.read() as connection:
            found = [read_player(json.loads(text)) for text in connection.scalars(select(players.c.player))]
        return sorted(found, key=lambda player: (player.name.casefold(), player.id))

    def player(self, identity: str) -> Player:
        """The player with this id."""
        with self._database.read() as connection:
            return _load(connection, identity)

    def people(self) -> list[Person]:
        return [player for player in self.players() if isinstance(player, Person)]

    def save_player(self, player: Player) -> None:
        """Add a player, or update the name and engine configuration of the one with this id.

        Earlier games keep the configuration they were played with, and are listed under the new name. Raises
        `StoreError` if another player has the same name, ignoring case, and the same configuration.
        """
        with self._database.write() as connection:
            self._database.lock(connection, "players")
            if insert_if_new(connection, player):
                return
            if json.loads(_text(connection, player.id))["kind"] != player.to_dict()["kind"]:
                raise StoreError(
                    mark("{name}: a person cannot become an engine, nor an engine a person").format(
                        name=player.name
                    )
                )
            _check_identity(connection, player)
            connection.execute(update(players).where(players.c.id == player.id).values(_row(player)))
            for who in ("first", "second"):
                connection.execute(
                    update(games)
                    .where(games.c[f"{who}_player"] == player.id)
                    .values({f"{who}_name": player.name, f"{who}_folded": folded(player.name)})
                )

    def rename_player(self, identity: str, name: str) -> Player:
        """Rename a player; id, games and ratings stay."""
        player = self.player(identity).renamed(name)
        self.save_player(player)
        return player

    def remove_player(self, identity: str) -> None:
        """Delete a player. Raises `StoreError` if games refer to it."""
        with self._database.write() as connection:
            self._database.lock(connection, "players")
            player = _load(connection, identity)
            for column in (games.c.first_player, games.c.second_player):
                if connection.scalar(select(games.c.number).where(column == identity).limit(1)) is not None:
                    raise StoreError(
                        mark("{name} has games: delete and purge them first").format(name=player.name)
                    )
            connection.execute(delete(players).where(players.c.id == identity))


def insert_if_new(connection: Connection, player: Player) -> bool:
    """Insert a player unless its id is stored; returns whether it was inserted."""
    if connection.scalar(select(players.c.id).where(players.c.id == player.id)) is not None:
        return False
    _check_identity(connection, player)
    try:
        with connection.begin_nested():
            connection.execute(insert(players).values(**_row(player), added=to_microseconds(now())))
    except IntegrityError:
        # On PostgreSQL another transaction may have inserted it since the check above.
        if connection.scalar(select(players.c.id).where(players.c.id == player.id)) is None:
            _check_identity(connection, player)
            raise
    return True


def current_names(connection: Connection, identities: list[str]) -> dict[str, str]:
    """Current names of players by id."""
    found = connection.execute(select(players.c.id, players.c.name).where(players.c.id.in_(identities)))
    return {row.id: row.name for row in found}


def _check_identity(connection: Connection, player: Player) -> None:
    other = connection.scalar(
        select(players.c.name).where(players.c.identity_digest == digest(player), players.c.id != player.id)
    )
    if other is not None:
        same_settings = mark("there is a player {name!r} with the same settings already: choose another name")
        same_name = mark("there is a player {name!r} already: choose another name")
        text = same_settings if isinstance(player, EnginePlayer) else same_name
        raise StoreError(text.format(name=other))


def _row(player: Player) -> dict[str, str]:
    data = player.to_dict()
    return {
        "id": player.id,
        "kind": data["kind"],
        "name": player.name,
        "identity_digest": digest(player),
        "player": json.dumps(data),
    }


def digest(player: Player) -> str:
    """Digest that is unique among stored players."""
    return hashlib.sha256(identity_key(player).encode()).hexdigest()


def _text(connection: Connection, identity: str) -> str:
    found = connection.scalar(select(players.c.player).where(players.c.id == identity))
    if found is None:
        raise NotStored(mark("there is no player with the id {identity}").format(identity=identity))
    return str(found)


def _load(connection: Connection, identity: str) -> Player:
    return read_player(json.loads(_text(connection, identity)))
