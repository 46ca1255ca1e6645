"""The connection reader: whether two strings can be connected or cut apart, and by which move.

Proof-number search decides, once for each ko mode that matters: a full search, then a narrow but deep one. Both
try sensible moves only, so a result is no proof. Of several moves that work, the one with the shortest solution is
returned: it leaves the fewest chances for a mistake.
"""

from __future__ import annotations

import numpy as np

from tengen.engines.go.reading import buffers
from tengen.engines.go.reading.kernels.capture import Query
from tengen.engines.go.reading.kernels.connection_dfpn import FULL, NARROW, read_connection, read_distance
from tengen.engines.go.reading.kernels.proof_number_search import MAX_CHILDREN
from tengen.engines.go.reading.tactics import ATTACK_KO_MODES, DEFENCE_KO_MODES, ReadResult, Result, TacticalReader

NODES = 2_000_000  # default node budget of a query
MAX_FULL_NODES = 30_000  # of a full search, before the narrow one
MAX_COMPARED_MOVES = 12  # moves whose proofs are compared
MAX_COMPARED_NODES = 20_000  # of each of these proofs
MAX_CUTS_RETRIED, RETRIED_SHARE = 5, 20  # unproved cuts searched separately, each with this part of the budget


class ConnectionReader:
    """Queries about the position loaded by the tactical reader."""

    def __init__(self, tactics: TacticalReader, nodes: int = NODES) -> None:
        self.tactics = tactics
        self.nodes = nodes
        self._dfpn = buffers.new_dfpn(tactics.geometry)
        self._cuts = np.zeros(MAX_CHILDREN + 1, np.int64)  # unproved cuts of the last search, followed by 0

    def distance(self, point: int, other: int) -> int:
        """The number of moves that connect two strings if the opponent does not reply."""
        return int(read_distance(self.tactics.board, self.tactics.search, point, other))

    def connect(self, point: int, other: int) -> ReadResult:
        """Whether the owner, moving first, connects the strings on two points."""
        if self.tactics.snapshot.head(point) == self.tactics.snapshot.head(other):
            return ReadResult(Result.WORKS)
        return self._read(point, other, connecting=True)

    def disconnect(self, point: int, other: int) -> ReadResult:
        """Whether the opponent, moving first, cuts the strings on two points apart."""
        if self.tactics.snapshot.head(point) == self.tactics.snapshot.head(other):
            return ReadResult(Result.FAILS)
        return self._read(point, other, connecting=False)

    def is_connected(self, point: int, other: int) -> bool:
        """Whether the opponent, moving first, is proved to be unable to cut two strings apart, even by a ko."""
        if self.tactics.snapshot.head(point) == self.tactics.snapshot.head(other):
            return True
        query = Query(point, other, DEFENCE_KO_MODES[-1][1], self.nodes)
        return self._search(query, 3 - self.tactics.colour(point))[1] == 0

    def _read(self, point: int, other: int, *, connecting: bool) -> ReadResult:
        owner = self.tactics.colour(point)
        turn = owner if connecting else 3 - owner
        spent, strict_refuted, conclusive = 0, False, True
        for result, mode in ATTACK_KO_MODES if connecting else DEFENCE_KO_MODES:
            query = Query(point, other, mode, self.nodes)
            phi, delta, move, nodes, ko_seen = self._search(query, turn)
            spent += nodes
            if phi == 0:
                if result is Result.GOOD_KO and not strict_refuted:
                    result = Result.WORKS  # it was not shown that a ko is needed
                move = self._simplest(query, turn, move)
                return ReadResult(result, move, (move,) if move else (), conclusive, spent)
            if delta != 0:
                conclusive = False
                if not connecting and result is Result.WORKS:
                    move = self._most_promising(query, turn, move)
                    return ReadResult(result, move, (move,), False, spent)
            strict_refuted |= delta == 0
            if not ko_seen:
                break
        return ReadResult(Result.FAILS, conclusive=conclusive, nodes=spent)

    def _search(self, query: Query, turn: int) -> tuple[int, int, int, int, bool]:
        """(phi, delta, best move, nodes, whether the ko mode mattered) for the side to move."""
        tactics, spent = self.tactics, 0
        first = query._replace(node_limit=min(query.node_limit // 4, MAX_FULL_NODES))
        for some, width in ((first, FULL), (query, NARROW)):
            phi, delta, move, nodes, ko_seen = read_connection(
                tactics.board, tactics.search, self._dfpn, some, turn, width, self._cuts
            )
            spent += int(nodes)
            if not phi or not delta:
                break
        return int(phi), int(delta), int(move), spent, bool(ko_seen)

    def _root_moves(self) -> list[int]:
        """The moves at the root of the last search, most promising first."""
        count = int(self._dfpn.frames[0]["children"])
        return [int(move) for move in self._dfpn.children["move"][:count] if move]

    def _simplest(self, query: Query, turn: int, proved: int) -> int:
        """Of the moves that work, the one with the shortest proof."""
        best, fewest = proved, MAX_COMPARED_NODES
        for move in self._root_moves()[:MAX_COMPARED_MOVES]:
            _, delta, nodes = self._search_after(move, query._replace(node_limit=fewest), turn)
            if delta == 0 and nodes < fewest:
                best, fewest = move, nodes
        return best

    def _most_promising(self, query: Query, turn: int, default: int) -> int:
        """The first of the unproved cuts that is not refuted by a separate search."""
        count = min(int(np.flatnonzero(self._cuts == 0)[0]), MAX_CUTS_RETRIED)
        moves = [int(move) for move in self._cuts[:count]]
        share = query._replace(node_limit=query.node_limit // RETRIED_SHARE)
        return next((move for move in moves if self._search_after(move, share, turn)[0] != 0), default)

    def _search_after(self, move: int, query: Query, turn: int) -> tuple[int, int, int]:
        """(phi, delta, nodes) for the opponent after a move; it has won if the move is illegal."""
        tactics = self.tactics
        owner = tactics.colour(query.target)
        with tactics.trial_move(move, turn) as legal:
            if not legal:
                return 0, 1, 0
            heads = [tactics.snapshot.head(at) for at in query[:2] if tactics.colour(at) == owner]
            if len(heads) < 2 or heads[0] == heads[1]:  # a string was captured, or both are connected
                return (1, 0, 0) if (len(heads) < 2) == (turn != owner) else (0, 1, 0)
            phi, delta, _, nodes, _ = self._search(query, 3 - turn)
            return phi, delta, nodes
