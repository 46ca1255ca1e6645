"""Training of the evaluation weights from self-play.

Games start with a few random stones near the centre. Then the player plays itself with hand-set weights, so that
the same command makes the same weights whatever ships, and with a little evaluation noise, so that games differ.
Each undecided position is one example: its features (see `search.kernels.evaluation`) and the winner of the game.
Logistic regression by Newton's method fits the weights, with a penalty for deviating from the initial ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.engine import PenteEngine
from tengen.engines.pente.kernels import entry_points
from tengen.engines.pente.root_position import RootPosition
from tengen.engines.pente.search.kernels.evaluation import FEATURES, SCALE
from tengen.engines.pente.search.weights import UNITS_PER_HUNDREDTH, hand_set_weights, write_weights
from tengen.games.pente.game import Pente
from tengen.jobs import Checkpoint, ProgressBar, Task, collect, run
from tengen.search.limits import Limits
from tengen.search.report import Kind

Array = np.ndarray[Any, Any]

RANDOM_OPENING_STONES = (3, 8)
"""Range of the number of random stones."""
EVALUATION_NOISE = 40
"""In hundredths of a point."""
MAX_PLIES = 120
DEFAULT_GAME = Pente.create(variant="tournament")
"""The game to train for by default."""
PRIOR_STRENGTH = 40.0
"""Strength of the penalty: the number of examples, in which a weight alone counts, that would balance it."""
NEWTON_STEPS = 12
HOLDOUT_EVERY = 5
"""One game in this many is held out to measure the result."""


@dataclass(frozen=True)
class Examples:
    """Features for the side to move, [n, 2 * FEATURES], and its results: 1, 0, or 0.5 for a draw."""

    counts: Array
    results: Array


def play_game(game: Pente, seed: int, opening: tuple[int, ...], nodes: int) -> Examples:
    """Play a game with `nodes` nodes per move. A task: depends on its arguments only."""
    engine = PenteEngine(table=4, seed=seed, error=EVALUATION_NOISE, learned=False)
    position = game.start().play_all([Move(move) for move in opening])
    seen: list[tuple[Array, int]] = []
    while not position.is_over and position.ply < MAX_PLIES:
        report = engine.search(position, Limits(nodes=nodes))
        if report.value.kind is not Kind.EXACT and RootPosition(position).stones_left == game.stones:
            seen.append((extract_features(position), position.to_move))
        position = position.play(report.best)
    winner = position.outcome.winner if position.outcome is not None else None
    counts = np.array([features for features, _ in seen], np.int64).reshape(-1, 2 * FEATURES)
    return Examples(counts, np.array([0.5 if winner is None else float(winner == mover) for _, mover in seen]))


def play_games(
    folder: Path, game: Pente, *, seed: int, count: int, nodes: int, executor: Executor | None = None
) -> list[Examples]:
    """Play `count` games; games already in the folder are not played again."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "pente.games"
    checkpoint = Checkpoint(kept, f"weights of {game.describe()}, seed {seed}, {nodes} nodes a move")
    tasks = []
    rng = np.random.default_rng(seed)
    for number in range(count):
        own, opening = int(rng.integers(2**31)), random_opening(game, rng).moves
        tasks.append(Task(f"game {number}", play_game, (game, own, tuple(int(move) for move in opening), nodes)))
    with ProgressBar("Games") as bar:
        played = collect(run(tasks, executor=executor, checkpoint=checkpoint, on_progress=bar))
    return [played[task.id] for task in tasks]


def _command_options(game: Pente) -> str:
    """Options of a game other than the default one, as on the command line."""
    if game == DEFAULT_GAME:
        return ""
    named = game.variant is not None and game == Pente.create(variant=game.variant)
    return f" variant={game.variant}" if named else f" {game.describe().removeprefix('pente ')}"


def concatenate(batches: Iterable[Examples]) -> Examples:
    """All examples of several games."""
    parts = list(batches)
    return Examples(np.concatenate([one.counts for one in parts]), np.concatenate([one.results for one in parts]))


