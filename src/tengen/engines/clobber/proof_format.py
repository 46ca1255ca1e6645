"""Validation of the structure of proof files, before the checker uses any number in them.

`proof` documents the format. Python would accept -1 as the last index of a list and true as 1; both are rejected
here, so the checker can use every number and board without further checks.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tengen.core.errors import TengenError

FORMAT, VERSION = "tengen clobber proof", 2


class ProofError(TengenError):
    """A file that is not a proof, or an invalid proof; the message says where."""


def read_proof(text: str) -> dict[str, Any]:
    """Parse a proof and validate its structure. Raises `ProofError`."""
    proof = parse_proof(text, FORMAT, VERSION, "tengen clobber solve --proof")
    if not _is_board(proof.get("board")):
        raise ProofError("the proof does not hold: its board makes no sense")
    check_structure(proof, _is_board)
    return proof


def parse_proof(text: str, format_name: str, version: int, written_by: str) -> dict[str, Any]:
    """Parse the JSON of a proof and check its format and version. Raises `ProofError`."""
    try:
        proof: dict[str, Any] = json.loads(text)
        if proof["format"] != format_name:
            raise KeyError
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        raise ProofError(f"this is not a proof: expected the JSON that `{written_by}` writes") from None
    if not _is_number(proof.get("version")) or proof["version"] != version:
        raise ProofError(f"this proof has version {proof.get('version')!r}; this checker reads version {version}")
    return proof


def check_structure(proof: dict[str, Any], is_board: Callable[[object], bool]) -> None:
    """Validate everything but the position that a proof is about. Raises `ProofError`."""
    if proof.get("mover") not in ("X", "O"):
        raise ProofError("the proof does not hold: its mover makes no sense")
    if not isinstance(proof.get("wins"), bool):
        raise ProofError("the proof does not hold: it does not say who wins")
    _check_forms(proof.get("forms"))
    sums = proof.get("sums")
    if not isinstance(sums, list) or not sums:
        raise ProofError("the proof does not hold: it has no sums")
    for number, node in enumerate(sums):
        if not _is_sum(node, number, len(proof["forms"]), is_board):
            raise ProofError(f"the proof does not hold: sum {number} is not written as it should be")


def _check_forms(forms: object) -> None:
    """Check that the first form is 0 and that the options of every form precede it."""
    if not isinstance(forms, list) or not forms or forms[0] != [[], []]:
        raise ProofError("the proof does not hold: its forms do not begin with 0")
    for number, form in enumerate(forms):
        if not isinstance(form, list) or len(form) != 2 or not all(isinstance(side, list) for side in form):
            raise ProofError(f"the proof does not hold: form {number} is not two lists of options")
        if not all(is_place(option, number) for side in form for option in side):
            raise ProofError(f"the proof does not hold: form {number} has options that do not come before it")


def _is_sum(node: object, number: int, forms: int, is_board: Callable[[object], bool]) -> bool:
    if not isinstance(node, dict) or not isinstance(node.get("won"), bool):
        return False
    terms = node.get("sum")

    def is_term(term: object) -> bool:
        return is_board(term) or is_place(term, forms)

    def is_move(move: object) -> bool:
        """A move: index of the term, its replacement, and index of the resulting earlier sum."""
        return (
            isinstance(move, list)
            and len(move) == 3
            and is_place(move[0], len(node["sum"]))
            and is_term(move[1])
            and is_place(move[2], number)
        )

    if not isinstance(terms, list) or not all(map(is_term, terms)):
        return False
    if "move" in node:
        return is_move(node["move"])
    if "moves" in node:
        return isinstance(node["moves"], list) and all(map(is_move, node["moves"]))
    return node.get("by") in ("values", "bounds")


def _is_board(board: object) -> bool:
    """Whether this is a board with rows of equal length."""
    return (
        isinstance(board, str)
        and not set(board) - set("XO./")
        and len({len(row) for row in board.split("/")}) == 1
    )


def is_place(place: object, count: int) -> bool:
    """Whether this is an index into a list of `count` items."""
    return _is_number(place) and isinstance(place, int) and 0 <= place < count


def _is_number(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)
