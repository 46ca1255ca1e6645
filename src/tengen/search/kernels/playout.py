"""Random games, for benchmarks of the rules."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.rules import is_over, play, playout_move, playout_score, random_move


@kernel
def random_games(stack, games, longest, uniform, rng, stop):
    """Play games from `stack[0]`; return (number of moves, half wins of player 0).

    Moves are uniformly random if `uniform`, and chosen by `playout_move` otherwise.
    """
    moves = np.int64(0)
    wins = np.int64(0)
    for _ in range(games):
        if atomics.load(stop, 0) != 0:
            break
        stack[1] = stack[0]
        length = 0
        while length < longest and not is_over(stack[1]):
            play(stack[1], random_move(stack[1], rng) if uniform else playout_move(stack[1], rng))
            length += 1
        moves += length
        result = playout_score(stack[1])
        wins += 2 * np.int64(result > 0) + np.int64(result == 0)
    return moves, wins
