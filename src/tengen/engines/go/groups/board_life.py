"""The life of all groups on the board, with the moves that decide it: for panels and reviews, on demand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.engines.go.groups.group_life import GroupLife
from tengen.engines.go.reading.status import Status, StatusTracker, StringStatus
from tengen.engines.go.reading.tactics import ReadResult, Result

MAX_SIMULATIONS = 2000  # of each local search
MAX_GROUPS = 24  # the largest; others are left out
MIN_STONES = 2  # a single stone is no group: its capture is read, not its life


class Life(Enum):
    """Life of a group."""

    CRITICAL = "critical"  # depends on who moves first
    KO = "ko"  # depends on a ko
    DEAD = "dead"
    SEKI = "seki"
    ALIVE = "alive"


_SETTLED = {
    Status.UNCONDITIONALLY_ALIVE: Life.ALIVE,
    Status.UNCONDITIONALLY_DEAD: Life.DEAD,
    Status.SEKI: Life.SEKI,
}


@dataclass(frozen=True)
class GroupStatus:
    """A group and its life.

    `kill` and `save` are first moves of the attacker and the owner, where there are any. `proved` is set if the
    result is unconditional, or if all moves in a closed region were searched.
    """

    player: int
    stones: frozenset[Point]
    life: Life
    proved: bool
    kill: Point | None = None
    save: Point | None = None
    kill_by_ko: bool = False
    save_by_ko: bool = False


class LifeReading(NamedTuple):
    """The life of a group, with the reading behind it; a group that cannot be killed needs no defence."""

    life: Life
    attack: ReadResult
    defence: ReadResult | None


def read_life(reader: GroupLife, point: int) -> LifeReading:
    """Read the life of the group of the string on a point."""
    attack = reader.attack(point)
    if attack.result is Result.FAILS:
        return LifeReading(Life.ALIVE, attack, None)
    defence = reader.defend(point)
    if defence.result is Result.FAILS:
        return LifeReading(Life.DEAD, attack, defence)
    is_plain = attack.result is defence.result is Result.WORKS
    return LifeReading(Life.CRITICAL if is_plain else Life.KO, attack, defence)


def read_groups(
    position: Position, tracker: StatusTracker, strings: Sequence[StringStatus], max_groups: int = MAX_GROUPS
) -> list[GroupStatus]:
    """The groups of a position, critical ones first. `strings` is what `tracker` returned for the position."""
    by_group: dict[frozenset[Point], list[StringStatus]] = {}
    for string in strings:
        by_group.setdefault(string.group, []).append(string)
    groups = [group for group in by_group if len(group) >= MIN_STONES]
    largest = sorted(groups, key=lambda group: (-len(group), sorted(group)))[:max_groups]
    reader = GroupLife(position, tracker.life, MAX_SIMULATIONS)
    found = [_read(reader, tracker, group, by_group[group]) for group in largest]
    order = list(Life)
    return sorted(found, key=lambda one: (order.index(one.life), -len(one.stones), sorted(one.stones)))


def _read(
    reader: GroupLife, tracker: StatusTracker, stones: frozenset[Point], strings: Iterable[StringStatus]
) -> GroupStatus:
    largest = max(strings, key=lambda string: (len(string.stones), sorted(string.stones)))
    if largest.status in _SETTLED:
        return GroupStatus(largest.player, stones, _SETTLED[largest.status], largest.proved)
    geometry = tracker.geometry
    life, attack, defence = read_life(reader, geometry.point(min(largest.stones)))
    if defence is None:
        return GroupStatus(largest.player, stones, life, attack.conclusive)

    def move_of(found: ReadResult) -> Point | None:
        return geometry.coordinates(found.move) if found.move else None

    return GroupStatus(
        largest.player,
        stones,
        life,
        proved=attack.conclusive and defence.conclusive,
        kill=move_of(attack),
        save=move_of(defence),
        kill_by_ko=attack.result is not Result.WORKS,
        save_by_ko=defence.result is not Result.WORKS and defence.move != 0,
    )
