"""The Othello kernels as the driver of iterative deepening wants them: begun, looked after, and ended.

The kernels recurse, so they cannot be run a slice at a time: they run in threads of their own, without the GIL,
while the driver looks every few milliseconds whether time, nodes or a stop ends them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np

from tengen.core.game import Move
from tengen.engines.othello.endgame.kernels import solver as endgame
from tengen.engines.othello.kernels.entry_points import table_line
from tengen.engines.othello.midgame.kernels import search as midgame
from tengen.engines.othello.midgame.kernels.probcut import EXACT, trust
from tengen.engines.othello.search_threads import Memory, Root
from tengen.search.driver import Found, Step
from tengen.search.limits import StopFlag

LOOK = 0.001, 0.01
"""Seconds between two looks at a running search: soon at first, seldom later, since each costs it some time."""
QUICK = 5
"""A search to so many plies is over before a thread would have begun."""
NEARLY = 9
"""So many plies before the end, the rest is solved instead: selectively at first, then for sure."""
AT_ONCE = 22
"""Up to so many empty squares, one selective solution tells enough for the exact one."""
SURE = 18
"""With so few squares left, moves that the table has forgotten are searched for again at once."""
CENTI = 10
"""Thousandths of a disc, in which the driver counts, to a centi-disc."""


class OthelloSearcher:
    """A search from one root. To be closed at the end, so that no thread goes on."""

    def __init__(
        self,
        memory: Memory,
        root: Root,
        pool: ThreadPoolExecutor,
        *,
        level: int,
        most_nodes: int | None,
        only_result: bool,
    ) -> None:
        """`level` is that of the midgame's search; `only_result` asks only who wins."""
        # Where only the result counts, two discs are as good as any more.
        self.top = CENTI * 100 * (2 if only_result else root.size**2)
        self.nodes = 0
        self._memory = memory
        self._root = root
        self._pool = pool
        self._level = level
        self._most_nodes = most_nodes
        self._running: list[Future[None]] = []
        self._step = Step(1, 0)
        self._floor = self._ceiling = 0
        self._look = LOOK[0]
        self._exact = False
        self._done = False

    def steps(self, depth: int | None) -> Iterable[Step]:
        """Plies one after the other; then to the end, at each level of trust."""
        count = self._root.count
        most = min(depth or count, count)
        selective = EXACT if count > AT_ONCE else 1 if count > endgame.DOZEN else 0
        nearly = count - NEARLY
        if self._root.size < 8:  # without patterns, ProbCut leaves nothing out, and deep searches foretell little
            selective, nearly = 0, count // 2
        if count > endgame.DOZEN or most < count:  # who may not look to the end does not, however near it is
            shallow = nearly if most == count else most
            for plies in range(1, min(shallow, most) + 1):
                yield Step(plies, 1000 * 3, trust(self._level) if plies >= midgame.CUT else 100)
        if most == count:
            for level in range(selective):
                yield Step(count, 1000, trust(level))
            yield Step(count, 1000)

    def begin(self, moves: Sequence[Move], alpha: int, beta: int, step: Step) -> None:
        self._halt()
        self._floor, self._ceiling = alpha, beta
        self._step = step
        ends = step.depth >= self._root.count
        self._exact = ends and step.trust == 100
        level = next((level for level in range(EXACT) if trust(level) == step.trust), EXACT)
        if not ends and level == EXACT:
            level = self._level
        squares = self._root.squares(moves)
        memory, root = self._memory, self._root
        memory.stop[0] = 0
        self._done = False
        arguments = (memory, root, squares, alpha // CENTI, -(-beta // CENTI), step.depth, level)
        left = 1 << 60 if self._most_nodes is None else max(0, self._most_nodes - memory.nodes)
        quick = step.depth <= QUICK and not ends  # by one thread, which may use all that is left
        share = left if quick else -(-left // len(memory.places))
        for place in memory.places:
            place.work[endgame.MOST_NODES] = place.work[endgame.NODES] + share
            place.found[midgame.BEST_SQUARE], place.found[midgame.DONE] = -1, 0  # nobody has found anything yet
        if quick:
            memory.places[0].search(*arguments)
        else:
            self._look = LOOK[0]
            self._running = [self._pool.submit(place.search, *arguments) for place in memory.places]

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
        self._done = any(place.found[midgame.DONE] for place in self._memory.places)
        if self._done:
            self._halt()
        return self._done

    def found(self) -> Found | None:
        self._halt()
        places = [place for place in self._memory.places if place.found[midgame.BEST_SQUARE] >= 0]
        if self._done:
            places = [place for place in places if place.found[midgame.DONE]]
        if not places:
            return None
        found = max(places, key=lambda place: int(place.found[midgame.BEST])).found
        value = CENTI * int(found[midgame.BEST])
        if not (self._done or value > self._floor):
            return None
        value = max(-self.top, min(value, self.top))
        sure = self._exact
        if sure and abs(value) < CENTI * 100:
            value = 0  # a draw, whatever it was counted as
        square = int(found[midgame.BEST_SQUARE])
        line = self._line(square, int(found[midgame.BEST]) if self._known(value) else None)
        return Found(value, sure, sure and self._done, line)

    def _known(self, value: int) -> bool:
        """Whether a value is exact, not a bound at the end of what was asked for."""
        return self._exact and self._done and self._floor < value < self._ceiling

    def close(self) -> None:
        self._halt()

    def _halt(self) -> None:
        self._memory.stop[0] = 1
        wait(self._running)
        self._running = []

    def _line(self, square: int, value: int | None = None) -> tuple[Move, ...]:
        """The principal variation as far as the table remembers it; to the very end if the value is known."""
        line, after = [square], self._root.play(square)
        while True:
            ours = 0 if value is None else value if len(line) % 2 == 0 else -value
            squares = np.zeros(max(0, self._step.depth - len(line)) if value is None else 128, np.int64)
            known = table_line(
                *after.boards, self._memory.table, squares, np.int64(value is not None), np.int64(ours)
            )
            for one in squares[:known]:
                after = after.play(int(one))
                line.append(int(one))
            if value is None or after.count > SURE or not after.moves:
                return tuple(self._root.move(one) for one in line)
            best = self._best_move(after, value if len(line) % 2 == 0 else -value)
            line.append(best)
            after = after.play(best)

    def _best_move(self, root: Root, value: int) -> int:
        """A move that keeps an exact value, in centi-discs, with few squares left."""
        place = self._memory.places[0]
        self._memory.stop[0] = 0
        place.work[endgame.MOST_NODES] = 1 << 60
        place.search(self._memory, root, np.array(root.moves), value - 1, value + 1, root.count, EXACT)
        return int(place.found[midgame.BEST_SQUARE])
