"""Move ordering for heuristic life-and-death searches, which try only the best moves.

Moves score by distance from the group, empty neighbours, captures, ataris and rescues, and by earlier successes.
"""

from __future__ import annotations

from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import BORDER, EMPTY
from tengen.engines.go.reading.kernels.board import colour_at, head_at, liberties_of, neighbour, stones_of

ALL_MOVES = 64  # a width that excludes no move


@inner
def move_score(board, point, turn, steps):
    """Static score of a move; `steps` is its distance class from 1 to 3, see `eyes.nearness`."""
    score = 12 - 4 * steps
    edge = 0
    for direction in range(4):
        near = neighbour(board, point, direction)
        content = colour_at(board, near)
        if content == EMPTY:
            score += 2
        elif content == BORDER:
            edge = 1
        else:
            head = head_at(board, near)
            left = liberties_of(board, head)
            if content == turn:
                score += 2
                if left == 1:
                    score += 8 + min(stones_of(board, head), 6)
                elif left == 2:
                    score += 3
            else:
                score += 1
                if left == 1:
                    score += 10 + min(stones_of(board, head), 6)
                elif left == 2:
                    score += 5
                elif left == 3:
                    score += 2
    return score - edge


@inner
def select_best(dfpn, base, count, turn, width):
    """Move the best `width` of `count` moves to the front; returns their number.

    Their static scores are in `priors`; a bonus for earlier successes is added.
    """
    most = 1
    for i in range(count):
        most = max(most, dfpn.wins[2 * dfpn.moves[base + i] + turn - 1])
    for i in range(count):
        dfpn.priors[base + i] += 12 * dfpn.wins[2 * dfpn.moves[base + i] + turn - 1] // most
    width_used = min(count, width)
    for i in range(width_used):
        best = i
        for j in range(i + 1, count):
            if dfpn.priors[base + j] > dfpn.priors[base + best]:
                best = j
        move, score = dfpn.moves[base + best], dfpn.priors[base + best]
        dfpn.moves[base + best] = dfpn.moves[base + i]
        dfpn.priors[base + best] = dfpn.priors[base + i]
        dfpn.moves[base + i] = move
        dfpn.priors[base + i] = score
    return width_used
