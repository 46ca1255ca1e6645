"""The group reader: life and death of groups in open positions, by local Monte-Carlo tree search.

A result is an estimate, never a proof. The exact searches of `reading.life` come first where they apply.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tengen.core.position import Position
from tengen.engines.go.board import Array, Geometry, geometry_for
from tengen.engines.go.groups.kernels.group_search import SETTINGS, GroupSearch, list_root_moves
from tengen.engines.go.kernels.board import EMPTY, NOWHERE, Arrays
from tengen.engines.go.mcts.feature_weights import load_feature_weights, policy_data
from tengen.engines.go.mcts.playouts import DEFAULT_RATES, playout_data
from tengen.engines.go.reading.point_sets import PointSet, list_points
from tengen.engines.go.reading.tactics import ATTACK_KO_MODES, DEFENCE_KO_MODES, ReadResult, Result
from tengen.games.go import PASS, Go
from tengen.search.kernels.mcts import OPEN, simulate
from tengen.search.tree import Tree
from tengen.search.tree_search import Resources, base_data

MAX_SIMULATIONS = 5000  # of all moves together, and again of the most promising ones
STEP = 1000  # simulations between two looks at the result
FINALISTS = 3  # moves that are examined separately if the result is unclear
# A search ends early if the win rate of the side to move is outside these limits after some simulations.
CLEAR_RATES = ((1000, 0.06, 0.92), (2000, 0.12, 0.85), (5000, 0.18, 0.75))
# From these win rates on, the side to move succeeds. They are not equal because in playouts more groups live than
# with best play; they were chosen on test questions (docs/measurements/go-reading.md).
MIN_ATTACK_RATE = 0.4
MIN_DEFENCE_RATE = 0.52
CERTAIN_RATE = 0.75  # with more, a ko is not considered
MIN_KO_RATE = 0.5
MIN_KO_GAIN = 0.25  # by which the win rate must grow if a ko may be retaken
MIN_KO_SHARE = 0.02  # of simulations with a ko in the tree; with less, kos do not matter
HIGH_KO_SHARE = 0.2
MAX_PLAYOUT_LENGTH = 300
NODES_PER_SIMULATION = 12
PLAYOUT_RATES = {
    **DEFAULT_RATES,
    "captures": 1.0,
    "escapes": 1.0,
    "nakade": 1.0,
    "patterns": 1.0,
    "self_atari": 0.4,
}
RACE_PLAYOUT_RATES = {**PLAYOUT_RATES, "self_atari": 0.9}  # a seki lasts only if neither side plays self-atari
RACE_RATE = 0.5  # in a capturing race
TREE_SETTINGS = {
    "exploration": 0.0,
    "rave": 1000.0,
    "expand_after": 3,
    "playout_length": MAX_PLAYOUT_LENGTH,
    "prior_games": 6.0,
    "policy_games": 30.0,
    "race_rate": 0.0,
}


@dataclass(frozen=True)
class GroupResult(ReadResult):
    """Result of a query with the win rate behind it: that of the side that moves first, without a ko."""

    win_rate: float = 0.0


@dataclass(frozen=True)
class Estimate:
    """Result of one search: the win rate of the side to move and its best move."""

    win_rate: float
    move: int
    simulations: int
    ko_share: float  # kos in the tree per simulation


class GroupReader:
    """Local searches in one position."""

    def __init__(self, position: Position, max_simulations: int = MAX_SIMULATIONS) -> None:
        assert isinstance(position.game, Go)
        self.position = position
        self.geometry = geometry_for(position.game)
        self.max_simulations = max_simulations

    def read(self, target: int, zone: PointSet, *, attacking: bool, rival: int = 0) -> GroupResult:
        """Whether the attacker, or the owner, of the group with a stone on `target` succeeds by moving first.

        With `rival`, a stone of the attacker's group, the side whose stone is captured first loses.
        """
        (_, strict), (_, neutral), (_, lenient) = ATTACK_KO_MODES if attacking else DEFENCE_KO_MODES
        plain = self.search(target, zone, strict, attacking=attacking, rival=rival)
        spent, result = plain.simulations, Result.FAILS
        if plain.win_rate >= (MIN_ATTACK_RATE if attacking else MIN_DEFENCE_RATE):
            result = Result.WORKS
        found = plain
        if plain.ko_share >= MIN_KO_SHARE and plain.win_rate < CERTAIN_RATE:
            favourable = self.search(target, zone, lenient, attacking=attacking, rival=rival)
            spent += favourable.simulations
            bad = _needs_ko(plain, favourable)
            if bad or plain.ko_share >= HIGH_KO_SHARE:  # the second search is a chance for what the first missed
                even = self.search(target, zone, neutral, attacking=attacking, rival=rival)
                spent += even.simulations
                if _needs_ko(plain, even):
                    result, found = Result.GOOD_KO, even
                elif bad:
                    result, found = Result.BAD_KO, favourable
        if result is Result.FAILS:
            return GroupResult(result, conclusive=False, nodes=spent, win_rate=plain.win_rate)
        return GroupResult(result, found.move, (found.move,), False, spent, plain.win_rate)

    def search(self, target: int, zone: PointSet, ko_mode: int, *, attacking: bool, rival: int = 0) -> Estimate:
        """Search with one ko mode."""
        root = self._root(target, zone, attacking=attacking)
        mover, owner = int(root.state[0].turn), int(root.colour[target])
        tree = Tree(self.position, 2 * self.max_simulations * NODES_PER_SIMULATION)
        tree.nodes[0].mover = 2 - mover
        playout_rates = RACE_PLAYOUT_RATES if rival else PLAYOUT_RATES
        search = self._data(tree, root, _settings(target, 3 - owner, ko_mode, rival), playout_rates)
        done, rate = self._explore(tree, search)
        best = tree.best_first(0)
        if tree.nodes[0].proof != OPEN:
            rate = float(tree.nodes[0].proof == mover)
        elif best and not _is_clear(rate, done):
            examined = [(*self._examine(tree, search, child), child) for child in best[:FINALISTS]]
            done += sum(simulations for _, simulations, _ in examined)
            rate, _, child = max(examined)
            best = [child]
        move = int(self.geometry.from_rules[tree.move(best[0])]) if best else int(NOWHERE)
        return Estimate(rate, move, done, int(search.ko_seen[0]) / max(1, done))

    def _root(self, target: int, zone: PointSet, *, attacking: bool) -> Arrays:
        """The board with the zone, and the attacker or the owner to move."""
        root = self.geometry.board_from(self.position)
        state, owner = root.state[0], int(root.colour[target])
        mover = 3 - owner if attacking else owner
        if state.turn != mover:
            state.turn, state.ko = mover, NOWHERE
        state.passes = state.handicap = 0
        state.last_move = state.previous_move = NOWHERE
        _restrict(root, list_points(zone))
        return root

    def _explore(self, tree: Tree, search: GroupSearch) -> tuple[int, float]:
        """Search all moves; returns the number of simulations and the win rate of the side to move."""
        done, rate = 0, 0.5
        while done < self.max_simulations and not tree.is_finished and not _is_clear(rate, done):
            done += simulate(search, STEP, 0)
            rate = 1.0 - tree.win_rate(0)
        return done, rate

    def _examine(self, tree: Tree, search: GroupSearch, child: int) -> tuple[float, int]:
        """Search one move; returns its win rate in these simulations alone, and their number."""
        node = tree.nodes[child]
        wins, visits = int(node.wins), int(node.visits)
        done = simulate(search, self.max_simulations // FINALISTS, child)
        if node.proof != OPEN:
            return float(node.proof == node.mover + 1), done
        return (int(node.wins) - wins) / (2 * max(1, int(node.visits) - visits)), done

    def _data(self, tree: Tree, root: Arrays, settings: Array, rates: Mapping[str, float]) -> GroupSearch:
        geometry = self.geometry
        moves = np.zeros(geometry.points, np.int64)
        count = list_root_moves(root, *geometry.tables, moves)
        (base,) = base_data(
            tree,
            settings,
            moves[:count].copy(),
            Resources(),
            playout_length=MAX_PLAYOUT_LENGTH,
            ignored_move=int(PASS),
        )
        return GroupSearch(
            root=root,
            board=geometry.new_board(),
            ladder_board=geometry.new_board(),
            tables=geometry.tables,
            playout=playout_data(geometry, rates, base.played, base.rng),
            policy=policy_data(geometry, load_feature_weights()),
            from_rules=geometry.from_rules,
            outside=_outside_zone(root, geometry),
            ko_seen=np.zeros(1, np.int64),
            base=base,
        )


def _is_clear(rate: float, simulations: int) -> bool:
    return any(simulations >= least and not low < rate < high for least, low, high in CLEAR_RATES)


def _needs_ko(plain: Estimate, with_ko: Estimate) -> bool:
    """Whether the side to move succeeds only by a ko."""
    return with_ko.win_rate >= MIN_KO_RATE and with_ko.win_rate - plain.win_rate >= MIN_KO_GAIN


def _settings(target: int, attacker: int, ko_mode: int, rival: int) -> Array:
    record = np.zeros(1, SETTINGS)
    for name, value in TREE_SETTINGS.items():
        record[name] = value
    if rival:
        record["race_rate"] = RACE_RATE
    record["group_target"], record["attacker"], record["ko_mode"] = target, attacker, ko_mode
    record["rival"] = rival
    return record


def _restrict(board: Arrays, points: list[int]) -> None:
    """Leave only these points in the list of empty points."""
    board.empties[: len(points)] = points
    board.empty_index[:] = len(board.empty_index) - 1
    board.empty_index[points] = np.arange(len(points))
    board.state[0].empty_count = len(points)


def _outside_zone(board: Arrays, geometry: Geometry) -> Array:
    """The empty points that are missing in the list of empty points, as a bit set like the liberties."""
    outside = board.colour == EMPTY
    outside[board.empties[: board.state[0].empty_count]] = False
    bits = np.zeros(64 * geometry.words, bool)
    bits[: len(outside)] = outside
    return np.packbits(bits, bitorder="little").view(np.uint64)
