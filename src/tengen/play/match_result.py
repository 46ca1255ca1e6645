"""How a match can end: by the rules, by a count, and in the ways that the rules of a game do not know."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.core.game import Game
from tengen.core.outcome import Outcome
from tengen.games.records import Record
from tengen.games.records.results import of_outcome, winner


@dataclass(frozen=True)
class End:
    """Who won (None: nobody), the result as records write it (`B+R`), and why."""

    winner: int | None
    result: str
    reason: str

    @classmethod
    def by_rules(cls, game: Game, outcome: Outcome, *, counted: bool = False) -> End:
        """The end that the board shows, or that the players have counted."""
        return cls(outcome.winner, of_outcome(outcome, counted or game.unit != "wins"), outcome.reason)

    @classmethod
    def resigned(cls, game: Game, player: int) -> End:
        return cls._lost(player, "R", f"{game.players[player]} resigned")

    @classmethod
    def on_time(cls, game: Game, player: int) -> End:
        return cls._lost(player, "T", f"{game.players[player]} ran out of time")

    @classmethod
    def forfeited(cls, player: int, reason: str) -> End:
        return cls._lost(player, "F", reason)

    @classmethod
    def agreed_draw(cls) -> End:
        return cls(None, "0", "agreed")

    @classmethod
    def recorded(cls, record: Record, reason: str) -> End | None:
        """The end that a record tells of; None if it tells of none, and no reason is known either."""
        if not reason and record.result in ("", "?"):
            return None
        return cls(winner(record.result), record.result, reason or "as recorded")

    def describe(self, game: Game) -> str:
        """How it ended, in one line."""
        if self.winner is None:
            return f"Draw: {self.reason}"
        return f"{game.players[self.winner]} wins: {self.reason}"

    @classmethod
    def _lost(cls, player: int, letter: str, reason: str) -> End:
        return cls(1 - player, f"{'WB'[player]}+{letter}", reason)
