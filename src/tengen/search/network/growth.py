"""Larger networks that start with what a smaller one has learned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tengen.core.errors import TengenError
from tengen.search.network.weights import Weights

BLOCK_ARRAYS = ("block_weights", "block_biases", "block_pooling")


def deepened(weights: Weights, blocks: int, seed: int) -> Weights:
    """The network with further residual blocks, which change nothing until they are trained.

    The first convolution of a new block is random, so that the block can learn, and the second one is 0.
    """
    old = weights.shape
    if blocks < old.blocks:
        raise TengenError(f"the network has {old.blocks} blocks: ask for as many or more, not {blocks}")
    shape = replace(old, blocks=blocks)
    rng, arrays = np.random.default_rng(seed), dict(weights.arrays)
    for name in BLOCK_ARRAYS:
        array = np.zeros(shape.array_shapes()[name], np.float32)
        array[: len(weights.arrays[name])] = weights.arrays[name]
        arrays[name] = array
    first = arrays["block_weights"][2 * old.blocks :: 2]
    first[:] = rng.standard_normal(first.shape) * np.sqrt(2.0 / first.shape[1])
    return Weights(shape, arrays, weights.inputs, weights.provenance)
