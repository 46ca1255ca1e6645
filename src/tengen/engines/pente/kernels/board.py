"""The board of the strong Pente player: stones, and what every empty point is worth to either colour.

For each point the record has its entries of the pattern table (see `patterns`) on the four axes, 16 bits each, in
one word: the *info*. From it come the *level* of an empty point for each colour, the captures that a stone there
makes, and the threats to capture. Empty points stand in sets, by colour and level, and are counted. Putting a
stone looks up the points within reach on its four lines, and changes what has changed; nothing is computed anew.
Taking a move back restores the info from a log, and the sets and counts, which lie together, from a copy.

`place` and `undo` are the rules of `games.pente.rules` for one stone a turn, without boat and opening protocols:
the tests compare them. Colours are np.uint64, 0 for Black and 1 for White; points are those of
`games.pente.record`. A set of points is WORDS words of bits.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import inner
from tengen.core.compiled.rng import mix
from tengen.engines.pente.kernels.lines import LINE_OF, LINES, SHIFT_OF, STEPS
from tengen.engines.pente.patterns import CLOSED_THREE, LEVEL_OF, LEVELS, OPEN_FOUR, TWO, WINS
from tengen.games.pente.record import ANYWHERE, BORDER, EMPTY, G_PENTE, POINTS, STRIDE
from tengen.games.pente.rules import STONE_KEYS

WORDS = 7
LISTED = LEVELS - CLOSED_THREE
"""Levels that have sets: from CLOSED_THREE on."""

# The places of what is copied at each move, in `hot`.
TAKE_SET = 2 * LISTED * WORDS
SETUP_SET = TAKE_SET + 2 * WORDS
EMPTIES = SETUP_SET + 2 * WORDS
KEY = EMPTIES + WORDS
SHAPES = KEY + 1
"""By colour: how many empty points and axes there are of each class from TWO to OPEN_FOUR, ten bits each."""
TAKES = SHAPES + 2
SETUPS = TAKES + 2
CAPTURED = SETUPS + 2
NUMBER = CAPTURED + 2
EMPTY_COUNT = NUMBER + 1
HOT = EMPTY_COUNT + 1

DEEPEST = 256
LOG = 1 << 17
TRAIL = 1 << 13
POOL = 1 << 16

BOARD = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("words", np.uint64, (LINES,)),
                ("info", np.uint64, (POINTS,)),
                ("stones", np.uint8, (POINTS,)),
                ("levels", np.uint16, (POINTS,)),  # of empty points: Black's, and White's times 256
                ("extents", np.uint8, (4 * POINTS,)),  # points within reach behind, and ahead times 16
                ("hot", np.uint64, (HOT,)),
                ("area", np.uint64, (WORDS,)),  # all points of the board
                ("near", np.uint64, (WORDS,)),  # scratch
                ("copies", np.uint64, (DEEPEST * HOT,)),
                ("depth", np.uint64),  # moves that can be taken back
                ("log", np.uint64, (LOG,)),  # former infos, with points and levels
                ("log_top", np.uint64),
                ("trail", np.uint16, (TRAIL,)),  # stones that went, moves
                ("trail_top", np.uint64),
                ("pool", np.uint16, (POOL,)),  # lists of points, one after the other
                ("pool_top", np.uint64),
                # The options.
                ("width", np.int64),
                ("longest", np.int64),
                ("goal", np.int64),
                ("second", np.int64),
                ("poof", np.bool_),
                ("reach", np.uint64),
            ],
            align=True,
        ),
    )
)

_0, _1, _2, _3, _4, _5, _6, _7, _8 = (np.uint64(n) for n in range(9))
_10, _12, _13, _15, _16, _26, _39, _63 = (np.uint64(n) for n in (10, 12, 13, 15, 16, 26, 39, 63))
_POINTS, _WORDS, _LISTED = np.uint64(POINTS), np.uint64(WORDS), np.uint64(LISTED)
_LEAST = np.uint64(CLOSED_THREE)
_BYTE, _CODE, _ENTRY, _CLASSES = (np.uint64(n) for n in (0xFF, 0xFFF, 0xFFFF, 0x3F))
_EVERY_CLASS = np.uint64(0x0007000700070007)
_PAIR_BITS = np.uint64(0x00C000C000C000C0)
_TRIPLE_BITS = np.uint64(0x0C000C000C000C00)
_SETUP_BITS = np.uint64(0x4000400040004000)
_TAKE_BITS = _PAIR_BITS | _TRIPLE_BITS
_STRIDE = np.uint64(STRIDE)
_BLACK_SIDE = np.uint64(0x9E3779B97F4A7C15)
_VOID_UP_TO = 6
_ONE_SHAPE = np.array([1 << 10 * (k - TWO) if TWO <= k <= OPEN_FOUR else 0 for k in range(8)], np.uint64)
_TAKE_SET, _SETUP_SET, _EMPTIES, _KEY = (np.uint64(n) for n in (TAKE_SET, SETUP_SET, EMPTIES, KEY))
_SHAPES, _TAKES, _SETUPS = np.uint64(SHAPES), np.uint64(TAKES), np.uint64(SETUPS)
_CAPTURED, _NUMBER, _EMPTY_COUNT, _HOT = (np.uint64(n) for n in (CAPTURED, NUMBER, EMPTY_COUNT, HOT))


# ---- what is known


@inner
def level(board, colour, point):
    """The level of an empty point for a colour."""
    return (np.uint64(board.levels[point]) >> (_8 * colour)) & _BYTE


@inner
def takes(board, colour, point):
    """The captures that a colour's stone would make there: bits, one for each; 0 if none."""
    return board.info[point] & (_TAKE_BITS << (_2 * colour))


