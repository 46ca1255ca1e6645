"""The board of playouts and of the search tree: strings with exact liberties, updated incrementally.

A point is numbered `stride * (row + 1) + column + 1`, where `stride` is the width plus one, so that small boards
need little memory. The margins hold BORDER; point 0 stands for a pass.

A string is identified by its head, one of its stones. Its liberties are a bit set of `words` words starting at
`libs[head * words]`; joining strings is a union, so the liberty count stays exact. Points that are not heads have
an empty set, so that a new string need not clear its own. Point 0 never has liberties and is the head of the
margins. `neighbours` holds the eight neighbours of a point as two bits each (east, west, south, north, then the
diagonals); everything that depends on these alone is looked up in a table.

All arrays of a board are views of one block of memory: a copy of the block is enough to undo moves. Readers,
which undo each move, have a board that logs its changes (`reading/kernels/board.py`); the rules
(`games/go/rules.py`) have a slower one that is easy to verify.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.records import record_type
from tengen.core.compiled.references import whole

EMPTY, BLACK, WHITE, BORDER = 0, 1, 2, 3
NOWHERE = np.int64(0)  # stands for a pass, and for "no point"

BOARD_STATE = record_type(
    ("empty_count", np.int64),
    ("turn", np.int64),  # the colour to move
    ("ko", np.int64),  # point that ko forbids, or NOWHERE
    ("passes", np.int64),  # consecutive ones
    ("handicap", np.int64),  # stones that Black still places before White moves
    ("last_move", np.int64),
    ("previous_move", np.int64),
    ("stone_balance", np.int64),  # Black's stones on the board minus White's
    ("placed_balance", np.int64),  # stones placed by Black minus those placed by White, including captured ones
    ("captured", np.int64),  # stones captured by the last move
    ("stones_key", np.uint64),  # Zobrist key of the stones
)

# Flags of the neighbourhood table.
BLACK_EYE, WHITE_EYE, PATTERN = 1, 2, 4


class Arrays(NamedTuple):
    """The arrays of a board, for Python."""

    colour: Any
    head: Any
    link: Any
    liberty_count: Any
    size: Any  # stones of a string
    libs: Any
    neighbours: Any
    empties: Any
    empty_index: Any
    state: Any  # BOARD_STATE[1]
    block: Any


class Tables(NamedTuple):
    """What follows from a board's size, for Python: see `Geometry`."""

    shape: Any  # int64: stride, words, points, length, area, steps to the neighbours
    keys: Any
    table: Any
    inside: Any


# The fields of `Arrays` as pointers, for kernels.
Board = namedtuple("Board", "colour head link liberty_count size libs neighbours empties empty_index state block")
# points: their number, margins included; length: words of the block; area: points on the board; steps: offsets of
# the neighbours; keys: Zobrist keys; table: flags of each neighbourhood code; inside: the points on the board
Geometry = namedtuple("Geometry", "stride words points length area steps keys table inside")

_ONE = np.uint64(1)


@inner
def open_board(arrays):
    """Pointers to a board's arrays."""
    return Board(
        pointer(arrays.colour),
        pointer(arrays.head),
        pointer(arrays.link),
        pointer(arrays.liberty_count),
        pointer(arrays.size),
        pointer(arrays.libs),
        pointer(arrays.neighbours),
        pointer(arrays.empties),
        pointer(arrays.empty_index),
        pointer(arrays.state),
        pointer(arrays.block),
    )


@inner
def open_geometry(shape, keys, table, inside):
    """Geometry for kernels. `shape` is int64: stride, words, points, length, area, steps to the neighbours."""
    return Geometry(
        shape[0],
        shape[1],
        shape[2],
        shape[3],
        shape[4],
        pointer(shape[5:]),
        pointer(keys),
        pointer(table),
        pointer(inside),
    )


@inner
def geometry_of(tables):
    """Geometry of a reference to `Tables`."""
    return open_geometry(whole(tables.shape), whole(tables.keys), whole(tables.table), whole(tables.inside))


@inner
def copy_board(source, target, geometry):
    for i in range(geometry.length):
        target.block[i] = source.block[i]


@inner
def neighbour(point, direction, geometry):
    """The adjacent point; directions are east, west, south, north."""
    return point + geometry.steps[direction]


@inner
def head_of(board, point):
    return np.int64(board.head[point])


@inner
def neighbourhood_flags(board, geometry, point):
    """Flags of a point's neighbourhood: BLACK_EYE, WHITE_EYE, PATTERN."""
    return np.int64(geometry.table[np.int64(board.neighbours[point])])


