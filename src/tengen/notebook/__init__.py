"""A board for notebooks, to play on and to step through games; it needs `tengen[notebook]`.

from tengen.notebook import Board

Board(tengen.game("go", size=9), opponent="go:1s")   # you are Black
Board(tengen.read("game.sgf")[0], engine="go:1s")    # a game, with analysis
"""

from __future__ import annotations

from tengen.notebook.board import Board

__all__ = ["Board"]
