"""The board of playouts and of the tree: strings with their true liberties, kept up to date by each move.

Point `p` is `stride * (row + 1) + column + 1` with a stride of one more than the width, so that a small board
takes little memory; the margins hold BORDER, and pass is point 0.

A string is known by its head. Its liberties are a set of bits, `words` of them from `libs[head * words]` on: when
strings join, their sets do, so the number of liberties is always exact, and where they are is found at once. A
point that is no head has an empty set, so that a new string need not clear its own. Point 0 never has any, and is
the head of the margins.
`around` has the eight neighbours of a point, two bits each (east, west, south, north, then the diagonals):
whatever depends on these alone is looked up in a table.

A board is one block of memory, of which all arrays are parts: a copy is all that is needed to take moves back.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer

EMPTY, BLACK, WHITE, BORDER = 0, 1, 2, 3
NOWHERE = np.int64(0)  # the point that stands for a pass, and for no point at all

# `facts`: int64
(
    EMPTIES,  # how many points are empty
    TURN,  # the colour to move
    KO,  # the point that may not be retaken at once, or NOWHERE
    PASSES,  # in a row, just now
    HANDICAP,  # stones that Black has still to place before White moves
    LAST,  # the last move, and the one before
    BEFORE,
    BALANCE,  # Black's stones on the board minus White's
    PLACED,  # stones that Black has placed minus those that White has, taken ones included
    TAKEN,  # stones that the last move took
    FACTS,
) = range(11)

# What the table knows of a neighbourhood.
BLACK_EYE, WHITE_EYE, SHAPE = 1, 2, 4


class Arrays(NamedTuple):
    """Of one board, for Python."""

    colour: Any
    head: Any
    link: Any
    count: Any  # of liberties
    size: Any  # in stones
    libs: Any
    around: Any
    empties: Any
    place: Any
    facts: Any
    key: Any
    block: Any


Board = namedtuple("Board", Arrays._fields)  # the same as pointers, for kernels
# stride and words as above; points: how many, margins included; length: words in the block; steps: to neighbours;
# keys: of a stone of each colour on each point; table: what is known of a neighbourhood; inside: all points
Geometry = namedtuple("Geometry", "stride words points length area steps keys table inside")

_ONE = np.uint64(1)


@inner
def open_board(arrays):
    """The pointers to a board's arrays."""
    return Board(
        pointer(arrays.colour),
        pointer(arrays.head),
        pointer(arrays.link),
        pointer(arrays.count),
        pointer(arrays.size),
        pointer(arrays.libs),
        pointer(arrays.around),
        pointer(arrays.empties),
        pointer(arrays.place),
        pointer(arrays.facts),
        pointer(arrays.key),
        pointer(arrays.block),
    )


@inner
def open_geometry(shape, keys, table, inside):
    """shape: int64 stride, words, points, length of a block, points of the board; then the steps to neighbours."""
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
def copy_board(source, target, geometry):
    for i in range(geometry.length):
        target.block[i] = source.block[i]


@inner
def neighbour(point, direction, geometry):
    """East, west, south, north."""
    return point + geometry.steps[direction]


@inner
def head_of(board, point):
    return np.int64(board.head[point])


@inner
def known(board, geometry, point):
    """What the table says of a point's neighbourhood."""
    return np.int64(geometry.table[np.int64(board.around[point])])


@inner
def _show_around(board, geometry, point, colour):
    """Put a stone of this colour into, or take it out of, what the neighbours of a point see."""
    around, stride = board.around, geometry.stride
    around[point + 1] ^= np.uint16(colour << 2)
    around[point - 1] ^= np.uint16(colour)
    around[point + stride] ^= np.uint16(colour << 6)
    around[point - stride] ^= np.uint16(colour << 4)
    around[point + stride + 1] ^= np.uint16(colour << 14)
    around[point + stride - 1] ^= np.uint16(colour << 12)
    around[point - stride + 1] ^= np.uint16(colour << 10)
    around[point - stride - 1] ^= np.uint16(colour << 8)


@inner
def _beside(board, point, content):
    """The neighbours of a point that hold this, as bits.

    To go through these is quicker than to look at all four, of which nobody foresees what they hold.
    """
    unlike = np.int64(board.around[point]) ^ (0x55 * content)
    return np.uint64(~(unlike | unlike >> 1) & 0x55)


@inner
def _first_of(bits, point, geometry):
    """The first of some neighbours of a point: see `_beside`."""
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
    board.count[head] += np.uint16(~(libs >> shift) & _ONE)


@inner
def _take_from(board, geometry, point, enemies):
    """Take a liberty from the strings of these neighbours: see `_beside`; returns those that have none left.

    Nobody foresees which they are, so all four are worked on: the others stand for point 0.
    """
    shift = np.uint64(point & 63)
    dying = np.uint64(0)
    for direction in range(4):
        held = np.int64((enemies >> np.uint64(2 * direction)) & _ONE)
        head = held * head_of(board, neighbour(point, direction, geometry))
        at = head * geometry.words + (point >> 6)
        libs = board.libs[at]
        board.libs[at] = libs & ~(_ONE << shift)
        left = np.int64(board.count[head]) - np.int64((libs >> shift) & _ONE)
        board.count[head] = np.uint16(left)
        dying |= np.uint64(left == 0) << np.uint64(2 * direction)
    return dying & enemies


