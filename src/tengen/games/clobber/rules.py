"""The rules of Clobber on bit boards, for strips and rectangles.

Cell `c` of a board with `width` columns is row `c // width` from the top, column `c % width`. Two neighbours are
known by the higher of their two cells, `u`, and so is every move: its code is `4 * u + direction`, where

    0  right, from u - 1 onto u          2  down, from u - width onto u
    1  left, from u onto u - 1           3  up, from u onto u - width

Any two neighbours give the side to move at most one move. Boards of up to 64 cells are one word for each
colour; larger ones are several, by the same code compiled for another record.
"""

from __future__ import annotations

import functools

import numpy as np

from tengen.core.compiled.bits import nth_bit, popcount, trailing_zeros
from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.records import record_type
from tengen.core.compiled.rng import below, mix
from tengen.core.compiled.rules import rule

FIELDS = ("clobber_stones", "captures", "move_count", "follows", "width", "height", "turn")

RIGHT, LEFT, DOWN, UP = range(4)

_WIN = 1000  # normal play: a game is worth one point to its winner
_ONE = np.uint64(1)
_SIX = np.uint64(6)
_63 = np.uint64(63)
_64 = np.uint64(64)


@functools.cache
def record(words: int) -> np.dtype:
    """The record of a board of up to `64 * words` cells.

    clobber_stones: for each player the cells of its stones; captures: for each direction the cells `u` of the
    mover's moves, kept up to date by `play`; follows: the cells that have a left neighbour.
    """
    return record_type(
        ("clobber_stones", np.uint64, (2, words)),
        ("captures", np.uint64, (4, words)),
        ("move_count", np.uint64),
        ("follows", np.uint64, (words,)),
        ("width", np.uint64),
        ("height", np.uint64),
        ("turn", np.int64),
    )


@helper
def _shifted(stones, player, word, distance):
    """Word `word` of a player's stones, all moved up by `distance` cells."""
    whole, part = np.int64(distance >> _SIX), distance & _63
    bits = np.uint64(0)
    if word >= whole:
        bits = stones[player, word - whole] << part
        if part != np.uint64(0) and word > whole:
            bits |= stones[player, word - whole - 1] >> (_64 - part)
    return bits


@helper
def _captures(state, player, direction, word):
    """The cells `u` of a word with a move of this direction for the player."""
    enemy = 1 - player
    stones = state.clobber_stones
    if direction < 2:
        distance, allowed = _ONE, state.follows[word]
    else:
        distance, allowed = state.width, ~np.uint64(0)
    if direction & 1:  # onto the lower cell
        return stones[player, word] & _shifted(stones, enemy, word, distance) & allowed
    return stones[enemy, word] & _shifted(stones, player, word, distance) & allowed


@helper
def _directions(state):
    """A strip has no moves up or down."""
    return 4 if state.height > _ONE else 2


@rule(FIELDS)
def to_move(state):
    return state.turn


@helper
def _settle(state):
    """Recompute `captures` and `move_count` from the stones."""
    total = np.uint64(0)
    for direction in range(_directions(state)):
        for word in range(len(state.follows)):
            cells = _captures(state, state.turn, direction, word)
            state.captures[direction, word] = cells
            total += popcount(cells)
    state.move_count = total


@rule(FIELDS)
def legal_moves(state, out):
    count = 0
    for direction in range(_directions(state)):
        for word in range(len(state.follows)):
            cells = state.captures[direction, word]
            while cells != np.uint64(0):
                cell = np.int64(trailing_zeros(cells)) + 64 * word
                out[count] = 4 * cell + direction
                count += 1
                cells &= cells - _ONE
    return count


@rule(FIELDS)
def random_move(state, rng):
    index = below(rng, state.move_count)
    for direction in range(_directions(state)):
        for word in range(len(state.follows)):
            cells = state.captures[direction, word]
            here = popcount(cells)
            if index < here:
                return np.int64(nth_bit(cells, np.int64(index))) * 4 + 256 * word + direction
            index -= here
    return np.int64(-1)  # not reached: the game is not over


@helper
def origin_and_target(state, move):
    """The two cells of a move."""
    upper, direction = np.int64(move) >> 2, np.int64(move) & 3
    lower = upper - (1 if direction < 2 else np.int64(state.width))
    if direction & 1:
        return upper, lower
    return lower, upper


@rule(FIELDS)
def play(state, move):
    origin, target = origin_and_target(state, move)
    from_bit = _ONE << (np.uint64(origin) & _63)
    to_bit = _ONE << (np.uint64(target) & _63)
    player = state.turn
    state.clobber_stones[player, origin >> 6] &= ~from_bit
    state.clobber_stones[player, target >> 6] |= to_bit
    state.clobber_stones[1 - player, target >> 6] &= ~to_bit
    state.turn = 1 - player
    _settle(state)


@rule(FIELDS)
def is_over(state):
    return state.move_count == np.uint64(0)


@rule(FIELDS)
def score(state):
    """Normal play: a player without a move loses."""
    return np.int64(-_WIN if state.turn == 0 else _WIN)


@rule(FIELDS)
def key(state):
    bits = mix(np.uint64(state.turn))  # an unmixed bit could cancel against a stone on the first cell
    for player in range(2):
        for word in range(len(state.follows)):
            bits = mix(bits ^ state.clobber_stones[player, word])
    return bits


@rule(FIELDS)
def evaluate(state):
    """Difference of adjacent pairs of own stones; always less than a win.

    Mobility is useless: two adjacent enemies are one move for either side, so both have equally many moves.
    Adjacent own stones are moves in reserve. On small random boards that one side wins regardless of who moves
    first, this favours the winner in 86 % and the loser in 6 %.
    """
    left, right = _friends(state, 0), _friends(state, 1)
    value = abs(left - right) * (_WIN - 1) // (left + right + 1)
    return value if left > right else -value


@helper
def _friends(state, player):
    """Number of pairs of adjacent stones of a player."""
    stones = state.clobber_stones
    total = np.uint64(0)
    for word in range(len(state.follows)):
        own = stones[player, word]
        total += popcount(own & _shifted(stones, player, word, _ONE) & state.follows[word])
        if state.height > _ONE:
            total += popcount(own & _shifted(stones, player, word, state.width))
    return np.int64(total)


@rule(FIELDS)
def write_stones(state, out):
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            cell = np.uint64(row * out.shape[1] + column)
            first = state.clobber_stones[0, cell >> _SIX] >> (cell & _63) & _ONE
            second = state.clobber_stones[1, cell >> _SIX] >> (cell & _63) & _ONE
            out[row, column] = first + (second << _ONE)
    return True


@kernel
def settle(states):
    """Recompute `captures` and `move_count` of `states[0]` from the stones."""
    _settle(states[0])
