"""Record of failures of external programs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Incident:
    """A failure of an external program: time (seconds since 1970), kind and description."""

    when: float
    kind: str  # start, died, hung, flood, illegal, refused, resigned
    text: str
