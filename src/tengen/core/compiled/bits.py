"""Bit operations on np.uint64; single machine instructions in compiled code."""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from tengen.core.compiled.kernel import helper

ONE = np.uint64(1)
ZERO = np.uint64(0)


def popcount(bits):
    """The number of set bits, as np.uint64."""
    return np.uint64(int(bits).bit_count())


def trailing_zeros(bits):
    """The index of the lowest set bit, as np.uint64; 64 for no bits."""
    value = int(bits)
    return np.uint64((value & -value).bit_length() - 1 if value else 64)


@intrinsic
def _ctpop(typing_context, bits):
    def codegen(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def _cttz(typing_context, bits):
    def codegen(context, builder, signature, arguments):
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), codegen


@overload(popcount)
def _popcount(bits):
    return lambda bits: _ctpop(np.uint64(bits))


@overload(trailing_zeros)
def _trailing_zeros(bits):
    return lambda bits: _cttz(np.uint64(bits))


@helper
def nth_bit(bits, n):
    """The index of the n-th set bit, counted from 0; `bits` must have more than `n` of them."""
    for _ in range(n):
        bits &= bits - ONE
    return trailing_zeros(bits)
