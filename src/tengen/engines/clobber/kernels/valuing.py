"""The exact values of parts. Compiled."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.values.kernels import LEFT, RIGHT, add, add_option, can_continue, canonicalize
from tengen.engines.clobber.kernels.parts import MOST_PIECES, PARTS, UNKNOWN, cut_out, expand, find, intern


@inner
def value_of(parts, forms, part, left, right):
    """The id of a part's value, or -1 if some array is full. `left` and `right` are the tops of the scratch."""
    if parts.value[part] != UNKNOWN:
        return np.int64(parts.value[part])
    if not expand(parts, part) or not can_continue(forms, left, right):
        return np.int64(-1)
    lefts = np.int64(0)
    rights = np.int64(0)
    begin = np.int64(parts.moves[part])
    middle = begin + parts.lefts[part]
    for option in range(begin, middle + parts.rights[part]):
        total = np.int64(0)
        for index in range(MOST_PIECES):
            piece = np.int64(parts.options[option, index])
            if piece == 0:
                break
            value = value_of(parts, forms, piece, left + lefts, right + rights)
            if value < 0:
                return np.int64(-1)
            total = add(forms, total, value, left + lefts, right + rights)
            if total < 0:
                return np.int64(-1)
        if option < middle:
            lefts = add_option(forms, LEFT, left, lefts, total)
        else:
            rights = add_option(forms, RIGHT, right, rights, total)
    form = canonicalize(forms, left, lefts, right, rights)
    if form < 0:
        return np.int64(-1)
    parts.value[part] = form
    parts.value[parts.negative[part]] = forms.negative[form]
    return form


@inner
def split_board(parts, board, out):
    """The parts of a board (its width, its height, its cells row by row), into `out`; returns how many, or -1."""
    width = np.int64(board[0])
    height = np.int64(board[1])
    for index in range(width * height):
        parts.buffer[3, index] = board[2 + index]
    return cut_out(parts, width, height, out)


@inner
def rebuild_slots(parts):
    """Fill an empty hash table with the parts there are, after it has grown."""
    for part in range(1, parts.counts[PARTS]):
        begin = np.int64(parts.at[part])
        width = np.int64(parts.width[part])
        height = np.int64(parts.height[part])
        for index in range(width * height):
            parts.buffer[0, index] = parts.cells[begin + index]
        parts.slots[find(parts, width, height)] = part + 1


@inner
def find_values(parts, forms, wanted, out):
    """The values of these parts, into `out`; returns how many found room."""
    for index in range(wanted.size):
        value = value_of(parts, forms, np.int64(wanted[index]), np.int64(0), np.int64(0))
        if value < 0:
            return np.int64(index)
        out[index] = value
    return np.int64(wanted.size)


@inner
def intern_strips(parts, length, begin, end, out):
    """The parts of the connected strips of a length with the bits begin <= b < end (O is 1), into out[b - begin].

    Returns how many found room.
    """
    for bits in range(begin, end):
        for index in range(length):
            parts.buffer[0, index] = 1 + (bits >> index & 1)
        part = intern(parts, length, np.int64(1))
        if part < 0:
            return np.int64(bits - begin)
        out[bits - begin] = part
    return np.int64(end - begin)
