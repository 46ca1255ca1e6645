"""The patterns of the Othello evaluation: their squares, and how configurations are numbered.

A *pattern* is a shape, such as an edge with its two X squares. Its *instances* are the images of the shape under
the eight symmetries of the board; they share one table of weights. 12 patterns have 46 instances.

A configuration of n squares is a number in balanced ternary: the sum of +3^k for a disc of the mover on the k-th
square and -3^k for a disc of the enemy, from -(3^n - 1)/2 to (3^n - 1)/2. Changing sides negates it, and a disc
that is placed or flipped adds a constant. A pattern's table has 3^n weights, with the empty configuration in the
middle.

Every shape is its own mirror image, so two configurations that mirror each other share a weight. Files and
training use these *folded* weights, 114,364 with the bias; the search uses *unfolded* ones, 226,315.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LANES = 48
"""Instances, padded to whole vectors of 16 numbers: the last two lanes stay 0."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A shape, given by the squares of one instance; its weights start at `offset` in a set."""

    name: str
    squares: tuple[int, ...]
    offset: int

    @property
    def size(self) -> int:
        """Number of configurations."""
        return int(3 ** len(self.squares))

    @property
    def empty_index(self) -> int:
        """Index of the empty configuration in a set of weights: add a configuration to it."""
        return self.offset + self.size // 2

    def instances(self) -> list[tuple[int, ...]]:
        """Squares of each instance, in the order that gives equal shapes equal numbers."""
        found: dict[frozenset[int], tuple[int, ...]] = {}
        for symmetry in range(8):
            image = tuple(_transform(square, symmetry) for square in self.squares)
            found.setdefault(frozenset(image), image)
        return list(found.values())

    def mirrored_squares(self) -> tuple[int, ...]:
        """The squares in the order in which the mirror image of the shape has them."""
        for symmetry in range(1, 8):
            image = tuple(_transform(square, symmetry) for square in self.squares)
            if image != self.squares and set(image) == set(self.squares):
                return image
        raise AssertionError(f"the pattern {self.name} is not symmetric")


def _transform(square: int, symmetry: int) -> int:
    row, column = divmod(square, 8)
    if symmetry & 1:
        column = 7 - column
    if symmetry & 2:
        row = 7 - row
    if symmetry & 4:
        row, column = column, row
    return 8 * row + column


_PATTERN_SQUARES = {
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


def _make_patterns() -> tuple[Pattern, ...]:
    patterns = []
    offset = 0
    for name, text in _PATTERN_SQUARES.items():
        squares = tuple(8 * (int(square[1]) - 1) + ord(square[0]) - ord("a") for square in text.split())
        patterns.append(Pattern(name, squares, offset))
        offset += patterns[-1].size
    return tuple(patterns)


PATTERNS = _make_patterns()
INSTANCES: tuple[tuple[Pattern, tuple[int, ...]], ...] = tuple(
    (pattern, squares) for pattern in PATTERNS for squares in pattern.instances()
)
BIAS = PATTERNS[-1].offset + PATTERNS[-1].size
"""Index of the bias weight."""
WEIGHTS_PER_SET = BIAS + 1
"""Length of an unfolded set."""


def _deltas() -> np.ndarray:
    deltas = np.zeros((64, LANES), np.int16)
    for lane, (_, squares) in enumerate(INSTANCES):
        for digit, square in enumerate(squares):
            deltas[square, lane] = 3**digit
    return deltas


DELTAS = _deltas()
"""int16[64, LANES]: change of each instance's configuration by a disc of the mover on a square."""


def _folding() -> tuple[np.ndarray, int]:
    indices = np.empty(WEIGHTS_PER_SET, np.int32)
    count = 0
    for pattern in PATTERNS:
        order = [pattern.squares.index(square) for square in pattern.mirrored_squares()]
        codes = np.arange(pattern.size)
        mirrored = sum((codes // 3**digit % 3) * 3**other for digit, other in enumerate(order))
        _, folded = np.unique(np.minimum(codes, mirrored), return_inverse=True)
        indices[pattern.offset : pattern.offset + pattern.size] = folded + count
        count += int(folded.max()) + 1
    indices[BIAS] = count
    return indices, count + 1


FOLDED_INDEX, FOLDED_WEIGHTS = _folding()
"""int32[WEIGHTS_PER_SET]: folded index of each unfolded weight; and the length of a folded set."""
