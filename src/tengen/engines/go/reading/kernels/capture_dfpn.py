"""Proof-number search (df-pn) for captures and connections that need many loose moves.

The budget search (`capture`) is fast if few loose moves decide, but it searches all moves of a budget before a
deeper line. Proof-number search goes where least is left to prove, so it finds a net or a race of ten moves with
single replies. Both use the same candidate moves, and ladders are read at every node.

A string with more than `max_left` liberties after the defender's move has escaped. A repetition is good for the
defender.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.engines.go.kernels.board import EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    KO,
    KO_FOR,
    LOG_LENGTH,
    WORD_LOG_LENGTH,
    colour_at,
    has_log_space,
    open_board,
    place,
    undo,
)
from tengen.engines.go.reading.kernels.candidates import (
    DEFENDER_RETAKES,
    JOIN_TARGET,
    KO_SEEN,
    LIMIT,
    MODE,
    NODES,
    is_playable,
)
from tengen.engines.go.reading.kernels.capture import (
    CAUGHT,
    attacker_of,
    moves_to_goal,
    open_search,
    read_capture,
    winning_move,
)
from tengen.engines.go.reading.kernels.capture_moves import list_attacks, list_defences
from tengen.engines.go.reading.kernels.connection import UNREACHABLE, list_connections, list_cuts
from tengen.engines.go.reading.kernels.life_dfpn import (
    CHILDREN,
    DELTA_LIMIT,
    FRAME_SIZE,
    INFINITE,
    MAX_CHILDREN,
    MAX_PLIES,
    PATH_BITS,
    PHI_LIMIT,
    TABLE_BITS,
    TURN,
    key_of,
    open_dfpn,
    open_frame,
    play_child,
    probe,
    restore,
    store,
    summarise,
)

WIDTHS = 24, 12, 8  # candidate moves at the root, at ply 1, and deeper
NODE_COST = 8  # of the node budget: a node takes as long as this many nodes of a ladder
MAX_ADDED_MOVES = 6  # refutations added to the candidates of a node
_UNLIMITED_BUDGET = 1 << 7


@inner
def _slot(key):
    return np.int64(key & np.uint64((1 << TABLE_BITS) - 1))


@inner
def _evaluate(board, search, dfpn, target, colour, turn, ply, max_left):
    """1 if the attacker's goal is reached, possibly by a ladder, -1 if it is out of reach, else 0."""
    attacker = attacker_of(search, colour)
    joining = search.facts[JOIN_TARGET] != NOWHERE
    count = moves_to_goal(board, search, target, colour)
    if count == 0:
        if board.facts[KO] == target and not joining:
            search.facts[KO_SEEN] = 1
            if search.facts[MODE] == DEFENDER_RETAKES:
                return -1
        return 1
    if joining and count == UNREACHABLE:
        return -1
    if turn != attacker:
        return 0
    if count > max_left:
        return -1
    if count == 1:
        point = winning_move(board, search, target, attacker)
        if point != NOWHERE:
            dfpn.replies[_slot(dfpn.path_keys[ply])] = point
            return 1
    if count <= 2 and read_capture(board, search, target, attacker, np.int64(0)) == CAUGHT:
        dfpn.replies[_slot(dfpn.path_keys[ply])] = search.lines[0] if search.lengths[0] > 0 else NOWHERE
        return 1
    return 0


@inner
def _list_moves(board, search, target, attacking, threat, ply):
    """Write candidates to `search.moves`; returns their number."""
    none = NOWHERE
    if search.facts[JOIN_TARGET] != NOWHERE:
        if attacking:
            return list_connections(board, search, target, np.int64(0), none, none, ply)
        return list_cuts(board, search, target, np.int64(0), threat, none, none, ply)
    if attacking:
        return list_attacks(board, search, target, np.int64(0), np.int64(_UNLIMITED_BUDGET), none, none, ply)
    return list_defences(board, search, target, np.int64(0), threat, none, none, ply)


@inner
def _pack_numbers(phi, delta):
    return (np.int64(phi) << 16) | np.int64(delta)


