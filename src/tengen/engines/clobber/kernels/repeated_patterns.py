"""Values of a repeated pattern, for all lengths.

Play splits a strip into pieces of the strip in which at most the two end cells have changed colour. For a periodic
strip there are few such pieces: they differ in the offset in the pattern, the length and the changed ends.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.references import reference
from tengen.core.values.kernels import LEFT, RIGHT, add, add_option, can_continue, canonicalize

X = 1


@inner
def cell(pattern, begin, length, ends, place):
    """The stone at a position of a piece: 1 for X, 2 for O."""
    stone = np.int64(pattern[(begin + place) % pattern.size])
    changed = (place == 0 and ends & 1) or (place == length - 1 and ends & 2)
    return 3 - stone if changed else stone


@inner
def piece(table, pattern, begin, length, ends):
    """The value of a shorter piece; 0 for an empty piece or a single stone."""
    if length < 2:
        return np.int64(0)
    return np.int64(table[begin % pattern.size, length, ends])


@kernel
def repeat_values(forms, pattern, table, state):
    """Fill table[begin, length, ends] (int32) with the values of all pieces up to its length.

    pattern: uint8, 1 for X and 2 for O; state: int64[1], number of completed entries. Returns -1 if an array is
    full.
    """
    forms = reference(forms)
    period = pattern.size
    last = (table.shape[1] - 2) * period * 4
    while state[0] < last:
        length = 2 + state[0] // (period * 4)
        begin = state[0] // 4 % period
        ends = state[0] % 4
        if not can_continue(forms, np.int64(0), np.int64(0)):
            return np.int64(-1)
        lefts = np.int64(0)
        rights = np.int64(0)
        for place in range(length - 1):
            one = cell(pattern, begin, length, ends, place)
            two = cell(pattern, begin, length, ends, place + 1)
            if one == two:
                continue
            for mover in range(1, 3):
                if one == mover:  # to the right, onto place + 1
                    changed = np.int64(pattern[(begin + place + 1) % period] != mover)
                    low = piece(table, pattern, begin, place, ends & 1)
                    high = piece(table, pattern, begin + place + 1, length - 1 - place, changed | (ends & 2))
                else:
                    changed = np.int64(pattern[(begin + place) % period] != mover)
                    low = piece(table, pattern, begin, place + 1, (ends & 1) | (changed << 1))
                    high = piece(table, pattern, begin + place + 2, length - 2 - place, ends & 2)
                total = add(forms, low, high, np.int64(lefts), np.int64(rights))
                if total < 0:
                    return np.int64(-1)
                if mover == X:
                    lefts = add_option(forms, LEFT, np.int64(0), lefts, total)
                else:
                    rights = add_option(forms, RIGHT, np.int64(0), rights, total)
        value = canonicalize(forms, np.int64(0), lefts, np.int64(0), rights)
        if value < 0:
            return np.int64(-1)
        table[begin, length, ends] = value
        state[0] += 1
    return np.int64(0)
