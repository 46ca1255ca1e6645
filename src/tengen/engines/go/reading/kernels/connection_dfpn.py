"""Proof-number search for connections: whether two strings can be connected, or cut apart.

A cut must stop a threat. In a narrow search, where the connecting side, if the opponent passed, would connect by a
forced sequence, only moves near the stones of that sequence are tried as cuts. It solves open positions that are
out of reach otherwise, but may miss a cut that works from further away.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.references import reference
from tengen.engines.go.kernels.board import BORDER, EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    colour_at,
    first_liberty,
    head_at,
    liberties_of,
    neighbour,
    next_adjacent,
    next_liberty,
    place,
    restore,
    stone_at_cursor,
)
from tengen.engines.go.reading.kernels.candidates import is_playable, start_list
from tengen.engines.go.reading.kernels.capture import CAUGHT, read_capture, start
from tengen.engines.go.reading.kernels.capture_dfpn import rank_defences
from tengen.engines.go.reading.kernels.connection import (
    MAX_DISTANCE,
    distance,
    list_connections,
    list_cuts,
    measure_distance,
)
from tengen.engines.go.reading.kernels.proof_number_search import (
    MAX_CHILDREN,
    add_pass,
    key_of,
    make_search,
    pack_numbers,
    probe,
    reply_to,
    start_proof,
)

CUT_WIDTHS = 24, 16, 10  # candidate moves at the root, at ply 1, and deeper
JOIN_WIDTHS = 24, 12, 6
FULL, NARROW = 0, 1  # widths of a search
NODE_COST = 8  # of the node budget: a node takes as long as this many nodes of a forced sequence
MAX_ADDED_MOVES = 6  # refutations added to the candidates of a node
MAX_FORCED_DISTANCE = 2  # up to this distance forced sequences are read
MAX_ZONE_LIBERTIES = 3  # liberties of strings with no more are in the zone of a threat


@inner
def _connects_by_force(board, search, target, connector):
    return read_capture(board, search, target, connector, np.int64(0)) == CAUGHT


@inner
def _evaluate(board, search, dfpn, turn):
    """1 if the strings are connected, possibly after a forced sequence, -1 if they are cut apart, else 0."""
    goal, state = dfpn.state[0], search.state[0]
    length = distance(board, search, goal.target, goal.colour)
    if length == 0:
        return 1
    if length > MAX_DISTANCE:
        return -1
    if turn != state.attacker:
        return 0
    if length == 1 and state.joining_move != NOWHERE:
        goal.reply = state.joining_move
        return 1
    if length <= MAX_FORCED_DISTANCE and _connects_by_force(board, search, goal.target, turn):
        goal.reply = search.lines[0] if search.lengths[0] > 0 else NOWHERE
        return 1
    return 0


@inner
def _add_liberties_to_zone(board, head, zone):
    point = first_liberty(board, head)
    while point != NOWHERE:
        zone[point] = 1
        point = next_liberty(board, head, point)


@inner
def _add_weak_string(board, stone, zone):
    """Add the liberties of one of the two strings, if it has few, and of weak strings that surround it."""
    head = head_at(board, stone)
    if liberties_of(board, head) > 1:
        return
    _add_liberties_to_zone(board, head, zone)
    enemy = 3 - colour_at(board, stone)
    at = next_adjacent(board, head, -1, enemy)
    while at >= 0:
        other = head_at(board, stone_at_cursor(board, at))
        if liberties_of(board, other) < MAX_ZONE_LIBERTIES:
            _add_liberties_to_zone(board, other, zone)
        at = next_adjacent(board, head, at, enemy)


@inner
def _mark_zone(board, tried, zone):
    """Set `zone` to 1 where a move may disturb a sequence of moves at `tried`: near it, and near weak strings."""
    for point in range(board.points):
        zone[point] = 0
    for i in range(board.area):
        point = board.inside[i]
        if tried[point] == 0:
            continue
        zone[point] = 1
        for direction in range(4):
            near = neighbour(board, point, direction)
            content = colour_at(board, near)
            if content == EMPTY:
                zone[near] = 1
            elif content != BORDER:
                head = head_at(board, near)
                if liberties_of(board, head) <= MAX_ZONE_LIBERTIES:
                    _add_liberties_to_zone(board, head, zone)
                    # Strings that support or attack it.
                    at = next_adjacent(board, head, -1, 3 - content)
                    while at >= 0:
                        other = head_at(board, stone_at_cursor(board, at))
                        if liberties_of(board, other) < MAX_ZONE_LIBERTIES:
                            _add_liberties_to_zone(board, other, zone)
                        at = next_adjacent(board, head, at, 3 - content)


@inner
def _find_threat_zone(board, search, dfpn):
    """Whether the connecting side threatens to connect by force; `dfpn.regions` is then 1 where a cut may help."""
    goal, connector = dfpn.state[0], search.state[0].attacker
    length = distance(board, search, goal.target, goal.colour)
    if length > MAX_FORCED_DISTANCE:
        return False
    ko = board.state[0].ko
    board.state[0].ko = NOWHERE
    found = False
    earlier, tried, zone = dfpn.members, search.touched, dfpn.regions
    if length == 1:
        for point in range(board.points):
            earlier[point] = 0
        found = search.state[0].joining_move != NOWHERE
        if found:
            earlier[search.state[0].joining_move] = 1
            _mark_zone(board, earlier, zone)
    if not found:
        for point in range(board.points):
            earlier[point] = tried[point]
            tried[point] = 0
        found = _connects_by_force(board, search, goal.target, connector)
        if found:
            _mark_zone(board, tried, zone)
        for point in range(board.points):
            tried[point] |= earlier[point]
    if found:
        _add_weak_string(board, goal.target, zone)
        _add_weak_string(board, search.state[0].join_target, zone)
    board.state[0].ko = ko
    return found


@inner
def _init_child(board, search, dfpn, ply, index, move):
    """Set the key and the initial proof numbers of a child."""
    frame, child, goal = dfpn.frames[ply], dfpn.children[ply * MAX_CHILDREN + index], dfpn.state[0]
    child.move = move
    place(board, move, frame.turn)
    child.position_key = key_of(board, 3 - frame.turn)
    left = distance(board, search, goal.target, goal.colour)
    restore(board, frame)
    joining, cutting = 1 + 2 * max(min(left, 8) - 1, 0), max(5 - left, 0)
    if frame.turn == search.state[0].attacker:
        child.prior = pack_numbers(max(cutting, 1), joining + index // 3)
    else:
        child.prior = pack_numbers(joining, 1 + 2 * cutting + index // 3)


@inner
def _expand(board, search, dfpn, ply):
    """List the children of a ply."""
    frame, target = dfpn.frames[ply], dfpn.state[0].target
    cutting = frame.turn != search.state[0].attacker
    width = CUT_WIDTHS[min(ply, 2)] if cutting else JOIN_WIDTHS[min(ply, 2)]
    narrow = cutting and dfpn.state[0].width == NARROW and _find_threat_zone(board, search, dfpn)
    start_list(board, search, 0, NOWHERE, NOWHERE)
    if cutting:
        count = list_cuts(board, search, target, NOWHERE, ply)
    else:
        count = list_connections(board, search, target, ply)
    frame.children = 0
    for i in range(count):
        move = search.moves[i] & 1023
        if frame.children < width and (not narrow or dfpn.regions[move] != 0):
            _init_child(board, search, dfpn, ply, frame.children, move)
            frame.children += 1
    add_pass(board, search, dfpn, ply)


@inner
def _add_refutations(board, search, dfpn, ply):
    """Add the opponent's refutations of a ply's moves as candidates; returns whether there are any new ones."""
    frame, base = dfpn.frames[ply], ply * MAX_CHILDREN
    known = frame.children
    if known >= MAX_ADDED_MOVES + CUT_WIDTHS[min(ply, 2)]:
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


@kernel
def read_distance(board, search, point, other):
    """The distance of two strings, or UNREACHABLE."""
    board, search = reference(board), reference(search)
    return measure_distance(board, search, point, other, MAX_DISTANCE, search.near)


@kernel
def read_connection(board, search, dfpn, query, turn, width, moves):
    """(phi, delta, best move, nodes, whether the ko mode mattered) for the side to move.

    `width` is FULL or NARROW. If the cutting side is to move, `moves` gets the unrefuted cuts, best first, then
    NOWHERE.
    """
    board, search, dfpn = reference(board), reference(search), reference(dfpn)
    connector = start(board, search, query)
    start_proof(board, dfpn, query.target)
    dfpn.state[0].width = width
    phi, delta, move = _prove(board, search, dfpn, np.int64(turn))
    moves[0] = NOWHERE
    if turn != connector:
        rank_defences(dfpn, moves)
    return phi, delta, move, search.state[0].nodes, search.state[0].ko_seen != 0
