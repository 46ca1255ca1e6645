"""Adapter between the classic search and the iterative-deepening driver."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tengen.core.compiled.rng import mix
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.classic.kernels import search as kernel
from tengen.engines.pente.classic.kernels.candidates import ALL_LEVELS, MAX_CANDIDATES, list_candidates
from tengen.engines.pente.classic.kernels.counts import count_board, new_counts
from tengen.engines.pente.classic.kernels.transposition_table import make_table
from tengen.engines.pente.classic.kernels.utility import FORCED_WIN_VALUE
from tengen.engines.pente.classic.tunables import settings_arrays
from tengen.search.driver import Found, Step
from tengen.search.limits import StopFlag

DEFAULT_BUDGET_DEPTH = 6
"""Depth at which a budget of leaves is spent, if no depth is given."""
_TOP = 1000
_HALF_WIN_DIFFERENCE = 20_000.0
"""A difference of scores that is shown as half a win."""


class SearchMemory:
    """State that an engine keeps between searches."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settings = settings
        self.tables = make_table(settings["table"])
        self.buffers = kernel.make_buffers(*settings_arrays(settings), self.tables)
        self._empty_boards: dict[tuple[int, int, bool], np.ndarray[Any, Any]] = {}

    def clear(self) -> None:
        """Clear the table."""
        for array in self.tables:
            array.fill(0)

    def set_root(self, position: Position) -> None:
        """Count a position's board. Counts of the empty board are cached: they are most of the work."""
        state = position.states[0]
        kind = int(state.width), int(state.longest), bool(state.exact)
        if kind not in self._empty_boards:
            empty_board, empty = new_counts(), position.states.copy()
            stones = empty["pente_stones"]
            stones[(stones == 1) | (stones == 2)] = 0
            count_board(empty_board, empty)
            self._empty_boards[kind] = empty_board
        self.buffers.boards[0] = self._empty_boards[kind][0]
        self.buffers.stack[0] = state
        count_board(self.buffers.boards, self.buffers.stack)


def to_chances(value: float, *, divide: bool) -> float:
    """A utility as winning chances from -1 to 1, for reports."""
    if abs(value) >= FORCED_WIN_VALUE:
        return math.copysign(0.999, value)
    share = (value - 1) / (value + 1) if divide else value / (abs(value) + _HALF_WIN_DIFFERENCE)
    return 0.99 * share


