"""Flat Monte-Carlo search: the same number of playouts for each move, without a tree."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.rules import is_over, play, playout_move, playout_score, resume_play, score, to_move


@kernel
def sample(stack, moves, visits, wins, playouts, longest, rng, stop):
    """Run playouts after each of the moves from `stack[0]`, least visited first; return the number of playouts.

    visits, wins: int64 per move; wins are half wins of the side to move. stack: two records.
    """
    player = to_move(stack[0])
    for done in range(playouts):
        if atomics.load(stop, 0) != 0:
            return done
        choice = np.argmin(visits)
        stack[1] = stack[0]
        play(stack[1], moves[choice])
        length = 0
        over = is_over(stack[1]) and not resume_play(stack[1])
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
