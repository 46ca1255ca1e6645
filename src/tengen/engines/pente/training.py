"""The weights of the evaluation, learned from the player's own games.

Games begin with a few random stones near the middle; then the player plays itself with the weights set by hand, so
that the same command makes the same weights whatever ships, and with a little misjudgement, so that no two are
alike. Each position that was not yet decided is one example: its counts (see `kernels.evaluation`), and who won in
the end. Logistic regression by Newton's method finds the weights under which the results are most likely, held to
the ones before where there is little to learn from.
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
from tengen.engines.pente.kernels import entry_points as entry_points
from tengen.engines.pente.root_position import RootPosition
from tengen.engines.pente.search.kernels.evaluation import FEATURES, SCALE
from tengen.engines.pente.search.weights import UNITS_PER_HUNDREDTH, hand_set_weights, write_weights
from tengen.games.pente.game import Pente
from tengen.jobs import Checkpoint, ProgressBar, Task, collect, run
from tengen.search.limits import Limits
from tengen.search.report import Kind

Array = np.ndarray[Any, Any]

RANDOM_OPENING_STONES = (3, 8)
"""Random stones at the start."""
EVALUATION_NOISE = 40
"""Hundredths of a point."""
MAX_PLIES = 120
DEFAULT_GAME = Pente.create(variant="tournament")
"""The game that is learned from if no other is asked for."""
PRIOR_STRENGTH = 40.0
"""How much a weight is held to what it was: as much as so many examples in which it alone counts."""
NEWTON_STEPS = 12
HOLDOUT_EVERY = 5
"""Every so many games, one is not learned from: it tells what was learned."""


@dataclass(frozen=True)
class Examples:
    """Examples: counts for the side to move, [n, 2 * FEATURES], and its result: 1, 0, or a half if nobody won."""

    counts: Array
    results: Array


def play_game(game: Pente, seed: int, opening: tuple[int, ...], nodes: int) -> Examples:
    """A game of so many nodes a move: a task, which depends on nothing but this."""
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
    """Play so many games, or go on with those that are in the folder."""
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
    """The options of a game that is not the usual one, as a command has them."""
    if game == DEFAULT_GAME:
        return ""
    named = game.variant is not None and game == Pente.create(variant=game.variant)
    return f" variant={game.variant}" if named else f" {game.describe().removeprefix('pente ')}"


def concatenate(batches: Iterable[Examples]) -> Examples:
    """All examples of several lessons."""
    parts = list(batches)
    return Examples(np.concatenate([one.counts for one in parts]), np.concatenate([one.results for one in parts]))


def extract_features(position: Position) -> Array:
    """The features of a position, as the side to move sees them."""
    root = RootPosition(position)
    features = np.zeros(2 * FEATURES, np.int64)
    entry_points.board_features(root.boards, root.colour, features)
    return features


def random_opening(game: Pente, rng: np.random.Generator) -> Position:
    """A few stones near the middle."""
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
    """The mean surprise at the results, in bits."""
    probability = _win_probabilities(examples, weights)
    surprise = examples.results * np.log2(probability) + (1 - examples.results) * np.log2(1 - probability)
    return float(-surprise.mean())


def _win_probabilities(examples: Examples, weights: Array) -> Array:
    values = np.clip(examples.counts @ weights / (UNITS_PER_HUNDREDTH * SCALE), -20, 20)
    probabilities: Array = np.clip(1 / (1 + np.exp(-values)), 1e-6, 1 - 1e-6)
    return probabilities


def fit(examples: Examples, start: Array) -> Array:
    """The weights under which the results are most likely, held to `start`: float64[2 * FEATURES].

    A step of Newton's method that goes too far, as where the results can be told almost surely, is halved.
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
    """Play, or go on with what is in `folder`, learn, and write the weights with where they come from."""
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
    log(f"{positions} positions; surprise at other games' results {bits['by hand']} -> {bits['learned']} bits")
    provenance = {
        "command": f"tengen train pente --seed {seed} --games {games} --nodes {nodes}{_command_options(game)}",
        "played with": "weights set by hand",
        "positions": positions,
        "surprise in bits": bits,
    }
    write_weights(output, after, provenance)


Lesson = Examples  # the name that checkpoints of version 0.1 refer to
