"""Forced wins of Pente, replayed by the rules against every legal answer.

    claim   {"winner": "Black", "plies": 5}    the longest possible game from the position
    proof   {"move": …, "answers": {…}, "otherwise": …}

`answers` has a proof for each answer that needs a special reply, `otherwise` one for all other answers. A move
that wins at once has neither.
"""

from __future__ import annotations

from typing import Any

from tengen.app.proofs.proof_file import Effort, InvalidProof, ProofFile, Verified
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.games.pente import Pente


def check(file: ProofFile, effort: Effort) -> Verified:
    position = file.position()
    game = position.game
    if not isinstance(game, Pente):
        raise InvalidProof("this kind of proof is about Pente")
    if position.is_over:
        raise InvalidProof("the game is over in this position")
    winner = game.players[position.to_move]
    if set(file.claim) != {"winner", "plies"} or file.claim["winner"] != winner:
        raise InvalidProof(f"the claim should be that {winner}, who is to move, wins")
    plies = _replay(position, file.proof, effort)
    if type(file.claim["plies"]) is not int or plies != file.claim["plies"]:
        raise InvalidProof(f"the longest game has {plies} plies, not {file.claim['plies']!r}")
    return Verified(
        f"Pente: {winner} wins in {(plies + 1) // 2} moves, whatever the answers", f"{effort.count} positions"
    )


def _replay(position: Position, proof: Any, effort: Effort) -> int:
    """The plies of the longest game that follows the proof from a position of the attacker."""
    effort.step()
    if not isinstance(proof, dict) or not {"move"} <= set(proof) <= {"move", "answers", "otherwise"}:
        raise InvalidProof(f"{_line(position)}: no move is given there")
    attacker = position.to_move
    after = _play(position, proof["move"])
    if after.is_over:
        if len(proof) > 1:
            raise InvalidProof(f"{_line(after)}: the game is over, but the proof goes on")
        _check_won(after, attacker)
        return 1
    answers = proof.get("answers", {})
    if not isinstance(answers, dict) or after.to_move == attacker:
        raise InvalidProof(f"{_line(after)}: the answers are not written as they should be")
    special = {_play(after, text).move: given for text, given in answers.items()}
    if len(special) != len(answers):
        raise InvalidProof(f"{_line(after)}: an answer is given twice")
    longest = 0
    for answer in after.legal_moves:
        effort.step()
        answered = after.play(answer)
        if answered.is_over:
            _check_won(answered, attacker)
            continue
        given = special.get(answer, proof.get("otherwise"))
        if given is None:
            raise InvalidProof(f"{_line(answered)}: the proof has no reply to that")
        longest = max(longest, _replay(answered, given, effort))
    return 2 + longest


def _play(position: Position, text: Any) -> Position:
    if not isinstance(text, str):
        raise InvalidProof(f"{_line(position)}: {text!r} is no move")
    try:
        return position.play(text)
    except TengenError as error:
        raise InvalidProof(f"{_line(position)}: {error}") from None


def _check_won(position: Position, attacker: int) -> None:
    if position.outcome is None or position.outcome.winner != attacker:
        raise InvalidProof(f"{_line(position)}: the attacker has not won")


def _line(position: Position) -> str:
    return " ".join(position.write_moves(position.moves)) or "at the start"
