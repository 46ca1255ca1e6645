"""Influence of stones: dilation and erosion after Bouzy, and light that spreads between stones. Compiled.

A field has a number for each point of the board, with a margin around it: int64[height + 2, width + 2]. Black's
are positive, White's negative. `on_board` is 1 on the board and 0 in the margin.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel


@inner
def _neighbours(field, row, column):
    return field[row, column + 1], field[row, column - 1], field[row + 1, column], field[row - 1, column]


@inner
def _dilate(field, other, height, width):
    """A point that no enemy touches grows by the number of its friends; one without either stays."""
    for row in range(1, height + 1):
        for column in range(1, width + 1):
            black, white = 0, 0
            for near in _neighbours(field, row, column):
                black += near > 0
                white += near < 0
            here = field[row, column]
            if here >= 0 and white == 0:
                here += black
            elif here <= 0 and black == 0:
                here -= white
            other[row, column] = here


@inner
def _erode(field, other, on_board, height, width):
    """A point shrinks by the number of neighbours that are not its friends, at most to nothing."""
    for row in range(1, height + 1):
        for column in range(1, width + 1):
            here = field[row, column]
            if here != 0:
                strange = 0
                sign = 1 if here > 0 else -1
                around, inside = _neighbours(field, row, column), _neighbours(on_board, row, column)
                for direction in range(4):
                    strange += inside[direction] == 1 and around[direction] * sign <= 0
                here = max(here * sign - strange, 0) * sign
            other[row, column] = here


@kernel
def spread(field, other, on_board, dilations, erosions):
    """Dilate, then erode a field in place. other: scratch of its shape, all 0."""
    height, width = field.shape[0] - 2, field.shape[1] - 2
    for step in range(dilations + erosions):
        if step < dilations:
            _dilate(field, other, height, width)
        else:
            _erode(field, other, on_board, height, width)
        for row in range(1, height + 1):
            for column in range(1, width + 1):
                field[row, column] = other[row, column]


@kernel
def shine(stones, light, distance, waiting, strengths):
    """Add to `light` what every stone sheds on the empty points around it, by how many steps away they are.

    stones: 1 Black's, -1 White's, 0 empty, 2 in the margin. Light goes from empty point to empty point, so that
    stones block it.
    distance: int64 of their shape; waiting: int64[points, 2]; strengths: int64, for one step, two, …
    """
    height, width = stones.shape[0] - 2, stones.shape[1] - 2
    for row in range(1, height + 1):
        for column in range(1, width + 1):
            colour = stones[row, column]
            if colour == 0:
                continue
            distance[:] = 0
            waiting[0, 0], waiting[0, 1] = row, column
            count, at = 1, 0
            while at < count:
                r, c = waiting[at]
                at += 1
                steps = distance[r, c] + 1
                if steps > len(strengths):
                    break
                for direction in range(4):
                    y = r + (direction == 0) - (direction == 1)
                    x = c + (direction == 2) - (direction == 3)
                    if stones[y, x] == 0 and distance[y, x] == 0:
                        distance[y, x] = steps
                        light[y, x] += colour * strengths[np.int64(steps - 1)]
                        waiting[count, 0], waiting[count, 1] = y, x
                        count += 1
