"""The library of solved positions: what is claimed, and how anybody can check it.

An entry has a certificate, which a small independent checker verifies, or names the command that produces the
result or the certificate, how long it takes, and where the run is described.

Shipped entries are in `shipped/library.json` with their certificates beside it; those that users add are in the
folder `proofs` of the user's data.
"""

from tengen.app.proof_library.library import (
    Entry,
    add_proof,
    check_entry,
    entry_named,
    library_entries,
    run_entry,
)

__all__ = ["Entry", "add_proof", "check_entry", "entry_named", "library_entries", "run_entry"]
