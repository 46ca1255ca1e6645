"""Wins in one and two by trying everything; see `kernels.exhaustive`."""

from __future__ import annotations

import numpy as np

from tengen.core.position import Position
from tengen.engines.pente.kernels.exhaustive import shortest_win


def stones_to_win(position: Position) -> int:
    """1 or 2 if the side to move wins with its first or second stone from now, against every defence; else 0."""
    stack = np.zeros(4, position.game.record)
    stack[0] = position.state
    return int(shortest_win(stack, np.zeros((3, position.game.most_moves + 3), np.int64)))
