"""Solve boards exactly: the winner for either player moving first, and the winning moves.

Read in this order: `kernels/subgames` (boards are split into subgames), `kernels/subgame_values` (their values),
`kernels/sums` (sums of both), then the two search methods: `kernels/proof_number_search`, the default, and
`kernels/iterative_deepening`, the original design.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from tengen.core.errors import OptionError
from tengen.core.interrupt import stopping_when
from tengen.core.values import GameValue, Stopped
from tengen.engines.clobber.bound_refinement import BoundRefiner
from tengen.engines.clobber.kernels import iterative_deepening as deepening
from tengen.engines.clobber.kernels import operations as tasks
from tengen.engines.clobber.kernels import proof_number_search as proving
from tengen.engines.clobber.kernels import simplest_sums as links
from tengen.engines.clobber.kernels import sums as slots
from tengen.engines.clobber.kernels.subgames import CLOBBER, SUBGAMES
from tengen.engines.clobber.solver_options import (
    FIRST_LEAVES,
    LEAF_GROWTH,
    SECOND_LEAVES,
    UNLIMITED_DEPTH,
    SolverOptions,
)
from tengen.engines.clobber.workspace import Array, TableFull, Workspace
from tengen.games.clobber.board import colour_swapped, read_board
from tengen.games.rulesets.ruleset import write_cell
from tengen.search.limits import StopFlag

NODES_PER_SLICE = 1024  # nodes between checks of the clock and of Ctrl-C
LEAST_NODES_BETWEEN = 2 * NODES_PER_SLICE  # clearings of the memory; with fewer, a search makes little progress


@dataclass(frozen=True)
class SearchLimits:
    """Limits of a search: nodes, seconds and a stop flag; the first one reached ends it."""

    nodes: float = math.inf
    seconds: float = math.inf
    stop: StopFlag | None = None


class LimitWatcher:
    """Checks time limit and stop flag of a search that starts now, and sets the stop flag of the kernels."""

    def __init__(self, limits: SearchLimits, stop_flag: Array) -> None:
        """`stop_flag` is the array that kernels poll."""
        self._stop = limits.stop
        self._deadline = time.perf_counter() + limits.seconds
        self._stop_flag = stop_flag

    @property
    def is_over(self) -> bool:
        stopped = self._stop is not None and self._stop.is_set
        return stopped or time.perf_counter() >= self._deadline

    def check(self) -> None:
        """Raise `Stopped` if a limit is reached."""
        if self.is_over:
            raise Stopped

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Check the limits in another thread while this block runs, for long kernel calls."""
        if self._stop is None and self._deadline == math.inf:
            yield
            return
        self.check()
        with stopping_when(lambda: self.is_over, self._stop_flag):
            yield


def after_moves(board: str, mover: str) -> dict[tuple[int, int], str]:
    """The board after each move, by the cells it moves from and to."""
    rows = read_board(board).split("/")
    width, text = len(rows[0]), "".join(rows)
    enemy = "O" if mover == "X" else "X"
    found = {}
    for cell, stone in enumerate(text):
        if stone != mover:
            continue
        row, column = divmod(cell, width)
        for near, fits in (
            (cell - 1, column > 0),
            (cell + 1, column + 1 < width),
            (cell - width, row > 0),
            (cell + width, row + 1 < len(rows)),
        ):
            if fits and text[near] == enemy:
                cells = list(text)
                cells[cell], cells[near] = ".", mover
                after = "".join(cells)
                found[cell, near] = "/".join(after[at : at + width] for at in range(0, len(after), width))
    return found


def write_move(board: str, move: tuple[int, int]) -> str:
    """A move, given by its cells from the top left, as players write it: `2-1` on a strip, `b1-b2` on a board."""
    rows = read_board(board).split("/")
    return "-".join(write_cell(cell, len(rows[0]), len(rows)) for cell in move)


