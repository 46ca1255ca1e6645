"""Proofs about sums of different games, in their own format; `engines.sums.checker` checks them."""

from __future__ import annotations

from tengen.app.proofs.proof_file import Effort, InvalidProof, NotChecked, Verified
from tengen.engines.clobber.checker import Unchecked
from tengen.engines.clobber.proof_format import ProofError
from tengen.engines.sums.checker import verify
from tengen.engines.sums.proof_claim import describe_terms


def check_text(text: str, effort: Effort) -> Verified:
    try:
        proof, count = verify(text, effort.left, lambda done, total: effort.on_progress(done))
    except ProofError as error:
        raise InvalidProof(str(error)) from None
    except Unchecked as error:
        raise NotChecked(str(error)) from None
    verdict = "wins" if proof["wins"] else "loses"
    return Verified(f"{describe_terms(proof)}: {proof['mover']} moves first and {verdict}", f"{count} sums")
