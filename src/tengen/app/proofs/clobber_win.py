"""Certificates of the Clobber solver, in their own format; `engines.clobber.checker` checks them."""

from __future__ import annotations

from tengen.app.proofs.proof_file import Effort, InvalidProof, NotChecked, Verified
from tengen.engines.clobber.checker import Unchecked, verify
from tengen.engines.clobber.proof_format import ProofError


def check_text(text: str, effort: Effort) -> Verified:
    try:
        proof, count = verify(text, effort.left, lambda done, total: effort.on_progress(done))
    except ProofError as error:
        raise InvalidProof(str(error)) from None
    except Unchecked as error:
        raise NotChecked(str(error)) from None
    verdict = "wins" if proof["wins"] else "loses"
    return Verified(f"Clobber {proof['board']}: {proof['mover']} moves first and {verdict}", f"{count} sums")
