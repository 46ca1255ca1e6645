"""The tactical reader: whether strings can be captured, saved, connected or cut, with the move and the line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from tengen.core.position import Position
from tengen.engines.go.board import Array, Geometry
from tengen.engines.go.reading import buffers
from tengen.engines.go.reading.kernels import board as boards
from tengen.engines.go.reading.kernels import candidates, capture
from tengen.engines.go.reading.kernels.capture import Query
from tengen.engines.go.reading.kernels.capture_dfpn import read_string_dfpn
from tengen.engines.go.reading.kernels.connection_dfpn import NARROW, read_connection
from tengen.engines.go.reading.kernels.proof_number_search import Dfpn, repeat_salt
from tengen.engines.go.reading.kernels.query import Answer, read_string
from tengen.engines.go.reading.point_sets import PointSet, list_points, points_where
from tengen.engines.go.reading.snapshot import Snapshot

NODES = 40_000  # default node budget of a query about one string,
CONNECTION_NODES = 100_000  # and about two; with fewer nodes than NODES, half of these
QUICK_NODES = 2_000  # for the budget search, which finds the simplest solution, before proof-number search
ALTERNATIVE_NODES = 2_000  # for another attack, if the first one leaves aji
MAX_CAPTURE_LIBERTIES = 4  # proof-number search: a string with more liberties, and more than at first, has escaped
LIKELY_ODDS = 2.5  # an unfinished attack with at least these odds is searched on,
LIKELY_EFFORTS = ((4, 2.0), (16, 0.0))  # with this many times the nodes, and then as long as the odds are these
KO_SHARE = 4  # the other ko modes get this fraction of the node budget
UNLIKELY_ODDS = 0.5  # an unfinished defence is expected to fail if its odds are at most this
MAX_DEFENCES_RETRIED = 5  # defences searched separately if none is proved
MAX_JOIN_DISTANCE = 5  # strings that are further apart cannot be connected
MAX_BUDGET = 24  # twelve promising non-atari moves of the attacker in one line


class Result(IntEnum):
    """Result for the side that moves first. The numbers are those of GNU Go."""

    FAILS = 0
    WORKS = 1
    GOOD_KO = 2  # works by a ko for which the other side needs the first ko threat
    BAD_KO = 3  # works by a ko for which this side needs the first ko threat

    @property
    def for_other_side(self) -> Result:
        """What it means for the side that moves second."""
        return _OTHER_SIDE[self]

    @property
    def rank(self) -> int:
        """Larger for better results."""
        return _RANKS[self]


_OTHER_SIDE = {
    Result.FAILS: Result.WORKS,
    Result.WORKS: Result.FAILS,
    Result.GOOD_KO: Result.BAD_KO,
    Result.BAD_KO: Result.GOOD_KO,
}
_RANKS = {Result.FAILS: 0, Result.BAD_KO: 1, Result.GOOD_KO: 2, Result.WORKS: 3}


@dataclass(frozen=True)
class ReadResult:
    """Result of a query. Points are those of the geometry; 0 means no move.

    `conclusive` is False if a limit was reached, and `result` is then an estimate. Even a conclusive result is no
    proof: the tactical searches try sensible moves, not all moves.
    """

    result: Result
    move: int = 0
    line: tuple[int, ...] = ()
    conclusive: bool = True
    nodes: int = 0


ATTACK_KO_MODES = (
    (Result.WORKS, candidates.DEFENDER_RETAKES),
    (Result.GOOD_KO, candidates.NOBODY_RETAKES),
    (Result.BAD_KO, candidates.ATTACKER_RETAKES),
)
DEFENCE_KO_MODES = tuple(
    (result, mode) for (result, _), (_, mode) in zip(ATTACK_KO_MODES, reversed(ATTACK_KO_MODES), strict=True)
)


class _Found(NamedTuple):
    """Result of one search."""

    value: int
    nodes: int
    ko_seen: bool  # whether the ko mode mattered
    budget_cut: bool = False  # whether a larger budget could change the result
    odds: float = 1.0  # of an unfinished proof-number search: disproof number / proof number


class TacticalReader:
    """Queries about the loaded position. Results depend only on the position and the limits."""

    def __init__(self, geometry: Geometry, nodes: int = NODES) -> None:
        self.geometry = geometry
        self.nodes = nodes
        self.connection_nodes = CONNECTION_NODES if nodes >= NODES else nodes // 2
        self.board = buffers.new_board(geometry)
        self.search = buffers.new_search(geometry)
        self._snapshot: Snapshot | None = None
        self._answer = Answer(
            moves=np.zeros(candidates.MAX_CANDIDATES + 1, np.int64),
            refuted=np.zeros(candidates.MAX_CANDIDATES + 1, np.int64),
            line=np.zeros(capture.MAX_PLIES + 1, np.int64),
        )
        self._dfpn: Dfpn | None = None

    def load(self, position: Position) -> None:
        """Set the position for the following queries."""
        buffers.load_position(self.board, self.geometry, position)
        self._snapshot = None

    def load_stones(self, colours: Array) -> None:
        """Set a position without history; `colours` has the content of each point, row by row."""
        buffers.load_stones(self.board, self.geometry, colours)
        self._snapshot = None

    @property
    def snapshot(self) -> Snapshot:
        """The current board as Python data."""
        if self._snapshot is None:
            self._snapshot = Snapshot(self.board, self.geometry)
        return self._snapshot

    def colour(self, point: int) -> int:
        """BLACK, WHITE or EMPTY."""
        return int(self.board.cells[point])

    def liberty_points(self, point: int) -> list[int]:
        """Liberties of the string on a point."""
        return list_points(self.snapshot.liberties(point))

    def liberties(self, point: int) -> int:
        """Number of liberties of the string on a point."""
        head = int(self.board.cells[self.geometry.points + point])
        return int(self.board.cells[3 * self.geometry.points + head])

    def attack(self, point: int, nodes: int = 0, max_budget: int = MAX_BUDGET) -> ReadResult:
        """Whether the attacker, moving first, captures the string on a point. With `max_budget` 0, by a ladder."""
        return self._achieve_goal(point, 0, nodes, max_budget)

    def defend(self, point: int, nodes: int = 0, max_budget: int = MAX_BUDGET) -> ReadResult:
        """Whether the owner, moving first, saves the string on a point."""
        return self._prevent_goal(point, 0, nodes, max_budget)

    def defences(self, point: int, nodes: int = 0) -> list[int]:
        """All moves by which the owner, moving first, saves the string on a point without a ko."""
        self._read(Query(point, 0, candidates.ATTACKER_RETAKES, nodes or self.nodes), MAX_BUDGET, preventing=True)
        count = int(np.flatnonzero(self._answer.moves == 0)[0])
        return [int(move) for move in self._answer.moves[:count][self._answer.refuted[:count] == 0]]

    @contextmanager
    def trial_move(self, point: int, colour: int) -> Iterator[bool]:
        """Play a move within the `with` block. Yields whether it is legal; if not, nothing is played."""
        saved = np.zeros(1, boards.SAVED_STATE)
        legal = bool(boards.try_move(self.board, saved, point, colour))
        snapshot, self._snapshot = self._snapshot, None
        try:
            yield legal
        finally:
            self._snapshot = snapshot
            boards.undo_to(self.board, saved)

    def connect(self, point: int, other: int, nodes: int = 0) -> ReadResult:
        """Whether the owner, moving first, connects the strings on two points."""
        return self._achieve_goal(point, other, nodes or self.connection_nodes, MAX_BUDGET)

    def disconnect(self, point: int, other: int, nodes: int = 0) -> ReadResult:
        """Whether the opponent, moving first, cuts the strings on two points apart."""
        return self._prevent_goal(point, other, nodes or self.connection_nodes, MAX_BUDGET)

    def _achieve_goal(self, point: int, other: int, nodes: int, max_budget: int) -> ReadResult:
        """Whether the side with a goal reaches it by moving first: capture, or connection with `other`."""
        conclusive, spent, nodes = True, 0, nodes or self.nodes
        for result, mode in ATTACK_KO_MODES:
            limit = nodes // (1 if mode == candidates.DEFENDER_RETAKES else KO_SHARE)
            quick = Query(point, other, mode, min(limit, QUICK_NODES) if max_budget else limit)
            found = self._read(quick, max_budget, preventing=False)
            spent += found.nodes
            if found.value == capture.CAUGHT:
                line = self._stored_line()
                if line and not other and nodes > QUICK_NODES and self._aji(line[0], point):
                    line = self._safer_line(quick, line, max_budget)
                return ReadResult(result, line[0] if line else 0, line, True, spent)
            completed = found.value == capture.FREE and not found.budget_cut
            ko_seen = found.ko_seen
            if not completed and max_budget and limit > QUICK_NODES:
                found, move = self._prove(Query(point, other, mode, limit), preventing=False)
                spent += found.nodes
                if found.odds >= LIKELY_ODDS and result is Result.WORKS:
                    for effort, odds in LIKELY_EFFORTS:
                        query = Query(point, other, mode, effort * limit)
                        found, move = self._prove(query, preventing=False, resume=True)
                        spent += found.nodes
                        if found.value != capture.UNKNOWN or found.odds < odds:
                            break
                ko_seen |= found.ko_seen
                if found.value == capture.CAUGHT:
                    return ReadResult(result, move, (move,), conclusive, spent)
                completed = found.value == capture.FREE
            conclusive = conclusive and completed
            if not ko_seen:
                break
        return ReadResult(Result.FAILS, conclusive=conclusive, nodes=spent)

    def _prevent_goal(self, point: int, other: int, nodes: int, max_budget: int) -> ReadResult:
        """Whether the other side, moving first, prevents the goal."""
        nodes = nodes or self.nodes
        if not max_budget or nodes <= QUICK_NODES:
            return self._prevent_by_budgets(point, other, nodes, max_budget)
        conclusive, spent = True, 0
        for result, mode in DEFENCE_KO_MODES:
            query = Query(point, other, mode, nodes)
            found, move = self._prove(query, preventing=True)
            if found.value == capture.UNKNOWN:
                nodes = min(nodes, self.nodes // KO_SHARE)
            spent += found.nodes
            unlikely = found.value == capture.UNKNOWN and found.odds <= UNLIKELY_ODDS
            conclusive = conclusive and not unlikely
            if found.value == capture.UNKNOWN and result is Result.WORKS and not unlikely:
                move = self._most_promising_defence(query)
                return ReadResult(result, move, (move,), False, spent)
            if found.value == capture.FREE:
                if not move:  # a pass is enough: return the most plausible move
                    move = self._plausible_defence(query)
                return ReadResult(result, move, (move,), conclusive, spent)
            if not found.ko_seen:
                break
        return ReadResult(Result.FAILS, 0, self._refutation_line(point, other, max_budget), conclusive, spent)

    def _aji(self, move: int, target: int) -> int:
        """How doubtful an attack is: 0 not at all; 1 it captures, but its string is in atari; 2 a self-atari."""
        with self.trial_move(move, 3 - self.colour(target)) as legal:
            if not legal or self.liberties(move) > 1:
                return 0
            return 1 if self.board.state[0].captured else 2

    def _safer_line(self, query: Query, line: tuple[int, ...], max_budget: int) -> tuple[int, ...]:
        """The line of another attack that works and leaves less aji, if one is found."""
        query = query._replace(node_limit=ALTERNATIVE_NODES, excluded_move=line[0])
        if self._read(query, max_budget, preventing=False).value != capture.CAUGHT:
            return line
        other = self._stored_line()
        return other if other and self._aji(other[0], query.target) < self._aji(line[0], query.target) else line

    def _plausible_defence(self, query: Query) -> int:
        """The first defence that is not refuted by a short search."""
        self._read(query._replace(node_limit=QUICK_NODES), MAX_BUDGET, preventing=True)
        count = int(np.flatnonzero(self._answer.moves == 0)[0])
        held = self._answer.moves[:count][self._answer.refuted[:count] == 0]
        return int(held[0]) if len(held) else 0

    def _most_promising_defence(self, query: Query) -> int:
        """The first of the unproved defences that is not refuted by a separate proof-number search."""
        count = min(int(np.flatnonzero(self._answer.moves == 0)[0]), MAX_DEFENCES_RETRIED)
        moves = [int(move) for move in self._answer.moves[:count]]
        colour = self.colour(query.target) if not query.join_target else 3 - self.colour(query.target)
        share = query._replace(node_limit=query.node_limit // MAX_DEFENCES_RETRIED)
        for move in moves:
            with self.trial_move(move, colour) as legal:
                if legal and self._prove(share, preventing=False)[0].value != capture.CAUGHT:
                    return move
        return moves[0] if moves else 0

    def _refutation_line(self, point: int, other: int, max_budget: int) -> tuple[int, ...]:
        """The line after the best defence, where every defence fails."""
        self._prevent_by_budgets(point, other, QUICK_NODES, max_budget)
        return self._stored_line()

    def _prevent_by_budgets(self, point: int, other: int, nodes: int, max_budget: int) -> ReadResult:
        """`_prevent_goal` by the search with budgets alone."""
        spent = 0
        for result, mode in DEFENCE_KO_MODES:
            strict = mode == candidates.ATTACKER_RETAKES
            found = self._read(Query(point, other, mode, nodes), max_budget, preventing=True)
            count = int(np.flatnonzero(self._answer.moves == 0)[0])
            defences, refuted = self._answer.moves[:count], self._answer.refuted[:count]
            spent += found.nodes
            completed = found.nodes <= nodes
            # A ko defence must be read to the end: deeper than it took to refute all defences without ko.
            if found.value and (strict or completed):
                move = int(defences[refuted == 0][0])
                return ReadResult(result, move, (move,), completed and not found.budget_cut, spent)
            if strict:
                max_budget = int(refuted.max(initial=1)) + 1
                nodes = min(nodes, 4 * spent + 2000)
            if not found.ko_seen:
                break
        return ReadResult(Result.FAILS, 0, self._stored_line(), True, spent)

    def _read(self, query: Query, max_budget: int, *, preventing: bool) -> _Found:
        """Read with budgets; the value is CAUGHT, FREE or UNKNOWN, or the number of defences that hold."""
        return _Found(*read_string(self.board, self.search, query, max_budget, preventing, self._answer))

    def _prove(self, query: Query, *, preventing: bool, resume: bool = False) -> tuple[_Found, int]:
        """The result of proof-number search, and the best move. With `resume`, the last search goes on."""
        if self._dfpn is None:
            self._dfpn = buffers.new_dfpn(self.geometry)
        if resume:
            repeat_salt(self._dfpn)
        colour, joining = self.colour(query.target), bool(query.join_target)
        turn = colour if preventing != joining else 3 - colour
        max_liberties = MAX_JOIN_DISTANCE if joining else max(MAX_CAPTURE_LIBERTIES, self.liberties(query.target))
        if joining:
            phi, delta, move, nodes, ko_seen = read_connection(
                self.board, self.search, self._dfpn, query, turn, NARROW, self._answer.moves
            )
        else:
            phi, delta, move, nodes, ko_seen = read_string_dfpn(
                self.board, self.search, self._dfpn, query, turn, max_liberties, self._answer.moves
            )
        if phi and delta:
            return _Found(capture.UNKNOWN, nodes, ko_seen, odds=delta / phi), move
        value = capture.FREE if (phi == 0) == preventing else capture.CAUGHT
        return _Found(value, nodes, ko_seen), move

    def take_touched(self) -> PointSet:
        """Return and clear the points where stones were tried since the last call."""
        found = points_where(self.search.touched)
        self.search.touched[:] = 0
        return found

    def _stored_line(self) -> tuple[int, ...]:
        return tuple(map(int, self._answer.line[1 : 1 + self._answer.line[0]]))
