"""Whole collections in and out.

Games are imported in short transactions, with all the work outside of them: who plays meanwhile waits for moments.
Each is stored whole or not at all, and one that is there already is not stored again, so an import that was broken
off is simply done again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import insert, select

from tengen.core.errors import TengenError
from tengen.games.records import Record
from tengen.store.entry import GameEntry
from tengen.store.explorer import CROWD, Explorer, segment
from tengen.store.games import write_entry
from tengen.store.listing import POSITIONS, Filter, Listing
from tengen.store.opening import Stop, trace
from tengen.store.packing import pack, unpack
from tengen.store.rows import row_of
from tengen.store.schema import games, positions, records

SMALLEST, LARGEST = 100, 5000  # games of a batch
WRITING = 0.2  # seconds that a batch should hold others up at most: the next one is smaller or larger accordingly
PREPARING = 1.0  # seconds after which even a small batch is stored
END = "imported"


@dataclass(frozen=True)
class Imported:
    """How an import went so far. `bad` has the number of each record that was skipped, from 1, and why."""

    added: int = 0
    duplicates: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)

    @property
    def seen(self) -> int:
        return self.added + self.duplicates + len(self.bad)

    def __str__(self) -> str:
        text = f"{self.added} added"
        if self.duplicates:
            text += f", {self.duplicates} there already"
        return f"{text}, {len(self.bad)} bad" if self.bad else text


class Transfer(Explorer, Listing):
    """Import and export."""

    def import_records(
        self,
        source: Iterable[Record | TengenError],
        on_progress: Callable[[Imported], None] | None = None,
        *,
        writing: float = WRITING,
        smallest: int | None = None,
    ) -> Imported:
        """Store the games of a collection. Their names are listed, but do not become players of the store.

        An error in the place of a record, or a record with an illegal move, is reported as bad and skipped. Read
        files with `check=False`: the check is made here. What `on_progress` raises ends the import; what was
        reported as added stays. A batch has `smallest` games at least, and more if it holds others up for less
        than `writing` seconds.
        """
        done = Imported()
        crowd: Counter[int] = Counter()
        batch: list[_Incoming] = []
        smallest = SMALLEST if smallest is None else smallest
        size = smallest
        began = time.monotonic()
        for number, record in enumerate(_whole(source), 1):
            try:
                batch.append(_prepare(record))
            except TengenError as error:
                done.bad.append((number, str(error)))
            if len(batch) >= size or time.monotonic() - began > PREPARING:
                prepared = time.monotonic()
                done = self._store(batch, done, crowd)
                batch, began = [], time.monotonic()
                if began - prepared > writing:
                    size = max(smallest, size // 2)
                elif began - prepared < writing / 2:
                    size = min(LARGEST, 2 * size)
                if on_progress is not None:
                    on_progress(done)
        done = self._store(batch, done, crowd)
        self._summarise(key for key, count in crowd.items() if count > CROWD // 4)
        if on_progress is not None:
            on_progress(done)
        return done

    def _store(self, batch: list[_Incoming], done: Imported, crowd: Counter[int]) -> Imported:
        """Add those of a batch that are new."""
        fresh = {incoming.row["digest"]: incoming for incoming in reversed(batch)}
        if not fresh:
            return done
        with self._database.write() as connection:
            self._database.hold(connection, "imports")
            self._database.hold(connection, POSITIONS, shared=True)
            for imported in (games.c.imported, ~games.c.imported):  # each has an index
                known = select(games.c.digest).where(
                    games.c.deleted.is_(None), imported, games.c.digest.in_(fresh)
                )
                for digest in connection.scalars(known).all():
                    fresh.pop(bytes(digest), None)
            added = [incoming for incoming in batch if fresh.get(incoming.row["digest"]) is incoming]
            if added:
                numbers = self._database.numbers(connection, games, len(added))
                connection.execute(
                    insert(games),
                    [incoming.row | {"number": number} for number, incoming in zip(numbers, added, strict=True)],
                )
                connection.execute(
                    insert(records),
                    [
                        {"number": number, "packed": incoming.packed, "entry": incoming.entry}
                        for number, incoming in zip(numbers, added, strict=True)
                    ],
                )
                self._database.insert_many(
                    connection,
                    positions,
                    sorted(  # neighbours on the disk
                        (segment(number), key, number, *stop)
                        for number, incoming in zip(numbers, added, strict=True)
                        for key, stop in incoming.stops.items()
                    ),
                )
        for incoming in added:
            crowd.update(key for key, stop in incoming.stops.items() if stop.ply < 8)
        return replace(done, added=done.added + len(added), duplicates=done.duplicates + len(batch) - len(added))

    def export_records(self, which: Filter = Filter()) -> Iterator[Record]:  # noqa: B008
        """The records of games, in the order of their dates, each with the names and date that lists show."""
        waiting: list[str] = []
        for game in self.all_games(which, descending=False):
            waiting.append(game.id)
            if len(waiting) == SMALLEST:
                yield from self._records(waiting)
                waiting = []
        yield from self._records(waiting)

    def _records(self, identities: list[str]) -> Iterator[Record]:
        chosen = (
            select(games.c.id, games.c.first_name, games.c.second_name, games.c.date, records.c.packed)
            .join(records, records.c.number == games.c.number)
            .where(games.c.id.in_(identities))
        )
        with self._database.read() as connection:
            rows = {row.id: row for row in connection.execute(chosen)}
        for identity in identities:
            if identity in rows:  # or it was purged this moment
                row = rows[identity]
                record = unpack(row.packed)
                record.names = (record.names[0] or row.first_name, record.names[1] or row.second_name)
                record.date = record.date or row.date
                yield record


@dataclass(frozen=True, eq=False)
class _Incoming:
    """A record ready to be stored."""

    row: dict[str, Any]
    packed: bytes
    entry: str
    stops: dict[int, Stop]


def _prepare(record: Record | TengenError) -> _Incoming:
    if isinstance(record, TengenError):
        raise record
    record.check()
    entry = GameEntry(record, end=END)
    row = row_of(entry, imported=True) | {"revision": 1}
    return _Incoming(row, pack(record), write_entry(entry), trace(record))


def _whole(source: Iterable[Record | TengenError]) -> Iterator[Record | TengenError]:
    """The records of a source, and as the last one the error that broke it off."""
    try:
        yield from source
    except TengenError as error:
        yield error
