"""How far a book can be trusted: its level, proved node by node."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tengen.books.book import ValuedBook
from tengen.books.kernels import nodes as kernels


class Level(IntEnum):
    """Each includes the ones before it.

    Consistent: leaves and solved positions have values; what branches say of their unplayed moves is in the book.
    Valued: every branch knows its best unplayed move, and its value is that of its best successor.
    Negamaxed: and nobody has played that move meanwhile.
    """

    BROKEN = 0
    CONSISTENT = 1
    VALUED = 2
    NEGAMAXED = 3


_WHY = {
    kernels.NOT_VALUED: (Level.CONSISTENT, "its best unplayed move is not known"),
    kernels.DEVIATION_PLAYED: (Level.VALUED, "its best unplayed move has been played"),
    kernels.DEVIATION_MISSING: (Level.BROKEN, "the position after its best unplayed move is not in the book"),
    kernels.SUCCESSOR_MISSING: (Level.BROKEN, "all moves are said to be played, but one is not in the book"),
    kernels.VALUELESS: (Level.BROKEN, "it has no value"),
    kernels.TOO_LATE: (Level.BROKEN, "it comes after the book's last move"),
}
_WRONG = (Level.CONSISTENT, "its value is not that of its best successor")


@dataclass(frozen=True)
class Checked:
    """A book's level; the first node, in order of play, that keeps it from the next one, and why it does."""

    level: Level
    offender: int | None = None
    reason: str = ""


def check(book: ValuedBook) -> Checked:
    """Prove a book's level."""
    found = Checked(Level.NEGAMAXED)
    parts = list(book.nodes.by_stage().values())
    order = np.concatenate(parts[::-1]) if parts else np.zeros(0, np.int64)
    verdicts = book.nodes.inspect(order, book.horizon, book.grain)
    for place in np.flatnonzero(verdicts):
        verdict = int(verdicts[place])
        reasons = [_WRONG] if verdict & kernels.WRONG_VALUE else []
        if verdict & ~kernels.WRONG_VALUE:
            reasons.append(_WHY[verdict & ~kernels.WRONG_VALUE])
        level, reason = min(reasons)
        if level < found.level:
            found = Checked(level, int(order[place]), reason)
    return found
