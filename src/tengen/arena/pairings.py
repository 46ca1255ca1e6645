"""Who meets whom: round robin, gauntlet, knock-out and Swiss. Plain functions of the results so far.

Players are numbers in the order of their seeds, the first one best. A schedule is asked again and again: each
answer depends on nothing but the results that it is given, so a tournament that was stopped finds its way again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

KINDS = ("round robin", "gauntlet", "knock-out", "swiss")
TIE_BREAKS = 3  # more pairs of games after a drawn meeting; then the better seed goes on
_LONGEST_SEARCH = 20_000  # steps for a Swiss round without a second meeting


@dataclass(frozen=True)
class Pairing:
    """A meeting of two players, `first` the lower number: games `start` to `start + games`, an even number."""

    round: int
    first: int
    second: int
    games: int
    start: int = 0


Results: TypeAlias = Mapping[Pairing, float]
"""What each meeting that has been played gave its first player, in points."""

Schedule: TypeAlias = Callable[[Results], list[Pairing]]
"""The meetings that can be played now; none if the tournament is over."""


def schedule(kind: str, players: int, games: int, *, rounds: int = 0, champions: int = 1) -> Schedule:
    """How a tournament goes on. `rounds` is for Swiss, `champions` (who play all others) for a gauntlet."""
    if kind == "knock-out":
        return lambda results: _knock_out(players, games, results)
    if kind == "swiss":
        return lambda results: _swiss(players, games, rounds, results)
    everything = round_robin(players, games) if kind == "round robin" else gauntlet(players, games, champions)
    return lambda results: [pairing for pairing in everything if pairing not in results]


def round_robin(players: int, games: int) -> list[Pairing]:
    """Everybody meets everybody, in rounds in which nobody plays twice (the circle method)."""
    circle: list[int | None] = [*range(players), *([None] if players % 2 else [])]
    found = []
    for number in range(1, len(circle)):
        half = len(circle) // 2
        for one, other in zip(circle[:half], reversed(circle[half:]), strict=True):
            if one is not None and other is not None:
                found.append(Pairing(number, min(one, other), max(one, other), games))
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return found


def gauntlet(players: int, games: int, champions: int = 1) -> list[Pairing]:
    """The first few meet everybody else, and each other not at all."""
    return [
        Pairing(number, champion, other, games)
        for number, other in enumerate(range(champions, players), 1)
        for champion in range(champions)
    ]


# ---- knock-out


def bracket(players: int) -> list[int | None]:
    """The seeds in the order of the first round: 1 and 2 can meet in the final only; None is a bye."""
    order = [0]
    while len(order) < players:
        size = 2 * len(order)
        order = [seed for one in order for seed in (one, size - 1 - one)]
    return [seed if seed < players else None for seed in order]


def _knock_out(players: int, games: int, results: Results) -> list[Pairing]:
    return knock_out(players, games, results)[0]


def knock_out(players: int, games: int, results: Results) -> tuple[list[Pairing], dict[int, int]]:
    """What is to be played, and the round that each player has reached: the winner's comes after the final."""
    alive = bracket(players)
    reached = dict.fromkeys(range(players), 1)
    number = 1
    while len(alive) > 1:
        open_: list[Pairing] = []
        winners: list[int | None] = []
        for one, other in zip(alive[::2], alive[1::2], strict=True):
            if one is None or other is None:
                winners.append(other if one is None else one)
                continue
            verdict = _meeting(number, min(one, other), max(one, other), games, results)
            if isinstance(verdict, Pairing):
                open_.append(verdict)
            else:
                winners.append(verdict)
        if open_:
            return open_, reached
        number += 1
        for winner in winners:
            if winner is not None:
                reached[winner] = number
        alive = winners
    return [], reached


def _meeting(number: int, first: int, second: int, games: int, results: Results) -> int | Pairing:
    """Who goes on, or what they have to play for it."""
    start, count, points = 0, games, 0.0
    for _ in range(1 + TIE_BREAKS):
        pairing = Pairing(number, first, second, count, start)
        if pairing not in results:
            return pairing
        start, points = start + count, points + results[pairing]
        if 2 * points != start:
            return first if 2 * points > start else second
        count = 2
    return first  # the better seed


# ---- Swiss


def _swiss(players: int, games: int, rounds: int, results: Results) -> list[Pairing]:
    done = max((pairing.round for pairing in results), default=0)
    for number in range(1, rounds + 1):
        before = {pairing: points for pairing, points in results.items() if pairing.round < number}
        pairings = swiss_round(players, games, number, before)
        missing = [pairing for pairing in pairings if pairing not in results]
        if missing or number > done:
            return missing
    return []


def swiss_points(players: int, games: int, results: Results) -> list[float]:
    """The points of all; a bye is worth as much as a meeting won."""
    points = [0.0] * players
    for pairing, won in results.items():
        points[pairing.first] += won
        points[pairing.second] += pairing.games - won
    for sitting in swiss_byes(players, results):
        points[sitting] += games
    return points


def swiss_byes(players: int, results: Results) -> list[int]:
    """Who had a bye, round by round."""
    byes = []
    if players % 2:
        for number in sorted({pairing.round for pairing in results}):
            playing = {player for one in results if one.round == number for player in (one.first, one.second)}
            byes += [player for player in range(players) if player not in playing]
    return byes


def swiss_round(players: int, games: int, number: int, results: Results) -> list[Pairing]:
    """Players with about the same points meet, none twice if that can be; the last without a bye has one."""
    points = swiss_points(players, games, results)
    order = sorted(range(players), key=lambda player: (-points[player], player))
    met: dict[frozenset[int], int] = {}  # games played so far
    for pairing in results:
        pair = frozenset((pairing.first, pairing.second))
        met[pair] = met.get(pair, 0) + pairing.games
    if players % 2:
        byes = swiss_byes(players, results)
        sitting = min(reversed(order), key=byes.count)
        order.remove(sitting)
    if number == 1:  # the upper half meets the lower one
        half = len(order) // 2
        chosen: Sequence[tuple[int, int]] = list(zip(order[:half], order[half:], strict=True))
    else:
        chosen = _neighbours(order, met)
    return [Pairing(number, min(pair), max(pair), games, met.get(frozenset(pair), 0)) for pair in chosen]


def _neighbours(order: list[int], met: Mapping[frozenset[int], int]) -> list[tuple[int, int]]:
    """Pairs of neighbours in this order who have not met; if there is no such way, neighbours as they come."""
    steps = 0

    def search(rest: list[int]) -> list[tuple[int, int]] | None:
        nonlocal steps
        steps += 1
        if not rest:
            return []
        if steps > _LONGEST_SEARCH:
            return None
        for other in rest[1:]:
            if frozenset((rest[0], other)) not in met:
                further = search([player for player in rest[1:] if player != other])
                if further is not None:
                    return [(rest[0], other), *further]
        return None

    return search(order) or list(zip(order[::2], order[1::2], strict=True))
