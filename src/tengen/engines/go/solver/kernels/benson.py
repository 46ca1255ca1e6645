"""Unconditional life (Benson 1976), and the area around it in which the enemy cannot live.

A string is unconditionally alive if it cannot be captured even if its owner always passes. Let S be all such
strings of a colour, and R a connected part of the rest of the board. A stone on a point of R adjacent to S is
connected to S and never captured. An enemy eye in R is a point not adjacent to S, and two eyes need two such
points that are not adjacent to each other. If there are none, every enemy stone in R can be captured even
if the enemy moves first, and R belongs to the owner of S, who fills points adjacent to S while enemy stones are in
R; the last one captures them, so that the owner never fills an own eye.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, popcount, trailing_zeros
from tengen.core.compiled.kernel import inner
from tengen.engines.go.solver.kernels.board import adjacent, connected

MAX_PARTS = 32  # of strings of a colour or regions: at most half of 30 points, and one


@inner
def unconditionally_alive(own, other, shape, strings, vital, border):
    """The stones of `own` that are unconditionally alive. The last three arguments are scratch of MAX_PARTS."""
    left = shape[0] & ~own
    if connected(left & (~left + ONE), left, shape) == left:
        return ZERO  # two eyes need two regions
    count = 0
    left = own
    while left != ZERO:
        string = connected(left & (~left + ONE), own, shape)
        left &= ~string
        strings[count] = string
        vital[count] = ZERO
        count += 1
    regions = 0
    left = shape[0] & ~own
    while left != ZERO:
        region = connected(left & (~left + ONE), left, shape)
        left &= ~region
        empty = region & ~other
        around = adjacent(region, shape)
        touching = ZERO
        for index in range(count):
            if strings[index] & around != ZERO:
                touching |= ONE << np.uint64(index)
                if empty & ~adjacent(strings[index], shape) == ZERO:
                    vital[index] |= ONE << np.uint64(regions)
        border[regions] = touching
        regions += 1
    alive = (ONE << np.uint64(count)) - ONE
    healthy = (ONE << np.uint64(regions)) - ONE
    while True:
        before = alive
        for index in range(count):
            bit = ONE << np.uint64(index)
            if alive & bit != ZERO and popcount(vital[index] & healthy) < np.uint64(2):
                alive &= ~bit
        if alive == before:
            break
        for index in range(regions):
            if border[index] & ~alive != ZERO:
                healthy &= ~(ONE << np.uint64(index))
    stones = ZERO
    while alive != ZERO:
        stones |= strings[trailing_zeros(alive)]
        alive &= alive - ONE
    return stones


@inner
def controlled(alive, shape):
    """The points that belong to the owner of unconditionally alive stones, including the stones."""
    if alive == ZERO:
        return ZERO
    near = adjacent(alive, shape)
    safe = alive
    left = shape[0] & ~alive
    while left != ZERO:
        region = connected(left & (~left + ONE), left, shape)
        left &= ~region
        inside = region & ~near
        first = inside & (~inside + ONE)
        if inside & ~first & ~(adjacent(first, shape)) == ZERO and popcount(inside) <= np.uint64(2):
            safe |= region
    return safe


@inner
def safe_points(own, other, shape, scratch):
    """The points that belong to `own` unconditionally."""
    return controlled(unconditionally_alive(own, other, shape, scratch[0], scratch[1], scratch[2]), shape)
