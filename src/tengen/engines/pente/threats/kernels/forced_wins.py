"""Threat-space search: forced wins by fours and threes, with captures as threats and as defences.

The *attacker* makes moves that threaten to win immediately; the defender has to answer each. Results are sound: at
every answer, all defending moves that could matter are searched.

**Fours.** After an attacker's move the attacker has *winning points*, W: a stone there makes a row or captures
enough. Unless the defender wins immediately, it has to eliminate all of W. A stone can do that only by occupying a
point of W or by capturing: there is no other way to remove stones of a row, or stones that flank a run to be
captured; and such a run, flanked on one side, can be saved only on the other side, which is in W. So the answers
are W, if it is a single point, and all captures. With poof there is a third way: a stone that makes the attacker's
winning stone poof. It has to be within three points of it on a line; those answers are added. Under the caro rule
a stone at the second end of a row also helps, within five points of the winning point. In renju, Black's forbidden
points are neither moves nor answers.

**Threes.** After a quiet move of the attacker, suppose that the defender passes and the attacker then wins by
fours. An answer that leaves this win intact loses. Let r be an answer; the tree of that win stays valid, move by
move, unless at one of its nodes

1. r occupies a move of the attacker, a point of W, or an answer; 2. r gives the defender an immediate win: it
makes a row with one more stone, so a stone on r makes a four in the tree's    position: r is one of the defender's
points of level ONE_FOUR or higher, or already completes a five; 3. r enables or enlarges a capture of the
defender: r flanks attacker's stones whose other end is empty, so it is one of    the defender's capture threats in
the tree's position; 4. a move of the attacker captures r as well: r fills a gap of a run that would then be
captured; 5. r itself captures, at the root.

The *zone* of the tree is the set of all points for which one of these holds. Only answers in the zone are
searched. With poof, boat, caro and renju (an answer may make a move of the tree forbidden) there are more cases,
so wins by threes are not searched.

A win is returned as in `win_table`, with its length in plies; 0 if none was found.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.atomics import load
from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels.board import (
    WORDS,
    add_point,
    capture_count,
    capture_set,
    capture_threat_count,
    capture_threat_set,
    captured_stones,
    captures_at,
    has_level,
    level,
    level_set,
    list_near,
    list_points,
)
from tengen.engines.pente.kernels.breakable_rows import breakable_row, list_defences
from tengen.engines.pente.kernels.forbidden_moves import can_move, is_forbidden
from tengen.engines.pente.kernels.immediate_wins import has_lost, has_win, list_wins
from tengen.engines.pente.kernels.lines import STEPS
from tengen.engines.pente.kernels.moves import place, position_key, undo
from tengen.engines.pente.patterns import CLOSED_THREE, ONE_FOUR, ONE_THREE, TWO_FOURS, WINS
from tengen.engines.pente.search_state import MAX_FOURS
from tengen.engines.pente.threats.kernels.win_table import (
    known_win,
    make_win,
    store_no_win,
    store_win,
    win_length,
    win_move,
)
from tengen.games.pente.record import EMPTY

_0, _1, _2, _3, _5 = (np.uint64(n) for n in (0, 1, 2, 3, 5))
_WORDS = np.uint64(WORDS)
ANY_LENGTH = np.int64(255)
"""Stones of a win by threes that may be of any length."""
_STONES_SHIFT = np.uint64(40)
FOURS_KEY, _THREES_KEY = np.uint64(0xA24BAED4963EE407), np.uint64(0x9FB21C651E98DF25)


@inner
def _add_set(zone, words, start):
    for word in range(_WORDS):
        zone[word] |= words[start + word]


@inner
def _zone_of_captures(board, zone, point, colour):
    """Add points where an enemy stone would also be captured by a stone on `point`: the fourth case."""
    own, enemy = np.uint8(colour + _1), np.uint8(_2 - colour)
    for axis in range(_2 + _2):
        for side in range(_2):
            at, gap, gaps = point, _0, 0
            for k in range(board.longest + 1):
                at = at + STEPS[axis] if side == _0 else at - STEPS[axis]
                stone = board.stones[at]
                if stone == own and k >= 2 and gaps == 1:
                    add_point(zone, _0, gap)
                if stone == EMPTY:
                    gap = at
                    gaps += 1
                elif stone != enemy:
                    break


@inner
def _list_fours(board, colour, end):
    """Points where the attacker may threaten to win immediately, most promising first."""
    if board.boat:  # rows that can be broken are threats
        end = list_points(board, board.state_info, level_set(colour, WINS), end)
    for down in range(TWO_FOURS - ONE_FOUR + 1):
        end = list_points(board, board.state_info, level_set(colour, TWO_FOURS - down), end)
    if capture_count(board, colour) > 0:
        end = list_points(board, board.state_info, capture_set(colour), end)
    if _nears_goal(board, colour, 4) and capture_threat_count(board, colour) > 0:
        end = list_points(board, board.state_info, capture_threat_set(colour), end)
    return end


@inner
def has_zones(board):
    """Whether zones have all answers; see above."""
    return not (board.poof or board.boat or board.caro or board.renju)


@inner
def list_caro_blocks(board, begin, wins, end):
    """Append the points that might block a row through one of the points from `begin` to `wins` at its end."""
    for i in range(begin, wins):
        end = list_near(board, np.uint64(board.pool[i]), _5, end)
    return end


@inner
def _list_answers(board, defender, top, wins):
    """List the answers to the winning points in the pool from `top` to `wins`; returns their start and end.

    An answer that is in W and captures is listed twice, which is harmless.
    """
    if board.boat:
        return top, list_defences(board, _1 - defender, defender, top)
    end = wins
    if capture_count(board, defender) > 0:
        end = list_points(board, board.state_info, capture_set(defender), wins)
    if board.poof:
        for i in range(top, wins):
            end = list_near(board, np.uint64(board.pool[i]), _3, end)
    if board.caro:
        end = list_caro_blocks(board, top, wins, end)
    return top if wins - top == _1 or board.poof or board.caro else wins, end


@inner
def win_by_fours(thread, colour, depth, ply):
    """A forced win of the side to move with at most `depth` threats before the last move."""
    board, work = thread.board, thread.work
    base = board.pool_top
    end = list_wins(board, colour, base)
    if end > base:
        point = np.uint64(board.pool[base])
        if work.collect_zone:
            add_point(work.zone, _0, point)
            _zone_of_captures(board, work.zone, point, colour)
        return make_win(np.int64(1), point)
    if depth <= 0:
        return np.int64(0)
    if work.nodes >= work.threat_node_limit or load(thread.stop, 0) != 0:
        work.threat_limit_hit = True
        return np.int64(0)
    key = position_key(board, colour) ^ FOURS_KEY
    known = known_win(thread.threat_table, key, depth)
    if known < 0:
        return np.int64(0)
    is_too_long = known > 0 and win_length(known) > 2 * depth + 1
    if is_too_long:
        known = np.int64(0)
    if known > 0 and not work.collect_zone:
        return known
    enemy = _1 - colour
    end = list_wins(board, enemy, base)
    if end > base:
        if capture_count(board, colour) > 0:
            end = list_points(board, board.state_info, capture_set(colour), end)
        if board.boat:
            end = list_points(board, board.state_info, level_set(colour, WINS), end)
    else:
        end = _list_fours(board, colour, base)
    if known > 0:  # search only the known win, for its zone
        board.pool[base] = win_move(known)
        end = base + _1
    board.pool_top = end
    saved = _WORDS * np.uint64(ply + 1)
    for i in range(base, end):
        move = np.uint64(board.pool[i])
        if is_forbidden(board, colour, move):
            continue
        if work.collect_zone:
            for word in range(_WORDS):
                work.zone[saved + word] = work.zone[word]
        place(board, thread.patterns, move, colour)
        work.nodes += 1
        plies = np.int64(0)
        if not has_lost(board, colour) and not has_win(board, enemy):
            top = board.pool_top
            wins = list_wins(board, colour, top)
            if wins > top or (board.boat and breakable_row(board, colour) != _0):
                begin, stop = _list_answers(board, enemy, top, wins)
                board.pool_top = stop
                plies = np.int64(3) if can_move(board, enemy) else np.int64(0)
                for k in range(begin, stop):
                    if is_forbidden(board, enemy, np.uint64(board.pool[k])):
                        continue
                    place(board, thread.patterns, np.uint64(board.pool[k]), enemy)
                    work.nodes += 1
                    reply = np.int64(1)
                    if not has_lost(board, enemy):
                        reply = win_by_fours(thread, colour, depth - 1, ply + 1)
                    undo(board, enemy)
                    if reply == 0:
                        plies = np.int64(0)
                        break
                    plies = max(plies, 2 + win_length(reply))
                if plies > 0 and work.collect_zone:
                    for k in range(top, stop):
                        add_point(work.zone, _0, np.uint64(board.pool[k]))
                    _add_set(work.zone, board.state_info, capture_threat_set(enemy))
                    for fours in range(ONE_FOUR, TWO_FOURS + 1):
                        _add_set(work.zone, board.state_info, level_set(enemy, fours))
                board.pool_top = top
        undo(board, colour)
        if plies > 0:
            board.pool_top = base
            if work.collect_zone:
                add_point(work.zone, _0, move)
                _zone_of_captures(board, work.zone, move, colour)
            win = make_win(plies, move)
            store_win(thread.threat_table, key, win)
            return win
        if work.collect_zone:
            for word in range(_WORDS):
                work.zone[word] = work.zone[saved + word]
    board.pool_top = base
    if not work.threat_limit_hit and known == 0 and not is_too_long:
        store_no_win(thread.threat_table, key, depth)
    return np.int64(0)


@inner
def probe_known_win(board, threat_table, colour):
    """First move of a win found before, or 0."""
    key = position_key(board, colour)
    win = known_win(threat_table, key ^ FOURS_KEY, 0)
    if win <= 0:
        win = known_win(threat_table, key ^ _THREES_KEY, 0)
    return win_move(win) if win > 0 else _0


@inner
def search_fours(thread, colour, depth, nodes, collect):
    """A win by fours within `nodes` nodes; with `collect`, its zone is in the first words of `work.zone`."""
    board, work = thread.board, thread.work
    if not can_threaten(board, colour):
        return np.int64(0)
    if collect:
        for word in range(_WORDS):
            work.zone[word] = _0
    work.collect_zone = collect
    work.threat_limit_hit = False
    work.threat_node_limit = work.nodes + nodes
    return win_by_fours(thread, colour, min(depth, np.int64(MAX_FOURS)), np.int64(0))


@inner
def _nears_goal(board, colour, stones):
    """Whether a colour lacks at most this many captured stones to the goal."""
    return board.goal > 0 and captured_stones(board, colour) + stones >= board.goal


@inner
def can_threaten(board, colour):
    """Whether any move could start a win by fours, or win immediately."""
    if has_level(board, colour, ONE_FOUR, WINS) or capture_count(board, colour) > 0:
        return True
    return _nears_goal(board, colour, 4) and capture_threat_count(board, colour) > 0


@inner
def _list_threes(board, colour, end):
    """Points where the attacker may start a win by threes: all threats, strongest first."""
    for down in range(TWO_FOURS - ONE_THREE + 1):
        end = list_points(board, board.state_info, level_set(colour, TWO_FOURS - down), end)
    end = list_points(board, board.state_info, capture_set(colour), end)
    if _nears_goal(board, colour, 6):
        end = list_points(board, board.state_info, capture_threat_set(colour), end)
    return list_points(board, board.state_info, level_set(colour, CLOSED_THREE), end)


@inner
def list_zone(board, zone, colour, enemy, end):
    """Write the answers in a zone into the pool, the most promising defences first; returns the end."""
    begin = end
    for word in range(_WORDS):
        zone[word] |= board.state_info[capture_set(enemy) + word]
    end = list_points(board, zone, _0, end)
    kept = begin
    for i in range(begin, end):
        point = np.uint64(board.pool[i])
        if board.stones[point] == EMPTY and not is_forbidden(board, enemy, point):
            priority = _defence_priority(board, point, colour, enemy)
            at = kept
            while (
                at > begin and _defence_priority(board, np.uint64(board.pool[at - _1]), colour, enemy) < priority
            ):
                board.pool[at] = board.pool[at - _1]
                at -= _1
            board.pool[at] = point
            kept += _1
    return kept


@inner
def _defence_priority(board, point, colour, enemy):
    own, other = np.int64(level(board, colour, point)), np.int64(level(board, enemy, point))
    return own * own + other * other + (64 if captures_at(board, enemy, point) != _0 else 0)


@inner
def win_by_threes(thread, colour, depth, stones, nodes, node_limit):
    """A forced win of the side to move by threes and fours, with at most `depth` quiet threats.

    It takes at most `stones` stones, or any number if that is ANY_LENGTH. `nodes` limits each search by fours,
    `node_limit` is the node count at which to give up.
    """
    board, work = thread.board, thread.work
    fours = min(stones - 1, np.int64(MAX_FOURS))
    win = search_fours(thread, colour, fours, nodes, False)
    if win != 0 or depth <= 0 or stones <= 2 or _is_over(thread, node_limit) or not has_zones(board):
        return win
    after = stones if stones == ANY_LENGTH else stones - 1
    key = position_key(board, colour) ^ _THREES_KEY ^ (np.uint64(ANY_LENGTH - stones) << _STONES_SHIFT)
    known = known_win(thread.threat_table, key, depth)
    if known != 0:
        return max(known, np.int64(0))
    enemy = _1 - colour
    base = board.pool_top
    end = list_wins(board, enemy, base)
    if end > base:
        end = list_points(board, board.state_info, capture_set(colour), end)
    else:
        end = _list_threes(board, colour, base)
    board.pool_top = end
    for i in range(base, end):
        move = np.uint64(board.pool[i])
        place(board, thread.patterns, move, colour)
        work.nodes += 1
        plies = np.int64(0)
        if not has_win(board, enemy):
            top = board.pool_top
            wins = list_wins(board, colour, top)
            begin, stop = top, top
            if wins > top:
                begin, stop = _list_answers(board, enemy, top, wins)
                plies = np.int64(3)
            else:
                threat = search_fours(thread, colour, min(after - 1, np.int64(MAX_FOURS)), nodes, True)
                if threat != 0:
                    plies = 2 + win_length(threat)
                    stop = list_zone(board, work.zone, colour, enemy, top)
            board.pool_top = stop
            for k in range(begin, stop):
                if plies == 0:
                    break
                place(board, thread.patterns, np.uint64(board.pool[k]), enemy)
                work.nodes += 1
                reply = win_by_threes(thread, colour, depth - 1, after, nodes, node_limit)
                undo(board, enemy)
                plies = max(plies, 2 + win_length(reply)) if reply != 0 else np.int64(0)
            board.pool_top = top
        undo(board, colour)
        if plies > 0:
            board.pool_top = base
            win = make_win(plies, move)
            store_win(thread.threat_table, key, win)
            return win
        if _is_over(thread, node_limit):
            board.pool_top = base
            return np.int64(0)
    board.pool_top = base
    store_no_win(thread.threat_table, key, depth)
    return np.int64(0)


@inner
def _is_over(thread, node_limit):
    """Whether a search by threes has reached its limit or is stopped."""
    return thread.work.nodes >= node_limit or load(thread.stop, 0) != 0
