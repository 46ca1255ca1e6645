"""The classic search at a root, as the driver of iterative deepening wants it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tengen.core.compiled.rng import mix
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.classic.kernels import search as kernel
from tengen.engines.pente.classic.kernels.candidates import ALL_LEVELS, MOST, list_candidates
from tengen.engines.pente.classic.kernels.counts import count_board, new_counts
from tengen.engines.pente.classic.kernels.transposition_table import make_table
from tengen.engines.pente.classic.kernels.utility import SURELY
from tengen.engines.pente.classic.tunables import genome
from tengen.search.driver import Found, Step
from tengen.search.limits import StopFlag

USUAL_DEPTH = 6
"""What a budget of leaves is meant for if no depth is asked for."""
_TOP = 1000
_HALF_WON = 20_000.0
"""A difference of scores that is shown as half a win."""


class Memory:
    """What one engine keeps from search to search."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settings = settings
        self.tables = make_table(settings["table"])
        self.room = kernel.make_room(*genome(settings), self.tables)
        self._bare: dict[tuple[int, int, bool], np.ndarray[Any, Any]] = {}

    def forget(self) -> None:
        """Empty the table."""
        for array in self.tables:
            array.fill(0)

    def set_root(self, position: Position) -> None:
        """Count a position's board. That of an empty board of its kind is kept: it is the larger part of it."""
        state = position.states[0]
        kind = int(state.width), int(state.longest), bool(state.exact)
        if kind not in self._bare:
            bare, empty = new_counts(), position.states.copy()
            stones = empty["pente_stones"]
            stones[(stones == 1) | (stones == 2)] = 0
            count_board(bare, empty)
            self._bare[kind] = bare
        self.room.boards[0] = self._bare[kind][0]
        self.room.stack[0] = state
        count_board(self.room.boards, self.room.stack)


def squashed(value: float, *, divide: bool) -> float:
    """A utility as chances from -1 to 1, for people and reports."""
    if abs(value) >= SURELY:
        return math.copysign(0.999, value)
    share = (value - 1) / (value + 1) if divide else value / (abs(value) + _HALF_WON)
    return 0.99 * share


