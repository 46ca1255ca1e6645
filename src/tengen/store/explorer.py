"""Opening explorer: the games that reached a position, and the moves played there.

The table `positions` has a row for each position in the opening of each game. Clustered by position alone, every
new game would touch some thirty random pages, so rows are clustered by segment of `GAMES_PER_SEGMENT` games first;
a query probes each segment (245 for a million games). Counts of very common positions, such as the start, are
cached in `position_counts` for all games up to a number. A transaction that changes one of those games adjusts
the cached counts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from tengen.core.game import Move
from tengen.store.component import StoreComponent
from tengen.store.errors import StoreError
from tengen.store.listing import PAGE_SIZE, POSITIONS_LOCK, Cursor, Page
from tengen.store.position_keys import (
    NO_MOVE,
    IndexedPosition,
    position_key,
    position_matcher,
)
from tengen.store.record_codec import unpack_record
from tengen.store.rows import row_to_listed_game
from tengen.store.schema import games, position_counts, positions, records

if TYPE_CHECKING:
    from tengen.core.position import Position

GAMES_PER_SEGMENT = 4096
MAX_UNCACHED_COUNT = 10_000  # counts over more games than this are cached

_Counts = Counter[tuple[int, int]]  # games by move and outcome


@dataclass(frozen=True)
class MoveCount:
    """A move played in a position, and the results of those games."""

    move: Move
    text: str
    games: int
    first_wins: int
    second_wins: int
    draws: int


@dataclass(frozen=True)
class PositionStatistics:
    """Number of games that reached a position and the moves played there, most frequent first."""

    games: int
    moves: tuple[MoveCount, ...]


class Explorer(StoreComponent):
    """Games by position, up to `position_keys.INDEXED_PLIES` moves from the start."""

    def explore(self, position: Position, *, played_here: bool = False) -> PositionStatistics:
        """Moves played in a position by games that are not deleted; `played_here` excludes imported games.

        Keys have 64 bits; counts accept the risk of a collision, `games_through` verifies positions.
        """
        key = position_key(position)
        with self._database.read() as connection:
            counts, uncounted = (
                (_count_played_here(connection, key), 0) if played_here else _count(connection, key)
            )
        if uncounted > MAX_UNCACHED_COUNT:
            with suppress(StoreError):  # the cache is only an optimisation
                self._cache_position_counts([key])
        moves = []
        for move in {move for move, _ in counts if move != NO_MOVE}:
            ended = [counts[move, outcome] for outcome in range(4)]
            moves.append(MoveCount(Move(move), position.game.write_move(Move(move)), sum(ended), *ended[:3]))
        moves.sort(key=lambda count: (-count.games, count.move))
        return PositionStatistics(counts.total(), tuple(moves))

    def games_through(self, position: Position, *, limit: int = PAGE_SIZE, after: Cursor | None = None) -> Page:
        """Games that reached a position, most recently stored first. `after` is the previous page's cursor."""
        chosen = (
            select(games, positions.c.ply, records.c.packed)
            .join(positions, positions.c.number == games.c.number)
            .join(records, records.c.number == games.c.number)
            .where(positions.c.key == position_key(position))
            .order_by(positions.c.number.desc())
        )
        if after is not None:
            chosen = chosen.where(positions.c.number < after[1])
        rows: list[Any] = []
        with self._database.read() as connection:
            # Backwards from the last segment in doubling steps: common positions fill a page at once.
            end = (_last_segment(connection) if after is None else segment_of(after[1])) + 1
            step = 1
            while end > 0 and len(rows) <= limit:
                some = positions.c.segment.in_(range(max(0, end - step), end))
                rows += connection.execute(chosen.where(some).limit(limit + 1 - len(rows)))
                end, step = end - step, 2 * step
        is_here = position_matcher(position)
        shown = [row for row in rows[:limit] if is_here(unpack_record(row.packed), row.ply)]
        return Page(
            tuple(row_to_listed_game(row) for row in shown),
            ("", rows[limit - 1].number) if len(rows) > limit else None,
        )

    def _cache_position_counts(self, keys: Iterable[int]) -> None:
        """Cache the counts of positions that many games reached."""
        for key in keys:
            # One transaction per key, so that a save waits for at most one of them.
            with self._database.write(long=True) as connection:
                # The exclusive lock waits for running saves: no game with a lower number can appear later.
                self._database.lock(connection, POSITIONS_LOCK)
                counts, uncounted = _count(connection, key)
                if uncounted <= MAX_UNCACHED_COUNT:
                    continue
                through = connection.scalar(select(func.max(games.c.number)))
                connection.execute(delete(position_counts).where(position_counts.c.key == key))
                connection.execute(insert(position_counts).values(key=key, through=through, counts=_write(counts)))


