"""Threats and forced wins with two stones per turn and without captures, as in connect6.

A *threat* is a window that its colour can fill in one turn: it lacks one or two stones, its *gaps*, and contains
no enemy stone. A side that has a threat at the start of its turn wins. Otherwise the enemy's threats have to be
*covered*: each needs a stone in one of its gaps, and nothing else helps, because stones are never removed. If two
stones do not suffice, the game is lost. If two are needed, all answers are known and few: one stone is in a gap of
the first threat, the other in a gap of the first threat that this leaves, so there are at most four pairs.

A win by threats is a sequence of turns, each leaving threats that take two stones to cover, up to one that two
stones cannot cover. All covers are tried, so wins are proved. The search is not complete: first stones far from
all others, and second stones that make no threat, are not tried.

A win is returned as in `win_table`, with its length in stones of both sides; 0 if none was found.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.atomics import load
from tengen.core.compiled.bits import trailing_zeros
from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels.board import (
    WORDS,
    has_any,
    has_level,
    level,
    level_set,
    list_points,
    mark_near_stones,
)
from tengen.engines.pente.kernels.lines import STEPS
from tengen.engines.pente.kernels.moves import is_point_allowed, place, position_key, stones_left, undo
from tengen.engines.pente.patterns import CLOSED_THREE, ONE_FOUR, PROMISING, TWO_FOURS, TWO_THREES, WINS
from tengen.engines.pente.threats.kernels.forced_wins import FOURS_KEY
from tengen.engines.pente.threats.kernels.win_table import (
    known_win,
    make_win,
    store_no_win,
    store_win,
    win_length,
)
from tengen.games.pente.record import EMPTY

_0, _1, _2, _4, _6 = (np.uint64(n) for n in (0, 1, 2, 4, 6))
_WORDS = np.uint64(WORDS)


@inner
def can_win_this_turn(board, colour):
    """Whether the side to move wins with its remaining stones.

    A stone in a gap of a threat leaves or makes a row with one gap; the level of the point shows this.
    """
    if has_any(board.state_info, level_set(colour, WINS)):
        return True
    return stones_left(board) == 2 and has_level(board, colour, ONE_FOUR, TWO_FOURS)


@inner
def _list_threats_from(board, colour, point, end):
    """Threats whose first gap is this empty point."""
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
    """Write the gaps of a colour's threats into the pool from `top` on, two each; returns the end.

    A threat that lacks one stone has its gap twice.
    """
    end = top
    for fours in range(ONE_FOUR, WINS + 1):
        start = level_set(colour, fours)
        for word in range(_WORDS):
            bits = board.state_info[start + word]
            while bits != _0:
                end = _list_threats_from(board, colour, (word << _6) + trailing_zeros(bits), end)
                bits &= bits - _1
    return end


@inner
def _first_uncovered(board, top, end, one, other):
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
    """Number of stones needed to cover the threats in the pool: 0 to 2, or 3 for more than a turn has.

    The covers with that many stones follow in the pool, two points each (a single one twice). Also returns their
    end.
    """
    out = end
    if top == end:
        return np.int64(0), out
    for side in range(_2):
        one = np.uint64(board.pool[top + side])
        if _first_uncovered(board, top, end, one, one) == end and (
            side == _0 or one != np.uint64(board.pool[top])
        ):
            board.pool[out] = one
            board.pool[out + _1] = one
            out += _2
    if out > end:
        return np.int64(1), out
    for side in range(_2):
        one = np.uint64(board.pool[top + side])
        remaining = _first_uncovered(board, top, end, one, one)
        for other_side in range(_2):
            other = np.uint64(board.pool[remaining + other_side])
            if _first_uncovered(board, top, end, one, other) == end:
                board.pool[out] = one
                board.pool[out + _1] = other
                out += _2
    return np.int64(2) if out > end else np.int64(3), out


@inner
def _list_attacks(board, colour, end):
    """Stones that make a threat, strongest first; for the first of two stones also those that prepare one."""
    for down in range(TWO_THREES - CLOSED_THREE + 1):
        end = list_points(board, board.state_info, level_set(colour, TWO_THREES - down), end)
    if stones_left(board) == 1:
        return end
    mark_near_stones(board)
    quiet = level_set(colour, _0)
    for word in range(_WORDS):
        bits = board.near_stones[word] & board.state_info[quiet + word]
        while bits != _0:
            point = (word << _6) + trailing_zeros(bits)
            bits &= bits - _1
            if level(board, colour, point) == np.uint64(PROMISING):
                board.pool[end] = point
                end += _1
    return end


@inner
def win_by_threats(thread, colour, depth):
    """A win of the side to move in at most `depth` turns before the last."""
    board, work = thread.board, thread.work
    if can_win_this_turn(board, colour):
        top = board.pool_top
        end = list_points(board, board.state_info, level_set(colour, WINS), top)
        if end > top:
            return make_win(np.int64(1), board.pool[top])
        list_threats(board, colour, top)
        return make_win(np.int64(2), board.pool[top])
    if depth <= 0:
        return np.int64(0)
    if work.nodes >= work.threat_node_limit or load(thread.stop, 0) != 0:
        work.threat_limit_hit = True
        return np.int64(0)
    key = position_key(board, colour) ^ FOURS_KEY
    known = known_win(thread.threat_table, key, depth)
    if known != 0:
        return max(known, np.int64(0))
    enemy = _1 - colour
    remaining = stones_left(board)
    base = board.pool_top
    threats = list_threats(board, enemy, base)
    needed, end = list_covers(board, base, threats)
    begin = threats
    if needed < remaining:
        end = _list_attacks(board, colour, end)
    elif needed > remaining:
        end = begin
    board.pool_top = end
    win_stones = np.int64(0)
    move = _0
    for i in range(begin, end):
        move = np.uint64(board.pool[i])
        if not is_point_allowed(board, move):
            continue
        place(board, thread.patterns, move, colour)
        work.nodes += 1
        if remaining == 2:
            reply = win_by_threats(thread, colour, depth)
            win_stones = 1 + win_length(reply) if reply != 0 else np.int64(0)
        elif not can_win_this_turn(board, enemy):
            top = board.pool_top
            own_threats = list_threats(board, colour, top)
            covering, stop = list_covers(board, top, own_threats)
            win_stones = np.int64(5) if covering >= 2 else np.int64(0)
            board.pool_top = stop
            at = own_threats
            while at < stop and win_stones != 0:  # if two stones cannot cover, there are none
                place(board, thread.patterns, np.uint64(board.pool[at]), enemy)
                place(board, thread.patterns, np.uint64(board.pool[at + _1]), enemy)
                work.nodes += 2
                reply = win_by_threats(thread, colour, depth - 1)
                undo(board, enemy)
                undo(board, enemy)
                win_stones = max(win_stones, 3 + win_length(reply)) if reply != 0 else np.int64(0)
                at += _2
            board.pool_top = top
        undo(board, colour)
        if win_stones != 0:
            break
    board.pool_top = base
    if win_stones != 0:
        win = make_win(win_stones, move)
        store_win(thread.threat_table, key, win)
        return win
    if not work.threat_limit_hit:
        store_no_win(thread.threat_table, key, depth)
    return np.int64(0)


@inner
def search_threats(thread, colour, depth, nodes):
    """A win by threats within `nodes` nodes, by iterative deepening."""
    work = thread.work
    if not has_level(thread.board, colour, CLOSED_THREE, WINS):  # no stone makes a threat
        return np.int64(0)
    work.threat_limit_hit = False
    work.threat_node_limit = work.nodes + nodes
    win, turns = np.int64(0), np.int64(1)
    while win == 0 and turns <= depth and not work.threat_limit_hit:
        win = win_by_threats(thread, colour, turns)
        turns *= 2
    return win
