"""The tactical reader: can a string be caught, and can it be saved, with the move and the line that does it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tengen.core.position import Position
from tengen.engines.go.board import Geometry
from tengen.engines.go.kernels import reading_capture as capture
from tengen.engines.go.reading import memory

NODES = 20_000
"""How many positions a question may take, by default."""
MOST_LOOSE = 12
"""How many moves that are not atari an attacker may play at most, in one line."""


class Result(IntEnum):
    """Of a question who may do something, for the side that moves first. The numbers are those of GNU Go."""

    FAILS = 0
    WORKS = 1
    GOOD_KO = 2
    """Works by a ko that the other side has to find the first threat for."""
    BAD_KO = 3
    """Works by a ko that this side has to find the first threat for."""


@dataclass(frozen=True)
class Answer:
    """What reading found. Points are those of the geometry; 0 stands for no move."""

    result: Result
    move: int = 0
    line: tuple[int, ...] = ()
    sure: bool = True
    """Whether this was read to the end; else a limit was reached, and the result is what it looked like then.

    That is no proof: readers try the moves that make sense to them, not all moves."""
    nodes: int = 0


_ATTACK_MODES = (
    (Result.WORKS, capture.DEFENDER_RETAKES),
    (Result.GOOD_KO, capture.NOBODY_RETAKES),
    (Result.BAD_KO, capture.ATTACKER_RETAKES),
)
_DEFENCE_MODES = tuple(
    (result, mode) for (result, _), (_, mode) in zip(_ATTACK_MODES, reversed(_ATTACK_MODES), strict=True)
)


class Tactics:
    """Questions about one position after the other. Its answers depend on the position and the limits alone."""

    def __init__(self, geometry: Geometry, nodes: int = NODES) -> None:
        self.geometry = geometry
        self.nodes = nodes
        self.board = memory.new_board(geometry)
        self._search = memory.new_search()
        self._line = np.zeros(capture.MOST_PLIES + 1, np.int64)
        self._moves = np.zeros(capture.WIDEST, np.int64)

    def load(self, position: Position) -> None:
        """Read this position from now on."""
        memory.load(self.board, self.geometry, position)
        self._search.facts[capture.SALT] = 0
        self._search.table_keys[:] = 0

    # ---- the board as it stands

    def colour(self, point: int) -> int:
        """BLACK, WHITE or EMPTY."""
        return int(self.board.cells[point])

    def liberty_points(self, point: int) -> list[int]:
        """The liberties of the string on a point."""
        words = self.geometry.words
        head = int(self.board.cells[self.geometry.points + point])
        bits = self.board.libs[head * words : (head + 1) * words]
        return [
            liberty for liberty in map(int, self.geometry.inside) if int(bits[liberty >> 6]) >> (liberty & 63) & 1
        ]

    def liberties(self, point: int) -> int:
        """How many liberties the string on a point has."""
        return len(self.liberty_points(point))

    # ---- questions

    def attack(self, point: int, nodes: int = 0, loose: int = MOST_LOOSE) -> Answer:
        """Whether the string on a point is caught if its enemy plays first."""
        sure, spent = True, 0
        for result, mode in _ATTACK_MODES:
            self._begin(mode, (nodes or self.nodes) // (1 if mode == capture.DEFENDER_RETAKES else 4))
            value = capture.attack_string(self.board, self._search, point, loose, self._line)
            spent += int(self._search.facts[capture.NODES])
            if value == capture.CAUGHT:
                line = self._line_found()
                return Answer(result, line[0] if line else 0, line, True, spent)
            sure = sure and value == capture.FREE and not self._search.facts[capture.CUT]
            if not self._search.facts[capture.KO_SEEN]:
                break
        return Answer(Result.FAILS, sure=sure, nodes=spent)

    def defend(self, point: int, nodes: int = 0, loose: int = MOST_LOOSE) -> Answer:
        """Whether the string on a point gets away if its owner plays first."""
        spent, nodes = 0, nodes or self.nodes
        for result, mode in _DEFENCE_MODES:
            strict = mode == capture.ATTACKER_RETAKES
            self._begin(mode, nodes)
            count = capture.list_defences(self.board, self._search, point, self._moves)
            moves = self._moves[:count].copy()
            refuted = np.zeros(count, np.int64)
            standing = capture.refute_defences(self.board, self._search, point, moves, refuted, loose, self._line)
            facts = self._search.facts
            spent += int(facts[capture.NODES])
            whole = facts[capture.NODES] <= facts[capture.LIMIT]
            # That a ko saves it must have been read to the end: deeper than it took to refute all without one.
            if standing and (strict or whole):
                move = int(moves[refuted == 0][0])
                return Answer(result, move, (move,), whole and not facts[capture.CUT], spent)
            if strict:
                loose = int(refuted.max(initial=1)) + 1
                nodes = min(nodes, 4 * spent + 2000)
            if not facts[capture.KO_SEEN]:
                break
        return Answer(Result.FAILS, 0, self._line_found(), True, spent)

    def _begin(self, mode: int, nodes: int) -> None:
        facts = self._search.facts
        facts[capture.NODES], facts[capture.LIMIT], facts[capture.MODE] = 0, nodes, mode
        facts[capture.KO_SEEN] = facts[capture.CUT] = 0
        facts[capture.SALT] += 1
        self._search.killers[:] = 0

    def _line_found(self) -> tuple[int, ...]:
        return tuple(map(int, self._line[1 : 1 + self._line[0]]))
