"""Capturing races (semeai): two groups that can live only by capturing each other.

Proof-number searches of the race (`races`) decide; the selective one only if it finds a capture or a way to
survive. Otherwise three readings are combined: the tactical reader, which counts liberties exactly but knows only
one string of each group; a local search that ends with the first capture of either string; and the local search
for the life of each group on its own, which also knows what follows a capture. In a seki the group that moves
first survives, but captures nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen.engines.go.groups.group_life import TACTICAL_NODES, GroupLife
from tengen.engines.go.groups.races import RaceReader, RaceResult
from tengen.engines.go.reading.point_sets import PointSet
from tengen.engines.go.reading.tactics import ATTACK_KO_MODES, DEFENCE_KO_MODES, Result, TacticalReader

# Limits of the mean win rate of the two local searches; they were chosen on test questions
# (docs/measurements/go-reading.md).
MIN_CAPTURE_RATE = 0.4
MIN_CONFIRMED_RATE = 0.25  # of a capture that the tactical reader found
MIN_SURVIVAL_RATE = 0.33
MAX_KO_LIBERTIES = 2  # of a string whose capture by ko is believed in any case
# The same if the selective search found that the capture fails, or that the group does not survive.
MIN_DOUBTED_CAPTURE_RATE = 0.7
MIN_DOUBTED_SURVIVAL_RATE = 0.5


@dataclass(frozen=True)
class Race:
    """A race for the side that moves first: whether its group lives, and whether it captures the other group.

    `conclusive` is False if the full search reached its limit, and the result is then an estimate.
    """

    defence: Result
    attack: Result
    move: int
    conclusive: bool = False


@dataclass(frozen=True)
class _Capture:
    """Whether the first group captures the other, and the move."""

    result: Result
    move: int = 0
    conclusive: bool = False


def read_semeai(groups: GroupLife, one: int, other: int) -> Race:
    """The race of the groups on two points if the owner of the first moves first."""
    zone = groups.zone(one) | groups.zone(other)
    races = RaceReader(groups.life.tactics)
    races.set_zone(zone)
    capture = _read_capture(groups, one, other, zone, races)
    if capture.result is not Result.FAILS:
        return Race(capture.result, capture.result, capture.move, capture.conclusive)
    survival = races.survive(one, other)
    if survival.result is None or (survival.selective and survival.result is Result.FAILS):
        doubted = survival.result is Result.FAILS
        result, move = _estimate_survival(groups, one, other, zone, doubted=doubted)
        return Race(result, Result.FAILS, move)
    conclusive = capture.conclusive and not survival.selective
    move = survival.move
    if conclusive and survival.result is Result.WORKS and _is_conclusive_failure(races.capture(other, one)):
        move = 0  # it survives even if the opponent moves first
    return Race(survival.result, Result.FAILS, move, conclusive)


def _is_conclusive_failure(found: RaceResult) -> bool:
    return found.result is Result.FAILS and not found.selective


def read_tactical_semeai(tactics: TacticalReader, one: int, other: int) -> Race:
    """The race of two strings by the tactical reader alone if the owner of the first moves first."""
    attack = tactics.attack(other)
    if attack.result is not Result.FAILS:
        return Race(attack.result, attack.result, attack.move)
    if tactics.attack(one).result is Result.FAILS:
        return Race(Result.WORKS, Result.FAILS, 0)
    defence = tactics.defend(one)
    return Race(defence.result, Result.FAILS, defence.move)


def _read_capture(groups: GroupLife, one: int, other: int, zone: PointSet, races: RaceReader) -> _Capture:
    tactics = groups.life.tactics
    tactical = tactics.attack(other, nodes=TACTICAL_NODES)
    captures = tactical.conclusive and tactical.result is Result.WORKS
    by_ko = tactical.conclusive and tactical.result in (Result.GOOD_KO, Result.BAD_KO)
    race = races.capture(one, other)
    full = not race.selective
    if race.result is Result.FAILS and full:
        return _Capture(tactical.result, tactical.move) if by_ko else _Capture(Result.FAILS, conclusive=True)
    if race.result is Result.WORKS:
        move = tactical.move if captures else race.move
        return _Capture(Result.WORKS, races.prefer_outside(one, other, move) if full else move, full)
    if race.result not in (None, Result.FAILS):
        return _Capture(race.result, race.move, full)
    rate, best = _capture_rate(groups, one, other, zone)
    if captures and rate >= MIN_CONFIRMED_RATE:
        return _Capture(Result.WORKS, races.prefer_outside(one, other, tactical.move))
    if by_ko and (rate < MIN_CAPTURE_RATE or tactics.liberties(other) <= MAX_KO_LIBERTIES):
        return _Capture(tactical.result, tactical.move)
    if rate < (MIN_CAPTURE_RATE if race.result is None else MIN_DOUBTED_CAPTURE_RATE):
        return _Capture(Result.FAILS)
    board = tactics.snapshot
    near = board.dilate(board.liberties(one) | board.liberties(other))
    return _Capture(Result.WORKS, best if near >> best & 1 or not race.move else race.move)


def _capture_rate(groups: GroupLife, one: int, other: int, zone: PointSet) -> tuple[float, int]:
    """The mean win rate of local searches for the capture of the second group, and the best move."""
    mode = ATTACK_KO_MODES[0][1]
    race = groups.reader.search(other, zone, mode, attacking=True, rival=one)
    alone = groups.reader.search(other, groups.zone(other), mode, attacking=True)
    return (race.win_rate + alone.win_rate) / 2, race.move


def _estimate_survival(
    groups: GroupLife, one: int, other: int, zone: PointSet, *, doubted: bool
) -> tuple[Result, int]:
    """Whether the first group survives, where it does not capture the other, and the move, by local searches."""
    mode = DEFENCE_KO_MODES[0][1]
    race = groups.reader.search(one, zone, mode, attacking=False, rival=other)
    alone = groups.reader.search(one, groups.zone(one), mode, attacking=False)
    needed = MIN_DOUBTED_SURVIVAL_RATE if doubted else MIN_SURVIVAL_RATE
    if (race.win_rate + alone.win_rate) / 2 < needed:
        return Result.FAILS, 0
    return Result.WORKS, (race if race.win_rate >= alone.win_rate else alone).move
