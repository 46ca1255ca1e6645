"""Combinations: a move that catches something by two threats, where no string can be caught directly.

After the move more strings are threatened than one answer saves. So every answer that saves the first of them is
tried, and another must be caught after each.
"""

from __future__ import annotations

from collections.abc import Sequence

from tengen.engines.go.reading.tactics import Result, Tactics

MOST_LIBERTIES = 4
"""A string with more is not threatened by one move."""
NODES = 600


def combination(tactics: Tactics, colour: int, strings: Sequence[int]) -> int:
    """The point where a colour catches something by two threats, or 0. strings: all, by one stone each."""
    enemies = [stone for stone in strings if tactics.colour(stone) == 3 - colour]
    weak = [
        stone
        for stone in enemies
        if 2 <= tactics.liberties(stone) <= MOST_LIBERTIES
        and tactics.attack(stone, nodes=NODES).result is Result.FAILS
    ]
    touched: dict[int, int] = {}
    for stone in weak:
        for point in _near(tactics, stone):
            touched[point] = touched.get(point, 0) + 1
    for point in sorted(touched, key=lambda point: (-touched[point], point)):
        with tactics.trying(point, colour) as legal:
            if legal and _catches(tactics, weak):
                return point
    return 0


def _near(tactics: Tactics, stone: int) -> set[int]:
    """The liberties of a string, and the empty points beside them."""
    stride = tactics.geometry.stride
    liberties = tactics.liberty_points(stone)
    near = {at + step for at in liberties for step in (1, -1, stride, -stride)}
    return {*liberties, *(at for at in near if not tactics.colour(at))}


def _catches(tactics: Tactics, weak: Sequence[int]) -> bool:
    """Whether, after the move, no answer saves all of the strings."""
    threatened = [
        stone for stone in weak if tactics.attack(stone, nodes=NODES).result in (Result.WORKS, Result.GOOD_KO)
    ]
    if not threatened:
        return False
    first, *others = threatened
    colour = tactics.colour(first)
    answers = tactics.defences(first, nodes=NODES)
    return all(_is_caught_after(tactics, answer, colour, others) for answer in answers)


def _is_caught_after(tactics: Tactics, answer: int, colour: int, strings: Sequence[int]) -> bool:
    with tactics.trying(answer, colour) as legal:
        return not legal or any(
            not tactics.colour(stone) or tactics.attack(stone, nodes=NODES).result is Result.WORKS
            for stone in strings
        )
