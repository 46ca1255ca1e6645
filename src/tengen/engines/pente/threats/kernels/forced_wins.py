"""Forced wins: by fours (and takes that threaten to win), and by threes, with captures as threats and as defences.

The *attacker* makes moves that threaten to win at once; the defender has to answer each. What is found is sound:
at every answer, all moves of the defender are looked at that could matter.

**Fours.** After an attacker's move the attacker has *winning points*, W: a stone there makes a row or captures
enough. If the defender cannot win at once, he must do away with all of W. A stone of his can do that only by
standing on a point of W or by capturing: the stones of a row, and those that flank what is to be captured, go in
no other way; and what is to be captured, flanked on one side, can only be saved on the other, which is in W. So
the answers are W, if it is a single point, and all captures. Poof knows a third way: a stone that makes the
attacker's winning stone give itself up; it has to be within three points of it on a line: those answers are added.

**Threes.** After a quiet move of the attacker, suppose that the defender passes, and a win by fours follows. Any
answer that leaves this win as it is loses. Let r be an answer; the tree of that win goes on as before, move by
move, unless at one of its nodes

1. r stands on a move of the attacker, on one of W, or on an answer;
2. r gives the defender a win at once: it makes a row with one stone more, so a stone on r makes a four in the
   tree's position: r is one of his points of the levels from ONE_FOUR on, or it is a five already;
3. r makes a new capture possible for him, or makes one larger: r flanks attacker's stones whose other end is
   empty, so it is one of his set-ups in the tree's position;
4. an attacker's move captures r, too: r fills a gap of a run that would then be captured from there;
5. r itself captures, at the root.

The *zone* of the tree is the set of all points for which one of these holds. Only answers in it are looked at.
With poof and boat there are more ways, and wins by threes are not looked for.

A win is returned as its length in plies and the first move, `length | move << 16`; 0 if none was found.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels.board import (
    WORDS,
    add_point,
    captured,
    has_any,
    level,
    level_set,
    list_points,
    setup_count,
    setup_set,
    take_count,
    take_set,
    takes,
)
from tengen.engines.pente.kernels.breakable_rows import list_averting, standing_row
from tengen.engines.pente.kernels.immediate_wins import (
    has_lost,
    has_win,
    list_wins,
)
from tengen.engines.pente.kernels.lines import STEPS
from tengen.engines.pente.kernels.moves import (
    place,
    position_key,
    undo,
)
from tengen.engines.pente.kernels.transposition_table import (
    length_of,
    move_of,
    pack_win,
    probe,
    refuted_to,
    store_win,
)
from tengen.engines.pente.kernels.workspace import COLLECT, FORCED_CUT, FORCED_END, HALT, NODES
from tengen.engines.pente.patterns import CLOSED_THREE, ONE_FOUR, ONE_THREE, TWO_FOURS, WINS
from tengen.games.pente.record import BORDER, EMPTY

_0, _1, _2, _3 = (np.uint64(n) for n in (0, 1, 2, 3))
_WORDS = np.uint64(WORDS)
BY_FOURS, _BY_THREES = np.uint64(0xA24BAED4963EE407), np.uint64(0x9FB21C651E98DF25)
DEEPEST = 24
"""Attacker's moves in a win by fours."""
ZONE_WORDS = WORDS * (2 * DEEPEST + 4)
"""A zone, and room to keep one for each ply."""


@inner
def length(win):
    return win & 0xFFFF


@inner
def first_move(win):
    return np.uint64(win >> 16)


@inner
def _add_set(zone, words, start):
    for word in range(_WORDS):
        zone[word] |= words[start + word]


@inner
def _add_near(board, point, end):
    """Append the empty points within three steps on the lines of a point to the pool; returns the end."""
    for axis in range(_2 + _2):
        for side in range(_2):
            at = point
            for _ in range(_3):
                at = at + STEPS[axis] if side == _0 else at - STEPS[axis]
                if board.stones[at] == BORDER:
                    break
                if board.stones[at] == EMPTY:
                    board.pool[end] = at
                    end += _1
    return end


@inner
def _zone_of_captures(board, zone, point, colour):
    """Points where an enemy stone would be captured, too, by a stone on this point: the fourth case."""
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
    """The points where an attacker may make a threat to win at once, the most promising first."""
    if board.boat:  # rows that can be broken
        end = list_points(board, board.hot, level_set(colour, WINS), end)
    for down in range(TWO_FOURS - ONE_FOUR + 1):
        end = list_points(board, board.hot, level_set(colour, TWO_FOURS - down), end)
    if take_count(board, colour) > 0:
        end = list_points(board, board.hot, take_set(colour), end)
    if board.goal > 0 and captured(board, colour) + 4 >= board.goal and setup_count(board, colour) > 0:
        end = list_points(board, board.hot, setup_set(colour), end)
    return end


