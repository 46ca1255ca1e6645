"""The whole training: generations of games, each played with the weights learned from the one before.

Everything lies in one folder, so that a run that was killed goes on: a checkpoint of the games of each generation.
The same seed and plan give the same weights on any number of machines of one kind.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tengen.engines.go.mcts.feature_weights import write_gammas
from tengen.engines.go.training.fitting import Fit, Lesson, fit, judge, lesson_of
from tengen.engines.go.training.initial_weights import first_gammas
from tengen.engines.go.training.selfplay import Manner, SelfPlayed, game_tasks
from tengen.jobs import Checkpoint, ProgressBar, Task, run

HELD_BACK = 8
"""One game in so many is not learned from, but used to judge what was learned."""


@dataclass(frozen=True, slots=True)
class Generation:
    """Games on boards of several sizes."""

    games: tuple[Manner, ...]


PLAN = (Generation((Manner(9, 40, 700), Manner(13, 40, 700), Manner(19, 24, 700))),)


def train(
    folder: Path,
    output: Path,
    *,
    seed: int = 1,
    plan: tuple[Generation, ...] = PLAN,
    executor: Executor | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Learn the weights of looks and write them to `output`; go on with what is in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    gammas = first_gammas()
    provenance: dict[str, Any] = {"command": f"tengen train go --seed {seed}", "seed": seed, "generations": []}
    for number, generation in enumerate(plan):
        checkpoint = Checkpoint(folder / f"generation-{number}.games", _fingerprint(seed, plan[: number + 1]))
        tasks = [task for manner in generation.games for task in game_tasks(number, manner, gammas, seed)]
        lessons = [lesson_of(game) for game in _played(tasks, checkpoint, executor, number)]
        gammas, foretold = learn(lessons)
        say(f"generation {number}: {foretold}")
        provenance["generations"].append({**asdict(generation), "foretold": asdict(foretold)})
    write_gammas(output, gammas, provenance)
    say(f"written: {output}")


def learn(lessons: list[Lesson]) -> tuple[np.ndarray[Any, Any], Fit]:
    """Weights learned from all lessons; and how well those learned without one in eight foretell these."""
    held_back = lessons[::HELD_BACK]
    others = [lesson for index, lesson in enumerate(lessons) if index % HELD_BACK]
    return fit(lessons), judge(held_back, fit(others))


def _played(
    tasks: list[Task[SelfPlayed]], checkpoint: Checkpoint, executor: Executor | None, number: int
) -> list[SelfPlayed]:
    """The games in the order of the tasks, whatever the order in which they came."""
    with ProgressBar(f"Generation {number}: games") as bar:
        played = {
            result.id: result.value
            for result in run(tasks, executor=executor, checkpoint=checkpoint, on_progress=bar)
        }
    return [played[task.id] for task in tasks]


def _fingerprint(seed: int, plan: tuple[Generation, ...]) -> str:
    return f"go looks, seed {seed}, {[asdict(generation) for generation in plan]}"
