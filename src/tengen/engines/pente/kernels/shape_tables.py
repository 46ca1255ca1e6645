"""Values of points by the shapes of their lines, in one array with the pattern table.

The shapes of a point for a colour (see `patterns`) are a code of four bits for each axis. By this code the array
`patterns` of the kernels has

    from 0         the values of an empty point: the low half-word if that colour is to move, else the high
    from ORDER     how promising a move there is: for the colour to move, and in the high half-word for the other
    from PATTERNS  the pattern table

Half-words are unsigned: VALUE_BIAS is added to values. Sums of values are kept in words of two halves in the same
way.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner

CODES = 1 << 16
ORDER, PATTERNS = CODES, 2 * CODES
VALUE_BIAS = 1 << 15
_16, _32 = np.uint64(16), np.uint64(32)
_LOW16, _LOW32 = np.uint64(0xFFFF), np.uint64(0xFFFFFFFF)
_ORDER, _PATTERNS = np.uint64(ORDER), np.uint64(PATTERNS)


@inner
def pattern_entry(patterns, index):
    """An entry of the pattern table."""
    return np.uint64(patterns[_PATTERNS + index])


@inner
def point_value(patterns, code):
    """Both values of an empty point, as a word of a sum."""
    value = np.uint64(patterns[code])
    return (value & _LOW16) | ((value >> _16) << _32)


@inner
def move_value(patterns, own, enemy):
    """How promising a move is, from the codes of its point for the side to move and for the other."""
    return np.int64(np.uint64(patterns[_ORDER + own]) & _LOW16) + np.int64(
        np.uint64(patterns[_ORDER + enemy]) >> _16
    )


@inner
def sum_to_move(total):
    """The sum of a colour that is to move, with the bias of each empty point."""
    return np.int64(total & _LOW32)


@inner
def sum_waiting(total):
    """The sum of a colour that is not to move."""
    return np.int64(total >> _32)