class ClassicSearcher:
    """A search from one root. `utilities` has the utility of each searched move for the side to move."""

    top = _TOP

    def __init__(
        self, memory: SearchMemory, position: Position, *, seed: int, depth: int | None, open_plies: int = 0
    ) -> None:
        """`depth` is where a leaf budget is spent; the first `open_plies` plies get exact values of all moves."""
        self.nodes = 0
        self.utilities: dict[Move, float] = {}
        self._memory = memory
        self._settings = memory.settings
        self._position = position
        self._depth = depth or DEFAULT_BUDGET_DEPTH
        self._done = False
        self._first: Move | None = None  # played if the first step is stopped early
        buffers = memory.buffers
        buffers.killers.fill(0)
        buffers.history.fill(0)
        buffers.tally.fill(0)
        seed_bits = int(mix(seed))
        buffers.seeds[:] = mix(seed_bits ^ position.key), seed_bits
        self._control = np.zeros(kernel.CONTROL_SIZE, np.int64)
        self._control[kernel.VIEWER] = position.states[0].colour
        self._control[kernel.FULL_WINDOW_PLIES] = open_plies
        memory.set_root(position)
        self.listed = self._list_moves(position.legal_moves)

    # ---- root moves

    def _list_moves(self, allowed: Sequence[Move]) -> list[Move]:
        """Root moves worth searching, best first, of those in `allowed`."""
        settings, buffers = self._settings, self._memory.buffers
        kinds = buffers.kinds[0]
        width = settings["presort_width"] if settings["presort"] else settings["width"]
        count, threatened = list_candidates(
            buffers.boards, buffers.stack, buffers.settings, buffers.history, buffers.seeds[0], ALL_LEVELS, width,
            buffers.moves[0], buffers.priorities, kinds,
        )  # fmt: skip
        known = set(allowed)
        listed = [Move(int(move)) for move in buffers.moves[0, :count] if Move(int(move)) in known]
        if not listed:
            return self._nearest(allowed)
        if settings["presort"] and not threatened:
            listed = self.sorted_by_utility(listed)
        return listed if threatened else listed[: settings["width"]]

    def sorted_by_utility(self, moves: Sequence[Move]) -> list[Move]:
        """Moves by the utility of the position after each, best first."""
        values = np.zeros(len(moves), np.float64)
        kernel.one_ply(self._memory.buffers, self._control, np.array(moves, np.int64), values)
        return [moves[index] for index in np.argsort(-values, kind="stable")]

    def _nearest(self, moves: Sequence[Move]) -> list[Move]:
        """Without candidates: the moves nearest to the centre."""
        game = self._position.game
        middle = (int(self._position.states[0].width) - 1) / 2

        def distance(move: Move) -> float:
            return sum((line - middle) ** 2 for line in game.points(move)[0])

        return sorted(moves, key=distance)[: self._settings["width"]]

    def _moves_of(self, allowed: Sequence[Move]) -> list[Move]:
        """The listed moves that are allowed; without any, the best of the others."""
        known = set(allowed)
        listed = [move for move in self.listed if move in known]
        return listed or self.sorted_by_utility(allowed)[: self._settings["width"]]

    # ---- driver interface

    def steps(self, depth: int | None) -> Iterable[Step]:
        max_depth = min(depth or kernel.MAX_PLIES, kernel.MAX_PLIES)
        return (Step(plies, 2 * _TOP) for plies in range(1, max_depth + 1))

    def begin(self, moves: Sequence[Move], alpha: int, beta: int, step: Step) -> None:
        """Start a search with a full window, ignoring alpha and beta."""
        buffers, control = self._memory.buffers, self._control
        self._memory.set_root(self._position)
        self._done = False
        chosen = self._moves_of(moves)[:MAX_CANDIDATES]
        self._first = chosen[0] if step.depth == 1 else None
        buffers.moves[0, : len(chosen)] = chosen
        buffers.kinds[0, : len(chosen)] = 0
        buffers.frames[0] = 0
        buffers.frames[0, kernel.COUNT] = len(chosen)
        buffers.frames[0, kernel.BUDGET] = self._leaves(step.depth)
        buffers.frames[0, kernel.CLOSE] = 1
        buffers.reals[0, kernel.ALPHA] = buffers.reals[0, kernel.FLOOR] = buffers.reals[0, kernel.BEST] = -math.inf
        buffers.reals[0, kernel.BETA] = math.inf
        control[kernel.DEPTH] = step.depth
        control[kernel.PLY] = 0
        control[kernel.ENTERING] = 1
        control[kernel.SAMPLE_COUNT] = 0

    def _leaves(self, depth: int) -> int:
        """Leaf budget of a step: a quarter of the next one, all of it at the requested depth."""
        shift = 2 * (depth - self._depth)
        leaves = int(self._settings["leaves"])
        return max(2, leaves << shift if shift > 0 else leaves >> -shift)

    def run(self, nodes: int, stop: StopFlag) -> bool:
        self._control[kernel.NODE_LIMIT] = self.nodes + nodes
        self._done = kernel.search(self._memory.buffers, self._control, stop.array)
        self.nodes = int(self._control[kernel.NODES])
        return self._done

    def found(self) -> Found | None:
        buffers = self._memory.buffers
        move = Move(int(buffers.frames[0, kernel.BEST_MOVE]))
        if move == 0:
            return None if self._first is None else Found(0, False, False, (self._first,))
        value = float(buffers.reals[0, kernel.BEST])
        self.utilities[move] = value
        if self._done and move in self.listed:  # search it first in the next step
            self.listed.remove(move)
            self.listed.insert(0, move)
        line = tuple(Move(int(one)) for one in buffers.lines[0, : buffers.lengths[0]])
        return Found(round(_TOP * to_chances(value, divide=self._settings["divide"])), False, False, line)

    @property
    def samples(self) -> np.ndarray[Any, Any]:
        """Of the last step: ply, number of values and values of each position whose moves were all evaluated."""
        return np.array(self._memory.buffers.samples[: self._control[kernel.SAMPLE_COUNT]])
