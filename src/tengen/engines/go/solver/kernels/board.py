"""Bitboards of small boards, and position keys that are canonical under symmetry.

Another board than those of playouts and reading: up to 30 points fit in a word, so a position is two words, and
moves need no undo. A board is a bit set per colour. Rows are separated by an unused bit, so that four shifts give
the adjacent points.
`shape` describes the board:

    shape[0]  all points          shape[1]  stride: distance of two rows
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, popcount, trailing_zeros
from tengen.core.compiled.kernel import inner


@inner
def adjacent(points, shape):
    """All points adjacent to one of `points`, which may include some of them."""
    stride = shape[1]
    return ((points << ONE) | (points >> ONE) | (points << stride) | (points >> stride)) & shape[0]


@inner
def connected(seed, among, shape):
    """All points connected to `seed`, a subset of `among`, through points of `among`."""
    reached = seed
    while True:
        more = (reached | adjacent(reached, shape)) & among
        if more == reached:
            return reached
        reached = more


@inner
def place(own, other, stone, shape):
    """(own, other, ko) after placing a stone of `own`; own is 0 if the move is suicide.

    `ko` is the point that may not be retaken, or 0.
    """
    own |= stone
    empty = shape[0] & ~(own | other)
    taken = ZERO
    left = adjacent(stone, shape) & other
    while left != ZERO:
        string = connected(left & (~left + ONE), other, shape)
        left &= ~string
        if adjacent(string, shape) & empty == ZERO:
            taken |= string
    other &= ~taken
    empty |= taken
    string = connected(stone, own, shape)
    liberties = adjacent(string, shape) & empty
    if liberties == ZERO:
        return ZERO, other, ZERO
    ko = ZERO
    if string == stone and popcount(taken) == ONE and liberties == taken:
        ko = taken
    return own, other, ko


@inner
def area(own, other, shape):
    """Area of `own` minus area of `other`, with all stones alive."""
    empty = shape[0] & ~(own | other)
    near = connected(adjacent(own, shape) & empty, empty, shape)
    far = connected(adjacent(other, shape) & empty, empty, shape)
    return np.int64(popcount(own | (near & ~far))) - np.int64(popcount(other | (far & ~near)))


@inner
def add_powers(stones, times, powers, sums):
    """Add `times * powers[point, n]` to each `sums[n]` for all points of `stones`.

    The sums are base-three codes: digit 1 for a stone of one side, 2 for the other.
    """
    while stones != ZERO:
        point = trailing_zeros(stones)
        stones &= stones - ONE
        for n in range(len(sums)):
            sums[n] += times * powers[point, n]


@inner
def encode(mine, theirs, powers, sums):
    """Compute the codes of a board."""
    for n in range(len(sums)):
        sums[n] = 0
    add_powers(mine, 1, powers, sums)
    add_powers(theirs, 2, powers, sums)


@inner
def update_sums(sums, stone, taken, turn, powers, into):
    """Write the codes after a stone of side `turn` that captures `taken` to `into`."""
    point = trailing_zeros(stone)
    for n in range(len(sums)):
        into[n] = sums[n] + (turn + 1) * powers[point, n]
    add_powers(taken, turn - 2, powers, into)


@inner
def canonical(sums, ko, images):
    """(smallest code of a position over all images, that image).

    `sums[image]` is the code of the board under an image; `images[image, point]` maps points.
    """
    best = np.int64(0)
    which = -1
    for image in range(len(sums)):
        code = sums[image] << 6
        if ko != ZERO:
            code |= images[image, trailing_zeros(ko)] + 1
        if which < 0 or code < best:
            best, which = code, image
    return np.uint64(best), which
