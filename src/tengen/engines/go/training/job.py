"""The training run: generations of self-play games, each with the weights fitted to the one before.

All results are stored in one folder, with a checkpoint of the games of each generation, so an interrupted run can
be resumed. The same seed and plan give the same weights on any number of machines of one kind.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tengen.engines.go.mcts.feature_weights import write_feature_weights
from tengen.engines.go.training.fitting import Fit, TrainingGame, evaluate, extract_positions, fit
from tengen.engines.go.training.initial_weights import initial_feature_weights
from tengen.engines.go.training.selfplay import SelfPlayGame, SelfPlaySettings, game_tasks
from tengen.jobs import Checkpoint, ProgressBar, Task, run

VALIDATION_INTERVAL = 8  # one game in this many is used for validation


@dataclass(frozen=True, slots=True)
class Generation:
    """Games on boards of several sizes."""

    games: tuple[SelfPlaySettings, ...]


PLAN = (Generation((SelfPlaySettings(9, 40, 700), SelfPlaySettings(13, 40, 700), SelfPlaySettings(19, 24, 700))),)


def train(
    folder: Path,
    output: Path,
    *,
    seed: int = 1,
    plan: tuple[Generation, ...] = PLAN,
    executor: Executor | None = None,
    on_message: Callable[[str], None] = print,
) -> None:
    """Train feature weights and write them to `output`. Resumes from the checkpoints in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = initial_feature_weights()
    provenance: dict[str, Any] = {"command": f"tengen train go --seed {seed}", "seed": seed, "generations": []}
    for number, generation in enumerate(plan):
        checkpoint = Checkpoint(folder / f"generation-{number}.games", _fingerprint(seed, plan[: number + 1]))
        tasks = [task for settings in generation.games for task in game_tasks(number, settings, weights, seed)]
        games = [extract_positions(game) for game in _play(tasks, checkpoint, executor, number)]
        weights, validation = learn(games)
        on_message(f"generation {number}: {validation}")
        # "foretold" is part of the file format.
        provenance["generations"].append({**asdict(generation), "foretold": asdict(validation)})
    write_feature_weights(output, weights, provenance)
    on_message(f"written: {output}")


def learn(games: list[TrainingGame]) -> tuple[np.ndarray[Any, Any], Fit]:
    """(weights fitted to all games, validation of weights fitted without the validation games)."""
    validation = games[::VALIDATION_INTERVAL]
    others = [game for index, game in enumerate(games) if index % VALIDATION_INTERVAL]
    return fit(games), evaluate(validation, fit(others))


def _play(
    tasks: list[Task[SelfPlayGame]], checkpoint: Checkpoint, executor: Executor | None, number: int
) -> list[SelfPlayGame]:
    """Play the games; they are returned in the order of the tasks."""
    with ProgressBar(f"Generation {number}: games") as bar:
        played = {
            result.id: result.value
            for result in run(tasks, executor=executor, checkpoint=checkpoint, on_progress=bar)
        }
    return [played[task.id] for task in tasks]


def _fingerprint(seed: int, plan: tuple[Generation, ...]) -> str:
    return f"go looks, seed {seed}, {[asdict(generation) for generation in plan]}"