@inner
def _init_child(board, search, dfpn, target, colour, ply, i, turn):
    """Compute the key and the initial proof numbers of the i-th child of a ply."""
    base = ply * MAX_CHILDREN
    logged, words = board.facts[LOG_LENGTH], board.facts[WORD_LOG_LENGTH]
    ko, ko_for, key = board.facts[KO], board.facts[KO_FOR], board.key[0]
    place(board, dfpn.moves[base + i], turn)
    dfpn.child_keys[base + i] = key_of(board, 3 - turn)
    left = moves_to_goal(board, search, target, colour)
    undo(board, logged, words)
    board.facts[KO] = ko
    board.facts[KO_FOR] = ko_for
    board.key[0] = key
    catching, fleeing = 1 + 2 * max(min(left, 8) - 1, 0), max(5 - left, 0)
    if turn == attacker_of(search, colour):
        dfpn.priors[base + i] = _pack_numbers(max(fleeing, 1), catching + i // 3)
    else:
        dfpn.priors[base + i] = _pack_numbers(catching, 1 + 2 * fleeing + i // 3)


@inner
def _expand(board, search, dfpn, target, colour, ply):
    """List the children of a ply. The defender may pass."""
    frames, at = dfpn.frames, ply * FRAME_SIZE
    turn = frames[at + TURN]
    attacker = attacker_of(search, colour)
    base = ply * MAX_CHILDREN
    ko, ko_for = board.facts[KO], board.facts[KO_FOR]
    count = min(_list_moves(board, search, target, turn == attacker, NOWHERE, ply), WIDTHS[min(ply, 2)])
    for i in range(count):
        dfpn.moves[base + i] = search.moves[i] & 1023
    for i in range(count):
        _init_child(board, search, dfpn, target, colour, ply, i, turn)
    if turn != attacker or (ko != NOWHERE and ko_for == attacker):
        board.facts[KO] = NOWHERE
        dfpn.moves[base + count] = NOWHERE
        dfpn.priors[base + count] = 1
        dfpn.child_keys[base + count] = key_of(board, 3 - turn)
        board.facts[KO] = ko
        count += 1
    frames[at + CHILDREN] = count


@inner
def _add_refutations(board, search, dfpn, target, colour, ply):
    """Add the opponent's refutations of a ply's moves as candidates, since their points matter to both sides.

    Returns whether there are any new ones. In particular, the refutation of a pass is often the saving move.
    """
    frames, at = dfpn.frames, ply * FRAME_SIZE
    turn, count = frames[at + TURN], frames[at + CHILDREN]
    base = ply * MAX_CHILDREN
    known = count
    for i in range(known):
        if known >= MAX_ADDED_MOVES + WIDTHS[min(ply, 2)] or count >= MAX_CHILDREN - 1:
            break
        if probe(dfpn, dfpn.child_keys[base + i])[0] != 0:
            continue
        move = np.int64(dfpn.replies[_slot(dfpn.child_keys[base + i])])
        is_new = move != NOWHERE and colour_at(board, move) == EMPTY
        for j in range(count):
            is_new = is_new and dfpn.moves[base + j] != move
        if is_new and is_playable(board, search, move, turn, attacker_of(search, colour)):
            dfpn.moves[base + count] = move
            _init_child(board, search, dfpn, target, colour, ply, count, turn)
            count += 1
    frames[at + CHILDREN] = count
    return count > known


@inner
def prove_goal(board, search, dfpn, target, turn, max_left):
    """Search until the goal is proved or disproved, or the node limit is reached.

    Returns (phi, delta, best move): phi is 0 if the side to move succeeds, delta is 0 if the other side does.
    """
    colour = colour_at(board, target)
    attacker = attacker_of(search, colour)
    frames = dfpn.frames
    for i in range(1 << PATH_BITS):
        dfpn.path[i] = 0
    ply = 0
    entering = True
    open_frame(board, dfpn, 0, turn, INFINITE, INFINITE)
    dfpn.path[np.int64(dfpn.path_keys[0] & np.uint64((1 << PATH_BITS) - 1))] += 1
    while True:
        at = ply * FRAME_SIZE
        turn = frames[at + TURN]
        done = False
        if entering:
            entering = False
            search.facts[NODES] += NODE_COST
            verdict = 0
            if ply > 0:
                verdict = _evaluate(board, search, dfpn, target, colour, turn, ply, max_left)
                if verdict == 0 and (ply >= MAX_PLIES - 2 or not has_log_space(board)):
                    verdict = -1
            if verdict == 0:
                _expand(board, search, dfpn, target, colour, ply)
                if frames[at + CHILDREN] == 0:
                    verdict = -1
            if verdict != 0:
                wins = (verdict == 1) == (turn == attacker)
                store(dfpn, dfpn.path_keys[ply], 0 if wins else INFINITE, INFINITE if wins else 0)
                done = True
        if not done:
            phi, delta, best, second, others = summarise(dfpn, ply, turn == attacker)
            over = search.facts[NODES] > search.facts[LIMIT]
            if delta == 0 and _add_refutations(board, search, dfpn, target, colour, ply):
                continue
            if phi >= frames[at + PHI_LIMIT] or delta >= frames[at + DELTA_LIMIT] or over:
                store(dfpn, dfpn.path_keys[ply], phi, delta)
                done = True
                if phi == 0:
                    move = dfpn.moves[ply * MAX_CHILDREN + best]
                    dfpn.replies[_slot(dfpn.path_keys[ply])] = move
                    if move != NOWHERE:
                        search.wins[2 * move + turn - 1] += 1
            else:
                phi_limit = frames[at + DELTA_LIMIT] - others if frames[at + DELTA_LIMIT] < INFINITE else INFINITE
                delta_limit = min(frames[at + PHI_LIMIT], second + 1 + (second >> 2))
                move = dfpn.moves[ply * MAX_CHILDREN + best]
                if move != NOWHERE:
                    search.touched[move] = 1
                play_child(board, dfpn, ply, best)
                ply += 1
                open_frame(board, dfpn, ply, 3 - turn, phi_limit, delta_limit)
                dfpn.path[np.int64(dfpn.path_keys[ply] & np.uint64((1 << PATH_BITS) - 1))] += 1
                entering = True
                continue
        dfpn.path[np.int64(dfpn.path_keys[ply] & np.uint64((1 << PATH_BITS) - 1))] -= 1
        if ply == 0:
            break
        ply -= 1
        restore(board, dfpn, ply)
    phi, delta, best, _, _ = summarise(dfpn, 0, frames[TURN] == attacker)
    return phi, delta, dfpn.moves[best] if best >= 0 else NOWHERE


@inner
def _rank_defences(dfpn, moves):
    """List the unrefuted defences at the root, followed by NOWHERE.

    Those against which the attacker is furthest from a proof come first; the attacker's move after a pass counts
    twice.
    """
    count = dfpn.frames[CHILDREN]
    threat = NOWHERE
    for i in range(count):
        if dfpn.moves[i] == NOWHERE and probe(dfpn, dfpn.child_keys[i])[0] == 0:
            threat = np.int64(dfpn.replies[_slot(dfpn.child_keys[i])])
    end = 0
    for i in range(count):
        phi, delta = probe(dfpn, dfpn.child_keys[i])
        if phi == 0 or dfpn.moves[i] == NOWHERE:
            continue
        if phi == 1 and delta == 1:
            phi, delta = dfpn.priors[i] >> 16, dfpn.priors[i] & 0xFFFF
        score = (phi << 10) // (delta + 1) * (2 if dfpn.moves[i] == threat else 1)
        entry = (min(score, 1 << 40) << 10) | dfpn.moves[i]
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
def read_string_dfpn(board_arrays, search_arrays, dfpn_arrays, target, turn, max_left, found, moves):
    """Run the search: `found` gets phi, delta and the best move, see `prove_goal`.

    If the defender is to move, `moves` gets the unrefuted defences, best first, followed by NOWHERE.
    """
    board, search, dfpn = open_board(board_arrays), open_search(search_arrays), open_dfpn(dfpn_arrays)
    target, turn = np.int64(target), np.int64(turn)
    phi, delta, move = prove_goal(board, search, dfpn, target, turn, np.int64(max_left))
    found[0] = phi
    found[1] = delta
    found[2] = move
    moves[0] = NOWHERE
    if turn != attacker_of(search, colour_at(board, target)):
        _rank_defences(dfpn, moves)
