"""Memory of a search: `SharedState` for all threads of an engine, `SearchThread` for each one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tengen.core.game import Move
from tengen.engines.pente.kernels import entry_points
from tengen.engines.pente.kernels.board import BOARD
from tengen.engines.pente.root_position import RootPosition
from tengen.engines.pente.search.kernels.evaluation import TERMS
from tengen.engines.pente.search.kernels.move_ordering import promising_moves
from tengen.engines.pente.search.kernels.pvs import SEARCHES
from tengen.engines.pente.search.weights import Weights
from tengen.engines.pente.search_state import SEARCH
from tengen.engines.pente.threats.kernels import shortest_wins
from tengen.search.kernels.transposition_table import clear_table, make_table
from tengen.search.limits import StopFlag

Array = np.ndarray[Any, Any]

SWITCHES = {
    "fours": "use_fours",
    "threes": "use_threes",
    "zones": "use_zones",
    "reductions": "use_reductions",
    "hashing": "use_table",
}
"""Search features that can be switched off: names of the engine's settings, and of the search's fields."""
COPIED_SETTINGS = ("width", "leaf_nodes", "inner_nodes", "threes_divisor", "error", "vision")
"""Settings that are fields of the search by the same name."""
THREAT_TABLE_BYTES = 4 << 20
"""Size of a thread's table of forced wins."""


class SearchThread:
    """Memory of one search thread. `works` has its record, `stop` ends its searches."""

    def __init__(self, works: Array | None = None, stop: StopFlag | None = None) -> None:
        self.works = np.zeros(1, SEARCH) if works is None else works
        self.stop = stop or StopFlag()
        self.threat_table = make_table(THREAT_TABLE_BYTES)
        self.boards = np.zeros(1, BOARD)

    @property
    def work(self) -> Any:
        return self.works[0]

    def arrays(self, root: RootPosition) -> tuple[Array, ...]:
        """What a threat search from this root works with: see `search_state.Thread`."""
        return root.boards, root.patterns, self.threat_table, self.works, self.stop.array

    def search(self, shared: SharedState, root: RootPosition, moves: Array) -> None:
        """Search root moves as the thread's record says. Releases the GIL."""
        self.boards[0] = root.boards[0]
        SEARCHES[root.stones_per_turn](
            self.boards, root.patterns, shared.weights, shared.table, self.threat_table, self.works,
            self.stop.array, moves,
        )  # fmt: skip

    def forced_win(
        self, root: RootPosition, *, threes: int, nodes: int, node_limit: int
    ) -> tuple[int, Move] | None:
        """A forced win of the side to move as (plies, first move), or None; see `entry_points.forced_win`."""
        self.work.node_limit = self.work.nodes + node_limit
        win = int(entry_points.forced_win(*self.arrays(root), root.colour, np.int64(threes), np.int64(nodes)))
        return (win & 0xFFFF, Move(win >> 16)) if win else None

    def shorter_win(self, root: RootPosition, stones: int, nodes: int) -> tuple[tuple[int, Move] | None, bool]:
        """A win with fewer than `stones` stones as (plies, first move), and whether none takes only two stones.

        The search ends after about `nodes` nodes.
        """
        out = np.zeros(1, np.int64)
        win = int(
            shortest_wins.search_shorter_win(
                *self._limited_arrays(root, nodes), root.colour, np.int64(stones), out
            )
        )
        return (win & 0xFFFF, Move(win >> 16)) if win else None, bool(out[0])

    def winning_line(self, root: RootPosition, move: Move, stones: int, nodes: int) -> tuple[Move, ...]:
        """A line of a win with at most `stones` stones that starts with `move`."""
        out = np.zeros(2 * stones + 1, np.int64)
        count = shortest_wins.winning_line(
            *self._limited_arrays(root, nodes), root.colour, np.int64(move), np.int64(stones), out
        )
        return tuple(Move(int(point)) for point in out[:count])

    def _limited_arrays(self, root: RootPosition, nodes: int) -> tuple[Array, ...]:
        """The arrays of a threat search of about `nodes` nodes; too few to need a stop."""
        self.work.node_limit = self.work.nodes + nodes
        return *self.arrays(root)[:-1], StopFlag().array

    def threat_answers(self, root: RootPosition, attacker: np.uint64, nodes: int) -> list[Move]:
        """Answers that might prevent the win by fours that `attacker` would have if it were to move."""
        out = np.zeros(512, np.int64)
        count = entry_points.answers_to_fours(*self.arrays(root), attacker, np.int64(nodes), out)
        return [Move(int(point)) for point in out[:count]]


class SharedState:
    """State shared by all threads: transposition table, weights, and one record per thread."""

    def __init__(self, megabytes: int, threads: int, stop: StopFlag) -> None:
        self.table = make_table(megabytes << 20)
        self.works = np.zeros(threads, SEARCH)
        self.threads = tuple(SearchThread(self.works[i : i + 1], stop) for i in range(threads))
        self.weights = np.zeros(TERMS, np.int64)
        self.age = 0

    def clear(self) -> None:
        clear_table(self.table)
        for thread in self.threads:
            clear_table(thread.threat_table)
        self.works["killers"] = 0
        self.works["history"] = 0

    def prepare(self, settings: dict[str, Any], seed: int, weights: Weights) -> None:
        """Start a search with the engine's settings and weights."""
        self.weights = weights.terms
        self.age = (self.age + 1) % 64
        works = self.works
        works["capture_order"] = weights.capture_order
        works["nodes"], works["age"] = 0, self.age
        works["seed"] = np.uint64(seed % (1 << 64)).astype(np.int64)  # any whole number is a seed
        for name in COPIED_SETTINGS:
            works[name] = settings[name]
        for name, field in SWITCHES.items():
            works[field] = settings[name]
        works["killers"] = 0
        works["history"] >>= 2


def order_root_moves(
    thread: SearchThread, root: RootPosition, moves: Sequence[Move], max_moves: int
) -> tuple[list[Move], int]:
    """All root moves, promising ones first in order, and the number of promising ones."""
    out = np.zeros(512, np.int64)
    count = promising_moves(*thread.arrays(root), root.colour, np.int64(max_moves), out)
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