@inner
def _list_answers(board, defender, top, wins):
    """The answers to the winning points in the pool from `top` to `wins`: returns where they begin and end.

    One that is in W and captures stands there twice, which does no harm.
    """
    if board.boat:
        return top, list_averting(board, _1 - defender, defender, top)
    end = wins
    if take_count(board, defender) > 0:
        end = list_points(board, board.hot, take_set(defender), wins)
    if board.poof:
        for i in range(top, wins):
            end = _add_near(board, np.uint64(board.pool[i]), end)
    return top if wins - top == _1 or board.poof else wins, end


@inner
def win_by_fours(board, patterns, memo, work, zone, colour, depth, ply):
    """A forced win of the colour on turn in at most `depth` threats and the last move."""
    base = board.pool_top
    end = list_wins(board, colour, base)
    if end > base:
        point = np.uint64(board.pool[base])
        if work[COLLECT] != 0:
            add_point(zone, _0, point)
            _zone_of_captures(board, zone, point, colour)
        return np.int64(1) | (np.int64(point) << 16)
    if depth <= 0:
        return np.int64(0)
    if work[NODES] >= work[FORCED_END] or work[HALT] != 0:
        work[FORCED_CUT] = 1
        return np.int64(0)
    key = position_key(board, colour) ^ BY_FOURS
    data = probe(memo, key)
    first = _0
    if data != _0:
        if length_of(data) > 0:
            if work[COLLECT] == 0:
                return length_of(data) | (np.int64(move_of(data)) << 16)
            first = move_of(data)
        elif refuted_to(data) >= depth:
            return np.int64(0)
    enemy = _1 - colour
    end = list_wins(board, enemy, base)
    if end > base:
        if take_count(board, colour) > 0:
            end = list_points(board, board.hot, take_set(colour), end)
        if board.boat:
            end = list_points(board, board.hot, level_set(colour, WINS), end)
    else:
        end = _list_fours(board, colour, base)
    if first != _0:  # known to win: nothing else is needed
        board.pool[base] = first
        end = base + _1
    board.pool_top = end
    kept = _WORDS * np.uint64(ply + 1)
    for i in range(base, end):
        move = np.uint64(board.pool[i])
        if work[COLLECT] != 0:
            for word in range(_WORDS):
                zone[kept + word] = zone[word]
        place(board, patterns, move, colour)
        work[NODES] += 1
        won = np.int64(0)
        if not has_lost(board, colour) and not has_win(board, enemy):
            top = board.pool_top
            wins = list_wins(board, colour, top)
            if wins > top or (board.boat and standing_row(board, colour) != _0):
                begin, stop = _list_answers(board, enemy, top, wins)
                board.pool_top = stop
                won = np.int64(3)
                for k in range(begin, stop):
                    answer = np.uint64(board.pool[k])
                    place(board, patterns, answer, enemy)
                    work[NODES] += 1
                    reply = np.int64(1)
                    if not has_lost(board, enemy):
                        reply = win_by_fours(board, patterns, memo, work, zone, colour, depth - 1, ply + 1)
                    undo(board, enemy)
                    if reply == 0:
                        won = np.int64(0)
                        break
                    won = max(won, 2 + length(reply))
                if won > 0 and work[COLLECT] != 0:
                    for k in range(top, stop):
                        add_point(zone, _0, np.uint64(board.pool[k]))
                    _add_set(zone, board.hot, setup_set(enemy))
                    for fours in range(ONE_FOUR, TWO_FOURS + 1):
                        _add_set(zone, board.hot, level_set(enemy, fours))
                board.pool_top = top
        undo(board, colour)
        if won > 0:
            board.pool_top = base
            if work[COLLECT] != 0:
                add_point(zone, _0, move)
                _zone_of_captures(board, zone, move, colour)
            store_win(memo, key, pack_win(move, won, 0))
            return won | (np.int64(move) << 16)
        if work[COLLECT] != 0:
            for word in range(_WORDS):
                zone[word] = zone[kept + word]
    board.pool_top = base
    if work[FORCED_CUT] == 0 and first == _0:
        store_win(memo, key, pack_win(_0, 0, depth))
    return np.int64(0)


@inner
def known_win(board, memo, colour):
    """The first move of a win that was found before, or 0."""
    key = position_key(board, colour)
    data = probe(memo, key ^ BY_FOURS)
    if data == _0 or length_of(data) == 0:
        data = probe(memo, key ^ _BY_THREES)
    return move_of(data) if data != _0 and length_of(data) > 0 else _0


