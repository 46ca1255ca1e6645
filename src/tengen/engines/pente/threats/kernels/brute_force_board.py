"""All wins with so many stones, by trying every move and every answer on the player's board.

A win that the player claims can be replayed here, too, against every answer.

Nothing is left out, whatever it looks like: so a move that is not found does not win in time. The order in which
moves are tried only makes it fast: what looks strongest is tried first, because one winning move, or one answer
that saves, is enough.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.pente.kernels.board import EMPTIES, WORDS, empty_count, level_set, list_points, take_set
from tengen.engines.pente.kernels.immediate_wins import has_lost, has_win, list_wins
from tengen.engines.pente.kernels.moves import may_go, place, undo
from tengen.engines.pente.kernels.workspace import NODES
from tengen.engines.pente.patterns import CLOSED_THREE, TWO_FOURS
from tengen.engines.pente.threats.kernels.forced_wins import first_move, win_by_threes

_0, _1, _6, _63 = (np.uint64(n) for n in (0, 1, 6, 63))
_WORDS, _EMPTIES = np.uint64(WORDS), np.uint64(EMPTIES)


@inner
def _list_every(board, attacker, defender, top):
    """Write all empty points into the pool, first those that look important, some twice; returns the end."""
    end = list_points(board, board.hot, take_set(defender), list_wins(board, attacker, top))
    for down in range(TWO_FOURS - CLOSED_THREE + 1):
        end = list_points(board, board.hot, level_set(attacker, TWO_FOURS - down), end)
    end = list_points(board, board.hot, take_set(attacker), end)
    for down in range(TWO_FOURS - CLOSED_THREE + 1):
        end = list_points(board, board.hot, level_set(defender, TWO_FOURS - down), end)
    for word in range(_WORDS):
        board.near[word] = board.hot[_EMPTIES + word]
    for i in range(top, end):
        point = np.uint64(board.pool[i])
        board.near[point >> _6] &= ~(_1 << (point & _63))
    return list_points(board, board.near, _0, end)


@inner
def _wins(board, patterns, colour, stones, out, most):
    """Write the first `most` moves that win with so many stones at the latest; returns how many there are.

    With `most` 0 nothing is written, and one is enough.
    """
    enemy = _1 - colour
    base = board.pool_top
    at_once = list_wins(board, colour, base)
    end = _list_every(board, colour, enemy, base)  # begins with the same
    if stones <= 1 or (most == 0 and at_once > base):
        end = at_once
    board.pool_top = end
    found = 0
    for i in range(base, end):
        move = np.uint64(board.pool[i])
        known = not may_go(board, move)
        for k in range(found):
            known |= np.uint64(out[k]) == move
        if known:
            continue
        holds = True
        if i >= at_once:
            place(board, patterns, move, colour)
            holds = empty_count(board) > 0 and not has_lost(board, colour) and not has_win(board, enemy)
            top = board.pool_top
            stop = _list_every(board, colour, enemy, top) if holds else top
            board.pool_top = stop
            for k in range(top, stop):
                place(board, patterns, np.uint64(board.pool[k]), enemy)
                if not has_lost(board, enemy):
                    if stones == 2:
                        holds = has_win(board, colour)
                    else:
                        holds = _wins(board, patterns, colour, stones - 1, out, np.int64(0)) > 0
                undo(board, enemy)
                if not holds:
                    break
            board.pool_top = top
            undo(board, colour)
        if holds:
            if most > 0:
                out[found] = np.int64(move)
            found += 1
            if found >= most:
                break
    board.pool_top = base
    return found


@kernel
def every_win(boards, patterns, colour, stones, out):
    """All moves of the colour on turn that win with so many stones at the latest; returns how many."""
    return _wins(boards[0], pointer(patterns), colour, stones, pointer(out), np.int64(len(out)))


HOLDS, UNCLAIMED, ESCAPED = 0, 1, 2
"""What came of replaying a win: it holds, the player claims none, or it has nothing against some answer."""


@inner
def _replay(board, patterns, memo, work, zone, colour, threes, nodes, most):
    if has_win(board, colour):
        return HOLDS
    win = np.int64(0)
    for quiet in range(threes + 1):  # a win with few quiet threats may be lost among many
        if win == 0:
            last = work[NODES] + most
            win = win_by_threes(board, patterns, memo, work, zone, colour, np.int64(quiet), nodes, last)
    if win == 0:
        return UNCLAIMED
    enemy = _1 - colour
    place(board, patterns, first_move(win), colour)
    result = HOLDS
    if has_win(board, enemy) or has_lost(board, colour):
        result = ESCAPED
    top = board.pool_top
    end = list_points(board, board.hot, _EMPTIES, top)
    board.pool_top = end
    for i in range(top, end):
        if result != HOLDS:
            break
        place(board, patterns, np.uint64(board.pool[i]), enemy)
        if not has_lost(board, enemy) and not has_win(board, colour):
            if _replay(board, patterns, memo, work, zone, colour, threes, nodes, most) != HOLDS:
                result = ESCAPED
        undo(board, enemy)
    board.pool_top = top
    undo(board, colour)
    return result


@kernel
def replay_win(boards, patterns, memo, work, zone, colour, threes, nodes, most):
    """Play the forced win of the colour on turn against every answer, each time with what is claimed then.

    It has at most so many quiet threats; a search by fours may cost `nodes`, each claim `most`.
    """
    return _replay(
        boards[0],
        pointer(patterns),
        pointer(memo),
        pointer(work),
        pointer(zone),
        colour,
        threes,
        nodes,
        most,
    )
