"""Book values as a hash table that compiled searches can probe.

A table has two arrays: `nodes`, records of `kernels.nodes.NODE`, and `slots`, the hash index.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol, runtime_checkable

import numpy as np

from tengen.books.book import ValuedBook
from tengen.books.kernels.nodes import NODE, index_all
from tengen.books.nodes import NO_VALUE, Array

BOOK_PROBE_PLIES = 3  # search nodes this close to the root are looked up in the book


@dataclass(frozen=True)
class ProbeTable:
    """Valued positions of a book. Immutable and picklable; safe to share between threads."""

    nodes: Array
    slots: Array

    @classmethod
    def from_book(cls, book: ValuedBook, min_ply: int | None = None, max_ply: int | None = None) -> ProbeTable:
        """Positions with `min_ply <= ply <= max_ply`, passes not counted; None means no limit."""
        nodes = book.nodes.array[: len(book)]
        stages = nodes["stage"]
        wanted = nodes["value"] != NO_VALUE
        if min_ply is not None:
            wanted &= stages >= min_ply
        if max_ply is not None:
            wanted &= stages <= max_ply
        chosen = nodes[wanted]
        chosen = chosen[np.lexsort((chosen["low"], chosen["high"]))].copy()
        size = 64
        while size < 2 * len(chosen):
            size *= 2
        slots = np.full(size, -1, np.int32)
        index_all(chosen, np.int64(len(chosen)), slots)
        return cls(chosen, slots)

    @classmethod
    def empty(cls) -> ProbeTable:
        return cls(np.zeros(1, NODE), np.full(64, -1, np.int32))

    def digest(self) -> bytes:
        """Digest of the content."""
        known = [self.nodes[name].tobytes() for name in ("high", "low", "value", "kind")]
        return blake2b(b"".join(known), digest_size=16).digest()


@runtime_checkable
class BookProbingEngine(Protocol):
    """An engine that probes a book near the root of its search."""

    book: ProbeTable | None
