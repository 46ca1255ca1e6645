"""Which games went through a position, and what was played there.

The table `positions` has a row for each position of each game's opening. In one tree by position, each game of a
big store would change thirty pages anywhere on the disk. So the rows are in segments of `SEGMENT` games, and a
search looks into each: a million games are 245 short looks. Positions that very many games share, the start above
all, would take long to count, so what was counted once is kept in `crowds`: the counts of all games up to some
number. Who changes one of those games corrects the counts in the same transaction.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.games.records import Record
from tengen.store.errors import StoreError
from tengen.store.listing import PAGE, POSITIONS, Cursor, Page
from tengen.store.opening import NO_MOVE, Stop, key_of, same_opening, same_position, trace
from tengen.store.packing import unpack
from tengen.store.part import Part
from tengen.store.rows import listed
from tengen.store.schema import crowds, games, positions, records

SEGMENT = 4096
CROWD = 10_000  # games that are counted anew each time

_Counts = Counter[tuple[int, int]]  # games by move and outcome


@dataclass(frozen=True)
class MoveCount:
    """A move that was played in a position, and how those games ended."""

    move: Move
    text: str
    games: int
    first_wins: int
    second_wins: int
    draws: int


@dataclass(frozen=True)
class Explored:
    """What the store knows of a position: the games through it and the moves played there, the commonest first."""

    games: int
    moves: tuple[MoveCount, ...]


class Explorer(Part):
    """Games by position, up to `opening.DEPTH` moves from the start."""

    def explore(self, position: Position, *, own: bool = False) -> Explored:
        """The moves that were played here, by the games that are not deleted; `own` leaves out imported ones.

        Two different positions share a key once in 10^19 pairs; counts take that risk, lists of games do not.
        """
        key = key_of(position)
        with self._database.read() as connection:
            counts, uncounted = (_count_own(connection, key), 0) if own else _count(connection, key)
        if uncounted > CROWD:
            with suppress(StoreError):  # nothing but the time of the next look depends on it
                self._summarise([key])
        moves = []
        for move in {move for move, _ in counts if move != NO_MOVE}:
            ended = [counts[move, outcome] for outcome in range(4)]
            moves.append(MoveCount(Move(move), position.game.write_move(Move(move)), sum(ended), *ended[:3]))
        moves.sort(key=lambda count: (-count.games, count.move))
        return Explored(counts.total(), tuple(moves))

    def games_through(self, position: Position, *, limit: int = PAGE, after: Cursor | None = None) -> Page:
        """The games that had this position, the last stored first. `after` is that of the page before."""
        chosen = (
            select(games, positions.c.ply, records.c.packed)
            .join(positions, positions.c.number == games.c.number)
            .join(records, records.c.number == games.c.number)
            .where(positions.c.key == key_of(position))
            .order_by(positions.c.number.desc())
        )
        if after is not None:
            chosen = chosen.where(positions.c.number < after[1])
        rows: list[Any] = []
        with self._database.read() as connection:
            # From the last segment back, ever more at a time: a common position is found in the first ones.
            end = (_last_segment(connection) if after is None else segment(after[1])) + 1
            step = 1
            while end > 0 and len(rows) <= limit:
                some = positions.c.segment.in_(range(max(0, end - step), end))
                rows += connection.execute(chosen.where(some).limit(limit + 1 - len(rows)))
                end, step = end - step, 2 * step
        is_here = same_position(position)
        shown = [row for row in rows[:limit] if is_here(unpack(row.packed), row.ply)]
        return Page(
            tuple(listed(row) for row in shown), ("", rows[limit - 1].number) if len(rows) > limit else None
        )

    def _summarise(self, keys: Iterable[int]) -> None:
        """Keep the counts of positions that many games went through."""
        for key in keys:
            # A transaction for each: whoever wants to store a game waits for one of them at most.
            with self._database.write(long=True) as connection:
                # No game is being stored now, so none with a lower number can turn up later.
                self._database.hold(connection, POSITIONS)
                counts, uncounted = _count(connection, key)
                if uncounted <= CROWD:
                    continue
                through = connection.scalar(select(func.max(games.c.number)))
                connection.execute(delete(crowds).where(crowds.c.key == key))
                connection.execute(insert(crowds).values(key=key, through=through, counts=_write(counts)))


def segment(number: int) -> int:
    return number // SEGMENT


def _last_segment(connection: Connection) -> int:
    return segment(connection.scalar(select(func.max(games.c.number))) or 0)


def reindex(connection: Connection, number: int, before: Record | None, after: Record | None) -> None:
    """Make the positions of a game those of its new record; None is a game that is not listed."""
    if before is not None and after is not None and same_opening(before, after):
        return
    old = {} if before is None else trace(before)
    new = {} if after is None else trace(after)
    gone = [key for key in old if key not in new]
    changed = [key for key in new if key in old and new[key] != old[key]]
    added = [key for key in new if key not in old]
    place = segment(number)
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
    _correct(connection, number, touched, old, new)


def _correct(
    connection: Connection, number: int, keys: list[int], old: dict[int, Stop], new: dict[int, Stop]
) -> None:
    """Correct the kept counts that this game is in."""
    counted = (
        select(crowds.c.key, crowds.c.counts)
        .where(crowds.c.key.in_(keys), crowds.c.through >= number)
        .order_by(crowds.c.key)  # two who correct the same ones do not wait for each other in a circle
        .with_for_update()
    )
    for row in connection.execute(counted).all():
        counts = _read(row.counts)
        if row.key in old:
            counts[old[row.key].move, old[row.key].outcome] -= 1
        if row.key in new:
            counts[new[row.key].move, new[row.key].outcome] += 1
        connection.execute(update(crowds).where(crowds.c.key == row.key).values(counts=_write(counts)))


def _count(connection: Connection, key: int) -> tuple[_Counts, int]:
    """The games through a position, and how many of them had to be counted."""
    kept = connection.execute(select(crowds.c.through, crowds.c.counts).where(crowds.c.key == key)).one_or_none()
    counts = _Counts() if kept is None else _read(kept.counts)
    through = kept.through if kept is not None else 0
    beyond = (
        select(positions.c.move, positions.c.outcome, func.count().label("games"))
        .where(positions.c.segment.in_(range(segment(through), _last_segment(connection) + 1)))
        .where(positions.c.key == key, positions.c.number > through)
        .group_by(positions.c.move, positions.c.outcome)
    )
    uncounted = 0
    for row in connection.execute(beyond):
        counts[row.move, row.outcome] += row.games
        uncounted += row.games
    return counts, uncounted


def _count_own(connection: Connection, key: int) -> _Counts:
    """The same for games that were played here: few enough to be counted anew each time."""
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
