"""Fitting of feature weights: maximum likelihood of the visit distributions of self-play searches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tengen.engines.go.board import geometry_for_size
from tengen.engines.go.kernels.board import NOWHERE
from tengen.engines.go.mcts.feature_weights import count_features, policy_data
from tengen.engines.go.training.kernels.fitting import TrainingData, add_gradient, extract
from tengen.engines.go.training.selfplay import SelfPlayGame

MAX_MEAN_FEATURES = 12  # mean number of features per move that fits into memory
L2_PENALTY = 1e-4  # keeps the weights of features that are seen in one of ten thousand positions near 0
STEPS = 200
LEARNING_RATE = 0.1  # at the first step; it falls linearly to 0
MAX_MOVES = 400  # of a position

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class TrainingGame:
    """Features of all moves of a game's positions: see `kernels.fitting.extract`."""

    ends: Array
    rows: Array
    features: Array


@dataclass(frozen=True, slots=True)
class Fit:
    """Quality of weights: mean log-likelihood, and how often the most visited move is the most probable."""

    likelihood: float
    agreement: float
    positions: int

    def __str__(self) -> str:
        return f"log-likelihood {self.likelihood:.3f}, agreement {self.agreement:.1%}, {self.positions} positions"


def extract_positions(game: SelfPlayGame) -> TrainingGame:
    """Compute the features of all moves of a self-play game."""
    geometry = geometry_for_size(game.size, game.size)
    plies = len(game.moves)
    max_rows = plies * geometry.width * geometry.height
    data = TrainingData(
        moves=geometry.from_rules[game.moves].astype(np.int64),
        # Passes, which have no features, and unused choices become NOWHERE.
        choices=np.where(game.visits > 0, geometry.from_rules[game.choices], NOWHERE).astype(np.int64),
        visits=game.visits.astype(np.int64),
        features=np.zeros(MAX_MEAN_FEATURES * max_rows, np.int16),
        rows=np.zeros((max_rows, 2), np.int32),
        ends=np.zeros(plies, np.int32),
    )
    positions, row, at = extract(
        geometry.empty_board(),
        geometry.new_board(),
        geometry.tables,
        policy_data(geometry, np.zeros(0, np.float32)),
        np.zeros(geometry.points, np.int64),
        data,
    )
    return TrainingGame(data.ends[:positions].copy(), data.rows[:row].copy(), data.features[:at].copy())


def evaluate(games: Iterable[TrainingGame], weights: Array, gradient: Array | None = None) -> Fit:
    """Measure how well `weights` predict the searches' moves; adds to `gradient` if it is given."""
    gradient = np.zeros(count_features()) if gradient is None else gradient
    likelihood, agreed, positions = 0.0, 0, 0
    probabilities = np.zeros(MAX_MOVES)
    for game in games:
        part, right = add_gradient(game.ends, game.rows, game.features, weights, probabilities, gradient)
        likelihood, agreed, positions = likelihood + part, agreed + right, positions + len(game.ends)
    return Fit(likelihood / max(1, positions), agreed / max(1, positions), positions)


def fit(games: list[TrainingGame]) -> Array:
    """Fit weights by gradient ascent with Adam (Kingma and Ba 2014)."""
    weights = np.zeros(count_features())
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    positions = sum(len(game.ends) for game in games)
    for step in range(1, STEPS + 1):
        gradient = np.zeros_like(weights)
        evaluate(games, weights, gradient)
        gradient = gradient / positions - L2_PENALTY * weights
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        rate = LEARNING_RATE * (1 - step / (STEPS + 1))
        weights += rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights
