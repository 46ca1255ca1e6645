"""Memory of a search: `SharedState` for all threads of an engine, `SearchThread` for each one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tengen.core.game import Move
from tengen.engines.pente.kernels import entry_points, workspace
from tengen.engines.pente.kernels.board import BOARD
from tengen.engines.pente.kernels.transposition_table import clear_table, make_table
from tengen.engines.pente.root_position import RootPosition
from tengen.engines.pente.search.kernels import pvs, two_stone_pvs
from tengen.engines.pente.search.kernels.evaluation import FEATURES
from tengen.engines.pente.search.kernels.move_ordering import promising_moves
from tengen.engines.pente.search.weights import load_weights
from tengen.engines.pente.threats.kernels.forced_wins import ZONE_WORDS

Array = np.ndarray[Any, Any]

SWITCH_BITS = {
    "fours": workspace.USE_FOURS,
    "threes": workspace.USE_THREES,
    "zones": workspace.USE_ZONES,
    "reductions": workspace.USE_REDUCTIONS,
    "hashing": workspace.USE_TABLE,
}
"""Search features that can be switched off, by the names of the engine settings."""
THREAT_TABLE_BYTES = 4 << 20
"""Size of a thread's table of forced wins."""


class SearchThread:
    """Memory of one search thread."""

    def __init__(self) -> None:
        self.work = np.zeros(workspace.SIZE, np.int64)
        self.zone = np.zeros(ZONE_WORDS, np.uint64)
        self.threat_table = make_table(THREAT_TABLE_BYTES)
        self.result = np.zeros(4, np.int64)
        self.boards = np.zeros(1, BOARD)

    def search(
        self, shared: SharedState, root: RootPosition, moves: Array, promising_count: int, alpha: int, beta: int,
        depth: int,
    ) -> None:  # fmt: skip
        """Search `moves` within a window of scores, writing to `result`. Releases the GIL."""
        self.boards[0] = root.boards[0]
        self.work[workspace.STOPPED] = 0
        board_arrays = (self.boards, root.patterns, shared.table, self.threat_table)
        memory_arrays = (self.work, shared.weights, shared.stop)
        window = (np.int64(alpha), np.int64(beta), np.int64(depth))
        arguments = (root.colour, moves, np.int64(promising_count), *window, self.result)
        if root.stones_per_turn == 1:
            pvs.search_root(*board_arrays, self.zone, *memory_arrays, *arguments)
        else:
            two_stone_pvs.search_turns_root(*board_arrays, *memory_arrays, *arguments)

    def forced_win(
        self, root: RootPosition, *, threes: int, nodes: int, node_limit: int
    ) -> tuple[int, Move] | None:
        """A forced win of the side to move as (plies, first move), or None; see `entry_points.forced_win`."""
        win = self._forced_win(root, root.colour, threes, nodes, node_limit, None)[0]
        return (win & 0xFFFF, Move(win >> 16)) if win else None

    def threat_answers(self, root: RootPosition, attacker: np.uint64, nodes: int) -> list[Move]:
        """Answers that might prevent the win by fours that `attacker` would have if it were to move."""
        out = np.zeros(512, np.int64)
        count = self._forced_win(root, attacker, 0, nodes, 0, out)[1]
        return [Move(int(point)) for point in out[:count]]

    def _forced_win(
        self, root: RootPosition, colour: np.uint64, threes: int, nodes: int, node_limit: int, out: Array | None
    ) -> tuple[int, int]:
        win, count = entry_points.forced_win(
            root.boards, root.patterns, self.threat_table, self.work, self.zone, colour, np.int64(threes),
            np.int64(nodes), np.int64(node_limit), out is not None, np.zeros(1, np.int64) if out is None else out,
        )  # fmt: skip
        return int(win), int(count)


class SharedState:
    """State shared by all threads: transposition table, weights, stop flag."""

    def __init__(self, megabytes: int, threads: int) -> None:
        self.table = make_table(megabytes << 20)
        self.stop = np.zeros(1, np.int64)
        self.threads = tuple(SearchThread() for _ in range(threads))
        self.weights = np.zeros(2 * FEATURES, np.int64)
        self.age = 0

    def clear(self) -> None:
        clear_table(self.table)
        for thread in self.threads:
            clear_table(thread.threat_table)
            thread.work[workspace.KILLERS : workspace.LISTS] = 0

    def prepare(self, settings: dict[str, Any], seed: int, stones: int) -> None:
        """Start a search with the engine's settings, for a game with `stones` stones per turn."""
        self.weights = load_weights(settings["captures"], settings["learned"], stones)
        self.age = (self.age + 1) % 64
        switches = sum(bit for name, bit in SWITCH_BITS.items() if settings[name])
        for thread in self.threads:
            thread.work[workspace.NODES] = 0
            thread.work[workspace.SWITCHES] = switches
            thread.work[workspace.AGE] = self.age
            thread.work[workspace.WIDTH] = settings["width"]
            thread.work[workspace.LEAF_NODES] = settings["leaf_nodes"]
            thread.work[workspace.INNER_NODES] = settings["inner_nodes"]
            thread.work[workspace.ROOT_THREES_DIVISOR] = settings["threes_divisor"]
            thread.work[workspace.NOISE] = settings["error"]
            thread.work[workspace.VISION] = settings["vision"]
            thread.work[workspace.SEED] = seed
            thread.work[workspace.KILLERS : workspace.HISTORY] = 0
            thread.work[workspace.HISTORY : workspace.LISTS] >>= 2

    @property
    def nodes(self) -> int:
        return sum(int(thread.work[workspace.NODES]) for thread in self.threads)


def order_root_moves(
    thread: SearchThread, root: RootPosition, moves: Sequence[Move], max_moves: int
) -> tuple[list[Move], int]:
    """All root moves, promising ones first in order, and the number of promising ones."""
    out = np.zeros(512, np.int64)
    count = promising_moves(root.boards, thread.work, root.colour, np.int64(max_moves), out)
    allowed = set(moves)
    first = [Move(int(point)) for point in out[:count] if Move(int(point)) in allowed]
    if not first:
        # No stones nearby, as at the start of a game: take the point nearest to the centre.
        width = int(root.boards[0].width)

        def centre_distance(move: Move) -> float:
            return abs(move % 20 - (width + 1) / 2) + abs(move // 20 - (width + 1) / 2)

        first = sorted(moves, key=centre_distance)[:1]
    chosen = set(first)
    return first + [move for move in moves if move not in chosen], len(first)
