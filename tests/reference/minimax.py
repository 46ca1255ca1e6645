"""Negamax as simply as it can be written: every move, every game to its end, nothing pruned and nothing stored.

It plays on `Position`, so it goes by the rules as a player meets them: history counts, and a move that superko
forbids is no move. Slow on purpose, and made for positions near the end of a game.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from tengen.core.game import Move
from tengen.core.position import Position

LONGEST = 200  # moves of a game: more than Python's recursion should be asked to follow


class TooLarge(Exception):
    """There is more to look at than one was willing to."""


class Minimax:
    """Values are in thousandths of a point for the side to move. Looks at `most` positions in all.

    With a `guess` (at the score of player 0) games can be followed for a few moves only, and then guessed.
    """

    def __init__(self, *, most: int = 100_000, guess: Callable[[Position], int] | None = None) -> None:
        self.most = most
        self.guess = guess
        self.nodes = 0

    def value(self, position: Position, depth: int | None = None) -> int:
        """What a position is worth to the side to move, after `depth` moves or at the end of the game."""
        self.nodes += 1
        if self.nodes > self.most or position.ply > LONGEST:
            raise TooLarge
        if position.is_over:
            return position.final_score if position.to_move == 0 else -position.final_score
        if depth == 0:
            assert self.guess is not None, "a limited depth needs a guess"
            return self.guess(position) if position.to_move == 0 else -self.guess(position)
        return max(self.move_value(position, move, depth) for move in position.legal_moves)

    def move_value(self, position: Position, move: Move, depth: int | None = None) -> int:
        """What a move is worth to the side that makes it; it may be the same side's turn again."""
        after = position.play(move)
        value = self.value(after, None if depth is None else depth - 1)
        return value if after.to_move == position.to_move else -value


@functools.cache
def solve(position: Position, most: int = 100_000) -> int:
    """The value of a position under best play; kept, because several tests ask about the same positions."""
    return Minimax(most=most).value(position)


@functools.cache
def solve_move(position: Position, move: Move, most: int = 100_000) -> int:
    """The value of a move, for the side that makes it."""
    return Minimax(most=most).move_value(position, move)
