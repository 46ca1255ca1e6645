"""Hash table of a book's positions, and the loops over it, for any game.

Moves in nodes are on the canonical image of the board (`canonical_key`).

If the key of a game encodes the stones (`decode_key`), positions are reconstructed from it. Otherwise they are
reconstructed from the start by `parent` and `via`, and the number of moves is part of the key.

Invariant: in stored positions the game is not over and the player to move need not pass (see `settle`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.rng import mix
from tengen.core.compiled.rules import (
    UNKNOWN_MOVE_COUNT,
    canonical_key,
    decode_key,
    is_over,
    legal_moves,
    move_count,
    must_pass,
    play,
    score,
    to_move,
)

NODE = np.dtype(
    [
        ("high", np.uint64),
        ("low", np.uint64),
        ("parent", np.int32),
        ("value", np.int16),  # for the player to move, in value units; NO_VALUE for a branch without one
        ("move", np.int16),  # of a branch: the best unplayed move, UNKNOWN or ALL_PLAYED
        ("via", np.int16),  # the move that led here from the parent
        ("stage", np.int16),  # number of moves, without passes
        ("kind", np.int8),
    ],
    align=True,
)
SOLVED, LEAF, BRANCH = 0, 1, 2
UNKNOWN, ALL_PLAYED = -1, -2
NO_VALUE = -32768
ROOT = -1

ABSENT = -1
START = 2
ROOM = 3

# Result fields of `look_up`.
INDEX, IMAGE, SIGN, OVER, SCORE = range(5)
FOUND = 5

# Columns of `survey`, one row per move: the move, its canonical image, the node or ABSENT or ENDED, the sign that
# converts its value to the mover's, the mover's score if the game ends, the first move to an equivalent position.
MOVE, CANONICAL, AFTER, TURN, POINTS, TWIN = range(6)
COLUMNS = 6
ENDED = -2

# Verdicts of `inspect`; WRONG_VALUE may be added to each.
FINE, NOT_VALUED, DEVIATION_PLAYED, DEVIATION_MISSING, SUCCESSOR_MISSING, VALUELESS, TOO_LATE = range(7)
WRONG_VALUE = 8

_MASK_SEED = np.uint64(0x9E3779B97F4A7C15)


class BookArrays(NamedTuple):
    """A book's table of positions, the symmetries of its game, and working memory of one thread.

    stack: states; 0 and 1 are working memory, 2 is the start. nodes: records of NODE. slots: the node index for
    each hash, or -1. images: maps [image, move] to the canonical image; back maps from it. moves: int32, legal
    moves. bits: uint64[2], a key. path: int16, moves from the start to a node.
    """

    stack: Any
    nodes: Any
    slots: Any
    images: Any
    back: Any
    moves: Any
    bits: Any
    path: Any


@helper
def _slot(high, low, slots):
    return mix(high ^ mix(low + _MASK_SEED)) & np.uint64(len(slots) - 1)


@helper
def find(nodes, slots, high, low):
    """The index of the node with this key, or ABSENT."""
    at = _slot(high, low, slots)
    while slots[at] >= 0:
        index = slots[at]
        if nodes[index].high == high and nodes[index].low == low:
            return np.int64(index)
        at = (at + np.uint64(1)) & np.uint64(len(slots) - 1)
    return np.int64(ABSENT)


@helper
def enter(nodes, slots, index):
    """Add a node with a new key to the index. The node must be complete, because of concurrent readers."""
    at = _slot(nodes[index].high, nodes[index].low, slots)
    while slots[at] >= 0:
        at = (at + np.uint64(1)) & np.uint64(len(slots) - 1)
    slots[at] = index


@helper
def settle(state, made, images, moves, bits):
    """Make a forced pass, write the key into `bits` and return its image number; -1 if the game is over."""
    if must_pass(state):
        legal_moves(state, moves)
        play(state, moves[0])
    if is_over(state):
        return np.int64(-1)
    image = canonical_key(state, images, bits)
    if move_count(state) == UNKNOWN_MOVE_COUNT:
        bits[1] ^= mix(np.uint64(made + 1))
    return np.int64(image)


@helper
def mover_score(state, mover):
    """Final score for a player, in thousandths."""
    points = np.int64(score(state))
    return points if mover == 0 else -points


@helper
def bring_back(book, index):
    """Reconstruct a node's position in stack[0]; returns the image number of its key."""
    stack, nodes, _, images, back, moves, bits, path = book
    stack[0] = stack[START]
    bits[0] = nodes[index].high
    bits[1] = nodes[index].low
    if not decode_key(stack[0], bits):
        length = 0
        at = np.int64(index)
        while nodes[at].parent >= 0:
            path[length] = nodes[at].via
            length += 1
            at = np.int64(nodes[at].parent)
        for i in range(length):
            image = settle(stack[0], i, images, moves, bits)
            play(stack[0], back[image, path[length - 1 - i]])
    return settle(stack[0], np.int64(nodes[index].stage), images, moves, bits)


