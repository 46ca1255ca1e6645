"""How promising a move is in a reading of life and death that cannot try all of them: only the best are read.

What is looked at: how near it is to the group, room around it, what it takes, threatens or saves, and how often a
move there decided in this search.
"""

from __future__ import annotations

from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import BORDER, EMPTY
from tengen.engines.go.reading.kernels.board import beside, colour_at, head_at, liberties_of, stones_of

ALL = 64  # a width that leaves nothing out


@inner
def worth(board, point, turn, steps):
    """Of a move of one side; steps: how near it is to the group, 1 to 3."""
    score = 12 - 4 * steps
    edge = 0
    for direction in range(4):
        near = beside(board, point, direction)
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
def keep_best(life, base, count, turn, width):
    """Bring the most promising of some moves to the front, and return how many are read: the width at most.

    Their scores are in `priors`; to these comes how often they decided.
    """
    most = 1
    for i in range(count):
        most = max(most, life.wins[2 * life.moves[base + i] + turn - 1])
    for i in range(count):
        life.priors[base + i] += 12 * life.wins[2 * life.moves[base + i] + turn - 1] // most
    kept = min(count, width)
    for i in range(kept):
        best = i
        for j in range(i + 1, count):
            if life.priors[base + j] > life.priors[base + best]:
                best = j
        move, score = life.moves[base + best], life.priors[base + best]
        life.moves[base + best] = life.moves[base + i]
        life.priors[base + best] = life.priors[base + i]
        life.moves[base + i] = move
        life.priors[base + i] = score
    return kept
