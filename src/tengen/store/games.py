"""Saving, loading, deleting and restoring games. Games are saved after every move.

A save is one transaction. It compares the entry's revision with the stored one, so two programs that have the same
game open cannot overwrite each other's moves: the second gets a `StoreConflict`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from tengen.core.translation import mark
from tengen.games.records import Record
from tengen.players.player import Player, is_guest_name, read_player
from tengen.store.component import StoreComponent, now
from tengen.store.database import Database
from tengen.store.errors import NotStored, StoreConflict, StoreError, StoreUnavailable
from tengen.store.explorer import update_index
from tengen.store.game_entry import GameEntry
from tengen.store.listing import POSITIONS_LOCK, adjust_count
from tengen.store.players import current_names, insert_if_new
from tengen.store.position_keys import IndexedPosition, OpeningSignature, indexed_positions, opening_signature
from tengen.store.ratings import rate
from tengen.store.record_codec import pack_record, unpack_record
from tengen.store.rows import folded, from_microseconds, game_row, to_microseconds
from tengen.store.schema import games, records

RETENTION_DAYS = 30  # deleted games and unsaved drafts are removed after this time
MAX_DRAFTS = 2000  # the oldest are removed first
MAX_REMEMBERED_GAMES = 64


@dataclass(frozen=True)
class _StoredVersion:
    """A version of a game as it is in the database, remembered so that the next save writes only what changed."""

    revision: int
    changed: int
    packed: bytes
    entry: str
    opening: OpeningSignature
    positions: Mapping[int, IndexedPosition] | None  # None: not computed yet


class Games(StoreComponent):
    """Stored games."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._end_listeners: list[Callable[[GameEntry], None]] = []
        self._versions: dict[str, _StoredVersion] = {}  # by game id, least recently used first
        self._versions_lock = threading.Lock()

    def on_game_end(self, listener: Callable[[GameEntry], None]) -> Callable[[], None]:
        """Call `listener` whenever a game is first saved as finished; returns a function to unsubscribe."""
        self._end_listeners.append(listener)
        return lambda: self._end_listeners.remove(listener)

    def save(self, entry: GameEntry) -> None:
        """Store an entry durably and update its `revision` and `changed`. Writes only what changed.

        Adds players that are not stored yet. The first save of a finished game that is `rated` rates its players.
        Raises `StoreConflict` if the entry was changed or deleted elsewhere since it was loaded.
        """
        time = now()
        packed, other_fields = pack_record(entry.record), entry_to_json(entry)
        content = {"packed": packed, "entry": other_fields}
        opening = opening_signature(entry.record)
        try:
            with self._database.write() as connection:
                self._database.lock(connection, POSITIONS_LOCK, shared=True)
                names = _add_players(connection, entry)
                found = connection.execute(
                    select(games).where(games.c.id == entry.id).with_for_update()
                ).one_or_none()
                repeated = _check_revision(entry, found)
                was_listed = found is not None and not found.draft
                was_ended = found is not None and not found.draft and found.finished
                if found is None and entry.draft:
                    _remove_old_drafts(connection, time)
                row = game_row(entry, found is not None and found.imported)
                row |= {
                    "changed": to_microseconds(time),
                    "revision": (found.revision if found is not None else 0) + 1,
                }
                row |= {"draft": entry.draft, "deleted": to_microseconds(time) if entry.draft else None}
                _use_current_names(row, names)
                old: Mapping[int, IndexedPosition] = {}
                positions: Mapping[int, IndexedPosition] | None = None  # of this save
                is_reindexed = not entry.draft
                if found is None:
                    number = connection.scalar(insert(games).values(row).returning(games.c.number))
                    connection.execute(insert(records).values(number=number, **content))
                else:
                    number = found.number
                    version = self._version(entry.id, found)
                    if was_listed:
                        version = version or _read_version(connection, found)
                        positions = version.positions
                        is_reindexed = version.opening != opening
                        if is_reindexed:
                            old = positions or indexed_positions(_record(connection, number))
                    changes = {name: value for name, value in row.items() if getattr(found, name) != value}
                    connection.execute(update(games).where(games.c.number == number).values(changes))
                    new_content = {
                        name: value
                        for name, value in content.items()
                        if version is None or getattr(version, name) != value
                    }
                    if new_content:
                        connection.execute(update(records).where(records.c.number == number).values(new_content))
                    if not was_listed or found.game != row["game"]:
                        adjust_count(connection, found.game, number, -int(was_listed))
                        adjust_count(connection, row["game"], number, int(not entry.draft))
                if is_reindexed:
                    positions = indexed_positions(entry.record)
                    update_index(connection, number, old, positions)
                if not entry.draft:
                    rate(self._database, connection, entry, time)
        except StoreError as error:
            if isinstance(error.__cause__, IntegrityError):
                raise StoreConflict(
                    f"game {entry.id}: this game or an equal imported one is stored already; load it"
                ) from error
            if isinstance(error, StoreUnavailable):
                entry.attempted = time
            raise
        entry.revision = row["revision"]
        entry.changed, entry.attempted = time, None
        version = _StoredVersion(row["revision"], row["changed"], packed, other_fields, opening, positions)
        self._remember(entry.id, version)
        if entry.is_finished and not entry.draft and (repeated or not was_ended):
            for listener in list(self._end_listeners):
                listener(entry)

    def load(self, identity: str) -> GameEntry:
        """Load a game, deleted or not. Players have their current names and their configuration of then."""
        with self._database.read() as connection:
            found = connection.execute(
                select(games, records.c.packed, records.c.entry)
                .join(records, records.c.number == games.c.number)
                .where(games.c.id == identity)
            ).one_or_none()
            if found is None:
                raise NotStored(mark("there is no game with the id {identity}").format(identity=identity))
            known = [who for who in (found.first_player, found.second_player) if who is not None]
            names = current_names(connection, known) if known else {}
        entry = entry_from_row(found, names)
        self._remember(entry.id, _version_of(found, found, entry.record))
        return entry

    def _version(self, game_id: str, row: Any) -> _StoredVersion | None:
        """What is remembered of the version in a row of `games`; None if another version is stored now."""
        with self._versions_lock:
            version = self._versions.get(game_id)
        is_stored = version is not None and (version.revision, version.changed) == (row.revision, row.changed)
        return version if is_stored else None

    def _remember(self, game_id: str, version: _StoredVersion) -> None:
        with self._versions_lock:
            self._versions.pop(game_id, None)
            self._versions[game_id] = version
            while len(self._versions) > MAX_REMEMBERED_GAMES:
                del self._versions[next(iter(self._versions))]

    def delete(self, *identities: str) -> None:
        """Remove games from the lists; `restore` undoes it until they are purged. Ratings do not change.

        Drafts are deleted permanently.
        """
        self._mark(identities, to_microseconds(now()))

    def restore(self, *identities: str) -> None:
        """Undo a deletion."""
        try:
            self._mark(identities, None)
        except StoreError as error:
            if isinstance(error.__cause__, IntegrityError):
                raise StoreError(
                    "the game was imported again since it was deleted; nothing was changed"
                ) from error
            raise

    def _mark(self, identities: Sequence[str], deleted: int | None) -> None:
        with self._database.write() as connection:
            self._database.lock(connection, POSITIONS_LOCK, shared=True)
            for identity in identities:
                found = connection.execute(
                    select(games.c.number, games.c.game, games.c.deleted, games.c.draft)
                    .where(games.c.id == identity)
                    .with_for_update()
                ).one_or_none()
                if found is None:
                    raise NotStored(f"there is no game with the id {identity}; nothing was changed")
                if found.draft and deleted is not None:
                    connection.execute(delete(games).where(games.c.number == found.number))
                    continue
                if found.draft:
                    raise StoreError(f"game {identity} is a draft, not a deleted game; nothing was changed")
                if (found.deleted is None) == (deleted is None):
                    continue
                connection.execute(update(games).where(games.c.number == found.number).values(deleted=deleted))
                adjust_count(connection, found.game, found.number, 1 if deleted is None else -1)
                positions = indexed_positions(_record(connection, found.number))
                old, new = ({}, positions) if deleted is None else (positions, {})
                update_index(connection, found.number, old, new)

    def purge(self, before: datetime | None = None) -> int:
        """Permanently remove games deleted before a time (default: `RETENTION_DAYS` ago); returns how many."""
        limit = to_microseconds(before or now() - timedelta(days=RETENTION_DAYS))
        with self._database.write() as connection:
            gone = connection.execute(delete(games).where(games.c.deleted.is_not(None), games.c.deleted < limit))
            return gone.rowcount


