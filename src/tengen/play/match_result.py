"""Results of a match: by the rules, by counting, or by resignation, time, forfeit or agreement."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.core.game import Game
from tengen.core.outcome import Outcome
from tengen.core.translation import mark
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
        return cls._lost(player, "R", mark("{player} resigned").format(player=game.players[player]))

    @classmethod
    def on_time(cls, game: Game, player: int) -> MatchResult:
        return cls._lost(player, "T", mark("{player} ran out of time").format(player=game.players[player]))

    @classmethod
    def forfeited(cls, player: int, reason: str) -> MatchResult:
        return cls._lost(player, "F", reason)

    @classmethod
    def aborted(cls) -> MatchResult:
        """No result: the game does not count."""
        return cls(None, "Void", mark("aborted"))

    @property
    def is_void(self) -> bool:
        """Whether the game ended without a result."""
        return self.code.lower() == "void"

    @classmethod
    def draw(cls, reason: str) -> MatchResult:
        return cls(None, "0", reason)

    @classmethod
    def from_record(cls, record: Record, reason: str) -> MatchResult | None:
        """The result of a stored game; None if the record has no result and no reason is known."""
        if not reason and record.result in ("", "?"):
            return None
        return cls(winner(record.result), record.result, reason or mark("as recorded"))

    def describe(self, game: Game) -> str:
        """The result in one line."""
        if self.is_void:
            return mark("No result: {reason}").format(reason=self.reason)
        if self.winner is None:
            return mark("Draw: {reason}").format(reason=self.reason)
        return mark("{player} wins: {reason}").format(player=game.players[self.winner], reason=self.reason)

    @classmethod
    def _lost(cls, player: int, letter: str, reason: str) -> MatchResult:
        return cls(1 - player, f"{'WB'[player]}+{letter}", reason)
