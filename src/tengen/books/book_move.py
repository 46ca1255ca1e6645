"""Moves as explorers show them, for every kind of book."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.search.report import Value


@dataclass(frozen=True)
class BookMove:
    """A move that a book knows.

    `kind` is that of the position after the move: "solved", "branch" (played), "leaf" (searched) or "ended" in a
    valued book; always "played" in a statistics book. `value`, wins and losses are from the mover's point of view.
    `best` and `mean` are ratings of the players who made the move, 0 if unknown.
    """

    move: Move
    text: str
    kind: str
    value: Value | None = None
    games: int = 0
    wins: int = 0
    losses: int = 0
    draws: int = 0
    best: float = 0.0
    mean: float = 0.0

    @property
    def win_rate(self) -> float:
        """The share of decided games that were won, a draw as half a win; one half without any."""
        decided = self.wins + self.losses + self.draws
        return (self.wins + self.draws / 2) / decided if decided else 0.5


class Book(Protocol):
    """Interface of books for explorers."""

    def options(self, position: Position) -> tuple[BookMove, ...]:
        """Known moves of a position, best first."""
