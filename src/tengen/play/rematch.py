"""Who moves first in a rematch, and the presumed winner of a game left unfinished for one."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.core.translation import mark
from tengen.play.match_result import MatchResult
from tengen.players.player import Person, Player

Pair = tuple[Player, Player]  # in the order in which they move


@dataclass(frozen=True)
class Presumed:
    """The presumed result of an unfinished game. Not a `MatchResult`: ratings and books ignore it."""

    winner: int
    reason: str


def rematch(players: Pair, result: MatchResult | None) -> Pair:
    """The players of the next game in the order in which they move; `result` is None for an unfinished game.

    The loser moves first. After an unfinished game against an engine the person does; otherwise they swap.
    """
    first, second = players
    if result is not None and result.winner is not None:
        return players if result.winner == 1 else (second, first)
    if result is None and isinstance(first, Person) != isinstance(second, Person):
        return players if isinstance(first, Person) else (second, first)
    return second, first


def presumed(players: Pair, to_move: int) -> Presumed | None:
    """The presumed winner of an unfinished game after which a rematch was requested.

    The engine against a person; between two people the side to move; between two engines nobody.
    """
    people = [isinstance(player, Person) for player in players]
    if all(people):
        return Presumed(to_move, mark("left unfinished by two people: the side to move"))
    if any(people):
        return Presumed(people.index(False), mark("left unfinished by a person: the engine"))
    return None
