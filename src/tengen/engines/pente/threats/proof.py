"""Proofs of forced wins, which can be replayed against every defence.

A proof is a move and, unless it wins immediately, a proof for each answer that needs a special reply, and one for
all other answers. `build_proof` uses the kernels. `check_proof` is independent of them: it plays every legal
answer by the rules of the game, and raises unless all of them lose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tengen.core.errors import TengenError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.root_position import RootPosition
from tengen.engines.pente.search_threads import SearchThread
from tengen.games.pente.record import EMPTY

FOURS_NODE_LIMIT = 20_000
"""Node limit of a search by fours while building a proof."""
CLAIM_NODE_LIMIT = 2_000_000


class ProofError(TengenError):
    """An invalid proof; the message has the line that escapes."""


@dataclass(frozen=True)
class Proof:
    """A winning move, the replies to special answers, and the reply to all others (None if the move wins)."""

    move: Move
    answers: Mapping[Move, Proof] = field(default_factory=dict)
    otherwise: Proof | None = None

    @property
    def plies(self) -> int:
        """Longest possible game."""
        after = [proof.plies for proof in self.answers.values()]
        if self.otherwise is not None:
            after.append(self.otherwise.plies)
        return 2 + max(after) if after else 1

    def to_data(self, position: Position) -> dict[str, Any]:
        """JSON-compatible data, with moves in the game's notation."""
        write = position.game.write_move
        data: dict[str, Any] = {"move": write(self.move)}
        if self.answers:
            data["answers"] = {write(move): proof.to_data(position) for move, proof in self.answers.items()}
        if self.otherwise is not None:
            data["otherwise"] = self.otherwise.to_data(position)
        return data

    @classmethod
    def from_data(cls, data: Any, position: Position) -> Proof:
        """Read the result of `to_data`. Raises `ProofError` for anything else."""
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


def check_proof(position: Position, proof: Proof) -> int:
    """Replay a proof against every legal answer; returns the plies of the longest defence. Raises `ProofError`."""
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
            raise ProofError(f"{_line(answered)}: the proof has no reply to that")
        longest = max(longest, check_proof(answered, next_proof))
    return 2 + longest


def _line(position: Position) -> str:
    moves = []
    at: Position | None = position
    while at is not None and at.move is not None:
        moves.append(at.game.write_move(at.move))
        at = at.parent
    return " ".join(reversed(moves))


def build_proof(position: Position, *, threes: int = 0, thread: SearchThread | None = None) -> Proof | None:
    """A proof that the side to move wins by fours or with at most `threes` quiet threats; None if not found."""
    root = RootPosition(position)
    return _build_proof(root, root.colour, thread or SearchThread(), threes)


def _build_proof(root: RootPosition, attacker: np.uint64, thread: SearchThread, threes: int) -> Proof | None:
    root.colour = attacker
    win = None
    for quiet in range(threes + 1):
        win = thread.forced_win(root, threes=quiet, nodes=FOURS_NODE_LIMIT, node_limit=CLAIM_NODE_LIMIT)
        if win is not None:
            break
    if win is None:
        return None
    plies, move = win
    if plies == 1:
        return Proof(move)
    root.play(move)
    try:
        return _answers(root, attacker, thread, move, quiet)
    finally:
        root.colour = np.uint64(1) - attacker
        root.undo()


def _answers(
    root: RootPosition, attacker: np.uint64, thread: SearchThread, move: Move, threes: int
) -> Proof | None:
    """Complete the proof of a move that has just been played."""
    winning = root.winning_points(int(attacker))
    breakable = root.has_breakable_row(int(attacker))  # boat rule: the game is over unless it is broken
    if winning or breakable:
        otherwise = Proof(winning[0]) if winning else None
        special = [Move(int(point)) for point in np.flatnonzero(root.boards[0].stones == EMPTY)]
    else:
        otherwise = _build_proof(root, attacker, thread, 0)
        special = thread.threat_answers(root, attacker, FOURS_NODE_LIMIT)
    if otherwise is None and not breakable:
        return None
    answers: dict[Move, Proof] = {}
    for answer in special:
        root.colour = np.uint64(1) - attacker
        root.play(answer)
        survived = root.has_breakable_row(int(attacker))
        proof = otherwise
        if not survived and not (winning and winning[0] in root.winning_points(int(attacker))):
            proof = _build_proof(root, attacker, thread, threes if winning else max(threes - 1, 0))
        root.colour = attacker
        root.undo()
        if proof is None and not survived:
            return None
        if proof is not None and proof != otherwise:
            answers[answer] = proof
    return Proof(move, answers, otherwise)
