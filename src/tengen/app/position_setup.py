"""The stones of a position as text rows, in the form of `Game.with_setup`."""

from __future__ import annotations

from tengen.core.diagram import Stone
from tengen.core.position import Position

SYMBOLS = {Stone.EMPTY: ".", Stone.FIRST: "X", Stone.SECOND: "O"}


def rows_of(position: Position) -> list[str]:
    """The stones of a position as text rows."""
    return ["".join(SYMBOLS[stone] for stone in row) for row in position.diagram().stones]
