"""Proofs of forced wins, which can be replayed against every defence.

A proof is a move; then, unless that wins at once, a proof for each answer that needs one of its own, and one for
all the others. `build` makes one with the kernels; `check` knows nothing of them: it plays every legal answer by
the rules of the game, and raises unless each one loses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tengen.core.errors import TengenError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.search_threads import Place, Root
from tengen.games.pente.record import EMPTY

BY_FOURS = 20_000
"""Positions that a search by fours may cost, when a proof is built."""
BY_THREES = 2_000_000


class ProofError(TengenError):
    """A proof that proves nothing: it says which line escapes."""


@dataclass(frozen=True)
class Proof:
    """A winning move, how to go on after some answers, and how after all others (None if the move wins)."""

    move: Move
    answers: Mapping[Move, Proof] = field(default_factory=dict)
    otherwise: Proof | None = None

    @property
    def plies(self) -> int:
        """How long the game lasts at most."""
        after = [proof.plies for proof in self.answers.values()]
        if self.otherwise is not None:
            after.append(self.otherwise.plies)
        return 2 + max(after) if after else 1

    def to_data(self, position: Position) -> dict[str, Any]:
        """For JSON, in the moves' own notation."""
        write = position.game.write_move
        data: dict[str, Any] = {"move": write(self.move)}
        if self.answers:
            data["answers"] = {write(move): proof.to_data(position) for move, proof in self.answers.items()}
        if self.otherwise is not None:
            data["otherwise"] = self.otherwise.to_data(position)
        return data

    @classmethod
    def from_data(cls, data: Any, position: Position) -> Proof:
        """Read what `to_data` wrote. Raises `ProofError` for anything else."""
        try:
            read = position.game.read_move
            return cls(
                read(data["move"], position),
                {
                    read(move, position): cls.from_data(proof, position)
                    for move, proof in data.get("answers", {}).items()
                },
                cls.from_data(data["otherwise"], position) if "otherwise" in data else None,
            )
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ProofError(f"not a proof: {error}") from None


def check(position: Position, proof: Proof) -> int:
    """Replay a proof against every legal answer; returns the plies of the longest defence, or raises."""
    attacker = position.to_move
    after = position.play(proof.move)
    if after.is_over:
        outcome = after.outcome
        if outcome is None or outcome.winner != attacker:
            raise ProofError(f"{_line(after)}: the attacker has not won")
        return 1
    longest = 0
    for answer in after.legal_moves:
        next_proof = proof.answers.get(answer, proof.otherwise)
        answered = after.play(answer)
        if answered.is_over:
            outcome = answered.outcome
            if outcome is None or outcome.winner != attacker:
                raise ProofError(f"{_line(answered)}: the defender has escaped")
            continue
        if next_proof is None:
            raise ProofError(f"{_line(answered)}: the proof has nothing against that")
        longest = max(longest, check(answered, next_proof))
    return 2 + longest


def _line(position: Position) -> str:
    moves = []
    at: Position | None = position
    while at is not None and at.move is not None:
        moves.append(at.game.write_move(at.move))
        at = at.parent
    return " ".join(reversed(moves))


def build(position: Position, *, threes: int = 0, place: Place | None = None) -> Proof | None:
    """A proof that the side to move wins by fours, or with so many quiet threats; None if none was found."""
    root = Root(position)
    return _build(root, root.colour, place or Place(), threes)


def _build(root: Root, attacker: np.uint64, place: Place, threes: int) -> Proof | None:
    root.colour = attacker
    win = None
    for quiet in range(threes + 1):
        win = place.forced_win(root, threes=quiet, nodes=BY_FOURS, last=BY_THREES)
        if win is not None:
            break
    if win is None:
        return None
    plies, move = win
    if plies == 1:
        return Proof(move)
    root.play(move)
    try:
        return _answers(root, attacker, place, move, quiet)
    finally:
        root.colour = np.uint64(1) - attacker
        root.take_back()


def _answers(root: Root, attacker: np.uint64, place: Place, move: Move, threes: int) -> Proof | None:
    """The proof of a move that has just been played."""
    winning = root.winning_points(int(attacker))
    standing = root.row_stands(int(attacker))  # boat: then the game is over unless it is broken
    if winning or standing:
        otherwise = Proof(winning[0]) if winning else None
        special = [Move(int(point)) for point in np.flatnonzero(root.boards[0].stones == EMPTY)]
    else:
        otherwise = _build(root, attacker, place, 0)
        special = place.threat_answers(root, attacker, BY_FOURS)
    if otherwise is None and not standing:
        return None
    answers: dict[Move, Proof] = {}
    for answer in special:
        root.colour = np.uint64(1) - attacker
        root.play(answer)
        survived = root.row_stands(int(attacker))
        proof = otherwise
        if not survived and not (winning and winning[0] in root.winning_points(int(attacker))):
            proof = _build(root, attacker, place, threes if winning else max(threes - 1, 0))
        root.colour = attacker
        root.take_back()
        if proof is None and not survived:
            return None
        if proof is not None and proof != otherwise:
            answers[answer] = proof
    return Proof(move, answers, otherwise)
