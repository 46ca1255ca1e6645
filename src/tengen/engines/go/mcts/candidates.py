"""Moves worth searching at the root, and their order by prior."""

from __future__ import annotations

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.board import geometry_for
from tengen.engines.go.mcts.kernels.search import list_sensible
from tengen.engines.go.mcts.tree_search import Workers
from tengen.engines.go.mcts.tunables import TUNABLES
from tengen.games.go import PASS, Go
from tengen.search.kernels import mcts
from tengen.search.limits import StopFlag
from tengen.search.tree import Tree

_SETTINGS = {tunable.name: tunable.default for tunable in TUNABLES}


def sensible_moves(position: Position, moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """The legal moves that the search considers: no moves into own eyes. All of `moves` if none is left."""
    game = position.game
    assert isinstance(game, Go)
    geometry = geometry_for(game)
    out = np.zeros(geometry.points, np.int64)
    count = list_sensible(geometry.board_of(position), *geometry.tables, out)
    sensible = {int(move) for move in geometry.outward[out[:count]]}
    return tuple(move for move in moves if move in sensible) or moves


def moves_by_prior(position: Position, limit: int) -> list[Move]:
    """Up to `limit` moves in descending order of prior, without passes."""
    moves = sensible_moves(position, position.legal_moves)
    tree = Tree(position, len(moves) + 1)
    Workers(position, tree, _SETTINGS, 1, 0, StopFlag()).plant(moves)
    order = [Move(int(tree.nodes[child, mcts.MOVE])) for child in tree.children(0)]
    return [move for move in order if move != PASS][:limit]
