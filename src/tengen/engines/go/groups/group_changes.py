"""What a move does to the life of groups: it saves, kills, or lets the opponent do so. Reasons for reviews."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.groups.board_life import GroupStatus, Life, read_groups
from tengen.engines.go.reading.status import StatusTracker
from tengen.games.go import Go

MAX_GROUPS = 8  # of each position, the largest
MIN_STONES = 3  # smaller groups are hardly ever the reason for a move


class Change(Enum):
    """What a move does to a group."""

    SAVES = "saves"  # an own group that the opponent could have killed
    KILLS = "kills"  # an enemy group that could have been saved
    LOSES = "loses"  # an own group that lived, or could have been saved; the opponent can kill it now
    RELEASES = "releases"  # an enemy group that could have been killed; the opponent can save it now


@dataclass(frozen=True)
class GroupChange:
    """A change of a group's life by a move. `reply` is the move by which the opponent kills or saves the group."""

    kind: Change
    stones: frozenset[Point]
    reply: Point | None
    by_ko: bool
    proved: bool


class GroupChanges:
    """The changes that moves from one position bring; the groups of the position are read once."""

    def __init__(self, position: Position) -> None:
        assert isinstance(position.game, Go)
        self._position = position
        self._tracker = StatusTracker(position.game)
        self._before = self._read(position)

    def of_move(self, move: Move) -> list[GroupChange]:
        """The changes by a move, of the largest group first."""
        after = self._position.play(move)
        if after.is_over:
            return []
        found = list(_changes(self._before, self._read(after), self._position.to_move))
        return sorted(found, key=lambda change: (-len(change.stones), sorted(change.stones)))

    def _read(self, position: Position) -> list[GroupStatus]:
        groups = read_groups(position, self._tracker, self._tracker.update(position), MAX_GROUPS)
        return [group for group in groups if len(group.stones) >= MIN_STONES]


def _changes(before: Sequence[GroupStatus], after: Sequence[GroupStatus], mover: int) -> Iterator[GroupChange]:
    seen: set[frozenset[Point]] = set()
    for old in before:
        new = max(
            (group for group in after if group.player == old.player and group.stones & old.stones),
            key=lambda group: len(group.stones & old.stones),
            default=None,
        )
        if new is None or new.stones in seen:  # captured, or part of a group that was described
            continue
        seen.add(new.stones)
        kind = _kind(old, new, is_own=old.player == mover)
        if kind is None:
            continue
        reply, by_ko = None, Life.KO in (old.life, new.life)
        if kind is Change.LOSES and new.life is not Life.DEAD:
            reply, by_ko = new.kill, new.kill_by_ko
        elif kind is Change.RELEASES and new.life is not Life.ALIVE:
            reply, by_ko = new.save, new.save_by_ko
        yield GroupChange(kind, new.stones, reply, by_ko, old.proved and new.proved)


def _kind(old: GroupStatus, new: GroupStatus, *, is_own: bool) -> Change | None:
    """What the mover did to a group. Before the move the mover was first, now the opponent is."""
    was_open = old.life in (Life.CRITICAL, Life.KO)
    if is_own:
        if was_open and new.life in (Life.ALIVE, Life.SEKI):
            return Change.SAVES
        could_live = old.life is not Life.DEAD
        return Change.LOSES if could_live and new.life in (Life.CRITICAL, Life.KO, Life.DEAD) else None
    if was_open and new.life is Life.DEAD:
        return Change.KILLS
    return Change.RELEASES if was_open and new.life is not Life.DEAD else None