@inner
def setups(board, colour, point):
    """The threats to capture that a colour's stone would make there, as bits."""
    return board.info[point] & (_SETUP_BITS << colour)


@inner
def stones_taken(board, colour, point):
    """How many stones these captures take."""
    info = board.info[point]
    pairs = popcount(info & (_PAIR_BITS << (_2 * colour)))
    return np.int64(_2 * pairs + _3 * popcount(info & (_TRIPLE_BITS << (_2 * colour))))


@inner
def take_count(board, colour):
    """How many captures a colour could make, over all points and directions."""
    return np.int64(board.hot[_TAKES + colour])


@inner
def setup_count(board, colour):
    return np.int64(board.hot[_SETUPS + colour])


@inner
def captured(board, colour):
    """How many stones a colour has taken."""
    return np.int64(board.hot[_CAPTURED + colour])


@inner
def empty_count(board):
    return np.int64(board.hot[_EMPTY_COUNT])


@inner
def shape_count(board, colour, kind):
    """How many empty points and axes there are where a colour's stone makes a line of this class."""
    return np.int64((board.hot[_SHAPES + colour] >> (_10 * np.uint64(kind - TWO))) & np.uint64(1023))


@inner
def level_set(colour, of_level):
    """Where the set of a colour's points of a level begins in `hot`; from CLOSED_THREE on."""
    return (colour * _LISTED + np.uint64(of_level) - _LEAST) * _WORDS


@inner
def take_set(colour):
    return _TAKE_SET + colour * _WORDS


@inner
def setup_set(colour):
    return _SETUP_SET + colour * _WORDS


@inner
def has_any(words, start):
    """Whether a set has a point."""
    bits = _0
    for word in range(_WORDS):
        bits |= words[start + word]
    return bits != _0


@inner
def count_points(words, start):
    count = _0
    for word in range(_WORDS):
        count += popcount(words[start + word])
    return np.int64(count)


@inner
def add_point(words, start, point):
    """Put a point into the set that begins at `start`."""
    words[start + (point >> _6)] |= _1 << (point & _63)


@inner
def _flip_point(words, start, point):
    """Put a point into a set, or take it out."""
    words[start + (point >> _6)] ^= _1 << (point & _63)


@inner
def list_points(board, words, start, top):
    """Write the points of a set into the pool from `top` on; returns where they end."""
    for word in range(_WORDS):
        bits = words[start + word]
        while bits != _0:
            board.pool[top] = (word << _6) + trailing_zeros(bits)
            top += _1
            bits &= bits - _1
    return top


@inner
def find_near(board):
    """Put the empty points within two steps of a stone, on a line, into `near`."""
    for word in range(_WORDS):
        board.near[word] = _0
    for axis in range(_4):
        for times in range(_1, _3):
            shift = STEPS[axis] * times
            before = _0
            for word in range(_WORDS):
                bits = board.area[word] & ~board.hot[_EMPTIES + word]
                board.near[word] |= (bits << shift) | (before >> (np.uint64(64) - shift))
                if word > _0:
                    board.near[word - _1] |= bits << (np.uint64(64) - shift)
                board.near[word] |= bits >> shift
                before = bits
    for word in range(_WORDS):
        board.near[word] &= board.hot[_EMPTIES + word]


# ---- what a change of a line changes


@inner
def _level_of(info):
    """The level of a point for Black, from its info; White's if that is shifted by three bits."""
    classes = info & _EVERY_CLASS
    code = classes | (classes >> _13) | (classes >> _26) | (classes >> _39)
    return np.uint64(LEVEL_OF[code & _CODE])


