"""Flat Monte-Carlo: the same number of random games after each move, and no tree."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.generic import is_over, play, playout_move, playout_score, reopen, score, to_move
from tengen.core.compiled.kernel import kernel


@kernel
def sample(stack, moves, visits, wins, playouts, longest, rng, stop):
    """Play out each of the moves from `stack[0]` in turn, least visited first; returns how many games were played.

    visits, wins: int64 for each move; wins in halves, for the side to move. stack: two records.
    """
    player = to_move(stack[0])
    for done in range(playouts):
        if atomics.load(stop, 0) != 0:
            return done
        choice = np.argmin(visits)
        stack[1] = stack[0]
        play(stack[1], moves[choice])
        length = 0
        over = is_over(stack[1]) and not reopen(stack[1])
        points = np.int64(score(stack[1])) if over else np.int64(0)
        if not over:
            while length < longest and not is_over(stack[1]):
                play(stack[1], playout_move(stack[1], rng))
                length += 1
            points = np.int64(playout_score(stack[1]))
        if player == 1:
            points = -points
        visits[choice] += 1
        wins[choice] += 2 * np.int64(points > 0) + np.int64(points == 0)
    return playouts
