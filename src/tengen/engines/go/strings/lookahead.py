"""The score that a position comes to if both sides go on well, by a narrow tree search of its own."""

from __future__ import annotations

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.board import Array
from tengen.engines.go.mcts.candidates import sensible_moves
from tengen.engines.go.mcts.tree_search import Workers
from tengen.engines.go.mcts.tunables import TUNABLES
from tengen.engines.go.positions import with_mover
from tengen.games.go import Go
from tengen.search.limits import StopFlag
from tengen.search.tree import Tree

_SETTINGS = {tunable.name: tunable.default for tunable in TUNABLES}


class Foresight:
    """A position with `first` to move, looked into further and further.

    The search asks who wins. So that it fights for every point, however far one side is ahead, the `lead` that
    Black is thought to have is taken off for it: the game that it sees is even. The score has it again.
    """

    def __init__(self, position: Position, first: int, *, lead: int, most: int, seed: int = 0) -> None:
        """most: simulations for which there is memory; more do no harm."""
        game = position.game
        assert isinstance(game, Go)
        turned = with_mover(position, first)
        moves = sensible_moves(turned, turned.legal_moves)
        # A leaf gets its children at its fourth visit, so there are fewer inner nodes than a third of the visits.
        self._tree = Tree(position, (2 + most // 3) * (len(moves) + 1))
        self._workers = Workers(position, self._tree, _SETTINGS, 1, seed, StopFlag(), mover=first, lead=lead)
        self._workers.plant(moves)
        self._shape = game.height, game.width
        self._lead = lead
        self.games = 0
        self.is_done = False
        """Whether more games tell nothing: it is proved who wins the even game."""

    def look(self, games: int) -> None:
        played = self._workers.run(games)
        self.games += played
        self.is_done = played < games

    @property
    def owners(self) -> Array:
        """float64[height, width]: 1.0 where all is Black's in the end, -1.0 where all is White's."""
        return self._workers.ownership().reshape(self._shape)

    @property
    def score(self) -> float:
        """For Black, by the rules' way of counting, in the mean of all games so far."""
        return self._workers.score() + self._lead

    def line(self) -> list[Move]:
        """What both sides are expected to play."""
        return self._tree.line(0)[1:]
