"""Validation of the structure of proof files, before the checker uses any number in them.

`proof` documents the format. Python would accept -1 as the last index of a list and true as 1; both are rejected
here, so the checker can use every number and board without further checks.
"""

from __future__ import annotations

import json
from typing import Any

from tengen.core.errors import TengenError

FORMAT, VERSION = "tengen clobber proof", 2


class ProofError(TengenError):
    """A file that is not a proof, or an invalid proof; the message says where."""


def read_proof(text: str) -> dict[str, Any]:
    """Parse a proof and validate its structure. Raises `ProofError`."""
    try:
        proof: dict[str, Any] = json.loads(text)
        if proof["format"] != FORMAT:
            raise KeyError
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        raise ProofError(
            "this is not a proof: expected the JSON that `tengen clobber solve --proof` writes"
        ) from None
    if not _is_number(proof.get("version")) or proof["version"] != VERSION:
        raise ProofError(f"this proof has version {proof.get('version')!r}; this checker reads version {VERSION}")
    if not _is_board(proof.get("board")) or proof.get("mover") not in ("X", "O"):
        raise ProofError("the proof does not hold: its board or mover makes no sense")
    if not isinstance(proof.get("wins"), bool):
        raise ProofError("the proof does not hold: it does not say who wins")
    _check_forms(proof.get("forms"))
    sums = proof.get("sums")
    if not isinstance(sums, list) or not sums:
        raise ProofError("the proof does not hold: it has no sums")
    for number, node in enumerate(sums):
        if not _is_sum(node, number, len(proof["forms"])):
            raise ProofError(f"the proof does not hold: sum {number} is not written as it should be")
    return proof


def _check_forms(forms: object) -> None:
    """Check that the first form is 0 and that the options of every form precede it."""
    if not isinstance(forms, list) or not forms or forms[0] != [[], []]:
        raise ProofError("the proof does not hold: its forms do not begin with 0")
    for number, form in enumerate(forms):
        if not isinstance(form, list) or len(form) != 2 or not all(isinstance(side, list) for side in form):
            raise ProofError(f"the proof does not hold: form {number} is not two lists of options")
        if not all(_is_place(option, number) for side in form for option in side):
            raise ProofError(f"the proof does not hold: form {number} has options that do not come before it")


def _is_sum(node: object, number: int, forms: int) -> bool:
    if not isinstance(node, dict) or not isinstance(node.get("won"), bool):
        return False
    terms = node.get("sum")
    if not isinstance(terms, list) or not all(_is_term(term, forms) for term in terms):
        return False
    if "move" in node:
        return _is_move(node["move"], len(terms), forms, number)
    if "moves" in node:
        moves = node["moves"]
        return isinstance(moves, list) and all(_is_move(move, len(terms), forms, number) for move in moves)
    return node.get("by") in ("values", "bounds")


def _is_move(move: object, terms: int, forms: int, number: int) -> bool:
    """A move: index of the term, its replacement, and index of the resulting earlier sum."""
    return (
        isinstance(move, list)
        and len(move) == 3
        and _is_place(move[0], terms)
        and _is_term(move[1], forms)
        and _is_place(move[2], number)
    )


def _is_term(term: object, forms: int) -> bool:
    return _is_board(term) or _is_place(term, forms)


def _is_board(board: object) -> bool:
    """Whether this is a board with rows of equal length."""
    return (
        isinstance(board, str)
        and not set(board) - set("XO./")
        and len({len(row) for row in board.split("/")}) == 1
    )


def _is_place(place: object, count: int) -> bool:
    return _is_number(place) and isinstance(place, int) and 0 <= place < count


def _is_number(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)
