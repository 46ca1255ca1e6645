"""Binary encoding of a book's positions as trees; each position is written once, after one that leads to it.

A tree is a root and its node. A root is the 16-byte key if keys encode positions; otherwise it is empty, and the
only root is the start. A node is its kind (one byte); then the zigzag-coded value if solved or leaf, or the best
unplayed move + 2 of a branch; then, before the horizon, its children: move + 1 and the node of each, and 0 at the
end. Numbers are LEB128 (seven bits per byte, lowest first). Moves are on the canonical image, in ascending order,
without passes.

The output depends only on the content of the book.
"""

from __future__ import annotations

import numpy as np

from tengen.books.kernels.nodes import (
    BRANCH,
    LEAF,
    NO_VALUE,
    ROOT,
    SOLVED,
    START,
    bring_back,
    enter,
    find,
    settle,
)
from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.rules import UNKNOWN_MOVE_COUNT, decode_key, is_legal, legal_moves, move_count, play

# Result of reading.
GOOD, CUT, BAD_KIND, BAD_NUMBER, BAD_ROOT, ILLEGAL, TWICE, TOO_MANY = range(8)

BYTES_PER_NODE = 8
BYTES_PER_ROOT = 16
_7F, _SEVEN = 0x7F, 7


@helper
def _write_number(out, at, number):
    while number > _7F:
        out[at] = (number & _7F) | 0x80
        number >>= _SEVEN
        at += 1
    out[at] = number
    return at + 1


@helper
def _read_number(data, at):
    """(number, next offset); the offset is -1 at the end of the data, the number is -1 if it is too large."""
    number = np.int64(0)
    shift = 0
    while at < len(data):
        byte = np.int64(data[at])
        at += 1
        number |= (byte & _7F) << shift
        if byte < 0x80:
            return number, at
        shift += _SEVEN
        if shift > 21:
            return np.int64(-1), at
    return np.int64(0), np.int64(-1)


@helper
def _write_node(out, at, node):
    out[at] = node.kind
    at += 1
    if node.kind == BRANCH:
        return _write_number(out, at, np.int64(node.move) + 2)
    value = np.int64(node.value)
    return _write_number(out, at, 2 * value if value >= 0 else -2 * value - 1)


@helper
def _list_moves(state, image, images, moves, codes):
    """Legal moves on the canonical image, in ascending order."""
    count = legal_moves(state, moves)
    for i in range(count):
        code = images[image, moves[i]]
        place = i
        while place > 0 and codes[place - 1] > code:
            codes[place] = codes[place - 1]
            place -= 1
        codes[place] = code
    return count


@kernel
def write_trees(order, exact, horizon, book, seen, states, lists, out):
    """Write all nodes into `out` and return the number of bytes; -1 if a node is not reached from the start.

    `order` has early stages first, and is sorted by key in each. `states` has a state per depth,
    `lists` its moves: their number, the index of the next one, the image, then the moves.
    """
    stack, nodes, slots, images, back, moves, bits, _ = book
    at = np.int64(0)
    for place in range(len(order)):
        root = np.int64(order[place])
        if seen[root]:
            continue
        image = bring_back(book, root)
        states[0] = stack[0]
        if exact:
            for word in range(2):
                number = nodes[root].high if word == 0 else nodes[root].low
                for byte in range(8):
                    out[at] = (number >> np.uint64(8 * byte)) & np.uint64(0xFF)
                    at += 1
        elif place > 0:
            return np.int64(-1)
        depth = 0
        made = np.int64(nodes[root].stage)
        node = root
        while depth >= 0:
            if node >= 0:  # just arrived
                seen[node] = True
                at = _write_node(out, at, nodes[node])
                lists[depth, 0] = -1
                if made + depth < horizon:
                    lists[depth, 0] = _list_moves(states[depth], image, images, moves, lists[depth, 3:])
                    lists[depth, 1] = 0
                    lists[depth, 2] = image
                node = np.int64(-1)
            if lists[depth, 1] >= lists[depth, 0]:
                if lists[depth, 0] >= 0:
                    out[at] = 0
                    at += 1
                depth -= 1
                continue
            code = lists[depth, 3 + lists[depth, 1]]
            lists[depth, 1] += 1
            states[depth + 1] = states[depth]
            play(states[depth + 1], back[lists[depth, 2], code])
            image = settle(states[depth + 1], made + depth + 1, images, moves, bits)
            if image < 0:
                continue
            after = find(nodes, slots, bits[0], bits[1])
            if after >= 0 and not seen[after]:
                at = _write_number(out, at, code + 1)
                node = after
                depth += 1
    return at


