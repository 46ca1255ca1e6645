"""Tables over the eight neighbours of a point: eyes, and 3x3 patterns.

The playout patterns are those of Gelly, Wang, Munos and Teytaud (2006): hane, cuts, and moves at the edge. Each is
written row by row from the top left, with the move in the middle:

    X O  a stone of one side, of the other     x o  on the board, but not a stone of that side
    .    an empty point                        ?    anything     #  the edge

A pattern matches with colours swapped and in all eight symmetries.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tengen.engines.go.kernels.board import BLACK, BLACK_EYE, BORDER, EMPTY, PATTERN, WHITE, WHITE_EYE

PATTERNS = (
    "XOX ... ???",  # enclosing hane
    "XO. ... ?.?",  # non-cutting hane
    "XO? X.. x.?",  # turn
    ".O. X.. ...",  # diagonal attachment
    "XO? O.o ?o?",  # unprotected cut
    "XO? O.X ???",  # peeped cut
    "?X? O.O ooo",  # cut between
    "OX? o.O ???",  # cut through a knight's move
    "X.? O.? ###",  # chase along the edge
    "OX? X.O ###",  # block of a cut at the edge
    "?X? x.O ###",  # block of a connection at the edge
    "?XO x.x ###",  # descent
    "?OX X.O ###",  # cut at the edge
)

_MEANINGS = {
    "X": (BLACK,),
    "O": (WHITE,),
    "x": (WHITE, EMPTY),
    "o": (BLACK, EMPTY),
    ".": (EMPTY,),
    "?": (EMPTY, BLACK, WHITE, BORDER),
    "#": (BORDER,),
}
# Row and column, in a 3x3 square, of each of the eight neighbours in the board's order.
_NEIGHBOUR_SQUARES = ((1, 2), (1, 0), (2, 1), (0, 1), (2, 2), (2, 0), (0, 2), (0, 0))


@cache
def neighbourhood_table() -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Flags BLACK_EYE, WHITE_EYE and PATTERN for each neighbourhood code (a value of `Board.neighbours`)."""
    codes = np.arange(1 << 16)
    at = [(codes >> (2 * i)) & 3 for i in range(8)]
    table = np.zeros(1 << 16, np.uint8)
    edge = np.any([at[i] == BORDER for i in range(4, 8)], axis=0)
    for colour, bit in ((BLACK, BLACK_EYE), (WHITE, WHITE_EYE)):
        closed = np.all([(at[i] == colour) | (at[i] == BORDER) for i in range(4)], axis=0)
        bad = np.sum([at[i] == BLACK + WHITE - colour for i in range(4, 8)], axis=0)
        table |= np.where(closed & (bad + edge < 2), bit, 0).astype(np.uint8)
    table |= np.where(_matching_codes(at), PATTERN, 0).astype(np.uint8)
    table.flags.writeable = False
    return table


def _matching_codes(at: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """Which neighbourhood codes match one of the patterns."""
    exchanged = (EMPTY, WHITE, BLACK, BORDER)
    found = np.zeros(1 << 16, bool)
    squares = {"".join(shape.split()) for shape in PATTERNS}
    for colours in (range(4), exchanged):
        # For each sign, which codes satisfy it at each of the eight neighbours.
        holds = {
            sign: [np.array([colours[stone] in meaning for stone in range(4)])[content] for content in at]
            for sign, meaning in _MEANINGS.items()
        }
        for text in squares:
            square = np.array(list(text)).reshape(3, 3)
            for turns in range(4):
                for image in (np.rot90(square, turns), np.fliplr(np.rot90(square, turns))):
                    signs = (str(image[square_index]) for square_index in _NEIGHBOUR_SQUARES)
                    found |= np.logical_and.reduce([holds[sign][i] for i, sign in enumerate(signs)])
    return found


@cache
def pattern_classes() -> np.ndarray[Any, np.dtype[np.uint16]]:
    """uint16[2, 65536]: the 3x3 pattern class of each neighbourhood code, for each colour to move.

    Rotations and reflections share a class, and White sees the colours swapped. Impossible codes (a border with
    holes) are class 0.
    """
    codes = np.arange(1 << 16)
    at = [(codes >> (2 * i)) & 3 for i in range(8)]
    swapped = [np.choose(content, [EMPTY, WHITE, BLACK, BORDER]) for content in at]
    numbers = np.full((2, 1 << 16), 1 << 16)
    for seen, colour in ((at, 0), (swapped, 1)):
        for image in _images():
            packed = sum(seen[image[i]] << (2 * i) for i in range(8))
            numbers[colour] = np.minimum(numbers[colour], packed)
    border = [content == BORDER for content in at]
    # A diagonal neighbour is off the board exactly if one of the two sides next to it is.
    sides = ((4, 0, 2), (5, 1, 2), (6, 0, 3), (7, 1, 3))
    real = np.all([border[corner] == (border[one] | border[two]) for corner, one, two in sides], axis=0)
    classes = np.unique(np.where(real, numbers, 0), return_inverse=True)[1]
    table = classes.reshape(2, 1 << 16).astype(np.uint16)
    table.flags.writeable = False
    return table


def _images() -> list[list[int]]:
    """The eight symmetries as permutations of a point's neighbours."""
    square = np.full((3, 3), -1)
    for index, square_index in enumerate(_NEIGHBOUR_SQUARES):
        square[square_index] = index
    turned = [np.rot90(square, turns) for turns in range(4)]
    return [
        [int(image[square_index]) for square_index in _NEIGHBOUR_SQUARES]
        for one in turned
        for image in (one, np.fliplr(one))
    ]
