"""The rules of Othello on bit boards, for 8x8, 6x6 and 4x4.

Square `s` is row `s // 8` from the top, column `s % 8`; bit `s` of a board stands for it. Smaller boards lie in
the top left corner, and `board` holds their squares: a line of flips ends at a square without an enemy disc, so
nothing else needs to know the size. `moves` are the squares where the mover may play, kept up to date by
`play`; a mover without any must pass while the other has one, and when neither has, the game is over.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from tengen.core.compiled.bits import nth_bit, popcount, trailing_zeros
from tengen.core.compiled.kernel import OPTIONS, helper, kernel
from tengen.core.compiled.records import record_type
from tengen.core.compiled.rng import below, mix
from tengen.core.compiled.rules import rule
from tengen.games.othello.images import least_pair
from tengen.games.othello.lanes import lane_flips, lane_moves

FIELDS = ("othello_mover", "enemy", "board", "moves", "over", "turn")
PASS = 64

RECORD = record_type(
    ("othello_mover", np.uint64),
    ("enemy", np.uint64),
    ("board", np.uint64),
    ("moves", np.uint64),
    ("over", np.bool_),
    ("turn", np.int64),
)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_INNER = np.uint64(0x7E7E7E7E7E7E7E7E)  # files b to g: a horizontal line of enemy discs cannot wrap past them
_1, _2, _7, _8, _9 = (np.uint64(n) for n in (1, 2, 7, 8, 9))
_14, _16, _18 = (np.uint64(n) for n in (14, 16, 18))


def _line_moves(mover, enemy, one, two):
    """Squares that end a line of enemy discs begun at a mover's disc, both ways along one axis.

    Doubling: runs of one, then of three, then of five or six enemy discs are filled.
    """
    up = enemy & (mover << one)
    up |= enemy & (up << one)
    pairs_up = enemy & (enemy << one)
    up |= pairs_up & (up << two)
    up |= pairs_up & (up << two)
    down = enemy & (mover >> one)
    down |= enemy & (down >> one)
    pairs_down = enemy & (enemy >> one)
    down |= pairs_down & (down >> two)
    down |= pairs_down & (down >> two)
    return (up << one) | (down >> one)


def find_moves(mover, enemy, board):
    """The squares where the mover may play."""
    inner = enemy & _INNER
    moves = _line_moves(mover, inner, _1, _2)
    moves |= _line_moves(mover, enemy, _8, _16)
    moves |= _line_moves(mover, inner, _7, _14)
    moves |= _line_moves(mover, inner, _9, _18)
    return moves & board & ~(mover | enemy)


def _line_flips(disc, mover, enemy, one, two):
    up = enemy & (disc << one)
    up |= enemy & (up << one)
    pairs_up = enemy & (enemy << one)
    up |= pairs_up & (up << two)
    up |= pairs_up & (up << two)
    down = enemy & (disc >> one)
    down |= enemy & (down >> one)
    pairs_down = enemy & (enemy >> one)
    down |= pairs_down & (down >> two)
    down |= pairs_down & (down >> two)
    flips = _ZERO
    if mover & (up << one):
        flips = up
    if mover & (down >> one):
        flips |= down
    return flips


def find_flips(square, mover, enemy):
    """The discs flipped by a move on this square; none if it is illegal."""
    disc = _ONE << np.uint64(square)
    inner = enemy & _INNER
    flips = _line_flips(disc, mover, inner, _1, _2)
    flips |= _line_flips(disc, mover, enemy, _8, _16)
    flips |= _line_flips(disc, mover, inner, _7, _14)
    return flips | _line_flips(disc, mover, inner, _9, _18)


@overload(find_moves, jit_options=OPTIONS)
def _find_moves(mover, enemy, board):
    return lambda mover, enemy, board: lane_moves(np.uint64(mover), np.uint64(enemy)) & board & ~(mover | enemy)


@overload(find_flips, jit_options=OPTIONS)
def _find_flips(square, mover, enemy):
    return lambda square, mover, enemy: lane_flips(np.uint64(square), np.uint64(mover), np.uint64(enemy))


@helper
def _settle(state):
    """Recompute `moves` and `over` from the discs."""
    state.moves = find_moves(state.othello_mover, state.enemy, state.board)
    state.over = state.moves == _ZERO and find_moves(state.enemy, state.othello_mover, state.board) == _ZERO


@rule(FIELDS)
def to_move(state):
    return state.turn


@rule(FIELDS)
def legal_moves(state, out):
    moves = state.moves
    if moves == _ZERO:
        out[0] = PASS
        return 1
    count = 0
    while moves != _ZERO:
        out[count] = np.int64(trailing_zeros(moves))
        count += 1
        moves &= moves - _ONE
    return count


@rule(FIELDS)
def is_legal(state, move, out):
    if move == PASS:
        return state.moves == _ZERO
    return (state.moves >> np.uint64(move)) & _ONE != _ZERO


@rule(FIELDS)
def random_move(state, rng):
    if state.moves == _ZERO:
        return np.int64(PASS)
    return np.int64(nth_bit(state.moves, np.int64(below(rng, popcount(state.moves)))))


@rule(FIELDS)
def play(state, move):
    mover, enemy = state.othello_mover, state.enemy
    if move != PASS:
        flips = find_flips(move, mover, enemy)
        mover |= flips | (_ONE << np.uint64(move))
        enemy &= ~flips
    state.othello_mover = enemy
    state.enemy = mover
    state.turn = 1 - state.turn
    _settle(state)


@rule(FIELDS)
def is_over(state):
    return state.over


@rule(FIELDS)
def score(state):
    """Discs of Black minus discs of White; empty squares go to the winner."""
    own, other = np.int64(popcount(state.othello_mover)), np.int64(popcount(state.enemy))
    difference = own - other
    empty = np.int64(popcount(state.board)) - own - other
    if difference > 0:
        difference += empty
    elif difference < 0:
        difference -= empty
    return np.int64(1000) * (difference if state.turn == 0 else -difference)


@rule(FIELDS)
def key(state):
    # The turn is mixed first: an unmixed bit could cancel against a disc on a1.
    return mix(state.othello_mover ^ mix(state.enemy ^ mix(np.uint64(state.turn))))


@rule(FIELDS)
def canonical_key(state, symmetries, out):
    """The least of the eight (mover, enemy) pairs: a lossless key, independent of colours."""
    out[0], out[1], number = least_pair(state.othello_mover, state.enemy, _side(state.board))
    return number


@rule(FIELDS)
def decode_key(state, bits):
    if bits[0] & bits[1] or (bits[0] | bits[1]) & ~state.board:
        return False
    state.othello_mover = bits[0]
    state.enemy = bits[1]
    state.turn = 0
    _settle(state)
    return True


@rule(FIELDS)
def move_count(state):
    """Moves since the standard start; negative for boards with fewer discs."""
    return np.int64(popcount(state.othello_mover | state.enemy)) - 4


@rule(FIELDS)
def must_pass(state):
    return state.moves == _ZERO and not state.over


@helper
def _side(board):
    if popcount(board) == 64:
        return np.uint64(8)
    return np.uint64(6) if popcount(board) == 36 else np.uint64(4)


@helper
def _corners(board):
    if popcount(board) == 64:
        return np.uint64(0x8100000000000081)
    if popcount(board) == 36:
        return np.uint64(0x0000210000000021)
    return np.uint64(0x0000000009000009)


@rule(FIELDS)
def evaluate(state):
    """Hand-weighted mobility and corners; always less than a win of all squares."""
    mobility = np.int64(popcount(state.moves)) - np.int64(
        popcount(find_moves(state.enemy, state.othello_mover, state.board))
    )
    corners = _corners(state.board)
    held = np.int64(popcount(state.othello_mover & corners)) - np.int64(popcount(state.enemy & corners))
    limit = 1000 * np.int64(popcount(state.board)) - 1  # on 4x4, four corners would exceed the board
    value = min(max(700 * mobility + 5000 * held, -limit), limit)
    return value if state.turn == 0 else -value


@rule(FIELDS)
def write_stones(state, out):
    first, second = state.othello_mover, state.enemy
    if state.turn == 1:
        first, second = second, first
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            square = np.uint64(8 * row + column)
            out[row, column] = (first >> square & _ONE) + _2 * (second >> square & _ONE)
    return True


@kernel
def settle(states):
    """Recompute `moves` and `over` of `states[0]` from the discs."""
    _settle(states[0])
