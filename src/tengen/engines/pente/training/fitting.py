"""Fitting weights to examples: logistic regression for values, a softmax over alternatives for the move order.

Both are fitted by L-BFGS in two steps: first weights that are sums over the four shapes and the level of a point,
and sums over the bits of a threat mask, which a few thousand examples determine, then the weight of each multiset
of shapes and of each mask, with a penalty for deviating from the first ones in units of odds of e to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse  # type: ignore[import-untyped]
from scipy.optimize import minimize  # type: ignore[import-untyped]

from tengen.engines.pente.patterns import CLASS_OF_SHAPE, LEVEL_OF, LEVELS, SHAPES
from tengen.engines.pente.search.kernels.evaluation import COUNTS, SCALE, THREAT_LEVELS, THREAT_MASKS
from tengen.engines.pente.search.weights import MULTISETS, UNITS_PER_HUNDREDTH, Parts
from tengen.engines.pente.training.examples import Choices, Examples

Array = np.ndarray[Any, Any]

UNIT = 1 / (UNITS_PER_HUNDREDTH * SCALE)
"""A unit of the weights, in odds of e to 1."""
ORDER_UNIT = 1 / 512
"""The same for the move order."""
RESULT_SHARE = 0.5
"""Share of the game's result in the target; the rest is the value from the search."""
SUM_PENALTY, VALUE_PENALTY, ORDER_PENALTY = 1.0, 20.0, 3.0
STEPS = 100


def _sums(extra: int) -> Any:
    """Sparse matrix from weights of shapes and levels, and `extra` others, to those of multisets, by side."""
    levels = LEVEL_OF[(np.array(CLASS_OF_SHAPE)[MULTISETS] << 3 * np.arange(4)).sum(axis=1)]
    shapes = np.stack([np.sum(np.equal(MULTISETS, shape), axis=1) for shape in range(SHAPES)], axis=1)
    side = np.hstack([shapes, levels[:, None] == np.arange(LEVELS)])
    blocks = [side, side]
    if extra >= THREAT_MASKS:
        bits = np.arange(THREAT_MASKS)[:, None] >> np.arange(2 * THREAT_LEVELS) & 1
        blocks += [sparse.identity(extra - THREAT_MASKS), bits]
    else:
        blocks.append(sparse.identity(extra))
    return sparse.block_diag(blocks, format="csr").astype(np.float64)


def _minimise(loss: Callable[[Array], tuple[float, Array]], start: Array, penalty: float, basis: Any) -> Array:
    """Weights start + basis @ u with the least loss, and penalty / 2 * u @ u."""

    def objective(found: Array) -> tuple[float, Array]:
        value, gradient = loss(start + basis @ found)
        return value + penalty / 2 * float(found @ found), basis.T @ gradient + penalty * found

    zero = np.zeros(basis.shape[1])
    found = minimize(objective, zero, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    return np.asarray(start + basis @ found)


def _fit(loss: Callable[[Array], tuple[float, Array]], start: Array, penalty: float) -> Array:
    basis = _sums(len(start) - 2 * len(MULTISETS))
    return _minimise(loss, _minimise(loss, start, SUM_PENALTY, basis), penalty, sparse.identity(len(start)))


def fit_values(examples: Examples, parts: Parts) -> tuple[Array, Array, Array]:
    """Values and weights of counts, both [2, n], and of threat masks."""
    start = _vector(parts)
    targets = RESULT_SHARE * examples.results + (1 - RESULT_SHARE) * examples.values
    features, transposed = examples.features, examples.features.T.tocsr()

    def loss(weights: Array) -> tuple[float, Array]:
        logits = features @ weights
        total = float(np.logaddexp(0, logits).sum() - (targets * logits).sum())
        return total, transposed @ (_probability(logits) - targets)

    found = _fit(loss, start, VALUE_PENALTY) / UNIT
    shapes = 2 * len(MULTISETS)
    values, counts, threats = np.split(np.rint(found).astype(np.int64), [shapes, shapes + 2 * COUNTS])
    return values.reshape(2, -1), counts.reshape(2, COUNTS), threats


def fit_order(choices: Choices, parts: Parts) -> tuple[Array, Array]:
    """Move order by multiset, [2, n], and of captures, [4]; the least promising shapes have 0."""
    initial = np.log1p(parts[1].reshape(-1) / 64)
    start = np.concatenate([initial, [1.0, 0.8, 0.2, 0.1]])
    count = len(MULTISETS)
    sizes = np.diff(np.append(choices.starts, len(choices.own)))
    of = np.repeat(np.arange(len(sizes)), sizes)

    def loss(weights: Array) -> tuple[float, Array]:
        logits = weights[choices.own] + weights[count + choices.other] + choices.captures @ weights[2 * count :]
        highest = np.maximum.reduceat(logits, choices.starts)
        odds = np.exp(logits - highest[of])
        total = np.add.reduceat(odds, choices.starts)
        surprise = float((highest + np.log(total) - logits[choices.chosen]).sum())
        excess = odds / total[of]
        excess[choices.chosen] -= 1
        gradient = np.concatenate([
            np.bincount(choices.own, excess, count), np.bincount(choices.other, excess, count),
            choices.captures.T @ excess,
        ])  # fmt: skip
        return surprise, gradient

    found = _fit(loss, start, ORDER_PENALTY)
    order = found[: 2 * count].reshape(2, -1)
    order = order - order.min(axis=1, keepdims=True)
    return np.rint(order / ORDER_UNIT), np.rint(found[2 * count :] / ORDER_UNIT)


def cross_entropy_bits(examples: Examples, parts: Parts) -> float:
    """Mean cross-entropy of the results, in bits."""
    chances = np.clip(_probability(examples.features @ _vector(parts)), 1e-6, 1 - 1e-6)
    loss = examples.results * np.log(chances) + (1 - examples.results) * np.log(1 - chances)
    return float(-loss.mean() / math.log(2))


def share_in_first(choices: Choices, parts: Parts, first: int) -> float:
    """How often the chosen move is one of the `first` most promising ones."""
    value = parts[1][0][choices.own] + parts[1][1][choices.other] + choices.captures @ parts[3]
    sizes = np.diff(np.append(choices.starts, len(choices.own)))
    better = value > np.repeat(value[choices.chosen], sizes)
    return float((np.add.reduceat(better, choices.starts) < first).mean())


def _vector(parts: Parts) -> Array:
    return np.concatenate([parts[0].reshape(-1), parts[2].reshape(-1), parts[4]]) * UNIT


def _probability(logits: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))))
