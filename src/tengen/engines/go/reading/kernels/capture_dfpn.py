"""Captures and joins that take more than ladders: proof numbers (df-pn), with a ladder read at each position.

The search by budgets (`reading_capture`) is quick where few loose moves decide, but reads all moves of a budget
before it tries a deeper line. Proof numbers go where least is left to prove: a net or a race of ten moves to which
there is one answer each is found, though nobody could read ten moves of everything. Both know the same moves, and
what a ladder catches is caught here at once.

A string that has got more liberties than `most` after the defender's move is free. A position that comes again on
the way is good for the defender, as the attacker gets nowhere.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.engines.go.kernels.board import EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    KO,
    KO_FOR,
    LOGGED,
    LOGGED_WORDS,
    colour_at,
    has_room,
    open_board,
    place,
    take_back,
)
from tengen.engines.go.reading.kernels.candidates import (
    DEFENDER_RETAKES,
    KO_SEEN,
    LIMIT,
    MODE,
    NODES,
    OTHER,
    may_play,
)
from tengen.engines.go.reading.kernels.capture import (
    CAUGHT,
    attacker_of,
    left_to_do,
    open_search,
    read_capture,
    winning_move,
)
from tengen.engines.go.reading.kernels.capture_moves import list_attacks, list_defences
from tengen.engines.go.reading.kernels.connection import FAR, list_cuts, list_joins
from tengen.engines.go.reading.kernels.life_dfpn import (
    CHILDREN,
    DELTA_LIMIT,
    FRAME,
    INFINITE,
    MOST_CHILDREN,
    MOST_PLIES,
    PATH_BITS,
    PHI_LIMIT,
    TABLE_BITS,
    TURN,
    keep,
    key_of,
    look_up,
    open_frame,
    open_life,
    restore,
    step,
    sum_up,
)

WIDTHS = 24, 12, 8  # moves read of the first position, of the next ones, and deeper
COST = 8  # a position here takes as long as so many nodes of a ladder
LEARNT = 6  # how many moves are added at most to those that are listed
_ANY = 1 << 7  # a budget that forbids nothing


@inner
def _slot(key):
    return np.int64(key & np.uint64((1 << TABLE_BITS) - 1))


@inner
def _judge(board, search, life, target, colour, turn, ply, most):
    """1 if the goal of the attacker is reached or a ladder reaches it, -1 if it is out of reach, else 0."""
    attacker = attacker_of(search, colour)
    joining = search.facts[OTHER] != NOWHERE
    count = left_to_do(board, search, target, colour)
    if count == 0:
        if board.facts[KO] == target and not joining:
            search.facts[KO_SEEN] = 1
            if search.facts[MODE] == DEFENDER_RETAKES:
                return -1
        return 1
    if joining and count == FAR:
        return -1
    if turn != attacker:
        return 0
    if count > most:
        return -1
    if count == 1:
        point = winning_move(board, search, target, attacker)
        if point != NOWHERE:
            life.replies[_slot(life.path_keys[ply])] = point
            return 1
    if count <= 2 and read_capture(board, search, target, attacker, np.int64(0)) == CAUGHT:
        life.replies[_slot(life.path_keys[ply])] = search.lines[0] if search.lengths[0] > 0 else NOWHERE
        return 1
    return 0


@inner
def _list(board, search, target, attacking, threat, ply):
    """Candidates in `search.moves`; returns how many."""
    none = NOWHERE
    if search.facts[OTHER] != NOWHERE:
        if attacking:
            return list_joins(board, search, target, np.int64(0), none, none, ply)
        return list_cuts(board, search, target, np.int64(0), threat, none, none, ply)
    if attacking:
        return list_attacks(board, search, target, np.int64(0), np.int64(_ANY), none, none, ply)
    return list_defences(board, search, target, np.int64(0), threat, none, none, ply)


@inner
def _prior(phi, delta):
    return (np.int64(phi) << 16) | np.int64(delta)


@inner
def _child(board, search, life, target, colour, ply, i, turn):
    """Fill in what the i-th move of a ply leads to: the key, and how far either side is from its goal then."""
    base = ply * MOST_CHILDREN
    logged, words = board.facts[LOGGED], board.facts[LOGGED_WORDS]
    ko, ko_for, key = board.facts[KO], board.facts[KO_FOR], board.key[0]
    place(board, life.moves[base + i], turn)
    life.child_keys[base + i] = key_of(board, 3 - turn)
    left = left_to_do(board, search, target, colour)
    take_back(board, logged, words)
    board.facts[KO] = ko
    board.facts[KO_FOR] = ko_for
    board.key[0] = key
    catching, fleeing = 1 + 2 * max(min(left, 8) - 1, 0), max(5 - left, 0)
    if turn == attacker_of(search, colour):
        life.priors[base + i] = _prior(max(fleeing, 1), catching + i // 3)
    else:
        life.priors[base + i] = _prior(catching, 1 + 2 * fleeing + i // 3)


@inner
def _expand(board, search, life, target, colour, ply):
    """List the moves of a ply with the keys of what they lead to. The defender may pass."""
    frames, at = life.frames, ply * FRAME
    turn = frames[at + TURN]
    attacker = attacker_of(search, colour)
    base = ply * MOST_CHILDREN
    ko, ko_for = board.facts[KO], board.facts[KO_FOR]
    count = min(_list(board, search, target, turn == attacker, NOWHERE, ply), WIDTHS[min(ply, 2)])
    for i in range(count):
        life.moves[base + i] = search.moves[i] & 1023
    for i in range(count):
        _child(board, search, life, target, colour, ply, i, turn)
    if turn != attacker or (ko != NOWHERE and ko_for == attacker):
        board.facts[KO] = NOWHERE
        life.moves[base + count] = NOWHERE
        life.priors[base + count] = 1
        life.child_keys[base + count] = key_of(board, 3 - turn)
        board.facts[KO] = ko
        count += 1
    frames[at + CHILDREN] = count


@inner
def _learn(board, search, life, target, colour, ply):
    """Add the moves by which the other side refutes those of a ply: where it wants to play is worth a try.

    Returns whether there are any new ones. Above all this finds what saves a string from what punishes a pass.
    """
    frames, at = life.frames, ply * FRAME
    turn, count = frames[at + TURN], frames[at + CHILDREN]
    base = ply * MOST_CHILDREN
    known = count
    for i in range(known):
        if known >= LEARNT + WIDTHS[min(ply, 2)] or count >= MOST_CHILDREN - 1:
            break
        if look_up(life, life.child_keys[base + i])[0] != 0:
            continue
        move = np.int64(life.replies[_slot(life.child_keys[base + i])])
        fresh = move != NOWHERE and colour_at(board, move) == EMPTY
        for j in range(count):
            fresh = fresh and life.moves[base + j] != move
        if fresh and may_play(board, search, move, turn, attacker_of(search, colour)):
            life.moves[base + count] = move
            _child(board, search, life, target, colour, ply, count, turn)
            count += 1
    frames[at + CHILDREN] = count
    return count > known


@inner
def hunt(board, search, life, target, turn, most):
    """Search from the board as it is until it is proved who gets what it wants, or the nodes are used up.

    Returns (phi, delta, the best move): phi 0 if who is to move does, delta 0 if the other does.
    """
    colour = colour_at(board, target)
    attacker = attacker_of(search, colour)
    frames = life.frames
    for i in range(1 << PATH_BITS):
        life.path[i] = 0
    ply = 0
    entering = True
    open_frame(board, life, 0, turn, INFINITE, INFINITE)
    life.path[np.int64(life.path_keys[0] & np.uint64((1 << PATH_BITS) - 1))] += 1
    while True:
        at = ply * FRAME
        turn = frames[at + TURN]
        done = False
        if entering:
            entering = False
            search.facts[NODES] += COST
            verdict = 0
            if ply > 0:
                verdict = _judge(board, search, life, target, colour, turn, ply, most)
                if verdict == 0 and (ply >= MOST_PLIES - 2 or not has_room(board)):
                    verdict = -1
            if verdict == 0:
                _expand(board, search, life, target, colour, ply)
                if frames[at + CHILDREN] == 0:
                    verdict = -1
            if verdict != 0:
                wins = (verdict == 1) == (turn == attacker)
                keep(life, life.path_keys[ply], 0 if wins else INFINITE, INFINITE if wins else 0)
                done = True
        if not done:
            phi, delta, best, second, others = sum_up(life, ply, turn == attacker)
            over = search.facts[NODES] > search.facts[LIMIT]
            if delta == 0 and _learn(board, search, life, target, colour, ply):
                continue
            if phi >= frames[at + PHI_LIMIT] or delta >= frames[at + DELTA_LIMIT] or over:
                keep(life, life.path_keys[ply], phi, delta)
                done = True
                if phi == 0:
                    move = life.moves[ply * MOST_CHILDREN + best]
                    life.replies[_slot(life.path_keys[ply])] = move
                    if move != NOWHERE:
                        search.wins[2 * move + turn - 1] += 1
            else:
                phi_limit = frames[at + DELTA_LIMIT] - others if frames[at + DELTA_LIMIT] < INFINITE else INFINITE
                delta_limit = min(frames[at + PHI_LIMIT], second + 1 + (second >> 2))
                move = life.moves[ply * MOST_CHILDREN + best]
                if move != NOWHERE:
                    search.touched[move] = 1
                step(board, life, ply, best)
                ply += 1
                open_frame(board, life, ply, 3 - turn, phi_limit, delta_limit)
                life.path[np.int64(life.path_keys[ply] & np.uint64((1 << PATH_BITS) - 1))] += 1
                entering = True
                continue
        life.path[np.int64(life.path_keys[ply] & np.uint64((1 << PATH_BITS) - 1))] -= 1
        if ply == 0:
            break
        ply -= 1
        restore(board, life, ply)
    phi, delta, best, _, _ = sum_up(life, 0, frames[TURN] == attacker)
    return phi, delta, life.moves[best] if best >= 0 else NOWHERE


@inner
def _rank(life, moves):
    """The defender's first moves that are not refuted: first those against which the attacker is furthest from a
    proof; the point where the attacker would play counts twice. NOWHERE ends the list.
    """
    count = life.frames[CHILDREN]
    threat = NOWHERE
    for i in range(count):
        if life.moves[i] == NOWHERE and look_up(life, life.child_keys[i])[0] == 0:
            threat = np.int64(life.replies[_slot(life.child_keys[i])])
    end = 0
    for i in range(count):
        phi, delta = look_up(life, life.child_keys[i])
        if phi == 0 or life.moves[i] == NOWHERE:
            continue
        if phi == 1 and delta == 1:
            phi, delta = life.priors[i] >> 16, life.priors[i] & 0xFFFF
        worth = (phi << 10) // (delta + 1) * (2 if life.moves[i] == threat else 1)
        entry = (min(worth, 1 << 40) << 10) | life.moves[i]
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
def hunt_string(board_arrays, search_arrays, life_arrays, target, turn, most, found, moves):
    """Whether the side to move gets what it wants; found: int64: phi and delta (0: it does, it does not), move.

    moves: int64: the defender's moves that may save it, best first, NOWHERE after the last.
    """
    board, search, life = open_board(board_arrays), open_search(search_arrays), open_life(life_arrays)
    target, turn = np.int64(target), np.int64(turn)
    phi, delta, move = hunt(board, search, life, target, turn, np.int64(most))
    found[0] = phi
    found[1] = delta
    found[2] = move
    moves[0] = NOWHERE
    if turn != attacker_of(search, colour_at(board, target)):
        _rank(life, moves)
