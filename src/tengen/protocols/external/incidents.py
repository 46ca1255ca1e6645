"""What is recorded of a foreign engine's incidents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Incident:
    """Something that went wrong with a foreign engine: when (seconds since 1970), what kind, and in words."""

    when: float
    kind: str  # start, died, hung, flood, illegal, refused, resigned
    text: str
