"""Proof-number search for capturing races: whether the attacker captures the target before its rival is captured.

Moves are tried near the two strings and near strings short of liberties that touch them. A target with a liberty
outside the zone has escaped. A captured rival of more than `MAX_NAKADE` stones decides the race; inside a smaller
one the attacker may play again. With a margin, the search is selective: fewer moves are tried, and a side that has
gained so many liberties on the other is ahead for good.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.references import reference
from tengen.engines.go.groups.kernels.race_candidates import list_race_moves, list_sharp_moves
from tengen.engines.go.groups.kernels.race_evaluation import MAX_NAKADE, RIVAL_MAY_DIE, evaluate, rival_head
from tengen.engines.go.groups.kernels.race_eyes import count_moves_to_capture, has_two_eyes
from tengen.engines.go.kernels.board import NOWHERE
from tengen.engines.go.reading.kernels.board import (
    colour_at,
    has_liberty,
    head_at,
    liberties_after,
    liberties_of,
    place,
    restore,
    stones_of,
    takes,
)
from tengen.engines.go.reading.kernels.capture import start
from tengen.engines.go.reading.kernels.proof_number_search import (
    MAX_CHILDREN,
    add_pass,
    key_after,
    key_of,
    make_search,
    pack_numbers,
    start_proof,
)

WIDTHS = 40, 24, 16  # moves tried at the root, at ply 1, and deeper
SHARP_WIDTHS = 16, 8, 6  # of a search with a margin
_MANY = 9  # liberties


@inner
def _left_after(board, head, point, turn):
    """Liberties of a string after a move that captures nothing, up to _MANY; _MANY for no string."""
    if head == NOWHERE:
        return np.int64(_MANY)
    left = liberties_of(board, head)
    if has_liberty(board, head, point):
        left = liberties_after(board, point, turn) if colour_at(board, head) == turn else left - 1
    return min(left, np.int64(_MANY))


@inner
def _init_child(board, search, dfpn, ply, index, move):
    """Set the key and the initial proof numbers of a child."""
    frame, child, goal = dfpn.frames[ply], dfpn.children[ply * MAX_CHILDREN + index], dfpn.state[0]
    turn = frame.turn
    child.move = move
    if takes(board, move, turn):
        place(board, move, turn)
        child.position_key = key_of(board, 3 - turn)
        left = min(liberties_of(board, head_at(board, goal.target)), np.int64(_MANY))
        if colour_at(board, goal.target) != goal.colour:
            left = np.int64(0)
        rival = rival_head(board, dfpn)
        against = np.int64(0)
        if rival != NOWHERE:
            against = min(liberties_of(board, rival), np.int64(_MANY))
        restore(board, frame)
    else:
        child.position_key = key_after(board, move, turn)
        left = _left_after(board, head_at(board, goal.target), move, turn)
        against = _left_after(board, rival_head(board, dfpn), move, turn)
    catching = 1 + left + 2 * max(left - against, 0)
    fleeing = 1 + against + 2 * max(against - left, 0)
    if turn == search.state[0].attacker:
        child.prior = pack_numbers(fleeing, catching + index // 3)
    else:
        child.prior = pack_numbers(catching, fleeing + index // 3)


@inner
def _expand(board, search, dfpn, ply):
    """List the children of a ply."""
    frame, goal = dfpn.frames[ply], dfpn.state[0]
    if goal.margin > 0:
        frame.children = min(list_sharp_moves(board, search, dfpn, frame.turn), SHARP_WIDTHS[min(ply, 2)])
    else:
        frame.children = min(list_race_moves(board, search, dfpn, frame.turn), WIDTHS[min(ply, 2)])
    for i in range(frame.children):
        _init_child(board, search, dfpn, ply, i, search.moves[i] & 1023)
    add_pass(board, search, dfpn, ply)


@inner
def _add_refutations(board, search, dfpn, ply):
    """None: the list of moves is wide enough."""
    return False


_prove = make_search(evaluate, _expand, _add_refutations, 1)


@kernel
def read_race(board, search, dfpn, query, turn, rival, repetition_wins, margin):
    """(phi, delta, best move, nodes, whether the ko mode mattered) for the side to move.

    `repetition_wins` tells whether a repetition is good for the attacker, not for the defender.
    """
    board, search, dfpn = reference(board), reference(search), reference(dfpn)
    start(board, search, query)
    start_proof(board, dfpn, query.target)
    goal = dfpn.state[0]
    goal.rival = rival
    goal.repetition_wins = repetition_wins
    goal.margin = margin
    if margin > 0:
        target, enemy = head_at(board, np.int64(query.target)), head_at(board, np.int64(rival))
        goal.max_liberties = max(liberties_of(board, target), liberties_of(board, enemy)) + margin
        left, against = count_moves_to_capture(board, dfpn, target), count_moves_to_capture(board, dfpn, enemy)
        goal.margin = abs(left - against) + margin
    goal.width = 0
    if rival != NOWHERE:
        head = head_at(board, np.int64(rival))
        if stones_of(board, head) > MAX_NAKADE:
            goal.width = 1 if has_two_eyes(board, dfpn, head) else RIVAL_MAY_DIE
    phi, delta, move = _prove(board, search, dfpn, np.int64(turn))
    return phi, delta, move, search.state[0].nodes, search.state[0].ko_seen != 0
