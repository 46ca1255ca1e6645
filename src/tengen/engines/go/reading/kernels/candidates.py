"""The list of candidates of the tactical searches: what a search knows, how moves are added, sorted and cut off.

A candidate is its score and its point in one number, so that sorting the numbers sorts the moves.
"""

from __future__ import annotations

from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    KO,
    KO_FOR,
    STAMP,
    at_cursor,
    colour_at,
    first_liberty,
    head_at,
    is_legal,
    liberties_of,
    next_beside,
    next_liberty,
    reach,
    stones_of,
)

# Who may retake a ko at once.
DEFENDER_RETAKES, NOBODY_RETAKES, ATTACKER_RETAKES = 0, 1, 2

# `facts` of a search: int64
(
    NODES,
    LIMIT,  # of nodes
    MODE,  # who may retake
    KO_SEEN,  # whether it mattered who may retake
    CUT,  # whether a larger budget could change the result
    SALT,  # makes the keys of this question different from those of others
    OTHER,  # the string that the first is to be joined with, or NOWHERE where it is to be caught
    WAVE,  # what marks a point as reached just now when distances are measured
    JOIN,  # the move that joins, where one does
    SEARCH_FACTS,
) = range(10)

LOOSE = 2  # what a promising move that is no atari costs of a budget
HISTORY = 20  # how much a move may gain by having decided before
WIDEST = 64  # candidates of one position


@inner
def add_move(board, search, at, first, point, score):
    """Add a candidate, or raise the score of one that is there. Returns the end of the list."""
    if board.marks[point] == board.facts[STAMP]:
        for i in range(first, at):
            if search.moves[i] & 1023 == point:
                if search.moves[i] >> 10 < score:
                    search.moves[i] = (score << 10) | point
                return at
        return at
    if at - first >= WIDEST:
        return at
    board.marks[point] = board.facts[STAMP]
    search.moves[at] = (score << 10) | point
    return at + 1


@inner
def may_play(board, search, point, colour, attacker):
    """Whether a side may play an empty point: no suicide, and no ko that it may not retake in this search."""
    if point == board.facts[KO] and colour == board.facts[KO_FOR]:
        search.facts[KO_SEEN] = 1
        mode = search.facts[MODE]
        free = mode == ATTACKER_RETAKES if colour == attacker else mode == DEFENDER_RETAKES
        if not free:
            return False
    return is_legal(board, point, colour)


@inner
def best_moves(search, first, end, ply):
    """Sort a list of moves, best first, and keep as many as are read at this depth; returns where they end."""
    for i in range(first + 1, end):
        move = search.moves[i]
        j = i
        while j > first and search.moves[j - 1] < move:
            search.moves[j] = search.moves[j - 1]
            j -= 1
        search.moves[j] = move
    return min(end, first + (WIDEST if ply < 3 else 10 if ply < 7 else 7))


@inner
def finish_list(board, search, first, end, mover, killer, killer_score, hint, ply):
    """Raise moves that decided before, at this ply or often, and the one that the table has, if listed; sort."""
    most = 1
    for i in range(first, end):
        most = max(most, search.wins[2 * (search.moves[i] & 1023) + mover - 1])
    for i in range(first, end):
        won = search.wins[2 * (search.moves[i] & 1023) + mover - 1]
        search.moves[i] += (HISTORY * won // most) << 10
    if killer != NOWHERE and board.marks[killer] == board.facts[STAMP]:
        end = add_move(board, search, end, first, killer, killer_score)
    if hint != NOWHERE and board.marks[hint] == board.facts[STAMP]:
        end = add_move(board, search, end, first, hint, 1000)
    return best_moves(search, first, end, ply)


@inner
def add_liberties(board, search, end, first, head, colour, attacker, score):
    """Its liberties as moves of a colour that are worth so much."""
    point = first_liberty(board, head)
    while point != NOWHERE:
        if may_play(board, search, point, colour, attacker):
            worth = score if reach(board, point, colour) > 1 else score - 20
            end = add_move(board, search, end, first, point, worth)
        point = next_liberty(board, head, point)
    return end


@inner
def add_captures(board, search, end, first, head, colour, attacker, score):
    """Captures of enemies in atari beside a string of this colour."""
    at = next_beside(board, head, -1, 3 - colour)
    while at >= 0:
        enemy = head_at(board, at_cursor(board, at))
        if liberties_of(board, enemy) == 1:
            point = first_liberty(board, enemy)
            if may_play(board, search, point, colour, attacker):
                end = add_move(board, search, end, first, point, score + 4 * min(stones_of(board, enemy), 10))
        at = next_beside(board, head, at, 3 - colour)
    return end


@inner
def add_threat(board, search, end, first, threat, colour, attacker):
    """Where the attacker would play if the defender passed, or NOWHERE, as a move of the defender."""
    if threat != NOWHERE and colour_at(board, threat) == EMPTY:
        if may_play(board, search, threat, colour, attacker):
            return add_move(board, search, end, first, threat, 130)
    return end
