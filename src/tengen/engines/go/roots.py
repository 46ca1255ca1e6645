"""The moves that are worth a look at the root: legal by the whole history, and not into an own eye."""

from __future__ import annotations

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.board import geometry_for
from tengen.engines.go.kernels.search import list_sensible
from tengen.games.go import Go


def sensible_moves(position: Position, moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """Those of the legal moves that the search looks at; all of them if it would look at none."""
    game = position.game
    assert isinstance(game, Go)
    geometry = geometry_for(game)
    out = np.zeros(geometry.points, np.int64)
    count = list_sensible(geometry.board_of(position), *geometry.tables, out)
    sensible = {int(move) for move in geometry.outward[out[:count]]}
    return tuple(move for move in moves if move in sensible) or moves
