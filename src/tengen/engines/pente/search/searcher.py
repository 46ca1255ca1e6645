"""Adapter between the Pente kernels and the iterative-deepening driver.

The kernels recurse, so they run in their own threads without the GIL, while the driver polls every few
milliseconds whether a time limit, node limit or stop request ends them.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np

from tengen.core.game import Move
from tengen.engines.pente.kernels import entry_points, workspace
from tengen.engines.pente.root_position import RootPosition
from tengen.engines.pente.search.kernels import scores
from tengen.engines.pente.search.kernels.evaluation import MAX_ESTIMATE, SCALE
from tengen.engines.pente.search_threads import SharedState, order_root_moves
from tengen.search.driver import Found, Step
from tengen.search.limits import StopFlag

POLL_INTERVAL_S = 0.0005, 0.01
"""First and longest interval between polls of a running search."""
MAX_INLINE_DEPTH = 2
"""Searches up to this depth finish before a thread would start, so they run in the calling thread."""
MAX_DEPTH = 60
ASPIRATION_WINDOW = 40
"""Half the width of the first window, in thousandths of a win."""
MAX_ESTIMATE_UNITS, UNPROVED_WIN_UNITS = 998, 999
"""The largest estimate, and the value of an unproved win, in thousandths of a win; a proved win is 1000."""

_UNITS_BY_SCORE = [
    round(MAX_ESTIMATE_UNITS * math.tanh(value / (2 * SCALE))) for value in range(-MAX_ESTIMATE, MAX_ESTIMATE + 1)
]


def to_win_units(value: int) -> int:
    """A kernel score in thousandths of a win."""
    if abs(value) >= scores.PROVED_WIN:
        return 1000 if value > 0 else -1000
    if abs(value) > MAX_ESTIMATE:
        return UNPROVED_WIN_UNITS if value > 0 else -UNPROVED_WIN_UNITS
    return _UNITS_BY_SCORE[value + MAX_ESTIMATE]


def largest_score_not_above(units: int) -> int:
    """The largest kernel score that is at most `units` thousandths of a win."""
    if units >= MAX_ESTIMATE_UNITS:
        return scores.PROVED_WIN - 1 if units < 1000 else 2 * scores.MATE
    if units < -MAX_ESTIMATE_UNITS:
        return -scores.PROVED_WIN if units > -1000 else -2 * scores.MATE
    return bisect.bisect_right(_UNITS_BY_SCORE, units) - 1 - MAX_ESTIMATE


def smallest_score_not_below(units: int) -> int:
    """The smallest kernel score that is at least `units` thousandths of a win."""
    return -largest_score_not_above(-units)


class PenteSearcher:
    """A search from one root. Call `close` at the end to stop its threads."""

    top = 1000

    def __init__(
        self, shared: SharedState, root: RootPosition, pool: ThreadPoolExecutor, *, node_limit: int | None
    ) -> None:
        self.nodes = 0
        self.win_lengths: dict[Move, int] = {}  # plies to a proved win or loss, by root move
        self._shared = shared
        self._root = root
        self._pool = pool
        self._node_limit = node_limit
        self._running: list[Future[None]] = []
        self._floor = 0
        self._poll_s = POLL_INTERVAL_S[0]
        self._done = False
        self._first, self._depth = Move(0), 0

    def steps(self, depth: int | None) -> Iterable[Step]:
        for plies in range(1, min(depth or MAX_DEPTH, MAX_DEPTH) + 1):
            yield Step(plies, ASPIRATION_WINDOW)

    def begin(self, moves: Sequence[Move], alpha: int, beta: int, step: Step) -> None:
        self._halt()
        self._floor = alpha
        shared = self._shared
        width = int(shared.threads[0].work[workspace.WIDTH])
        # With two stones per turn, half the width still leaves a quarter of all pairs.
        max_moves = 2 * width if self._root.stones_per_turn == 1 else width // 2
        ordered, count = order_root_moves(shared.threads[0], self._root, moves, max(1, max_moves))
        if step.depth > 1:  # the driver puts the best move of the last iteration first
            index = ordered.index(moves[0])
            ordered = [moves[0], *ordered[:index], *ordered[index + 1 :]]
            count += index >= count
        self._first, self._depth = ordered[0], step.depth
        shared.stop[0] = 0
        self._done = False
        floor, ceiling = largest_score_not_above(alpha), smallest_score_not_below(beta)
        nodes_left = 1 << 60 if self._node_limit is None else max(0, self._node_limit - shared.nodes)
        inline = step.depth <= MAX_INLINE_DEPTH
        node_share = nodes_left if inline else -(-nodes_left // len(shared.threads))
        for thread in shared.threads:
            thread.work[workspace.NODE_LIMIT] = thread.work[workspace.NODES] + node_share
            thread.work[workspace.STOP_THREATS] = 0
            thread.result[workspace.BEST_MOVE], thread.result[workspace.DONE] = 0, 0
        first = np.array(ordered, np.int64)
        if inline:
            shared.threads[0].search(shared, self._root, first, count, floor, ceiling, step.depth)
            return
        self._poll_s = POLL_INTERVAL_S[0]
        self._running = []
        for index, thread in enumerate(shared.threads):
            # Each thread starts with a different move, so that they do not duplicate work.
            order = first.copy()
            order[1:count] = np.roll(order[1:count], -index)
            arguments = (shared, self._root, order, count, floor, ceiling, step.depth)
            self._running.append(self._pool.submit(thread.search, *arguments))

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
        self._done = any(thread.result[workspace.DONE] for thread in self._shared.threads)
        if self._done:
            self._halt()
        return self._done

    def found(self) -> Found | None:
        self._halt()
        threads = [thread for thread in self._shared.threads if thread.result[workspace.BEST_MOVE] > 0]
        if self._done:
            threads = [thread for thread in threads if thread.result[workspace.DONE]]
        if not threads:
            # Stopped before the first move was searched: return the most promising one.
            return Found(0, False, False, (self._first,)) if self._depth == 1 and not self._done else None
        found = max(threads, key=lambda thread: int(thread.result[workspace.BEST])).result
        value, move = int(found[workspace.BEST]), Move(int(found[workspace.BEST_MOVE]))
        units = to_win_units(value)
        if not (self._done or units > self._floor):
            return None
        if value <= -scores.PROVED_WIN and not found[workspace.COMPLETE]:
            units = -UNPROVED_WIN_UNITS
        if abs(units) == 1000:
            self.win_lengths[move] = scores.MATE - abs(value)
        else:
            self.win_lengths.pop(move, None)
        return Found(units, units == 1000, units == -1000, self._line(move))

    def close(self) -> None:
        self._halt()

    def _halt(self) -> None:
        self._shared.stop[0] = 1
        for thread in self._shared.threads:
            thread.work[workspace.STOP_THREATS] = 1
        wait(self._running)
        self._running = []

    def _line(self, move: Move) -> tuple[Move, ...]:
        """The principal variation as far as the tables have it."""
        if move in self._root.winning_points(int(self._root.colour)):
            return (move,)
        thread, shared = self._shared.threads[0], self._shared
        out = np.zeros(40, np.int64)
        self._root.play(move)
        count = entry_points.principal_variation(
            self._root.boards,
            self._root.patterns,
            shared.table,
            thread.threat_table,
            self._root.colour,
            out,
        )
        self._root.undo()
        return (move, *(Move(int(point)) for point in out[:count]))
