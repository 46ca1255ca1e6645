"""Exact values of subgames."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.values.kernels import LEFT, RIGHT, add, add_option, can_continue, canonicalize
from tengen.engines.clobber.kernels.subgames import (
    CLOBBER,
    MAX_PIECES,
    SUBGAMES,
    UNKNOWN,
    expand,
    find,
    intern,
    split_into_subgames,
)


@inner
def value_of(subgames, forms, subgame, left, right):
    """The form of a subgame, or -1 if an array is full. `left` and `right` are the tops of the scratch stacks."""
    if subgames.value[subgame] != UNKNOWN:
        return np.int64(subgames.value[subgame])
    if not expand(subgames, subgame) or not can_continue(forms, left, right):
        return np.int64(-1)
    lefts = np.int64(0)
    rights = np.int64(0)
    begin = np.int64(subgames.moves[subgame])
    middle = begin + subgames.lefts[subgame]
    end = middle + subgames.rights[subgame]
    shift = np.int64(0)
    mirrored = subgames.kind[subgame] == CLOBBER and subgames.height[subgame] > 1
    if mirrored:  # Right's moves are the negatives of Left's in the negative
        other = np.int64(subgames.negative[subgame])
        if not expand(subgames, other):
            return np.int64(-1)
        end = middle + subgames.lefts[other]
        shift = np.int64(subgames.moves[other]) - middle
    for option in range(begin, end):
        of_other = mirrored and option >= middle
        place = option + shift if of_other else option
        total = np.int64(0)
        for index in range(MAX_PIECES):
            piece = np.int64(subgames.options[place, index])
            if piece == 0:
                break
            if of_other:
                piece = np.int64(subgames.negative[piece])
            value = value_of(subgames, forms, piece, left + lefts, right + rights)
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
    subgames.value[subgame] = form
    subgames.value[subgames.negative[subgame]] = forms.negative[form]
    return form


@inner
def split_board(subgames, board, out):
    """Write the subgames of a board (width, height, cells row by row) into `out`; return their number, or -1."""
    width = np.int64(board[0])
    height = np.int64(board[1])
    for index in range(width * height):
        subgames.buffer[3, index] = board[2 + index]
    return split_into_subgames(subgames, width, height, out)


@inner
def rebuild_slots(subgames):
    """Insert all subgames into an empty hash table."""
    for subgame in range(1, subgames.counts[SUBGAMES]):
        begin = np.int64(subgames.at[subgame])
        width = np.int64(subgames.width[subgame])
        height = np.int64(subgames.height[subgame])
        for index in range(width * height):
            subgames.buffer[0, index] = subgames.cells[begin + index]
        subgames.slots[find(subgames, np.int64(subgames.kind[subgame]), width, height)] = subgame + 1


@inner
def find_values(subgames, forms, wanted, out):
    """Write the values of these subgames into `out`; return the number completed before an array was full."""
    for index in range(wanted.size):
        value = value_of(subgames, forms, np.int64(wanted[index]), np.int64(0), np.int64(0))
        if value < 0:
            return np.int64(index)
        out[index] = value
    return np.int64(wanted.size)


@inner
def intern_strips(subgames, length, begin, end, out):
    """Write the subgames of all full strips of a length with bits begin <= b < end (O is 1) into out[b - begin].

    Returns the number completed before an array was full.
    """
    for bits in range(begin, end):
        for index in range(length):
            subgames.buffer[0, index] = 1 + (bits >> index & 1)
        subgame = intern(subgames, length, np.int64(1))
        if subgame < 0:
            return np.int64(bits - begin)
        out[bits - begin] = subgame
    return np.int64(end - begin)