@helper
def _read_node(data, at, nodes, index):
    """(result, next offset)."""
    if at >= len(data):
        return CUT, at
    kind = data[at]
    if kind != SOLVED and kind != LEAF and kind != BRANCH:
        return BAD_KIND, at
    number, after = _read_number(data, at + 1)
    if after < 0:
        return CUT, at
    if number < 0 or number > 65535:
        return BAD_NUMBER, at
    nodes[index].kind = kind
    if kind == BRANCH:
        nodes[index].move = number - 2
        nodes[index].value = NO_VALUE
    else:
        nodes[index].move = -1
        nodes[index].value = number >> 1 if number & 1 == 0 else -(number + 1) >> 1
    return GOOD, after


@kernel
def read_trees(data, exact, horizon, book, states, lists, ended):
    """Read nodes from `data` into the exactly sized table; ended = (result, byte offset, nodes read).

    `lists[depth]` is (node, image). No more than `horizon` moves are made, so none is deeper than that.
    """
    stack, nodes, slots, images, back, moves, bits, _ = book
    at = np.int64(0)
    count = np.int64(0)
    how = GOOD
    while at < len(data) and how == GOOD:
        begun = at
        states[0] = stack[START]
        if exact:
            if at + BYTES_PER_ROOT > len(data):
                how = CUT
                break
            high, low = np.uint64(0), np.uint64(0)
            for byte in range(8):
                high |= np.uint64(data[at + byte]) << np.uint64(8 * byte)
                low |= np.uint64(data[at + 8 + byte]) << np.uint64(8 * byte)
            at += BYTES_PER_ROOT
            bits[0], bits[1] = high, low
            if not decode_key(states[0], bits):
                how, at = BAD_ROOT, begun
                break
        elif count > 0:
            how = BAD_ROOT
            break
        image = settle(states[0], 0, images, moves, bits)
        if image < 0 or (exact and (bits[0] != high or bits[1] != low)):
            how, at = BAD_ROOT, begun
            break
        made = np.int64(0) if move_count(states[0]) == UNKNOWN_MOVE_COUNT else np.int64(move_count(states[0]))
        depth = 0
        parent, via = ROOT, np.int64(0)
        arrived = True
        while depth >= 0:
            if arrived:
                if count >= len(nodes):
                    how, at = TOO_MANY, begun
                    break
                if made + depth > horizon:
                    how, at = ILLEGAL, begun
                    break
                if find(nodes, slots, bits[0], bits[1]) >= 0:
                    how, at = TWICE, begun
                    break
                how, at = _read_node(data, at, nodes, count)
                if how != GOOD:
                    break
                if nodes[count].kind == BRANCH and nodes[count].move >= 0:
                    code = np.int64(nodes[count].move)
                    if code >= back.shape[1] or not is_legal(states[depth], back[image, code], moves):
                        how, at = ILLEGAL, begun
                        break
                nodes[count].high, nodes[count].low = bits[0], bits[1]
                nodes[count].parent, nodes[count].via = parent, via
                nodes[count].stage = made + depth
                enter(nodes, slots, count)
                lists[depth, 0] = count
                lists[depth, 1] = image
                count += 1
                arrived = False
                if made + depth >= horizon:
                    depth -= 1
                continue
            begun = at
            number, after = _read_number(data, at)
            if after < 0:
                how = CUT
                break
            at = after
            if number == 0:
                depth -= 1
                continue
            if number < 0 or number > back.shape[1]:
                how, at = BAD_NUMBER, begun
                break
            move = back[lists[depth, 1], number - 1]
            if not is_legal(states[depth], move, moves):
                how, at = ILLEGAL, begun
                break
            states[depth + 1] = states[depth]
            play(states[depth + 1], move)
            image = settle(states[depth + 1], made + depth + 1, images, moves, bits)
            if image < 0:
                how, at = ILLEGAL, begun
                break
            parent, via = lists[depth, 0], number - 1
            depth += 1
            arrived = True
    ended[0], ended[1], ended[2] = how, at, count