@inner
def look_for_fours(board, patterns, memo, work, zone, colour, depth, nodes, collect):
    """A win by fours within so many nodes; its zone is in the first words of `zone` if it is to be collected."""
    if not may_threaten(board, colour):
        return np.int64(0)
    if collect:
        for word in range(_WORDS):
            zone[word] = _0
    work[COLLECT] = 1 if collect else 0
    work[FORCED_CUT] = 0
    work[FORCED_END] = work[NODES] + nodes
    return win_by_fours(board, patterns, memo, work, zone, colour, min(depth, np.int64(DEEPEST)), np.int64(0))


@inner
def may_threaten(board, colour):
    """Whether there is any move that could begin a win by fours, or win at once."""
    for fours in range(ONE_FOUR, TWO_FOURS + 2):
        if has_any(board.hot, level_set(colour, fours)):
            return True
    if take_count(board, colour) > 0:
        return True
    return board.goal > 0 and captured(board, colour) + 4 >= board.goal and setup_count(board, colour) > 0


@inner
def _list_threes(board, colour, end):
    """The points where an attacker may begin a win by threes: all threats, the strongest first."""
    for down in range(TWO_FOURS - ONE_THREE + 1):
        end = list_points(board, board.hot, level_set(colour, TWO_FOURS - down), end)
    end = list_points(board, board.hot, take_set(colour), end)
    if board.goal > 0 and captured(board, colour) + 6 >= board.goal:
        end = list_points(board, board.hot, setup_set(colour), end)
    return list_points(board, board.hot, level_set(colour, CLOSED_THREE), end)


@inner
def list_zone(board, zone, colour, enemy, end):
    """Write the answers in a zone into the pool, those that look most disturbing first; returns the end."""
    begin = end
    for word in range(_WORDS):
        zone[word] |= board.hot[take_set(enemy) + word]
    end = list_points(board, zone, _0, end)
    kept = begin
    for i in range(begin, end):
        point = np.uint64(board.pool[i])
        if board.stones[point] == EMPTY:
            worth = _disturbance(board, point, colour, enemy)
            at = kept
            while at > begin and _disturbance(board, np.uint64(board.pool[at - _1]), colour, enemy) < worth:
                board.pool[at] = board.pool[at - _1]
                at -= _1
            board.pool[at] = point
            kept += _1
    return kept


@inner
def _disturbance(board, point, colour, enemy):
    own, other = np.int64(level(board, colour, point)), np.int64(level(board, enemy, point))
    return own * own + other * other + (64 if takes(board, enemy, point) != _0 else 0)


@inner
def win_by_threes(board, patterns, memo, work, zone, colour, depth, nodes, last):
    """A forced win of the colour on turn by threes and fours, with at most `depth` quiet threats.

    `nodes` is what each search by fours may cost, `last` the count of nodes at which to give up.
    """
    win = look_for_fours(board, patterns, memo, work, zone, colour, np.int64(DEEPEST), nodes, False)
    if win != 0 or depth <= 0 or work[NODES] >= last or work[HALT] != 0 or board.poof or board.boat:
        return win
    key = position_key(board, colour) ^ _BY_THREES
    data = probe(memo, key)
    if data != _0:
        if length_of(data) > 0:
            return length_of(data) | (np.int64(move_of(data)) << 16)
        if refuted_to(data) >= depth:
            return np.int64(0)
    enemy = _1 - colour
    base = board.pool_top
    end = list_wins(board, enemy, base)
    if end > base:
        end = list_points(board, board.hot, take_set(colour), end)
    else:
        end = _list_threes(board, colour, base)
    board.pool_top = end
    for i in range(base, end):
        move = np.uint64(board.pool[i])
        place(board, patterns, move, colour)
        work[NODES] += 1
        won = np.int64(0)
        if not has_win(board, enemy):
            top = board.pool_top
            wins = list_wins(board, colour, top)
            begin, stop = top, top
            if wins > top:
                begin, stop = _list_answers(board, enemy, top, wins)
                won = np.int64(3)
            else:
                threat = look_for_fours(board, patterns, memo, work, zone, colour, np.int64(DEEPEST), nodes, True)
                if threat != 0:
                    won = 2 + length(threat)
                    stop = list_zone(board, zone, colour, enemy, top)
            board.pool_top = stop
            for k in range(begin, stop):
                if won == 0:
                    break
                place(board, patterns, np.uint64(board.pool[k]), enemy)
                work[NODES] += 1
                reply = win_by_threes(board, patterns, memo, work, zone, colour, depth - 1, nodes, last)
                undo(board, enemy)
                won = max(won, 2 + length(reply)) if reply != 0 else np.int64(0)
            board.pool_top = top
        undo(board, colour)
        if won > 0:
            board.pool_top = base
            store_win(memo, key, pack_win(move, min(won, np.int64(255)), 0))
            return won | (np.int64(move) << 16)
        if work[NODES] >= last or work[HALT] != 0:
            board.pool_top = base
            return np.int64(0)
    board.pool_top = base
    store_win(memo, key, pack_win(_0, 0, depth))
    return np.int64(0)