@inner
def _extend(board, geometry, head, point):
    """Give a string the empty points around its new stone as liberties, in place of that point itself.

    All five are within two rows, so in 64 bits from the one to the north on, and those in two words.
    """
    stride = np.uint64(geometry.stride)
    empty = _beside(board, point, EMPTY)
    gained = empty >> np.uint64(6)
    gained |= ((empty >> np.uint64(2)) & _ONE) << (stride - _ONE)
    gained |= (empty & _ONE) << (stride + _ONE)
    gained |= ((empty >> np.uint64(4)) & _ONE) << (stride + stride)
    lost = _ONE << stride
    north = point - geometry.stride
    at = head * geometry.words + (north >> 6)
    shift = np.uint64(north & 63)
    unshift = np.uint64(63) - shift  # and one more, since nothing can be shifted by 64
    one, two = board.libs[at], board.libs[at + 1]
    new_one = (one & ~(lost << shift)) | gained << shift
    new_two = (two & ~(lost >> _ONE >> unshift)) | gained >> _ONE >> unshift
    board.libs[at], board.libs[at + 1] = new_one, new_two
    count = np.uint64(board.count[head]) + popcount(new_one) + popcount(new_two)
    board.count[head] = np.uint16(count - popcount(one) - popcount(two))


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
    """A liberty of a string that has two, besides this one."""
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
    """Take a string off the board; returns how many stones it had."""
    colour = np.int64(board.colour[start])
    stone = np.int64(start)
    left = board.facts[EMPTIES]
    while True:
        following = np.int64(board.link[stone])
        board.colour[stone] = EMPTY
        board.empties[left] = np.uint16(stone)
        board.place[stone] = np.uint16(left)
        left += 1
        board.key[0] ^= geometry.keys[(colour - 1) * geometry.points + stone]
        _show_around(board, geometry, stone, colour)
        enemies = _beside(board, stone, 3 - colour)
        while enemies != 0:
            _add_liberty(board, geometry, head_of(board, _first_of(enemies, stone, geometry)), stone)
            enemies &= enemies - _ONE
        if following == start:
            break
        stone = following
    taken = left - board.facts[EMPTIES]
    board.facts[EMPTIES] = left
    board.facts[BALANCE] += taken if colour == WHITE else -taken
    return taken


@inner
def _join(board, geometry, one, other):
    """Make two strings one: the smaller takes the head of the larger; returns that."""
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
    board.count[one] = np.uint16(count)
    return one


@inner
def place_stone(board, geometry, point, colour):
    """Put a stone on an empty point and take what it captures, its own string last. Sets the ko point."""
    facts = board.facts
    left = facts[EMPTIES] - 1
    facts[EMPTIES] = left
    last = board.empties[left]
    at = np.int64(board.place[point])
    board.empties[at] = last
    board.place[np.int64(last)] = np.uint16(at)
    board.colour[point] = np.uint8(colour)
    board.key[0] ^= geometry.keys[(colour - 1) * geometry.points + point]
    _show_around(board, geometry, point, colour)
    friends = _beside(board, point, colour)
    dying = _take_from(board, geometry, point, _beside(board, point, 3 - colour))
    own = point
    alone = friends == 0
    if alone:
        board.link[point] = np.uint16(point)
        board.size[point] = np.uint16(1)
        board.count[point] = np.uint16(0)
    else:
        own = head_of(board, _first_of(friends, point, geometry))
        friends &= friends - _ONE
        board.link[point] = board.link[own]
        board.link[own] = np.uint16(point)
        board.size[own] += np.uint16(1)
    board.head[point] = np.uint16(own)
    while friends != 0:
        head = head_of(board, _first_of(friends, point, geometry))
        friends &= friends - _ONE
        if head != own:
            own = _join(board, geometry, own, head)
    _extend(board, geometry, own, point)
    taken = np.int64(0)
    place_taken = NOWHERE
    while dying != 0:
        place_taken = _first_of(dying, point, geometry)
        dying &= dying - _ONE
        if board.colour[place_taken] != EMPTY:  # else just taken: it touched twice
            taken += _remove_string(board, geometry, head_of(board, place_taken))
    facts[BALANCE] += 1 if colour == BLACK else -1
    facts[PLACED] += 1 if colour == BLACK else -1
    facts[TAKEN] = taken
    facts[KO] = NOWHERE
    if board.count[own] == 0:
        _remove_string(board, geometry, own)
    elif taken == 1 and alone and board.count[own] == 1:
        # A lone stone that took one stone and has one liberty can be retaken at once: that is ko.
        facts[KO] = place_taken


