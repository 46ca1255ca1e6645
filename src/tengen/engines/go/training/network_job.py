"""Training of the network: generations of self-play games, each with the best network of those before.

A generation plays games (the first one without a network), trains a network on the games of the last generations,
and lets it play a match against the best one so far, which it replaces if it wins. All data is in one folder, so
that an interrupted run resumes: for each generation the checkpoint of its games, the trained network and the
checkpoint of its match, and the learning curve (`learning.csv`, `learning.svg`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tengen.engines.go.network.files import INPUT_NAME, SHAPE
from tengen.engines.go.training.learning_curve import CurvePoint, write_curve
from tengen.engines.go.training.network_games import (
    GameBatch,
    NetworkGame,
    NetworkGameSettings,
    network_game_tasks,
)
from tengen.engines.go.training.network_match import match_tasks
from tengen.engines.go.training.network_samples import all_samples
from tengen.jobs import Checkpoint, ProgressBar, Task, collect, run
from tengen.jobs.progress import Meter
from tengen.search.network.samples import Samples
from tengen.search.network.trainer import (
    TrainingPlan,
    count_steps,
    initial_arrays,
    measure_quality,
    train_network,
)
from tengen.search.network.weights import NetworkShape, Weights, read_network, write_network

T = TypeVar("T")

VALIDATION_INTERVAL = 12  # one game in this many is used for validation
PASSING_SCORE = 0.5  # in the match
DEFAULT_TRAINING = TrainingPlan(epochs=4.0, learning_rate=1.5e-3)


@dataclass(frozen=True, slots=True)
class NetworkGeneration:
    """Games, training and match of a generation.

    Training uses the games of the last `games_from_generations` generations. `match_games` are played on
    `match_size`.
    """

    batches: tuple[GameBatch, ...]
    training: TrainingPlan = DEFAULT_TRAINING
    games_from_generations: int = 12
    match_games: int = 40
    match_size: int = 13


def _batches(games: dict[int, int], full: int, quick: int, full_share: float = 0.25) -> tuple[GameBatch, ...]:
    """A number of games for each board size."""
    return tuple(
        GameBatch(NetworkGameSettings(size, full, quick, full_share), count) for size, count in games.items()
    )


# Short searches follow their priors, so only deep ones teach the policy something new. Games on 9x9 are quick and
# teach tactics; those on larger boards, where the network helps most, take most of the time of later generations.
PLAN = (
    NetworkGeneration(
        _batches({9: 1485, 13: 148, 19: 17}, 1000, 120), TrainingPlan(epochs=10.0, learning_rate=3e-3)
    ),
    *[NetworkGeneration(_batches({9: 450, 13: 270, 19: 90}, 700, 80)) for _ in range(6)],
)
# Generations of about 20 minutes of processor time. Most games are on 9x9, where a game takes half a second.
PLAN_FROM_NETWORK = tuple(
    NetworkGeneration(
        _batches({9: 1200, 13: 90, 19: 12}, 600, 60, full_share=0.2),
        TrainingPlan(epochs=2.0, learning_rate=1e-3),
        games_from_generations=5,
        match_size=9,
    )
    for _ in range(12)
)


def train(
    folder: Path,
    output: Path,
    *,
    seed: int = 1,
    plan: Sequence[NetworkGeneration] | None = None,
    shape: NetworkShape = SHAPE,
    start: Weights | None = None,
    max_games: int | None = None,
    executor: Executor | None = None,
    on_message: Callable[[str], None] = print,
) -> None:
    """Train a network and write it to `output` after each generation that passes its match.

    With `start` the run continues from that network, otherwise it begins with games without any. Each has its
    default plan. `max_games` limits the games of each generation; it may change when a run is resumed, as long as
    the generation is not trained yet.
    """
    if plan is None:
        plan = PLAN_FROM_NETWORK if start else PLAN
    folder.mkdir(parents=True, exist_ok=True)
    best = start
    played: list[list[NetworkGame]] = []
    history: list[dict[str, Any]] = []
    curve = [] if start is None else [CurvePoint("start", start)]
    for number, generation in enumerate(plan):
        fingerprint = _fingerprint(seed, plan[: number + 1], start.shape if start else shape)
        if start:
            fingerprint += f", continuing {start.digest}"
        played.append(
            _collect(
                network_game_tasks(number, generation.batches, best, seed)[:max_games],
                Checkpoint(folder / f"generation-{number}.games", fingerprint),
                executor,
                f"Generation {number}: games",
            )
        )
        trained = folder / f"generation-{number}.network"
        if not trained.exists():
            recent = played[-generation.games_from_generations :]
            weights = best or Weights(shape, initial_arrays(shape, seed), INPUT_NAME)
            write_network(trained, learn(recent, weights, generation.training, seed + number))
        new = read_network(trained, INPUT_NAME)
        results = _collect(
            match_tasks(f"generation {number}", generation.match_size, new, best, generation.match_games, seed),
            Checkpoint(folder / f"generation-{number}.match", fingerprint),
            executor,
            f"Generation {number}: match",
        )
        score = float(np.mean(results)) if results else 1.0
        record = {"games": len(played[-1]), "match_games": len(results), "match_score": score, **new.provenance}
        history.append(record)
        curve.append(CurvePoint(str(number), new, len(played[-1]), len(results), score))
        write_curve(folder, curve, validation_samples(played))
        on_message(f"generation {number}: {_describe(record)}")
        if score >= PASSING_SCORE:
            command = "tengen train go" + (f" --start {start.digest}" if start else "") + f" --seed {seed}"
            command += f" --games {max_games}" if max_games else ""
            provenance = {"command": command, "seed": seed, "generations": history}
            if start:
                provenance["start"] = start.provenance
            best = replace(new, provenance=provenance)
            write_network(output, best)
            on_message(f"written: {output}")


def learn(
    played: Sequence[Sequence[NetworkGame]],
    start: Weights,
    training: TrainingPlan,
    seed: int,
    *,
    validated: int = 1,
    saved: Path | None = None,
) -> Weights:
    """The network trained further on the games of generations; its provenance is its quality.

    The quality is measured on validation games of the last `validated` generations, by board size. `saved`: see
    `train_network`.
    """
    games = [game for one in played for index, game in enumerate(one) if index % VALIDATION_INTERVAL]
    samples = all_samples(games)
    with ProgressBar("Training") as bar:
        meter = Meter(count_steps(samples, training))
        meter.work_starts()

        def show(steps: int) -> None:
            meter.finish(done=steps, failed=0)
            bar(meter.snapshot())

        weights = train_network(start, samples, training, seed=seed, on_progress=show, saved=saved)
    quality = {
        f"{part.width}x{part.height}": asdict(measure_quality(weights, part))
        for part in validation_samples(played[-validated:])
    }
    provenance = {"positions": sum(map(len, samples)), "training": asdict(training), "quality": quality}
    return replace(weights, provenance=provenance)


def validation_samples(played: Sequence[Sequence[NetworkGame]]) -> list[Samples]:
    """The positions of the games of generations that are not used for training, by board size."""
    return all_samples([game for one in played for game in one[::VALIDATION_INTERVAL]])


def _collect(tasks: list[Task[T]], checkpoint: Checkpoint, executor: Executor | None, label: str) -> list[T]:
    """The results in the order of the tasks."""
    with ProgressBar(label) as bar:
        found = collect(run(tasks, executor=executor, checkpoint=checkpoint, on_progress=bar))
    return [found[task.id] for task in tasks]


def _describe(record: dict[str, Any]) -> str:
    accuracy = ", ".join(f"{board} {one['accuracy']:.1%}" for board, one in record["quality"].items())
    return f"{record['games']} games, policy right on {accuracy}, match {record['match_score']:.1%}"


def _fingerprint(seed: int, plan: Sequence[NetworkGeneration], shape: NetworkShape) -> str:
    return f"go network, {INPUT_NAME}, seed {seed}, {shape}, {[asdict(generation) for generation in plan]}"