class Solver:
    """Solves sums and keeps all results for later searches."""

    def __init__(
        self,
        solver_options: SolverOptions | None = None,
        *,
        megabytes: int = 1024,
        workspace: Workspace | None = None,
    ) -> None:
        self.options = solver_options or SolverOptions()
        self.workspace = workspace or Workspace(megabytes)
        self.control = self.options.control()
        self.memory_ran_out = False  # during the last search
        # Of the sum that exhausted the memory, whose search data was then cleared.
        self._lost_proof_numbers: dict[tuple[int, ...], tuple[int, int]] = {}
        self._links: links.SimplestSums | None = None
        self._bound_refiner = BoundRefiner(self)

    def compile_kernels(self) -> None:
        """Compile all kernels of proof-number search, before a clock starts."""
        self.workspace.compile_kernels()

    # ---- statistics

    @property
    def nodes(self) -> int:
        return int(self.control[slots.NODES])

    @property
    def leaves(self) -> int:
        return int(self.control[slots.LEAVES])

    @contextmanager
    def limited(self, limits: SearchLimits | None) -> Iterator[LimitWatcher]:
        """Within this block, kernels stop when a limit is reached. Raises `Stopped` then."""
        watcher = LimitWatcher(limits or SearchLimits(), self.workspace.forms.stop)
        with watcher.watching():
            yield watcher

    def value(self, board: str, limits: SearchLimits | None = None) -> GameValue:
        """The exact value of a board. Raises `Stopped`."""
        with self.limited(limits):
            return self.workspace.value(board)

    # ---- who wins

    def make_room(self) -> None:
        """Begin a question: forget subgames and sums of earlier ones if they take much memory."""
        if self.workspace.make_room():
            self._bound_refiner = BoundRefiner(self)
            self._links = None

    def mover_wins(self, board: str, mover: str = "X", limits: SearchLimits | None = None) -> bool | None:
        """Whether the player to move wins; None if a limit was reached or memory ran out."""
        self.make_room()
        board = board if mover == "X" else colour_swapped(board)
        return self.left_wins(self.workspace.subgames_of(board), limits)

    def outcome(self, board: str, limits: SearchLimits | None = None) -> str | None:
        """The outcome class L, R, N or P; None if a limit was reached."""
        self.make_room()
        subgames = self.workspace.subgames_of(board)
        left = self.left_wins(subgames, limits)
        right = self.left_wins(self.workspace.subgames.negative[subgames].astype(np.int64), limits)
        if left is None or right is None:
            return None
        return {(True, True): "N", (True, False): "L", (False, True): "R", (False, False): "P"}[left, right]

    def move_verdicts(self, board: str, mover: str, limits: SearchLimits | None = None) -> dict[str, bool | None]:
        """Whether each move, written as players write it (`2-1`, `b1-b2`), wins; None if unknown."""
        other = "O" if mover == "X" else "X"
        verdicts: dict[str, bool | None] = {}
        for move, after in after_moves(board, mover).items():
            reply = self.mover_wins(after, other, limits)
            verdicts[write_move(board, move)] = None if reply is None else not reply
        return verdicts

    def winning_moves(self, board: str, mover: str, limits: SearchLimits | None = None) -> list[str]:
        """The moves that win. Raises `OptionError` if a limit was reached before all moves were solved."""
        verdicts = self.move_verdicts(board, mover, limits)
        unknown = [move for move, wins in verdicts.items() if wins is None]
        if unknown:
            raise OptionError(f"{len(unknown)} moves were not solved within the limits, {unknown[0]} among them")
        return [move for move, wins in verdicts.items() if wins]

    # ---- searching

    def left_wins(
        self, subgames: Array, limits: SearchLimits | None = None, *, plus: Iterable[GameValue] = ()
    ) -> bool | None:
        """Whether Left, to move, wins the sum of these subgames and of the values `plus`; None if unknown."""
        limits = limits or SearchLimits()
        plus = list(plus)
        self.memory_ran_out = False
        try:
            with self.limited(limits) as watcher:
                if self.options.method == "proof":
                    before = self.nodes
                    self.begin()
                    if self.options.bounds:
                        self._refine_bounds(subgames, limits.nodes, watcher)
                    return self._prove(self._all_components(subgames, plus), before + limits.nodes, watcher)
                if plus:
                    raise OptionError("only proof-number search (method=proof) supports additional values")
                sum_id = self.sum_of_components([2 * int(subgame) for subgame in subgames])
                return self._deepen(sum_id, subgames, limits)
        except Stopped:
            return None
        except TableFull:
            self.memory_ran_out = True
            components = tuple(self._all_components(subgames, plus))
            try:
                self._lost_proof_numbers = {components: self.proof_numbers(subgames, plus)}
            except TableFull:  # no space even for the sum itself
                self._lost_proof_numbers = {}
            self.workspace.clear_sums()
            self._links = None
            return None

    def _prove(self, components: list[int], last: float, watcher: LimitWatcher) -> bool | None:
        """Whether Left wins a sum, in bounded memory; None after `last` nodes.

        Raises `TableFull` and `Stopped`.
        """
        space = self.workspace
        mark = space.mark()
        while True:
            started = self.nodes
            try:
                sum_id = self.sum_of_components(components)
                return self.prove_sum(sum_id, last - self.nodes, watcher, bounded=True)
            except TableFull:
                if self.nodes - started < LEAST_NODES_BETWEEN:
                    raise
                space.save_and_clear(mark)

    def _refine_bounds(self, subgames: Array, nodes: float, watcher: LimitWatcher) -> None:
        try:
            self._bound_refiner.refine(subgames, nodes, watcher)
        except TableFull:  # keep the bounds found so far, and free the memory for the search of the board
            self.workspace.clear_sums()

    def proof_numbers(self, subgames: Array, plus: Iterable[GameValue] = ()) -> tuple[int, int]:
        """Proof and disproof numbers: minimum numbers of sums to solve to prove that Left, to move, wins or
        loses.
        """
        components = self._all_components(subgames, plus)
        row = self.workspace.sums.search_data[self.sum_of_components(components)]
        proof, disproof = self._lost_proof_numbers.get(tuple(components), (1, 1))
        return max(proof, int(row[slots.PROOF])), max(disproof, int(row[slots.DISPROOF]))

    def _all_components(self, subgames: Array, plus: Iterable[GameValue]) -> list[int]:
        return [*self.components(subgames), *(2 * value.form + 1 for value in plus)]

    def components(self, subgames: Array) -> list[int]:
        """Subgames as components for proof-number search: short ones are replaced by their values."""
        space = self.workspace
        sizes = space.subgames.size[subgames]
        flat = space.subgames.height[subgames] == 1
        kinds = space.subgames.kind[subgames]
        largest = np.where(flat, self.control[slots.SHORT], self.control[slots.SHORT_BOARD])
        largest = np.where(kinds == CLOBBER, largest, self.control[slots.SHORT_OF_KIND + kinds])
        short = sizes <= largest
        values = space.values_of(subgames[short])
        return [*(2 * int(form) + 1 for form in values), *(2 * int(subgame) for subgame in subgames[~short])]

    def sum_of_board(self, board: str) -> int:
        """The sum of the subgames of a board."""
        return self.sum_of_components(self.components(self.workspace.subgames_of(board)))

    def decide_sum(self, sum_id: int, watcher: LimitWatcher | None = None) -> int:
        """Solve a sum, without limits unless there is a watcher; return WON or LOST. Raises `Stopped`."""
        self.prove_sum(sum_id, math.inf, watcher or LimitWatcher(SearchLimits(), self.workspace.forms.stop))
        return int(self.workspace.sums.result[sum_id])

    def sum_of_components(self, components: list[int]) -> int:
        """The simplified sum of components, as the search creates it."""
        space = self.workspace
        listed = np.array(components, np.int64)
        while (sum_id := space.run_operation(tasks.SUM, listed, control=self.control)) < 0:
            space.grow()
        return sum_id

    def begin(self) -> None:
        """Start a new board: only long searches compute bounds of long subgames."""
        self.control[slots.BOUND_FROM] = self.nodes + self.options.bound_after

    def prove_sum(self, sum_id: int, nodes: float, watcher: LimitWatcher, *, bounded: bool = False) -> bool | None:
        """Whether Left, to move, wins a sum; None after `nodes` nodes. Raises `TableFull`, if `bounded` for all
        arrays, and `Stopped`.
        """
        space = self.workspace
        last = min(1 << 62, self.nodes + nodes)
        given = np.array([sum_id])
        while True:
            self.control[slots.NODE_LIMIT] = min(last, self.nodes + NODES_PER_SLICE)
            status = space.run_operation(tasks.PROVE, given, control=self.control)
            if status == proving.DONE:
                return int(space.sums.result[sum_id]) == slots.WON
            if status == proving.ARRAY_FULL:
                space.grow()
                continue
            self.control[slots.NODES] -= 1  # the node beyond the limit was not searched
            if self.nodes >= last:
                return None
            watcher.check()
            if bounded and space.is_crowded:
                raise TableFull

    def _deepen(self, sum_id: int, subgames: Array, limits: SearchLimits) -> bool | None:
        """Iterative deepening, with a leaf limit for each depth."""
        space = self.workspace
        tables = self._make_links()
        last = min(1 << 62, self.nodes + limits.nodes)
        length = sum(
            int(space.subgames.width[subgame]) * int(space.subgames.height[subgame]) for subgame in subgames
        )
        leaves = self.leaves
        for depth in itertools.count(1 if self.options.deepening else UNLIMITED_DEPTH):
            limit = length * (FIRST_LEAVES if depth == 1 else SECOND_LEAVES * LEAF_GROWTH ** (depth - 2))
            deep = depth >= UNLIMITED_DEPTH
            self.control[slots.LEAF_LIMIT] = 1 << 62 if deep else leaves + limit
            self.control[slots.NODE_LIMIT] = last
            while True:
                search = links.DatabaseSearch(space.subgames, space.forms, space.sums, self.control, tables)
                status = int(deepening.deepen_sum(search, sum_id, 1 << 30 if deep else depth))
                if status != proving.ARRAY_FULL:
                    break
                space.grow()
            if status in (slots.WON, slots.LOST):
                return status == slots.WON
            if status == deepening.CUT_SHORT:
                return None
            leaves = self.leaves
        raise AssertionError("the last depth has no limits")

    def _make_links(self) -> links.SimplestSums:
        """The table of simplest sums for the configured width, created on first use."""
        if self._links is None:
            self._links = make_simplest_sums(
                self.workspace, self.control, self.options.width if self.options.links else 0
            )
        return self._links


