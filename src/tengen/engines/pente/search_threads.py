"""A position as the kernels know it, and the memory of a search."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.kernels import entry_points as entry
from tengen.engines.pente.kernels import workspace as work
from tengen.engines.pente.kernels.board import BOARD, STANDING
from tengen.engines.pente.kernels.lines import empty_lines
from tengen.engines.pente.kernels.transposition_table import clear_table, make_table
from tengen.engines.pente.patterns import pattern_table, reach_of
from tengen.engines.pente.search.kernels import move_ordering as ordering
from tengen.engines.pente.search.kernels import pvs as search
from tengen.engines.pente.search.kernels import two_stone_pvs as turn_search
from tengen.engines.pente.search.kernels.evaluation import FEATURES
from tengen.engines.pente.search.weights import load_weights
from tengen.engines.pente.threats.kernels import forced_wins as threats

Array = np.ndarray[Any, Any]

SWITCHES = {
    "fours": work.FOURS,
    "threes": work.THREES,
    "zones": work.ZONES,
    "reductions": work.REDUCTIONS,
    "hashing": work.TABLED,
}
"""The features of the search that can be switched off, by the names of the engine's settings."""
_empty_lines = functools.cache(empty_lines)  # kernels only read them
MEMO = 4 << 20
"""Bytes of a thread's table of forced wins."""


class Root:
    """A position for the kernels: `boards` is one record, whose `patterns` fit its rules."""

    def __init__(self, position: Position) -> None:
        state = position.state
        self.boards = np.zeros(1, BOARD)
        board = self.boards[0]
        board.width, board.longest, board.goal = state.width, state.longest, state.goal
        board.second, board.poof, board.boat = state.second, state.poof, state.boat
        board.row, board.exact, board.a_turn = state.row, state.exact, state.a_turn
        board.reach = reach_of(int(state.row), bool(state.exact))
        self.patterns = pattern_table(int(state.row), bool(state.exact), int(state.longest), int(state.a_turn))
        numbers = np.array([state.captured[0], state.captured[1], state.number, state.five], np.int64)
        entry.set_up(self.boards, self.patterns, _empty_lines(int(state.width)), state.pente_stones, numbers)
        self.colour = np.uint64(state.colour)
        self.stones = int(state.a_turn)
        self._number = int(state.number)

    @property
    def left(self) -> int:
        """Stones that the colour on turn has to place."""
        return self.stones if self._turn_begins else 1

    @property
    def _turn_begins(self) -> bool:
        return self.stones == 1 or self._number % 2 == 1

    def play(self, move: Move) -> None:
        """Play a move of the colour on turn."""
        entry.play(self.boards, self.patterns, np.uint64(move), self.colour)
        self._number += 1
        if self._turn_begins:
            self.colour = np.uint64(1) - self.colour

    def take_back(self) -> None:
        if self._turn_begins:
            self.colour = np.uint64(1) - self.colour
        self._number -= 1
        entry.take_back(self.boards, self.colour)

    def winning_points(self, colour: int) -> list[Move]:
        """Where a colour would win at once, were it on turn."""
        out = np.zeros(512, np.uint16)
        count = entry.winning_points(self.boards, np.uint64(colour), out)
        return [Move(int(point)) for point in dict.fromkeys(out[:count].tolist())]

    def row_stands(self, colour: int) -> bool:
        """Boat: whether a colour has a row that the other side had to break, or still has to."""
        board = self.boards[0]
        point = int(board.hot[STANDING])
        return point != 0 and int(board.stones[point]) == colour + 1


