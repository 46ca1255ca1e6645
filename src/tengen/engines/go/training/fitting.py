"""From games to weights: the looks of every legal move, and the weights that best foretell where searches went."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tengen.engines.go.board import geometry_of
from tengen.engines.go.kernels.board import NOWHERE
from tengen.engines.go.mcts.feature_weights import count_looks
from tengen.engines.go.mcts.kernels.features import MOST_LOOKS
from tengen.engines.go.mcts.kernels.playout_policy import SCRATCH
from tengen.engines.go.patterns import shape_classes
from tengen.engines.go.training.kernels.fitting import add_gradient, extract
from tengen.engines.go.training.selfplay import SelfPlayed

LOOKS_PER_MOVE = 12  # on the mean, at most
RIDGE = 1e-4
"""How strongly a weight is drawn to 0: what is seen in one of ten thousand positions hardly has one."""
STEPS = 200
PACE = 0.1
"""How far a weight moves in the first steps; it falls to nothing by the last."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Lesson:
    """The positions of a game: see `kernels.learning.extract`."""

    ends: Array
    rows: Array
    looks: Array


@dataclass(frozen=True, slots=True)
class Fit:
    """How well weights foretell moves: mean log-likelihood, and how often the best move is the likeliest."""

    likelihood: float
    agreement: float
    positions: int

    def __str__(self) -> str:
        return (
            f"{self.likelihood:.3f} of log-likelihood, {self.agreement:.1%} agreement, {self.positions} positions"
        )


def lesson_of(game: SelfPlayed) -> Lesson:
    geometry = geometry_of(game.size, game.size)
    plies = len(game.moves)
    most = plies * geometry.width * geometry.height
    looks = np.zeros(LOOKS_PER_MOVE * most, np.int16)
    rows, ends = np.zeros((most, 2), np.int32), np.zeros(plies, np.int32)
    positions, row, at = extract(
        geometry.empty_board(),
        geometry.new_board(),
        *geometry.tables,
        shape_classes(),
        np.zeros((6, geometry.points), np.int64),
        geometry.inward[game.moves].astype(np.int64),
        # A pass, which has no looks, and a choice that there is not are points of no move.
        np.where(game.visits > 0, geometry.inward[game.choices], NOWHERE).astype(np.int64),
        game.visits.astype(np.int64),
        np.zeros(SCRATCH, np.int64),
        np.zeros(MOST_LOOKS, np.int64),
        looks,
        rows,
        ends,
    )
    return Lesson(ends[:positions].copy(), rows[:row].copy(), looks[:at].copy())


def judge(lessons: Iterable[Lesson], gammas: Array, gradient: Array | None = None) -> Fit:
    """How well these weights do; adds to the gradient."""
    gradient = np.zeros(count_looks()) if gradient is None else gradient
    likelihood, agreed, positions = 0.0, 0, 0
    chances = np.zeros(400)
    for lesson in lessons:
        part, right = add_gradient(lesson.ends, lesson.rows, lesson.looks, gammas, chances, gradient)
        likelihood, agreed, positions = likelihood + part, agreed + right, positions + len(lesson.ends)
    return Fit(likelihood / max(1, positions), agreed / max(1, positions), positions)


def fit(lessons: list[Lesson]) -> Array:
    """Weights by gradient ascent, each step scaled by the size of recent ones (Adam, Kingma and Ba 2014)."""
    gammas = np.zeros(count_looks())
    mean, square = np.zeros_like(gammas), np.zeros_like(gammas)
    positions = sum(len(lesson.ends) for lesson in lessons)
    for step in range(1, STEPS + 1):
        gradient = np.zeros_like(gammas)
        judge(lessons, gammas, gradient)
        gradient = gradient / positions - RIDGE * gammas
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        pace = PACE * (1 - step / (STEPS + 1))
        gammas += pace * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return gammas
