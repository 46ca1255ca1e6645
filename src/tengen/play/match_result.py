"""Results of a match: by the rules, by counting, or by resignation, time, forfeit or agreement."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.core.game import Game
from tengen.core.outcome import Outcome
from tengen.games.records import Record
from tengen.games.records.results import result_of, winner


@dataclass(frozen=True)
class MatchResult:
    """The winner (None for a draw), the result code that records use (`B+R`), and the reason."""

    winner: int | None
    code: str
    reason: str

    @classmethod
    def from_outcome(cls, game: Game, outcome: Outcome, *, counted: bool = False) -> MatchResult:
        """The result that the rules give, with its margin if the game has one or it was `counted`."""
        return cls(outcome.winner, result_of(outcome, counted or game.unit != "wins"), outcome.reason)

    @classmethod
    def resigned(cls, game: Game, player: int) -> MatchResult:
        return cls._lost(player, "R", f"{game.players[player]} resigned")

    @classmethod
    def on_time(cls, game: Game, player: int) -> MatchResult:
        return cls._lost(player, "T", f"{game.players[player]} ran out of time")

    @classmethod
    def forfeited(cls, player: int, reason: str) -> MatchResult:
        return cls._lost(player, "F", reason)

    @classmethod
    def draw(cls, reason: str) -> MatchResult:
        return cls(None, "0", reason)

    @classmethod
    def from_record(cls, record: Record, reason: str) -> MatchResult | None:
        """The result of a stored game; None if the record has no result and no reason is known."""
        if not reason and record.result in ("", "?"):
            return None
        return cls(winner(record.result), record.result, reason or "as recorded")

    def describe(self, game: Game) -> str:
        """The result in one line."""
        if self.winner is None:
            return f"Draw: {self.reason}"
        return f"{game.players[self.winner]} wins: {self.reason}"

    @classmethod
    def _lost(cls, player: int, letter: str, reason: str) -> MatchResult:
        return cls(1 - player, f"{'WB'[player]}+{letter}", reason)
