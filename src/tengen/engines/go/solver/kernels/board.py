"""A small board as two sets of bits, one for each colour, and the key of a position under all symmetries.

Rows stand one after the other with an empty bit between them, so that the points beside a set are four shifts
of it. `shape` holds what a board looks like:

    shape[0]  all points          shape[1]  how far apart two rows are
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, popcount, trailing_zeros
from tengen.core.compiled.kernel import helper

_8, _255, _6 = np.uint64(8), np.uint64(255), np.uint64(6)


@helper
def beside(points, shape):
    """All points that touch one of these; some of these may be among them."""
    stride = shape[1]
    return ((points << ONE) | (points >> ONE) | (points << stride) | (points >> stride)) & shape[0]


@helper
def connected(seed, among, shape):
    """All points that can be reached from `seed` by points `among` these, `seed` being some of them."""
    reached = seed
    while True:
        more = (reached | beside(reached, shape)) & among
        if more == reached:
            return reached
        reached = more


@helper
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


@helper
def area(own, other, shape):
    """The area of `own` minus that of `other`, all stones being alive."""
    empty = shape[0] & ~(own | other)
    near = connected(beside(own, shape) & empty, empty, shape)
    far = connected(beside(other, shape) & empty, empty, shape)
    return np.int64(popcount(own | (near & ~far))) - np.int64(popcount(other | (far & ~near)))


@helper
def canonical(own, other, ko, codes, images):
    """(the smallest code of a position over its images, the image that has it).

    `codes[image, byte, bits]` is the sum of the powers of three of the points that these bits become, and
    `images[image, point]` is the bit that a point becomes.
    """
    best = np.uint64(0xFFFFFFFFFFFFFFFF)
    which = 0
    for image in range(codes.shape[0]):
        code = ZERO
        first, second = own, other
        for byte in range(codes.shape[1]):
            code += codes[image, byte, first & _255] + (codes[image, byte, second & _255] << ONE)
            first >>= _8
            second >>= _8
        code <<= _6
        if ko != ZERO:
            code |= np.uint64(images[image, trailing_zeros(ko)] + 1)
        if code < best:
            best, which = code, image
    return best, which