def entry_from_row(row: Any, names: dict[str, str]) -> GameEntry:
    """Build an entry from its joined row in `games` and `records`, and the players' current names by id."""
    data = json.loads(row.entry)
    first, second = (
        None if player is None else _renamed(read_player(player), names) for player in data["players"]
    )
    return GameEntry(
        unpack_record(row.packed),
        players=(first, second),
        end=data["end"],
        presumed=data["presumed"],
        state=data["state"],
        rated=data["rated"],
        draft=row.draft,
        id=row.id,
        started=from_microseconds(row.started),
        changed=from_microseconds(row.changed),
        revision=row.revision,
    )


def _version_of(game: Any, content: Any, record: Record) -> _StoredVersion:
    """The version described by a row of `games`, its row of `records` and the record unpacked from it."""
    opening = opening_signature(record)
    return _StoredVersion(game.revision, game.changed, content.packed, content.entry, opening, None)


def _read_version(connection: Connection, game: Any) -> _StoredVersion:
    content = connection.execute(select(records).where(records.c.number == game.number)).one()
    return _version_of(game, content, unpack_record(content.packed))


def _record(connection: Connection, number: int) -> Record:
    return unpack_record(
        connection.execute(select(records.c.packed).where(records.c.number == number)).scalar_one()
    )


