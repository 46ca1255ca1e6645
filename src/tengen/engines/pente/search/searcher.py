"""The Pente kernels as the driver of iterative deepening wants them: begun, looked after, and ended.

They recurse, so they run in threads of their own, without the GIL, while the driver looks every few milliseconds
whether time, nodes or a stop ends them.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np

from tengen.core.game import Move
from tengen.engines.pente.kernels import entry_points as entry
from tengen.engines.pente.kernels import workspace as work
from tengen.engines.pente.search.kernels import scores as values
from tengen.engines.pente.search.kernels.evaluation import LIMIT, SCALE
from tengen.engines.pente.search_threads import Memory, Root, promising
from tengen.search.driver import Found, Step
from tengen.search.limits import StopFlag

LOOK = 0.0005, 0.01
"""Seconds between two looks at a running search: soon at first, seldom later."""
QUICK = 2
"""A search to so many plies is over before a thread would have begun."""
DEEPEST = 60
WINDOW = 40
"""Half the width of the first window, in thousandths of a win."""
BEST, SURE = 998, 999
"""The largest guess, and what is as good as won, in thousandths of a win; a win is 1000."""

_WINS = [round(BEST * math.tanh(value / (2 * SCALE))) for value in range(-LIMIT, LIMIT + 1)]


def in_wins(value: int) -> int:
    """A value of the kernels in thousandths of a win."""
    if abs(value) >= values.PROVED:
        return 1000 if value > 0 else -1000
    if abs(value) > LIMIT:
        return SURE if value > 0 else -SURE
    return _WINS[value + LIMIT]


def floor_of(wins: int) -> int:
    """The largest value that is not above so many thousandths of a win."""
    if wins >= BEST:
        return values.PROVED - 1 if wins < 1000 else 2 * values.MATE
    if wins < -BEST:
        return -values.PROVED if wins > -1000 else -2 * values.MATE
    return bisect.bisect_right(_WINS, wins) - 1 - LIMIT


def ceiling_of(wins: int) -> int:
    """The least value that is not below so many thousandths of a win."""
    return -floor_of(-wins)


class PenteSearcher:
    """A search from one root. To be closed at the end, so that no thread goes on."""

    top = 1000

    def __init__(self, memory: Memory, root: Root, pool: ThreadPoolExecutor, *, most_nodes: int | None) -> None:
        self.nodes = 0
        self.lengths: dict[Move, int] = {}  # plies to proved ends, by root move
        self._memory = memory
        self._root = root
        self._pool = pool
        self._most_nodes = most_nodes
        self._running: list[Future[None]] = []
        self._floor = 0
        self._look = LOOK[0]
        self._done = False
        self._first, self._depth = Move(0), 0

    def steps(self, depth: int | None) -> Iterable[Step]:
        for plies in range(1, min(depth or DEEPEST, DEEPEST) + 1):
            yield Step(plies, WINDOW)

    def begin(self, moves: Sequence[Move], alpha: int, beta: int, step: Step) -> None:
        self._halt()
        self._floor = alpha
        memory = self._memory
        width = int(memory.places[0].work[work.WIDTH])
        # Of two stones each may go to many points: half of them, that is a quarter of the pairs.
        most = 2 * width if self._root.stones == 1 else width // 2
        ordered, count = promising(memory.places[0], self._root, moves, max(1, most))
        if step.depth > 1:  # the driver has the best of the last round first
            place = ordered.index(moves[0])
            ordered = [moves[0], *ordered[:place], *ordered[place + 1 :]]
            count += place >= count
        self._first, self._depth = ordered[0], step.depth
        memory.stop[0] = 0
        self._done = False
        floor, ceiling = floor_of(alpha), ceiling_of(beta)
        left = 1 << 60 if self._most_nodes is None else max(0, self._most_nodes - memory.nodes)
        quick = step.depth <= QUICK
        share = left if quick else -(-left // len(memory.places))
        for thread in memory.places:
            thread.work[work.MOST_NODES] = thread.work[work.NODES] + share
            thread.work[work.HALT] = 0
            thread.found[work.BEST_MOVE], thread.found[work.DONE] = 0, 0
        first = np.array(ordered, np.int64)
        if quick:
            memory.places[0].search(memory, self._root, first, count, floor, ceiling, step.depth)
            return
        self._look = LOOK[0]
        self._running = []
        for index, thread in enumerate(memory.places):
            # The others begin elsewhere, so that the threads do not all do the same.
            order = first.copy()
            order[1:count] = np.roll(order[1:count], -index)
            arguments = (memory, self._root, order, count, floor, ceiling, step.depth)
            self._running.append(self._pool.submit(thread.search, *arguments))

    def run(self, nodes: int, stop: StopFlag) -> bool:
        """Look after the search for a moment; whoever is done first ends it for all."""
        running = [future for future in self._running if not future.done()]
        if running and not stop.is_set:
            wait(running, timeout=self._look, return_when=FIRST_COMPLETED)
            self._look = min(2 * self._look, LOOK[1])
        for future in self._running:
            if future.done():
                future.result()  # for its error
        self.nodes = self._memory.nodes
        self._done = any(place.found[work.DONE] for place in self._memory.places)
        if self._done:
            self._halt()
        return self._done

    def found(self) -> Found | None:
        self._halt()
        places = [place for place in self._memory.places if place.found[work.BEST_MOVE] > 0]
        if self._done:
            places = [place for place in places if place.found[work.DONE]]
        if not places:
            # Not even a first glance was finished: what looks most promising is better than any move.
            return Found(0, False, False, (self._first,)) if self._depth == 1 and not self._done else None
        found = max(places, key=lambda place: int(place.found[work.BEST])).found
        value, move = int(found[work.BEST]), Move(int(found[work.BEST_MOVE]))
        wins = in_wins(value)
        if not (self._done or wins > self._floor):
            return None
        if value <= -values.PROVED and not found[work.COMPLETE]:
            wins = -SURE
        if abs(wins) == 1000:
            self.lengths[move] = values.MATE - abs(value)
        else:
            self.lengths.pop(move, None)
        return Found(wins, wins == 1000, wins == -1000, self._line(move))

    def close(self) -> None:
        self._halt()

    def _halt(self) -> None:
        self._memory.stop[0] = 1
        for place in self._memory.places:
            place.work[work.HALT] = 1
        wait(self._running)
        self._running = []

    def _line(self, move: Move) -> tuple[Move, ...]:
        """The principal variation as far as it is remembered."""
        if move in self._root.winning_points(int(self._root.colour)):
            return (move,)
        place, memory = self._memory.places[0], self._memory
        out = np.zeros(40, np.int64)
        self._root.play(move)
        count = entry.principal_line(
            self._root.boards,
            self._root.patterns,
            memory.table,
            place.memo,
            self._root.colour,
            out,
        )
        self._root.take_back()
        return (move, *(Move(int(point)) for point in out[:count]))
