"""Threats and forced wins where a turn has two stones and nothing is captured, as in connect6.

A *threat* is a window that its colour can fill in one turn: it lacks one stone or two, its *gaps*, and the other
colour has none in it. Who has a threat at the start of a turn wins. Else the threats of the other side have to
go: stones *cover* them if each has a gap under one of these stones, and nothing else helps, because no stone ever
leaves the board. If two stones do not suffice, the game is lost. If it takes two, all answers are known, and they
are few: one stone stands in a gap of the first threat, the other in one of the first threat that this leaves, so
there are four pairs at most.

A win by threats is a row of turns each of which leaves threats that it takes two stones to cover, up to one that
no two stones cover. All covers are tried, so what is found is proved. What is not found may still be there: a
first stone far from all others, or a second one that makes no threat, is left out.

A win is returned as its length in stones, both sides', and the first stone, `length | stone << 16`; 0 if none was
found.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import trailing_zeros
from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels.board import (
    WORDS,
    find_near,
    has_any,
    level,
    level_set,
    list_points,
)
from tengen.engines.pente.kernels.lines import STEPS
from tengen.engines.pente.kernels.moves import may_go, place, position_key, stones_left, undo
from tengen.engines.pente.kernels.transposition_table import (
    length_of,
    move_of,
    pack_win,
    probe,
    refuted_to,
    store_win,
)
from tengen.engines.pente.kernels.workspace import FORCED_CUT, FORCED_END, HALT, NODES
from tengen.engines.pente.patterns import CLOSED_THREE, ONE_FOUR, PROMISING, TWO_FOURS, TWO_THREES, WINS
from tengen.engines.pente.threats.kernels.forced_wins import BY_FOURS, length
from tengen.games.pente.record import EMPTY

_0, _1, _2, _4, _6 = (np.uint64(n) for n in (0, 1, 2, 4, 6))
_WORDS = np.uint64(WORDS)


@inner
def can_win(board, colour):
    """Whether a colour on turn wins with what it has left to place.

    A stone in a gap of a threat leaves a row with one gap, or makes one: by its level such a gap is known.
    """
    if has_any(board.hot, level_set(colour, WINS)):
        return True
    return stones_left(board) == 2 and _threatens(board, colour)


@inner
def _threatens(board, colour):
    """Whether a colour has a window that lacks two stones."""
    for fours in range(ONE_FOUR, TWO_FOURS + 1):
        if has_any(board.hot, level_set(colour, fours)):
            return True
    return False


@inner
def _list_threats_from(board, colour, point, end):
    """The threats of which this empty point is the first gap."""
    own, row = np.uint8(colour + _1), np.uint64(board.row)
    for axis in range(_4):
        step = STEPS[axis]
        behind = _0
        while behind < row - _1 and board.stones[point - step * (behind + _1)] == own:
            behind += _1
        for before in range(behind + _1):
            at, gap, lacks = point, point, 1
            for _ in range(row - _1 - before):
                at += step
                stone = board.stones[at]
                if stone == EMPTY:
                    gap = at
                    lacks += 1
                elif stone != own:
                    lacks = 3
                if lacks > 2:
                    break
            if lacks > 2:
                continue
            if board.exact and (
                board.stones[at + step] == own or board.stones[point - step * (before + _1)] == own
            ):
                continue
            board.pool[end] = point
            board.pool[end + _1] = gap
            end += _2
    return end


@inner
def list_threats(board, colour, top):
    """Write the gaps of a colour's threats into the pool from `top` on, two each; returns where they end.

    A threat that lacks one stone has its gap twice.
    """
    end = top
    for fours in range(ONE_FOUR, WINS + 1):
        start = level_set(colour, fours)
        for word in range(_WORDS):
            bits = board.hot[start + word]
            while bits != _0:
                end = _list_threats_from(board, colour, (word << _6) + trailing_zeros(bits), end)
                bits &= bits - _1
    return end


@inner
def _first_left(board, top, end, one, other):
    """The first threat that stones on these two points do not cover; `end` if there is none."""
    at = top
    while at < end:
        gap, last = np.uint64(board.pool[at]), np.uint64(board.pool[at + _1])
        if gap != one and last != one and gap != other and last != other:
            break
        at += _2
    return at


@inner
def list_covers(board, top, end):
    """How many stones it takes to cover the threats in the pool: 0 to 2, or 3 for more than a turn has.

    The ways to do it with that many follow in the pool, two points each (a single one twice).
    Returns their end, too.
    """
    out = end
    if top == end:
        return np.int64(0), out
    for side in range(_2):
        one = np.uint64(board.pool[top + side])
        if _first_left(board, top, end, one, one) == end and (side == _0 or one != np.uint64(board.pool[top])):
            board.pool[out] = one
            board.pool[out + _1] = one
            out += _2
    if out > end:
        return np.int64(1), out
    for side in range(_2):
        one = np.uint64(board.pool[top + side])
        left = _first_left(board, top, end, one, one)
        for other_side in range(_2):
            other = np.uint64(board.pool[left + other_side])
            if _first_left(board, top, end, one, other) == end:
                board.pool[out] = one
                board.pool[out + _1] = other
                out += _2
    return np.int64(2) if out > end else np.int64(3), out


@inner
def _list_attacks(board, colour, end):
    """Stones that make a threat, the strongest first; for the first of two also those that prepare one."""
    for down in range(TWO_THREES - CLOSED_THREE + 1):
        end = list_points(board, board.hot, level_set(colour, TWO_THREES - down), end)
    if stones_left(board) == 1:
        return end
    find_near(board)
    quiet = level_set(colour, _0)
    for word in range(_WORDS):
        bits = board.near[word] & board.hot[quiet + word]
        while bits != _0:
            point = (word << _6) + trailing_zeros(bits)
            bits &= bits - _1
            if level(board, colour, point) == np.uint64(PROMISING):
                board.pool[end] = point
                end += _1
    return end


@inner
def win_by_threats(board, patterns, memo, work, colour, depth):
    """A win of the colour on turn in at most `depth` turns and the last."""
    if can_win(board, colour):
        top = board.pool_top
        end = list_points(board, board.hot, level_set(colour, WINS), top)
        if end > top:
            return np.int64(1) | (np.int64(board.pool[top]) << 16)
        list_threats(board, colour, top)
        return np.int64(2) | (np.int64(board.pool[top]) << 16)
    if depth <= 0:
        return np.int64(0)
    if work[NODES] >= work[FORCED_END] or work[HALT] != 0:
        work[FORCED_CUT] = 1
        return np.int64(0)
    key = position_key(board, colour) ^ BY_FOURS
    data = probe(memo, key)
    if data != _0:
        if length_of(data) > 0:
            return length_of(data) | (np.int64(move_of(data)) << 16)
        if refuted_to(data) >= depth:
            return np.int64(0)
    enemy = _1 - colour
    left = stones_left(board)
    base = board.pool_top
    threats = list_threats(board, enemy, base)
    needed, end = list_covers(board, base, threats)
    begin = threats
    if needed < left:
        end = _list_attacks(board, colour, end)
    elif needed > left:
        end = begin
    board.pool_top = end
    won = np.int64(0)
    move = _0
    for i in range(begin, end):
        move = np.uint64(board.pool[i])
        if not may_go(board, move):
            continue
        place(board, patterns, move, colour)
        work[NODES] += 1
        if left == 2:
            reply = win_by_threats(board, patterns, memo, work, colour, depth)
            won = 1 + length(reply) if reply != 0 else np.int64(0)
        elif not can_win(board, enemy):
            top = board.pool_top
            own_threats = list_threats(board, colour, top)
            covering, stop = list_covers(board, top, own_threats)
            won = np.int64(5) if covering >= 2 else np.int64(0)
            board.pool_top = stop
            at = own_threats
            while at < stop and won != 0:  # with more than two to cover there are no ways
                place(board, patterns, np.uint64(board.pool[at]), enemy)
                place(board, patterns, np.uint64(board.pool[at + _1]), enemy)
                work[NODES] += 2
                reply = win_by_threats(board, patterns, memo, work, colour, depth - 1)
                undo(board, enemy)
                undo(board, enemy)
                won = max(won, 3 + length(reply)) if reply != 0 else np.int64(0)
                at += _2
            board.pool_top = top
        undo(board, colour)
        if won != 0:
            break
    board.pool_top = base
    if won != 0:
        store_win(memo, key, pack_win(move, min(won, np.int64(255)), 0))
        return won | (np.int64(move) << 16)
    if work[FORCED_CUT] == 0:
        store_win(memo, key, pack_win(_0, 0, depth))
    return np.int64(0)


@inner
def _may_attack(board, colour):
    """Whether there is a stone that makes a threat, or wins: only with one at hand a search is worth its while."""
    for threes in range(CLOSED_THREE, WINS + 1):
        if has_any(board.hot, level_set(colour, threes)):
            return True
    return False


@inner
def look_for_threats(board, patterns, memo, work, colour, depth, nodes):
    """A win by threats within so many nodes, in few turns before in many."""
    if not _may_attack(board, colour):
        return np.int64(0)
    work[FORCED_CUT] = 0
    work[FORCED_END] = work[NODES] + nodes
    win, turns = np.int64(0), np.int64(1)
    while win == 0 and turns <= depth and work[FORCED_CUT] == 0:
        win = win_by_threats(board, patterns, memo, work, colour, turns)
        turns *= 2
    return win
