"""The rules of Go on one record, for boards up to 25x25.

Point `p` is `STRIDE * (row + 1) + column + 1`, rows from the top, so that every point has four neighbours at
fixed distances and those off the board hold BORDER (one border column serves two rows). Pass is point 0.

Stones of one colour that touch form a *string*, known by its head. `link` leads round the string; `liberties` of
the head counts pairs of a stone and an empty neighbour (*pseudo-liberties*): cheaper to keep than the true
number, and zero at the same time. `empties` lists the empty points in no order, `place` says where each stands.

All point arithmetic is unsigned: a signed index makes Numba test for a negative one at each access.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.records import record_type
from tengen.core.compiled.rng import below, mix, zobrist
from tengen.core.compiled.rules import rule
from tengen.core.compiled.symmetry import canonical_hash

LARGEST = 25
STRIDE = LARGEST + 1
POINTS = STRIDE * (LARGEST + 2) + 1
PASS = 0
EMPTY, BLACK, WHITE, BORDER = 0, 1, 2, 3
SIMPLE, POSITIONAL, SITUATIONAL = 0, 1, 2  # simple ko, positional and situational superko

RECORD = record_type(
    ("go_stones", np.uint8, (POINTS,)),
    ("head", np.uint16, (POINTS,)),
    ("link", np.uint16, (POINTS,)),
    ("liberties", np.uint16, (POINTS,)),
    ("empties", np.uint16, (LARGEST * LARGEST,)),
    ("place", np.uint16, (POINTS,)),
    ("empty_count", np.uint64),
    ("stones_key", np.uint64),
    ("ko", np.uint64),  # point forbidden by simple ko, or 0
    ("turn", np.int64),
    ("passes", np.int64),  # consecutive passes
    ("captured", np.int64, (2,)),  # stones captured by each player, including suicides of the opponent
    ("handicap", np.int64),  # handicap stones that Black still has to place
    ("komi", np.int64),  # in thousandths, including handicap compensation
    ("superko", np.int64),
    ("suicide", np.bool_),
    ("territory", np.bool_),
    ("width", np.int64),
    ("height", np.int64),
)
FIELDS = RECORD.names
assert FIELDS is not None

STONE_KEYS = zobrist(2 * POINTS, seed=1).reshape(2, POINTS)
_KO_KEYS = zobrist(POINTS, seed=2)
TURN_KEY, _PASS_KEY, _END_KEY = zobrist(3, seed=3)
_0, _1, _2, _STRIDE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(STRIDE)


@helper
def neighbour(point, direction):
    """East, west, south, north."""
    if direction == 0:
        return point + _1
    if direction == 1:
        return point - _1
    if direction == 2:
        return point + _STRIDE
    return point - _STRIDE


@helper
def diagonal(point, direction):
    if direction == 0:
        return point + _STRIDE + _1
    if direction == 1:
        return point + _STRIDE - _1
    if direction == 2:
        return point - _STRIDE + _1
    return point - _STRIDE - _1


@helper
def head_of(state, point):
    return np.uint64(state.head[point])


@helper
def _add_empty(state, point):
    """Add a point to the list of empty points."""
    state.go_stones[point] = EMPTY
    state.empties[state.empty_count] = point
    state.place[point] = state.empty_count
    state.empty_count += _1


@helper
def _take_empty(state, point):
    """Remove a point from the list of empty points; the last one takes its index."""
    state.empty_count -= _1
    last = np.uint64(state.empties[state.empty_count])
    place = np.uint64(state.place[point])
    state.empties[place] = last
    state.place[last] = place


@helper
def remove_string(state, start):
    """Remove a string from the board; returns its number of stones."""
    colour = np.int64(state.go_stones[start]) - 1
    count = 0
    stone = np.uint64(start)
    while True:
        following = np.uint64(state.link[stone])
        _add_empty(state, stone)
        state.stones_key ^= STONE_KEYS[colour, stone]
        for direction in range(4):
            beside = neighbour(stone, direction)
            content = state.go_stones[beside]
            if content == BLACK or content == WHITE:
                state.liberties[head_of(state, beside)] += np.uint16(1)
        count += 1
        if following == np.uint64(start):
            return count
        stone = following


@helper
def _join(state, one, other):
    """Merge two strings: the second gets the head of the first, and their rings are joined."""
    state.liberties[one] += state.liberties[other]
    stone = other
    while True:
        state.head[stone] = one
        stone = np.uint64(state.link[stone])
        if stone == other:
            break
    state.link[one], state.link[other] = state.link[other], state.link[one]


@helper
def place_stone(state, point, colour):
    """Put a stone on an empty point and take what it captures, its own string last; returns how many others.

    Sets the ko point.
    """
    point = np.uint64(point)
    _take_empty(state, point)
    state.go_stones[point] = colour
    state.stones_key ^= STONE_KEYS[colour - 1, point]
    state.head[point] = point
    state.link[point] = point
    free = 0
    friends = 0
    captures = False
    for direction in range(4):
        beside = neighbour(point, direction)
        content = state.go_stones[beside]
        if content == EMPTY:
            free += 1
        elif content != BORDER:
            head = head_of(state, beside)
            left = state.liberties[head] - np.uint16(1)
            state.liberties[head] = left
            if content == colour:
                friends += 1
            elif left == 0:
                captures = True
    state.liberties[point] = free
    state.ko = _0
    taken = 0
    if captures:
        last_taken = _0
        for direction in range(4):
            beside = neighbour(point, direction)
            if state.go_stones[beside] == BLACK + WHITE - colour:
                head = head_of(state, beside)
                if state.liberties[head] == 0:
                    last_taken = beside
                    taken += remove_string(state, head)
        state.captured[colour - 1] += taken
        # Ko: a single stone that captured one stone and has one liberty.
        if taken == 1 and friends == 0 and state.liberties[point] == 1:
            state.ko = last_taken
    if friends:
        for direction in range(4):
            beside = neighbour(point, direction)
            if state.go_stones[beside] == colour:
                head, own = head_of(state, beside), head_of(state, point)
                if head != own:
                    # The string with fewer liberties is usually shorter, and so faster to relabel.
                    if state.liberties[head] < state.liberties[own]:
                        _join(state, own, head)
                    else:
                        _join(state, head, own)
    if state.liberties[head_of(state, point)] == 0:
        state.captured[WHITE - colour] += remove_string(state, head_of(state, point))
    return taken


@helper
def is_open(state, point):
    """Whether a neighbour is empty."""
    for direction in range(4):
        if state.go_stones[neighbour(point, direction)] == EMPTY:
            return True
    return False


@helper
def is_connected(state, point, colour):
    """Whether a stone on a point without empty neighbours would capture, or join a string with a liberty."""
    # Temporarily subtract this point from the liberties around it.
    for direction in range(4):
        beside = neighbour(point, direction)
        if state.go_stones[beside] != BORDER:
            state.liberties[head_of(state, beside)] -= np.uint16(1)
    good = False
    for direction in range(4):
        beside = neighbour(point, direction)
        content = state.go_stones[beside]
        if content != BORDER and (state.liberties[head_of(state, beside)] == 0) != (content == colour):
            good = True
    for direction in range(4):
        beside = neighbour(point, direction)
        if state.go_stones[beside] != BORDER:
            state.liberties[head_of(state, beside)] += np.uint16(1)
    return good


@helper
def is_allowed(state, point, colour):
    """Whether an empty point may be played, ignoring superko."""
    return point != state.ko and (state.suicide or is_open(state, point) or is_connected(state, point, colour))


@helper
def is_eye(state, point, colour):
    """An empty point that its owner should not fill.

    All four neighbours are own stones, of any string, or the edge; and at most one diagonal is the enemy's, none
    at the edge.
    """
    for direction in range(4):
        content = state.go_stones[neighbour(point, direction)]
        if content != colour and content != BORDER:
            return False
    bad = 0
    edge = 0
    for direction in range(4):
        content = state.go_stones[diagonal(point, direction)]
        bad += content == BLACK + WHITE - colour
        edge |= content == BORDER
    return bad + edge < 2


@rule(FIELDS)
def to_move(state):
    return state.turn


@rule(FIELDS)
def legal_moves(state, out):
    count = 0
    colour = state.turn + 1
    for row in range(np.uint64(state.height)):
        point = _STRIDE * (np.uint64(row) + _1)
        for _ in range(state.width):
            point += _1
            if state.go_stones[point] == EMPTY and is_allowed(state, point, colour):
                out[count] = point
                count += 1
    if state.handicap == 0:
        out[count] = PASS
        count += 1
    return count


@rule(FIELDS)
def is_legal(state, move, out):
    if move == PASS:
        return state.handicap == 0
    return state.go_stones[move] == EMPTY and is_allowed(state, np.uint64(move), state.turn + 1)


@rule(FIELDS)
def random_move(state, rng):
    colour = state.turn + 1
    choices = state.empty_count + (_1 if state.handicap == 0 else _0)
    while True:
        index = below(rng, choices)
        if index == state.empty_count:
            return _0
        point = np.uint64(state.empties[index])
        if is_allowed(state, point, colour):
            return point


@rule(FIELDS)
def playout_move(state, rng):
    """A uniformly random legal point that is neither suicide nor an own eye; otherwise pass."""
    colour = state.turn + 1
    left = state.empty_count
    while left != _0:
        index = below(rng, left)
        point = np.uint64(state.empties[index])
        if is_open(state, point):  # so it is not the ko point
            return point
        if not is_eye(state, point, colour) and point != state.ko and is_connected(state, point, colour):
            return point
        # Swap it behind the untried points, so that each is tried once.
        left -= _1
        other = np.uint64(state.empties[left])
        state.empties[left] = point
        state.place[point] = left
        state.empties[index] = other
        state.place[other] = index
    return _0


@rule(FIELDS)
def play(state, move):
    if move == PASS:
        state.ko = _0
        state.passes += 1
    else:
        state.passes = 0
        place_stone(state, move, state.turn + 1)
    if state.handicap > 0:
        state.handicap -= 1
    if state.handicap == 0:
        state.turn = 1 - state.turn


@rule(FIELDS)
def is_over(state):
    return state.passes >= 2


@rule(FIELDS)
def key(state):
    bits = state.stones_key ^ _KO_KEYS[state.ko]
    if state.turn == 1:
        bits ^= TURN_KEY
    if state.passes > 0:
        bits ^= _PASS_KEY
    if state.passes > 1:
        bits ^= _END_KEY
    if state.territory:
        bits ^= mix(np.uint64(1024 * 1024 + state.captured[0] - state.captured[1]))
    return bits + np.uint64(state.handicap)


@rule(FIELDS)
def off_board_key(state):
    return mix(key(state) ^ state.stones_key ^ _KO_KEYS[state.ko])


@rule(FIELDS)
def canonical_key(state, symmetries, out):
    return canonical_hash(state.go_stones, np.int64(state.ko), off_board_key(state), symmetries, out)


@rule(FIELDS)
def may_repeat(state):
    """Passes do not repeat positions, and without captures the number of stones only grows."""
    return state.passes == 0 and state.captured[0] + state.captured[1] > 0


@rule(FIELDS)
def repeat_key(state):
    if state.superko == POSITIONAL or state.turn == 0:
        return state.stones_key
    return state.stones_key ^ TURN_KEY


@rule(FIELDS)
def forbids_repetition(state):
    return state.superko != SIMPLE


@rule(FIELDS)
def write_stones(state, out):
    for row in range(out.shape[0]):
        start = STRIDE * (row + 1) + 1
        for column in range(out.shape[1]):
            out[row, column] = state.go_stones[start + column]
    return True


# ---- entry points for Python


@kernel
def put_stones(states, points, colour):
    """Set up stones on empty points of `states[0]`."""
    for point in points:
        place_stone(states[0], np.uint64(point), colour)


@kernel
def is_suicide(states, point):
    """Whether a stone of the mover here would have no liberty."""
    state = states[0]
    point = np.uint64(point)
    return not (is_open(state, point) or is_connected(state, point, state.turn + 1))