@inner
def _regroup(board, colour, point, old, new):
    """Move a point from the set of one level to that of another, as far as they have sets."""
    if old >= _LEAST:
        _flip_point(board.hot, level_set(colour, old), point)
    if new >= _LEAST:
        _flip_point(board.hot, level_set(colour, new), point)


@inner
def _change_levels(board, point, info):
    levels = np.uint64(board.levels[point])
    black, white = _level_of(info), _level_of(info >> _3)
    changed = black | (white << _8)
    if changed != levels:
        board.levels[point] = changed
        if black != levels & _BYTE:
            _regroup(board, _0, point, levels & _BYTE, black)
        if white != levels >> _8:
            _regroup(board, _1, point, levels >> _8, white)


@inner
def _change_captures(board, point, old, new):
    for colour in range(_2):
        bits = _TAKE_BITS << (_2 * colour)
        before, after = popcount(old & bits), popcount(new & bits)
        if before != after:
            board.hot[_TAKES + colour] += after - before
            if before == _0 or after == _0:
                _flip_point(board.hot, take_set(colour), point)
        bits = _SETUP_BITS << colour
        before, after = popcount(old & bits), popcount(new & bits)
        if before != after:
            board.hot[_SETUPS + colour] += after - before
            if before == _0 or after == _0:
                _flip_point(board.hot, setup_set(colour), point)


@inner
def _toggle(board, patterns, point, stone):
    """Put a stone on the lines, or take it off, and change all points within its reach whose entries change.

    The counts and the end of the log are kept at hand meanwhile: each change would wait for the last one's store.
    """
    reach = board.reach
    skipped, room = _2 * (_5 - reach), _2 * reach
    mask = (_1 << room) - _1
    log = board.log_top
    black, white = board.hot[_SHAPES], board.hot[_SHAPES + _1]
    for axis in range(_4):
        line, shift, step = LINE_OF[axis, point], SHIFT_OF[axis, point], STEPS[axis]
        word = board.words[line] ^ (stone << (shift + _10))
        board.words[line] = word
        extents = np.uint64(board.extents[axis * _POINTS + point])
        behind, ahead = extents & _15, extents >> _4
        at = point - step * behind
        bits = word >> (shift - _2 * behind)
        for k in range(behind + ahead + _1):
            index = ((bits >> skipped) & mask) | (((bits >> _12) & mask) << room)
            new = np.uint64(patterns[index])
            info = board.info[at]
            old = (info >> (_16 * axis)) & _ENTRY
            if old != new and k != behind:
                board.log[log] = at | (np.uint64(board.levels[at]) << _16)
                board.log[log + _1] = info
                log += _2
                changed = info ^ ((old ^ new) << (_16 * axis))
                board.info[at] = changed
                if board.stones[at] == EMPTY:
                    if (old ^ new) & _CLASSES != _0:
                        black += _ONE_SHAPE[new & _7] - _ONE_SHAPE[old & _7]
                        white += _ONE_SHAPE[(new >> _3) & _7] - _ONE_SHAPE[(old >> _3) & _7]
                        _change_levels(board, at, changed)
                    if (old ^ new) >> _6 != _0:
                        _change_captures(board, at, info, changed)
            at += step
            bits >>= _2
    board.log_top = log
    board.hot[_SHAPES], board.hot[_SHAPES + _1] = black, white


@inner
def _count_point(board, point):
    """An empty point enters the sets and counts; its levels are looked up."""
    info = board.info[point]
    log = board.log_top
    board.log[log] = point | (np.uint64(board.levels[point]) << _16)
    board.log[log + _1] = info
    board.log_top = log + _2
    board.levels[point] = 0
    _change_levels(board, point, info)
    _change_captures(board, point, _0, info)
    for axis in range(_4):
        entry = info >> (_16 * axis)
        board.hot[_SHAPES] += _ONE_SHAPE[entry & _7]
        board.hot[_SHAPES + _1] += _ONE_SHAPE[(entry >> _3) & _7]


@inner
def _uncount_point(board, point):
    """An empty point leaves the sets and counts; its levels stay, for undo."""
    info = board.info[point]
    levels = np.uint64(board.levels[point])
    _regroup(board, _0, point, levels & _BYTE, _0)
    _regroup(board, _1, point, levels >> _8, _0)
    _change_captures(board, point, info, _0)
    for axis in range(_4):
        entry = info >> (_16 * axis)
        board.hot[_SHAPES] -= _ONE_SHAPE[entry & _7]
        board.hot[_SHAPES + _1] -= _ONE_SHAPE[(entry >> _3) & _7]


