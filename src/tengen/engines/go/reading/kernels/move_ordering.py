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
def select_best(search, dfpn, base, count, turn):
    """Move the best `width` of the `count` children from `base` on to the front; returns their number.

    Their static scores are in `prior`; a bonus for earlier successes is added.
    """
    children, wins = dfpn.children, search.wins
    most = 1
    for i in range(base, base + count):
        most = max(most, wins[2 * children[i].move + turn - 1])
    for i in range(base, base + count):
        children[i].prior += 12 * wins[2 * children[i].move + turn - 1] // most
    width = min(count, dfpn.state[0].width)
    for i in range(base, base + width):
        best = i
        for j in range(i + 1, base + count):
            if children[j].prior > children[best].prior:
                best = j
        move, score = children[best].move, children[best].prior
        children[best].move, children[best].prior = children[i].move, children[i].prior
        children[i].move, children[i].prior = move, score
    return width
