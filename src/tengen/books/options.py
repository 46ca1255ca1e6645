"""What a book says of the moves in a position: the same for every kind of book."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.search.report import Value


@dataclass(frozen=True)
class Option:
    """A move that a book knows.

    `kind` tells why: "solved", "branch" (played), "leaf" (looked at) or "ended" in a valued book, "played" in one
    that counts results. `value` is for who makes the move. Counts are 0 where nothing was counted; wins and losses
    are those of who makes the move; `best` and `mean` are ratings of who made it, 0 where none is known.
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


class Book(Protocol):
    """What explorers need of a book."""

    def options(self, position: Position) -> tuple[Option, ...]:
        """The moves that the book knows in a position, the best first."""
