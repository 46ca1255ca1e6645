"""Capturing races (semeai): two groups that can live only by capturing each other.

Three readings are combined: the tactical reader, which counts liberties exactly but knows only one string of each
group; a local search that ends with the first capture of either string; and the local search for the life of each
group on its own, which also knows what follows a capture. In a seki the group that moves first survives, but
captures nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen.engines.go.groups.group_life import TACTICAL_NODES, GroupLife
from tengen.engines.go.reading.point_sets import PointSet, list_points
from tengen.engines.go.reading.tactics import ATTACK_KO_MODES, DEFENCE_KO_MODES, Result, TacticalReader

# Limits of the mean win rate of the two local searches; they were chosen on test questions
# (docs/measurements/go-reading.md).
MIN_CAPTURE_RATE = 0.5
MIN_CONFIRMED_RATE = 0.25  # of a capture that the tactical reader found
MIN_SURVIVAL_RATE = 0.33
MAX_KO_LIBERTIES = 2  # of a string whose capture by ko is believed in any case
MAX_OUTSIDE_MOVES_TRIED = 6


@dataclass(frozen=True)
class Race:
    """A race for the side that moves first: whether its group lives, and whether it captures the other group."""

    defence: Result
    attack: Result
    move: int


def read_semeai(groups: GroupLife, one: int, other: int) -> Race:
    """The race of the groups on two points if the owner of the first moves first."""
    tactics = groups.life.tactics
    tactical = tactics.attack(other, nodes=TACTICAL_NODES)
    zone = groups.zone(one) | groups.zone(other)
    mode = ATTACK_KO_MODES[0][1]
    race = groups.reader.search(other, zone, mode, attacking=True, rival=one)
    alone = groups.reader.search(other, groups.zone(other), mode, attacking=True)
    capture_rate = (race.win_rate + alone.win_rate) / 2
    if tactical.conclusive and tactical.result is Result.WORKS and capture_rate >= MIN_CONFIRMED_RATE:
        return Race(Result.WORKS, Result.WORKS, _prefer_outside(tactics, one, other, tactical.move))
    is_ko = tactical.conclusive and tactical.result in (Result.GOOD_KO, Result.BAD_KO)
    if is_ko and (capture_rate < MIN_CAPTURE_RATE or tactics.liberties(other) <= MAX_KO_LIBERTIES):
        return Race(tactical.result, tactical.result, tactical.move)
    if capture_rate >= MIN_CAPTURE_RATE:
        return Race(Result.WORKS, Result.WORKS, race.move)
    return _read_survival(groups, one, other, zone)


def read_tactical_semeai(tactics: TacticalReader, one: int, other: int) -> Race:
    """The race of two strings by the tactical reader alone if the owner of the first moves first."""
    attack = tactics.attack(other)
    if attack.result is not Result.FAILS:
        return Race(attack.result, attack.result, attack.move)
    if tactics.attack(one).result is Result.FAILS:
        return Race(Result.WORKS, Result.FAILS, 0)
    defence = tactics.defend(one)
    return Race(defence.result, Result.FAILS, defence.move)


def _read_survival(groups: GroupLife, one: int, other: int, zone: PointSet) -> Race:
    """Whether the first group survives, where it does not capture the other."""
    mode = DEFENCE_KO_MODES[0][1]
    race = groups.reader.search(one, zone, mode, attacking=False, rival=other)
    alone = groups.reader.search(one, groups.zone(one), mode, attacking=False)
    if (race.win_rate + alone.win_rate) / 2 < MIN_SURVIVAL_RATE:
        return Race(Result.FAILS, Result.FAILS, 0)
    return Race(Result.WORKS, Result.FAILS, (race if race.win_rate >= alone.win_rate else alone).move)


def _prefer_outside(tactics: TacticalReader, one: int, other: int, move: int) -> int:
    """The move, or instead of a liberty that both strings share, one of the other string alone that captures, too.

    Filling shared liberties first costs own liberties.
    """
    board = tactics.snapshot
    own, outside = board.liberties(one), list_points(board.liberties(other) & ~board.liberties(one))
    if own >> move & 1:
        for point in outside[:MAX_OUTSIDE_MOVES_TRIED]:
            with tactics.trial_move(point, board.colours[one]) as legal:
                if legal and tactics.defend(other, nodes=TACTICAL_NODES).result is Result.FAILS:
                    return point
    return move
