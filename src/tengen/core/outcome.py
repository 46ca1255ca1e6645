"""The result of a game."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """The result of a game: winner (0, 1 or None for a draw), score and reason.

    `score` is in points from player 0's point of view; +1 or -1 in games without scores.
    """

    winner: int | None
    score: float
    reason: str

    @classmethod
    def from_score(cls, thousandths: int, reason: str) -> Outcome:
        winner = None if thousandths == 0 else int(thousandths < 0)
        return cls(winner, thousandths / 1000, reason)
