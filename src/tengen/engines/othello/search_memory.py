"""Memory of an Othello search, and the call of its kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.engines.othello.endgame.kernels.stability import edge_stability_table
from tengen.engines.othello.kernels import workspace
from tengen.engines.othello.kernels.workspace import Memory
from tengen.engines.othello.midgame.kernels import search as midgame
from tengen.engines.othello.midgame.kernels.probcut import margin_table
from tengen.engines.othello.midgame.weights import load_weights
from tengen.engines.othello.root_position import RootPosition
from tengen.search.kernels.transposition_table import clear_table, make_table
from tengen.search.threads import KernelThreads

CORNERS = {8: 0x8100000000000081, 6: 0x0042000000004200, 4: 0x0000240000240000}
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
MIN_DEPTH_FOR_WHOLE_DISCS = 9
"""From this depth on, values are whole discs, which saves a quarter of the search; below, centi-discs."""


class SearchMemory:
    """Transposition tables, evaluation weights, and a work record for each thread of an engine."""

    def __init__(self, megabytes: int, threads: KernelThreads) -> None:
        self.threads = threads
        self.table = make_table(megabytes << 20)
        self.records = np.zeros(threads.count, workspace.WORK)
        self._endgame_tables = [make_table(ENDGAME_TABLE_BYTES) for _ in self.records]
        self._busy = np.zeros(midgame.BUSY_SLOTS, np.uint64)
        self._memory: list[Memory] = []

    def clear(self) -> None:
        for table in (self.table, *self._endgame_tables):
            clear_table(table)

    def prepare(
        self, root: RootPosition, switches: int, draw_value: int, weights: np.ndarray[Any, Any] | None = None
    ) -> None:
        """Start a search of `root` with these feature switches; `draw_value` is in centi-discs.

        `weights` of the evaluation are the shipped ones by default; only 8x8 boards use them.
        """
        if root.size == 8:
            switches |= workspace.USE_PATTERNS
        else:
            switches &= ~workspace.USE_STABILITY  # the edge table is for 8x8 only
        records = self.records
        records["nodes"] = 0
        records["age"] = (self.age + 1) % 64
        records["switches"] = switches
        records["thread_count"] = len(records)
        records["board"] = root.mover | root.enemy | root.empties
        records["corners"] = CORNERS[root.size]
        records["draw_value"] = draw_value
        # Without patterns there is nothing to predict with: unreachable margins.
        records["margins"] = margin_table() if root.size == 8 else 2 * midgame.MAX_VALUE
        shared = (
            self.table,
            load_weights() if weights is None else weights,
            edge_stability_table(),
            self._busy,
            self.threads.stop.array,
        )
        self._memory = [
            Memory(records[number : number + 1], table, *shared)
            for number, table in enumerate(self._endgame_tables)
        ]

    @property
    def age(self) -> int:
        """Number of the search, as stored in the table."""
        return int(self.records["age"][0])

    def search(
        self, thread: int, root: RootPosition, squares: list[int], window: tuple[int, int], depth: int,
        selectivity: int,
    ) -> None:  # fmt: skip
        """Search the moves in `squares` within a window of centi-discs; the result is in the thread's record."""
        self.records["whole_discs"][thread] = depth >= MIN_DEPTH_FOR_WHOLE_DISCS
        midgame.search_root(
            *root.boards[:2], np.array(squares), *(np.int64(n) for n in (*window, depth, selectivity)),
            self._memory[thread],
        )  # fmt: skip
