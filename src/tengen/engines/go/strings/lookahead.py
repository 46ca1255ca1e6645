"""Score estimates by a narrow tree search: the score that a position, or each of some moves, leads to."""

from __future__ import annotations

from collections.abc import Sequence

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

    The search maximises the win rate. To make it fight for points even if one side is far ahead, a part of Black's
    estimated lead, `lead`, is subtracted, so that the search sees a closer game; `score` adds it again.
    """

    def __init__(
        self,
        position: Position,
        first: int,
        *,
        lead: int,
        max_playouts: int,
        seed: int = 0,
        moves: Sequence[Move] | None = None,
    ) -> None:
        """Allocate a tree for `max_playouts`; more no longer expand it. `moves` are the first moves."""
        game = position.game
        assert isinstance(game, Go)
        turned = with_side_to_move(position, first)
        sensible = sensible_moves(turned, turned.legal_moves)
        # A leaf is expanded at its fourth visit, so fewer than a third of the visits create inner nodes.
        self._tree = Tree(position, (2 + max_playouts // 3) * (len(sensible) + 1))
        resources = Resources(seed=seed)
        self._search = GoTreeSearch(
            self._tree, sensible if moves is None else moves, DEFAULT_SETTINGS, resources, mover=first, lead=lead
        )
        self._shape = game.height, game.width
        self._lead = lead
        self.playouts = 0
        self.is_done = False  # the winner of the even game is proved, so more playouts are useless

    def run(self, playouts: int, move: Move | None = None) -> None:
        """Search further; with `move`, one of the moves that were given, only after that."""
        played = self._search.run(playouts, 0 if move is None else self._child(move))
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

    @property
    def win_rate(self) -> float:
        """Black's share of wins, with `lead` points subtracted from the score."""
        rate = self._tree.win_rate(0)  # of the side that does not move first
        return rate if int(self._tree.nodes[0].mover) == 0 else 1 - rate

    @property
    def best_move(self) -> Move:
        """The move with most playouts."""
        return self._tree.move(self._tree.best_first(0)[0])

    @property
    def best_score(self) -> float:
        """Black's mean final score after the best move: more to the point than `score`, by fewer playouts."""
        return self.scores().get(self.best_move, self.score)

    def best_moves(self, count: int) -> list[Move]:
        """The moves with most playouts, best first."""
        return [self._tree.move(child) for child in self._tree.best_first(0)[:count]]

    def visits(self, move: Move) -> int:
        """Number of playouts after a move."""
        return int(self._tree.nodes[self._child(move)].visits)

    def scores(self) -> dict[Move, float]:
        """Black's mean final score after each first move that was tried."""
        return {move: score + self._lead for move, score in self._search.scores().items()}

    def line(self, move: Move) -> list[Move]:
        """The principal variation that starts with a move."""
        return self._tree.line(self._child(move))

    def _child(self, move: Move) -> int:
        if not self._tree.children(0):
            self._search.expand_root()
        return next(child for child in self._tree.children(0) if self._tree.move(child) == move)
