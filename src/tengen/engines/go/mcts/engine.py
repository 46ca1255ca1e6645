"""The default Go engine: Monte-Carlo tree search with Go knowledge in its playouts and priors."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from tengen.core.errors import EngineResigned
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines.go.board import Array
from tengen.engines.go.mcts.candidates import move_probabilities, sensible_moves
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
from tengen.engines.go.mcts.tree_search import GoTreeSearch, needs_reading
from tengen.engines.go.mcts.tunables import TUNABLES
from tengen.engines.go.network.files import shipped_network
from tengen.engines.go.solver.solver import solve_small_board
from tengen.games.go import PASS, Go
from tengen.search.engine import OnProgress
from tengen.search.kernels import mcts
from tengen.search.limits import Budget, Limits, StopFlag
from tengen.search.network.weights import Weights
from tengen.search.report import Overlay, Report, Value
from tengen.search.tree import Tree
from tengen.search.tree_engine import TreeEngine
from tengen.search.tree_search import Resources
from tengen.search.tunables import Tunable

RESIGN_SEARCHES = 3  # consecutive lost searches before the engine resigns
LEAST_PROBABILITY_SHOWN = 0.0005  # of a move, in the overlay of the policy
PASS_SIMULATIONS = 200  # minimum number of simulations of a pass before it is played


class GoEngine(TreeEngine[GoTreeSearch]):
    """Monte-Carlo tree search for Go: heavy playouts, RAVE and priors, several threads on one tree."""

    name: ClassVar[str] = "go"
    summary: ClassVar[str] = mark("Monte-Carlo tree search with knowledge of Go")
    max_threads: ClassVar[int] = 64
    tunables: ClassVar[tuple[Tunable, ...]] = TUNABLES

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.feature_weights: Array | None = None  # None: the shipped weights
        self.network: Weights | None = None  # None: the shipped network
        self._reader_is_compiled = False  # or will be before the next search
        self._lost_searches = 0  # consecutive searches below the resignation threshold
        self._last_position: Position | None = None
        self._random = np.random.default_rng(self.seed % (1 << 64))  # any whole number is a seed

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
        report = super().search(position, limits, stop=stop, on_progress=on_progress)
        self._check_resignation(position, report)
        return self._apply_error(report)

    def start(self, tree: Tree, moves: tuple[Move, ...], resources: Resources) -> GoTreeSearch:
        return GoTreeSearch(
            tree,
            moves,
            self.settings,
            resources,
            feature_weights=self.feature_weights,
            network=self._network(tree.position.game),
        )

    def _network(self, game: Game) -> Weights | None:
        """The network to use; None if it is switched off, or for larger boards, or if there is none."""
        assert isinstance(game, Go)
        if not self.settings["network"] or min(game.width, game.height) < self.settings["network_from"]:
            return None
        return self.network or shipped_network()

    def root_moves(self, position: Position, limits: Limits) -> tuple[Move, ...]:
        moves = super().root_moves(position, limits)
        return sensible_moves(position, moves) if limits.moves is None else moves

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

    def kernels_key(self, position: Position) -> Hashable:
        if self.settings["reading"] and not self._reader_is_compiled:
            self._reader_is_compiled = needs_reading(position)
        return super().kernels_key(position), self._reader_is_compiled, self._network(position.game) is not None

    def compile(self, position: Position, moves: tuple[Move, ...]) -> None:
        super().compile(position, moves)
        area_score(position)

    def share_clock(self, limits: Limits, position: Position) -> Limits:
        """Divide a clock without time controls among the expected number of remaining moves."""
        clock = limits.clock
        if clock is None or clock.moves_to_go is not None:
            return limits
        empty = int(position.state.empty_count)
        game = position.game
        assert isinstance(game, Go)
        moves_to_go = max(8, (empty - game.area // 5) // 2, game.area // 12)
        return replace(limits, clock=replace(clock, moves_to_go=moves_to_go))

    def is_decided(self, tree: Tree, budget: Budget, done: int) -> bool:
        """Whether no other move can catch up in the remaining time, which is then saved for later moves."""
        visits = np.sort(tree.root_column("visits"))
        if len(visits) < 2:
            return True
        seconds = budget.seconds
        # Each simulation adds a visit, and those with an evaluation by the network some more.
        most = done if self._network(tree.position.game) is None else done * (1 + self.settings["network_games"])
        return bool(seconds > 0.05 and visits[-1] - visits[-2] > most / seconds * budget.seconds_left)

    def final_order(self, tree: Tree, search: GoTreeSearch, done: int) -> tuple[list[int], int]:
        order = tree.best_first(0)  # before forced simulations of a pass distort the visits
        replacement, more = self._replace_redundant_move(tree, search, order, done)
        return sorted(order, key=lambda child: child != replacement), more

    def _replace_redundant_move(
        self, tree: Tree, search: GoTreeSearch, order: list[int], done: int
    ) -> tuple[int | None, int]:
        """Find a better child if the best move is redundant: one on an unsettled point, or a pass.

        Returns (the child to play instead or None, additional simulations).
        """
        game = tree.position.game
        assert isinstance(game, Go)
        position, best, rate, owners = tree.position, order[0], tree.win_rate(order[0]), search.ownership()
        passes = [child for child in order if tree.move(child) == PASS]
        if not passes or tree.nodes["proof"][0] != mcts.OPEN:
            return None, 0
        if not is_redundant(position, tree.move(best), owners):
            return None, 0
        unsettled = [
            child
            for child in order
            if child not in (best, passes[0])
            and tree.nodes["visits"][child] >= 10
            and abs(ownership_at(game, tree.move(child), owners)) < SETTLED_OWNERSHIP
        ]
        for child in unsettled:
            tried = tree.nodes["visits"][child] >= tree.nodes["visits"][0] // 50
            if tried and is_no_worse(tree.win_rate(child), rate):
                return child, 0
        if rate >= LOST_WIN_RATE and not wins_if_ended_now(position, owners):
            # A pass could end and lose the game, whatever playouts say: settle open borders first.
            return (unsettled[0] if unsettled else None), 0
        if best == passes[0]:
            return None, 0
        more = search.run(max(PASS_SIMULATIONS, done // 10), only_root_child=passes[0])
        # A stopped search has too few visits of the pass; a pass that ends the game needs none.
        visits, proof = tree.nodes["visits"][passes[0]], tree.nodes["proof"][passes[0]]
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
            raise EngineResigned(
                mark("{name} resigned: its win rate is {value:.0f} %").format(
                    name=self.name, value=100 * report.value.amount
                )
            )

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

    def children_to_report(self, tree: Tree, order: list[int]) -> list[int]:
        """The visited children; all if none was visited."""
        tried = [child for child in order if tree.nodes["visits"][child] > 0]
        if not tried or order[0] in tried:
            return tried or order
        return [order[0], *tried]  # a winning pass needs no visits

    def value(self, tree: Tree, child: int) -> Value:
        return Value.heuristic(_win_rate(tree, child), "win rate")

    def expected_points(self, tree: Tree, search: GoTreeSearch) -> dict[Move, float]:
        sign = 1 if tree.position.to_move == 0 else -1
        return {move: round(sign * score, 2) for move, score in search.scores().items()}

    def overlays(self, tree: Tree, search: GoTreeSearch, done: int) -> tuple[Overlay, ...]:
        owners = search.ownership()
        if done == 0 and tree.is_finished:  # a pass wins at once, so the search ran no playouts
            owners = np.array(list(ownership(tree.position).values()))
        game = tree.position.game
        likely = {
            game.points(move)[0]: round(share, 4)
            for move, share in move_probabilities(tree, self.settings).items()
            if share >= LEAST_PROBABILITY_SHOWN
        }
        return (
            _overlay("ownership", owners, game),
            _overlay("criticality", search.criticality(), game),
            Overlay.from_points("policy", dict(likely)),
        )


def _overlay(name: str, numbers: Array, game: Game) -> Overlay:
    assert isinstance(game, Go)
    points = ((column, row) for row in range(game.height) for column in range(game.width))
    return Overlay.from_points(name, dict(zip(points, np.round(numbers, 4).tolist(), strict=True)))


def _win_rate(tree: Tree, child: int) -> float:
    """Win rate of the player who made the move; 0 or 1 where the tree proved the result.

    The tree omits moves into own eyes and suicide, so this is never reported as a proof.
    """
    proof = int(tree.nodes["proof"][child])
    if proof == mcts.OPEN:
        return tree.win_rate(child)
    return 0.5 if proof == mcts.DRAWN else float(proof == tree.nodes["mover"][child] + 1)
