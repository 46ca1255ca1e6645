"""Choosing a move from counts: a jar of jelly beans, more of them for better moves, and some for none of them."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tengen.books.statistics import Known, StatisticsBook
from tengen.core.game import Move
from tengen.core.position import Position

SAMPLE = 60
USUAL_RATING = 1000.0


@dataclass(frozen=True)
class Manner:
    """How moves are weighed. A move's weight is best rating / 1000 * wins / losses.

    `no_wins` and `no_losses` stand for none of these; `foreign` is the share of moves that other rules or sizes
    know; moves won by fewer than `least` of the games with a result are left out; `fall_through` is the weight of
    choosing none of them. With `exclude`, who falls through is told to leave the book's moves alone.
    """

    no_wins: float = 0.3
    no_losses: float = 0.2
    foreign: float = 0.01
    least: float = 0.4
    fall_through: float = 0.1
    exclude: bool = False


@dataclass(frozen=True)
class Bean:
    """What was drawn: a move, or None to think for oneself, without the moves in `excluded`."""

    move: Move | None
    excluded: frozenset[Move] = frozenset()


def weight(known: Known, manner: Manner) -> float:
    """How likely a move is, compared to others."""
    wins, losses = known.counts.wins, known.counts.losses
    decided = wins + losses + known.counts.draws
    if decided == 0 or wins + known.counts.draws / 2 < manner.least * decided:
        return 0.0
    rating = known.counts.best or USUAL_RATING
    worth = rating / 1000 * (wins or manner.no_wins) / (losses or manner.no_losses)
    return worth if known.own else worth * manner.foreign


def draw(book: StatisticsBook, position: Position, random: Random, manner: Manner | None = None) -> Bean:
    """A move at random by its weight, of at most SAMPLE of them where there are many."""
    manner = manner or Manner()
    moves = book.known(position)
    if len(moves) > SAMPLE:
        moves = random.sample(moves, SAMPLE)
    weighed = [(known.move, weight(known, manner)) for known in moves]
    ball = random.random() * (sum(share for _, share in weighed) + manner.fall_through)
    for move, share in weighed:
        ball -= share
        if ball < 0:
            return Bean(move)
    return Bean(None, frozenset(known.move for known in moves) if manner.exclude else frozenset())
