"""The tactical reader: can a string be caught, and can it be saved, with the move and the line that does it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tengen.core.position import Position
from tengen.engines.go.board import Geometry
from tengen.engines.go.reading import buffers as memory
from tengen.engines.go.reading.kernels import board as boards
from tengen.engines.go.reading.kernels import candidates as lists
from tengen.engines.go.reading.kernels import capture
from tengen.engines.go.reading.kernels import capture_dfpn as hunts
from tengen.engines.go.reading.kernels import life_dfpn as life
from tengen.engines.go.reading.kernels import query as question
from tengen.engines.go.reading.point_sets import Points, numbers_of, points_where
from tengen.engines.go.reading.snapshot import Snapshot

NODES = 200_000
"""How many positions a question may take, by default."""
QUICK = 2_000
"""So many are read by budgets first: that finds the simplest way. Who allows no more wants nothing else."""
ESCAPED = 4
"""A string with more liberties than this, and than it had, has got away from a hunt."""
LIKELY = 5
"""Of a defence that is not proved, how many moves are looked at on their own."""
SPREAD = 5
"""Strings that are further apart are not joined any more."""
MOST_LOOSE = 24
"""The largest budget: twelve promising moves that are not atari, in one line."""


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


FIRST_MODES = (
    (Result.WORKS, lists.DEFENDER_RETAKES),
    (Result.GOOD_KO, lists.NOBODY_RETAKES),
    (Result.BAD_KO, lists.ATTACKER_RETAKES),
)
SECOND_MODES = tuple(
    (result, mode) for (result, _), (_, mode) in zip(FIRST_MODES, reversed(FIRST_MODES), strict=True)
)


class Tactics:
    """Questions about one position after the other. Its answers depend on the position and the limits alone."""

    def __init__(self, geometry: Geometry, nodes: int = NODES) -> None:
        self.geometry = geometry
        self.nodes = nodes
        self.board = memory.new_board(geometry)
        self.search = memory.new_search(geometry)
        self._snapshot: Snapshot | None = None
        self._line = np.zeros(capture.MOST_PLIES + 1, np.int64)
        self._moves = np.zeros(lists.WIDEST + 1, np.int64)
        self._refuted = np.zeros(lists.WIDEST + 1, np.int64)
        self._hunts: life.Arrays | None = None
        self._found = np.zeros(3, np.int64)

    def load(self, position: Position) -> None:
        """Read this position from now on."""
        memory.load(self.board, self.geometry, position)
        self._snapshot = None

    # ---- the board as it stands

    @property
    def snapshot(self) -> Snapshot:
        """The board as it is now."""
        if self._snapshot is None:
            self._snapshot = Snapshot(self.board, self.geometry)
        return self._snapshot

    def colour(self, point: int) -> int:
        """BLACK, WHITE or EMPTY."""
        return int(self.board.cells[point])

    def liberty_points(self, point: int) -> list[int]:
        """The liberties of the string on a point."""
        return numbers_of(self.snapshot.liberties(point))

    def liberties(self, point: int) -> int:
        """How many liberties the string on a point has."""
        head = int(self.board.cells[self.geometry.points + point])
        return int(self.board.cells[3 * self.geometry.points + head])

    # ---- questions

    def attack(self, point: int, nodes: int = 0, loose: int = MOST_LOOSE) -> Answer:
        """Whether the string on a point is caught if its enemy plays first."""
        return self._reach(point, 0, nodes, loose)

    def defend(self, point: int, nodes: int = 0, loose: int = MOST_LOOSE) -> Answer:
        """Whether the string on a point gets away if its owner plays first."""
        return self._prevent(point, 0, nodes, loose)

    def defences(self, point: int, nodes: int = 0) -> list[int]:
        """All moves by which the owner of the string on a point, who plays first, saves it without a ko."""
        self.begin(lists.ATTACKER_RETAKES, nodes or self.nodes)
        self._ask(point, MOST_LOOSE, preventing=True)
        count = int(np.flatnonzero(self._moves == 0)[0])
        return [int(move) for move in self._moves[:count][self._refuted[:count] == 0]]

    @contextmanager
    def trying(self, point: int, colour: int) -> Iterator[bool]:
        """For as long as this lasts, a move is on the board; whether it is legal, else nothing is played."""
        facts = self.board.facts
        before = facts.copy()
        legal = bool(boards.try_move(self.board, point, colour))
        snapshot, self._snapshot = self._snapshot, None
        try:
            yield legal
        finally:
            self._snapshot = snapshot
            boards.take_back_to(self.board, int(before[boards.LOGGED]), int(before[boards.LOGGED_WORDS]))
            facts[boards.KO], facts[boards.KO_FOR] = before[boards.KO], before[boards.KO_FOR]

    def connect(self, point: int, other: int, nodes: int = 0) -> Answer:
        """Whether the strings on two points, of one colour, become one if their owner plays first."""
        return self._reach(point, other, nodes or self.nodes // 2, MOST_LOOSE)

    def disconnect(self, point: int, other: int, nodes: int = 0) -> Answer:
        """Whether the strings on two points, of one colour, are kept apart if their enemy plays first."""
        return self._prevent(point, other, nodes or self.nodes // 2, MOST_LOOSE)

    def _reach(self, point: int, other: int, nodes: int, loose: int) -> Answer:
        """Whether the side whose goal it is reaches it by moving first: to catch, or to join with the other."""
        sure, spent, nodes = True, 0, nodes or self.nodes
        refuted = False
        for result, mode in FIRST_MODES:
            limit = nodes // (1 if mode == lists.DEFENDER_RETAKES else 4)
            self.begin(mode, min(limit, QUICK) if loose else limit, other)
            value = self._ask(point, loose, preventing=False)
            facts = self.search.facts
            spent += int(facts[lists.NODES])
            if value == capture.CAUGHT:
                line = self._line_found()
                return Answer(result, line[0] if line else 0, line, True, spent)
            read = value == capture.FREE and not facts[lists.CUT]
            ko_seen = bool(facts[lists.KO_SEEN])
            if not read and loose and limit > QUICK:
                value, move = self._hunt(point, mode, limit, other, preventing=False)
                spent += int(facts[lists.NODES])
                ko_seen |= bool(facts[lists.KO_SEEN])
                if value == capture.CAUGHT:
                    if result is Result.GOOD_KO and not refuted:
                        result = Result.WORKS  # that a ko is needed was not shown
                    return Answer(result, move, (move,), refuted or sure, spent)
                read = value == capture.FREE
            refuted |= read
            sure = sure and read
            if not ko_seen:
                break
        return Answer(Result.FAILS, sure=sure, nodes=spent)

    def _prevent(self, point: int, other: int, nodes: int, loose: int) -> Answer:
        """Whether the other side can prevent that by moving first."""
        nodes = nodes or self.nodes
        if not loose or nodes <= QUICK:
            return self._prevent_quickly(point, other, nodes, loose)
        spent = 0
        for result, mode in SECOND_MODES:
            value, move = self._hunt(point, mode, nodes, other, preventing=True)
            facts = self.search.facts
            spent += int(facts[lists.NODES])
            if value == capture.UNKNOWN and result is Result.WORKS:
                move = self._likely(point, mode, nodes, other)
                return Answer(result, move, (move,), False, spent)
            if value == capture.FREE:
                if not move:  # nothing needs to be done: the move that looks best
                    move = self._prevent_quickly(point, other, QUICK, loose).move
                return Answer(result, move, (move,), True, spent)
            if not facts[lists.KO_SEEN]:
                break
        return Answer(Result.FAILS, 0, self._punishment(point, other, loose), True, spent)

    def _likely(self, point: int, mode: int, nodes: int, other: int) -> int:
        """Of the moves that were neither refuted nor proved to hold, the first that stands a hunt of its own."""
        count = min(int(np.flatnonzero(self._moves == 0)[0]), LIKELY)
        moves = [int(move) for move in self._moves[:count]]
        colour = self.colour(point) if not other else 3 - self.colour(point)
        for move in moves:
            with self.trying(move, colour) as legal:
                if (
                    legal
                    and self._hunt(point, mode, nodes // LIKELY, other, preventing=False)[0] != capture.CAUGHT
                ):
                    return move
        return moves[0] if moves else 0

    def _punishment(self, point: int, other: int, loose: int) -> tuple[int, ...]:
        """What follows on the best answer to an attack that nothing prevents."""
        self._prevent_quickly(point, other, QUICK, loose)
        return self._line_found()

    def _prevent_quickly(self, point: int, other: int, nodes: int, loose: int) -> Answer:
        """The same by budgets alone."""
        spent = 0
        for result, mode in SECOND_MODES:
            strict = mode == lists.ATTACKER_RETAKES
            self.begin(mode, nodes, other)
            standing = self._ask(point, loose, preventing=True)
            count = int(np.flatnonzero(self._moves == 0)[0])
            answers, refuted = self._moves[:count], self._refuted[:count]
            facts = self.search.facts
            spent += int(facts[lists.NODES])
            whole = facts[lists.NODES] <= facts[lists.LIMIT]
            # That a ko saves it must have been read to the end: deeper than it took to refute all without one.
            if standing and (strict or whole):
                move = int(answers[refuted == 0][0])
                return Answer(result, move, (move,), whole and not facts[lists.CUT], spent)
            if strict:
                loose = int(refuted.max(initial=1)) + 1
                nodes = min(nodes, 4 * spent + 2000)
            if not facts[lists.KO_SEEN]:
                break
        return Answer(Result.FAILS, 0, self._line_found(), True, spent)

    def _hunt(self, point: int, mode: int, nodes: int, other: int, *, preventing: bool) -> tuple[int, int]:
        """CAUGHT, FREE or UNKNOWN by proof numbers, and the move that is best."""
        if self._hunts is None:
            self._hunts = memory.new_life(self.geometry)
        self.begin(mode, nodes, other)
        self._hunts.salt[0] += np.uint64(1) << np.uint64(32)
        colour = self.colour(point)
        turn = colour if preventing != bool(other) else 3 - colour
        most = SPREAD if other else max(ESCAPED, self.liberties(point))
        hunts.hunt_string(self.board, self.search, self._hunts, point, turn, most, self._found, self._moves)
        phi, delta, move = map(int, self._found)
        if phi and delta:
            return capture.UNKNOWN, move
        return capture.FREE if (phi == 0) == preventing else capture.CAUGHT, move

    def _ask(self, point: int, loose: int, *, preventing: bool) -> int:
        return int(
            question.read_string(
                self.board, self.search, point, loose, preventing, self._moves, self._refuted, self._line
            )
        )

    def begin(self, mode: int, nodes: int, other: int = 0) -> None:
        """Set the facts of a search: who may retake a ko, its limit, and a string to join.

        Its answer then depends on nothing that was read before, nor on stones that it never comes near: the key of
        a position is what was changed since, and of what the table has only the same question's counts.
        """
        facts = self.search.facts
        facts[lists.NODES], facts[lists.LIMIT], facts[lists.MODE], facts[lists.OTHER] = 0, nodes, mode, other
        facts[lists.KO_SEEN] = facts[lists.CUT] = 0
        facts[lists.SALT] += 1
        self.search.killers[:] = 0
        self.search.wins[:] = 0
        self.board.key[0] = 0

    def touched(self) -> Points:
        """The points where a stone was tried since this was asked last."""
        found = points_where(self.search.touched)
        self.search.touched[:] = 0
        return found

    def _line_found(self) -> tuple[int, ...]:
        return tuple(map(int, self._line[1 : 1 + self._line[0]]))
