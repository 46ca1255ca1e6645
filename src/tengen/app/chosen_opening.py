"""Openings that an opponent is told to play: moves as text, or the name of an opening."""

from __future__ import annotations

from tengen import games
from tengen.core.game import Game
from tengen.runtime.opening_line import opening_line


def opening_names(game: str) -> list[str]:
    """The names that `read_opening` knows for a game."""
    return sorted(games.game_class(game).named_openings())


def read_opening(game: Game, text: str) -> str:
    """The moves of an opening, separated by spaces: `f5 d6 c3`. Raises a `TengenError` if one is not legal."""
    named = {name.casefold(): line for name, line in game.named_openings().items()}
    words = game.split_moves(named.get(text.strip().casefold(), text))
    line = opening_line(game, " ".join(words))
    return " ".join(game.write_move(one.move) for one in line[1:] if one.move is not None)
