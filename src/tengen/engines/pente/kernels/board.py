"""The board of the strong Pente player: stones, and the pattern level of every empty point for both colours.

For each point, `entries` holds its pattern-table entries (see `patterns`) on the four axes, 16 bits each. They
determine the *level* of an empty point for each colour, and the captures and capture threats a stone there would
make. Empty points are kept in bit sets by colour and level, and counted. `incremental` updates all this, `moves`
plays and undoes moves, and `immediate_wins` finds points that win at once.

Colours are np.uint64, 0 for Black and 1 for White; points are those of `games.pente.record`. A set of points is
WORDS words of bits.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import inner
from tengen.core.compiled.records import record_type
from tengen.engines.pente.kernels.lines import LINES, STEPS
from tengen.engines.pente.patterns import CLOSED_THREE, LEVELS, TWO
from tengen.games.pente.record import BORDER, EMPTY, POINTS

WORDS = 7
SETS_PER_COLOUR = LEVELS - CLOSED_THREE + 1
"""One set for all points below CLOSED_THREE, then one for each level."""

# Offsets in `state_info`, the part of the board that is copied at each move and restored by undo.
CAPTURE_SET = 2 * SETS_PER_COLOUR * WORDS
CAPTURE_THREAT_SET = CAPTURE_SET + 2 * WORDS
EMPTIES = CAPTURE_THREAT_SET + 2 * WORDS
KEY = EMPTIES + WORDS
LINE_CLASSES = KEY + 1
"""By colour: number of empty points and axes of each class from TWO to OPEN_FOUR, ten bits each."""
CAPTURES = LINE_CLASSES + 2
CAPTURE_THREATS = CAPTURES + 2
CAPTURED = CAPTURE_THREATS + 2
NUMBER = CAPTURED + 2
EMPTY_COUNT = NUMBER + 1
BREAKABLE_ROW = EMPTY_COUNT + 1
"""Boat rule: a stone of a row that can still be broken, or 0; see `breakable_rows`."""
SHAPE_VALUES = BREAKABLE_ROW + 1
"""By colour: the sum of the values of the empty points (see `shape_tables`)."""
STATE_INFO_WORDS = SHAPE_VALUES + 2

MAX_UNDO = 256
UNDO_LOG_SIZE = 1 << 17
TRAIL_SIZE = 1 << 13
POOL_SIZE = 1 << 16

BOARD = record_type(
    ("words", np.uint64, (LINES,)),
    ("entries", np.uint64, (POINTS,)),
    ("stones", np.uint8, (POINTS,)),
    ("shapes", np.uint32, (POINTS,)),  # by axis, four bits each: Black's, then White's
    ("levels", np.uint16, (POINTS,)),  # of empty points: Black's, and White's times 256
    ("extents", np.uint8, (4 * POINTS,)),  # points within reach behind, and ahead times 16
    ("state_info", np.uint64, (STATE_INFO_WORDS,)),
    ("all_points", np.uint64, (WORDS,)),  # all points of the board
    ("near_stones", np.uint64, (WORDS,)),  # scratch
    ("state_stack", np.uint64, (MAX_UNDO * STATE_INFO_WORDS,)),
    ("depth", np.uint64),  # number of moves that can be undone
    ("undo_log", np.uint64, (UNDO_LOG_SIZE,)),  # previous entries; points, levels and shapes
    ("undo_log_top", np.uint64),
    ("trail", np.uint16, (TRAIL_SIZE,)),  # removed stones, moves
    ("trail_top", np.uint64),
    ("pool", np.uint16, (POOL_SIZE,)),  # stack of point lists
    ("pool_top", np.uint64),
    # Rules.
    ("width", np.int64),
    ("longest", np.int64),
    ("goal", np.int64),
    ("row", np.int64),
    ("exact", np.bool_),
    ("stones_per_turn", np.int64),
    ("second", np.int64),
    ("poof", np.bool_),
    ("boat", np.bool_),
    ("renju", np.bool_),
    ("caro", np.bool_),
    ("reach", np.uint64),
)

_0, _1, _2, _3, _4, _6, _8, _10, _63, _64 = (np.uint64(n) for n in (0, 1, 2, 3, 4, 6, 8, 10, 63, 64))
_WORDS, _SETS_PER_COLOUR, _LOWEST = np.uint64(WORDS), np.uint64(SETS_PER_COLOUR), np.uint64(CLOSED_THREE - 1)
_BYTE, _COUNT = np.uint64(0xFF), np.uint64(1023)
_PAIR_BITS = np.uint64(0x00C000C000C000C0)
_TRIPLE_BITS = np.uint64(0x0C000C000C000C00)
CAPTURE_BITS, CAPTURE_THREAT_BITS = _PAIR_BITS | _TRIPLE_BITS, np.uint64(0x4000400040004000)
"""Bits for Black's captures and capture threats; White's are two bits and one bit higher."""
_CAPTURE_SET, _CAPTURE_THREAT_SET, _EMPTIES = (np.uint64(n) for n in (CAPTURE_SET, CAPTURE_THREAT_SET, EMPTIES))
_LINE_CLASSES, _CAPTURES, _CAPTURE_THREATS = (
    np.uint64(LINE_CLASSES),
    np.uint64(CAPTURES),
    np.uint64(CAPTURE_THREATS),
)
_CAPTURED, _EMPTY_COUNT = np.uint64(CAPTURED), np.uint64(EMPTY_COUNT)


@inner
def level(board, colour, point):
    """Level of an empty point for a colour."""
    return (np.uint64(board.levels[point]) >> (_8 * colour)) & _BYTE


@inner
def captures_at(board, colour, point):
    """Captures that a stone of this colour would make at a point, one bit each; 0 if none."""
    return board.entries[point] & (CAPTURE_BITS << (_2 * colour))


@inner
def capture_threats_at(board, colour, point):
    """Threats to capture that a stone of this colour would make at a point, as bits."""
    return board.entries[point] & (CAPTURE_THREAT_BITS << colour)


@inner
def stones_captured(board, colour, point):
    """Number of stones captured by a stone of this colour at a point."""
    info = board.entries[point]
    pairs = popcount(info & (_PAIR_BITS << (_2 * colour)))
    return np.int64(_2 * pairs + _3 * popcount(info & (_TRIPLE_BITS << (_2 * colour))))


@inner
def capture_count(board, colour):
    """Number of captures a colour could make, over all points and directions."""
    return np.int64(board.state_info[_CAPTURES + colour])


@inner
def capture_threat_count(board, colour):
    return np.int64(board.state_info[_CAPTURE_THREATS + colour])


@inner
def captured_stones(board, colour):
    """Number of stones a colour has captured."""
    return np.int64(board.state_info[_CAPTURED + colour])


@inner
def empty_count(board):
    return np.int64(board.state_info[_EMPTY_COUNT])


@inner
def class_count(board, colour, kind):
    """Number of empty points and axes where a stone of this colour makes a line of class `kind`."""
    return np.int64((board.state_info[_LINE_CLASSES + colour] >> (_10 * np.uint64(kind - TWO))) & _COUNT)


@inner
def level_set(colour, of_level):
    """Index in `state_info` of the set of a colour's points of a level; levels below CLOSED_THREE share one."""
    return (colour * _SETS_PER_COLOUR + max(np.uint64(of_level), _LOWEST) - _LOWEST) * _WORDS


