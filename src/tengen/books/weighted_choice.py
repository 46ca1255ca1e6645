"""Random choice of a move from a statistics book, weighted by results and ratings."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tengen.books.statistics import CountedMove, StatisticsBook
from tengen.core.game import Move
from tengen.core.position import Position

MAX_SAMPLE = 60
DEFAULT_RATING = 1000.0


@dataclass(frozen=True)
class SelectionPolicy:
    """Parameters of the choice. A move's weight is best rating / 1000 * wins / losses.

    `no_wins` and `no_losses` replace zero wins or losses; `foreign` is the factor for moves known from other rules
    or sizes; moves with a score below `least` are ignored; `fall_through` is the weight of choosing no book move.
    With `exclude`, the search that then follows must not play a book move.
    """

    no_wins: float = 0.3
    no_losses: float = 0.2
    foreign: float = 0.01
    least: float = 0.4
    fall_through: float = 0.1
    exclude: bool = False


@dataclass(frozen=True)
class Selection:
    """The chosen move, or None to search, without the moves in `excluded`."""

    move: Move | None
    excluded: frozenset[Move] = frozenset()


def move_weight(known: CountedMove, policy: SelectionPolicy) -> float:
    """Relative probability of a move."""
    wins, losses = known.counts.wins, known.counts.losses
    decided = wins + losses + known.counts.draws
    if decided == 0 or wins + known.counts.draws / 2 < policy.least * decided:
        return 0.0
    rating = known.counts.best or DEFAULT_RATING
    result = rating / 1000 * (wins or policy.no_wins) / (losses or policy.no_losses)
    return result if known.own else result * policy.foreign


def choose_move(
    book: StatisticsBook, position: Position, random: Random, policy: SelectionPolicy | None = None
) -> Selection:
    """Choose a book move at random by weight, among a random sample of at most `MAX_SAMPLE`."""
    policy = policy or SelectionPolicy()
    moves = book.known(position)
    if len(moves) > MAX_SAMPLE:
        moves = random.sample(moves, MAX_SAMPLE)
    weighed = [(known.move, move_weight(known, policy)) for known in moves]
    remaining = random.random() * (sum(share for _, share in weighed) + policy.fall_through)
    for move, share in weighed:
        remaining -= share
        if remaining < 0:
            return Selection(move)
    return Selection(None, frozenset(known.move for known in moves) if policy.exclude else frozenset())
