"""Seki: two enemy strings that share their liberties, or one liberty and have an eye each.

A player who fills a shared liberty loses the own string, so neither does, and both live.
"""

from __future__ import annotations

from collections.abc import Sequence

from tengen.engines.go.reading.point_sets import PointSet, list_points
from tengen.engines.go.reading.tactics import Result, TacticalReader

MAX_LIBERTIES = 4
NODES = 300


def in_seki(tactics: TacticalReader, strings: Sequence[int]) -> frozenset[int]:
    """Those of `strings` (one stone each) that are in a seki with another."""
    board = tactics.snapshot
    strings_at: dict[int, list[int]] = {}
    for stone in strings:
        liberties = board.liberties(stone)
        if 2 <= liberties.bit_count() <= MAX_LIBERTIES:
            for liberty in list_points(liberties):
                strings_at.setdefault(liberty, []).append(stone)
    pairs = {
        (one, other)
        for stones in strings_at.values()
        for one in stones
        for other in stones
        if board.colours[one] < board.colours[other] and _balanced(board.liberties(one), board.liberties(other))
    }
    found: set[int] = set()
    for pair in sorted(pairs):
        shared = board.liberties(pair[0]) & board.liberties(pair[1])
        if all(_loses_string(tactics, stone, point) for point in list_points(shared) for stone in pair):
            found.update(pair)
    return frozenset(found)


def _balanced(one: PointSet, other: PointSet) -> bool:
    """Whether two sets of liberties allow a seki: both shared, or one shared and one eye each."""
    return one == other if (one & other).bit_count() != 1 else one.bit_count() == other.bit_count() == 2


def _loses_string(tactics: TacticalReader, stone: int, point: int) -> bool:
    """Whether the owner of a string loses it by playing `point`."""
    with tactics.trial_move(point, tactics.colour(stone)) as legal:
        # An illegal move (suicide) would lose it as well.
        return not legal or tactics.attack(stone, nodes=NODES).result is not Result.FAILS
