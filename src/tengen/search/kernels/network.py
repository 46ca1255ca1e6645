"""Evaluation of a position by a small convolutional network: policy, value, score and owners.

The network works on boards of any size and shape. Activations are float32[points + 1, channels], where the last
row is the zero outside the board; `around` lists the 3x3 neighbourhood of each point. In this order:

1. input: 3x3 convolution of the features, plus a linear function of the global inputs
2. residual blocks of two 3x3 convolutions; the first adds a linear function of the channels' means and maxima
3. heads: policy (one hidden layer per point, which sees the pooled channels; a logit for the pass), owners, value
   and score (from the pooled channels, the sum of the owners and the global inputs)

All activations are rectified. `search.network.weights` describes the arrays. A search fills in `features` and
`inputs` and calls `forward`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.convolution import convolve
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.references import reference

AROUND, CENTRE = 9, 4  # points of a neighbourhood, and which of them is the point itself
WIN_LOGIT, SCORE = 0, 1  # entries of `results`
SCORE_SCALE = 10.0  # points per unit of the score output and of the sum of the owners
REFERENCE_SIDE, SIDE_SCALE = 14.0, 10.0  # means are also pooled times (side - REFERENCE_SIDE) / SIDE_SCALE


class Network(NamedTuple):
    """The weights of a network and the memory of one thread. All arrays are float32 unless noted.

    `channels` and `hidden + 1` are multiples of `convolution.LANES`: see `search.network.evaluator`.
    """

    shape: Any  # int64: points, features, inputs, channels, blocks, hidden, value_hidden
    around: Any  # int32[points, AROUND]
    # weights: see `search.network.weights`; the matrices of blocks are rows
    input_weights: Any
    input_bias: Any
    input_globals: Any
    block_weights: Any
    block_biases: Any
    block_pooling: Any
    head_weights: Any
    head_bias: Any
    head_pooling: Any
    policy_weights: Any
    pass_weights: Any
    value_weights: Any
    value_bias: Any
    result_weights: Any
    result_bias: Any
    result_inputs: Any
    result_owners: Any
    # filled in by the caller
    features: Any  # [points + 1, features], the last row 0
    inputs: Any  # [inputs]
    # memory
    state: Any  # [points + 1, channels], the last row 0
    middle: Any  # the same
    products: Any  # [points, max(channels, hidden + 1)]
    pooled: Any  # [3 * channels]: means, maxima, scaled means
    added: Any  # [max(channels, hidden, value_hidden)]
    # results
    logits: Any  # [points + 1], the pass last
    owners: Any  # [points], from -1 to 1, for the side to move
    results: Any  # [2]: logit of winning, score of the side to move


@inner
def _add_product(vector, matrix, rows, columns, out):
    """Add vector @ matrix to `out`."""
    for r in range(rows):
        factor = vector[r]
        if factor != np.float32(0.0):
            for c in range(columns):
                out[c] += factor * matrix[r * columns + c]


@inner
def _rectify(products, added, out, points, channels):
    """Write max(0, products + added) to `out`."""
    for point in range(points):
        start = point * channels
        for c in range(channels):
            value = products[start + c] + added[c]
            out[start + c] = value if value > np.float32(0.0) else np.float32(0.0)


@inner
def _rectify_sum(products, added, state, points, channels):
    """Write max(0, state + products + added) to `state`."""
    for point in range(points):
        start = point * channels
        for c in range(channels):
            value = state[start + c] + (products[start + c] + added[c])
            state[start + c] = value if value > np.float32(0.0) else np.float32(0.0)


@inner
def _pool(state, pooled, points, channels):
    """Means, maxima and scaled means of the channels, which are at least 0."""
    for c in range(2 * channels):
        pooled[c] = np.float32(0.0)
    for point in range(points):
        start = point * channels
        for c in range(channels):
            value, most = state[start + c], pooled[channels + c]
            pooled[c] += value
            pooled[channels + c] = value if value > most else most
    share = np.float32(1.0 / points)
    scale = np.float32((math.sqrt(np.float64(points)) - REFERENCE_SIDE) / SIDE_SCALE)
    for c in range(channels):
        pooled[c] *= share
        pooled[2 * channels + c] = scale * pooled[c]


@inner
def _blocks(network, around, products):
    points, channels, blocks = network.shape[0], network.shape[3], network.shape[4]
    state, middle, pooled, added = (
        pointer(network.state),
        pointer(network.middle),
        pointer(network.pooled),
        pointer(network.added),
    )
    for block in range(blocks):
        for half in range(2):
            layer = 2 * block + half
            for c in range(channels):
                added[c] = network.block_biases[layer, c]
            if half == 0:
                _pool(state, pooled, points, channels)
                _add_product(pooled, network.block_pooling[block], 2 * channels, channels, added)
            source, weights = state if half == 0 else middle, network.block_weights[layer]
            convolve(source, around, 0, AROUND, weights, products, points, channels, channels)
            if half == 0:
                _rectify(products, added, middle, points, channels)
            else:
                _rectify_sum(products, added, state, points, channels)


@inner
def _policy_and_owners(network, around, products, added):
    points, channels, hidden = network.shape[0], network.shape[3], network.shape[5]
    pooled = pointer(network.pooled)
    for c in range(hidden):
        added[c] = network.head_bias[c]
    _add_product(pooled, pointer(network.head_pooling), 3 * channels, hidden, added)
    state, weights = pointer(network.state), pointer(network.head_weights)
    convolve(state, around, CENTRE, 1, weights, products, points, channels, hidden + 1)
    owner_bias, balance = network.head_bias[hidden], np.float32(0.0)
    for point in range(points):
        start = point * (hidden + 1)
        logit = np.float32(0.0)
        for c in range(hidden):
            value = products[start + c] + added[c]
            if value > np.float32(0.0):
                logit += value * network.policy_weights[c]
        network.logits[point] = logit
        owner = np.float32(math.tanh(products[start + hidden] + owner_bias))
        network.owners[point] = owner
        balance += owner
    logit = network.pass_weights[3 * channels]
    for c in range(3 * channels):
        logit += pooled[c] * network.pass_weights[c]
    network.logits[points] = logit
    return balance


@inner
def _value_and_score(network, added, balance):
    """`balance`: the sum of the owners."""
    inputs, channels, hidden = network.shape[2], network.shape[3], network.shape[6]
    for c in range(hidden):
        added[c] = network.value_bias[c]
    _add_product(pointer(network.pooled), pointer(network.value_weights), 3 * channels, hidden, added)
    balance /= np.float32(SCORE_SCALE)
    win = network.result_bias[WIN_LOGIT] + balance * network.result_owners[WIN_LOGIT]
    score = network.result_bias[SCORE] + balance * network.result_owners[SCORE]
    for i in range(inputs):
        win += network.inputs[i] * network.result_inputs[i, WIN_LOGIT]
        score += network.inputs[i] * network.result_inputs[i, SCORE]
    for c in range(hidden):
        if added[c] > np.float32(0.0):
            win += added[c] * network.result_weights[c, WIN_LOGIT]
            score += added[c] * network.result_weights[c, SCORE]
    network.results[WIN_LOGIT] = win
    network.results[SCORE] = np.float32(SCORE_SCALE) * score


@inner
def forward(network):
    """Evaluate the position in `features` and `inputs` into `logits`, `owners` and `results`."""
    points, features, inputs, channels = network.shape[0], network.shape[1], network.shape[2], network.shape[3]
    around, products, added = pointer(network.around), pointer(network.products), pointer(network.added)
    seen, weights = pointer(network.features), pointer(network.input_weights)
    for c in range(channels):
        added[c] = network.input_bias[c]
    _add_product(pointer(network.inputs), pointer(network.input_globals), inputs, channels, added)
    convolve(seen, around, 0, AROUND, weights, products, points, features, channels)
    _rectify(products, added, pointer(network.state), points, channels)
    _blocks(network, around, products)
    _pool(pointer(network.state), pointer(network.pooled), points, channels)
    balance = _policy_and_owners(network, around, products, added)
    _value_and_score(network, added, balance)


@inner
def win_probability(network):
    """Probability that the side to move wins, after `forward`."""
    return 1.0 / (1.0 + math.exp(-np.float64(network.results[WIN_LOGIT])))


@kernel
def run_forward(network):
    """`forward` from Python."""
    forward(reference(network))
