"""The moves that look best, from Python: see `kernels.looks`."""

from __future__ import annotations

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.roots import sensible_moves
from tengen.engines.go.tuning import TUNABLES
from tengen.engines.go.worker import Workers
from tengen.games.go import PASS
from tengen.search.kernels import mcts
from tengen.search.limits import StopFlag
from tengen.search.tree import Tree

_SETTINGS = {tunable.name: tunable.default for tunable in TUNABLES}


def likely_moves(position: Position, count: int) -> list[Move]:
    """The likeliest moves first, passes left out."""
    moves = sensible_moves(position, position.legal_moves)
    tree = Tree(position, len(moves) + 1)
    Workers(position, tree, _SETTINGS, 1, 0, StopFlag()).plant(moves)
    order = [Move(int(tree.nodes[child, mcts.MOVE])) for child in tree.children(0)]
    return [move for move in order if move != PASS][:count]