@inner
def put_stone(board, patterns, point, colour):
    _uncount_point(board, point)
    board.stones[point] = colour + _1
    board.hot[_KEY] ^= STONE_KEYS[colour, point]
    board.hot[_EMPTY_COUNT] -= _1
    _flip_point(board.hot, _EMPTIES, point)
    _toggle(board, patterns, point, colour + _1)


@inner
def _remove_stone(board, patterns, point, colour):
    _toggle(board, patterns, point, colour + _1)
    board.stones[point] = EMPTY
    board.hot[_KEY] ^= STONE_KEYS[colour, point]
    board.hot[_EMPTY_COUNT] += _1
    _flip_point(board.hot, _EMPTIES, point)
    _count_point(board, point)


# ---- moves


@inner
def _write_taken(board, point, colour, top):
    """Write the stones that a move captures to the trail; returns its end."""
    info = board.info[point]
    for axis in range(_4):
        entry = info >> (_16 * axis + _2 * colour)
        for side in range(_2):
            count = _0
            if (entry >> (_6 + side)) & _1 != _0:
                count = _2
            elif (entry >> (_10 + side)) & _1 != _0:
                count = _3
            at = point
            for _ in range(count):
                at = at + STEPS[axis] if side == _0 else at - STEPS[axis]
                board.trail[top] = at
                top += _1
    return top


@inner
def _write_lost(board, point, colour, top):
    """Write the own stones that a move gives up by poof, the new one last."""
    own, enemy = np.uint8(colour + _1), np.uint8(_2 - colour)
    first = top
    for axis in range(_4):
        step = STEPS[axis]
        ahead = _0
        while board.stones[point + step * (ahead + _1)] == own:
            ahead += _1
        behind = _0
        while board.stones[point - step * (behind + _1)] == own:
            behind += _1
        run = ahead + behind + _1
        if (
            run > _1
            and run <= np.uint64(board.longest)
            and board.stones[point + step * (ahead + _1)] == enemy
            and board.stones[point - step * (behind + _1)] == enemy
        ):
            for k in range(ahead):
                board.trail[top] = point + step * (np.uint64(k) + _1)
                top += _1
            for k in range(behind):
                board.trail[top] = point - step * (np.uint64(k) + _1)
                top += _1
    if top != first:
        board.trail[top] = point
        top += _1
    return top


@inner
def place(board, patterns, point, colour):
    """Play a stone, with all that it captures and gives up."""
    copy = board.depth * _HOT
    for i in range(_HOT):
        board.copies[copy + i] = board.hot[i]
    board.depth += _1
    start = board.trail_top
    log_start = board.log_top
    taken_end = _write_taken(board, point, colour, start) if takes(board, colour, point) != _0 else start
    lost_end = _write_lost(board, point, colour, taken_end) if board.poof else taken_end
    put_stone(board, patterns, point, colour)
    enemy = _1 - colour
    for i in range(start, taken_end):
        _remove_stone(board, patterns, np.uint64(board.trail[i]), enemy)
    for i in range(taken_end, lost_end):
        _remove_stone(board, patterns, np.uint64(board.trail[i]), colour)
    board.hot[_CAPTURED + colour] += taken_end - start
    board.hot[_CAPTURED + enemy] += lost_end - taken_end
    board.hot[_NUMBER] += _1
    board.trail[lost_end] = taken_end - start
    board.trail[lost_end + _1] = lost_end - taken_end
    board.trail[lost_end + _2] = point
    board.trail_top = lost_end + _3
    board.log[board.log_top] = log_start
    board.log_top += _1


@inner
def _toggle_words(board, point, stone):
    for axis in range(_4):
        board.words[LINE_OF[axis, point]] ^= stone << (SHIFT_OF[axis, point] + _10)


@inner
def undo(board, colour):
    """Take back the last move, which was this colour's."""
    top = board.trail_top
    point = np.uint64(board.trail[top - _1])
    lost, taken = np.uint64(board.trail[top - _2]), np.uint64(board.trail[top - _3])
    lost_end = top - _3
    taken_end = lost_end - lost
    start = taken_end - taken
    board.trail_top = start
    log = board.log_top - _1
    log_start = board.log[log]
    while log > log_start:  # the latest first
        log -= _2
        entry = board.log[log]
        board.info[entry & _ENTRY] = board.log[log + _1]
        board.levels[entry & _ENTRY] = entry >> _16
    board.log_top = log_start
    if lost == _0:
        board.stones[point] = EMPTY
        _toggle_words(board, point, colour + _1)
    for i in range(taken_end, lost_end):  # the new stone is among them, and stays away
        at = np.uint64(board.trail[i])
        if at != point:
            board.stones[at] = colour + _1
            _toggle_words(board, at, colour + _1)
    for i in range(start, taken_end):
        at = np.uint64(board.trail[i])
        board.stones[at] = _2 - colour
        _toggle_words(board, at, _2 - colour)
    board.depth -= _1
    copy = board.depth * _HOT
    for i in range(_HOT):
        board.hot[i] = board.copies[copy + i]


