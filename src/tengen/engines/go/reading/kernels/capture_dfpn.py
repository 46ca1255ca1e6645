"""Proof-number search for captures and connections that need many loose moves.

The budget search (`capture`) is fast if few loose moves decide, but it searches all moves of a budget before a
deeper line. Proof-number search goes where least is left to prove, so it finds a net or a race of ten moves with
single replies. Both use the same candidate moves, and ladders are read at every node.

A string with more than `max_liberties` liberties after the defender's move has escaped.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.references import reference
from tengen.engines.go.kernels.board import EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    colour_at,
    has_liberty,
    head_at,
    liberties_after,
    liberties_of,
    place,
    restore,
    takes,
)
from tengen.engines.go.reading.kernels.candidates import DEFENDER_RETAKES, is_playable, start_list
from tengen.engines.go.reading.kernels.capture import (
    CAUGHT,
    list_attacking_moves,
    list_defending_moves,
    moves_to_goal,
    read_capture,
    start,
    winning_move,
)
from tengen.engines.go.reading.kernels.connection import UNREACHABLE
from tengen.engines.go.reading.kernels.proof_number_search import (
    MAX_CHILDREN,
    add_pass,
    key_after,
    key_of,
    make_search,
    pack_numbers,
    probe,
    reply_to,
    start_proof,
)

WIDTHS = 24, 12, 8  # candidate moves at the root, at ply 1, and deeper
NODE_COST = 8  # of the node budget: a node takes as long as this many nodes of a ladder
MAX_ADDED_MOVES = 6  # refutations added to the candidates of a node
_UNLIMITED_BUDGET = 1 << 7


@inner
def _evaluate(board, search, dfpn, turn):
    """1 if the attacker's goal is reached, possibly by a ladder, -1 if it is out of reach, else 0."""
    goal, state = dfpn.state[0], search.state[0]
    joining = state.join_target != NOWHERE
    count = moves_to_goal(board, search, goal.target, goal.colour)
    if count == 0:
        if board.state[0].ko == goal.target and not joining:
            state.ko_seen = 1
            if state.ko_mode == DEFENDER_RETAKES:
                return 0  # the defender retakes it
        return 1
    if joining and count == UNREACHABLE:
        return -1
    if turn != state.attacker:
        return 0
    if count > goal.max_liberties:
        return -1
    if count == 1:
        goal.reply = winning_move(board, search, goal.target, turn)
        if goal.reply != NOWHERE:
            return 1
    if count <= 2 and read_capture(board, search, goal.target, turn, np.int64(0)) == CAUGHT:
        goal.reply = search.lines[0] if search.lengths[0] > 0 else NOWHERE
        return 1
    return 0


