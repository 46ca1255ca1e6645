"""Moves of a capturing race in playouts: filling the liberties of the rival's string, from the outside first."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import trailing_zeros
from tengen.core.compiled.kernel import inner
from tengen.core.compiled.rng import below
from tengen.engines.go.kernels.board import NOWHERE, has_liberty, head_of, is_eye, is_legal
from tengen.engines.go.mcts.kernels.tactics import liberties_after

_ONE = np.uint64(1)


@inner
def is_in_zone(board, point):
    """Whether an empty point is in the board's list of empty points."""
    at = np.int64(board.empty_index[point])
    return at < board.state[0].empty_count and np.int64(board.empties[at]) == point


@inner
def race_move(board, geometry, rival, own, colour, rng):
    """A random liberty of the string on `rival` that `colour` can fill without self-atari, or NOWHERE.

    Outside liberties are preferred to those shared with the string on `own`, a stone of `colour`.
    """
    head, own_head = head_of(board, rival), head_of(board, own)
    outside, shared = 0, 0
    found, found_shared = NOWHERE, NOWHERE
    for word in range(geometry.words):
        bits = board.libs[head * geometry.words + word]
        while bits != 0:
            point = np.int64(word << 6) + np.int64(trailing_zeros(bits))
            bits &= bits - _ONE
            if not is_in_zone(board, point) or not is_legal(board, geometry, point, colour):
                continue
            if is_eye(board, geometry, point, colour):
                continue
            if board.liberty_count[head] > 1 and liberties_after(board, geometry, point, colour, 2) < 2:
                continue
            if has_liberty(board, geometry, own_head, point):
                shared += 1
                if below(rng, shared) == 0:
                    found_shared = point
            else:
                outside += 1
                if below(rng, outside) == 0:
                    found = point
    return found if found != NOWHERE else found_shared
