"""Wins in one and two stones by trying every move and every answer by the rules: slow and certain.

Independent of the engine's board; used to verify the engine's claims.
"""

from __future__ import annotations

from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.rules import is_over, legal_moves, play, score, to_move


@helper
def _has_won(state, mover):
    return is_over(state) and score(state) == (1000 if mover == 0 else -1000)


@helper
def _wins_at_once(stack, ply, mover, moves):
    """Whether the side to move at stack[ply] has a winning move."""
    count = legal_moves(stack[ply], moves[ply])
    for i in range(count):
        stack[ply + 1] = stack[ply]
        play(stack[ply + 1], moves[ply, i])
        if _has_won(stack[ply + 1], mover):
            return True
    return False


@helper
def _answer_saves(stack, mover, moves):
    """Whether some answer at stack[1] leaves the mover without an immediate win."""
    count = legal_moves(stack[1], moves[1])
    for i in range(count):
        stack[2] = stack[1]
        play(stack[2], moves[1, i])
        if _has_won(stack[2], mover):
            continue
        if is_over(stack[2]) or not _wins_at_once(stack, 2, mover, moves):
            return True
    return False


@kernel
def shortest_win(stack, moves):
    """1 or 2 if the side to move at stack[0] wins with its first or second stone against every answer; else 0.

    stack: four records; moves: int64[3, maximum number of moves].
    """
    mover = to_move(stack[0])
    if _wins_at_once(stack, 0, mover, moves):
        return 1
    count = legal_moves(stack[0], moves[0])
    for i in range(count):
        stack[1] = stack[0]
        play(stack[1], moves[0, i])
        if not is_over(stack[1]) and not _answer_saves(stack, mover, moves):
            return 2
    return 0
