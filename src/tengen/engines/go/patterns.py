"""What the eight neighbours of a point tell: eyes, and the 3x3 shapes worth a move.

The shapes are those that Gelly, Wang, Munos and Teytaud published for playouts (2006): hane, cuts, and moves at
the edge. Each is drawn from the top left, row by row, the move in the middle:

    X O  a stone of one side, of the other     x o  no stone of that side, but on the board
    .    an empty point                        ?    anything     #  the edge

A shape holds for both colours and in all eight symmetries.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tengen.engines.go.kernels.board import BLACK, BLACK_EYE, BORDER, EMPTY, SHAPE, WHITE, WHITE_EYE

SHAPES = (
    "XOX ... ???",  # hane that encloses
    "XO. ... ?.?",  # hane that does not cut
    "XO? X.. x.?",  # a turn
    ".O. X.. ...",  # diagonal attachment
    "XO? O.o ?o?",  # a cut that nothing protects
    "XO? O.X ???",  # a cut after a peep
    "?X? O.O ooo",  # a cut between
    "OX? o.O ???",  # a cut through a knight's move
    "X.? O.? ###",  # chasing along the edge
    "OX? X.O ###",  # stopping a cut at the edge
    "?X? x.O ###",  # stopping a connection at the edge
    "?XO x.x ###",  # a descent
    "?OX X.O ###",  # a cut at the edge
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
# Where each of the eight neighbours, in the board's order, stands in a 3x3 square.
_PLACES = ((1, 2), (1, 0), (2, 1), (0, 1), (2, 2), (2, 0), (0, 2), (0, 0))


@cache
def neighbourhood_table() -> np.ndarray[Any, np.dtype[np.uint8]]:
    """For each value of `around`: BLACK_EYE, WHITE_EYE, SHAPE."""
    codes = np.arange(1 << 16)
    at = [(codes >> (2 * i)) & 3 for i in range(8)]
    table = np.zeros(1 << 16, np.uint8)
    edge = np.any([at[i] == BORDER for i in range(4, 8)], axis=0)
    for colour, bit in ((BLACK, BLACK_EYE), (WHITE, WHITE_EYE)):
        closed = np.all([(at[i] == colour) | (at[i] == BORDER) for i in range(4)], axis=0)
        bad = np.sum([at[i] == BLACK + WHITE - colour for i in range(4, 8)], axis=0)
        table |= np.where(closed & (bad + edge < 2), bit, 0).astype(np.uint8)
    table |= np.where(_matches(at), SHAPE, 0).astype(np.uint8)
    table.flags.writeable = False
    return table


def _matches(at: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """Which neighbourhoods have one of the shapes."""
    exchanged = (EMPTY, WHITE, BLACK, BORDER)
    found = np.zeros(1 << 16, bool)
    squares = {"".join(shape.split()) for shape in SHAPES}
    for colours in (range(4), exchanged):
        # For each sign, where each of the eight neighbours is as it says.
        holds = {
            sign: [np.array([colours[stone] in meaning for stone in range(4)])[content] for content in at]
            for sign, meaning in _MEANINGS.items()
        }
        for text in squares:
            square = np.array(list(text)).reshape(3, 3)
            for turns in range(4):
                for image in (np.rot90(square, turns), np.fliplr(np.rot90(square, turns))):
                    signs = (str(image[place]) for place in _PLACES)
                    found |= np.logical_and.reduce([holds[sign][i] for i, sign in enumerate(signs)])
    return found


@cache
def shape_classes() -> np.ndarray[Any, np.dtype[np.uint16]]:
    """For each colour to move and value of `around`: the number of its 3x3 shape, uint16[2, 65536].

    Shapes that are turned or mirrored are one, and seen by White with the colours exchanged. What no board has, an
    edge with holes, is number 0.
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
    # A corner is off the board where one of its two sides is, and nowhere else.
    sides = ((4, 0, 2), (5, 1, 2), (6, 0, 3), (7, 1, 3))
    real = np.all([border[corner] == (border[one] | border[two]) for corner, one, two in sides], axis=0)
    classes = np.unique(np.where(real, numbers, 0), return_inverse=True)[1]
    table = classes.reshape(2, 1 << 16).astype(np.uint16)
    table.flags.writeable = False
    return table


def _images() -> list[list[int]]:
    """The eight ways to turn and mirror the neighbours of a point."""
    square = np.full((3, 3), -1)
    for index, place in enumerate(_PLACES):
        square[place] = index
    turned = [np.rot90(square, turns) for turns in range(4)]
    return [[int(image[place]) for place in _PLACES] for one in turned for image in (one, np.fliplr(one))]
