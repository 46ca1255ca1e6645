"""Tournament pairings: round robin, gauntlet, knock-out and Swiss, as pure functions of the results so far.

Players are numbered in the order of their seeds, the best first. Because a schedule depends only on the results
it is given, an interrupted tournament can be resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

KINDS = ("round robin", "gauntlet", "knock-out", "swiss")
TIE_BREAKS = 3  # extra pairs of games after a drawn pairing; then the better seed advances
_MAX_SEARCH_STEPS = 20_000  # for a Swiss round without repeated pairings


@dataclass(frozen=True)
class Pairing:
    """A pairing of two players, `first` with the lower number: an even number of games, numbered from `start`."""

    round: int
    first: int
    second: int
    games: int
    start: int = 0


Results: TypeAlias = Mapping[Pairing, float]
"""The points of the first player in each finished pairing."""

Schedule: TypeAlias = Callable[[Results], list[Pairing]]
"""The pairings that can be played now; none if the tournament is over."""


def schedule(kind: str, players: int, games: int, *, rounds: int = 0, champions: int = 1) -> Schedule:
    """The schedule of a tournament. `rounds` is for Swiss, `champions` (who play all others) for a gauntlet."""
    if kind == "knock-out":
        return lambda results: knock_out(players, games, results)[0]
    if kind == "swiss":
        return lambda results: _swiss(players, games, rounds, results)
    everything = round_robin(players, games) if kind == "round robin" else gauntlet(players, games, champions)
    return lambda results: [pairing for pairing in everything if pairing not in results]


def round_robin(players: int, games: int) -> list[Pairing]:
    """All pairs of players, in rounds in which each plays once (circle method)."""
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
    """The first `champions` players each play all others, but not each other."""
    return [
        Pairing(number, champion, other, games)
        for number, other in enumerate(range(champions, players), 1)
        for champion in range(champions)
    ]


# ---- knock-out


def bracket(players: int) -> list[int | None]:
    """The seeds in the order of the first round, so that the best two can only meet in the final.

    None is a bye.
    """
    order = [0]
    while len(order) < players:
        size = 2 * len(order)
        order = [seed for one in order for seed in (one, size - 1 - one)]
    return [seed if seed < players else None for seed in order]


def knock_out(players: int, games: int, results: Results) -> tuple[list[Pairing], dict[int, int]]:
    """The open pairings, and the round that each player has reached; the winner's is the one after the final."""
    remaining = bracket(players)
    reached = dict.fromkeys(range(players), 1)
    number = 1
    while len(remaining) > 1:
        open_: list[Pairing] = []
        winners: list[int | None] = []
        for one, other in zip(remaining[::2], remaining[1::2], strict=True):
            if one is None or other is None:
                winners.append(other if one is None else one)
                continue
            verdict = _winner_or_pairing(number, min(one, other), max(one, other), games, results)
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
        remaining = winners
    return [], reached


def _winner_or_pairing(number: int, first: int, second: int, games: int, results: Results) -> int | Pairing:
    """The player who advances, or the games that decide it."""
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
    """The points of all players; a bye counts as winning all games of a pairing."""
    points = [0.0] * players
    for pairing, won in results.items():
        points[pairing.first] += won
        points[pairing.second] += pairing.games - won
    for sitting in swiss_byes(players, results):
        points[sitting] += games
    return points


def swiss_byes(players: int, results: Results) -> list[int]:
    """The players who had a bye, round by round."""
    byes = []
    if players % 2:
        for number in sorted({pairing.round for pairing in results}):
            playing = {player for one in results if one.round == number for player in (one.first, one.second)}
            byes += [player for player in range(players) if player not in playing]
    return byes


def swiss_round(players: int, games: int, number: int, results: Results) -> list[Pairing]:
    """Pair players with similar points, avoiding repeats if possible.

    The lowest with the fewest byes gets the bye.
    """
    points = swiss_points(players, games, results)
    order = sorted(range(players), key=lambda player: (-points[player], player))
    met: dict[frozenset[int], int] = {}  # games that two players have played
    for pairing in results:
        pair = frozenset((pairing.first, pairing.second))
        met[pair] = met.get(pair, 0) + pairing.games
    if players % 2:
        byes = swiss_byes(players, results)
        sitting = min(reversed(order), key=byes.count)
        order.remove(sitting)
    if number == 1:  # the upper half plays the lower half
        half = len(order) // 2
        chosen: Sequence[tuple[int, int]] = list(zip(order[:half], order[half:], strict=True))
    else:
        chosen = _neighbours(order, met)
    return [Pairing(number, min(pair), max(pair), games, met.get(frozenset(pair), 0)) for pair in chosen]


def _neighbours(order: list[int], met: Mapping[frozenset[int], int]) -> list[tuple[int, int]]:
    """Pairs close in this order that have not met before; if impossible, plain neighbours."""
    steps = 0

    def search(rest: list[int]) -> list[tuple[int, int]] | None:
        nonlocal steps
        steps += 1
        if not rest:
            return []
        if steps > _MAX_SEARCH_STEPS:
            return None
        for other in rest[1:]:
            if frozenset((rest[0], other)) not in met:
                further = search([player for player in rest[1:] if player != other])
                if further is not None:
                    return [(rest[0], other), *further]
        return None

    return search(order) or list(zip(order[::2], order[1::2], strict=True))
