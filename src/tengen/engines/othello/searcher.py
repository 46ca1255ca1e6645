"""Adapter between the Othello kernels and the iterative-deepening driver."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from tengen.core.game import Move
from tengen.engines.othello.endgame.kernels.solver import MAX_EMPTIES_ENDGAME
from tengen.engines.othello.kernels.entry_points import principal_variation
from tengen.engines.othello.midgame.kernels import search as midgame
from tengen.engines.othello.midgame.kernels.probcut import NO_SELECTIVITY, confidence_percent
from tengen.engines.othello.root_position import RootPosition
from tengen.engines.othello.search_memory import SearchMemory
from tengen.search.driver import Found, Step
from tengen.search.threads import UNLIMITED_NODES, ThreadedSearcher

MAX_INLINE_DEPTH = 5
MAX_NODES_BEFORE_INLINE = 12_000
"""Searches up to this depth, and those after a step of at most this many nodes, run in the calling thread: they
take a few milliseconds, and starting and watching another thread takes one.
"""
SOLVE_MARGIN_PLIES = 9
"""When the depth comes this close to the end of the game, solve: selectively first, then exactly."""
MAX_EMPTIES_ONE_SELECTIVE_PASS = 24
"""Up to this many empty squares, one selective pass is enough preparation for the exact search."""
MAX_EMPTIES_TO_EXTEND_LINE = 18
"""Up to this many empty squares, principal-variation moves missing from the table are searched again."""
UNITS_PER_CENTIDISC = 10
"""The driver counts in thousandths of a disc."""


class OthelloSearcher(ThreadedSearcher):
    """A search from one root."""

    def __init__(
        self,
        memory: SearchMemory,
        root: RootPosition,
        *,
        selectivity: int,
        node_limit: int | None,
        win_loss_only: bool,
    ) -> None:
        """`selectivity` applies to midgame steps; `win_loss_only` searches only for the winner."""
        super().__init__(memory.threads, memory.records, node_limit)
        # A win by two discs is enough if only the winner matters.
        self.top = UNITS_PER_CENTIDISC * 100 * (2 if win_loss_only else root.size**2)
        self._memory = memory
        self._root = root
        self._selectivity = selectivity
        self._is_exact_search = False
        self._nodes_before = 0  # the present step

    def steps(self, depth: int | None) -> Iterable[Step]:
        """Depth by depth; then to the end of the game, with rising confidence."""
        empty_count = self._root.empty_count
        max_depth = min(depth or empty_count, empty_count)
        selective_passes = 1 if empty_count > MAX_EMPTIES_ENDGAME else 0
        if empty_count > MAX_EMPTIES_ONE_SELECTIVE_PASS:
            selective_passes = NO_SELECTIVITY
        solve_from = empty_count - SOLVE_MARGIN_PLIES
        if self._root.size < 8:  # no patterns: ProbCut never cuts, and deep searches order moves poorly
            selective_passes, solve_from = 0, empty_count // 2
        # A depth limit holds near the end of the game as well.
        if empty_count > MAX_EMPTIES_ENDGAME or max_depth < empty_count:
            shallow = solve_from if max_depth == empty_count else max_depth
            confidence = confidence_percent(self._selectivity)
            for plies in range(1, min(shallow, max_depth) + 1):
                yield Step(plies, 1000 * 3, confidence if plies >= midgame.MIN_DEPTH_FOR_PROBCUT else 100)
        if max_depth == empty_count:
            for selectivity in range(0, selective_passes, 2):  # more passes cost more than they save
                yield Step(empty_count, 1000, confidence_percent(selectivity))
            yield Step(empty_count, 1000)

    def kernel_calls(self, moves: Sequence[Move]) -> tuple[Sequence[Callable[[], None]], bool]:
        step = self._step
        reaches_end = step.depth >= self._root.empty_count
        self._is_exact_search = reaches_end and step.trust == 100
        levels = range(NO_SELECTIVITY)
        selectivity = next((one for one in levels if confidence_percent(one) == step.trust), NO_SELECTIVITY)
        if not reaches_end and selectivity == NO_SELECTIVITY:
            selectivity = self._selectivity
        squares = [self._root.move_to_square(move) for move in moves]
        window = self._alpha // UNITS_PER_CENTIDISC, -(-self._beta // UNITS_PER_CENTIDISC)
        arguments = (self._root, squares, window, step.depth, selectivity)
        calls = [partial(self._memory.search, thread, *arguments) for thread in range(len(self._records))]
        nodes = int(self._records["nodes"].sum())
        is_short = step.depth <= MAX_INLINE_DEPTH or nodes - self._nodes_before <= MAX_NODES_BEFORE_INLINE
        self._nodes_before = nodes
        return calls, is_short and not reaches_end

    def found(self) -> Found | None:
        best = self.best_record()
        if best is None:
            return None
        value = UNITS_PER_CENTIDISC * int(best["best_value"])
        if not (self._done or value > self._alpha):
            return None
        value = max(-self.top, min(value, self.top))
        exact = self._is_exact_search
        if exact and abs(value) < UNITS_PER_CENTIDISC * 100:
            value = 0  # a draw, which contempt may have valued differently
        line = self._line(int(best["best_move"]), int(best["best_value"]) if self._is_exact(value) else None)
        return Found(value, exact, exact and self._done, line)

    def _is_exact(self, value: int) -> bool:
        """Whether a value is exact and not just a bound at an edge of the search window."""
        return self._is_exact_search and self._done and self._alpha < value < self._beta

    def _line(self, square: int, value: int | None = None) -> tuple[Move, ...]:
        """The principal variation as far as the table has it; to the end of the game if `value` is exact."""
        line, after = [square], self._root.play(square)
        while True:
            ours = 0 if value is None else value if len(line) % 2 == 0 else -value
            squares = np.zeros(max(0, self._step.depth - len(line)) if value is None else 128, np.int64)
            length = principal_variation(
                *after.boards, self._memory.table, squares, np.int64(value is not None), np.int64(ours)
            )
            found: list[int] = squares[:length].tolist()
            line += found
            if value is None:
                break
            for one in found:
                after = after.play(one)
            if after.empty_count > MAX_EMPTIES_TO_EXTEND_LINE or not after.legal_squares:
                break
            best = self._best_move(after, value if len(line) % 2 == 0 else -value)
            line.append(best)
            after = after.play(best)
        return tuple(self._root.square_to_move(one) for one in line)

    def _best_move(self, root: RootPosition, value: int) -> int:
        """A move that achieves the exact `value`, in centi-discs, with few empty squares."""
        self._threads.stop.clear()
        self._records["node_limit"] = UNLIMITED_NODES
        self._memory.search(0, root, root.legal_squares, (value - 1, value + 1), root.empty_count, NO_SELECTIVITY)
        return int(self._records["best_move"][0])