class ClassicSearcher:
    """A search from one root. `utilities` has what each move that was found is worth to the side to move."""

    top = _TOP

    def __init__(
        self, memory: Memory, position: Position, *, seed: int, depth: int | None, open_plies: int = 0
    ) -> None:
        """`depth` is what the leaves of a budget are for; moves of the first `open_plies` get all their values."""
        self.nodes = 0
        self.utilities: dict[Move, float] = {}
        self._memory = memory
        self._settings = memory.settings
        self._position = position
        self._depth = depth or USUAL_DEPTH
        self._done = False
        self._first: Move | None = None  # of the first step: what there is to play before anything was searched
        room = memory.room
        room.killers.fill(0)
        room.history.fill(0)
        room.tally.fill(0)
        lucky = int(mix(seed))
        room.luck[:] = mix(lucky ^ position.key), lucky
        self._control = np.zeros(kernel.CONTROL_SIZE, np.int64)
        self._control[kernel.VIEWER] = position.states[0].colour
        self._control[kernel.OPEN] = open_plies
        memory.set_root(position)
        self.listed = self._list_moves(position.legal_moves)

    # ---- the root's moves

    def _list_moves(self, allowed: Sequence[Move]) -> list[Move]:
        """Those of the root that are worth a search, best first; `allowed` are those to choose from."""
        settings, room = self._settings, self._memory.room
        kinds = room.kinds[0]
        width = settings["start"] if settings["presort"] else settings["width"]
        count, threatened = list_candidates(
            room.boards, room.stack, room.genome, room.history, room.luck[0], ALL_LEVELS, width,
            room.moves[0], room.worths, kinds,
        )  # fmt: skip
        known = set(allowed)
        listed = [Move(int(move)) for move in room.moves[0, :count] if Move(int(move)) in known]
        if not listed:
            return self._nearest(allowed)
        if settings["presort"] and not threatened:
            listed = self.sorted_by_utility(listed)
        return listed if threatened else listed[: settings["width"]]

    def sorted_by_utility(self, moves: Sequence[Move]) -> list[Move]:
        """Moves by what the position after each seems to be worth, the best first."""
        values = np.zeros(len(moves), np.float64)
        kernel.one_ply(self._memory.room, self._control, np.array(moves, np.int64), values)
        return [moves[index] for index in np.argsort(-values, kind="stable")]

    def _nearest(self, moves: Sequence[Move]) -> list[Move]:
        """Where no move serves for anything: those nearest to the middle."""
        game = self._position.game
        middle = (int(self._position.states[0].width) - 1) / 2

        def distance(move: Move) -> float:
            return sum((line - middle) ** 2 for line in game.points(move)[0])

        return sorted(moves, key=distance)[: self._settings["width"]]

    def _moves_of(self, allowed: Sequence[Move]) -> list[Move]:
        """The listed moves that may be chosen; where none of them may, the best of the others."""
        known = set(allowed)
        listed = [move for move in self.listed if move in known]
        return listed or self.sorted_by_utility(allowed)[: self._settings["width"]]

    # ---- what the driver asks for

    def steps(self, depth: int | None) -> Iterable[Step]:
        most = min(depth or kernel.MOST_PLIES, kernel.MOST_PLIES)
        return (Step(plies, 2 * _TOP) for plies in range(1, most + 1))

    def begin(self, moves: Sequence[Move], alpha: int, beta: int, step: Step) -> None:
        """A search with an open window: the driver's is as wide as can be."""
        room, control = self._memory.room, self._control
        self._memory.set_root(self._position)
        self._done = False
        chosen = self._moves_of(moves)[:MOST]
        self._first = chosen[0] if step.depth == 1 else None
        room.moves[0, : len(chosen)] = chosen
        room.kinds[0, : len(chosen)] = 0
        room.frames[0] = 0
        room.frames[0, kernel.COUNT] = len(chosen)
        room.frames[0, kernel.BUDGET] = self._leaves(step.depth)
        room.frames[0, kernel.CLOSE] = 1
        room.reals[0, kernel.ALPHA] = room.reals[0, kernel.FLOOR] = room.reals[0, kernel.BEST] = -math.inf
        room.reals[0, kernel.BETA] = math.inf
        control[kernel.DEPTH] = step.depth
        control[kernel.PLY] = 0
        control[kernel.ENTERING] = 1
        control[kernel.SAMPLED_SO_FAR] = 0

    def _leaves(self, depth: int) -> int:
        """The budget of a step: a quarter of the next one's, all of it at the depth that is asked for."""
        shift = 2 * (depth - self._depth)
        leaves = int(self._settings["leaves"])
        return max(2, leaves << shift if shift > 0 else leaves >> -shift)

    def run(self, nodes: int, stop: StopFlag) -> bool:
        self._control[kernel.NODE_LIMIT] = self.nodes + nodes
        self._done = kernel.search(self._memory.room, self._control, stop.array)
        self.nodes = int(self._control[kernel.NODES])
        return self._done

    def found(self) -> Found | None:
        room = self._memory.room
        move = Move(int(room.frames[0, kernel.BEST_MOVE]))
        if move == 0:
            return None if self._first is None else Found(0, False, False, (self._first,))
        value = float(room.reals[0, kernel.BEST])
        self.utilities[move] = value
        if self._done and move in self.listed:  # first in the next step
            self.listed.remove(move)
            self.listed.insert(0, move)
        line = tuple(Move(int(one)) for one in room.lines[0, : room.lengths[0]])
        return Found(round(_TOP * squashed(value, divide=self._settings["divide"])), False, False, line)

    @property
    def samples(self) -> np.ndarray[Any, Any]:
        """Of the last step: ply, number of values and the values, of each position whose moves were all valued."""
        return np.array(self._memory.room.samples[: self._control[kernel.SAMPLED_SO_FAR]])
