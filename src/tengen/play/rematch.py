"""Who goes first in a rematch, and who is presumed to have won a game that was left for one."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.play.match_result import End
from tengen.players.player import Person, Player

Pair = tuple[Player, Player]  # who goes first, who second


@dataclass(frozen=True)
class Presumed:
    """The result of an unfinished game as far as a rematch goes. Not an `End`: ratings and books ignore it."""

    winner: int
    reason: str


def rematch(players: Pair, end: End | None) -> Pair:
    """The players of the next game, who goes first in front. `end` is None if the last one is unfinished.

    The loser goes first; unfinished against an engine, the person does; otherwise they swap.
    """
    first, second = players
    if end is not None and end.winner is not None:
        return players if end.winner == 1 else (second, first)
    if end is None and isinstance(first, Person) != isinstance(second, Person):
        return players if isinstance(first, Person) else (second, first)
    return second, first


def presumed(players: Pair, to_move: int) -> Presumed | None:
    """Who is taken to have won an unfinished game when a rematch is asked for.

    The engine against a person; between two people the side to move; between two engines nobody.
    """
    people = [isinstance(player, Person) for player in players]
    if all(people):
        return Presumed(to_move, "left unfinished by two people: the side to move")
    if any(people):
        return Presumed(people.index(False), "left unfinished by a person: the engine")
    return None
