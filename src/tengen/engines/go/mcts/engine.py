"""The default Go engine: Monte-Carlo tree search with Go knowledge in its playouts and priors."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from tengen.core.diagram import Point
from tengen.core.errors import EngineResigned
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.engines.go.board import Array
from tengen.engines.go.mcts.candidates import sensible_moves
from tengen.engines.go.mcts.dead_stones import ownership
from tengen.engines.go.mcts.passing import (
    LOST_WIN_RATE,
    SETTLED_OWNERSHIP,
    area_score,
    is_no_worse,
    is_redundant,
    ownership_at,
    wins_if_ended_now,
)
from tengen.engines.go.mcts.tree_search import TreeSearch
from tengen.engines.go.mcts.tunables import TUNABLES
from tengen.engines.go.solver.solver import solve_small_board
from tengen.games.go import PASS, Go
from tengen.search.engine import Engine, OnProgress
from tengen.search.kernels import mcts
from tengen.search.limits import Budget, Limits, StopFlag, root_moves
from tengen.search.report import Candidate, Overlay, Report, Value
from tengen.search.tree import BYTES_PER_NODE, Tree
from tengen.search.tunables import Tunable

MAX_FULL_LINES = 10  # candidates reported with their whole line
RESIGN_SEARCHES = 3  # consecutive lost searches before the engine resigns
PASS_SIMULATIONS = 200  # minimum number of simulations of a pass before it is played


class GoEngine(Engine):
    """Monte-Carlo tree search for Go: heavy playouts, RAVE and priors, several threads on one tree."""

    name: ClassVar[str] = "go"
    summary: ClassVar[str] = "Monte-Carlo tree search with knowledge of Go"
    deepens: ClassVar[bool] = False
    max_threads: ClassVar[int] = 64
    tunables: ClassVar[tuple[Tunable, ...]] = TUNABLES

    _compiled: ClassVar[bool] = False

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.tree: Tree | None = None  # of the last search; the next search may reuse it
        self.feature_weights: Array | None = None  # None: the shipped weights
        self._lost_searches = 0  # consecutive searches below the resignation threshold
        self._last_position: Position | None = None
        self._random = np.random.default_rng(self.seed)

    @classmethod
    def plays(cls, game: Game) -> bool:
        return game.name == "go"

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
        if limits.moves is None:
            moves = sensible_moves(position, moves)
        stop = stop or StopFlag()
        self._compile(position)
        budget = Budget(_with_moves_to_go(limits, position), stop)
        tree, is_new = self._prepare_tree(position, moves, limits.nodes)
        self.tree = tree
        search = TreeSearch(
            position, tree, self.settings, self.threads, self.seed, stop, feature_weights=self.feature_weights
        )
        try:
            if is_new:
                search.expand_root(moves)
            done = self._simulate(tree, search, budget, limits, on_progress)
            order = tree.best_first(0)  # before forced simulations of a pass distort the visits
            if limits.moves is None:
                replacement, more = self._replace_redundant_move(tree, search, order, done)
                done += more
                order.sort(key=lambda child: child != replacement)
        finally:
            search.close()
        report = self._report(tree, search, done, budget.seconds, order)
        self._check_resignation(position, report)
        return self._apply_error(report)

    def solve(
        self,
        position: Position,
        *,
        wld: bool = False,
        every_move: bool = False,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        """Solve a small board, with a transposition table of `memory` megabytes."""
        return solve_small_board(
            position, self.settings["memory"], wld=wld, every_move=every_move, stop=stop, on_progress=on_progress
        )

    def _simulate(
        self, tree: Tree, search: TreeSearch, budget: Budget, limits: Limits, on_progress: OnProgress | None
    ) -> int:
        done = 0
        while not (
            budget.is_spent or _is_finished(tree) or (limits.clock and _is_best_move_certain(tree, budget, done))
        ):
            started = time.perf_counter()
            simulations = search.run(budget.slice_nodes())
            budget.count(simulations, time.perf_counter() - started)
            done += simulations
            if on_progress is not None and budget.progress_due():
                on_progress(self._report(tree, search, done, budget.seconds))
        return done

    def _compile(self, position: Position) -> None:
        """Compile every kernel of a search before its clock starts, including those for tree reuse."""
        if not GoEngine._compiled:
            tree, copy = Tree(position, 2), mcts.make_tree(2)
            search = TreeSearch(position, tree, self.settings, 1, 0, StopFlag())
            search.expand_root((PASS,))
            search.run(0)
            area_score(position)
            mcts.copy_subtree(0, tree.nodes, copy, np.empty(2, np.int64))
            GoEngine._compiled = True

    def _prepare_tree(
        self, position: Position, moves: tuple[Move, ...], simulations: int | None
    ) -> tuple[Tree, bool]:
        """(tree, whether it is new). A tree that is not new is the reusable part of the last search's tree."""
        # Half of the memory: the other half is for the copy when the game continues.
        max_nodes = max(self.settings["memory"] * 1024 * 1024 // BYTES_PER_NODE // 2, len(moves) + 1)
        # A simulation expands at most one node, so a short search needs, and clears, less memory.
        needed = (
            max_nodes
            if simulations is None
            else len(moves) + 1 + (2 * simulations + PASS_SIMULATIONS) * len(moves)
        )
        if self.tree is not None and self.settings["reuse"]:
            reused = self.tree.advanced(position, min(max_nodes, int(self.tree.used[0]) + needed))
            if reused is not None:
                children = reused.children(0)
                if set(reused.nodes[children.start : children.stop, mcts.MOVE].tolist()) == set(moves):
                    return reused, False
        return Tree(position, max(min(max_nodes, needed), len(moves) + 1)), True

    def _replace_redundant_move(
        self, tree: Tree, search: TreeSearch, order: list[int], done: int
    ) -> tuple[int | None, int]:
        """Find a better child if the best move is redundant: one on an unsettled point, or a pass.

        Returns (the child to play instead or None, additional simulations).
        """
        game = tree.position.game
        assert isinstance(game, Go)
        position, best, rate, owners = tree.position, order[0], tree.win_rate(order[0]), search.ownership()
        passes = [child for child in order if tree.nodes[child, mcts.MOVE] == PASS]
        if not passes or tree.nodes[0, mcts.PROOF] != mcts.OPEN:
            return None, 0
        if not is_redundant(position, Move(int(tree.nodes[best, mcts.MOVE])), owners):
            return None, 0
        unsettled = [
            child
            for child in order
            if child not in (best, passes[0])
            and tree.nodes[child, mcts.VISITS] >= 10
            and abs(ownership_at(game, Move(int(tree.nodes[child, mcts.MOVE])), owners)) < SETTLED_OWNERSHIP
        ]
        for child in unsettled:
            tried = tree.nodes[child, mcts.VISITS] >= tree.nodes[0, mcts.VISITS] // 50
            if tried and is_no_worse(tree.win_rate(child), rate):
                return child, 0
        if rate >= LOST_WIN_RATE and not wins_if_ended_now(position, owners):
            # A pass could end and lose the game, whatever playouts say: settle open borders first.
            return (unsettled[0] if unsettled else None), 0
        if best == passes[0]:
            return None, 0
        more = search.run(max(PASS_SIMULATIONS, done // 10), forced_child=passes[0])
        # A stopped search has too few visits of the pass; a pass that ends the game needs none.
        visits, proof = tree.nodes[passes[0], mcts.VISITS], tree.nodes[passes[0], mcts.PROOF]
        seen = visits >= PASS_SIMULATIONS // 2 or proof != mcts.OPEN
        return passes[0] if seen and is_no_worse(_win_rate(tree, passes[0]), rate) else None, more

    def _check_resignation(self, position: Position, report: Report) -> None:
        """Raise `EngineResigned` after `RESIGN_SEARCHES` consecutive lost searches of one game."""
        is_lost = report.value.amount < self.settings["resign"] and report.nodes > 0
        same_game = (
            self._last_position is not None
            and position.moves[: self._last_position.ply] == self._last_position.moves
        )
        self._last_position = position
        self._lost_searches = (self._lost_searches if same_game else 0) + 1 if is_lost else 0
        if self._lost_searches >= RESIGN_SEARCHES:
            self._lost_searches = 0
            raise EngineResigned(f"{self.name} resigned: its win rate is {100 * report.value.amount:.0f} %")

    def _apply_error(self, report: Report) -> Report:
        """Choose the best move after adding Gaussian noise of `error` to each win rate, to weaken the engine."""
        if not self.settings["error"] or report.best == "pass":
            return report
        moves = [one for one in report.candidates if one.visits > 0 and one.move != "pass"]
        if not moves:
            return report
        noise = self.settings["error"] * self._random.standard_normal(len(moves))
        chosen = moves[int(np.argmax([one.value.amount for one in moves] + noise))]
        others = tuple(candidate for candidate in report.candidates if candidate is not chosen)
        return replace(report, best=chosen.move, value=chosen.value, candidates=(chosen, *others))

    def _report(
        self, tree: Tree, search: TreeSearch, done: int, seconds: float, order: list[int] | None = None
    ) -> Report:
        """Report the visited moves, best first or in the given order; all moves if none was visited."""
        game = tree.position.game
        visit_share: dict[Point, float | str] = {}
        rates: dict[Point, float | str] = {}
        children = tree.children(0)
        total = max(1, int(tree.nodes[children.start : children.stop, mcts.VISITS].sum()))
        order = order or tree.best_first(0)
        tried = [child for child in order if tree.nodes[child, mcts.VISITS] > 0]
        if tried:
            order = tried if order[0] in tried else [order[0], *tried]  # a winning pass needs no visits
        owners = search.ownership()
        if done == 0 and _is_finished(tree):  # a pass wins at once, so the search ran no playouts
            owners = np.array(list(ownership(tree.position).values()))
        scores, sign = search.scores(), 1 if tree.position.to_move == 0 else -1
        candidates = []
        for rank, child in enumerate(order):
            move = Move(int(tree.nodes[child, mcts.MOVE]))
            visits = int(tree.nodes[child, mcts.VISITS])
            line = tree.position.legal_part(tree.line(child)) if rank < MAX_FULL_LINES else [move]
            value = Value.heuristic(_win_rate(tree, child), "win rate")
            candidates.append(
                Candidate(
                    game.write_move(move),
                    value,
                    tuple(tree.position.write_moves(line)),
                    visits,
                    points=round(sign * scores[move], 2) if move in scores else None,
                )
            )
            for point in game.points(move):
                visit_share[point] = visits / total
                if visits:
                    rates[point] = tree.win_rate(child)
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
                _overlay("ownership", owners, game),
                _overlay("criticality", search.criticality(), game),
            ),
        )


def _overlay(name: str, numbers: Array, game: Game) -> Overlay:
    assert isinstance(game, Go)
    points = ((column, row) for row in range(game.height) for column in range(game.width))
    return Overlay.from_points(name, dict(zip(points, np.round(numbers, 4).tolist(), strict=True)))


def _win_rate(tree: Tree, child: int) -> float:
    """Win rate of the player who made the move; 0 or 1 where the tree proved the result.

    The tree omits moves into own eyes and suicide, so this is never reported as a proof.
    """
    proof = int(tree.nodes[child, mcts.PROOF])
    if proof == mcts.OPEN:
        return tree.win_rate(child)
    return 0.5 if proof == mcts.DRAWN else float(proof == tree.nodes[child, mcts.MOVER] + 1)


def _is_finished(tree: Tree) -> bool:
    """Whether more simulations are useless: the root is proved, or its counters are at their maximum."""
    return bool(tree.nodes[0, mcts.PROOF] != mcts.OPEN or tree.nodes[0, mcts.VISITS] >= mcts.MAX_VISITS)


def _is_best_move_certain(tree: Tree, budget: Budget, done: int) -> bool:
    """Whether no other move can catch up in the remaining time, which is then saved for later moves."""
    children = tree.children(0)
    if len(children) < 2:
        return True
    visits = np.sort(tree.nodes[children.start : children.stop, mcts.VISITS])
    seconds = budget.seconds
    return seconds > 0.05 and visits[-1] - visits[-2] > done / seconds * budget.seconds_left


def _with_moves_to_go(limits: Limits, position: Position) -> Limits:
    """Divide a clock without time controls among the expected number of remaining moves."""
    clock = limits.clock
    if clock is None or clock.moves_to_go is not None:
        return limits
    empty = int(position.state.empty_count)
    game = position.game
    assert isinstance(game, Go)
    moves_to_go = max(8, (empty - game.area // 5) // 2, game.area // 12)
    return replace(limits, clock=replace(clock, moves_to_go=moves_to_go))
