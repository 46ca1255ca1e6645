"""Move tables for the symmetries of the board."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tengen.core.diagram import Point
from tengen.core.game import Game, Move


@dataclass(frozen=True)
class Images:
    """`forward[image, move]` maps a move to an image of the board, `back` inversely; image 0 is the identity."""

    forward: np.ndarray[Any, Any]
    back: np.ndarray[Any, Any]


@lru_cache(maxsize=64)
def images_of(game: Game) -> Images:
    """Symmetries of a game's board: eight of a square, four of a rectangle, one without symmetry."""
    codes = np.arange(game.move_codes, dtype=np.int32)
    if not game.is_symmetric:
        return Images(codes[None, :].copy(), codes[None, :].copy())
    diagram = game.start().diagram()
    width, height = len(diagram.columns), len(diagram.rows)
    places: dict[tuple[Point, ...], int] = {}
    for code in range(game.move_codes):
        points = game.points(Move(code))
        if points and all(0 <= column < width and 0 <= row < height for column, row in points):
            places[points] = code
    numbers = range(8 if width == height else 4)
    forward = np.tile(codes, (len(numbers), 1))  # passes and choices map to themselves
    for number in numbers:
        for points, code in places.items():
            forward[number, code] = places[tuple(_image(point, number, width, height) for point in points)]
    back = np.empty_like(forward)
    for number in numbers:
        back[number, forward[number]] = codes
    return Images(forward, back)


def _image(point: Point, number: int, width: int, height: int) -> Point:
    """Mirror the columns if the number is odd (1), then the rows (2), then swap the two (4)."""
    column, row = point
    if number & 1:
        column = width - 1 - column
    if number & 2:
        row = height - 1 - row
    return (row, column) if number & 4 else (column, row)
