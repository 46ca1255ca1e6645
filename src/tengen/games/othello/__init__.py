"""Othello on 8x8, 6x6 and 4x4: `rules` (compiled) and `game`."""

from tengen.games.othello.game import PASS, Othello

__all__ = ["PASS", "Othello"]
