"""Renju's opening protocols Soosorv-8 and Taraguchi-10: zones of the first stones, and offers of fifth stones.

Taraguchi-10: the first four stones lie within zero, one, two and three points of the centre, and after each the
other player may swap. Then the fifth lies within four points, and the other may swap once more; or instead of
swapping after the fourth, the player with Black offers ten fifth stones anywhere, of which White picks one.

Soosorv-8: First places three stones, within zero, one and two points of the centre; Second may swap. White places
the fourth anywhere and says how many fifth stones, one to eight, Black shall offer; the other may swap. Black
offers them, and White picks one.

Offered points must differ, also by rotations and reflections of the board that leave the four stones in place.
Who swaps takes the other colour, so a swap is a choice of a side, as in the other protocols.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import allocating_helper, helper
from tengen.games.pente.record import (
    FIFTH,
    HOW_MANY,
    NOTHING,
    OFFER_ONE,
    OFFER_TEN,
    PICK,
    SIDE,
    SIDE_OR_TEN,
    SOOSORV,
    STRIDE,
    TARAGUCHI,
)

UNLIMITED = 99
"""More than any distance from the centre."""
OFFERED = np.uint8(4)
"""Content of an offered point for `cells_with_offers`."""
_1, _STRIDE = np.uint64(1), np.uint64(STRIDE)


@helper
def is_offering(state):
    """Whether the seat to move offers fifth stones."""
    return state.wanted > 1 and state.choice == NOTHING and state.number == FIFTH


@helper
def zone(state):
    """How far from the centre the next stone may be."""
    if state.opening == SOOSORV and state.number <= 2:
        return state.number
    if state.opening == TARAGUCHI and state.number <= FIFTH and state.wanted == 0:
        return state.number
    return np.int64(UNLIMITED)


# ---- symmetries, by three bits: swap the coordinates, mirror the columns, mirror the rows


@helper
def _image(state, point, symmetry):
    across, down = point % _STRIDE - _1, point // _STRIDE - _1
    if symmetry & 1:
        across, down = down, across
    last = np.uint64(state.width - 1)
    if symmetry & 2:
        across = last - across
    if symmetry & 4:
        down = last - down
    return _STRIDE * (down + _1) + across + _1


@helper
def symmetries_of(state):
    """The symmetries of the board that leave all stones in place, one bit each."""
    found = 0
    for symmetry in range(8):
        is_same = True
        for row in range(np.uint64(state.width)):
            point = _STRIDE * (np.uint64(row) + _1)
            for _ in range(state.width):
                point += _1
                is_same &= state.pente_stones[point] == state.pente_stones[_image(state, point, symmetry)]
        if is_same:
            found |= 1 << symmetry
    return found


@helper
def is_offered(state, point, symmetries):
    """Whether a point or an image of it has been offered."""
    for symmetry in range(8):
        if symmetries >> symmetry & 1:
            image = _image(state, point, symmetry)
            for i in range(state.offer_count):
                if np.uint64(state.offers[i]) == image:
                    return True
    return False


@allocating_helper
def cells_with_offers(state):
    """The contents of the board, and OFFERED on offered points."""
    cells = state.pente_stones.copy()
    for i in range(state.offer_count):
        cells[state.offers[i]] = OFFERED
    return cells


# ---- the course of the protocols


@helper
def after_stone(state):
    """Update turn and choice when a seat has placed its stones in one of these openings."""
    if state.opening == SOOSORV and state.number == FIFTH:
        state.choice = HOW_MANY  # by the same seat
        return
    state.turn = 1 - state.turn
    state.choice = SIDE_OR_TEN if state.opening == TARAGUCHI and state.number == FIFTH else SIDE


@helper
def after_side(state):
    """Go on after a choice of sides."""
    if state.number < FIFTH or (state.opening == TARAGUCHI and state.number == FIFTH):
        state.left = 1
    elif state.wanted == 1:
        state.wanted = 0


@helper
def declare(state, move):
    """Carry out the choice of how many fifth stones there will be."""
    if move == OFFER_TEN:
        state.wanted = 10
        state.swapped = state.turn  # who offers has Black
        state.choice = NOTHING
    else:
        state.wanted = move - OFFER_ONE + 1
        state.turn = 1 - state.turn
        state.choice = SIDE


@helper
def offer(state, point):
    state.offers[state.offer_count] = point
    state.offer_count += 1
    if state.offer_count == state.wanted:
        state.turn = 1 - state.turn
        state.choice = PICK


@helper
def end_offers(state):
    """After one of the offered stones was picked and placed."""
    state.choice, state.wanted, state.offer_count = NOTHING, 0, 0
    for i in range(len(state.offers)):
        state.offers[i] = 0


@helper
def list_choices(state, out):
    """Write the moves of a pending HOW_MANY or PICK; returns how many."""
    if state.choice == PICK:
        for i in range(state.offer_count):
            out[i] = state.offers[i]
        return state.offer_count
    for i in range(8):
        out[i] = OFFER_ONE + i
    return np.int64(8)


@helper
def next_chooser(state):
    """The seat that will choose between the sides next, or -1 if they are settled."""
    if state.choice == PICK or is_offering(state):
        return np.int64(-1)
    if state.choice == HOW_MANY or (state.choice == NOTHING and state.left > 0):
        return 1 - state.turn
    return state.turn if state.choice != NOTHING else np.int64(-1)
