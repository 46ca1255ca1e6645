"""The patterns of the Othello evaluation: which squares each one reads, and how its configurations are numbered.

A *family* is a shape, such as an edge with its two X squares; its *instances* are the images of that shape under
the eight symmetries of the board, and they share one table of weights. 12 families give 46 instances.

A configuration of n squares is a number in balanced ternary: the sum of +3^k for a disc of the mover on the k-th
square and -3^k for one of the enemy, so from -(3^n - 1)/2 to (3^n - 1)/2. Hence to change sides is to negate, and
a disc that is put or turned adds a constant. A family's table has 3^n places, with the empty shape in the middle.

Every shape here is its own mirror image, so that two configurations that mirror each other have one weight. Files
and training hold these *folded* weights, 114,364 with the bias; the search looks up *unfolded* ones, 226,315.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LANES = 48
"""Instances, filled up to whole vectors of 16 numbers: the last two lanes stay 0."""


@dataclass(frozen=True, slots=True)
class Family:
    """A shape by the squares of one instance, as `a1`; its weights begin at `first` of a set."""

    name: str
    squares: tuple[int, ...]
    first: int

    @property
    def size(self) -> int:
        """The configurations."""
        return int(3 ** len(self.squares))

    @property
    def centre(self) -> int:
        """The place of the empty shape in a set of weights: add a configuration to it."""
        return self.first + self.size // 2

    def images(self) -> list[tuple[int, ...]]:
        """The squares of each instance, in the order that gives equal shapes equal numbers."""
        found: dict[frozenset[int], tuple[int, ...]] = {}
        for symmetry in range(8):
            image = tuple(_moved(square, symmetry) for square in self.squares)
            found.setdefault(frozenset(image), image)
        return list(found.values())

    def mirror(self) -> tuple[int, ...]:
        """The squares in the order in which the mirror image of the shape reads them."""
        for symmetry in range(1, 8):
            image = tuple(_moved(square, symmetry) for square in self.squares)
            if image != self.squares and set(image) == set(self.squares):
                return image
        raise AssertionError(f"the shape {self.name} is not its own mirror image")


def _moved(square: int, symmetry: int) -> int:
    row, column = divmod(square, 8)
    if symmetry & 1:
        column = 7 - column
    if symmetry & 2:
        row = 7 - row
    if symmetry & 4:
        row, column = column, row
    return 8 * row + column


_SHAPES = {
    "corner": "a1 b1 c1 a2 b2 c2 a3 b3 c3",
    "angle": "a1 b1 c1 d1 e1 a2 a3 a4 a5 b2",
    "edge": "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",
    "block": "a1 c1 d1 e1 f1 h1 c2 d2 e2 f2",
    "second row": "a2 b2 c2 d2 e2 f2 g2 h2",
    "third row": "a3 b3 c3 d3 e3 f3 g3 h3",
    "fourth row": "a4 b4 c4 d4 e4 f4 g4 h4",
    "diagonal of 8": "a1 b2 c3 d4 e5 f6 g7 h8",
    "diagonal of 7": "b1 c2 d3 e4 f5 g6 h7",
    "diagonal of 6": "c1 d2 e3 f4 g5 h6",
    "diagonal of 5": "d1 e2 f3 g4 h5",
    "diagonal of 4": "e1 f2 g3 h4",
}


def _families() -> tuple[Family, ...]:
    families = []
    first = 0
    for name, text in _SHAPES.items():
        squares = tuple(8 * (int(square[1]) - 1) + ord(square[0]) - ord("a") for square in text.split())
        families.append(Family(name, squares, first))
        first += families[-1].size
    return tuple(families)


FAMILIES = _families()
INSTANCES: tuple[tuple[Family, tuple[int, ...]], ...] = tuple(
    (family, squares) for family in FAMILIES for squares in family.images()
)
BIAS = FAMILIES[-1].first + FAMILIES[-1].size
"""The place of the weight that every position has."""
WEIGHTS = BIAS + 1
"""The length of an unfolded set."""


def _deltas() -> np.ndarray:
    deltas = np.zeros((64, LANES), np.int16)
    for lane, (_, squares) in enumerate(INSTANCES):
        for place, square in enumerate(squares):
            deltas[square, lane] = 3**place
    return deltas


DELTAS = _deltas()
"""int16[64, LANES]: what a disc of the mover on a square adds to the configuration of each instance."""


def _folding() -> tuple[np.ndarray, int]:
    places = np.empty(WEIGHTS, np.int32)
    count = 0
    for family in FAMILIES:
        order = [family.squares.index(square) for square in family.mirror()]
        codes = np.arange(family.size)
        mirrored = sum((codes // 3**place % 3) * 3**other for place, other in enumerate(order))
        _, folded = np.unique(np.minimum(codes, mirrored), return_inverse=True)
        places[family.first : family.first + family.size] = folded + count
        count += int(folded.max()) + 1
    places[BIAS] = count
    return places, count + 1


FOLDED_PLACE, FOLDED = _folding()
"""int32[WEIGHTS]: the folded place of each unfolded weight; and the length of a folded set."""
