"""Candidate lists of the tactical searches: adding, sorting and truncating moves; and the searches' scalar state.

A candidate is its score and its point packed into one number, so that sorting the numbers sorts the moves.
"""

from __future__ import annotations

from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    KO,
    KO_FOR,
    STAMP,
    colour_at,
    first_liberty,
    head_at,
    is_legal,
    liberties_after,
    liberties_of,
    next_adjacent,
    next_liberty,
    stone_at_cursor,
    stones_of,
)

# Ko modes: who may retake a ko immediately.
DEFENDER_RETAKES, NOBODY_RETAKES, ATTACKER_RETAKES = 0, 1, 2

# Indices of a search's `facts`: int64
(
    NODES,
    LIMIT,  # of nodes
    MODE,  # ko mode
    KO_SEEN,  # whether the ko mode mattered
    BUDGET_CUT,  # whether a larger budget could change the result
    QUERY_ID,  # distinguishes the table entries of different queries
    JOIN_TARGET,  # the string to connect with, or NOWHERE for a capture
    DISTANCE_STAMP,  # marks points reached by the current distance measurement
    JOINING_MOVE,  # a move that connects at once, or NOWHERE
    SEARCH_FACT_COUNT,
) = range(10)

LOOSE_MOVE_COST = 2  # budget cost of a promising move that is not an atari
MAX_HISTORY_BONUS = 20  # score bonus of the move that caused most cutoffs
MAX_CANDIDATES = 64  # per position


@inner
def add_move(board, search, at, first, point, score):
    """Add a candidate or raise the score of an existing one. Returns the end of the list."""
    if board.marks[point] == board.facts[STAMP]:
        for i in range(first, at):
            if search.moves[i] & 1023 == point:
                if search.moves[i] >> 10 < score:
                    search.moves[i] = (score << 10) | point
                return at
        return at
    if at - first >= MAX_CANDIDATES:
        return at
    board.marks[point] = board.facts[STAMP]
    search.moves[at] = (score << 10) | point
    return at + 1


@inner
def is_playable(board, search, point, colour, attacker):
    """Whether a side may play an empty point: no suicide, and no ko forbidden in this ko mode."""
    if point == board.facts[KO] and colour == board.facts[KO_FOR]:
        search.facts[KO_SEEN] = 1
        mode = search.facts[MODE]
        free = mode == ATTACKER_RETAKES if colour == attacker else mode == DEFENDER_RETAKES
        if not free:
            return False
    return is_legal(board, point, colour)


@inner
def sort_and_truncate(search, first, end, ply):
    """Sort candidates, best first, and truncate them to the width for this ply; returns the end of the list."""
    for i in range(first + 1, end):
        move = search.moves[i]
        j = i
        while j > first and search.moves[j - 1] < move:
            search.moves[j] = search.moves[j - 1]
            j -= 1
        search.moves[j] = move
    return min(end, first + (MAX_CANDIDATES if ply < 3 else 10 if ply < 7 else 7))


@inner
def order_candidates(board, search, first, end, mover, killer, killer_score, hint, ply):
    """Apply history, killer and table-move bonuses to listed moves, then sort and truncate."""
    most = 1
    for i in range(first, end):
        most = max(most, search.wins[2 * (search.moves[i] & 1023) + mover - 1])
    for i in range(first, end):
        won = search.wins[2 * (search.moves[i] & 1023) + mover - 1]
        search.moves[i] += (MAX_HISTORY_BONUS * won // most) << 10
    if killer != NOWHERE and board.marks[killer] == board.facts[STAMP]:
        end = add_move(board, search, end, first, killer, killer_score)
    if hint != NOWHERE and board.marks[hint] == board.facts[STAMP]:
        end = add_move(board, search, end, first, hint, 1000)
    return sort_and_truncate(search, first, end, ply)


@inner
def add_liberties(board, search, end, first, head, colour, attacker, score):
    """Add the liberties of a string as moves of `colour`; self-ataris score less."""
    point = first_liberty(board, head)
    while point != NOWHERE:
        if is_playable(board, search, point, colour, attacker):
            value = score if liberties_after(board, point, colour) > 1 else score - 20
            end = add_move(board, search, end, first, point, value)
        point = next_liberty(board, head, point)
    return end


@inner
def add_captures(board, search, end, first, head, colour, attacker, score):
    """Add captures of enemy strings in atari adjacent to a string of `colour`."""
    at = next_adjacent(board, head, -1, 3 - colour)
    while at >= 0:
        enemy = head_at(board, stone_at_cursor(board, at))
        if liberties_of(board, enemy) == 1:
            point = first_liberty(board, enemy)
            if is_playable(board, search, point, colour, attacker):
                end = add_move(board, search, end, first, point, score + 4 * min(stones_of(board, enemy), 10))
        at = next_adjacent(board, head, at, 3 - colour)
    return end


@inner
def add_threat(board, search, end, first, threat, colour, attacker):
    """Add the attacker's move after a pass, if there is one, as a move of the defender."""
    if threat != NOWHERE and colour_at(board, threat) == EMPTY:
        if is_playable(board, search, threat, colour, attacker):
            return add_move(board, search, end, first, threat, 130)
    return end
