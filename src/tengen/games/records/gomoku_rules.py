"""What files of gomoku without a statement of the rules can hold."""

from __future__ import annotations

from tengen.core.translation import mark
from tengen.games.pente.game import Pente
from tengen.games.records.tree import Record


def is_plain(game: Pente) -> bool:
    """Whether stones alternate from an empty board on, and five in a row win without captures."""
    return (
        game.captures == "none"
        and game.row == 5
        and game.stones == 1
        and game.opening == "none"
        and not game.board
    )


def lost_rules(record: Record) -> list[str]:
    """Rules that are lost where a reader has to assume that five or more win."""
    game = record.game
    assert isinstance(game, Pente)
    dropped = [mark("the rule that exactly five win")] if game.exact else []
    dropped += [mark("the rule that five between two enemy stones do not win")] if game.caro else []
    return dropped + ([mark("the rules of renju")] if game.renju else [])
