"""The Go player: Monte-Carlo tree search with knowledge in its playouts and priors."""

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
    LOST,
    SETTLED,
    area_score,
    is_as_good,
    is_needless,
    owner_at,
    wins_as_it_stands,
)
from tengen.engines.go.mcts.tree_search import Workers
from tengen.engines.go.mcts.tunables import TUNABLES
from tengen.engines.go.solver.solver import solve_small_board
from tengen.games.go import PASS, Go
from tengen.search.engine import Engine, OnProgress
from tengen.search.kernels import mcts
from tengen.search.limits import Budget, Limits, StopFlag, root_moves
from tengen.search.report import Candidate, Overlay, Report, Value
from tengen.search.tree import BYTES_PER_NODE, Tree
from tengen.search.tunables import Tunable

LINES_SHOWN = 10  # candidates whose whole line is reported
PATIENCE = 3  # searches in a row that must look lost before it resigns
PASS_GAMES = 200  # simulations, at least, that look at a pass before it is played


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
        self.tree: Tree | None = None  # of the last search: for pictures, and for the next one
        self.gammas: Array | None = None  # weights of looks, where not those that ship
        self._hopeless = 0  # searches in a row that looked lost
        self._before: Position | None = None  # what was searched last
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
        budget = Budget(_with_pace(limits, position), stop)
        tree, is_new = self._plant(position, moves, limits.nodes)
        self.tree = tree
        workers = Workers(position, tree, self.settings, self.threads, self.seed, stop, gammas=self.gammas)
        try:
            if is_new:
                workers.plant(moves)
            done = self._simulate(tree, workers, budget, limits, on_progress)
            order = tree.best_first(0)  # before a pass gets visits only because it is looked at
            if limits.moves is None:
                instead, more = self._instead(tree, workers, order, done)
                done += more
                order.sort(key=lambda child: child != instead)
        finally:
            workers.close()
        report = self._report(tree, workers, done, budget.seconds, order)
        self._consider_resigning(position, report)
        return self._as_a_person(report)

    def solve(
        self,
        position: Position,
        *,
        wld: bool = False,
        every_move: bool = False,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        """Small boards have a solver of their own, with a table of `memory` megabytes."""
        return solve_small_board(
            position,
            self.settings["memory"],
            wld=wld,
            every_move=every_move,
            stop=stop,
            on_progress=on_progress,
        )

    def _simulate(
        self, tree: Tree, workers: Workers, budget: Budget, limits: Limits, on_progress: OnProgress | None
    ) -> int:
        done = 0
        while not (budget.is_spent or _is_finished(tree) or (limits.clock and _is_decided(tree, budget, done))):
            started = time.perf_counter()
            simulations = workers.run(budget.slice_nodes())
            budget.count(simulations, time.perf_counter() - started)
            done += simulations
            if on_progress is not None and budget.progress_due():
                on_progress(self._report(tree, workers, done, budget.seconds))
        return done

    def _compile(self, position: Position) -> None:
        """Compile all that a search needs before its clock starts; the copying of a tree comes only later."""
        if not GoEngine._compiled:
            tree, copy = Tree(position, 2), mcts.make_tree(2)
            workers = Workers(position, tree, self.settings, 1, 0, StopFlag())
            workers.plant((PASS,))
            workers.run(0)
            area_score(position)
            mcts.copy_subtree(0, tree.nodes, copy, np.empty(2, np.int64))
            GoEngine._compiled = True

    def _plant(self, position: Position, moves: tuple[Move, ...], simulations: int | None) -> tuple[Tree, bool]:
        """The tree to go on with, and whether it is a new one: else it is what is left of the last."""
        # Half of the memory: the other half is for the copy when the game goes on.
        most = max(self.settings["memory"] * 1024 * 1024 // BYTES_PER_NODE // 2, len(moves) + 1)
        # A simulation expands one node at most: a short search needs, and clears, less memory.
        room = most if simulations is None else len(moves) + 1 + (2 * simulations + PASS_GAMES) * len(moves)
        if self.tree is not None and self.settings["reuse"]:
            kept = self.tree.advanced(position, min(most, int(self.tree.used[0]) + room))
            if kept is not None:
                children = kept.children(0)
                if set(kept.nodes[children.start : children.stop, mcts.MOVE].tolist()) == set(moves):
                    return kept, False
        return Tree(position, max(min(most, room), len(moves) + 1)), True

    def _instead(self, tree: Tree, workers: Workers, order: list[int], done: int) -> tuple[int | None, int]:
        """The child to play in place of a needless best move: one where something is open, or a pass.

        Also how many simulations it took to find out.
        """
        game = tree.position.game
        assert isinstance(game, Go)
        position, best, rate, owners = tree.position, order[0], tree.win_rate(order[0]), workers.ownership()
        passes = [child for child in order if tree.nodes[child, mcts.MOVE] == PASS]
        if not passes or tree.nodes[0, mcts.PROOF] != mcts.OPEN:
            return None, 0
        if not is_needless(position, Move(int(tree.nodes[best, mcts.MOVE])), owners):
            return None, 0
        borders = [
            child
            for child in order
            if child not in (best, passes[0])
            and tree.nodes[child, mcts.VISITS] >= 10
            and abs(owner_at(game, Move(int(tree.nodes[child, mcts.MOVE])), owners)) < SETTLED
        ]
        for child in borders:
            tried = tree.nodes[child, mcts.VISITS] >= tree.nodes[0, mcts.VISITS] // 50
            if tried and is_as_good(tree.win_rate(child), rate):
                return child, 0
        if rate >= LOST and not wins_as_it_stands(position, owners):
            # Whatever playouts make of it, a pass could end the game, and lose it: what is open comes first.
            return (borders[0] if borders else None), 0
        if best == passes[0]:
            return None, 0
        more = workers.run(max(PASS_GAMES, done // 10), forced=passes[0])
        # A search that is stopped has not looked at the pass; one that ends the game needs no more than a look.
        visits, proof = tree.nodes[passes[0], mcts.VISITS], tree.nodes[passes[0], mcts.PROOF]
        seen = visits >= PASS_GAMES // 2 or proof != mcts.OPEN
        return passes[0] if seen and is_as_good(_proved_rate(tree, passes[0]), rate) else None, more

    def _consider_resigning(self, position: Position, report: Report) -> None:
        """Raise `EngineResigned` after several searches in a game that look lost, if it is set to do so."""
        hopeless = report.value.amount < self.settings["resign"] and report.nodes > 0
        goes_on = self._before is not None and position.moves[: self._before.ply] == self._before.moves
        self._before = position
        self._hopeless = (self._hopeless if goes_on else 0) + 1 if hopeless else 0
        if self._hopeless >= PATIENCE:
            self._hopeless = 0
            raise EngineResigned(f"{self.name} resigned: it wins {100 * report.value.amount:.0f} % of its games")

    def _as_a_person(self, report: Report) -> Report:
        """With an `error`: the move that seems best to somebody who misjudges each by so much."""
        if not self.settings["error"] or report.best == "pass":
            return report
        moves = [one for one in report.candidates if one.visits > 0 and one.move != "pass"]
        if not moves:
            return report
        blur = self.settings["error"] * self._random.standard_normal(len(moves))
        chosen = moves[int(np.argmax([one.value.amount for one in moves] + blur))]
        others = tuple(candidate for candidate in report.candidates if candidate is not chosen)
        return replace(report, best=chosen.move, value=chosen.value, candidates=(chosen, *others))

    # ---- what it says

    def _report(
        self, tree: Tree, workers: Workers, done: int, seconds: float, order: list[int] | None = None
    ) -> Report:
        """Of the moves that were tried, the best first, or in this order; of all if none was."""
        game = tree.position.game
        heat: dict[Point, float | str] = {}
        rates: dict[Point, float | str] = {}
        children = tree.children(0)
        total = max(1, int(tree.nodes[children.start : children.stop, mcts.VISITS].sum()))
        order = order or tree.best_first(0)
        tried = [child for child in order if tree.nodes[child, mcts.VISITS] > 0]
        if tried:
            order = tried if order[0] in tried else [order[0], *tried]  # a pass that wins at once needs no visits
        owners = workers.ownership()
        if done == 0 and _is_finished(tree):  # a pass wins at once: playouts tell what else there is to know
            owners = np.array(list(ownership(tree.position).values()))
        scores, sign = workers.scores(), 1 if tree.position.to_move == 0 else -1
        candidates = []
        for rank, child in enumerate(order):
            move = Move(int(tree.nodes[child, mcts.MOVE]))
            visits = int(tree.nodes[child, mcts.VISITS])
            line = tree.position.legal_part(tree.line(child)) if rank < LINES_SHOWN else [move]
            value = Value.heuristic(_proved_rate(tree, child), "win rate")
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
                heat[point] = visits / total
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
                Overlay.from_points("visits", heat),
                Overlay.from_points("win rate", rates),
                _overlay("ownership", owners, game),
                _overlay("criticality", workers.criticality(), game),
            ),
        )


def _overlay(name: str, numbers: Array, game: Game) -> Overlay:
    assert isinstance(game, Go)
    points = ((column, row) for row in range(game.height) for column in range(game.width))
    return Overlay.from_points(name, dict(zip(points, np.round(numbers, 4).tolist(), strict=True)))


def _proved_rate(tree: Tree, child: int) -> float:
    """The win rate of a node's mover; certain where the game ends so, as far as this search looks.

    It leaves out moves into own eyes and suicide, so it never claims a proof.
    """
    proof = int(tree.nodes[child, mcts.PROOF])
    if proof == mcts.OPEN:
        return tree.win_rate(child)
    return 0.5 if proof == mcts.DRAWN else float(proof == tree.nodes[child, mcts.MOVER] + 1)


def _is_finished(tree: Tree) -> bool:
    """Whether more simulations are of no use: the root is proved, or its counts are as high as they may be."""
    return bool(tree.nodes[0, mcts.PROOF] != mcts.OPEN or tree.nodes[0, mcts.VISITS] >= mcts.MAX_VISITS)


def _is_decided(tree: Tree, budget: Budget, done: int) -> bool:
    """Whether no other move can catch up in the time left: then that is kept for later moves."""
    children = tree.children(0)
    if len(children) < 2:
        return True
    visits = np.sort(tree.nodes[children.start : children.stop, mcts.VISITS])
    seconds = budget.seconds
    return seconds > 0.05 and visits[-1] - visits[-2] > done / seconds * budget.seconds_left


def _with_pace(limits: Limits, position: Position) -> Limits:
    """A clock without controls is shared out among the moves that are likely to come."""
    clock = limits.clock
    if clock is None or clock.moves_to_go is not None:
        return limits
    empty = int(position.state.empty_count)
    game = position.game
    assert isinstance(game, Go)
    to_come = max(8, (empty - game.area // 5) // 2, game.area // 12)
    return replace(limits, clock=replace(clock, moves_to_go=to_come))
