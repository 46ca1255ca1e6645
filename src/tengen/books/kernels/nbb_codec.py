"""Trees of Novello's books, encoded and decoded. The format is described in `books.nbb`."""

from __future__ import annotations

import numpy as np

from tengen.books.kernels.nodes import BRANCH, LEAF, NO_VALUE, ROOT, SOLVED, UNKNOWN, enter, find
from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import helper, kernel
from tengen.games.othello.images import least_pair, turned
from tengen.games.othello.rules import find_flips, find_moves

# Result of reading.
GOOD, CUT, BAD_KIND, BAD_VALUE, BAD_ROOT, ILLEGAL, TWICE, FULL = range(8)

MAX_STAGE = 40  # moves, of the last positions in a book
MAX_PLIES = MAX_STAGE + 2
BYTES_PER_NODE = 68  # at most: kind, value or unplayed move, steps to each child, end
BYTES_PER_ROOT = 16

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ZERO, _ONE, _EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)


@helper
def _their_pair(mover, enemy):
    """The least image when mover and enemy are compared as signed numbers."""
    best_mover, best_enemy = mover, enemy
    for number in range(1, 8):
        some, other = turned(mover, number, _EIGHT), turned(enemy, number, _EIGHT)
        if np.int64(some) < np.int64(best_mover) or (
            some == best_mover and np.int64(other) < np.int64(best_enemy)
        ):
            best_mover, best_enemy = some, other
    return best_mover, best_enemy


@helper
def _word(data, at):
    """Eight bytes, the highest first."""
    word = _ZERO
    for byte in range(8):
        word = (word << _EIGHT) | np.uint64(np.int64(data[at + byte]) & 0xFF)
    return word


@kernel
def read_nbb(data, at, nodes, slots, unplayed, boards, lists, ended):
    """Read trees from the signed bytes `data`, from offset `at` on; ended = (result, offset, nodes read).

    `unplayed` gets the number that follows a branch: an index among the moves to leaves, -1 or -2. For each ply,
    `boards` has mover, enemy and moves, and `lists` the node and the index of the last move.
    """
    count = np.int64(0)
    how = GOOD
    while at < len(data) and how == GOOD:
        if at + BYTES_PER_ROOT > len(data):
            how, at = CUT, len(data)
            break
        mover, enemy = _word(data, at), _word(data, at + 8)
        discs = np.int64(popcount(mover | enemy))
        if mover & enemy or discs < 4 or find_moves(mover, enemy, _ALL) == _ZERO:
            how = BAD_ROOT
            break
        at += BYTES_PER_ROOT
        depth = 0
        parent = np.int64(ROOT)
        arrived = True
        while depth >= 0:
            if arrived:
                arrived = False
                high, low, _ = least_pair(mover, enemy, _EIGHT)
                stage = np.int64(popcount(mover | enemy)) - 4
                if stage > MAX_STAGE or find(nodes, slots, high, low) >= 0:
                    how = TWICE
                    break
                if count >= len(nodes):
                    how = FULL
                    break
                if at >= len(data):
                    how = CUT
                    break
                kind = data[at]
                if kind != SOLVED and kind != LEAF and kind != BRANCH:
                    how = BAD_KIND
                    break
                at += 1
                nodes[count].value = NO_VALUE
                if kind != BRANCH:
                    if at >= len(data):
                        how = CUT
                        break
                    if abs(np.int64(data[at])) > 64:
                        how = BAD_VALUE
                        break
                    nodes[count].value = data[at]
                    at += 1
                nodes[count].high, nodes[count].low = high, low
                nodes[count].parent, nodes[count].via = parent, 0
                nodes[count].move = UNKNOWN
                nodes[count].stage = stage
                nodes[count].kind = kind
                unplayed[count] = UNKNOWN
                enter(nodes, slots, count)
                boards[depth, 0], boards[depth, 1] = _their_pair(mover, enemy)
                boards[depth, 2] = find_moves(boards[depth, 0], boards[depth, 1], _ALL)
                lists[depth, 0], lists[depth, 1] = count, 0
                count += 1
            if at >= len(data):
                how = CUT
                break
            step = np.int64(data[at])
            node = lists[depth, 0]
            if step == -1:
                at += 1
                if nodes[node].kind == BRANCH:
                    if at >= len(data):
                        how = CUT
                        break
                    unplayed[node] = data[at]
                    at += 1
                depth -= 1
                continue
            place = lists[depth, 1] + step
            moves = boards[depth, 2]
            if place < 0 or place >= np.int64(popcount(moves)):
                how = ILLEGAL
                break
            lists[depth, 1] = place
            for _ in range(place):
                moves &= moves - _ONE
            square = trailing_zeros(moves)
            flips = find_flips(square, boards[depth, 0], boards[depth, 1])
            enemy = boards[depth, 0] | flips | (_ONE << np.uint64(square))
            mover = boards[depth, 1] & ~flips
            if find_moves(mover, enemy, _ALL) == _ZERO:
                mover, enemy = enemy, mover
                if find_moves(mover, enemy, _ALL) == _ZERO:
                    how = ILLEGAL
                    break
            at += 1
            depth += 1
            parent = node
            arrived = True
    ended[0], ended[1], ended[2] = how, at, count


@kernel
def write_nbb(order, nodes, unplayed, roots, starts, after, written, stack, out):
    """Write all nodes as trees, in this order of roots; returns the number of bytes.

    The successors of node i are `after[starts[i]:starts[i + 1]]`, in Novello's order of moves. `roots` are the
    positions of nodes as Novello writes them, `unplayed` its number of the best unplayed move. `stack` has a row
    (node, next move, index of the last move) for each ply.
    """
    at = np.int64(0)
    for place in range(len(order)):
        root = np.int64(order[place])
        if written[root]:
            continue
        for word in range(2):
            for byte in range(8):
                out[at] = (roots[root, word] >> np.uint64(56 - 8 * byte)) & np.uint64(0xFF)
                at += 1
        depth = 0
        node = root
        while depth >= 0:
            if node >= 0:  # just arrived
                written[node] = True
                out[at] = nodes[node].kind
                at += 1
                if nodes[node].kind != BRANCH:
                    out[at] = nodes[node].value & 0xFF
                    at += 1
                stack[depth, 0], stack[depth, 1], stack[depth, 2] = node, 0, 0
                node = np.int64(-1)
            current = stack[depth, 0]
            move = stack[depth, 1]
            if move >= starts[current + 1] - starts[current]:
                out[at] = 0xFF
                at += 1
                if nodes[current].kind == BRANCH:
                    out[at] = unplayed[current] & 0xFF
                    at += 1
                depth -= 1
                continue
            stack[depth, 1] += 1
            child = np.int64(after[starts[current] + move])
            if child >= 0 and not written[child]:
                out[at] = move - stack[depth, 2]
                at += 1
                stack[depth, 2] = move
                node = child
                depth += 1
    return at
