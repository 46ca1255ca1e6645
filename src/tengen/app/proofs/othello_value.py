"""Values of Othello positions with few empty squares: solved again, by plain search on the rules alone.

    claim   {"low": 4, "high": 4}    bounds in discs for the side to move; null for none
    proof   {"line": ["f5", …]}      for an exact value: moves to the end of the game that lead to it

The solver here shares nothing with the engine: Python integers as bitboards, alpha-beta, a dictionary.
"""

from __future__ import annotations

from typing import Any

from tengen.app.proofs.proof_file import Effort, InvalidProof, NotChecked, ProofFile, Verified, is_list_of
from tengen.core.diagram import Stone
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.games.othello import Othello

MAX_EMPTIES = 16  # more take too long in Python


def check(file: ProofFile, effort: Effort) -> Verified:
    position = file.position()
    if not isinstance(position.game, Othello):
        raise InvalidProof("this kind of proof is about Othello")
    if position.is_over:
        raise InvalidProof("the game is over in this position")
    low, high = _bounds(file.claim)
    solver = _Solver(position.game.size, effort)
    own, other = _discs(position)
    if (empties := solver.empties(own, other)) > MAX_EMPTIES:
        raise NotChecked(f"{empties} squares are empty; this checker solves positions with up to {MAX_EMPTIES}")
    if low is not None and solver.value(own, other, low - 1, low) < low:
        raise InvalidProof(f"the side to move does not get {low:+d} discs")
    if high is not None and solver.value(own, other, high, high + 1) > high:
        raise InvalidProof(f"the side to move gets more than {high:+d} discs")
    player = position.game.players[position.to_move]
    if low is None or low != high:
        claim = f"at least {low:+d}" if low is not None else f"at most {high:+d}"
        if low is not None and high is not None:
            claim = f"from {low:+d} to {high:+d}"
        return Verified(f"Othello: {player}, to move, gets {claim} discs", f"{effort.count} positions")
    _check_line(position, file.proof, low)
    return Verified(
        f"Othello: {player}, to move, gets {low:+d} discs; best line {' '.join(file.proof['line'])}",
        f"{effort.count} positions",
    )


def _bounds(claim: Any) -> tuple[int | None, int | None]:
    if set(claim) != {"low", "high"}:
        raise InvalidProof("the claim should have low and high")
    low, high = claim["low"], claim["high"]
    if any(one is not None and type(one) is not int for one in (low, high)) or low is high is None:
        raise InvalidProof("low and high are whole numbers of discs, or null")
    if low is not None and high is not None and low > high:
        raise InvalidProof("low is above high")
    return low, high


def _discs(position: Position) -> tuple[int, int]:
    """The discs of the side to move and of the other, as sets of squares row by row."""
    own = Stone(position.to_move + 1)
    discs = {Stone.FIRST: 0, Stone.SECOND: 0}
    diagram = position.diagram()
    for (column, row), stone in diagram.contents().items():
        if stone:
            discs[stone] |= 1 << (row * len(diagram.columns) + column)
    return discs[own], discs[Stone.SECOND if own is Stone.FIRST else Stone.FIRST]


def _check_line(position: Position, proof: Any, value: int) -> None:
    """Replay the line, which has to end with this many discs for the side to move."""
    if not isinstance(proof, dict) or set(proof) != {"line"} or not is_list_of(proof["line"], str):
        raise InvalidProof("the proof of an exact value should have a line")
    try:
        end = position.play_all(proof["line"])
    except TengenError as error:
        raise InvalidProof(f"the line is not legal: {error}") from None
    if not end.is_over:
        raise InvalidProof("the line does not end the game")
    score = end.final_score // 1000 * (1 if position.to_move == 0 else -1)
    if score != value:
        raise InvalidProof(f"the line ends with {score:+d} discs, not {value:+d}")


class _Solver:
    """Alpha-beta search on one size of board."""

    def __init__(self, size: int, effort: Effort) -> None:
        self._full = (1 << size * size) - 1
        inner = sum(1 << (row * size + column) for row in range(size) for column in range(1, size - 1))
        # A shift by one column would wrap around; by rows alone it leaves the board.
        self._ways = ((1, inner), (size, self._full), (size + 1, inner), (size - 1, inner))
        self._steps = size - 2
        self._effort = effort
        self._known: dict[tuple[int, int], tuple[int, int]] = {}

    def empties(self, own: int, other: int) -> int:
        return (self._full & ~(own | other)).bit_count()

    def value(self, own: int, other: int, alpha: int, beta: int) -> int:
        """The result for `own`, to move: exact between alpha and beta, otherwise a bound."""
        self._effort.step()
        low, high = self._known.get((own, other), (-99, 99))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        moves = self._moves(own, other)
        if not moves:
            if not self._moves(other, own):
                return self._score(own, other)
            return -self.value(other, own, -beta, -alpha)
        after = []
        for move in _bits(moves):
            flipped = self._flipped(own, other, move)
            mine, theirs = own | move | flipped, other & ~flipped
            after.append((self._moves(theirs, mine).bit_count(), theirs, mine))
        after.sort()
        best, bound = -99, alpha
        for _replies, theirs, mine in after:
            best = max(best, -self.value(theirs, mine, -beta, -bound))
            bound = max(bound, best)
            if best >= beta:
                break
        low, high = (best, high) if best >= beta else (low, best) if best <= alpha else (best, best)
        self._known[own, other] = low, high
        return best

    def _score(self, own: int, other: int) -> int:
        """Discs more than the other side; empty squares count for the winner."""
        margin = own.bit_count() - other.bit_count()
        empty = self.empties(own, other)
        return margin + empty if margin > 0 else margin - empty if margin < 0 else 0

    def _moves(self, own: int, other: int) -> int:
        """The squares where `own` flips something."""
        free, found = self._full & ~(own | other), 0
        for step, inner in self._ways:
            between = other & inner
            for way in (step, -step):
                line = _shift(own, way) & between
                for _ in range(self._steps - 1):
                    line |= _shift(line, way) & between
                found |= _shift(line, way) & free
        return found

    def _flipped(self, own: int, other: int, move: int) -> int:
        found = 0
        for step, inner in self._ways:
            between = other & inner
            for way in (step, -step):
                line, at = 0, _shift(move, way) & between
                while at:
                    line |= at
                    at = _shift(at, way)
                    if at & own:
                        found |= line
                    at &= between
        return found


def _shift(squares: int, way: int) -> int:
    return squares << way if way > 0 else squares >> -way


def _bits(squares: int) -> list[int]:
    found = []
    while squares:
        found.append(squares & -squares)
        squares &= squares - 1
    return found