def segment_of(number: int) -> int:
    return number // GAMES_PER_SEGMENT


def _last_segment(connection: Connection) -> int:
    return segment_of(connection.scalar(select(func.max(games.c.number))) or 0)


def update_index(
    connection: Connection,
    number: int,
    old: Mapping[int, IndexedPosition],
    new: Mapping[int, IndexedPosition],
) -> None:
    """Replace the indexed positions of a game, writing only the differences."""
    gone = [key for key in old if key not in new]
    changed = [key for key in new if key in old and new[key] != old[key]]
    added = [key for key in new if key not in old]
    place = segment_of(number)
    here = (positions.c.segment == place, positions.c.key == bindparam("at"), positions.c.number == number)
    if gone:
        connection.execute(delete(positions).where(*here), [{"at": key} for key in gone])
    if changed:
        connection.execute(update(positions).where(*here), [{"at": key, **new[key]._asdict()} for key in changed])
    if added:
        connection.execute(
            insert(positions),
            [{"segment": place, "key": key, "number": number, **new[key]._asdict()} for key in added],
        )
    touched = gone + changed + added
    _adjust_counts(connection, number, touched, old, new)


def _adjust_counts(
    connection: Connection,
    number: int,
    keys: list[int],
    old: Mapping[int, IndexedPosition],
    new: Mapping[int, IndexedPosition],
) -> None:
    """Adjust the cached counts that include this game."""
    counted = (
        select(position_counts.c.key, position_counts.c.counts)
        .where(position_counts.c.key.in_(keys), position_counts.c.through >= number)
        .order_by(position_counts.c.key)  # a fixed order prevents deadlocks
        .with_for_update()
    )
    for row in connection.execute(counted).all():
        counts = _read(row.counts)
        if row.key in old:
            counts[old[row.key].move, old[row.key].outcome] -= 1
        if row.key in new:
            counts[new[row.key].move, new[row.key].outcome] += 1
        connection.execute(
            update(position_counts).where(position_counts.c.key == row.key).values(counts=_write(counts))
        )


def _count(connection: Connection, key: int) -> tuple[_Counts, int]:
    """Counts of a position, and how many of the games were not in the cache."""
    cached = connection.execute(
        select(position_counts.c.through, position_counts.c.counts).where(position_counts.c.key == key)
    ).one_or_none()
    counts = _Counts() if cached is None else _read(cached.counts)
    through = cached.through if cached is not None else 0
    beyond = (
        select(positions.c.move, positions.c.outcome, func.count().label("games"))
        .where(positions.c.segment.in_(range(segment_of(through), _last_segment(connection) + 1)))
        .where(positions.c.key == key, positions.c.number > through)
        .group_by(positions.c.move, positions.c.outcome)
    )
    uncounted = 0
    for row in connection.execute(beyond):
        counts[row.move, row.outcome] += row.games
        uncounted += row.games
    return counts, uncounted


def _count_played_here(connection: Connection, key: int) -> _Counts:
    """Counts without imported games; few enough not to need a cache."""
    chosen = (
        select(positions.c.move, positions.c.outcome, func.count().label("games"))
        .join(games, games.c.number == positions.c.number)
        .where(positions.c.segment.in_(range(_last_segment(connection) + 1)), positions.c.key == key)
        .where(games.c.imported.is_(False), games.c.deleted.is_(None))
        .group_by(positions.c.move, positions.c.outcome)
    )
    counts: _Counts = Counter()
    for row in connection.execute(chosen):
        counts[row.move, row.outcome] += row.games
    return counts


def _write(counts: _Counts) -> str:
    return json.dumps([[*what, count] for what, count in counts.items() if count])


def _read(text: str) -> _Counts:
    return Counter({(move, outcome): count for move, outcome, count in json.loads(text)})
