"""Simulations of Go on a shared tree, and the statistics that they collect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.board import Array, Geometry, geometry_for
from tengen.engines.go.kernels.board import BLACK, NOWHERE, WHITE, Arrays
from tengen.engines.go.mcts.feature_weights import load_feature_weights, policy_data
from tengen.engines.go.mcts.kernels.root_reading import MAX_LIBERTIES, MAX_MOVES, ReaderData, read_root
from tengen.engines.go.mcts.kernels.search import SETTINGS, Search
from tengen.engines.go.mcts.playouts import max_playout_length, playout_data
from tengen.engines.go.mcts.tunables import kernel_settings
from tengen.engines.go.network.kernels.search import NETWORK_SETTINGS, NetworkSearch
from tengen.engines.go.reading import buffers
from tengen.games.go import PASS, Go, rules
from tengen.search.network.evaluator import evaluator, rectangle_neighbourhoods
from tengen.search.network.weights import Weights
from tengen.search.tree import Tree
from tengen.search.tree_search import Resources, TreeSearch, base_data

READ_NODES_PER_STRING = 5000


class GoTreeSearch(TreeSearch):
    """Simulations from one position on one tree."""

    def __init__(
        self,
        tree: Tree,
        moves: Sequence[Move],
        settings: Mapping[str, Any],
        resources: Resources,
        *,
        mover: int | None = None,
        lead: int = 0,
        feature_weights: Array | None = None,
        network: Weights | None = None,
    ) -> None:
        """Without `moves` of the root, every simulation is a playout. Without `network`, features give the priors.

        `mover` overrides the side to move and clears passes and ko. `lead` points are subtracted from Black's
        scores.
        """
        position = tree.position
        game = position.game
        assert isinstance(game, Go)
        geometry = self.geometry = geometry_for(game)
        root = geometry.board_from(position)
        if mover is not None:
            root.state[0].turn, root.state[0].passes, root.state[0].ko = mover + 1, 0, NOWHERE
            tree.nodes[0].mover = 1 - mover
        self.replies = np.zeros((2, geometry.points), np.int64)
        prior_factors = np.ones((2, geometry.points))
        if settings["reading"] and _has_strings_to_read(root):
            reader = _reader_data(geometry)
            read_root(root, geometry.inside, reader, self.replies, prior_factors, READ_NODES_PER_STRING)
        weights = load_feature_weights() if feature_weights is None else feature_weights
        komi = int(position.state.komi) + 1000 * lead
        record = kernel_settings(settings, game, komi, SETTINGS if network is None else NETWORK_SETTINGS)
        threads = base_data(
            tree,
            record,
            geometry.from_rules[list(moves)].astype(np.int64),
            resources,
            playout_length=max_playout_length(game),
            ignored_move=int(PASS),
        )
        searches = [
            Search(
                root=root,
                board=geometry.new_board(),
                ladder_board=geometry.new_board(),
                tables=geometry.tables,
                playout=playout_data(geometry, settings, base.played, base.rng)._replace(replies=self.replies),
                policy=policy_data(geometry, weights),
                prior_factors=prior_factors,
                from_rules=geometry.from_rules,
                turn_key=np.uint64(rules.TURN_KEY),
                owner_counts=np.zeros(3 * geometry.points + 2, np.int64),
                scores=np.zeros((2, game.move_codes)),
                base=base,
            )
            for base in threads
        ]
        super().__init__(searches if network is None else [_with_network(one, network, game) for one in searches])

    @property
    def _counts(self) -> Array:
        return np.asarray(sum(thread.owner_counts for thread in self.threads))

    def ownership(self) -> Array:
        """Mean final owner of each point, row by row: 1.0 is always Black, -1.0 always White."""
        counts = self._counts
        black, white, _ = counts[:-2].reshape(3, -1)[:, self.geometry.inside]
        return np.asarray((black - white) / max(1, int(counts[-2])))

    def scores(self) -> dict[Move, float]:
        """Black's mean final score after each first move that was tried."""
        total, games = sum(thread.scores for thread in self.threads)
        return {Move(int(move)): float(total[move] / games[move]) for move in np.flatnonzero(games)}

    def score(self) -> float:
        """Black's mean final score over all simulations that made a move in the tree; 0.0 if there are none."""
        total, games = sum(thread.scores for thread in self.threads).sum(axis=1)
        return float(total / max(1.0, games))

    def criticality(self) -> Array:
        """Per point: how much more often the winner owns it than if owning and winning were independent."""
        counts = self._counts
        games = max(1, int(counts[-2]))
        black, white, won = counts[:-2].reshape(3, -1)[:, self.geometry.inside] / games
        share = counts[-1] / (2 * games)
        return np.asarray(won - (black * share + white * (1 - share)))


def _with_network(search: Search, network: Weights, game: Go) -> NetworkSearch:
    around = rectangle_neighbourhoods(game.width, game.height)
    return NetworkSearch._make([*search, evaluator(network, around)])


def needs_reading(position: Position) -> bool:
    """Whether the root has strings to read. If not, their kernel need not be compiled."""
    game = position.game
    assert isinstance(game, Go)
    return _has_strings_to_read(geometry_for(game).board_from(position))


def _has_strings_to_read(board: Arrays) -> bool:
    is_head = ((board.colour == BLACK) | (board.colour == WHITE)) & (board.head == np.arange(len(board.head)))
    return bool((board.liberty_count[is_head] <= MAX_LIBERTIES).any())


def _reader_data(geometry: Geometry) -> ReaderData:
    return ReaderData(
        board=buffers.new_board(geometry),
        search=buffers.new_search(geometry),
        moves=np.zeros(MAX_MOVES, np.int64),
        refutations=np.zeros(MAX_MOVES, np.int64),
    )
