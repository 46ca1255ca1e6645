"""Simulations by several threads on one shared tree, and the statistics that they collect."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from tengen.core.compiled.rng import make_rng, mix
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.board import Array, Geometry, geometry_for
from tengen.engines.go.kernels.board import KO, NOWHERE, PASSES, TURN
from tengen.engines.go.mcts.feature_weights import load_feature_weights
from tengen.engines.go.mcts.kernels import playout_policy
from tengen.engines.go.mcts.kernels.features import MAX_FEATURES
from tengen.engines.go.mcts.kernels.root_reading import MAX_MOVES, ReaderData, read_root
from tengen.engines.go.mcts.kernels.search import SharedData, ThreadData, expand_root, simulate
from tengen.engines.go.mcts.playouts import max_playout_length, playout_rates
from tengen.engines.go.mcts.tunables import kernel_settings
from tengen.engines.go.patterns import pattern_classes
from tengen.engines.go.reading import buffers
from tengen.games.go import Go, rules
from tengen.search.limits import StopFlag
from tengen.search.tree import Tree

MAX_PLIES = 512
READ_NODES_PER_STRING = 5000


class TreeSearch:
    """Simulations from one position on one tree.

    `mover` overrides the side to move and clears passes and ko. `lead` points are subtracted from Black's scores.
    """

    def __init__(
        self,
        position: Position,
        tree: Tree,
        settings: Mapping[str, Any],
        threads: int,
        seed: int,
        stop: StopFlag,
        *,
        mover: int | None = None,
        lead: int = 0,
        feature_weights: Array | None = None,
    ) -> None:
        game = position.game
        assert isinstance(game, Go)
        self.geometry = geometry_for(game)
        self.tree = tree
        root = self.geometry.board_from(position)
        if mover is not None:
            root.facts[TURN], root.facts[PASSES], root.facts[KO] = mover + 1, 0, NOWHERE
        self._shared = SharedData(
            root=root,
            **dict(zip(("shape", "keys", "table", "inside"), self.geometry.tables, strict=True)),
            to_rules=self.geometry.to_rules,
            from_rules=self.geometry.from_rules,
            turn_key=np.array([rules.TURN_KEY], np.uint64),
            rates=playout_rates(settings),
            prior_factors=np.ones((2, self.geometry.points)),
            replies=np.zeros((2, self.geometry.points), np.int64),
            pattern_class=pattern_classes(),
            feature_weights=load_feature_weights() if feature_weights is None else feature_weights,
            settings=kernel_settings(settings, game, int(position.state.komi) + 1000 * lead),
            tree=tree.nodes,
            used=tree.used,
            stop=stop.array,
        )
        if settings["reading"]:
            read_root(self._shared, _reader_data(self.geometry), READ_NODES_PER_STRING)
        history = position.repeat_keys
        self._history_length = len(history)
        count = max(1, min(threads, os.cpu_count() or 1))
        first_seed = int(mix(seed ^ position.key))
        self._threads = [
            _thread_data(self.geometry, game, history, int(mix(first_seed + number))) for number in range(count)
        ]
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="go") if count > 1 else None

    def expand_root(self, moves: tuple[Move, ...]) -> None:
        """Start the tree with `moves` as the children of its root."""
        expand_root(self._shared, self._threads[0], self.geometry.from_rules[list(moves)].astype(np.int64))

    def run(self, simulations: int, forced_child: int = 0) -> int:
        """Run about `simulations` in all threads together and return how many were done.

        With `forced_child`, all of them go through that child of the root.
        """
        if self._pool is None:
            return int(simulate(self._shared, self._threads[0], self._history_length, forced_child, simulations))
        share = -(-simulations // len(self._threads))
        futures = [
            self._pool.submit(simulate, self._shared, thread, self._history_length, forced_child, share)
            for thread in self._threads
        ]
        return sum(int(future.result()) for future in futures)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    @property
    def _counts(self) -> Array:
        return np.asarray(sum(thread.owner_counts for thread in self._threads))

    def ownership(self) -> Array:
        """Mean final owner of each point, row by row: 1.0 is always Black, -1.0 always White."""
        counts = self._counts
        black, white, _ = counts[:-2].reshape(3, -1)[:, self.geometry.inside]
        return np.asarray((black - white) / max(1, int(counts[-2])))

    def scores(self) -> dict[Move, float]:
        """Black's mean final score after each first move that was tried."""
        total, games = sum(thread.scores for thread in self._threads)
        tried = np.flatnonzero(games)
        return {Move(int(self.geometry.to_rules[point])): float(total[point] / games[point]) for point in tried}

    def score(self) -> float:
        """Black's mean final score over all simulations that made a move in the tree; 0.0 if there are none."""
        total, games = sum(thread.scores for thread in self._threads).sum(axis=1)
        return float(total / max(1.0, games))

    def criticality(self) -> Array:
        """Per point: how much more often the winner owns it than if owning and winning were independent."""
        counts = self._counts
        games = max(1, int(counts[-2]))
        black, white, won = counts[:-2].reshape(3, -1)[:, self.geometry.inside] / games
        share = counts[-1] / (2 * games)
        return np.asarray(won - (black * share + white * (1 - share)))


def _reader_data(geometry: Geometry) -> ReaderData:
    return ReaderData(
        board=buffers.new_board(geometry),
        search=buffers.new_search(geometry),
        moves=np.zeros(MAX_MOVES, np.int64),
        refutations=np.zeros(MAX_MOVES, np.int64),
    )


def _thread_data(geometry: Geometry, game: Go, history: Array, seed: int) -> ThreadData:
    return ThreadData(
        board=geometry.new_board(),
        ladder_board=geometry.new_board(),
        scratch=np.zeros(playout_policy.SCRATCH_SIZE, np.int64),
        points=np.zeros((5, geometry.points), np.int64),
        moves=np.zeros(geometry.points, np.int64),
        probabilities=np.zeros(geometry.points),
        features=np.zeros(MAX_FEATURES, np.int64),
        history=np.concatenate([history, np.zeros(MAX_PLIES + 1, np.uint64)]),
        path=np.zeros(MAX_PLIES, np.int64),
        played=np.zeros(MAX_PLIES + max_playout_length(game), np.int32),
        first_players=np.zeros(geometry.points + 1, np.int64),
        owner_counts=np.zeros(3 * geometry.points + 2, np.int64),
        scores=np.zeros((2, geometry.points)),
        rng=make_rng(seed),
    )
