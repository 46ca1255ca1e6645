"""Random numbers for kernels: SplitMix64, whose state is an array of one np.uint64.

The same seed gives the same numbers on every machine, in compiled and in plain code. Each thread needs its own
generator.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from tengen.core.compiled.kernel import helper

_STEP = 0x9E3779B97F4A7C15
_MIX1 = 0xBF58476D1CE4E5B9
_MIX2 = 0x94D049BB133111EB
_MASK = (1 << 64) - 1


def make_rng(seed: int) -> np.ndarray:
    """Create a generator; any integer is a valid seed."""
    return np.array([seed & _MASK], np.uint64)


def mix(bits: Any) -> Any:
    """Hash 64 bits: a bijection whose outputs look random."""
    value = int(bits)
    value = ((value ^ (value >> 30)) * _MIX1) & _MASK
    value = ((value ^ (value >> 27)) * _MIX2) & _MASK
    return np.uint64(value ^ (value >> 31))


@overload(mix)
def _mix(bits):
    mix1, mix2 = np.uint64(_MIX1), np.uint64(_MIX2)
    s30, s27, s31 = np.uint64(30), np.uint64(27), np.uint64(31)

    def implementation(bits):
        value = np.uint64(bits)
        value = (value ^ (value >> s30)) * mix1
        value = (value ^ (value >> s27)) * mix2
        return value ^ (value >> s31)

    return implementation


def next_bits(rng):
    """The next 64 random bits."""
    rng[0] = np.uint64((int(rng[0]) + _STEP) & _MASK)
    return mix(rng[0])


@overload(next_bits)
def _next_bits(rng):
    step = np.uint64(_STEP)

    def implementation(rng):
        rng[0] += step
        return mix(rng[0])

    return implementation


@helper
def below(rng, limit):
    """A random np.uint64 below `limit`, which is at most 2**32. The bias, below limit / 2**32, is negligible."""
    return ((next_bits(rng) >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32)


@helper
def uniform(rng):
    """A random float in [0, 1)."""
    return np.float64(next_bits(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


def zobrist(count: int, seed: int) -> np.ndarray:
    """`count` fixed random np.uint64 for position keys."""
    rng = make_rng(seed)
    return np.array([next_bits(rng) for _ in range(count)], np.uint64)
