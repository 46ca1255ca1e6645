"""The connection reader: whether two strings can be connected or cut apart, and by which move.

Proof-number search decides, once for each ko mode that matters. Of several moves that work, the one with the
shortest proof is returned: it leaves the fewest chances for a mistake.
"""

from __future__ import annotations

from tengen.engines.go.reading import buffers
from tengen.engines.go.reading.kernels.capture import Query
from tengen.engines.go.reading.kernels.connection_dfpn import read_connection, read_distance
from tengen.engines.go.reading.tactics import ATTACK_KO_MODES, DEFENCE_KO_MODES, ReadResult, Result, TacticalReader

NODES = 2_000_000  # default node budget of a query
MAX_COMPARED_MOVES = 12  # moves whose proofs are compared
MAX_COMPARED_NODES = 20_000  # of each of these proofs


class ConnectionReader:
    """Queries about the position loaded by the tactical reader."""

    def __init__(self, tactics: TacticalReader, nodes: int = NODES) -> None:
        self.tactics = tactics
        self.nodes = nodes
        self._dfpn = buffers.new_dfpn(tactics.geometry)

    def distance(self, point: int, other: int) -> int:
        """The number of moves that connect two strings if the opponent does not reply; see `kernels.connection`."""
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
        tactics = self.tactics
        phi, delta, move, nodes, ko_seen = read_connection(
            tactics.board, tactics.search, self._dfpn, query, turn, tactics.answer_moves
        )
        return int(phi), int(delta), int(move), int(nodes), bool(ko_seen)

    def _root_moves(self) -> list[int]:
        """The moves at the root of the last search, most promising first."""
        count = int(self._dfpn.frames[0]["children"])
        return [int(move) for move in self._dfpn.children["move"][:count] if move]

    def _simplest(self, query: Query, turn: int, proved: int) -> int:
        """Of the moves that work, the one with the shortest proof."""
        best, fewest = proved, MAX_COMPARED_NODES
        for move in self._root_moves()[:MAX_COMPARED_MOVES]:
            with self.tactics.trial_move(move, turn) as legal:
                if legal:
                    _, delta, _, nodes, _ = self._search(query._replace(node_limit=fewest), 3 - turn)
                    if delta == 0 and nodes < fewest:
                        best, fewest = move, nodes
        return best

    def _most_promising(self, query: Query, turn: int, default: int) -> int:
        """The first of the unproved cuts that is not refuted by a separate search."""
        moves = [int(move) for move in self.tactics.answer_moves if move][:5]
        share = query._replace(node_limit=query.node_limit // 20)
        for move in moves:
            with self.tactics.trial_move(move, turn) as legal:
                if legal and self._search(share, 3 - turn)[0] != 0:
                    return move
        return default
