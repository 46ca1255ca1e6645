"""A book's values as a table that compiled code can ask.

A table is two arrays: `nodes`, records of `kernels.nodes.NODE`, and `slots`. It can be pickled and shared between
threads; nothing changes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol, runtime_checkable

import numpy as np

from tengen.books.book import ValuedBook
from tengen.books.kernels.nodes import NODE, index_all
from tengen.books.nodes import NO_VALUE, Array

PLIES = 3
"""So near to the root of a search, positions are looked for in the book."""


@dataclass(frozen=True)
class ProbeTable:
    """The positions of a book that have a value."""

    nodes: Array
    slots: Array

    @classmethod
    def of(cls, book: ValuedBook, first: int | None = None, last: int | None = None) -> ProbeTable:
        """Of a book, what comes after `first` to `last` moves, both included."""
        nodes = book.nodes.array[: len(book)]
        stages = nodes["stage"]
        wanted = nodes["value"] != NO_VALUE
        if first is not None:
            wanted &= stages >= first
        if last is not None:
            wanted &= stages <= last
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
        """Equal tables, equal digests."""
        known = [self.nodes[name].tobytes() for name in ("high", "low", "value", "kind")]
        return blake2b(b"".join(known), digest_size=16).digest()


@runtime_checkable
class AsksBook(Protocol):
    """An engine that asks a book about positions near the root of its search."""

    book: ProbeTable | None
