"""Adapter between the Othello kernels and the iterative-deepening driver.

The kernels recurse, so they cannot run in slices. They run in their own threads without the GIL, while the driver
polls every few milliseconds whether a time limit, node limit or stop request ends them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np

from tengen.core.game import Move
from tengen.engines.othello.endgame.kernels.solver import MAX_EMPTIES_ENDGAME
from tengen.engines.othello.kernels import workspace
from tengen.engines.othello.kernels.entry_points import principal_variation
from tengen.engines.othello.midgame.kernels import search as midgame
from tengen.engines.othello.midgame.kernels.probcut import NO_SELECTIVITY, confidence_percent
from tengen.engines.othello.root_position import RootPosition
from tengen.engines.othello.search_threads import SharedState
from tengen.search.driver import Found, Step
from tengen.search.limits import StopFlag

POLL_INTERVAL_S = 0.001, 0.01
"""First and longest interval between polls of a running search; each poll costs the search some time."""
MAX_INLINE_DEPTH = 5
"""Searches up to this depth finish before a thread would start, so they run in the calling thread."""
SOLVE_MARGIN_PLIES = 9
"""When the depth comes this close to the end of the game, solve: selectively first, then exactly."""
MAX_EMPTIES_ONE_SELECTIVE_PASS = 22
"""Up to this many empty squares, one selective pass is enough preparation for the exact search."""
MAX_EMPTIES_TO_EXTEND_LINE = 18
"""Up to this many empty squares, principal-variation moves missing from the table are searched again."""
UNITS_PER_CENTIDISC = 10
"""The driver counts in thousandths of a disc."""


class OthelloSearcher:
    """A search from one root. Call `close` at the end to stop its threads."""

    def __init__(
        self,
        shared: SharedState,
        root: RootPosition,
        pool: ThreadPoolExecutor,
        *,
        selectivity: int,
        node_limit: int | None,
        win_loss_only: bool,
    ) -> None:
        """`selectivity` applies to midgame steps; `win_loss_only` searches only for the winner."""
        # A win by two discs is enough if only the winner matters.
        self.top = UNITS_PER_CENTIDISC * 100 * (2 if win_loss_only else root.size**2)
        self.nodes = 0
        self._shared = shared
        self._root = root
        self._pool = pool
        self._selectivity = selectivity
        self._node_limit = node_limit
        self._running: list[Future[None]] = []
        self._step = Step(1, 0)
        self._floor = self._ceiling = 0
        self._poll_s = POLL_INTERVAL_S[0]
        self._is_exact_search = False
        self._done = False

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
            for selectivity in range(selective_passes):
                yield Step(empty_count, 1000, confidence_percent(selectivity))
            yield Step(empty_count, 1000)

    def begin(self, moves: Sequence[Move], alpha: int, beta: int, step: Step) -> None:
        self._halt()
        self._floor, self._ceiling = alpha, beta
        self._step = step
        reaches_end = step.depth >= self._root.empty_count
        self._is_exact_search = reaches_end and step.trust == 100
        levels = range(NO_SELECTIVITY)
        selectivity = next((one for one in levels if confidence_percent(one) == step.trust), NO_SELECTIVITY)
        if not reaches_end and selectivity == NO_SELECTIVITY:
            selectivity = self._selectivity
        squares = self._root.moves_to_squares(moves)
        shared, root = self._shared, self._root
        shared.stop[0] = 0
        self._done = False
        window = alpha // UNITS_PER_CENTIDISC, -(-beta // UNITS_PER_CENTIDISC)
        arguments = (shared, root, squares, *window, step.depth, selectivity)
        nodes_left = 1 << 60 if self._node_limit is None else max(0, self._node_limit - shared.nodes)
        # One thread alone may use all remaining nodes.
        inline = step.depth <= MAX_INLINE_DEPTH and not reaches_end
        node_share = nodes_left if inline else -(-nodes_left // len(shared.threads))
        for thread in shared.threads:
            thread.work[workspace.NODE_LIMIT] = thread.work[workspace.NODES] + node_share
            thread.result[midgame.BEST_SQUARE], thread.result[midgame.DONE] = -1, 0
        if inline:
            shared.threads[0].search(*arguments)
        else:
            self._poll_s = POLL_INTERVAL_S[0]
            self._running = [self._pool.submit(thread.search, *arguments) for thread in shared.threads]

    def run(self, nodes: int, stop: StopFlag) -> bool:
        """Wait briefly for the search; the first thread to finish ends it for all."""
        running = [future for future in self._running if not future.done()]
        if running and not stop.is_set:
            wait(running, timeout=self._poll_s, return_when=FIRST_COMPLETED)
            self._poll_s = min(2 * self._poll_s, POLL_INTERVAL_S[1])
        for future in self._running:
            if future.done():
                future.result()  # raises the error of a failed search
        self.nodes = self._shared.nodes
        self._done = any(thread.result[midgame.DONE] for thread in self._shared.threads)
        if self._done:
            self._halt()
        return self._done

    def found(self) -> Found | None:
        self._halt()
        threads = [thread for thread in self._shared.threads if thread.result[midgame.BEST_SQUARE] >= 0]
        if self._done:
            threads = [thread for thread in threads if thread.result[midgame.DONE]]
        if not threads:
            return None
        found = max(threads, key=lambda thread: int(thread.result[midgame.BEST])).result
        value = UNITS_PER_CENTIDISC * int(found[midgame.BEST])
        if not (self._done or value > self._floor):
            return None
        value = max(-self.top, min(value, self.top))
        exact = self._is_exact_search
        if exact and abs(value) < UNITS_PER_CENTIDISC * 100:
            value = 0  # a draw, which contempt may have valued differently
        square = int(found[midgame.BEST_SQUARE])
        line = self._line(square, int(found[midgame.BEST]) if self._is_exact(value) else None)
        return Found(value, exact, exact and self._done, line)

    def _is_exact(self, value: int) -> bool:
        """Whether a value is exact and not just a bound at an edge of the search window."""
        return self._is_exact_search and self._done and self._floor < value < self._ceiling

    def close(self) -> None:
        self._halt()

    def _halt(self) -> None:
        self._shared.stop[0] = 1
        wait(self._running)
        self._running = []

    def _line(self, square: int, value: int | None = None) -> tuple[Move, ...]:
        """The principal variation as far as the table has it; to the end of the game if `value` is exact."""
        line, after = [square], self._root.play(square)
        while True:
            ours = 0 if value is None else value if len(line) % 2 == 0 else -value
            squares = np.zeros(max(0, self._step.depth - len(line)) if value is None else 128, np.int64)
            length = principal_variation(
                *after.boards, self._shared.table, squares, np.int64(value is not None), np.int64(ours)
            )
            for one in squares[:length]:
                after = after.play(int(one))
                line.append(int(one))
            if value is None or after.empty_count > MAX_EMPTIES_TO_EXTEND_LINE or not after.legal_squares:
                return tuple(self._root.square_to_move(one) for one in line)
            best = self._best_move(after, value if len(line) % 2 == 0 else -value)
            line.append(best)
            after = after.play(best)

    def _best_move(self, root: RootPosition, value: int) -> int:
        """A move that achieves the exact `value`, in centi-discs, with few empty squares."""
        thread = self._shared.threads[0]
        self._shared.stop[0] = 0
        thread.work[workspace.NODE_LIMIT] = 1 << 60
        thread.search(
            self._shared,
            root,
            np.array(root.legal_squares),
            value - 1,
            value + 1,
            root.empty_count,
            NO_SELECTIVITY,
        )
        return int(thread.result[midgame.BEST_SQUARE])
