"""A plain NumPy implementation of the network, and samples that can be learned in seconds."""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.search.network.samples import Samples
from tengen.search.network.weights import NetworkShape, Weights

Array = np.ndarray[Any, Any]
SHAPE = NetworkShape(features=5, inputs=2, channels=6, blocks=2, hidden=4, value_hidden=7)


def random_weights(shape: NetworkShape = SHAPE, seed: int = 0) -> Weights:
    rng = np.random.default_rng(seed)
    arrays = {
        name: (0.4 * rng.standard_normal(sizes)).astype(np.float32) for name, sizes in shape.array_shapes().items()
    }
    return Weights(shape, arrays, "test 1", {"seed": seed})


def random_position(shape: NetworkShape, points: int, seed: int = 1) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 2, (points, shape.features)).astype(np.float32)
    return features, rng.standard_normal(shape.inputs).astype(np.float32)


def convolve(planes: Array, matrix: Array) -> Array:
    """A 3x3 convolution of [height, width, in] by [9 * in, out], one point after the other."""
    height, width, channels = planes.shape
    padded = np.zeros((height + 2, width + 2, channels))
    padded[1:-1, 1:-1] = planes
    out = np.zeros((height, width, matrix.shape[1]))
    for row in range(height):
        for column in range(width):
            out[row, column] = padded[row : row + 3, column : column + 3].reshape(-1) @ matrix
    return out


def pool(planes: Array) -> Array:
    height, width, _ = planes.shape
    mean = planes.mean((0, 1))
    return np.concatenate([mean, planes.max((0, 1)), mean * (np.sqrt(height * width) - 14) / 10])


def reference(
    weights: Weights, width: int, height: int, features: Array, inputs: Array
) -> tuple[Array, Array, Array]:
    """(logits, owners, results) in float64."""
    array = {name: one.astype(np.float64) for name, one in weights.arrays.items()}
    channels = weights.shape.channels
    added = array["input_bias"] + inputs @ array["input_globals"]
    state = np.maximum(0, convolve(features.reshape(height, width, -1), array["input_weights"]) + added)
    for block in range(weights.shape.blocks):
        added = array["block_biases"][2 * block] + pool(state)[: 2 * channels] @ array["block_pooling"][block]
        middle = np.maximum(0, convolve(state, array["block_weights"][2 * block]) + added)
        change = convolve(middle, array["block_weights"][2 * block + 1])
        state = np.maximum(0, state + change + array["block_biases"][2 * block + 1])
    pooled, points = pool(state), state.reshape(-1, channels)
    heads = points @ array["head_weights"] + array["head_bias"]
    hidden = np.maximum(0, heads[:, :-1] + pooled @ array["head_pooling"])
    passing = pooled @ array["pass_weights"][:-1] + array["pass_weights"][-1]
    value = np.maximum(0, pooled @ array["value_weights"] + array["value_bias"])
    owners = np.tanh(heads[:, -1])
    results = value @ array["result_weights"] + array["result_bias"] + inputs @ array["result_inputs"]
    results = (results + owners.sum() / 10 * array["result_owners"]) * [1, 10]
    return np.append(hidden @ array["policy_weights"], passing), owners, results


def learnable_samples(size: int, count: int, seed: int) -> Samples:
    """Positions with one stone: the best move is the point itself, and a stone of the first kind wins."""
    rng = np.random.default_rng(seed)
    points, kinds = rng.integers(size * size, size=count), rng.integers(2, size=count)
    features, policy = np.zeros((count, size * size, 5), np.int8), np.zeros((count, size * size + 1), np.float16)
    features[:, :, 2] = 1
    features[np.arange(count), points, kinds] = 1
    policy[np.arange(count), points] = 1
    wins = 1.0 - kinds
    return Samples(
        size,
        size,
        features=features,
        inputs=np.zeros((count, 2), np.float32),
        known_logits=np.zeros_like(policy),
        policy=policy,
        wins=wins.astype(np.float32),
        scores=(20 * wins - 10).astype(np.float32),
        owners=np.repeat((200 * wins - 100)[:, None], size * size, axis=1).astype(np.int8),
    )
