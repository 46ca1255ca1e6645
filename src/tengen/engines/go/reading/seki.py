"""Seki: strings of both colours that nobody may touch.

Two strings live by the liberties that they share, or by one of them and an eye each. Whoever plays a shared one
loses his own string by it; so nobody does, and both live.
"""

from __future__ import annotations

from collections.abc import Sequence

from tengen.engines.go.reading.point_sets import Points, numbers_of
from tengen.engines.go.reading.tactics import Result, Tactics

MOST_LIBERTIES = 4
NODES = 300


def in_seki(tactics: Tactics, strings: Sequence[int]) -> frozenset[int]:
    """Which strings, of those given by one stone each, are in a seki with another."""
    board = tactics.snapshot
    at_liberty: dict[int, list[int]] = {}
    for stone in strings:
        liberties = board.liberties(stone)
        if 2 <= liberties.bit_count() <= MOST_LIBERTIES:
            for liberty in numbers_of(liberties):
                at_liberty.setdefault(liberty, []).append(stone)
    pairs = {
        (one, other)
        for stones in at_liberty.values()
        for one in stones
        for other in stones
        if board.cells[one] < board.cells[other] and _balanced(board.liberties(one), board.liberties(other))
    }
    found: set[int] = set()
    for pair in sorted(pairs):
        shared = board.liberties(pair[0]) & board.liberties(pair[1])
        if all(_loses(tactics, stone, point) for point in numbers_of(shared) for stone in pair):
            found.update(pair)
    return frozenset(found)


def _balanced(one: Points, other: Points) -> bool:
    """Whether both strings live by what they share: two liberties, or one and an eye each."""
    return one == other if (one & other).bit_count() != 1 else one.bit_count() == other.bit_count() == 2


def _loses(tactics: Tactics, stone: int, point: int) -> bool:
    """Whether the owner of a string loses it by playing a point."""
    with tactics.trying(point, tactics.colour(stone)) as legal:
        # What is not legal would lose it all the more.
        return not legal or tactics.attack(stone, nodes=NODES).result is not Result.FAILS