@inner
def play(board, geometry, point):
    """The move of whoever is to move, which may be a pass."""
    facts = board.facts
    colour = facts[TURN]
    facts[BEFORE] = facts[LAST]
    facts[LAST] = point
    if point == NOWHERE:
        facts[KO] = NOWHERE
        facts[TAKEN] = 0
        facts[PASSES] += 1
    else:
        facts[PASSES] = 0
        place_stone(board, geometry, point, colour)
    if facts[HANDICAP] > 0:
        facts[HANDICAP] -= 1
    if facts[HANDICAP] == 0:
        facts[TURN] = 3 - colour


@inner
def is_open(board, point):
    """Whether a neighbour is empty: one of four pairs of bits is 0."""
    around = np.int64(board.around[point])
    return (around | around >> 1) & 0x55 != 0x55


@inner
def is_connected(board, geometry, point, colour):
    """Whether a stone on a point without empty neighbours would capture, or join a string with another liberty."""
    in_atari = np.uint64(0)
    for direction in range(4):
        head = head_of(board, neighbour(point, direction, geometry))
        in_atari |= np.uint64(board.count[head] == 1) << np.uint64(2 * direction)
    return in_atari != _beside(board, point, colour)  # an enemy that is, or a friend that is not


@inner
def is_legal(board, geometry, point, colour):
    """Whether an empty point may be played without suicide, superko apart."""
    if is_open(board, point):
        return True  # and so is not the ko point
    return point != board.facts[KO] and is_connected(board, geometry, point, colour)


@inner
def is_eye(board, geometry, point, colour):
    """An empty point that its owner should not fill: `games.go.rules.is_eye`."""
    return known(board, geometry, point) & colour != 0  # BLACK_EYE is BLACK, WHITE_EYE is WHITE


@inner
def count_area(board, geometry):
    """Black's stones and empty points minus White's. An empty point is of the colour that alone touches it."""
    balance = board.facts[BALANCE]
    for i in range(board.facts[EMPTIES]):
        owner = owner_of_empty(board, np.int64(board.empties[i]))
        balance += np.int64(owner == BLACK) - np.int64(owner == WHITE)
    return balance


@inner
def owner_of_empty(board, point):
    """Right where playouts end: they leave eyes, and a few points that nobody may fill."""
    around = np.int64(board.around[point])
    touched = 0
    for direction in range(4):
        content = (around >> (2 * direction)) & 3
        if content != BORDER:
            touched |= content
    return touched if touched != BLACK + WHITE else EMPTY


@inner
def count_region(board, geometry, start, marks, waiting):
    """(points, colours that it touches) of the region of empty points around one; marks them.

    marks: int64[points], 0 where nothing was marked yet; waiting: int64[points], scratch.
    """
    marks[start] = 1
    waiting[0] = start
    size, at, touched = 1, 0, 0
    while at < size:
        for direction in range(4):
            beside = neighbour(waiting[at], direction, geometry)
            content = np.int64(board.colour[beside])
            if content == EMPTY:
                if marks[beside] == 0:
                    marks[beside] = 1
                    waiting[size] = beside
                    size += 1
            elif content != BORDER:
                touched |= content
        at += 1
    return size, touched


@inner
def count_area_exactly(board, geometry, marks, waiting):
    """By the rules: regions of empty points are of the colour that alone touches them."""
    balance = board.facts[BALANCE]
    empties = board.facts[EMPTIES]
    for i in range(empties):
        marks[np.int64(board.empties[i])] = 0
    for i in range(empties):
        point = np.int64(board.empties[i])
        if marks[point] == 0:
            size, touched = count_region(board, geometry, point, marks, waiting)
            balance += size if touched == BLACK else -size if touched == WHITE else 0
    return balance


@kernel
def area_of(arrays, shape, keys, table, inside, marks, waiting):
    """Black's area minus White's, all stones taken as alive."""
    board, geometry = open_board(arrays), open_geometry(shape, keys, table, inside)
    return count_area_exactly(board, geometry, pointer(marks), pointer(waiting))


@kernel
def put_stones(arrays, shape, keys, table, inside, points, colours):
    """Set up stones on empty points; each string must keep a liberty on the way."""
    board, geometry = open_board(arrays), open_geometry(shape, keys, table, inside)
    for i in range(len(points)):
        place_stone(board, geometry, np.int64(points[i]), np.int64(colours[i]))


@kernel
def play_moves(arrays, shape, keys, table, inside, moves):
    """Play moves, which must be legal or suicide."""
    board, geometry = open_board(arrays), open_geometry(shape, keys, table, inside)
    for i in range(len(moves)):
        play(board, geometry, np.int64(moves[i]))


@kernel
def list_legal(arrays, shape, keys, table, inside, colour, legal, eyes):
    """Mark the points that this colour may play, and those that are its eyes."""
    board, geometry = open_board(arrays), open_geometry(shape, keys, table, inside)
    for i in range(geometry.area):
        point = np.int64(geometry.inside[i])
        if board.colour[point] == EMPTY:
            legal[point] = is_legal(board, geometry, point, np.int64(colour))
            eyes[point] = is_eye(board, geometry, point, np.int64(colour))
