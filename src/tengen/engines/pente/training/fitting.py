"""Fitting weights to examples: logistic regression for values, a softmax over alternatives for the move order.

Both are fitted by L-BFGS with a penalty for deviating from the initial weights, in units of odds of e to 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import minimize

from tengen.engines.pente.search.kernels.evaluation import COUNTS, SCALE
from tengen.engines.pente.search.weights import MULTISETS, UNITS_PER_HUNDREDTH, Parts
from tengen.engines.pente.training.examples import Choices, Examples

Array = np.ndarray[Any, Any]

UNIT = 1 / (UNITS_PER_HUNDREDTH * SCALE)
"""A unit of the weights, in odds of e to 1."""
ORDER_UNIT = 1 / 512
"""The same for the move order."""
RESULT_SHARE = 0.5
"""Share of the game's result in the target; the rest is the value from the search."""
VALUE_PENALTY, ORDER_PENALTY = 20.0, 3.0
VALUE_STEPS, ORDER_STEPS = 100, 60


def fit_values(examples: Examples, parts: Parts) -> tuple[Array, Array]:
    """Values and weights of counts, both [2, n]."""
    start = _vector(parts)
    targets = RESULT_SHARE * examples.results + (1 - RESULT_SHARE) * examples.values
    features, transposed = examples.features, examples.features.T.tocsr()

    def objective(weights: Array) -> tuple[float, Array]:
        logits, off = features @ weights, weights - start
        loss = np.logaddexp(0, logits).sum() - (targets * logits).sum() + VALUE_PENALTY / 2 * (off @ off)
        return float(loss), transposed @ (_probability(logits) - targets) + VALUE_PENALTY * off

    options = {"maxiter": VALUE_STEPS}
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x / UNIT
    values, counts = np.split(np.rint(found).astype(np.int64), [2 * len(MULTISETS)])
    return values.reshape(2, -1), counts.reshape(2, COUNTS)


def fit_order(choices: Choices, parts: Parts) -> tuple[Array, Array]:
    """Move order by multiset, [2, n], and of captures, [4]; the least promising shapes have 0."""
    initial = np.log1p(parts[1].reshape(-1) / 64)
    start = np.concatenate([initial, [1.0, 0.8, 0.2, 0.1]])
    count = len(MULTISETS)
    sizes = np.diff(np.append(choices.starts, len(choices.own)))
    of = np.repeat(np.arange(len(sizes)), sizes)

    def objective(weights: Array) -> tuple[float, Array]:
        logits = weights[choices.own] + weights[count + choices.other] + choices.captures @ weights[2 * count :]
        highest = np.maximum.reduceat(logits, choices.starts)
        odds = np.exp(logits - highest[of])
        total = np.add.reduceat(odds, choices.starts)
        off = weights - start
        loss = (highest + np.log(total) - logits[choices.chosen]).sum() + ORDER_PENALTY / 2 * (off @ off)
        excess = odds / total[of]
        excess[choices.chosen] -= 1
        gradient = np.concatenate([
            np.bincount(choices.own, excess, count), np.bincount(choices.other, excess, count),
            choices.captures.T @ excess,
        ])  # fmt: skip
        return float(loss), gradient + ORDER_PENALTY * off

    found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": ORDER_STEPS}).x
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
    return np.concatenate([parts[0].reshape(-1), parts[2].reshape(-1)]) * UNIT


def _probability(logits: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))))
