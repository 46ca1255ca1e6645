"""The board of the readers: strings with exact liberties, with moves that can be undone.

It is not the board of playouts, because the two undo moves differently. A playout never undoes a move: that board
lies in one block of memory, which is copied, and maintains neighbourhood patterns and a list of empty points that
readers do not need. A reader undoes every move, and copying 19x19 would cost more than the move.

Points are those of `go/kernels/board.py`. Every change is written through `_set` and `_set_word`, which log the
old value; undoing restores it from the logs. So the cost of a move depends on its changes, not on the board's
size, and no undo code can get out of step.

`cells` holds five parts with a number per point: colour, head, link to the next stone of the string, and, for
heads, the number of liberties and of stones. `libs` has the liberties of each string as a bit set.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.records import record_type
from tengen.core.compiled.references import reference
from tengen.engines.go.kernels.board import EMPTY, NOWHERE

# The scalar state of a board.
BOARD_STATE = record_type(
    ("key", np.uint64),
    ("ko", np.int64),  # point that may not be retaken, or NOWHERE
    ("ko_for", np.int64),  # the colour that may not retake it
    ("last_ko", np.int64),  # the point emptied by the last ko capture, or NOWHERE
    ("log_length", np.int64),  # entries in `log`
    ("word_log_length", np.int64),  # entries in `word_log`
    ("stamp", np.int64),  # the value of `marks` that means marked
    ("captured", np.int64),  # stones captured by the last move
)
# What `restore` needs; part of the records of a search's plies.
SAVED_FIELDS = (
    ("saved_key", np.uint64),
    ("saved_ko", np.int64),
    ("saved_ko_for", np.int64),
    ("saved_last_ko", np.int64),
    ("saved_log", np.int64),
    ("saved_words", np.int64),
)
SAVED_STATE = record_type(*SAVED_FIELDS)

LOG_SIZE = 1 << 17
WORD_LOG_SIZE = 1 << 17
# A move on 19x19 changes fewer cells and words than this; a search stops if a log has less space.
MAX_LOG_PER_MOVE = 1 << 13


class Board(NamedTuple):
    """A reading board; kernels use it by reference."""

    stride: int
    words: int  # of a set of points
    points: int  # their number, margins included
    area: int  # points on the board
    steps: Any  # to the eight neighbours: int64
    cells: Any  # uint16
    libs: Any  # uint64
    log: Any  # int64: index and old value of changed cells
    word_log: Any  # uint64: index and old value of changed words of `libs`
    state: Any  # one BOARD_STATE
    saved: Any  # one SAVED_STATE, for moves tried at the root
    keys: Any  # Zobrist keys
    marks: Any  # int64
    inside: Any  # the points on the board


_ONE = np.uint64(1)


@inner
def colour_at(board, point):
    return np.int64(board.cells[point])


@inner
def head_at(board, point):
    return np.int64(board.cells[board.points + point])


@inner
def next_stone(board, point):
    return np.int64(board.cells[2 * board.points + point])


@inner
def liberties_of(board, head):
    """Number of liberties of the string with this head."""
    return np.int64(board.cells[3 * board.points + head])


@inner
def stones_of(board, head):
    """Number of stones of the string with this head."""
    return np.int64(board.cells[4 * board.points + head])


@inner
def neighbour(board, point, direction):
    """The neighbour in a direction: east, west, south, north, then the diagonals."""
    return point + board.steps[direction]


@inner
def _set(board, index, value):
    length = board.state[0].log_length
    board.log[length] = (np.int64(index) << 16) | np.int64(board.cells[index])
    board.state[0].log_length = length + 1
    board.cells[index] = np.uint16(value)


@inner
def _set_word(board, index, bits):
    length = board.state[0].word_log_length
    board.word_log[length] = np.uint64(index)
    board.word_log[length + 1] = board.libs[index]
    board.state[0].word_log_length = length + 2
    board.libs[index] = bits


@inner
def has_liberty(board, head, point):
    return (board.libs[head * board.words + (point >> 6)] >> np.uint64(point & 63)) & _ONE != 0


@inner
def _add_liberty(board, head, point):
    at = head * board.words + (point >> 6)
    bits = board.libs[at] | (_ONE << np.uint64(point & 63))
    if bits != board.libs[at]:
        _set_word(board, at, bits)
        _set(board, 3 * board.points + head, liberties_of(board, head) + 1)


@inner
def _take_liberty(board, head, point):
    """Remove a liberty; returns the number that is left."""
    at = head * board.words + (point >> 6)
    bits = board.libs[at] & ~(_ONE << np.uint64(point & 63))
    left = liberties_of(board, head)
    if bits != board.libs[at]:
        left -= 1
        _set_word(board, at, bits)
        _set(board, 3 * board.points + head, left)
    return left


@inner
def next_liberty(board, head, after):
    """The first liberty of a string after a point, or NOWHERE."""
    start = after + 1
    word = start >> 6
    if word >= board.words:
        return NOWHERE
    bits = board.libs[head * board.words + word] >> np.uint64(start & 63)
    if bits != 0:
        return start + np.int64(trailing_zeros(bits))
    word += 1
    while word < board.words:
        bits = board.libs[head * board.words + word]
        if bits != 0:
            return np.int64(word << 6) + np.int64(trailing_zeros(bits))
        word += 1
    return NOWHERE


@inner
def first_liberty(board, head):
    return next_liberty(board, head, NOWHERE)


@inner
def next_adjacent(board, head, cursor, colour):
    """Cursor to the next stone of a colour adjacent to a string, or -1 at the end.

    `cursor` is -1 at first, then the last result; `stone_at_cursor` converts it to a point. An adjacent string is
    visited once per contact.
    """
    stone, direction = (head, 0) if cursor < 0 else (cursor >> 2, (cursor & 3) + 1)
    while True:
        while direction < 4:
            if colour_at(board, neighbour(board, stone, direction)) == colour:
                return np.int64((stone << 2) | direction)
            direction += 1
        stone = next_stone(board, stone)
        if stone == head:
            return np.int64(-1)
        direction = 0


@inner
def stone_at_cursor(board, cursor):
    return neighbour(board, cursor >> 2, cursor & 3)


@inner
def _remove_string(board, start):
    colour = colour_at(board, start)
    stone = np.int64(start)
    taken = 0
    while True:
        _set(board, stone, EMPTY)
        board.state[0].key ^= board.keys[colour - 1, stone]
        for direction in range(4):
            next_to = neighbour(board, stone, direction)
            if colour_at(board, next_to) == 3 - colour:
                _add_liberty(board, head_at(board, next_to), stone)
        taken += 1
        stone = next_stone(board, stone)
        if stone == start:
            return taken


@inner
def _join(board, one, other):
    """Merge two strings; returns the head, which is that of the larger one."""
    points, words = board.points, board.words
    if stones_of(board, one) < stones_of(board, other):
        one, other = other, one
    _set(board, 4 * points + one, stones_of(board, one) + stones_of(board, other))
    stone = other
    while True:
        _set(board, points + stone, one)
        stone = next_stone(board, stone)
        if stone == other:
            break
    after_one, after_other = next_stone(board, one), next_stone(board, other)
    _set(board, 2 * points + one, after_other)
    _set(board, 2 * points + other, after_one)
    count = np.uint64(0)
    for word in range(words):
        mine = board.libs[one * words + word]
        bits = mine | board.libs[other * words + word]
        if bits != mine:
            _set_word(board, one * words + word, bits)
        count += popcount(bits)
    _set(board, 3 * points + one, np.int64(count))
    return one


@inner
def place(board, point, colour):
    """Place a stone on an empty point and remove captured strings. It must not be suicide. Sets the ko point."""
    points, words, state = board.points, board.words, board.state[0]
    _set(board, point, colour)
    board.state[0].key ^= board.keys[colour - 1, point]
    own = point
    for direction in range(4):
        next_to = neighbour(board, point, direction)
        if colour_at(board, next_to) == colour:
            own = head_at(board, next_to)
            break
    alone = own == point
    _set(board, points + point, own)
    if alone:
        _set(board, 2 * points + point, point)
        _set(board, 3 * points + point, 0)
        _set(board, 4 * points + point, 1)
        for word in range(words):
            if board.libs[point * words + word] != 0:
                _set_word(board, point * words + word, np.uint64(0))
    else:
        _set(board, 2 * points + point, next_stone(board, own))
        _set(board, 2 * points + own, point)
        _set(board, 4 * points + own, stones_of(board, own) + 1)
        _take_liberty(board, own, point)
    taken = np.int64(0)
    captured_point = NOWHERE
    for direction in range(4):
        next_to = neighbour(board, point, direction)
        content = colour_at(board, next_to)
        if content == 3 - colour:
            head = head_at(board, next_to)
            if _take_liberty(board, head, point) == 0:
                taken += _remove_string(board, head)
                captured_point = next_to
    for direction in range(4):
        next_to = neighbour(board, point, direction)
        if colour_at(board, next_to) == EMPTY:
            _add_liberty(board, own, next_to)
    if not alone:
        for direction in range(4):
            next_to = neighbour(board, point, direction)
            if colour_at(board, next_to) == colour:
                head = head_at(board, next_to)
                if head != own:
                    _take_liberty(board, head, point)
                    own = _join(board, own, head)
    state.captured = taken
    state.ko = NOWHERE
    if taken == 1 and alone and liberties_of(board, own) == 1:
        # A lone stone that captured one stone and has one liberty: ko.
        state.ko = captured_point
        state.ko_for = 3 - colour
        state.last_ko = captured_point


@inner
def save(board, frame):
    """Remember the state of the board in a record with SAVED_FIELDS, for `restore`."""
    state = board.state[0]
    frame.saved_key = state.key
    frame.saved_ko = state.ko
    frame.saved_ko_for = state.ko_for
    frame.saved_last_ko = state.last_ko
    frame.saved_log = state.log_length
    frame.saved_words = state.word_log_length


@inner
def restore(board, frame):
    """Undo all changes since `save`."""
    state = board.state[0]
    length = state.log_length
    while length > frame.saved_log:
        length -= 1
        entry = board.log[length]
        board.cells[entry >> 16] = np.uint16(entry & 0xFFFF)
    state.log_length = length
    length = state.word_log_length
    while length > frame.saved_words:
        length -= 2
        board.libs[np.int64(board.word_log[length])] = board.word_log[length + 1]
    state.word_log_length = length
    state.key = frame.saved_key
    state.ko = frame.saved_ko
    state.ko_for = frame.saved_ko_for
    state.last_ko = frame.saved_last_ko


@inner
def has_log_space(board):
    """Whether the logs have space for one more move."""
    state = board.state[0]
    return (
        state.log_length < LOG_SIZE - MAX_LOG_PER_MOVE and state.word_log_length < WORD_LOG_SIZE - MAX_LOG_PER_MOVE
    )


@inner
def is_legal(board, point, colour):
    """Whether playing an empty point is no suicide; ko is not checked."""
    for direction in range(4):
        next_to = neighbour(board, point, direction)
        content = colour_at(board, next_to)
        if content == EMPTY:
            return True
        if content == colour:
            if liberties_of(board, head_at(board, next_to)) > 1:
                return True
        elif content == 3 - colour and liberties_of(board, head_at(board, next_to)) == 1:
            return True
    return False


@inner
def takes(board, point, colour):
    """Whether a stone on an empty point captures enemy stones."""
    for direction in range(4):
        next_to = neighbour(board, point, direction)
        if colour_at(board, next_to) == 3 - colour and liberties_of(board, head_at(board, next_to)) == 1:
            return True
    return False


@inner
def liberties_after(board, point, colour):
    """Number of liberties of the string of a stone placed here; a captured string counts as one liberty."""
    words = board.words
    total = np.int64(0)
    for direction in range(4):
        next_to = neighbour(board, point, direction)
        content = colour_at(board, next_to)
        if content == 3 - colour and liberties_of(board, head_at(board, next_to)) == 1:
            total += 1
    count = np.uint64(0)
    for word in range(words):
        bits = np.uint64(0)
        for direction in range(4):
            next_to = neighbour(board, point, direction)
            content = colour_at(board, next_to)
            if content == colour:
                bits |= board.libs[head_at(board, next_to) * words + word]
            elif content == EMPTY and next_to >> 6 == word:
                bits |= _ONE << np.uint64(next_to & 63)
        if point >> 6 == word:
            bits &= ~(_ONE << np.uint64(point & 63))
        count += popcount(bits)
    return total + np.int64(count)


@kernel
def set_up(board, points, colours):
    """Set up stones on an empty board, without undo; every string must have a liberty throughout."""
    board = reference(board)
    for i in range(len(points)):
        place(board, np.int64(points[i]), np.int64(colours[i]))
        board.state[0].log_length = 0
        board.state[0].word_log_length = 0
    board.state[0].ko = NOWHERE


@kernel
def play_and_undo(board, points, colours):
    """Play moves and undo them all. For tests."""
    board = reference(board)
    save(board, board.saved[0])
    for i in range(len(points)):
        place(board, np.int64(points[i]), np.int64(colours[i]))
    restore(board, board.saved[0])


@kernel
def try_move(board, saved, point, colour):
    """Play a move if it is legal, including ko, and save the state before it; returns whether it was legal."""
    board = reference(board)
    point, colour = np.int64(point), np.int64(colour)
    save(board, saved[0])
    if colour_at(board, point) != EMPTY or not is_legal(board, point, colour):
        return False
    if point == board.state[0].ko and colour == board.state[0].ko_for:
        return False
    place(board, point, colour)
    return True


@kernel
def undo_to(board, saved):
    """Undo all moves since `saved` was written."""
    restore(reference(board), saved[0])
