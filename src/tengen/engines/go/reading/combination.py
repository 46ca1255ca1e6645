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
            if legal and _threat_result(tactics, weak) is Result.WORKS:
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


def attack_either(tactics: TacticalReader, one: int, other: int) -> Result:
    """Whether the attacker, moving first, captures one of two strings of the same colour."""
    pair = [one, other]
    best = _best_capture(tactics, pair)
    colour = 3 - tactics.colour(one)
    for point in _threats(tactics, pair):
        if best is Result.WORKS:
            break
        with tactics.trial_move(point, colour) as legal:
            if legal:
                best = max(best, _threat_result(tactics, pair), key=_rank)
    return best


def defend_both(tactics: TacticalReader, one: int, other: int) -> Result:
    """Whether the owner of two strings, moving first, saves both."""
    best = attack_either(tactics, one, other).for_other_side
    moves = {*tactics.defences(one, nodes=NODES), *tactics.defences(other, nodes=NODES)}
    for point in sorted(moves | {*_threats(tactics, [one, other])}):
        if best is Result.WORKS:
            break
        with tactics.trial_move(point, tactics.colour(one)) as legal:
            if legal:
                best = max(best, attack_either(tactics, one, other).for_other_side, key=_rank)
    return best


def _rank(result: Result) -> int:
    return result.rank


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


def _best_capture(tactics: TacticalReader, strings: Sequence[int]) -> Result:
    """The best result of an attack on one of some strings; those off the board have been captured."""
    best = Result.FAILS
    for stone in strings:
        if best is Result.WORKS:
            break
        captured = not tactics.colour(stone)
        best = max(best, Result.WORKS if captured else tactics.attack(stone, nodes=NODES).result, key=_rank)
    return best


def _threat_result(tactics: TacticalReader, weak: Sequence[int]) -> Result:
    """Whether one of some strings is captured if their owner moves next.

    Every reply that saves the first threatened string is tried. If only a ko saves it, the result is a ko.
    """
    left = filter(tactics.colour, weak)  # strings that are captured at once are no threats
    attacks = {stone: tactics.attack(stone, nodes=NODES).result for stone in left}
    threatened = [stone for stone, result in attacks.items() if result is not Result.FAILS]
    if not threatened:
        return Result.FAILS
    first, *others = threatened
    colour = tactics.colour(first)
    worst = min(attacks[first], tactics.defend(first, nodes=NODES).result.for_other_side, key=_rank)
    if worst is Result.FAILS:  # it can be saved: by which moves, and what is captured then?
        worst = attacks[first]
        for defence in tactics.defences(first, nodes=NODES):
            with tactics.trial_move(defence, colour) as legal:
                if legal:
                    worst = min(worst, _best_capture(tactics, others), key=_rank)
    return worst
