"""Training of a network, possibly a deeper one, on all games of runs that have ended.

A run trains each generation shortly, so that the next one soon plays better. The same games teach more in a longer
training, and can teach a deeper network.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tengen.core.errors import TengenError
from tengen.engines.go.training.network_games import NetworkGame
from tengen.engines.go.training.network_job import learn
from tengen.jobs import Checkpoint
from tengen.search.network.growth import deepened
from tengen.search.network.trainer import TrainingPlan
from tengen.search.network.weights import Weights, write_network

PLAN = TrainingPlan(epochs=9.0, batch=128, learning_rate=1.5e-3)


def refit(
    folders: Sequence[Path],
    output: Path,
    start: Weights,
    *,
    blocks: int | None = None,
    plan: TrainingPlan = PLAN,
    seed: int = 1,
    on_message: Callable[[str], None] = print,
) -> None:
    """Train `start`, deepened to `blocks`, on the games of the runs in these folders, and write it to `output`.

    An interrupted training continues from a file beside `output`.
    """
    played = [games for folder in folders for games in read_generations(folder)]
    on_message(f"{sum(map(len, played))} games of {len(played)} generations")
    saved = output.with_name(f"{output.name}.training")
    larger = deepened(start, blocks or start.shape.blocks, seed)
    weights = learn(played, larger, plan, seed, validated=len(played), saved=saved)
    games = [len(one) for one in played]
    provenance = {"seed": seed, "games": games, "start": start.provenance, **weights.provenance}
    write_network(output, replace(weights, provenance=provenance))
    saved.unlink(missing_ok=True)
    for board, quality in weights.provenance["quality"].items():
        on_message(f"{board}: policy loss {quality['policy_loss']:.3f}, value loss {quality['value_loss']:.3f}")
    on_message(f"written: {output}")


def read_generations(folder: Path) -> list[list[NetworkGame]]:
    """The games of each generation of a run, in the order in which they were planned."""
    paths = sorted(folder.glob("generation-*.games"), key=lambda path: (len(path.name), path.name))
    if not paths:
        raise TengenError(f"{folder} has no games: name the folder of a run of `tengen train go`")
    return [_read_games(path) for path in paths]


def _read_games(path: Path) -> list[NetworkGame]:
    with Checkpoint.existing(path).open() as file:
        ids = sorted(file.ids(), key=lambda task: (len(task), task))  # "generation 3, game 17"
        games = [file.load(task) for task in ids]
    if not all(isinstance(game, NetworkGame) for game in games):
        raise TengenError(f"{path} has no games of a run of `tengen train go`")
    return games  # type: ignore[return-value]
