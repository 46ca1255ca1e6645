"""Openings that an opponent is told to play: moves as text, or in Othello the name of an opening."""

from __future__ import annotations

import re

from tengen.core.game import Game
from tengen.games.othello import Othello
from tengen.games.othello.openings import OPENINGS
from tengen.runtime.opening_line import opening_line

_SQUARES = re.compile(r"[a-h][1-8]")


def opening_names(game: str) -> list[str]:
    """The names that `read_opening` knows for a game."""
    return sorted(OPENINGS) if game == Othello.name else []


def read_opening(game: Game, text: str) -> str:
    """The moves of an opening, separated by spaces: `f5 d6 c3`. Raises a `TengenError` if one is not legal."""
    named = {name.casefold(): line for name, line in OPENINGS.items()} if isinstance(game, Othello) else {}
    words = named.get(text.strip().casefold(), text).replace(",", " ").split()
    if isinstance(game, Othello):
        words = [one for word in words for one in (_SQUARES.findall(word.lower()) or [word])]
    line = opening_line(game, " ".join(words))
    return " ".join(game.write_move(one.move) for one in line[1:] if one.move is not None)
