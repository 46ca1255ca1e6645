"""Verification of a valued book, node by node."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tengen.books.book import ValuedBook
from tengen.books.kernels import nodes as kernels


class ConsistencyLevel(IntEnum):
    """How far a book can be trusted; each level includes the previous ones.

    CONSISTENT: leaves and solved positions have values, and positions after best unplayed moves are in the book.
    VALUED: every branch has a best unplayed move, and its value is that of its best successor.
    NEGAMAXED: additionally, no best unplayed move is out of date: it has not been played, and there is one
        wherever a successor is a leaf.
    """

    BROKEN = 0
    CONSISTENT = 1
    VALUED = 2
    NEGAMAXED = 3


_WHY = {
    kernels.NOT_VALUED: (ConsistencyLevel.CONSISTENT, "its best unplayed move is not known"),
    kernels.DEVIATION_PLAYED: (ConsistencyLevel.VALUED, "its best unplayed move is out of date"),
    kernels.DEVIATION_MISSING: (
        ConsistencyLevel.BROKEN,
        "the position after its best unplayed move is not in the book",
    ),
    kernels.SUCCESSOR_MISSING: (
        ConsistencyLevel.BROKEN,
        "all moves are marked as played, but one is not in the book",
    ),
    kernels.VALUELESS: (ConsistencyLevel.BROKEN, "it has no value"),
    kernels.TOO_LATE: (ConsistencyLevel.BROKEN, "it comes after the book's last move"),
}
_WRONG = (ConsistencyLevel.CONSISTENT, "its value is not that of its best successor")


@dataclass(frozen=True)
class CheckResult:
    """Level of a book, and the first node, in order of play, that violates the next level, with the reason."""

    level: ConsistencyLevel
    offender: int | None = None
    reason: str = ""


def check(book: ValuedBook) -> CheckResult:
    """Determine the level of a book by checking every node."""
    found = CheckResult(ConsistencyLevel.NEGAMAXED)
    parts = list(book.nodes.by_stage().values())
    order = np.concatenate(parts[::-1]) if parts else np.zeros(0, np.int64)
    verdicts = book.nodes.inspect(order, book.horizon, book.value_unit)
    for place in np.flatnonzero(verdicts):
        verdict = int(verdicts[place])
        reasons = [_WRONG] if verdict & kernels.WRONG_VALUE else []
        if verdict & ~kernels.WRONG_VALUE:
            reasons.append(_WHY[verdict & ~kernels.WRONG_VALUE])
        level, reason = min(reasons)
        if level < found.level:
            found = CheckResult(level, int(order[place]), reason)
    return found
