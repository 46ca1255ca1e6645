"""The choices of an opening protocol: which side to take, by what the player thinks of the position.

Stones of the opening itself are placed by the search for any game, because they are to be fair, not good.
"""

from __future__ import annotations

from dataclasses import replace

from tengen.core.position import Position
from tengen.games.pente.game import COLOURS, TWO_MORE, Pente
from tengen.games.pente.record import NOTHING
from tengen.search.report import Candidate, Report

FAIR = 0.1
"""Wins: a position that is worth less to either side is even enough to let the other choose."""


def is_opening(position: Position) -> bool:
    """Whether stones of the opening are being placed, or a side is to be chosen."""
    return bool(position.state.choice != NOTHING or position.state.left > 0)


def has_choice(position: Position) -> bool:
    return bool(position.state.choice != NOTHING)


def settled(position: Position) -> Position:
    """The same stones in the game after the opening, with the colour of the next stone on turn."""
    game = position.game
    assert isinstance(game, Pente)
    return replace(game, opening="none", first="anywhere", second="anywhere", board=game.text(position)).start()


def choose(position: Position, report: Report) -> Report:
    """The choice that follows from what was found of the settled position."""
    colour = int(position.state.colour)
    worth = report.value
    if TWO_MORE in position.legal_moves and abs(worth.amount) < FAIR:
        best, value = "more", replace(worth, amount=0.0)
    elif worth.amount >= 0:
        best, value = COLOURS[colour].lower(), worth
    else:
        best, value = COLOURS[1 - colour].lower(), worth.for_opponent()
    return replace(report, best=best, value=value, candidates=(Candidate(best, value),), overlays=())