@inner
def capture_set(colour):
    return _CAPTURE_SET + colour * _WORDS


@inner
def capture_threat_set(colour):
    return _CAPTURE_THREAT_SET + colour * _WORDS


@inner
def has_any(words, start):
    """Whether a set is not empty."""
    bits = _0
    for word in range(_WORDS):
        bits |= words[start + word]
    return bits != _0


@inner
def has_level(board, colour, lowest, highest):
    """Whether a colour has points of a level in this range."""
    for of_level in range(lowest, highest + 1):
        if has_any(board.state_info, level_set(colour, of_level)):
            return True
    return False


@inner
def count_points(words, start):
    count = _0
    for word in range(_WORDS):
        count += popcount(words[start + word])
    return np.int64(count)


@inner
def add_point(words, start, point):
    """Add a point to the set at `start`."""
    words[start + (point >> _6)] |= _1 << (point & _63)


@inner
def flip_point(words, start, point):
    """Add a point to a set, or remove it."""
    words[start + (point >> _6)] ^= _1 << (point & _63)


@inner
def list_points(board, words, start, top):
    """Write the points of a set into the pool from `top` on; returns the end."""
    for word in range(_WORDS):
        bits = words[start + word]
        while bits != _0:
            board.pool[top] = (word << _6) + trailing_zeros(bits)
            top += _1
            bits &= bits - _1
    return top


@inner
def list_near(board, point, distance, end):
    """Append the empty points within this distance on the lines of a point to the pool; returns the end."""
    for axis in range(_4):
        for side in range(_2):
            at = point
            for _ in range(distance):
                at = at + STEPS[axis] if side == _0 else at - STEPS[axis]
                if board.stones[at] == BORDER:
                    break
                if board.stones[at] == EMPTY:
                    board.pool[end] = at
                    end += _1
    return end


@inner
def mark_near_stones(board):
    """Set `near_stones` to the empty points within two steps of a stone on a line."""
    for word in range(_WORDS):
        board.near_stones[word] = _0
    for axis in range(_4):
        for distance in range(_1, _3):
            shift = STEPS[axis] * distance
            previous = _0
            for word in range(_WORDS):
                bits = board.all_points[word] & ~board.state_info[_EMPTIES + word]
                board.near_stones[word] |= (bits << shift) | (previous >> (_64 - shift))
                if word > _0:
                    board.near_stones[word - _1] |= bits << (_64 - shift)
                board.near_stones[word] |= bits >> shift
                previous = bits
    for word in range(_WORDS):
        board.near_stones[word] &= board.state_info[_EMPTIES + word]
