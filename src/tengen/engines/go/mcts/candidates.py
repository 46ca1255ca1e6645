"""Moves worth searching at the root, and their order by prior."""

from __future__ import annotations

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.board import geometry_for
from tengen.engines.go.mcts.kernels.search import list_search_moves
from tengen.engines.go.mcts.tree_search import GoTreeSearch
from tengen.engines.go.mcts.tunables import DEFAULT_SETTINGS
from tengen.games.go import PASS, Go
from tengen.search.tree import Tree
from tengen.search.tree_search import Resources


def sensible_moves(position: Position, moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """Those of the legal `moves` that do not fill an own eye; all of them if none is left."""
    game = position.game
    assert isinstance(game, Go)
    geometry = geometry_for(game)
    out = np.zeros(geometry.points, np.int64)
    count = list_search_moves(geometry.board_from(position), *geometry.tables, out)
    sensible = {int(move) for move in geometry.to_rules[out[:count]]}
    return tuple(move for move in moves if move in sensible) or moves


def moves_by_prior(position: Position, limit: int) -> list[Move]:
    """Up to `limit` moves in descending order of prior, without passes."""
    moves = sensible_moves(position, position.legal_moves)
    tree = Tree(position, len(moves) + 1)
    GoTreeSearch(tree, moves, DEFAULT_SETTINGS, Resources()).expand_root()
    order = [tree.move(child) for child in tree.children(0)]
    return [move for move in order if move != PASS][:limit]
