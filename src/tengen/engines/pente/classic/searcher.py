"""Adapter between the classic search and the iterative-deepening driver."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tengen.core.compiled.rng import mix
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.classic.kernels.candidates import list_candidates
from tengen.engines.pente.classic.kernels.counts import count_board, new_counts
from tengen.engines.pente.classic.kernels.search import one_ply, search
from tengen.engines.pente.classic.kernels.transposition_table import make_table
from tengen.engines.pente.classic.kernels.utility import FORCED_WIN_VALUE
from tengen.engines.pente.classic.search_state import FRAME, MAX_CANDIDATES, MAX_PLIES, SEARCH
from tengen.engines.pente.classic.tunables import settings_record
from tengen.games.pente.record import RECORD
from tengen.search.driver import Found, Step
from tengen.search.kernels.transposition_table import clear_table
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
        self.table, self.values = make_table(settings["table"])
        self.stack = np.zeros(MAX_PLIES + 1, RECORD)
        self.boards = new_counts()
        self.frames = np.zeros(MAX_PLIES + 1, FRAME)
        self.works = np.zeros(1, SEARCH)
        self.records = settings_record(settings)
        self._empty_boards: dict[tuple[int, int, bool], np.ndarray[Any, Any]] = {}

    def clear(self) -> None:
        """Clear the table."""
        clear_table(self.table)

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
        self.boards[0] = self._empty_boards[kind][0]
        self.stack[0] = state
        count_board(self.boards, self.stack)


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
        seed_bits = int(mix(seed))
        memory.records["vision_seed"], memory.records["judgement_seed"] = mix(seed_bits ^ position.key), seed_bits
        for name in SEARCH.names or ():
            if name != "samples":  # large, and only the first `sample_count` are read
                memory.works[name] = 0
        memory.works["viewer"], memory.works["full_window_plies"] = position.states[0].colour, open_plies
        memory.set_root(position)
        self.listed = self._list_moves(position.legal_moves)

    # ---- root moves

    def _list_moves(self, allowed: Sequence[Move]) -> list[Move]:
        """Root moves worth searching, best first, of those in `allowed`."""
        settings, memory = self._settings, self._memory
        width = settings["presort_width"] if settings["presort"] else settings["width"]
        history, frames = memory.works[0].history, memory.frames
        threatened = list_candidates(memory.boards, memory.stack, memory.records, history, frames, width)
        known = set(allowed)
        moves = frames[0].moves[: frames[0].count]
        listed = [Move(int(move)) for move in moves if Move(int(move)) in known]
        if not listed:
            return self._nearest(allowed)
        if settings["presort"] and not threatened:
            listed = self.sorted_by_utility(listed)
        return listed if threatened else listed[: settings["width"]]

    def sorted_by_utility(self, moves: Sequence[Move]) -> list[Move]:
        """Moves by the utility of the position after each, best first."""
        values = np.zeros(len(moves), np.float64)
        memory = self._memory
        one_ply(memory.stack, memory.boards, memory.works, memory.records, np.array(moves, np.int64), values)
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
        max_depth = min(depth or MAX_PLIES, MAX_PLIES)
        return (Step(plies, 2 * _TOP) for plies in range(1, max_depth + 1))

    def begin(self, moves: Sequence[Move], alpha: int, beta: int, step: Step) -> None:
        """Start a search with a full window, ignoring alpha and beta."""
        memory = self._memory
        memory.set_root(self._position)
        self._done = False
        chosen = self._moves_of(moves)[:MAX_CANDIDATES]
        self._first = chosen[0] if step.depth == 1 else None
        memory.frames[0] = 0
        frame, work = memory.frames[0], memory.works[0]
        frame.moves[: len(chosen)] = chosen
        frame.count, frame.budget, frame.close = len(chosen), self._leaves(step.depth), 1
        frame.alpha = frame.floor = frame.best = -math.inf
        frame.beta = math.inf
        work.depth, work.ply, work.entering, work.sample_count = step.depth, 0, 1, 0

    def _leaves(self, depth: int) -> int:
        """Leaf budget of a step: a quarter of the next one, all of it at the requested depth."""
        shift = 2 * (depth - self._depth)
        leaves = int(self._settings["leaves"])
        return max(2, leaves << shift if shift > 0 else leaves >> -shift)

    def run(self, nodes: int, stop: StopFlag) -> bool:
        memory, work = self._memory, self._memory.works[0]
        work.node_limit = self.nodes + nodes
        self._done = search(
            memory.stack, memory.boards, memory.frames, memory.works, memory.records, memory.table, memory.values,
            stop.array,
        )  # fmt: skip
        self.nodes = int(work.nodes)
        return self._done

    def found(self) -> Found | None:
        frame = self._memory.frames[0]
        move = Move(int(frame.best_move))
        if move == 0:
            return None if self._first is None else Found(0, False, False, (self._first,))
        value = float(frame.best)
        self.utilities[move] = value
        if self._done and move in self.listed:  # search it first in the next step
            self.listed.remove(move)
            self.listed.insert(0, move)
        line = tuple(Move(int(one)) for one in frame.line[: frame.length])
        return Found(round(_TOP * to_chances(value, divide=self._settings["divide"])), False, False, line)

    @property
    def samples(self) -> np.ndarray[Any, Any]:
        """Of the last step: ply, number of values and values of each position whose moves were all evaluated."""
        work = self._memory.works[0]
        return np.array(work.samples[: work.sample_count])
