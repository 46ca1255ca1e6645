"""Hashes of boards that are equal for all rotations and reflections of a board."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import helper
from tengen.core.compiled.rng import mix

_SECOND = np.uint64(0x2545F4914F6CDD1D)
_EIGHT = np.uint64(8)


@helper
def canonical_hash(cells, marked, off_board, symmetries, out):
    """Write the smallest 128-bit hash over all symmetries into `out`; return the index of that symmetry.

    `cells[point]` is 1 or 2 for a stone, and may be 4 for another mark; `marked` is a special point, for example a
    ko point, or 0; `off_board` is a hash of the state that no symmetry changes. `symmetries[index, point]` is the
    image of a point. Points are
    hashed by a sum of scrambled numbers, so their order does not matter.
    """
    best = np.int64(-1)
    best_first, best_second = np.uint64(0), np.uint64(0)
    for index in range(len(symmetries)):
        first, second = off_board, mix(off_board ^ _SECOND)
        for point in range(len(cells)):
            if cells[point] == 1 or cells[point] == 2 or cells[point] == 4:
                bits = mix(np.uint64(symmetries[index, point]) * _EIGHT + np.uint64(cells[point]))
                first += bits
                second += mix(bits ^ _SECOND)
        if marked != 0:
            bits = mix(np.uint64(symmetries[index, marked]) * _EIGHT + np.uint64(3))
            first += bits
            second += mix(bits ^ _SECOND)
        if best < 0 or first < best_first or (first == best_first and second < best_second):
            best = np.int64(index)
            best_first, best_second = first, second
    out[0] = best_first
    out[1] = best_second
    return best
