"""Memory of a search: `SharedState` for all threads of an engine, `SearchThread` for each one."""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.engines.othello.endgame.kernels.stability import edge_stability_table
from tengen.engines.othello.kernels import workspace
from tengen.engines.othello.kernels.entry_points import set_root_features
from tengen.engines.othello.kernels.transposition_table import clear_table, make_table
from tengen.engines.othello.midgame.kernels import search as midgame
from tengen.engines.othello.midgame.kernels.probcut import MARGIN_COUNT, margin_table
from tengen.engines.othello.midgame.patterns import LANES, WEIGHTS_PER_SET
from tengen.engines.othello.midgame.weights import load_weights
from tengen.engines.othello.root_position import RootPosition

_CORNERS = {8: 0x8100000000000081, 6: 0x0042000000004200, 4: 0x0000240000240000}
SWITCH_BITS = {
    "hashing": workspace.USE_TABLE,
    "ordering": workspace.USE_ORDERING,
    "stability": workspace.USE_STABILITY,
    "etc": workspace.USE_ETC,
    "probcut": workspace.USE_PROBCUT,
}
"""Search features that can be switched off, by the names of the engine settings."""
ENDGAME_TABLE_BYTES = 512 << 10
"""Size of a thread's table for the endgame solver: fits into a core's cache."""


class SharedState:
    """State shared by all threads: transposition table, ABDADA marks, evaluation weights, stop flag."""

    def __init__(self, megabytes: int, threads: int) -> None:
        self.table = make_table(megabytes << 20)
        self.busy = np.zeros(midgame.BUSY_SLOTS, np.uint64)
        self.stop = np.zeros(1, np.int64)
        self.edges = edge_stability_table()
        self.threads = tuple(SearchThread() for _ in range(threads))
        self.age = 0

    def clear(self) -> None:
        clear_table(self.table)
        for thread in self.threads:
            clear_table(thread.endgame_table)

    def prepare(self, root: RootPosition, switches: int, draw_value: int) -> None:
        """Start a search of `root` with these feature switches; `draw_value` is in centi-discs."""
        self.age = (self.age + 1) % 256
        if root.size == 8:
            switches |= workspace.USE_PATTERNS
        else:
            switches &= ~workspace.USE_STABILITY  # the edge table is for 8x8 only
        for thread in self.threads:
            work = thread.work
            work[workspace.NODES] = 0
            work[workspace.SWITCHES] = switches
            work[workspace.AGE] = self.age
            work[workspace.THREAD_COUNT] = len(self.threads)
            work[workspace.CORNERS] = np.uint64(_CORNERS[root.size]).astype(np.int64)
            work[workspace.DRAW_VALUE] = draw_value
            if root.size == 8:
                work[workspace.MARGINS_START : workspace.MARGINS_START + MARGIN_COUNT] = margin_table()
            else:  # no patterns to predict with: unreachable margins
                work[workspace.MARGINS_START : workspace.MARGINS_START + MARGIN_COUNT] = 2 * midgame.MAX_VALUE
        self.weights = load_weights() if root.size == 8 else _unused_weights()

    @property
    def nodes(self) -> int:
        return sum(int(thread.work[workspace.NODES]) for thread in self.threads)


class SearchThread:
    """Memory of one search thread."""

    def __init__(self) -> None:
        self.work = np.zeros(workspace.WORK_SIZE, np.int64)
        self.features = np.zeros((workspace.MAX_PLIES, LANES), np.int16)
        self.result = np.zeros(3, np.int64)
        self.endgame_table = make_table(ENDGAME_TABLE_BYTES)

    def search(
        self, shared: SharedState, root: RootPosition, squares: np.ndarray[Any, Any], alpha: int, beta: int,
        depth: int, selectivity: int,
    ) -> None:  # fmt: skip
        """Search the moves in `squares` within a window of centi-discs, writing to `result`. Releases the GIL."""
        set_root_features(self.features, *root.boards)
        self.work[workspace.STOPPED] = 0
        midgame.search_root(
            *root.boards, squares.copy(), np.int64(alpha), np.int64(beta), np.int64(depth), np.int64(selectivity),
            self.work, shared.table, self.endgame_table, self.features, shared.weights, shared.edges, shared.busy,
            shared.stop, self.result,
        )  # fmt: skip


def _unused_weights() -> np.ndarray[Any, Any]:
    """Placeholder for boards without patterns; never read."""
    weights = np.zeros((65, WEIGHTS_PER_SET), np.int16)
    weights.flags.writeable = False
    return weights
