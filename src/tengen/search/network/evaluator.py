"""A network on a board: the data of the kernel, with memory for one thread."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from tengen.core.compiled.convolution import LANES
from tengen.search.kernels.network import AROUND, Network
from tengen.search.network.weights import NetworkShape, Weights

Array = np.ndarray[Any, Any]


@cache
def rectangle_neighbourhoods(width: int, height: int) -> Array:
    """int32[points, AROUND]: the 3x3 neighbourhood of each point of a rectangle, row by row.

    Points outside the rectangle have the number `width * height`.
    """
    numbers = np.full((height + 2, width + 2), width * height, np.int32)
    numbers[1:-1, 1:-1] = np.arange(width * height).reshape(height, width)
    around = np.stack(
        [numbers[row : row + height, column : column + width] for row in range(3) for column in range(3)], axis=-1
    )
    return np.ascontiguousarray(around.reshape(-1, AROUND))


def evaluator(weights: Weights, around: Array) -> Network:
    """The data of the kernel for a board with these neighbourhoods. Memory is new."""
    weights = _widened(weights)
    shape, points = weights.shape, len(around)
    channels = shape.channels

    def memory(*sizes: int) -> Array:
        return np.zeros(sizes, np.float32)

    return Network(
        shape=np.array(
            [points, shape.features, shape.inputs, channels, shape.blocks, shape.hidden, shape.value_hidden],
            np.int64,
        ),
        around=around,
        **{name: _rows(array) for name, array in weights.arrays.items()},
        features=memory(points + 1, shape.features),
        inputs=memory(shape.inputs),
        state=memory(points + 1, channels),
        middle=memory(points + 1, channels),
        products=memory(points, max(channels, shape.hidden + 1)),
        pooled=memory(3 * channels),
        added=memory(max(channels, shape.hidden, shape.value_hidden)),
        logits=memory(points + 1),
        owners=memory(points),
        results=memory(2),
    )


def _widened(weights: Weights) -> Weights:
    """The same network with as many channels and hidden units as the kernel's vectors need; what is added is 0."""
    old = weights.shape
    shape = replace(old, channels=_round_up(old.channels), hidden=_round_up(old.hidden + 1) - 1)
    arrays = {name: np.zeros(sizes, np.float32) for name, sizes in shape.array_shapes().items()}
    for name, array in weights.arrays.items():
        for part, wider in zip(_parts(name, array, old), _parts(name, arrays[name], shape), strict=True):
            wider[tuple(map(slice, part.shape))] = part
    return Weights(shape, arrays, weights.inputs)


def _round_up(size: int) -> int:
    return -(-size // LANES) * LANES


def _parts(name: str, array: Array, shape: NetworkShape) -> list[Array]:
    """Views of an array, in which channels and hidden units are axes of their own."""
    channels = shape.channels
    if name in ("head_weights", "head_bias"):
        return [array[..., :-1], array[..., -1]]
    if name == "pass_weights":
        return [array[:-1].reshape(-1, channels), array[-1:]]
    if name in ("block_weights", "block_pooling", "head_pooling", "value_weights"):
        groups = array.shape[-2] // channels
        return [array.reshape(*array.shape[:-2], groups, channels, array.shape[-1])]
    return [array]


def _rows(array: Array) -> Array:
    """A stack of matrices as the rows of one, because compiled references know up to two dimensions."""
    return array.reshape(len(array), math.prod(array.shape[1:])) if array.ndim == 3 else array
