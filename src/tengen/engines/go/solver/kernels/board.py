"""A small board as two sets of bits, one for each colour, and the key of a position under all symmetries.

Rows stand one after the other with an empty bit between them, so that the points beside a set are four shifts
of it. `shape` holds what a board looks like:

    shape[0]  all points          shape[1]  how far apart two rows are
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, popcount, trailing_zeros
from tengen.core.compiled.kernel import inner


@inner
def beside(points, shape):
    """All points that touch one of these; some of these may be among them."""
    stride = shape[1]
    return ((points << ONE) | (points >> ONE) | (points << stride) | (points >> stride)) & shape[0]


@inner
def connected(seed, among, shape):
    """All points that can be reached from `seed` by points `among` these, `seed` being some of them."""
    reached = seed
    while True:
        more = (reached | beside(reached, shape)) & among
        if more == reached:
            return reached
        reached = more


@inner
def place(own, other, stone, shape):
    """Put a stone of `own`: (own, other, ko) afterwards, own being 0 if the move is suicide.

    `ko` is the point that may not be retaken at once, or 0.
    """
    own |= stone
    empty = shape[0] & ~(own | other)
    taken = ZERO
    left = beside(stone, shape) & other
    while left != ZERO:
        string = connected(left & (~left + ONE), other, shape)
        left &= ~string
        if beside(string, shape) & empty == ZERO:
            taken |= string
    other &= ~taken
    empty |= taken
    string = connected(stone, own, shape)
    liberties = beside(string, shape) & empty
    if liberties == ZERO:
        return ZERO, other, ZERO
    ko = ZERO
    if string == stone and popcount(taken) == ONE and liberties == taken:
        ko = taken
    return own, other, ko


@inner
def area(own, other, shape):
    """The area of `own` minus that of `other`, all stones being alive."""
    empty = shape[0] & ~(own | other)
    near = connected(beside(own, shape) & empty, empty, shape)
    far = connected(beside(other, shape) & empty, empty, shape)
    return np.int64(popcount(own | (near & ~far))) - np.int64(popcount(other | (far & ~near)))


@inner
def count_in(stones, times, powers, sums):
    """Add the powers of these points to `sums`, so many times: `sums[n]` counts by `powers[point, n]`.

    Such sums number what stands on the board in base three: a stone of one side counts once, of the other twice.
    """
    while stones != ZERO:
        point = trailing_zeros(stones)
        stones &= stones - ONE
        for n in range(len(sums)):
            sums[n] += times * powers[point, n]


@inner
def number(mine, theirs, powers, sums):
    """The sums of a board."""
    for n in range(len(sums)):
        sums[n] = 0
    count_in(mine, 1, powers, sums)
    count_in(theirs, 2, powers, sums)


@inner
def moved_on(sums, stone, taken, turn, powers, into):
    """What the sums of a board become by a stone of side `turn` that takes others: `into`."""
    point = trailing_zeros(stone)
    for n in range(len(sums)):
        into[n] = sums[n] + (turn + 1) * powers[point, n]
    count_in(taken, turn - 2, powers, into)


@inner
def canonical(sums, ko, images):
    """(the smallest code of a position over its images, the image that has it).

    `sums[image]` is the number of the board in base three as that image has it, and `images[image, point]` the bit
    that a point becomes.
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