def make_simplest_sums(space: Workspace, control: Array, width: int) -> links.SimplestSums:
    """The simplest equal sum for every sum up to `width`; loaded from the database if it has exactly this
    width.
    """
    if (
        space.stored_simplest_sums is not None
        and space.stored_simplest_sums[0] == width
        and not control[slots.SHALLOW]
    ):
        return space.stored_simplest_sums[1]()
    for length in range(2, width + 1):
        space.values_of(space.strips(length))
    count = int(space.subgames.counts[SUBGAMES])
    chosen = [
        subgame
        for subgame in range(1, count)
        if space.subgames.height[subgame] == 1 and space.subgames.width[subgame] <= width
    ]
    tables = links.no_simplest_sums(len(space.forms.start))
    state = np.zeros(2, np.int64)
    stack = np.zeros((width + 2, 4), np.int64)
    stack[0] = 0, 0, 0, width
    kept = int(control[slots.SHORT])
    while chosen:
        search = links.DatabaseSearch(space.subgames, space.forms, space.sums, control, tables)
        status = int(links.find_simplest_sums(search, np.array(chosen), width, state, stack))
        if status == 0:
            break
        space.grow()
        if len(space.forms.start) > len(tables.sum_id):
            tables = links.with_space_for(tables, len(space.forms.start))
    control[slots.SHORT] = kept
    return tables
