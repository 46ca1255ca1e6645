"""Candidate lists of the tactical searches: adding, sorting and truncating moves; and the searches' scalar state.

A candidate is its score and its point packed into one number, so that sorting the numbers sorts the moves.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.compiled.records import record_type
from tengen.engines.go.kernels.board import EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
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

# The scalar state of a search.
SEARCH_STATE = record_type(
    ("nodes", np.int64),
    ("node_limit", np.int64),
    ("ko_mode", np.int64),
    ("ko_seen", np.int64),  # whether the ko mode mattered
    ("budget_cut", np.int64),  # whether a larger budget could change the result
    ("query_id", np.int64),  # distinguishes the table entries of different queries
    ("attacker", np.int64),  # the side with the goal, see `capture.set_goal`
    ("excluded_move", np.int64),  # an attack that is not tried at the root, or NOWHERE
    ("join_target", np.int64),  # the string to connect with, or NOWHERE for a capture
    ("distance_stamp", np.int64),  # marks points reached by the current distance measurement
    ("joining_move", np.int64),  # a move that connects at once, or NOWHERE
    # The list of candidates being made: moves[first:end].
    ("first", np.int64),
    ("end", np.int64),
    ("hint", np.int64),  # the table's best move
    ("killer", np.int64),  # the last move that caused a cutoff in this ply
)

LOOSE_MOVE_COST = 2  # budget cost of a promising move that is not an atari
MAX_HISTORY_BONUS = 20  # score bonus of the move that caused most cutoffs
MAX_CANDIDATES = 64  # per position
MAX_RACE_LIBERTIES = 4  # a string with more liberties is not attacked in a race


@inner
def start_list(board, search, first, hint, killer):
    """Begin a list of candidates at moves[first]; `hint` and `killer` are moves to prefer, or NOWHERE."""
    board.state[0].stamp += 1
    state = search.state[0]
    state.first = first
    state.end = first
    state.hint = hint
    state.killer = killer


@inner
def add_move(board, search, point, score):
    """Add a candidate or raise the score of an existing one."""
    state = search.state[0]
    if board.marks[point] == board.state[0].stamp:
        for i in range(state.first, state.end):
            if search.moves[i] & 1023 == point:
                if search.moves[i] >> 10 < score:
                    search.moves[i] = (score << 10) | point
                return
    elif state.end - state.first < MAX_CANDIDATES:
        board.marks[point] = board.state[0].stamp
        search.moves[state.end] = (score << 10) | point
        state.end += 1


@inner
def is_first_visit(board, head):
    """Whether this is the first call with a string since the list was begun. Not for nested loops over strings."""
    stamp = -board.state[0].stamp  # candidates are marked with the positive number
    if board.marks[head] == stamp:
        return False
    board.marks[head] = stamp
    return True


@inner
def is_playable(board, search, point, colour):
    """Whether a side may play an empty point: no suicide, and no ko forbidden in this ko mode."""
    if point == board.state[0].ko and colour == board.state[0].ko_for:
        search.state[0].ko_seen = 1
        mode = search.state[0].ko_mode
        free = mode == ATTACKER_RETAKES if colour == search.state[0].attacker else mode == DEFENDER_RETAKES
        if not free:
            return False
    return is_legal(board, point, colour)


@inner
def order_candidates(board, search, mover, killer_score, ply):
    """Apply history, killer and table-move bonuses to listed moves, sort them, best first, and truncate the list.

    Returns its end.
    """
    state = search.state[0]
    first = state.first
    most = 1
    for i in range(first, state.end):
        most = max(most, search.wins[2 * (search.moves[i] & 1023) + mover - 1])
    for i in range(first, state.end):
        won = search.wins[2 * (search.moves[i] & 1023) + mover - 1]
        search.moves[i] += (MAX_HISTORY_BONUS * won // most) << 10
    if state.killer != NOWHERE and board.marks[state.killer] == board.state[0].stamp:
        add_move(board, search, state.killer, killer_score)
    if state.hint != NOWHERE and board.marks[state.hint] == board.state[0].stamp:
        add_move(board, search, state.hint, 1000)
    for i in range(first + 1, state.end):
        move = search.moves[i]
        j = i
        while j > first and search.moves[j - 1] < move:
            search.moves[j] = search.moves[j - 1]
            j -= 1
        search.moves[j] = move
    if mover == state.attacker:
        width = 10 if ply < 7 else 7
    else:
        deep = 12 if state.join_target == NOWHERE else 10
        width = 16 if ply < 7 else deep
    return min(state.end, first + (MAX_CANDIDATES if ply < 3 else width))


@inner
def is_weak(board, head):
    """Whether a string may be captured in a race: two liberties, or three or four and no way out."""
    left = liberties_of(board, head)
    if left <= 2 or left > MAX_RACE_LIBERTIES:
        return left <= 2
    point = first_liberty(board, head)
    while point != NOWHERE:
        if liberties_after(board, point, colour_at(board, head)) > left + 1:
            return False
        point = next_liberty(board, head, point)
    return True


@inner
def add_liberties(board, search, head, colour, score):
    """Add the liberties of a string as moves of `colour`; self-ataris score less."""
    point = first_liberty(board, head)
    while point != NOWHERE:
        if is_playable(board, search, point, colour):
            add_move(board, search, point, score if liberties_after(board, point, colour) > 1 else score - 20)
        point = next_liberty(board, head, point)


@inner
def add_captures(board, search, head, colour, score):
    """Add captures of enemy strings in atari adjacent to a string of `colour`."""
    at = next_adjacent(board, head, -1, 3 - colour)
    while at >= 0:
        enemy = head_at(board, stone_at_cursor(board, at))
        if liberties_of(board, enemy) == 1:
            point = first_liberty(board, enemy)
            if is_playable(board, search, point, colour):
                add_move(board, search, point, score + 4 * min(stones_of(board, enemy), 10))
        at = next_adjacent(board, head, at, 3 - colour)


@inner
def add_ko_filling(board, search, colour):
    """Add the move that fills the last ko, which ends a ko fight."""
    point = board.state[0].last_ko
    if point != NOWHERE and colour_at(board, point) == EMPTY and is_playable(board, search, point, colour):
        add_move(board, search, point, 90)


@inner
def add_threat(board, search, threat, colour):
    """Add the attacker's move after a pass, if there is one, as a move of the defender."""
    if threat != NOWHERE and colour_at(board, threat) == EMPTY and is_playable(board, search, threat, colour):
        add_move(board, search, threat, 130)
