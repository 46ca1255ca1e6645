"""What is safe for ever: Benson's unconditional life, and the area in which an enemy can no longer live.

A string is unconditionally alive if it stays even though its owner never moves again (Benson 1976). Let S be
all such strings of a colour, and R a connected part of the rest of the board. Every point of R beside S can be
joined to S by a stone that is never captured. An eye of the enemy in R is a point that does not touch S. Two
eyes need two such points that do not touch each other: where there are none, every enemy stone in R can be
captured, whoever moves, and R belongs to the owner of S: he fills points beside S while enemy stones stand in
R, and the last one captures them, so that he never fills an eye of his own.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, popcount, trailing_zeros
from tengen.core.compiled.kernel import inner
from tengen.engines.go.solver.kernels.board import beside, connected

MOST_PARTS = 32  # strings of one colour, and parts of the rest of the board: at most half of 30 points, and one


@inner
def living(own, other, shape, strings, vital, border):
    """The stones of `own` that are unconditionally alive. The last three arguments are room for MOST_PARTS."""
    left = shape[0] & ~own
    if connected(left & (~left + ONE), left, shape) == left:
        return ZERO  # two eyes are two parts
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
        around = beside(region, shape)
        touching = ZERO
        for index in range(count):
            if strings[index] & around != ZERO:
                touching |= ONE << np.uint64(index)
                if empty & ~beside(strings[index], shape) == ZERO:
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
    """The points that belong to the owner of these unconditionally living stones, stones included."""
    if alive == ZERO:
        return ZERO
    near = beside(alive, shape)
    safe = alive
    left = shape[0] & ~alive
    while left != ZERO:
        region = connected(left & (~left + ONE), left, shape)
        left &= ~region
        inside = region & ~near
        first = inside & (~inside + ONE)
        if inside & ~first & ~(beside(first, shape)) == ZERO and popcount(inside) <= np.uint64(2):
            safe |= region
    return safe


@inner
def safe_points(own, other, shape, room):
    """The points that are for ever `own`'s."""
    return controlled(living(own, other, shape, room[0], room[1], room[2]), shape)