@kernel
def index_all(nodes, count, slots):
    """Index all nodes in empty slots."""
    for index in range(count):
        enter(nodes, slots, index)


@kernel
def add_node(nodes, slots, index):
    enter(nodes, slots, index)


@kernel
def find_node(nodes, slots, high, low):
    return find(nodes, slots, high, low)


@kernel
def look_up(source, made, book, found):
    """Look up source[0], or the position after a forced pass; writes its key into `bits`."""
    stack, nodes, slots, images, _, moves, bits, _ = book
    stack[0] = source[0]
    mover = to_move(stack[0])
    image = settle(stack[0], made, images, moves, bits)
    found[IMAGE] = image
    found[SIGN] = 1 if to_move(stack[0]) == mover else -1
    found[OVER] = image < 0
    found[SCORE] = 0
    if image < 0:
        found[INDEX] = ABSENT
        found[SCORE] = mover_score(stack[0], mover)
    else:
        found[INDEX] = find(nodes, slots, bits[0], bits[1])


@kernel
def survey(made, book, keys, out):
    """Successors of stack[0], whose game is not over and whose player need not pass."""
    stack, nodes, slots, images, _, moves, bits, _ = book
    image = settle(stack[0], made, images, moves, bits)
    mover = to_move(stack[0])
    count = legal_moves(stack[0], moves)
    for i in range(count):
        out[i, MOVE] = moves[i]
        out[i, CANONICAL] = images[image, moves[i]]
    for i in range(count):
        stack[1] = stack[0]
        play(stack[1], out[i, MOVE])
        out[i, POINTS] = 0
        out[i, TWIN] = i
        if settle(stack[1], made + 1, images, moves, bits) < 0:
            out[i, AFTER] = ENDED
            out[i, TURN] = 1
            out[i, POINTS] = mover_score(stack[1], mover)
            keys[i, 0] = keys[i, 1] = np.uint64(0)
            continue
        out[i, AFTER] = find(nodes, slots, bits[0], bits[1])
        out[i, TURN] = 1 if to_move(stack[1]) == mover else -1
        keys[i, 0], keys[i, 1] = bits[0], bits[1]
        for j in range(i):
            if keys[j, 0] == bits[0] and keys[j, 1] == bits[1] and out[j, AFTER] != ENDED:
                out[i, TWIN] = j
                break
    return count


@kernel
def count_moves(book, starts):
    """Write where the rows of each node begin in `survey_all`; returns their number."""
    stack, _, _, _, _, moves, _, _ = book
    total = np.int64(0)
    for index in range(len(starts) - 1):
        bring_back(book, index)
        starts[index] = total
        total += legal_moves(stack[0], moves)
    starts[len(starts) - 1] = total
    return total


@kernel
def survey_all(book, starts, keys, out, rows):
    """The successors of all nodes: rows of `survey`, those of node i from starts[i] to starts[i + 1]."""
    for index in range(len(starts) - 1):
        bring_back(book, index)
        count = survey(np.int64(book.nodes[index].stage), book, keys, out)
        for i in range(count):
            for column in range(COLUMNS):
                rows[starts[index] + i, column] = out[i, column]


