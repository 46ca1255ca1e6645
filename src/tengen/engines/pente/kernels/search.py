"""The search of the strong Pente player: principal variation search, with forced wins at its leaves.

Values are for the side on turn. From PROVED on they are wins that are proved, MATE less the plies to them; from
SOFT on a win that only holds if the moves not looked at do not help; below are guesses (see `evaluation`). A loss
is proved only where all moves were looked at that could avert it: against a threat to win at once, those that
`threats` lists; against a win by fours, those in its zone. All other lists are of promising moves only, and a loss
of all of them is SOFT.

Several threads search the same tree with one table, each with its own history, so that they stray apart.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.atomics import load
from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.rng import mix
from tengen.engines.pente.kernels.board import (
    WORDS,
    empty_count,
    find_near,
    level,
    level_set,
    setups,
    take_count,
    take_set,
    takes,
)
from tengen.engines.pente.kernels.evaluation import evaluate
from tengen.engines.pente.kernels.moves import (
    may_go,
    place,
    position_key,
    undo,
)
from tengen.engines.pente.kernels.table import (
    EXACT,
    LOWER,
    UPPER,
    bound_of,
    depth_of,
    move_of,
    pack,
    probe,
    store,
    value_of,
)
from tengen.engines.pente.kernels.threats import (
    first_move,
    length,
    list_zone,
    look_for_fours,
    may_threaten,
    win_by_threes,
)
from tengen.engines.pente.kernels.wins import (
    given_away,
    has_win,
    list_wins,
)
from tengen.engines.pente.kernels.work import (
    AGE,
    HISTORY,
    INNER,
    KILLERS,
    LEAF,
    LISTS,
    MOST_NODES,
    MOST_PLIES,
    NODES,
    NOISE,
    ROOM,
    ROOT_DEPTH,
    SEED,
    STOPPED,
    SWITCHES,
    VISION,
    WIDTH,
)
from tengen.engines.pente.patterns import CLOSED_THREE, LEVELS, ONE_THREE
from tengen.games.pente.record import POINTS

MATE, PROVED, SOFT = 30000, 29000, 20000
FOURS, THREES, ZONES, REDUCTIONS, TABLED = 1, 2, 4, 8, 16
"""Features that can be switched off: wins by fours, by threes, answers within a zone, reductions, the table."""
_NONE = np.int64(-32000)
_0, _1, _6 = np.uint64(0), np.uint64(1), np.uint64(6)
_POINTS, _WORDS, _LOW16 = np.uint64(POINTS), np.uint64(WORDS), np.int64(0xFFFF)
_OWN_WORTH = np.array([0, 4, 12, 40, 120, 300, 160, 900, 2000, 9000], np.int64)
_OTHER_WORTH = np.array([0, 3, 9, 30, 90, 220, 110, 600, 1400, 8000], np.int64)
_LEAST_WIDTH = 10
_SHARE = 4
"""So much of the nodes so far may be spent on wins by threes at the root: with more, the search stays shallow."""


@inner
def _guess(board, work, weights, colour):
    """The static value, misjudged as much as the player does."""
    value = evaluate(board, weights, colour)
    if work[NOISE] > 0:
        bits = mix(position_key(board, colour) ^ np.uint64(work[SEED]))
        value += np.int64(bits % np.uint64(2 * work[NOISE] + 1)) - work[NOISE]
    return value


@inner
def _sees(board, work, point):
    """Whether a player of imperfect vision thinks of a move; the same in the same position."""
    if work[VISION] >= 100:
        return True
    bits = mix(position_key(board, _0) ^ np.uint64(work[SEED]) ^ (point << np.uint64(40)))
    return np.int64(bits % np.uint64(100)) < work[VISION]


@inner
def _worth(board, work, point, colour, enemy, ply):
    """How promising a point looks: what it makes, what it spoils, captures, and what was good before."""
    worth = _OWN_WORTH[level(board, colour, point)] + _OTHER_WORTH[level(board, enemy, point)]
    worth += 150 * np.int64(popcount(takes(board, colour, point)))
    worth += 110 * np.int64(popcount(takes(board, enemy, point)))
    if setups(board, colour, point) != _0:
        worth += 25
    if setups(board, enemy, point) != _0:
        worth += 10
    worth *= 16
    worth += min(work[np.uint64(HISTORY) + colour * _POINTS + point] >> 2, np.int64(800))
    killers = np.uint64(KILLERS) + np.uint64(2 * ply)
    if work[killers] == np.int64(point):
        worth += 1600
    elif work[killers + _1] == np.int64(point):
        worth += 1000
    return worth


@inner
def _list_promising(board, work, colour, enemy, ply, first, start):
    """All promising moves, in no order, as worth << 16 | point; returns how many."""
    count = _0
    find_near(board)
    for word in range(_WORDS):
        bits = board.near[word] | board.hot[take_set(colour) + word] | board.hot[take_set(enemy) + word]
        for of_level in range(CLOSED_THREE, LEVELS):
            bits |= board.hot[level_set(colour, of_level) + word] | board.hot[level_set(enemy, of_level) + word]
        while bits != _0:
            point = (word << _6) + trailing_zeros(bits)
            bits &= bits - _1
            if not may_go(board, point) or not _sees(board, work, point):
                continue
            worth = _worth(board, work, point, colour, enemy, ply) if point != first else np.int64(1) << 40
            work[start + count] = (worth << 16) | np.int64(point)
            count += _1
    return np.int64(count)


@inner
def _list_some(board, work, colour, enemy, ply, first, begin, end, start):
    """The moves in the pool from `begin` to `end`, each once, in no order; returns how many."""
    count = _0
    for i in range(begin, end):
        point = np.uint64(board.pool[i])
        known = False
        for k in range(count):
            known |= np.uint64(work[start + k] & _LOW16) == point
        if not known:
            worth = _worth(board, work, point, colour, enemy, ply) if point != first else np.int64(1) << 40
            work[start + count] = (worth << 16) | np.int64(point)
            count += _1
    return np.int64(count)


@inner
def _next_best(work, start, index, count):
    """Bring the best of the moves from `index` on to the front of them."""
    best = start + np.uint64(index)
    item = work[best]
    front = item
    for k in range(start + np.uint64(index), start + np.uint64(count)):
        if work[k] > item:
            best, item = k, work[k]
    work[best] = front
    work[start + np.uint64(index)] = item
    return np.uint64(item & _LOW16)


@inner
def _from_table(value, ply):
    if value >= PROVED:
        return value - ply
    return value + ply if value <= -PROVED else value


@inner
def _to_table(value, ply):
    if value >= PROVED:
        return value + ply
    return value - ply if value <= -PROVED else value


@inner
def search(
    board, patterns, table, memo, zone, work, weights, stop, colour, alpha, beta, depth, ply
):  # fmt: skip
    """The value to `depth` plies in the window between alpha and beta (fail-soft)."""
    work[NODES] += 1
    if work[NODES] >= work[MOST_NODES] or load(stop, 0) != 0:
        work[STOPPED] = 1
        return np.int64(0)
    if empty_count(board) == 0:
        return np.int64(0)
    if has_win(board, colour):
        return MATE - ply - 1
    if alpha >= MATE - ply - 3:  # a shorter win is known already
        return MATE - ply - 3
    enemy = _1 - colour
    switches = work[SWITCHES]
    top = board.pool_top
    end = list_wins(board, enemy, top)
    threats = end - top
    if threats > _1 and take_count(board, colour) == 0 and not board.poof:
        return -(MATE - ply - 2)
    if ply >= MOST_PLIES - 2:
        return _guess(board, work, weights, colour)
    if threats == _0 and depth <= 0:
        if switches & FOURS:
            win = look_for_fours(board, patterns, memo, work, zone, colour, np.int64(8), work[LEAF], False)
            if win != 0:
                return MATE - ply - length(win)
        return _guess(board, work, weights, colour)

    key = position_key(board, colour)
    first = _0
    if switches & TABLED:
        data = probe(table, key)
        if data != _0:
            first = move_of(data)
            value = _from_table(value_of(data), ply)
            bound = bound_of(data)
            if depth_of(data) >= depth or abs(value) >= PROVED:
                if bound == EXACT:
                    return value
                if bound == LOWER and value >= beta:
                    return value
                if bound == UPPER and value <= alpha:
                    return value
    start = np.uint64(LISTS) + np.uint64(ROOM) * np.uint64(ply)
    count = np.int64(0)
    most = np.int64(ROOM)
    complete = False
    if threats > _0:
        # Against a threat to win at once: its points, and captures. With poof more could help.
        complete = not board.poof
        if take_count(board, colour) > 0:
            for word in range(_WORDS):
                bits = board.hot[take_set(colour) + word]
                while bits != _0:
                    board.pool[end] = (word << _6) + trailing_zeros(bits)
                    end += _1
                    bits &= bits - _1
        count = _list_some(board, work, colour, enemy, ply, first, top, end, start)
        if count == 1 and ply < 2 * work[ROOT_DEPTH]:
            depth += 1
    else:
        if switches & FOURS:
            nodes = work[INNER] if depth >= 2 else work[LEAF]
            win = look_for_fours(board, patterns, memo, work, zone, colour, np.int64(16), nodes, False)
            if win == 0 and switches & THREES and depth >= 4 and not board.poof:
                last = min(work[MOST_NODES], work[NODES] + (depth - 3) * work[INNER])
                quiet_moves = min(np.int64(6), np.int64(1) + depth // 3)
                win = win_by_threes(board, patterns, memo, work, zone, colour, quiet_moves, work[LEAF], last)
            if win != 0:
                value = MATE - ply - length(win)
                store(table, key, pack(first_move(win), depth, LOWER, work[AGE], _to_table(value, ply)))
                return value
            if switches & ZONES and depth >= 2 and not board.poof and may_threaten(board, enemy):
                threat = look_for_fours(board, patterns, memo, work, zone, enemy, np.int64(16), nodes, True)
                if threat != 0:
                    complete = True
                    end = list_zone(board, zone, enemy, colour, top)
                    count = _list_some(board, work, colour, enemy, ply, first, top, end, start)
        if not complete:
            count = _list_promising(board, work, colour, enemy, ply, first, start)
            most = min(work[WIDTH], np.int64(_LEAST_WIDTH) + 4 * max(depth - 1, np.int64(0)))
    if count == 0:
        return -(MATE - ply - 2) if complete else _guess(board, work, weights, colour)

    best, best_move = _NONE, _0
    floor = alpha
    index = 0
    while index < count and index < most:
        point = _next_best(work, start, index, count)
        quiet = (
            level(board, colour, point) < np.uint64(CLOSED_THREE)
            and level(board, enemy, point) < np.uint64(ONE_THREE)
            and takes(board, colour, point) == _0
        )
        place(board, patterns, point, colour)
        index += 1
        value = _NONE
        if given_away(board, colour):
            value = -(MATE - ply - 1)
        else:
            left = depth - 1
            if switches & REDUCTIONS and quiet and threats == _0 and depth >= 3 and index > 3:
                left -= 1 + np.int64(index > 12)
            if best > _NONE:
                value = -search(
                    board,
                    patterns,
                    table,
                    memo,
                    zone,
                    work,
                    weights,
                    stop,
                    enemy,
                    -floor - 1,
                    -floor,
                    left,
                    ply + 1,
                )
                if work[STOPPED] == 0 and value > floor and left < depth - 1:
                    left = depth - 1
                    value = -search(
                        board, patterns, table, memo, zone, work, weights, stop,
                        enemy, -floor - 1, -floor, left, ply + 1,
                    )  # fmt: skip
            if work[STOPPED] == 0 and (best == _NONE or (floor < value < beta)):
                value = -search(
                    board,
                    patterns,
                    table,
                    memo,
                    zone,
                    work,
                    weights,
                    stop,
                    enemy,
                    -beta,
                    -floor,
                    depth - 1,
                    ply + 1,
                )
        undo(board, colour)
        if work[STOPPED]:
            return np.int64(0)
        if value > best:
            best, best_move = value, point
            if best >= beta:
                if quiet:
                    killers = np.uint64(KILLERS) + np.uint64(2 * ply)
                    if work[killers] != np.int64(point):
                        work[killers + _1] = work[killers]
                        work[killers] = np.int64(point)
                place_of = np.uint64(HISTORY) + colour * _POINTS + point
                work[place_of] += depth * depth
                if work[place_of] > 1 << 14:
                    for i in range(2 * POINTS):
                        work[np.uint64(HISTORY + i)] >>= 1
                break
            floor = max(floor, best)
    if best <= -PROVED and not complete:
        best = np.int64(-SOFT) + ply
    if switches & TABLED:
        bound = LOWER if best >= beta else EXACT if best > alpha else UPPER
        store(table, key, pack(best_move, depth, bound, work[AGE], _to_table(best, ply)))
    return best


@inner
def _forced_at_root(board, patterns, memo, zone, work, colour, depth):
    """A win at once, by fours, or later by threes: at the root more may be spent on it, a share of all nodes."""
    if not work[SWITCHES] & FOURS or work[NODES] >= work[MOST_NODES]:
        return np.int64(0)
    left = work[MOST_NODES] - work[NODES]
    win = look_for_fours(
        board, patterns, memo, work, zone, colour, np.int64(24), min(left, 8 * work[INNER]), False
    )
    if win == 0 and work[SWITCHES] & THREES and depth >= 2 and not board.poof:
        last = work[NODES] + min(left // 2, max(2 * work[INNER], work[NODES] // _SHARE))
        quiet_moves = min(np.int64(8), depth)
        win = win_by_threes(board, patterns, memo, work, zone, colour, quiet_moves, work[INNER], last)
    return win


# What `search_root` writes.
BEST, BEST_MOVE, DONE, COMPLETE = 0, 1, 2, 3


@kernel
def search_root(
    boards, patterns, table, memo, zone, work, weights, stop, colour, moves, promising, alpha, beta, depth, found
):
    """Search these root moves, best first; `found` tells the best so far and whether all is done.

    Only the first `promising` of them are looked at, and the others if those all lose: a stone far from all others
    is never better than in a position that is lost.
    """
    patterns, table, memo, zone = pointer(patterns), pointer(table), pointer(memo), pointer(zone)
    work, weights, stop = pointer(work), pointer(weights), pointer(stop)
    board = boards[0]
    found[BEST], found[BEST_MOVE], found[DONE], found[COMPLETE] = _NONE, 0, 0, 0
    floor = alpha
    enemy = _1 - colour
    work[ROOT_DEPTH] = depth
    win = _forced_at_root(board, patterns, memo, zone, work, colour, depth)
    for index in range(len(moves)):
        if win != 0 and np.uint64(moves[index]) == first_move(win):
            found[BEST], found[BEST_MOVE], found[DONE] = MATE - length(win), moves[index], 1
            return
    for index in range(len(moves)):
        if index >= promising and found[BEST] > -SOFT + MOST_PLIES:
            found[DONE] = 1
            return
        point = np.uint64(moves[index])
        wins = False
        top = board.pool_top
        end = list_wins(board, colour, top)
        for i in range(top, end):
            wins |= np.uint64(board.pool[i]) == point
        value = np.int64(MATE - 1)
        if not wins:
            place(board, patterns, point, colour)
            value = _NONE
            if given_away(board, colour):
                value = np.int64(1 - MATE)
            else:
                if found[BEST] > _NONE:
                    value = -search(
                        board, patterns, table, memo, zone, work, weights, stop,
                        enemy, -floor - 1, -floor, depth - 1, np.int64(1),
                    )  # fmt: skip
                if work[STOPPED] == 0 and (found[BEST] == _NONE or floor < value < beta):
                    value = -search(
                        board, patterns, table, memo, zone, work, weights, stop,
                        enemy, -beta, -floor, depth - 1, np.int64(1),
                    )  # fmt: skip
            undo(board, colour)
        if work[STOPPED]:
            return
        # In a lost position, resist where the stones are: lengths of forced wins are not the shortest ones.
        far = index >= promising and value <= -PROVED and found[BEST] > _NONE
        if value > found[BEST] and not far:
            found[BEST], found[BEST_MOVE] = value, np.int64(point)
            if value >= beta:
                break
            floor = max(floor, value)
    found[DONE], found[COMPLETE] = 1, 1


@kernel
def promising_moves(boards, work, colour, most, out):
    """The moves that a search from here looks at first, best first; returns how many."""
    work = pointer(work)
    start = np.uint64(LISTS)
    count = _list_promising(boards[0], work, colour, _1 - colour, np.int64(0), _0, start)
    for i in range(min(count, most)):
        out[i] = _next_best(work, start, i, count)
    return min(count, most)
