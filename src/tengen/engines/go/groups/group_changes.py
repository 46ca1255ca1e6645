"""What a move does to the life of groups: it saves, kills, or lets the opponent do so. Reasons for reviews."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.groups.board_life import GroupStatus, Life, read_groups
from tengen.engines.go.reading.status import Status, StatusTracker
from tengen.games.go import Go

MAX_GROUPS = 6  # the largest
MAX_DISTANCE = 3  # steps between a move and a group on whose life it may have an effect
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


def group_changes(position: Position, move: Move) -> list[GroupChange]:
    """What a move does to groups near it and to those in danger, the largest first. Takes up to a second."""
    game = position.game
    assert isinstance(game, Go)
    after = position.play(move)
    points = game.points(move)
    if after.is_over or not points:
        return []
    tracker = StatusTracker(game)
    before = _groups(position, tracker, points[0])
    found = list(_changes(before, _groups(after, tracker, points[0]), position.to_move))
    return sorted(found, key=lambda change: (-len(change.stones), sorted(change.stones)))


def _groups(position: Position, tracker: StatusTracker, point: Point) -> list[GroupStatus]:
    """The groups that are near a point, or in danger anywhere, with their life."""
    column, row = point
    strings = tracker.update(position)
    chosen = {
        string.group
        for string in strings
        if len(string.group) >= MIN_STONES
        and (
            string.status is Status.URGENT
            or min(abs(column - x) + abs(row - y) for x, y in string.group) <= MAX_DISTANCE
        )
    }
    return read_groups(position, tracker, [string for string in strings if string.group in chosen], MAX_GROUPS)


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