@kernel
def load_node(index, book):
    """Reconstruct the position of a node in stack[0]."""
    bring_back(book, index)


@helper
def _best_after(book, index, value_unit, flags):
    """(best value among the successors of stack[0], whether any successor is flagged)."""
    stack, nodes, slots, images, _, moves, bits, _ = book
    made = np.int64(nodes[index].stage)
    mover = to_move(stack[0])
    best = np.int64(NO_VALUE)
    flagged = False
    count = legal_moves(stack[0], moves)
    first = moves[0]  # `settle` may write a pass there
    for i in range(count):
        stack[1] = stack[0]
        play(stack[1], moves[i] if i > 0 else first)
        if settle(stack[1], made + 1, images, moves, bits) < 0:
            best = max(best, mover_score(stack[1], mover) // value_unit)
            continue
        after = find(nodes, slots, bits[0], bits[1])
        if after >= 0:
            flagged |= flags[after] != 0
            if nodes[after].value != NO_VALUE:
                value = np.int64(nodes[after].value)
                best = max(best, value if to_move(stack[1]) == mover else -value)
    return best, flagged


@kernel
def negamax(order, book, value_unit, flags):
    """Set branch values to the best successor value, flagging changes. `order` has later stages first."""
    nodes = book.nodes
    changed = 0
    for place in range(len(order)):
        index = np.int64(order[place])
        if nodes[index].kind != BRANCH:
            continue
        bring_back(book, index)
        best, _ = _best_after(book, index, value_unit, flags)
        if best != nodes[index].value:
            nodes[index].value = best
            flags[index] = 1
            changed += 1
    return changed


@kernel
def touched(order, book, flags, wanted):
    """Mark branches that are flagged or have a flagged successor."""
    for place in range(len(order)):
        index = np.int64(order[place])
        if book.nodes[index].kind != BRANCH:
            continue
        wanted[place] = flags[index] != 0
        if not wanted[place]:
            bring_back(book, index)
            wanted[place] = _best_after(book, index, np.int64(1), flags)[1]


@helper
def _verdict(book, index, horizon, value_unit, flags):
    stack, nodes, slots, images, back, moves, bits, _ = book
    node = nodes[index]
    if node.stage > horizon:
        return TOO_LATE
    if node.kind != BRANCH:
        return VALUELESS if node.value == NO_VALUE else FINE
    if node.move == UNKNOWN or node.stage == horizon:
        return NOT_VALUED
    image = bring_back(book, index)
    made = np.int64(node.stage)
    verdict = FINE
    if node.move >= 0:
        stack[1] = stack[0]
        play(stack[1], back[image, node.move])
        if settle(stack[1], made + 1, images, moves, bits) < 0:
            return DEVIATION_MISSING
        after = find(nodes, slots, bits[0], bits[1])
        if after < 0:
            return DEVIATION_MISSING
        if nodes[after].kind != LEAF:
            verdict = DEVIATION_PLAYED
    else:
        count = legal_moves(stack[0], moves)
        first = moves[0]
        for i in range(count):
            stack[1] = stack[0]
            play(stack[1], moves[i] if i > 0 else first)
            if settle(stack[1], made + 1, images, moves, bits) >= 0:
                after = find(nodes, slots, bits[0], bits[1])
                if after < 0:
                    return SUCCESSOR_MISSING
                if nodes[after].kind == LEAF:
                    verdict = DEVIATION_PLAYED
    best, _ = _best_after(book, index, value_unit, flags)
    return verdict + WRONG_VALUE if best != node.value else verdict


@kernel
def inspect(order, book, horizon, value_unit, flags, verdicts):
    """Write a verdict for each node: FINE, or the reason why the book is not NEGAMAXED."""
    for place in range(len(order)):
        verdicts[place] = _verdict(book, np.int64(order[place]), horizon, value_unit, flags)
