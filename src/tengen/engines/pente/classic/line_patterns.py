"""Lookup tables for a few points of a line, by their contents: two bits per point, first point lowest."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tengen.games.pente.record import BLACK, BORDER, EMPTY, WHITE

NONE, OPEN = 0, 11
"""Classes of a window of five points: useless (mixed or border); empty. 1 to 5: number of black stones without
white ones; 6 to 10: one to five white stones without black ones.
"""
TAKE_FIRST, TAKE_LAST, BOTH_ENDS = 1, 2, 3
"""Kinds of a run with its ends: capturable by a stone on the first point, or on the last; open at both ends. For
Black as the capturer; WHITE_KINDS higher for White.
"""
WHITE_KINDS = 3


def _code(contents: tuple[int, ...]) -> int:
    return sum(content << 2 * place for place, content in enumerate(contents))


def _windows() -> np.ndarray[Any, Any]:
    """uint8[2, 4**7]: class of the middle five of seven points; [1] where only exactly five win.

    There, a window next to an own stone can only become a longer row.
    """
    table = np.zeros((2, 4**7), np.uint8)
    for contents in itertools.product(range(4), repeat=5):
        black, white = contents.count(BLACK), contents.count(WHITE)
        if BORDER in contents or (black and white):
            continue
        kind = OPEN if not black + white else black or white + 5
        own = BLACK if black else WHITE
        for before, after in itertools.product(range(4), repeat=2):
            code = _code((before, *contents, after))
            table[0, code] = kind
            longer = kind != OPEN and own in (before, after)
            table[1, code] = NONE if longer else kind
    return table


def _runs() -> np.ndarray[Any, Any]:
    """uint8[2, 4**5]: kind of a run with the two points at its ends; [0] for runs of two, [1] of three."""
    table = np.zeros((2, 4**5), np.uint8)
    for own, prey, kinds in ((BLACK, WHITE, 0), (WHITE, BLACK, WHITE_KINDS)):
        for first, last, kind in ((EMPTY, own, TAKE_FIRST), (own, EMPTY, TAKE_LAST), (EMPTY, EMPTY, BOTH_ENDS)):
            for length in (2, 3):
                table[length - 2, _code((first, *(prey,) * length, last))] = kind + kinds
    return table


def _enclosed() -> np.ndarray[Any, Any]:
    """uint8[4**6]: 1 for four black stones between two white ones, 2 for the opposite."""
    table = np.zeros(4**6, np.uint8)
    for own, other in ((BLACK, WHITE), (WHITE, BLACK)):
        table[_code((other, own, own, own, own, other))] = own
    return table


WINDOWS = _windows()
RUNS = _runs()
ENCLOSED = _enclosed()
