"""Score estimates by a narrow tree search: the score that a position leads to with good play of both sides."""

from __future__ import annotations

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.board import Array
from tengen.engines.go.mcts.candidates import sensible_moves
from tengen.engines.go.mcts.tree_search import GoTreeSearch
from tengen.engines.go.mcts.tunables import DEFAULT_SETTINGS
from tengen.engines.go.positions import with_side_to_move
from tengen.games.go import Go
from tengen.search.tree import Tree
from tengen.search.tree_search import Resources


class Lookahead:
    """An incremental tree search of a position with player `first` to move.

    The search maximises the win rate. To make it fight for every point even if one side is far ahead, Black's
    estimated `lead` is subtracted, so that the search sees an even game; `score` adds it again.
    """

    def __init__(self, position: Position, first: int, *, lead: int, max_playouts: int, seed: int = 0) -> None:
        """Allocate a tree for `max_playouts`; further playouts no longer expand it."""
        game = position.game
        assert isinstance(game, Go)
        turned = with_side_to_move(position, first)
        moves = sensible_moves(turned, turned.legal_moves)
        # A leaf is expanded at its fourth visit, so fewer than a third of the visits create inner nodes.
        self._tree = Tree(position, (2 + max_playouts // 3) * (len(moves) + 1))
        resources = Resources(seed=seed)
        self._search = GoTreeSearch(self._tree, moves, DEFAULT_SETTINGS, resources, mover=first, lead=lead)
        self._shape = game.height, game.width
        self._lead = lead
        self.playouts = 0
        self.is_done = False  # the winner of the even game is proved, so more playouts are useless

    def run(self, playouts: int) -> None:
        played = self._search.run(playouts)
        self.playouts += played
        self.is_done = played < playouts

    @property
    def ownership(self) -> Array:
        """float64[height, width]: mean final owner, from 1.0 (Black) to -1.0 (White)."""
        return self._search.ownership().reshape(self._shape)

    @property
    def score(self) -> float:
        """Black's mean final score over all playouts so far."""
        return self._search.score() + self._lead

    def line(self) -> list[Move]:
        """The principal variation."""
        return self._tree.line(0)[1:]