class Place:
    """The memory of one thread."""

    def __init__(self) -> None:
        self.work = np.zeros(work.SIZE, np.int64)
        self.zone = np.zeros(threats.ZONE_WORDS, np.uint64)
        self.memo = make_table(MEMO)
        self.found = np.zeros(4, np.int64)
        self.boards = np.zeros(1, BOARD)

    def search(
        self,
        memory: Memory,
        root: Root,
        moves: Array,
        promising: int,
        alpha: int,
        beta: int,
        depth: int,
    ) -> None:
        """Search these moves in a window; the result is in `found`. Runs without the GIL."""
        self.boards[0] = root.boards[0]
        self.work[work.STOPPED] = 0
        known = (self.boards, root.patterns, memory.table, self.memo)
        means = (self.work, memory.weights, memory.stop)
        window = (np.int64(alpha), np.int64(beta), np.int64(depth))
        asked = (root.colour, moves, np.int64(promising), *window, self.found)
        if root.stones == 1:
            search.search_root(*known, self.zone, *means, *asked)
        else:
            turn_search.search_turns_root(*known, *means, *asked)

    def forced_win(self, root: Root, *, threes: int, nodes: int, last: int) -> tuple[int, Move] | None:
        """A win of the colour on turn, as its length in plies and first move; see `kernels.entry.forced_win`."""
        win = self._forced_win(root, root.colour, threes, nodes, last, None)[0]
        return (win & 0xFFFF, Move(win >> 16)) if win else None

    def threat_answers(self, root: Root, attacker: np.uint64, nodes: int) -> list[Move]:
        """The answers that might disturb a win by fours that an attacker would have on turn."""
        out = np.zeros(512, np.int64)
        count = self._forced_win(root, attacker, 0, nodes, 0, out)[1]
        return [Move(int(point)) for point in out[:count]]

    def _forced_win(
        self, root: Root, colour: np.uint64, threes: int, nodes: int, last: int, out: Array | None
    ) -> tuple[int, int]:
        win, count = entry.forced_win(
            root.boards,
            root.patterns,
            self.memo,
            self.work,
            self.zone,
            colour,
            np.int64(threes),
            np.int64(nodes),
            np.int64(last),
            out is not None,
            np.zeros(1, np.int64) if out is None else out,
        )
        return int(win), int(count)


class Memory:
    """What all threads of an engine share: table, weights, stop."""

    def __init__(self, megabytes: int, threads: int) -> None:
        self.table = make_table(megabytes << 20)
        self.stop = np.zeros(1, np.int64)
        self.places = tuple(Place() for _ in range(threads))
        self.weights = np.zeros(2 * FEATURES, np.int64)
        self.age = 0

    def forget(self) -> None:
        clear_table(self.table)
        for place in self.places:
            clear_table(place.memo)
            place.work[work.KILLERS : work.LISTS] = 0

    def set_up(self, settings: dict[str, Any], seed: int, stones: int) -> None:
        """Begin a search, with these settings of the engine, of a game with so many stones a turn."""
        self.weights = load_weights(settings["captures"], settings["learned"], stones)
        self.age = (self.age + 1) % 64
        switches = sum(bit for name, bit in SWITCHES.items() if settings[name])
        for place in self.places:
            place.work[work.NODES] = 0
            place.work[work.SWITCHES] = switches
            place.work[work.AGE] = self.age
            place.work[work.WIDTH] = settings["width"]
            place.work[work.LEAF] = settings["leaf"]
            place.work[work.INNER] = settings["inner"]
            place.work[work.SHARE] = settings["share"]
            place.work[work.NOISE] = settings["error"]
            place.work[work.VISION] = settings["vision"]
            place.work[work.SEED] = seed
            place.work[work.KILLERS : work.HISTORY] = 0
            place.work[work.HISTORY : work.LISTS] >>= 2

    @property
    def nodes(self) -> int:
        return sum(int(place.work[work.NODES]) for place in self.places)


def promising(place: Place, root: Root, moves: Sequence[Move], most: int) -> tuple[list[Move], int]:
    """Root moves, those that look promising first in their order; and how many these are."""
    out = np.zeros(512, np.int64)
    count = ordering.promising_moves(root.boards, place.work, root.colour, np.int64(most), out)
    allowed = set(moves)
    first = [Move(int(point)) for point in out[:count] if Move(int(point)) in allowed]
    if not first:
        # Nothing near any stone, as at the start: the nearest to the middle will do.
        width = int(root.boards[0].width)

        def far(move: Move) -> float:
            return abs(move % 20 - (width + 1) / 2) + abs(move // 20 - (width + 1) / 2)

        first = sorted(moves, key=far)[:1]
    chosen = set(first)
    return first + [move for move in moves if move not in chosen], len(first)