def extract_features(position: Position) -> Array:
    """Features of a position for the side to move."""
    root = RootPosition(position)
    features = np.zeros(2 * FEATURES, np.int64)
    entry_points.board_features(root.boards, root.colour, features)
    return features


def random_opening(game: Pente, rng: np.random.Generator) -> Position:
    """A few stones near the centre."""
    while True:
        position = game.start()
        for _ in range(rng.integers(*RANDOM_OPENING_STONES, endpoint=True)):
            middle = (game.size + 1) / 2
            near = [
                move
                for move in position.legal_moves
                if abs(move % 20 - middle) <= 4 and abs(move // 20 - middle) <= 4
            ]
            position = position.play(near[rng.integers(len(near))])
        if not position.is_over:
            return position


def cross_entropy_bits(examples: Examples, weights: Array) -> float:
    """Mean cross-entropy of the results, in bits."""
    probability = _win_probabilities(examples, weights)
    surprise = examples.results * np.log2(probability) + (1 - examples.results) * np.log2(1 - probability)
    return float(-surprise.mean())


def _win_probabilities(examples: Examples, weights: Array) -> Array:
    values = np.clip(examples.counts @ weights / (UNITS_PER_HUNDREDTH * SCALE), -20, 20)
    probabilities: Array = np.clip(1 / (1 + np.exp(-values)), 1e-6, 1 - 1e-6)
    return probabilities


def fit(examples: Examples, start: Array) -> Array:
    """Weights that maximise the likelihood of the results, regularised towards `start`: float64[2 * FEATURES].

    Newton steps that overshoot, as on almost separable data, are halved.
    """
    scaled = examples.counts / (UNITS_PER_HUNDREDTH * SCALE)
    prior_strength = PRIOR_STRENGTH / (UNITS_PER_HUNDREDTH * SCALE) ** 2 * np.ones(len(start))

    def objective(weights: Array) -> float:
        return (
            len(examples.results) * cross_entropy_bits(examples, weights) * math.log(2)
            + float(prior_strength @ (weights - start) ** 2) / 2
        )

    weights = start.astype(np.float64)
    for _ in range(NEWTON_STEPS):
        probability = _win_probabilities(examples, weights)
        gradient = scaled.T @ (examples.results - probability) - prior_strength * (weights - start)
        hessian = (scaled * (probability * (1 - probability))[:, None]).T @ scaled + np.diag(prior_strength)
        step = np.linalg.solve(hessian, gradient)
        while objective(weights + step) > objective(weights) and np.abs(step).max() > 1:
            step = step / 2
        weights = weights + step
    return weights


def train(
    folder: Path,
    output: Path,
    game: Pente,
    *,
    seed: int,
    games: int,
    nodes: int,
    executor: Executor | None = None,
    log: Callable[[str], None] = print,
) -> None:
    """Play games, resuming from `folder`; fit the weights; and write them with their provenance."""
    played = play_games(folder, game, seed=seed, count=games, nodes=nodes, executor=executor)
    training_set = concatenate(
        examples for number, examples in enumerate(played) if number % HOLDOUT_EVERY or games < HOLDOUT_EVERY
    )
    holdout = concatenate(played[::HOLDOUT_EVERY])
    positions = sum(len(examples.results) for examples in played)
    before = hand_set_weights(game.stones)
    after = np.rint(fit(training_set, before)).astype(np.int64)
    bits = {
        "by hand": round(cross_entropy_bits(holdout, before), 4),
        "learned": round(cross_entropy_bits(holdout, after), 4),
    }
    log(f"{positions} positions; cross-entropy on held-out games {bits['by hand']} -> {bits['learned']} bits")
    provenance = {
        "command": f"tengen train pente --seed {seed} --games {games} --nodes {nodes}{_command_options(game)}",
        "played with": "weights set by hand",
        "positions": positions,
        "surprise in bits": bits,
    }
    write_weights(output, after, provenance)


Lesson = Examples  # the name that checkpoints of version 0.1 refer to
