"""Random choice of a move from a statistics book, weighted by results and ratings.

In a book with `min_games`, scores are reliable and all players are equally strong, so a move is weighted by its
games instead, and one that scores clearly worse than the best is left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tengen.books.statistics import CountedMove, Counts, StatisticsBook
from tengen.core.game import Move
from tengen.core.position import Position

MAX_SAMPLE = 60
DEFAULT_RATING = 1000.0
MAX_SCORE_LOSS = 0.03  # below the best score; in a book with `min_games`
MIN_SHARE = 0.1  # of the games of the most frequent move; in a book with `min_games`


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


def frequent_moves(
    moves: Sequence[CountedMove], min_games: int, policy: SelectionPolicy
) -> list[tuple[Move, float]]:
    """Moves with enough games and a good score, weighted by their games.

    A score is reduced by its standard error, so that a lucky score of few games is not the best one.
    """
    scores = {known.move: _careful_score(known.counts) for known in moves if known.counts.games >= min_games}
    if not scores:
        return []
    most = max(known.counts.games for known in moves)
    least = max(policy.least, max(scores.values()) - MAX_SCORE_LOSS)
    return [
        (known.move, known.counts.games * (1.0 if known.own else policy.foreign))
        for known in moves
        if known.counts.games >= MIN_SHARE * most and scores.get(known.move, 0.0) >= least
    ]


def _careful_score(counts: Counts) -> float:
    decided = max(1, counts.wins + counts.losses + counts.draws)
    score = (counts.wins + counts.draws / 2) / decided
    return score - math.sqrt(score * (1 - score) / decided)


def choose_move(
    book: StatisticsBook, position: Position, random: Random, policy: SelectionPolicy | None = None
) -> Selection:
    """Choose a book move at random by weight, among a random sample of at most `MAX_SAMPLE`."""
    policy = policy or SelectionPolicy()
    moves = book.known(position)
    if len(moves) > MAX_SAMPLE:
        moves = random.sample(moves, MAX_SAMPLE)
    if book.min_games > 1:
        weighed = frequent_moves(moves, book.min_games, policy)
    else:
        weighed = [(known.move, move_weight(known, policy)) for known in moves]
    remaining = random.random() * (sum(share for _, share in weighed) + policy.fall_through)
    for move, share in weighed:
        remaining -= share
        if remaining < 0:
            return Selection(move)
    return Selection(None, frozenset(known.move for known in moves) if policy.exclude else frozenset())
