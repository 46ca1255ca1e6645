"""The Othello kernels as the driver of iterative deepening wants them: begun, looked after, and ended.

The kernels recurse, so they cannot be run a slice at a time: they run in threads of their own, without the GIL,
while the driver looks every few milliseconds whether time, nodes or a stop ends them.
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
"""Seconds between two looks at a running search: soon at first, seldom later, since each costs it some time."""
MAX_INLINE_DEPTH = 5
"""A search to so many plies is over before a thread would have begun."""
SOLVE_MARGIN_PLIES = 9
"""So many plies before the end, the rest is solved instead: selectively at first, then for sure."""
MAX_EMPTIES_ONE_SELECTIVE_PASS = 22
"""Up to so many empty squares, one selective solution tells enough for the exact one."""
MAX_EMPTIES_TO_EXTEND_LINE = 18
"""With so few squares left, moves that the table has forgotten are searched for again at once."""
UNITS_PER_CENTIDISC = 10
"""Thousandths of a disc, in which the driver counts, to a centi-disc."""


class OthelloSearcher:
    """A search from one root. To be closed at the end, so that no thread goes on."""

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
        """`level` is that of the midgame's search; `only_result` asks only who wins."""
        # Where only the result counts, two discs are as good as any more.
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
        """Plies one after the other; then to the end, at each level of trust."""
        empty_count = self._root.empty_count
        max_depth = min(depth or empty_count, empty_count)
        selective_passes = (
            NO_SELECTIVITY
            if empty_count > MAX_EMPTIES_ONE_SELECTIVE_PASS
            else 1
            if empty_count > MAX_EMPTIES_ENDGAME
            else 0
        )
        solve_from = empty_count - SOLVE_MARGIN_PLIES
        if self._root.size < 8:  # without patterns, ProbCut leaves nothing out, and deep searches foretell little
            selective_passes, solve_from = 0, empty_count // 2
        if (
            empty_count > MAX_EMPTIES_ENDGAME or max_depth < empty_count
        ):  # who may not look to the end does not, however near it is
            shallow = solve_from if max_depth == empty_count else max_depth
            for plies in range(1, min(shallow, max_depth) + 1):
                yield Step(
                    plies,
                    1000 * 3,
                    confidence_percent(self._selectivity) if plies >= midgame.MIN_DEPTH_FOR_PROBCUT else 100,
                )
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
        selectivity = next(
            (
                selectivity
                for selectivity in range(NO_SELECTIVITY)
                if confidence_percent(selectivity) == step.trust
            ),
            NO_SELECTIVITY,
        )
        if not reaches_end and selectivity == NO_SELECTIVITY:
            selectivity = self._selectivity
        squares = self._root.moves_to_squares(moves)
        shared, root = self._shared, self._root
        shared.stop[0] = 0
        self._done = False
        arguments = (
            shared,
            root,
            squares,
            alpha // UNITS_PER_CENTIDISC,
            -(-beta // UNITS_PER_CENTIDISC),
            step.depth,
            selectivity,
        )
        nodes_left = 1 << 60 if self._node_limit is None else max(0, self._node_limit - shared.nodes)
        inline = (
            step.depth <= MAX_INLINE_DEPTH and not reaches_end
        )  # by one thread, which may use all that is left
        node_share = nodes_left if inline else -(-nodes_left // len(shared.threads))
        for thread in shared.threads:
            thread.work[workspace.NODE_LIMIT] = thread.work[workspace.NODES] + node_share
            thread.result[midgame.BEST_SQUARE], thread.result[midgame.DONE] = (
                -1,
                0,
            )  # nobody has found anything yet
        if inline:
            shared.threads[0].search(*arguments)
        else:
            self._poll_s = POLL_INTERVAL_S[0]
            self._running = [self._pool.submit(thread.search, *arguments) for thread in shared.threads]

    def run(self, nodes: int, stop: StopFlag) -> bool:
        """Look after the search for a moment; whoever is done first ends it for all."""
        running = [future for future in self._running if not future.done()]
        if running and not stop.is_set:
            wait(running, timeout=self._poll_s, return_when=FIRST_COMPLETED)
            self._poll_s = min(2 * self._poll_s, POLL_INTERVAL_S[1])
        for future in self._running:
            if future.done():
                future.result()  # for its error
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
            value = 0  # a draw, whatever it was counted as
        square = int(found[midgame.BEST_SQUARE])
        line = self._line(square, int(found[midgame.BEST]) if self._is_exact(value) else None)
        return Found(value, exact, exact and self._done, line)

    def _is_exact(self, value: int) -> bool:
        """Whether a value is exact, not a bound at the end of what was asked for."""
        return self._is_exact_search and self._done and self._floor < value < self._ceiling

    def close(self) -> None:
        self._halt()

    def _halt(self) -> None:
        self._shared.stop[0] = 1
        wait(self._running)
        self._running = []

    def _line(self, square: int, value: int | None = None) -> tuple[Move, ...]:
        """The principal variation as far as the table remembers it; to the very end if the value is known."""
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
        """A move that keeps an exact value, in centi-discs, with few squares left."""
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
