"""Offers between two players: a draw, taking back a move, a pause."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from tengen.core.translation import mark
from tengen.play.game_tree import MatchError
from tengen.play.match import Match


@dataclass(frozen=True)
class Offer:
    """A request to the other player: `kind` is draw, take back or pause; `side` asks."""

    kind: str
    side: int


class Offers:
    """The offer of a match that waits for an answer, and the one that was declined last."""

    def __init__(self, match: Match) -> None:
        self.pending: Offer | None = None
        self.declined: Offer | None = None  # shown to the one who asked, until the next move
        self._match = match
        self._lock = threading.Lock()

    def make(self, offer: Offer) -> None:
        if self._match.result is not None:
            raise MatchError(mark("the game is over"))
        self.pending, self.declined = offer, None

    def answer(self, sides: frozenset[int], accept: bool) -> None:
        """Accept or decline the other player's offer, for somebody who plays `sides`."""
        with self._lock:  # of two answers at once, only one counts
            offer = self.pending
            if offer is None or 1 - offer.side not in sides:
                raise MatchError(mark("there is no offer to answer"))
            self.pending = None
            self.declined = None if accept else offer
        if accept and offer.kind == "draw":
            self._match.draw()
        elif accept and offer.kind == "take back":
            self._match.take_back_for(offer.side)
        elif accept:
            self._match.adjourn()

    def clear(self) -> None:
        self.pending = self.declined = None
