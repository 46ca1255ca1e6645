"""Base of the engines that search a Monte-Carlo tree: the loop within limits, memory, tree reuse, reports."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Hashable
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.search.engine import Engine, OnProgress
from tengen.search.kernels import mcts
from tengen.search.limits import Budget, Limits, StopFlag, root_moves
from tengen.search.report import Candidate, Overlay, Report, Value
from tengen.search.tree import BYTES_PER_NODE, Tree
from tengen.search.tree_search import Resources, TreeSearch

MAX_CANDIDATES = 700  # enough for every point of a Go board; writing thousands would delay a stop
MAX_FULL_LINES = 10  # candidates reported with their whole line
EXTRA_SIMULATIONS = 200  # that an engine may add after the last one of its node limit

SearchType = TypeVar("SearchType", bound=TreeSearch)


class TreeEngine(Engine, Generic[SearchType]):
    """An engine that searches a Monte-Carlo tree. Its settings include `memory` and `reuse`."""

    deepens: ClassVar[bool] = False

    _compiled: ClassVar[set[Hashable]] = set()

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.tree: Tree | None = None  # of the last search, for display and reuse

    @abstractmethod
    def start(self, tree: Tree, moves: tuple[Move, ...], resources: Resources) -> SearchType:
        """A search of `tree`, whose root has these moves."""

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        moves = self.root_moves(position, limits)
        limits.check_without_depth(self.name, stop)
        self._compile_once(position, moves)
        budget = Budget(self.share_clock(limits, position), stop)
        tree = self.tree = self._prepare_tree(position, moves, limits.nodes)
        search = self.start(tree, moves, Resources(self.threads, self.seed, budget.stop))
        search.expand_root()
        done = 0
        while not (budget.is_spent or tree.is_finished or (limits.clock and self.is_decided(tree, budget, done))):
            started = time.perf_counter()
            simulations = search.run(budget.slice_nodes())
            budget.count(simulations, time.perf_counter() - started)
            done += simulations
            if on_progress is not None and budget.progress_due():
                on_progress(self.report(tree, search, done, budget.seconds))
        if limits.moves is None:
            order, more = self.final_order(tree, search, done)
        else:
            order, more = tree.best_first(0), 0
        return self.report(tree, search, done + more, budget.seconds, order)

    def root_moves(self, position: Position, limits: Limits) -> tuple[Move, ...]:
        return root_moves(position, limits)

    def share_clock(self, limits: Limits, position: Position) -> Limits:
        """The limits with the game's estimate of the number of moves to go."""
        return limits

    def is_decided(self, tree: Tree, budget: Budget, done: int) -> bool:
        """Whether a search with a clock may end early."""
        return False

    def final_order(self, tree: Tree, search: SearchType, done: int) -> tuple[list[int], int]:
        """(the children of the root, best first; simulations added to find this out)."""
        return tree.best_first(0), 0

    def kernels_key(self, position: Position) -> Hashable:
        """Equal for positions whose searches use the same kernels."""
        return self.name, position.game.record

    def _compile_once(self, position: Position, moves: tuple[Move, ...]) -> None:
        """Compile all kernels of a search, including those used later, before its clock starts."""
        key = self.kernels_key(position)
        if key not in self._compiled:
            self.compile(position, moves)
            self._compiled.add(key)

    def compile(self, position: Position, moves: tuple[Move, ...]) -> None:
        tree = Tree(position, 2)
        self.start(tree, moves[:1], Resources()).expand_root()
        mcts.copy_subtree(0, tree.nodes, np.zeros(2, mcts.NODE), np.empty(2, np.int64))

    def _prepare_tree(self, position: Position, moves: tuple[Move, ...], simulations: int | None) -> Tree:
        """The reusable part of the last search's tree, or a new tree."""
        # Half of the memory: the other half is for the copy when the game continues.
        max_nodes = max(self.settings["memory"] * 1024 * 1024 // BYTES_PER_NODE // 2, len(moves) + 1)
        needed = max_nodes
        if simulations is not None:
            # A simulation expands at most one node, so a short search needs, and clears, less memory.
            most = (2 * simulations + EXTRA_SIMULATIONS) * position.game.max_legal_moves
            needed = min(max_nodes, len(moves) + 1 + most)
        if self.tree is not None and self.settings["reuse"]:
            reused = self.tree.advanced(position, min(max_nodes, int(self.tree.used[0]) + needed))
            if reused is not None and set(reused.root_column("move").tolist()) == set(moves):
                return reused
        return Tree(position, needed)

    def report(
        self, tree: Tree, search: SearchType, done: int, seconds: float, order: list[int] | None = None
    ) -> Report:
        """A report of the children of the root, best first or in the given order."""
        game = tree.position.game
        order = self.children_to_report(tree, order or tree.best_first(0))
        points = self.expected_points(tree, search)
        candidates = []
        visit_share: dict[Point, float | str] = {}
        rates: dict[Point, float | str] = {}
        total = max(1, int(tree.root_column("visits").sum()))
        for rank, child in enumerate(order):
            move, visits = tree.move(child), int(tree.nodes["visits"][child])
            line = tree.position.legal_part(tree.line(child)) if rank < MAX_FULL_LINES else [move]
            candidates.append(
                Candidate(
                    move=game.write_move(move),
                    value=self.value(tree, child),
                    line=tuple(tree.position.write_moves(line)),
                    visits=visits,
                    points=points.get(move),
                )
            )
            for point in game.points(move)[-1:]:
                visit_share[point] = float(visit_share.get(point, 0.0)) + visits / total
                if visits:
                    rates[point] = max(float(rates.get(point, 0.0)), tree.win_rate(child))
        return Report(
            engine=self.name,
            best=candidates[0].move,
            value=candidates[0].value,
            candidates=tuple(candidates),
            nodes=done,
            seconds=seconds,
            overlays=(
                Overlay.from_points("visits", visit_share),
                Overlay.from_points("win rate", rates),
                *self.overlays(tree, search, done),
            ),
        )

    def children_to_report(self, tree: Tree, order: list[int]) -> list[int]:
        return order[:MAX_CANDIDATES]

    def value(self, tree: Tree, child: int) -> Value:
        return tree.value(child)

    def expected_points(self, tree: Tree, search: SearchType) -> dict[Move, float]:
        """Expected margin of the side to move after each root move, if the engine estimates it."""
        return {}

    def overlays(self, tree: Tree, search: SearchType, done: int) -> tuple[Overlay, ...]:
        """Overlays besides visits and win rates."""
        return ()