@inner
def _toggle_stone(board, geometry, point, colour):
    """Add a stone to, or remove it from, the neighbourhood codes around a point."""
    around, stride = board.neighbours, geometry.stride
    around[point + 1] ^= np.uint16(colour << 2)
    around[point - 1] ^= np.uint16(colour)
    around[point + stride] ^= np.uint16(colour << 6)
    around[point - stride] ^= np.uint16(colour << 4)
    around[point + stride + 1] ^= np.uint16(colour << 14)
    around[point + stride - 1] ^= np.uint16(colour << 12)
    around[point - stride + 1] ^= np.uint16(colour << 10)
    around[point - stride - 1] ^= np.uint16(colour << 8)


@inner
def neighbours_with(board, point, content):
    """The adjacent points with this content, as bits 0, 2, 4, 6.

    Iterating over the set bits is faster than four unpredictable branches.
    """
    unlike = np.int64(board.neighbours[point]) ^ (0x55 * content)
    return np.uint64(~(unlike | unlike >> 1) & 0x55)


@inner
def first_neighbour(bits, point, geometry):
    """The first of a set of adjacent points: see `neighbours_with`."""
    return neighbour(point, trailing_zeros(bits) >> _ONE, geometry)


@inner
def has_liberty(board, geometry, head, point):
    bits = board.libs[head * geometry.words + (point >> 6)]
    return (bits >> np.uint64(point & 63)) & _ONE != 0


@inner
def _add_liberty(board, geometry, head, point):
    at = head * geometry.words + (point >> 6)
    shift = np.uint64(point & 63)
    libs = board.libs[at]
    board.libs[at] = libs | _ONE << shift
    board.liberty_count[head] += np.uint16(~(libs >> shift) & _ONE)


@inner
def _remove_liberty(board, geometry, point, enemies):
    """Remove liberty `point` from the adjacent enemy strings; returns those that have no liberty left.

    Branch-free: directions without an enemy work on point 0.
    """
    shift = np.uint64(point & 63)
    captured = np.uint64(0)
    for direction in range(4):
        held = np.int64((enemies >> np.uint64(2 * direction)) & _ONE)
        head = held * head_of(board, neighbour(point, direction, geometry))
        at = head * geometry.words + (point >> 6)
        libs = board.libs[at]
        board.libs[at] = libs & ~(_ONE << shift)
        left = np.int64(board.liberty_count[head]) - np.int64((libs >> shift) & _ONE)
        board.liberty_count[head] = np.uint16(left)
        captured |= np.uint64(left == 0) << np.uint64(2 * direction)
    return captured & enemies


@inner
def _add_stone_liberties(board, geometry, head, point):
    """Replace liberty `point` of a string by the empty points around the new stone there.

    All five points lie within 64 bits of the northern one, so in two words.
    """
    stride = np.uint64(geometry.stride)
    empty = neighbours_with(board, point, EMPTY)
    gained = empty >> np.uint64(6)
    gained |= ((empty >> np.uint64(2)) & _ONE) << (stride - _ONE)
    gained |= (empty & _ONE) << (stride + _ONE)
    gained |= ((empty >> np.uint64(4)) & _ONE) << (stride + stride)
    lost = _ONE << stride
    north = point - geometry.stride
    at = head * geometry.words + (north >> 6)
    shift = np.uint64(north & 63)
    unshift = np.uint64(63) - shift  # plus one more below, since a shift by 64 is undefined
    one, two = board.libs[at], board.libs[at + 1]
    new_one = (one & ~(lost << shift)) | gained << shift
    new_two = (two & ~(lost >> _ONE >> unshift)) | gained >> _ONE >> unshift
    board.libs[at], board.libs[at + 1] = new_one, new_two
    count = np.uint64(board.liberty_count[head]) + popcount(new_one) + popcount(new_two)
    board.liberty_count[head] = np.uint16(count - popcount(one) - popcount(two))


@inner
def first_liberty(board, geometry, head):
    """Any liberty of a string that has one."""
    at = head * geometry.words
    word = 0
    while board.libs[at + word] == 0:
        word += 1
    return np.int64(word << 6) + np.int64(trailing_zeros(board.libs[at + word]))


@inner
def other_liberty(board, geometry, head, point):
    """A liberty of a string other than `point`, or NOWHERE."""
    at = head * geometry.words
    for word in range(geometry.words):
        bits = board.libs[at + word]
        if word == point >> 6:
            bits &= ~(_ONE << np.uint64(point & 63))
        if bits != 0:
            return np.int64(word << 6) + np.int64(trailing_zeros(bits))
    return NOWHERE


