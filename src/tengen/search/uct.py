"""Monte-Carlo tree search engine for every game."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np

from tengen.core.compiled.rng import make_rng, mix
from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.search.engine import Engine, OnProgress
from tengen.search.kernels import mcts
from tengen.search.limits import Budget, Limits, StopFlag, root_moves
from tengen.search.report import Candidate, Overlay, Report
from tengen.search.tree import BYTES_PER_NODE, Tree
from tengen.search.tunables import Tunable

MAX_PLIES = 512
CANDIDATES_SHOWN = 700  # enough for every point of a Go board; writing thousands would delay a stop
LINES_SHOWN = 10  # candidates with a complete principal variation


class UCT(Engine):
    """Monte-Carlo tree search (UCT) with playouts, optional RAVE and priors, and proofs."""

    name: ClassVar[str] = "uct"
    summary: ClassVar[str] = "Monte-Carlo tree search with proved wins and losses"
    deepens: ClassVar[bool] = False
    max_threads: ClassVar[int] = 256
    tunables: ClassVar[tuple[Tunable, ...]] = (
        Tunable("exploration", 0.7, 0.0, 10.0, "weight of exploring rarely visited moves"),
        Tunable("rave", 0.0, 0.0, 1e6, "RAVE equivalence: visits at which AMAF statistics count as much; 0: off"),
        Tunable("bias", 0.0, 0.0, 100.0, "weight of the game's evaluation; 0: none"),
        Tunable("expand_after", 1, 1, 1000, "visits before a leaf is expanded"),
        Tunable("memory", 256, 1, 65536, "megabytes for the tree", megabytes=True),
        Tunable("reuse", True, 0, 1, "keep the tree between moves"),
    )

    _compiled: ClassVar[set[np.dtype[Any]]] = set()  # records for which the kernels are compiled

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.tree: Tree | None = None  # of the last search, for display and reuse

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        moves = root_moves(position, limits)
        limits.check_without_depth(self.name, stop)
        settings = self._settings(position)
        self._compile(position, moves, settings)
        budget = Budget(limits, stop)
        tree = self.tree = self._plant(position, moves, limits.nodes, settings)
        done = 0
        with _Workers(self, tree, settings) as workers:
            while not (budget.is_spent or self._is_settled(tree)):
                started = time.perf_counter()
                simulations = workers.run(budget.slice_nodes(), budget.stop)
                budget.count(simulations, time.perf_counter() - started)
                done += simulations
                if on_progress is not None and budget.progress_due():
                    on_progress(self._report(tree, done, budget.seconds))
        return self._report(tree, done, budget.seconds)

    def _compile(self, position: Position, moves: tuple[Move, ...], settings: np.ndarray[Any, Any]) -> None:
        """Compile all kernels of a search, including those used later, before its clock starts."""
        if position.game.record not in self._compiled:
            tree, copy = self._new_tree(position, moves, 0, settings), mcts.make_tree(len(moves) + 1)
            _Workers(self, tree, settings).run_one(0, StopFlag())
            mcts.copy_subtree(0, tree.nodes, copy, np.empty(len(copy), np.int64))
            self._compiled.add(position.game.record)

    def _is_settled(self, tree: Tree) -> bool:
        """Whether the search is finished: the root is proved or has the maximum number of visits."""
        return bool(tree.nodes[0, mcts.PROOF] != mcts.OPEN or tree.nodes[0, mcts.VISITS] >= mcts.MAX_VISITS)

    def _settings(self, position: Position) -> np.ndarray[Any, Any]:
        settings = np.zeros(mcts.SETTINGS_SIZE)
        settings[mcts.EXPLORATION] = self.settings["exploration"]
        settings[mcts.RAVE] = self.settings["rave"]
        settings[mcts.BIAS] = self.settings["bias"]
        settings[mcts.EXPAND_AFTER] = self.settings["expand_after"]
        settings[mcts.SCALE] = position.game.max_score / 4
        settings[mcts.PLAYOUT_LENGTH] = position.game.max_playout_length
        return settings

    def _plant(
        self, position: Position, moves: tuple[Move, ...], simulations: int | None, settings: np.ndarray[Any, Any]
    ) -> Tree:
        """The reused subtree of the last search, or a new tree."""
        # Half of the memory; the other half is for the copy when the tree is reused.
        most = max(self.settings["memory"] * 1024 * 1024 // BYTES_PER_NODE // 2, len(moves) + 1)
        # A simulation expands at most one node, so a short search needs less memory.
        room = most if simulations is None else len(moves) + 1 + simulations * position.game.max_legal_moves
        if self.tree is not None and self.settings["reuse"]:
            kept = self.tree.advanced(position, min(most, int(self.tree.used[0]) + room))
            if kept is not None and {int(kept.nodes[child, mcts.MOVE]) for child in kept.children(0)} == set(
                moves
            ):
                return kept
        return self._new_tree(position, moves, min(most, room), settings)

    def _new_tree(
        self, position: Position, moves: tuple[Move, ...], capacity: int, settings: np.ndarray[Any, Any]
    ) -> Tree:
        tree = Tree(position, max(capacity, len(moves) + 1))
        states = np.zeros(2, position.game.record)
        states[0] = position.state
        mcts.plant_root(states, np.array(moves, np.int32), tree.nodes, tree.used, settings)
        return tree

    def _report(self, tree: Tree, simulations: int, seconds: float) -> Report:
        game = tree.position.game
        candidates = []
        heat: dict[Point, float | str] = {}
        rates: dict[Point, float | str] = {}
        children = tree.children(0)
        total = max(1, int(tree.nodes[children.start : children.stop, mcts.VISITS].sum()))
        for rank, child in enumerate(tree.best_first(0)[:CANDIDATES_SHOWN]):
            move = Move(int(tree.nodes[child, mcts.MOVE]))
            visits = int(tree.nodes[child, mcts.VISITS])
            line = tree.line(child) if rank < LINES_SHOWN else [move]
            candidates.append(
                Candidate(
                    move=game.write_move(move),
                    value=tree.value(child),
                    line=tuple(tree.position.write_moves(tree.position.legal_part(line))),
                    visits=visits,
                )
            )
            for point in game.points(move)[-1:]:
                heat[point] = float(heat.get(point, 0.0)) + visits / total
                if visits:
                    rates[point] = max(float(rates.get(point, 0.0)), tree.win_rate(child))
        return Report(
            engine=self.name,
            best=candidates[0].move,
            value=candidates[0].value,
            candidates=tuple(candidates),
            nodes=simulations,
            seconds=seconds,
            overlays=(Overlay.from_points("visits", heat), Overlay.from_points("win rate", rates)),
        )


class _Workers:
    """Threads that run simulations, each with its own scratch memory."""

    def __init__(self, engine: UCT, tree: Tree, settings: np.ndarray[Any, Any]) -> None:
        position = tree.position
        game = position.game
        self.count = max(1, min(engine.threads, os.cpu_count() or 1))
        self._jobs: list[Callable[[int, StopFlag], int]] = []
        root = np.zeros(1, game.record)
        root[0] = position.state
        past = position.repeat_keys
        seed = int(mix(engine.seed ^ position.key))
        for worker in range(self.count):
            longest = MAX_PLIES + game.max_playout_length
            scratch = (
                np.zeros(2, game.record),
                np.zeros(game.max_legal_moves, np.int32),
                np.concatenate([past, np.zeros(MAX_PLIES + 1, np.uint64)]),
                len(past),
                np.zeros(MAX_PLIES, np.int64),
                np.zeros(longest, np.int32),
                np.zeros(longest, np.int32),
                np.zeros(game.move_codes + 1, np.int64),  # the last entry is the stamp
            )
            rng = make_rng(int(mix(seed + worker)))

            def job(simulations: int, stop: StopFlag, scratch: Any = scratch, rng: Any = rng) -> int:
                return int(
                    mcts.simulate(root, *scratch, tree.nodes, tree.used, settings, simulations, rng, stop.array)
                )

            self._jobs.append(job)
        self._pool: ThreadPoolExecutor | None = None

    def run_one(self, simulations: int, stop: StopFlag) -> int:
        """Run simulations on the first worker only."""
        return self._jobs[0](simulations, stop)

    def run(self, simulations: int, stop: StopFlag) -> int:
        """Run about `simulations` simulations on all threads; return the actual number."""
        if self.count == 1:
            return self.run_one(simulations, stop)
        assert self._pool is not None, "several workers run inside a `with` block"
        share = -(-simulations // self.count)
        futures = [self._pool.submit(job, share, stop) for job in self._jobs]
        return sum(future.result() for future in futures)

    def __enter__(self) -> _Workers:
        if self.count > 1:
            self._pool = ThreadPoolExecutor(self.count, thread_name_prefix="uct")
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()
