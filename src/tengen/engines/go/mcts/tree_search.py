"""The threads of a search on one tree, each with its own boards; and what they counted."""

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
from tengen.engines.go.mcts.feature_weights import load_gammas
from tengen.engines.go.mcts.kernels import playout_policy as policy
from tengen.engines.go.mcts.kernels.features import MOST_LOOKS
from tengen.engines.go.mcts.kernels.root_reading import MOST_MOVES, Reader, read_answers
from tengen.engines.go.mcts.kernels.search import Own, Shared, plant, simulate
from tengen.engines.go.mcts.playouts import longest_playout, rates_of
from tengen.engines.go.mcts.tunables import settings_of
from tengen.engines.go.patterns import shape_classes
from tengen.engines.go.reading import buffers as memory
from tengen.games.go import Go, rules
from tengen.search.limits import StopFlag
from tengen.search.tree import Tree

MOST_PLIES = 512
READ_NODES = 5000  # positions that a string may take


class Workers:
    """Simulations from one position on one tree.

    With a `mover`, as if that player were to move and nobody had passed. A `lead` in points is taken off Black's
    scores.
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
        gammas: Array | None = None,
    ) -> None:
        game = position.game
        assert isinstance(game, Go)
        self.geometry = geometry_for(game)
        self.tree = tree
        root = self.geometry.board_of(position)
        if mover is not None:
            root.facts[TURN], root.facts[PASSES], root.facts[KO] = mover + 1, 0, NOWHERE
        self._shared = Shared(
            root=root,
            **dict(zip(("shape", "keys", "table", "inside"), self.geometry.tables, strict=True)),
            outward=self.geometry.outward,
            inward=self.geometry.inward,
            turn_key=np.array([rules.TURN_KEY], np.uint64),
            rates=rates_of(settings),
            advice=np.ones((2, self.geometry.points)),
            answers=np.zeros((2, self.geometry.points), np.int64),
            classes=shape_classes(),
            gammas=load_gammas() if gammas is None else gammas,
            settings=settings_of(settings, game, int(position.state.komi) + 1000 * lead),
            tree=tree.nodes,
            used=tree.used,
            stop=stop.array,
        )
        if settings["reading"]:
            read_answers(self._shared, _reader(self.geometry), READ_NODES)
        past = position.repeat_keys
        self._past = len(past)
        count = max(1, min(threads, os.cpu_count() or 1))
        first = int(mix(seed ^ position.key))
        self._own = [_own(self.geometry, game, past, int(mix(first + number))) for number in range(count)]
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="go") if count > 1 else None

    def plant(self, moves: tuple[Move, ...]) -> None:
        """Begin the tree, with these moves at its root."""
        plant(self._shared, self._own[0], self.geometry.inward[list(moves)].astype(np.int64))

    def run(self, simulations: int, forced: int = 0) -> int:
        """At most about so many simulations by all threads together, all by way of one child of the root if it is
        `forced`; returns how many were done.
        """
        if self._pool is None:
            return int(simulate(self._shared, self._own[0], self._past, forced, simulations))
        share = -(-simulations // len(self._own))
        futures = [self._pool.submit(simulate, self._shared, own, self._past, forced, share) for own in self._own]
        return sum(int(future.result()) for future in futures)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    # ---- what they counted

    @property
    def _counts(self) -> Array:
        return np.asarray(sum(own.owners for own in self._own))

    def ownership(self) -> Array:
        """For each point of the board, row by row: 1.0 if always Black's in the end, -1.0 if always White's."""
        counts = self._counts
        black, white, _ = counts[:-2].reshape(3, -1)[:, self.geometry.inside]
        return np.asarray((black - white) / max(1, int(counts[-2])))

    def scores(self) -> dict[Move, float]:
        """What Black is ahead by in the end, on the mean, by the first move; none for those not tried."""
        total, games = sum(own.scores for own in self._own)
        tried = np.flatnonzero(games)
        return {Move(int(self.geometry.outward[point])): float(total[point] / games[point]) for point in tried}

    def score(self) -> float:
        """What Black is ahead by in the end, on the mean of all games by way of a move; 0.0 before the first."""
        total, games = sum(own.scores for own in self._own).sum(axis=1)
        return float(total / max(1.0, games))

    def criticality(self) -> Array:
        """How much more often each point is the winner's than if it had nothing to do with winning."""
        counts = self._counts
        games = max(1, int(counts[-2]))
        black, white, won = counts[:-2].reshape(3, -1)[:, self.geometry.inside] / games
        share = counts[-1] / (2 * games)
        return np.asarray(won - (black * share + white * (1 - share)))


def _reader(geometry: Geometry) -> Reader:
    return Reader(
        board=memory.new_board(geometry),
        search=memory.new_search(geometry),
        moves=np.zeros(MOST_MOVES, np.int64),
        replies=np.zeros(MOST_MOVES, np.int64),
    )


def _own(geometry: Geometry, game: Go, past: Array, seed: int) -> Own:
    longest = MOST_PLIES + longest_playout(game)
    return Own(
        work=geometry.new_board(),
        reading=geometry.new_board(),
        scratch=np.zeros(policy.SCRATCH, np.int64),
        points=np.zeros((5, geometry.points), np.int64),
        moves=np.zeros(geometry.points, np.int64),
        chances=np.zeros(geometry.points),
        looks=np.zeros(MOST_LOOKS, np.int64),
        past=np.concatenate([past, np.zeros(MOST_PLIES + 1, np.uint64)]),
        path=np.zeros(MOST_PLIES, np.int64),
        played=np.zeros(longest, np.int32),
        first=np.zeros(geometry.points + 1, np.int64),
        owners=np.zeros(3 * geometry.points + 2, np.int64),
        scores=np.zeros((2, geometry.points)),
        rng=make_rng(seed),
    )
