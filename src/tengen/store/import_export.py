"""Import and export of collections.

Games are imported in short transactions, prepared outside of them, so that concurrent saves wait only briefly.
Each game is stored completely or not at all, and duplicates are skipped, so an interrupted import can simply be
repeated.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import insert, select

from tengen.core.errors import TengenError
from tengen.core.translation import mark
from tengen.games.records import Record
from tengen.store.explorer import MAX_UNCACHED_COUNT, Explorer, segment_of
from tengen.store.game_entry import GameEntry
from tengen.store.games import entry_to_json
from tengen.store.listing import POSITIONS_LOCK, Filter, Listing
from tengen.store.position_keys import IndexedPosition, indexed_positions
from tengen.store.record_codec import pack_record, unpack_record
from tengen.store.rows import game_row
from tengen.store.schema import games, positions, records

MIN_BATCH_GAMES, MAX_BATCH_GAMES = 100, 5000
WRITE_TARGET_S = 0.2  # the batch size is adjusted so that a transaction takes about this long
MAX_PREPARE_S = 1.0  # even an incomplete batch is stored after this time
IMPORTED_END = "imported"


@dataclass(frozen=True)
class ImportResult:
    """Progress of an import. `bad` lists the number, from 1, of each skipped record and the reason."""

    added: int = 0
    duplicates: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)

    @property
    def seen(self) -> int:
        return self.added + self.duplicates + len(self.bad)

    def __str__(self) -> str:
        if self.duplicates and self.bad:
            text = mark("{added} added, {duplicates} already stored, {bad} bad")
        elif self.duplicates:
            text = mark("{added} added, {duplicates} already stored")
        else:
            text = mark("{added} added, {bad} bad") if self.bad else mark("{added} added")
        return text.format(added=self.added, duplicates=self.duplicates, bad=len(self.bad))


class ImportExport(Explorer, Listing):
    """Import and export."""

    def import_records(
        self,
        source: Iterable[Record | TengenError],
        on_progress: Callable[[ImportResult], None] | None = None,
        *,
        writing: float = WRITE_TARGET_S,
        smallest: int | None = None,
    ) -> ImportResult:
        """Store the games of a collection. Names are listed, but do not become players.

        Errors in `source` and records with illegal moves are reported as bad and skipped. Read files with
        `check=False`, because moves are checked here. An exception raised by `on_progress` ends the import;
        games already reported as added stay. Batches have at least `smallest` games, and grow while a
        transaction takes less than `writing` seconds.
        """
        done = ImportResult()
        key_counts: Counter[int] = Counter()
        batch: list[_Incoming] = []
        smallest = MIN_BATCH_GAMES if smallest is None else smallest
        size = smallest
        began = time.monotonic()
        for number, record in enumerate(_with_final_error(source), 1):
            try:
                batch.append(_prepare(record))
            except TengenError as error:
                done.bad.append((number, str(error)))
            if len(batch) >= size or time.monotonic() - began > MAX_PREPARE_S:
                prepared = time.monotonic()
                done = self._store(batch, done, key_counts)
                batch, began = [], time.monotonic()
                if began - prepared > writing:
                    size = max(smallest, size // 2)
                elif began - prepared < writing / 2:
                    size = min(MAX_BATCH_GAMES, 2 * size)
                if on_progress is not None:
                    on_progress(done)
        done = self._store(batch, done, key_counts)
        self._cache_position_counts(key for key, count in key_counts.items() if count > MAX_UNCACHED_COUNT // 4)
        if on_progress is not None:
            on_progress(done)
        return done

    def _store(self, batch: list[_Incoming], done: ImportResult, key_counts: Counter[int]) -> ImportResult:
        """Store the new games of a batch."""
        fresh = {incoming.row["digest"]: incoming for incoming in reversed(batch)}
        if not fresh:
            return done
        with self._database.write() as connection:
            self._database.lock(connection, "imports")
            self._database.lock(connection, POSITIONS_LOCK, shared=True)
            for imported in (games.c.imported, ~games.c.imported):  # each has an index
                known = select(games.c.digest).where(
                    games.c.deleted.is_(None), imported, games.c.digest.in_(fresh)
                )
                for digest in connection.scalars(known).all():
                    fresh.pop(bytes(digest), None)
            added = [incoming for incoming in batch if fresh.get(incoming.row["digest"]) is incoming]
            if added:
                numbers = self._database.allocate_numbers(connection, games, len(added))
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
                    sorted(  # by primary key
                        (segment_of(number), key, number, *stop)
                        for number, incoming in zip(numbers, added, strict=True)
                        for key, stop in incoming.stops.items()
                    ),
                )
        for incoming in added:
            key_counts.update(key for key, stop in incoming.stops.items() if stop.ply < 8)
        return replace(done, added=done.added + len(added), duplicates=done.duplicates + len(batch) - len(added))

    def export_records(self, which: Filter = Filter()) -> Iterator[Record]:  # noqa: B008
        """Records of matching games by date, each with the names and date shown in lists."""
        waiting: list[str] = []
        for game in self.all_games(which, descending=False):
            waiting.append(game.id)
            if len(waiting) == MIN_BATCH_GAMES:
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
            if identity in rows:  # it may have been purged meanwhile
                row = rows[identity]
                record = unpack_record(row.packed)
                record.names = (record.names[0] or row.first_name, record.names[1] or row.second_name)
                record.date = record.date or row.date
                yield record


@dataclass(frozen=True, eq=False)
class _Incoming:
    """A record prepared for storing."""

    row: dict[str, Any]
    packed: bytes
    entry: str
    stops: dict[int, IndexedPosition]


def _prepare(record: Record | TengenError) -> _Incoming:
    if isinstance(record, TengenError):
        raise record
    record.check()
    entry = GameEntry(record, end=IMPORTED_END)
    row = game_row(entry, imported=True) | {"revision": 1}
    return _Incoming(row, pack_record(record), entry_to_json(entry), indexed_positions(record))


def _with_final_error(source: Iterable[Record | TengenError]) -> Iterator[Record | TengenError]:
    """The items of a source; an exception raised by it becomes the last item."""
    try:
        yield from source
    except TengenError as error:
        yield error