def _renamed(player: Player, names: dict[str, str]) -> Player:
    name = names.get(player.id, player.name)
    return player if name == player.name else player.renamed(name)


def entry_to_json(entry: GameEntry) -> str:
    """The fields of an entry that are neither in its record nor in `games`, as JSON."""
    return json.dumps(
        {
            "players": [None if player is None else player.to_dict() for player in entry.players],
            "end": entry.end,
            "presumed": entry.presumed,
            "state": dict(entry.state),
            "rated": entry.rated,
        }
    )


def _check_revision(entry: GameEntry, found: Any) -> bool:
    """Raise `StoreConflict` unless the entry is current. Returns True if an unconfirmed save had been stored."""
    stored = found.revision if found is not None else 0
    if found is not None and found.deleted is not None and not found.draft:
        raise StoreConflict(f"game {entry.id} was deleted; restore it first")
    if found is not None and entry.draft and not found.draft:
        raise StoreConflict(f"game {entry.id} is already stored: it cannot become a draft")
    if found is not None and entry.attempted is not None and found.changed == to_microseconds(entry.attempted):
        return True
    if stored != entry.revision:
        raise StoreConflict(
            mark("game {id} was changed meanwhile (revision {stored}, yours is {revision}): load it again").format(
                id=entry.id, stored=stored, revision=entry.revision
            )
        )
    return False


def _remove_old_drafts(connection: Connection, time: datetime) -> None:
    """Remove expired drafts, and the oldest ones beyond `MAX_DRAFTS`."""
    limit = to_microseconds(time - timedelta(days=RETENTION_DAYS))
    connection.execute(delete(games).where(text("draft"), games.c.deleted < limit))
    newest = select(games.c.number).where(text("draft")).order_by(games.c.deleted.desc(), games.c.number.desc())
    surplus = list(connection.scalars(newest.offset(MAX_DRAFTS - 1)))
    if surplus:
        connection.execute(delete(games).where(games.c.number.in_(surplus)))


def _add_players(connection: Connection, entry: GameEntry) -> dict[str, str]:
    """Insert the players of a game that are not stored; returns the current names of both by id."""
    players = {player.id: player for player in entry.players if player is not None}
    names = current_names(connection, list(players)) if players else {}
    new = [player for player in players.values() if player.id not in names]
    for player in new:
        insert_if_new(connection, player)
    return current_names(connection, list(players)) if new else names


def _use_current_names(row: dict[str, Any], names: dict[str, str]) -> None:
    """Use the current names of players who were renamed since the entry was created."""
    for who in ("first", "second"):
        name = names.get(row[f"{who}_player"])
        if name is not None and not is_guest_name(name):
            row[f"{who}_name"], row[f"{who}_folded"] = name, folded(name)