@inner
def _remove_string(board, geometry, start):
    """Remove a string from the board; returns its number of stones."""
    colour = np.int64(board.colour[start])
    stone = np.int64(start)
    left = board.state[0].empty_count
    while True:
        following = np.int64(board.link[stone])
        board.colour[stone] = EMPTY
        board.empties[left] = np.uint16(stone)
        board.empty_index[stone] = np.uint16(left)
        left += 1
        board.state[0].stones_key ^= geometry.keys[(colour - 1) * geometry.points + stone]
        _toggle_stone(board, geometry, stone, colour)
        enemies = neighbours_with(board, stone, 3 - colour)
        while enemies != 0:
            _add_liberty(board, geometry, head_of(board, first_neighbour(enemies, stone, geometry)), stone)
            enemies &= enemies - _ONE
        if following == start:
            break
        stone = following
    captured_count = left - board.state[0].empty_count
    board.state[0].empty_count = left
    board.state[0].stone_balance += captured_count if colour == WHITE else -captured_count
    return captured_count


@inner
def _join(board, geometry, one, other):
    """Merge two strings; returns the head, which is that of the larger one."""
    if board.size[one] < board.size[other]:
        one, other = other, one
    board.size[one] += board.size[other]
    stone = other
    while True:
        board.head[stone] = np.uint16(one)
        stone = np.int64(board.link[stone])
        if stone == other:
            break
    board.link[one], board.link[other] = board.link[other], board.link[one]
    count = np.uint64(0)
    words = geometry.words
    for word in range(words):
        bits = board.libs[one * words + word] | board.libs[other * words + word]
        board.libs[one * words + word] = bits
        board.libs[other * words + word] = np.uint64(0)
        count += popcount(bits)
    board.liberty_count[one] = np.uint16(count)
    return one


@inner
def place_stone(board, geometry, point, colour):
    """Place a stone on an empty point and remove captured strings, its own last. Sets the ko point."""
    state = board.state[0]
    left = state.empty_count - 1
    state.empty_count = left
    last = board.empties[left]
    at = np.int64(board.empty_index[point])
    board.empties[at] = last
    board.empty_index[np.int64(last)] = np.uint16(at)
    board.colour[point] = np.uint8(colour)
    board.state[0].stones_key ^= geometry.keys[(colour - 1) * geometry.points + point]
    _toggle_stone(board, geometry, point, colour)
    friends = neighbours_with(board, point, colour)
    captured = _remove_liberty(board, geometry, point, neighbours_with(board, point, 3 - colour))
    own = point
    alone = friends == 0
    if alone:
        board.link[point] = np.uint16(point)
        board.size[point] = np.uint16(1)
        board.liberty_count[point] = np.uint16(0)
    else:
        own = head_of(board, first_neighbour(friends, point, geometry))
        friends &= friends - _ONE
        board.link[point] = board.link[own]
        board.link[own] = np.uint16(point)
        board.size[own] += np.uint16(1)
    board.head[point] = np.uint16(own)
    while friends != 0:
        head = head_of(board, first_neighbour(friends, point, geometry))
        friends &= friends - _ONE
        if head != own:
            own = _join(board, geometry, own, head)
    _add_stone_liberties(board, geometry, own, point)
    captured_count = np.int64(0)
    captured_point = NOWHERE
    while captured != 0:
        captured_point = first_neighbour(captured, point, geometry)
        captured &= captured - _ONE
        if board.colour[captured_point] != EMPTY:  # else already captured: it touches the stone twice
            captured_count += _remove_string(board, geometry, head_of(board, captured_point))
    state.stone_balance += 1 if colour == BLACK else -1
    state.placed_balance += 1 if colour == BLACK else -1
    state.captured = captured_count
    state.ko = NOWHERE
    if board.liberty_count[own] == 0:
        _remove_string(board, geometry, own)
    elif captured_count == 1 and alone and board.liberty_count[own] == 1:
        # A lone stone that captured one stone and has one liberty: ko.
        state.ko = captured_point


@inner
def play(board, geometry, point):
    """Play a move or a pass for the side to move."""
    state = board.state[0]
    colour = state.turn
    state.previous_move = state.last_move
    state.last_move = point
    if point == NOWHERE:
        state.ko = NOWHERE
        state.captured = 0
        state.passes += 1
    else:
        state.passes = 0
        place_stone(board, geometry, point, colour)
    if state.handicap > 0:
        state.handicap -= 1
    if state.handicap == 0:
        state.turn = 3 - colour


@inner
def has_empty_neighbour(board, point):
    """Whether an adjacent point is empty: one of four pairs of bits is 0."""
    around = np.int64(board.neighbours[point])
    return (around | around >> 1) & 0x55 != 0x55


