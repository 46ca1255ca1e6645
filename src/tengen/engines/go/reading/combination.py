"""Double threats: a move after which one of several strings is captured, whatever the opponent replies.

Every reply that saves the first threatened string is tried; after each of them another string must be captured.
"""

from __future__ import annotations

from collections.abc import Sequence

from tengen.engines.go.reading.tactics import Result, TacticalReader

MAX_LIBERTIES = 4  # a string with more is not threatened by one move
NODES = 600


def combination(tactics: TacticalReader, colour: int, strings: Sequence[int]) -> int:
    """A double threat of `colour`, or 0. `strings` has one stone of each string on the board."""
    enemies = [stone for stone in strings if tactics.colour(stone) == 3 - colour]
    weak = [
        stone
        for stone in enemies
        if 2 <= tactics.liberties(stone) <= MAX_LIBERTIES
        and tactics.attack(stone, nodes=NODES).result is Result.FAILS
    ]
    threat_counts: dict[int, int] = {}
    for stone in weak:
        for point in _points_near(tactics, stone):
            threat_counts[point] = threat_counts.get(point, 0) + 1
    for point in sorted(threat_counts, key=lambda point: (-threat_counts[point], point)):
        with tactics.trial_move(point, colour) as legal:
            if legal and _leaves_no_defence(tactics, weak):
                return point
    return 0


def _points_near(tactics: TacticalReader, stone: int) -> set[int]:
    """Liberties of a string, and the empty points next to them."""
    stride = tactics.geometry.stride
    liberties = tactics.liberty_points(stone)
    near = {at + step for at in liberties for step in (1, -1, stride, -stride)}
    return {*liberties, *(at for at in near if not tactics.colour(at))}


def _leaves_no_defence(tactics: TacticalReader, weak: Sequence[int]) -> bool:
    """Whether no reply saves all of the weak strings."""
    threatened = [
        stone for stone in weak if tactics.attack(stone, nodes=NODES).result in (Result.WORKS, Result.GOOD_KO)
    ]
    if not threatened:
        return False
    first, *others = threatened
    colour = tactics.colour(first)
    defences = tactics.defences(first, nodes=NODES)
    return all(_captures_after(tactics, defence, colour, others) for defence in defences)


def _captures_after(tactics: TacticalReader, defence: int, colour: int, strings: Sequence[int]) -> bool:
    with tactics.trial_move(defence, colour) as legal:
        return not legal or any(
            not tactics.colour(stone) or tactics.attack(stone, nodes=NODES).result is Result.WORKS
            for stone in strings
        )
