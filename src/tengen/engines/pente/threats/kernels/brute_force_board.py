"""All wins within a number of stones, by trying every move and every answer on the engine's board.

It also replays wins that the engine claims against every answer.

No move is skipped, so a move that is not listed does not win in time. Move ordering only makes it fast: the
strongest moves are tried first, because one winning move, or one saving answer, is enough.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.pente.kernels.board import EMPTIES, WORDS, capture_set, empty_count, level_set, list_points
from tengen.engines.pente.kernels.forbidden_moves import can_move, is_forbidden, may_play
from tengen.engines.pente.kernels.immediate_wins import has_lost, has_win, list_wins
from tengen.engines.pente.kernels.moves import place, undo
from tengen.engines.pente.patterns import CLOSED_THREE, TWO_FOURS
from tengen.engines.pente.search_state import Thread
from tengen.engines.pente.threats.kernels.forced_wins import ANY_LENGTH, win_by_threes
from tengen.engines.pente.threats.kernels.win_table import win_move

_0, _1, _6, _63 = (np.uint64(n) for n in (0, 1, 6, 63))
_WORDS, _EMPTIES = np.uint64(WORDS), np.uint64(EMPTIES)


@inner
def _list_all_points(board, attacker, defender, top):
    """Write all empty points into the pool, important ones first, some of them twice; returns the end."""
    end = list_points(board, board.state_info, capture_set(defender), list_wins(board, attacker, top))
    for down in range(TWO_FOURS - CLOSED_THREE + 1):
        end = list_points(board, board.state_info, level_set(attacker, TWO_FOURS - down), end)
    end = list_points(board, board.state_info, capture_set(attacker), end)
    for down in range(TWO_FOURS - CLOSED_THREE + 1):
        end = list_points(board, board.state_info, level_set(defender, TWO_FOURS - down), end)
    for word in range(_WORDS):
        board.near_stones[word] = board.state_info[_EMPTIES + word]
    for i in range(top, end):
        point = np.uint64(board.pool[i])
        board.near_stones[point >> _6] &= ~(_1 << (point & _63))
    return list_points(board, board.near_stones, _0, end)


@inner
def _wins(board, patterns, colour, stones, out, max_moves):
    """Write the first `max_moves` moves that win with at most `stones` stones; returns how many there are.

    With `max_moves` 0 nothing is written, and one win is enough.
    """
    enemy = _1 - colour
    base = board.pool_top
    at_once = list_wins(board, colour, base)
    end = _list_all_points(board, colour, enemy, base)  # starts with the same points
    if stones <= 1 or (max_moves == 0 and at_once > base):
        end = at_once
    board.pool_top = end
    found = 0
    for i in range(base, end):
        move = np.uint64(board.pool[i])
        is_known = not may_play(board, colour, move)
        for k in range(found):
            is_known |= np.uint64(out[k]) == move
        if is_known:
            continue
        wins = True
        if i >= at_once:
            place(board, patterns, move, colour)
            wins = empty_count(board) > 0 and not has_lost(board, colour) and not has_win(board, enemy)
            wins = wins and can_move(board, enemy)
            top = board.pool_top
            stop = _list_all_points(board, colour, enemy, top) if wins else top
            board.pool_top = stop
            for k in range(top, stop):
                if is_forbidden(board, enemy, np.uint64(board.pool[k])):
                    continue
                place(board, patterns, np.uint64(board.pool[k]), enemy)
                if not has_lost(board, enemy):
                    if stones == 2:
                        wins = has_win(board, colour)
                    else:
                        wins = _wins(board, patterns, colour, stones - 1, out, np.int64(0)) > 0
                undo(board, enemy)
                if not wins:
                    break
            board.pool_top = top
            undo(board, colour)
        if wins:
            if max_moves > 0:
                out[found] = np.int64(move)
            found += 1
            if found >= max_moves:
                break
    board.pool_top = base
    return found


@kernel
def list_winning_moves(boards, patterns, colour, stones, out):
    """Write all moves of the side to move that win with at most `stones` stones; returns how many."""
    return _wins(boards[0], pointer(patterns), colour, stones, pointer(out), np.int64(len(out)))


HOLDS, NO_CLAIM, ESCAPED = 0, 1, 2
"""Results of replaying a win: it holds, the engine claims none, or some answer escapes."""


@inner
def _replay(thread, colour, threes, nodes, claim_nodes):
    board, patterns = thread.board, thread.patterns
    if has_win(board, colour):
        return HOLDS
    win = np.int64(0)
    for quiet in range(threes + 1):  # with many quiet threats allowed, a short win may exceed the limit
        if win == 0:
            win = win_by_threes(
                thread, colour, np.int64(quiet), ANY_LENGTH, nodes, thread.work.nodes + claim_nodes
            )
    if win == 0:
        return NO_CLAIM
    enemy = _1 - colour
    place(board, patterns, win_move(win), colour)
    result = HOLDS
    if has_win(board, enemy) or has_lost(board, colour):
        result = ESCAPED
    top = board.pool_top
    end = list_points(board, board.state_info, _EMPTIES, top)
    board.pool_top = end
    for i in range(top, end):
        if result != HOLDS:
            break
        if is_forbidden(board, enemy, np.uint64(board.pool[i])):
            continue
        place(board, patterns, np.uint64(board.pool[i]), enemy)
        if not has_lost(board, enemy) and not has_win(board, colour):
            if _replay(thread, colour, threes, nodes, claim_nodes) != HOLDS:
                result = ESCAPED
        undo(board, enemy)
    board.pool_top = top
    undo(board, colour)
    return result


@kernel
def replay_claimed_win(boards, patterns, threat_table, works, stop, colour, threes, nodes):
    """Play the forced win of the side to move against every answer, each time with the win claimed then.

    `threes` limits its quiet threats, `nodes` each search by fours, `work.node_limit` each claim.
    """
    thread = Thread(boards[0], pointer(patterns), pointer(threat_table), works[0], pointer(stop))
    return _replay(thread, colour, threes, nodes, thread.work.node_limit - thread.work.nodes)
