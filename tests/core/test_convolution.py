"""Convolutions by vector instructions, compiled and as plain Python, agree with NumPy."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from tengen.core.compiled.convolution import LANES, convolve
from tengen.core.compiled.pointers import pointer
from tengen.search.network.evaluator import rectangle_neighbourhoods

Array = np.ndarray[Any, Any]
UNTOUCHED = 7.0


def convolve_plainly(source: Array, around: Array, first: int, count: int, matrix: Array, out: Array) -> None:
    width, columns = source.shape[1], matrix.shape[1]
    convolve(
        pointer(source),
        pointer(around),
        first,
        count,
        pointer(matrix),
        pointer(out),
        len(around),
        width,
        columns,
    )


convolve_compiled = numba.njit(convolve_plainly)


@pytest.mark.parametrize("run", [convolve_plainly, convolve_compiled], ids=["plain", "compiled"])
@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 3), (5, 5), (7, 4), (9, 9)])
@pytest.mark.parametrize(("inner", "columns"), [(1, LANES), (25, LANES), (32, 3 * LANES)])
@pytest.mark.parametrize(("first", "count"), [(0, 9), (4, 1), (2, 5)])
def test_convolutions_agree_with_numpy(
    run: Any, width: int, height: int, inner: int, columns: int, first: int, count: int
) -> None:
    rng = np.random.default_rng(width * height)
    around = rectangle_neighbourhoods(width, height)
    source = rng.standard_normal((len(around) + 1, inner)).astype(np.float32)
    matrix = rng.standard_normal((count * inner, columns)).astype(np.float32)
    out = np.full((len(around) + 1, columns), UNTOUCHED, np.float32)
    run(source, around, first, count, matrix, out)
    expected = source[around[:, first : first + count]].reshape(len(around), -1).astype(np.float64) @ matrix
    np.testing.assert_allclose(out[:-1], expected, rtol=1e-4, atol=1e-4)
    assert (out[-1] == UNTOUCHED).all()  # nothing is written behind the last point
