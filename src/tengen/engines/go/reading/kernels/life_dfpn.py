"""Proof-number search for life and death.

The caller provides the search region: candidate points, and the zone of relevant points. A group lives if the
target's string is unconditionally alive, if it has reached an escape, or if the attacker has no move left. The
exact search calls it dead only once it is captured, because without space for two eyes it may still live in seki.
The heuristic search calls a group without space for two eyes dead, and one with much space alive.

A repetition is never a kill. So a proved kill holds on every path to the position; proved life may depend on a
repetition and is checked separately (`life_proof`).
"""

from __future__ import annotations

from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import BORDER, EMPTY
from tengen.engines.go.reading.kernels.board import (
    colour_at,
    head_at,
    neighbour,
    place,
    restore,
    takes,
)
from tengen.engines.go.reading.kernels.candidates import DEFENDER_RETAKES, is_playable
from tengen.engines.go.reading.kernels.eyes import (
    has_escaped,
    is_alive,
    is_hopeless,
    mark_group,
    mark_liberties,
    nearness,
)
from tengen.engines.go.reading.kernels.move_ordering import move_score, select_best
from tengen.engines.go.reading.kernels.proof_number_search import (
    MAX_CHILDREN,
    add_pass,
    key_after,
    key_of,
    make_search,
)


@inner
def evaluate(board, search, dfpn, turn):
    """1 if the group is dead, -1 if it lives, 0 if that must be searched."""
    goal = dfpn.state[0]
    target, colour, exact = goal.target, goal.colour, goal.width == 0
    if colour_at(board, target) != colour:
        if board.state[0].ko == target:
            search.state[0].ko_seen = 1
            if search.state[0].ko_mode == DEFENDER_RETAKES:
                return -1  # retaken immediately
        return 1
    if not exact:
        heads = mark_group(board, dfpn, target, colour)
        if dfpn.escapes[0] > 0 and has_escaped(board, dfpn, colour):
            return -1
        if is_hopeless(board, dfpn, colour, heads, turn == colour):
            return 1
    if turn != colour and is_alive(board, dfpn, target, colour, not exact):
        return -1
    return 0


@inner
def _fills_own_eye(board, point, target, colour):
    """Whether a point is surrounded by the target's string. Then a pass is at least as good as playing there."""
    own = head_at(board, target)
    for direction in range(4):
        near = neighbour(board, point, direction)
        content = colour_at(board, near)
        if content != BORDER and (content != colour or head_at(board, near) != own):
            return False
    return True


@inner
def expand(board, search, dfpn, ply):
    """List the children of a ply with their keys.

    The exact search (width 0) tries all candidates; otherwise only the `width` most promising ones near the group.
    """
    frame, goal, base = dfpn.frames[ply], dfpn.state[0], ply * MAX_CHILDREN
    turn, target, colour, exact = frame.turn, goal.target, goal.colour, goal.width == 0
    count = 0
    if not exact:
        mark_liberties(board, dfpn, mark_group(board, dfpn, target, colour))
    for i in range(1, dfpn.candidates[0] + 1):
        point = dfpn.candidates[i]
        if colour_at(board, point) != EMPTY or not is_playable(board, search, point, turn):
            continue
        if turn == colour and _fills_own_eye(board, point, target, colour):
            continue
        steps = 1 if exact else nearness(board, point)
        if steps == 0:
            continue
        child = dfpn.children[base + count]
        child.move = point
        child.prior = 1 if exact else move_score(board, point, turn, steps)
        count += 1
    if not exact:
        count = select_best(search, dfpn, base, count, turn)
    for i in range(count):
        child = dfpn.children[base + i]
        if not exact:
            child.prior = 1 + (i > 1) + (i > 4)
        if takes(board, child.move, turn):
            place(board, child.move, turn)
            child.position_key = key_of(board, 3 - turn)
            restore(board, frame)
        else:
            child.position_key = key_after(board, child.move, turn)
    frame.children = count
    add_pass(board, search, dfpn, ply)


@inner
def _add_refutations(board, search, dfpn, ply):
    """None: all points of the region are candidates already."""
    return False


prove = make_search(evaluate, expand, _add_refutations, 1)