@inner
def position_key(board, colour):
    """The key of the position with this colour on turn, captures in it."""
    bits = board.hot[_KEY] ^ mix(np.uint64(4096) * (board.hot[_CAPTURED] + _1) + board.hot[_CAPTURED + _1])
    return bits ^ _BLACK_SIDE if colour == _0 else bits


# ---- wins


@inner
def _is_won_by(board, point, colour):
    """Whether a stone wins at once, by a row or by captures, if what it gives up by poof does not prevent that."""
    lost = np.int64(_write_lost(board, point, colour, board.trail_top) - board.trail_top)
    if lost == 0 and level(board, colour, point) == np.uint64(WINS):
        return True
    own = captured(board, colour) + stones_taken(board, colour, point)
    return board.goal > 0 and own >= board.goal and own > captured(board, _1 - colour) + lost


@inner
def list_wins(board, colour, top):
    """Write the points where this colour wins at once into the pool from `top` on; returns where they end."""
    if board.poof:
        return _list_wins_with_poof(board, colour, top)
    end = list_points(board, board.hot, level_set(colour, WINS), top)
    if board.goal > 0 and take_count(board, colour) > 0:
        need = board.goal - captured(board, colour)
        for word in range(_WORDS):
            bits = board.hot[take_set(colour) + word]
            while bits != _0:
                point = (word << _6) + trailing_zeros(bits)
                bits &= bits - _1
                if stones_taken(board, colour, point) >= need and level(board, colour, point) != np.uint64(WINS):
                    board.pool[end] = point
                    end += _1
    return end


@inner
def _list_wins_with_poof(board, colour, top):
    rows = list_points(board, board.hot, level_set(colour, WINS), top)
    end = list_points(board, board.hot, take_set(colour), rows)
    kept = top
    for i in range(top, end):
        point = np.uint64(board.pool[i])
        twice = i >= rows and level(board, colour, point) == np.uint64(WINS)
        if not twice and _is_won_by(board, point, colour):
            board.pool[kept] = point
            kept += _1
    return kept


@inner
def has_win(board, colour):
    """Whether this colour, on turn, wins at once."""
    if take_count(board, colour) == 0 and not has_any(board.hot, level_set(colour, WINS)):
        return False
    top = board.pool_top
    return list_wins(board, colour, top) > top


@inner
def given_away(board, colour):
    """Whether a colour has just given the other side its goal by poof."""
    if not board.poof or board.goal == 0:
        return False
    own, other = captured(board, colour), captured(board, _1 - colour)
    return other > own and other >= board.goal


@inner
def _from_middle(size, line):
    return abs(2 * line - (size - 1)) // 2


@inner
def may_go(board, point):
    """Whether the rule on the second stone of who began allows this point."""
    if board.hot[_NUMBER] != _2 or board.second == ANYWHERE or board.width <= _VOID_UP_TO:
        return True
    across = _from_middle(board.width, np.int64(point % _STRIDE) - 1)
    down = _from_middle(board.width, np.int64(point // _STRIDE) - 1)
    if across < 3 and down < 3:
        return False
    return not (board.second == G_PENTE and min(across, down) == 0 and max(across, down) <= 4)


# ---- the start


@inner
def clear(board, stones):
    """Make a zeroed board an empty one, of the points that are no border in `stones`."""
    for point in range(_POINTS):
        board.stones[point] = BORDER
        if stones[point] != BORDER:
            board.stones[point] = EMPTY
            board.hot[_EMPTY_COUNT] += _1
            add_point(board.hot, _EMPTIES, point)
            add_point(board.area, _0, point)
    for point in range(_POINTS):
        if stones[point] == BORDER:
            continue
        for axis in range(_4):
            behind, ahead = _0, _0
            while behind < board.reach and stones[point - STEPS[axis] * (behind + _1)] != BORDER:
                behind += _1
            while ahead < board.reach and stones[point + STEPS[axis] * (ahead + _1)] != BORDER:
                ahead += _1
            board.extents[axis * _POINTS + point] = behind | (ahead << _4)
