"""The least image of a board of stones: what positions that are turned or mirrored have in common."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import helper
from tengen.core.compiled.rng import mix

_SECOND = np.uint64(0x2545F4914F6CDD1D)
_EIGHT = np.uint64(8)


@helper
def least_image(cells, marked, rest, images, out):
    """Write 128 bits into `out` and return the number of the image that they were made from.

    `cells[point]` is 1 or 2 for a stone; `marked` is a point with a meaning of its own, or 0; `rest` are 64 bits
    for all that no image changes. Sums of scrambled numbers: the order of points is no matter.
    """
    best = np.int64(-1)
    least, other = np.uint64(0), np.uint64(0)
    for number in range(len(images)):
        first, second = rest, mix(rest ^ _SECOND)
        for point in range(len(cells)):
            if cells[point] == 1 or cells[point] == 2:
                bits = mix(np.uint64(images[number, point]) * _EIGHT + np.uint64(cells[point]))
                first += bits
                second += mix(bits ^ _SECOND)
        if marked != 0:
            bits = mix(np.uint64(images[number, marked]) * _EIGHT + np.uint64(3))
            first += bits
            second += mix(bits ^ _SECOND)
        if best < 0 or first < least or (first == least and second < other):
            best = np.int64(number)
            least, other = first, second
    out[0] = least
    out[1] = other
    return best