@inner
def is_not_suicide(board, geometry, point, colour):
    """Whether a stone on a point without empty neighbours captures or joins a string with another liberty."""
    in_atari = np.uint64(0)
    for direction in range(4):
        head = head_of(board, neighbour(point, direction, geometry))
        in_atari |= np.uint64(board.liberty_count[head] == 1) << np.uint64(2 * direction)
    return in_atari != neighbours_with(board, point, colour)  # an enemy in atari, or a friend not in atari


@inner
def is_legal(board, geometry, point, colour):
    """Whether playing an empty point is no suicide and no ko violation; superko is not checked."""
    if has_empty_neighbour(board, point):
        return True  # so it is not the ko point either
    return point != board.state[0].ko and is_not_suicide(board, geometry, point, colour)


@inner
def is_eye(board, geometry, point, colour):
    """Whether an empty point is an eye that its owner should not fill; see `games.go.rules.is_eye`."""
    return neighbourhood_flags(board, geometry, point) & colour != 0  # BLACK_EYE is BLACK, WHITE_EYE is WHITE


@inner
def count_area(board, geometry):
    """Black's area minus White's at the end of a playout, where every region is small."""
    balance = board.state[0].stone_balance
    for i in range(board.state[0].empty_count):
        owner = owner_of_empty(board, np.int64(board.empties[i]))
        balance += np.int64(owner == BLACK) - np.int64(owner == WHITE)
    return balance


@inner
def owner_of_empty(board, point):
    """The only colour adjacent to an empty point, or EMPTY. Correct at the end of a playout."""
    around = np.int64(board.neighbours[point])
    touched = 0
    for direction in range(4):
        content = (around >> (2 * direction)) & 3
        if content != BORDER:
            touched |= content
    return touched if touched != BLACK + WHITE else EMPTY


@inner
def count_region(board, geometry, start, marks, queue):
    """(size, adjacent colours) of the empty region around `start`. Marks its points.

    `marks` is int64[points], 0 for unmarked points; `queue` is int64[points] scratch.
    """
    marks[start] = 1
    queue[0] = start
    size, at, touched = 1, 0, 0
    while at < size:
        for direction in range(4):
            adjacent = neighbour(queue[at], direction, geometry)
            content = np.int64(board.colour[adjacent])
            if content == EMPTY:
                if marks[adjacent] == 0:
                    marks[adjacent] = 1
                    queue[size] = adjacent
                    size += 1
            elif content != BORDER:
                touched |= content
        at += 1
    return size, touched


@inner
def count_area_exactly(board, geometry, marks, queue):
    """Black's area minus White's by the rules: a region belongs to the only colour adjacent to it."""
    balance = board.state[0].stone_balance
    empties = board.state[0].empty_count
    for i in range(empties):
        marks[np.int64(board.empties[i])] = 0
    for i in range(empties):
        point = np.int64(board.empties[i])
        if marks[point] == 0:
            size, touched = count_region(board, geometry, point, marks, queue)
            balance += size if touched == BLACK else -size if touched == WHITE else 0
    return balance


@kernel
def area_difference(arrays, shape, keys, table, inside, marks, queue):
    """Black's area minus White's with all stones alive."""
    board, geometry = open_board(arrays), open_geometry(shape, keys, table, inside)
    return count_area_exactly(board, geometry, pointer(marks), pointer(queue))


@kernel
def put_stones(arrays, shape, keys, table, inside, points, colours):
    """Set up stones on empty points; every string must have a liberty throughout."""
    board, geometry = open_board(arrays), open_geometry(shape, keys, table, inside)
    for i in range(len(points)):
        place_stone(board, geometry, np.int64(points[i]), np.int64(colours[i]))


@kernel
def play_moves(arrays, shape, keys, table, inside, moves):
    """Play moves that are legal or suicide."""
    board, geometry = open_board(arrays), open_geometry(shape, keys, table, inside)
    for i in range(len(moves)):
        play(board, geometry, np.int64(moves[i]))


@kernel
def mark_legal(arrays, shape, keys, table, inside, colour, legal, eyes):
    """Mark in `legal` the points that `colour` may play, and in `eyes` its eyes."""
    board, geometry = open_board(arrays), open_geometry(shape, keys, table, inside)
    for i in range(geometry.area):
        point = np.int64(geometry.inside[i])
        if board.colour[point] == EMPTY:
            legal[point] = is_legal(board, geometry, point, np.int64(colour))
            eyes[point] = is_eye(board, geometry, point, np.int64(colour))
