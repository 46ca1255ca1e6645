"""A bit board turned and mirrored.

Image `number` is made by mirroring columns if it is odd (1), then rows (2), then swapping the two (4); so all the
tables of images in this package are numbered.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import helper

_M1, _M2, _M4 = (np.uint64(m) for m in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_R1, _R2 = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
_D1, _D2, _D4 = (np.uint64(m) for m in (0x00AA00AA00AA00AA, 0x0000CCCC0000CCCC, 0x00000000F0F0F0F0))
_1, _2, _4, _7, _8 = (np.uint64(n) for n in (1, 2, 4, 7, 8))
_14, _16, _28, _32 = (np.uint64(n) for n in (14, 16, 28, 32))


@helper
def mirrored(bits, side):
    """Reverse the columns of a board of `side` rows in the top left corner."""
    bits = ((bits >> _1) & _M1) | ((bits & _M1) << _1)
    bits = ((bits >> _2) & _M2) | ((bits & _M2) << _2)
    bits = ((bits >> _4) & _M4) | ((bits & _M4) << _4)
    return bits >> (_8 - side)


@helper
def upside_down(bits, side):
    """Reverse the rows."""
    bits = ((bits >> _8) & _R1) | ((bits & _R1) << _8)
    bits = ((bits >> _16) & _R2) | ((bits & _R2) << _16)
    bits = (bits >> _32) | (bits << _32)
    return bits >> (_8 * (_8 - side))


@helper
def swapped(bits):
    """Transpose rows and columns."""
    swap = (bits ^ (bits >> _7)) & _D1
    bits ^= swap ^ (swap << _7)
    swap = (bits ^ (bits >> _14)) & _D2
    bits ^= swap ^ (swap << _14)
    swap = (bits ^ (bits >> _28)) & _D4
    return bits ^ swap ^ (swap << _28)


@helper
def turned(bits, number, side):
    """Image `number` of a board."""
    if number & 1:
        bits = mirrored(bits, side)
    if number & 2:
        bits = upside_down(bits, side)
    return swapped(bits) if number & 4 else bits


@helper
def least_pair(mover, enemy, side):
    """(mover, enemy, number) of the image with the least (mover, enemy)."""
    m1 = mirrored(mover, side)
    m2, m3 = upside_down(mover, side), upside_down(m1, side)
    m4, m5, m6, m7 = swapped(mover), swapped(m1), swapped(m2), swapped(m3)
    least = min(min(min(mover, m1), min(m2, m3)), min(min(m4, m5), min(m6, m7)))
    best = np.int64(-1)
    other = np.uint64(0)
    # Usually only one image has the least mover, so only one image of the enemy is needed.
    for number, image in enumerate((mover, m1, m2, m3, m4, m5, m6, m7)):
        if image == least:
            candidate = turned(enemy, number, side)
            if best < 0 or candidate < other:
                best, other = np.int64(number), candidate
    return least, other, best
