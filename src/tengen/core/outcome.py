"""How a game ended."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """The end of a game: who won (0, 1 or None for a draw), by how much, and why it ended.

    `score` is in points from player 0's view. In a game that is only won or lost it is +1 or -1.
    """

    winner: int | None
    score: float
    reason: str

    @classmethod
    def from_score(cls, thousandths: int, reason: str) -> Outcome:
        winner = None if thousandths == 0 else int(thousandths < 0)
        return cls(winner, thousandths / 1000, reason)
