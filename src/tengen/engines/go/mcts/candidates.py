"""Moves worth searching at the root, and their order and probabilities by prior."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.board import geometry_for
from tengen.engines.go.mcts.kernels.search import GAMES_SHIFT, list_search_moves
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


def move_probabilities(tree: Tree, settings: Mapping[str, Any]) -> dict[Move, float]:
    """The probabilities of the root's moves that their priors stand for, without passes; empty if they have none.

    Priors are rounded, so these are within about 0.004 of the square roots.
    """
    children = [child for child in tree.children(0) if tree.move(child) != PASS]
    if not children or not settings["policy_games"]:
        return {}
    even = settings["prior_games"]
    found = {}
    for child in children:  # the reverse of `add_children` in the kernels
        prior = int(tree.nodes["prior"][child])
        games, wins = prior >> GAMES_SHIFT, (prior & 0xFFFF) / 2
        excess = wins - even / 2 if wins > even / 2 else even - games
        found[tree.move(child)] = max(0.0, excess / settings["policy_games"] + 1 / math.sqrt(len(children))) ** 2
    total = sum(found.values())
    return {move: probability / total for move, probability in found.items()} if total else {}
