"""Portable proofs: files with an exact claim and what is needed to check it without trusting whoever made it.

`proof_file` defines the format and finds the checker of a kind, `tengen verify` runs it. Each kind has a checker
that knows the rules of its game and nothing of the engines, and that checks everything that it relies on:

    pente_win       a forced win, replayed against every defence
    othello_value   the value of a position with few empty squares, solved again, and its line
    go_life         life or death of a string in a closed region, by a strategy against every move
    clobber_win     certificates of the Clobber solver
    sum_win         the same for sums of positions from different games

`certify` makes proofs, with the engines. To add a kind, write a checker and add it to `_CHECKERS`:

    register_checker("hex-win", "tengen.app.proofs.hex_win:check")
"""

from tengen.app.proofs.proof_file import (
    InvalidProof,
    NotChecked,
    ProofFile,
    Verified,
    read_proof_file,
    register_checker,
    verify_text,
)

__all__ = [
    "InvalidProof",
    "NotChecked",
    "ProofFile",
    "Verified",
    "read_proof_file",
    "register_checker",
    "verify_text",
]
