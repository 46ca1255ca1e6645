"""Random seeds of the parts of a run."""

from __future__ import annotations

import hashlib


def derived_seed(*parts: object) -> int:
    """A seed that depends on a run's seed and on what it is for."""
    text = " ".join(map(str, parts))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "little")
