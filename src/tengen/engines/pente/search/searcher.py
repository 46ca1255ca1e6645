"""Adapter between the Pente kernels and the iterative-deepening driver."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from tengen.core.game import Move
from tengen.engines.pente.kernels import entry_points
from tengen.engines.pente.root_position import RootPosition
from tengen.engines.pente.search.kernels import scores
from tengen.engines.pente.search.kernels.evaluation import MAX_ESTIMATE, SCALE
from tengen.engines.pente.search_threads import SharedState, order_root_moves
from tengen.search.driver import Found, Step
from tengen.search.threads import KernelThreads, ThreadedSearcher

MAX_INLINE_DEPTH = 2
"""Searches up to this depth finish before a thread would start, so they run in the calling thread."""
MAX_DEPTH = 60
ASPIRATION_WINDOW = 40
"""Half the width of the first window, in thousandths of a win."""
MAX_ESTIMATE_UNITS, UNPROVED_WIN_UNITS = 998, 999
"""The largest estimate, and the value of an unproved win, in thousandths of a win; a proved win is 1000."""

MIN_SHORTENING_NODES, MAX_SHORTENING_NODES, SHORTENING_SHARE = 4_000, 20_000, 4
"""After a proved win, shorter ones are searched with 1/SHORTENING_SHARE of the nodes, within these limits. The
largest takes about 20 ms, so that a stop still takes effect in time."""

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


class PenteSearcher(ThreadedSearcher):
    """A search from one root; values are in thousandths of a win."""

    top = 1000

    def __init__(
        self, shared: SharedState, root: RootPosition, threads: KernelThreads, *, node_limit: int | None
    ) -> None:
        super().__init__(threads, shared.works, node_limit)
        self.win_lengths: dict[Move, int] = {}  # plies to a proved win or loss, by root move
        self._moves: frozenset[Move] = frozenset()  # the root moves of the current search
        # A shorter win than the first one found, as (plies, move), and whether none takes only two stones.
        self._shorter: tuple[tuple[int, Move] | None, bool] | None = None
        if root.stones_per_turn == 1:  # compile both before the clock starts
            shared.threads[0].shorter_win(root, 0, 0)
            shared.threads[0].winning_line(root, Move(0), 0, 0)
        self._shared = shared
        self._root = root
        self._first = Move(0)

    def steps(self, depth: int | None) -> Iterable[Step]:
        for plies in range(1, min(depth or MAX_DEPTH, MAX_DEPTH) + 1):
            yield Step(plies, ASPIRATION_WINDOW)

    def kernel_calls(self, moves: Sequence[Move]) -> tuple[Sequence[Callable[[], None]], bool]:
        shared, root, depth = self._shared, self._root, self._step.depth
        width = int(shared.works[0].width)
        # With two stones per turn, half the width still leaves a quarter of all pairs.
        max_moves = 2 * width if root.stones_per_turn == 1 else width // 2
        ordered, count = order_root_moves(shared.threads[0], root, moves, max(1, max_moves))
        if depth > 1:  # the driver puts the best move of the last iteration first
            index = ordered.index(moves[0])
            ordered = [moves[0], *ordered[:index], *ordered[index + 1 :]]
            count += index >= count
        self._first = ordered[0]
        self._moves = frozenset(moves)
        works = shared.works
        works["colour"], works["root_depth"], works["promising_count"] = root.colour, depth, count
        works["alpha"] = largest_score_not_above(self._alpha)
        works["beta"] = smallest_score_not_below(self._beta)
        first = np.array(ordered, np.int64)
        calls = []
        for index, thread in enumerate(shared.threads):
            # Each thread starts with a different move, so that they do not duplicate work.
            order = first.copy()
            order[1:count] = np.roll(order[1:count], -index)
            calls.append(partial(thread.search, shared, root, order))
        return calls, depth <= MAX_INLINE_DEPTH

    def found(self) -> Found | None:
        record = self.best_record()
        if record is None:
            # Stopped before the first move was searched: return the most promising one.
            return Found(0, False, False, (self._first,)) if self._step.depth == 1 and not self._done else None
        value, move = int(record.best_value), Move(int(record.best_move))
        units = to_win_units(value)
        if not (self._done or units > self._alpha):
            return None
        if value <= -scores.PROVED_WIN and not record.complete:
            units = -UNPROVED_WIN_UNITS
        if abs(units) != 1000:
            self.win_lengths.pop(move, None)
            return Found(units, False, False, self._line(move))
        plies, line = scores.MATE - abs(value), self._line(move)
        if units == 1000 and plies > 3 and self._root.stones_per_turn == 1:
            plies, line = self._shorten(plies, line)
        self.win_lengths[line[0]] = plies
        return Found(units, units == 1000, units == -1000, line)

    def is_shortest(self, stones: int, *, won: bool) -> bool:
        """Whether a proved win or loss with this number of the winner's stones (or turns) cannot be shorter.

        Immediate wins are never missed, so two is the least if there is none. Three is if everything was tried.
        """
        return stones <= 2 or (stones == 3 and won and self._shorter is not None and self._shorter[1])

    def _shorten(self, plies: int, line: tuple[Move, ...]) -> tuple[int, tuple[Move, ...]]:
        """A shorter win by one of the moves that are searched, if one is found, else the given one."""
        thread, root = self._shared.threads[0], self._root
        if self._shorter is None:
            nodes = self._shortening_nodes()
            self._shorter = thread.shorter_win(root, (plies + 1) // 2, nodes)  # the next `run` counts its nodes
        win = self._shorter[0]
        is_shorter = win is not None and win[0] < plies and win[1] in self._moves
        if win is None or not is_shorter:
            win = plies, line[0]
        resisting = thread.winning_line(root, win[1], (win[0] + 1) // 2, self._shortening_nodes())
        return win[0], resisting if is_shorter or len(resisting) > len(line) else line

    def _shortening_nodes(self) -> int:
        """The node budget for shorter wins: a share of the search so far, or of its limit."""
        used = int(self._records["nodes"].sum())
        limit = used if self._node_limit is None else self._node_limit
        nodes = min(MAX_SHORTENING_NODES, max(MIN_SHORTENING_NODES, limit // SHORTENING_SHARE))
        return nodes if self._node_limit is None else max(0, min(nodes, self._node_limit - used))

    def _line(self, move: Move) -> tuple[Move, ...]:
        """The principal variation as far as the tables have it."""
        root, shared = self._root, self._shared
        if move in root.winning_points(int(root.colour)):
            return (move,)
        out = np.zeros(40, np.int64)
        root.play(move)
        count = entry_points.principal_variation(
            root.boards, root.patterns, shared.table, shared.threads[0].threat_table, root.colour, out
        )
        root.undo()
        return (move, *(Move(int(point)) for point in out[:count]))
