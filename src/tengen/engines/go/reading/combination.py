"""Double threats: a move after which one of several strings is captured, whatever the opponent replies.

Every reply that saves the first threatened string is tried; after each of them another string must be captured.
"""

from __future__ import annotations

from collections.abc import Sequence

from tengen.engines.go.reading.tactics import Result, TacticalReader

MAX_LIBERTIES = 4  # a string with more is not threatened by one move
NODES = 600
MAX_DEFENCES_TRIED = 12


def combination(tactics: TacticalReader, colour: int, strings: Sequence[int]) -> int:
    """A double threat of `colour`, or 0. `strings` has one stone of each string on the board."""
    weak = _weak_strings(tactics, colour, strings)
    for point in _threats(tactics, weak):
        with tactics.trial_move(point, colour) as legal:
            if legal and _leaves_no_defence(tactics, weak):
                return point
    return 0


def combination_defences(tactics: TacticalReader, colour: int, strings: Sequence[int]) -> list[int]:
    """Moves of the opponent after which `colour` has neither its double threat any more nor a capture."""
    attack = combination(tactics, colour, strings)
    if not attack:
        return []
    weak = _weak_strings(tactics, colour, strings)
    others = [point for point in _threats(tactics, weak) if point != attack]
    found = []
    for point in [attack, *others][:MAX_DEFENCES_TRIED]:
        with tactics.trial_move(point, 3 - colour) as legal:
            left = [stone for stone in weak if tactics.colour(stone) == 3 - colour] if legal else []
            if left and not any(_is_capturable(tactics, stone) for stone in [*left, point]):
                now = [stone for stone in strings if tactics.colour(stone) == 3 - colour]
                if not combination(tactics, colour, now):
                    found.append(point)
    return found


def attack_either(tactics: TacticalReader, one: int, other: int) -> bool:
    """Whether the attacker, moving first, captures one of two strings of the same colour."""
    pair = [one, other]
    if any(_is_capturable(tactics, stone) for stone in pair):
        return True
    colour = 3 - tactics.colour(one)
    for point in _threats(tactics, pair):
        with tactics.trial_move(point, colour) as legal:
            if legal and _leaves_no_defence(tactics, pair):
                return True
    return False


def defend_both(tactics: TacticalReader, one: int, other: int) -> bool:
    """Whether the owner of two strings, moving first, saves both."""
    if not attack_either(tactics, one, other):
        return True
    moves = {*tactics.defences(one, nodes=NODES), *tactics.defences(other, nodes=NODES)}
    for point in sorted(moves | {*_threats(tactics, [one, other])}):
        with tactics.trial_move(point, tactics.colour(one)) as legal:
            if legal and not attack_either(tactics, one, other):
                return True
    return False


def _is_capturable(tactics: TacticalReader, stone: int) -> bool:
    return tactics.attack(stone, nodes=NODES).result is Result.WORKS


def _weak_strings(tactics: TacticalReader, colour: int, strings: Sequence[int]) -> list[int]:
    """The strings of the opponent of `colour` that have few liberties, but cannot be captured directly."""
    return [
        stone
        for stone in strings
        if tactics.colour(stone) == 3 - colour
        and 2 <= tactics.liberties(stone) <= MAX_LIBERTIES
        and tactics.attack(stone, nodes=NODES).result is Result.FAILS
    ]


def _threats(tactics: TacticalReader, weak: Sequence[int]) -> list[int]:
    """Points near weak strings, those near several of them first."""
    threat_counts: dict[int, int] = {}
    for stone in weak:
        for point in _points_near(tactics, stone):
            threat_counts[point] = threat_counts.get(point, 0) + 1
    return sorted(threat_counts, key=lambda point: (-threat_counts[point], point))


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
