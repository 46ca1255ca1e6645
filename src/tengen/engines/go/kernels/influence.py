"""Influence of stones: Bouzy's dilation and erosion, and light that spreads over empty points.

A field is int64[height + 2, width + 2]: a number per point with a margin, positive for Black, negative for White.
`on_board` is 1 on the board and 0 in the margin.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel


@inner
def _neighbours(field, row, column):
    return field[row, column + 1], field[row, column - 1], field[row + 1, column], field[row - 1, column]


@inner
def _dilate(field, other, height, width):
    """Increase each point without enemy neighbours by the number of its friendly neighbours."""
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
    """Decrease each point, down to 0, by the number of its neighbours that are not friendly."""
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
    """Dilate, then erode `field` in place. `other` is zeroed scratch of the same shape."""
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
def shine(stones, light, distance, queue, strengths):
    """Add to `light` the light of every stone on the empty points around it, by distance.

    Light travels from empty point to empty point, so stones block it. `stones` is 1 for Black, -1 for White, 0 for
    empty, 2 in the margin; `strengths[i]` is the light at distance i + 1. Scratch: `distance`, int64 of the same
    shape, and `queue`, int64[points, 2].
    """
    height, width = stones.shape[0] - 2, stones.shape[1] - 2
    for row in range(1, height + 1):
        for column in range(1, width + 1):
            colour = stones[row, column]
            if colour == 0:
                continue
            distance[:] = 0
            queue[0, 0], queue[0, 1] = row, column
            count, at = 1, 0
            while at < count:
                r, c = queue[at]
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
                        queue[count, 0], queue[count, 1] = y, x
                        count += 1