@inner
def _init_child(board, search, dfpn, ply, index, move):
    """Set the key and the initial proof numbers of a child."""
    frame, child, goal = dfpn.frames[ply], dfpn.children[ply * MAX_CHILDREN + index], dfpn.state[0]
    child.move = move
    joining = search.state[0].join_target != NOWHERE
    if joining or colour_at(board, goal.target) == EMPTY or takes(board, move, frame.turn):
        place(board, move, frame.turn)
        child.position_key = key_of(board, 3 - frame.turn)
        left = moves_to_goal(board, search, goal.target, goal.colour)
        restore(board, frame)
    else:  # the same without playing it: much faster next to long strings
        child.position_key = key_after(board, move, frame.turn)
        head = head_at(board, goal.target)
        left = liberties_of(board, head)
        if has_liberty(board, head, move):
            left = left - 1 if frame.turn != goal.colour else liberties_after(board, move, goal.colour)
    catching, fleeing = 1 + 2 * max(min(left, 8) - 1, 0), max(5 - left, 0)
    if frame.turn == search.state[0].attacker:
        child.prior = pack_numbers(max(fleeing, 1), catching + index // 3)
    else:
        child.prior = pack_numbers(catching, 1 + 2 * fleeing + index // 3)


@inner
def _expand(board, search, dfpn, ply):
    """List the children of a ply."""
    frame, target = dfpn.frames[ply], dfpn.state[0].target
    if colour_at(board, target) == EMPTY:  # taken in a ko
        _init_child(board, search, dfpn, ply, 0, target)
        frame.children = 1
        return
    start_list(board, search, 0, NOWHERE, NOWHERE)
    if frame.turn == search.state[0].attacker:
        count = list_attacking_moves(board, search, target, _UNLIMITED_BUDGET, ply)
    else:
        count = list_defending_moves(board, search, target, NOWHERE, ply)
    frame.children = min(count, WIDTHS[min(ply, 2)])
    for i in range(frame.children):
        _init_child(board, search, dfpn, ply, i, search.moves[i] & 1023)
    add_pass(board, search, dfpn, ply)


@inner
def _add_refutations(board, search, dfpn, ply):
    """Add the opponent's refutations of a ply's moves as candidates, since their points matter to both sides.

    Returns whether there are any new ones. In particular, the refutation of a pass is often the saving move.
    """
    frame, base = dfpn.frames[ply], ply * MAX_CHILDREN
    known = frame.children
    if known >= MAX_ADDED_MOVES + WIDTHS[min(ply, 2)]:
        return False
    for i in range(known):
        key = dfpn.children[base + i].position_key
        if frame.children >= MAX_CHILDREN - 1 or probe(dfpn, key)[0] != 0:
            continue
        move = reply_to(dfpn, key)
        is_new = move != NOWHERE and colour_at(board, move) == EMPTY
        for j in range(frame.children):
            is_new = is_new and dfpn.children[base + j].move != move
        if is_new and is_playable(board, search, move, frame.turn):
            _init_child(board, search, dfpn, ply, frame.children, move)
            frame.children += 1
    return frame.children > known


_prove = make_search(_evaluate, _expand, _add_refutations, NODE_COST)


@inner
def rank_defences(dfpn, moves):
    """List the unrefuted defences at the root, followed by NOWHERE.

    Those against which the attacker is furthest from a proof come first; the attacker's move after a pass counts
    twice.
    """
    count = dfpn.frames[0].children
    threat = NOWHERE
    for i in range(count):
        child = dfpn.children[i]
        if child.move == NOWHERE and probe(dfpn, child.position_key)[0] == 0:
            threat = reply_to(dfpn, child.position_key)
    end = 0
    for i in range(count):
        child = dfpn.children[i]
        phi, delta = probe(dfpn, child.position_key)
        if phi == 0 or child.move == NOWHERE:
            continue
        if phi == 1 and delta == 1:
            phi, delta = child.prior >> 16, child.prior & 0xFFFF
        score = (phi << 10) // (delta + 1) * (2 if child.move == threat else 1)
        entry = (min(score, 1 << 40) << 10) | child.move
        j = end
        while j > 0 and moves[j - 1] < entry:
            moves[j] = moves[j - 1]
            j -= 1
        moves[j] = entry
        end += 1
    for i in range(end):
        moves[i] &= 1023
    moves[end] = NOWHERE


@kernel
def read_string_dfpn(board, search, dfpn, query, turn, max_liberties, moves):
    """(phi, delta, best move, nodes, whether the ko mode mattered) for the side to move.

    If the defender is to move, `moves` gets the unrefuted defences, best first, followed by NOWHERE.
    """
    board, search, dfpn = reference(board), reference(search), reference(dfpn)
    attacker = start(board, search, query)
    start_proof(board, dfpn, query.target)
    dfpn.state[0].max_liberties = max_liberties
    dfpn.state[0].repetition_wins = query.ko_mode == DEFENDER_RETAKES
    phi, delta, move = _prove(board, search, dfpn, np.int64(turn))
    moves[0] = NOWHERE
    if turn != attacker:
        rank_defences(dfpn, moves)
    return phi, delta, move, search.state[0].nodes, search.state[0].ko_seen != 0
