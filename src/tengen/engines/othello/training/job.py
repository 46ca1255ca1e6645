"""The whole training: generations of games, each played with the weights learned from the one before.

Everything lies in one folder, so that a run that was killed goes on: a checkpoint of games for each generation and
the weights learned from them. The same seed and plan give the same weights, on any number of machines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tengen.engines.othello.midgame.patterns import FOLDED, FOLDED_PLACE
from tengen.engines.othello.midgame.weights import FEWEST, MOST, SETS, STEP, write_weights
from tengen.engines.othello.training import accuracy as judging
from tengen.engines.othello.training import probcut_fit as cuts
from tengen.engines.othello.training.accuracy import Judged
from tengen.engines.othello.training.kernels.design_matrix import COLUMNS, add_counts, make_rows
from tengen.engines.othello.training.regression import Sample, fit
from tengen.engines.othello.training.selfplay import Games, Manner, game_tasks, pack, positions, targets, unpacked
from tengen.jobs import Checkpoint, ProgressBar, Task, available_cores, run
from tengen.jobs.progress import Meter

T = TypeVar("T")

PIECES = 8  # of the positions of each ply, fixed so that sums do not depend on the number of cores
NEIGHBOURS = {-2: 0.5, 0: 1.0, 2: 0.5}
"""How much positions count that have so many empty squares more: those of the other parity would mislead."""


@dataclass(frozen=True, slots=True)
class Generation:
    """Games, how they are played, and how weights are learned from them.

    For `patience` see `selfplay.targets`. Games of the last `memory` generations are learned from together.
    """

    games: int
    manner: Manner
    ridge: float = 60.0
    iterations: int = 6
    patience: float = 0.7
    memory: int = 1


PLAN = (
    Generation(30_000, Manner(depth=2, solved=10, noise=50)),
    Generation(30_000, Manner(depth=2, solved=10, noise=50)),
    Generation(40_000, Manner(depth=3, solved=12, noise=30)),
    Generation(60_000, Manner(depth=3, solved=12, noise=30)),
    Generation(120_000, Manner(depth=3, solved=12, noise=30), memory=2),
)
JUDGED = 500


def train(
    folder: Path,
    output: Path,
    *,
    seed: int = 1,
    plan: tuple[Generation, ...] = PLAN,
    judged: int = JUDGED,
    executor: Executor | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Learn weights and write them to `output`; go on with what is in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, generation in enumerate(plan):
        learned = folder / f"generation-{number}.npy"
        if learned.exists():
            continue
        folded = None if number == 0 else np.load(folder / f"generation-{number - 1}.npy")
        tasks = game_tasks(f"generation {number}", generation.games, generation.manner, pack(folded), seed)
        checkpoint = Checkpoint(folder / f"generation-{number}.games", _fingerprint(seed, plan[: number + 1]))
        label = f"Generation {number}: games"
        games = Games.join(_all(tasks, checkpoint, executor, label))
        for earlier in range(max(0, number + 1 - generation.memory), number):
            games = Games.join([_kept(folder, earlier, seed, plan), games])
        weights = learn(games, generation, f"Generation {number}: weights")
        _save(learned, weights)
    folded = np.load(folder / f"generation-{len(plan) - 1}.npy")
    fingerprint = _fingerprint(seed, plan)
    tasks = judging.games_to_judge(judged, pack(folded), seed)
    games = Games.join(
        _all(tasks, Checkpoint(folder / "judged.games", fingerprint), executor, "Games to judge by")
    )
    provenance = _provenance(seed, plan)
    provenance["cuts"] = _cuts(games, pack(folded), Checkpoint(folder / "cuts.values", fingerprint), executor)
    truth = _solved(games, judged, pack(folded), Checkpoint(folder / "judged.solved", fingerprint), executor)
    judging.write_judged(folder / "judged.txt", truth)
    for number in range(len(plan)):
        found = judging.judge(unpacked(pack(np.load(folder / f"generation-{number}.npy"))), truth)
        provenance["generations"][number]["errors"] = asdict(found)
        say(f"generation {number}: {found}")
    write_weights(output, folded, provenance)
    say(f"written: {output}")


def learn(games: Games, generation: Generation, label: str) -> np.ndarray:
    """Folded weights in centi-discs, [SETS, FOLDED].

    Begun at the fewest empty squares, where scores are truest: each solution is the prior of the next.
    """
    wanted = targets(games, generation.patience)
    rank = _ranking(games, wanted)
    places = rank[FOLDED_PLACE]
    solution = np.zeros(FOLDED)
    weights = np.zeros((SETS, FOLDED))
    near: dict[int, list[Sample]] = {}
    with ThreadPoolExecutor(available_cores()) as threads, ProgressBar(label) as bar:
        meter = Meter(SETS)
        for empties in range(FEWEST, MOST + 1):
            bar(meter.snapshot())
            meter.work_starts()
            samples = []
            for more, importance in NEIGHBOURS.items():
                if not FEWEST <= empties + more <= MOST:
                    continue
                if empties + more not in near:
                    near[empties + more] = _samples(games, wanted, empties + more, places)
                samples += [replace(sample, importance=importance) for sample in near[empties + more]]
            near.pop(empties + min(NEIGHBOURS), None)
            solution = fit(
                samples, solution, ridge=generation.ridge, iterations=generation.iterations, threads=threads
            )
            weights[empties - FEWEST] = 100 * solution[rank]
            meter.finish(done=1, failed=0)
        bar(meter.snapshot())
    return weights


def _ranking(games: Games, wanted: np.ndarray) -> np.ndarray:
    """uint32[FOLDED]: the place of each folded weight, the most used first, as far as three plies can tell."""
    counts = np.zeros(FOLDED, np.float32)
    for empties in (12, 24, 36):
        for sample in _samples(games, wanted, empties, FOLDED_PLACE.astype(np.uint32)):
            add_counts(sample.rows, np.float32(1), counts)
    rank = np.empty(FOLDED, np.uint32)
    rank[np.argsort(-counts, kind="stable")] = np.arange(FOLDED, dtype=np.uint32)
    return rank


def _samples(games: Games, wanted: np.ndarray, empties: int, places: np.ndarray) -> list[Sample]:
    movers, enemies, scores = positions(games, wanted, empties)
    rows = np.zeros((len(movers), COLUMNS), np.uint32)
    make_rows(movers, enemies, places, rows)
    pieces = zip(np.array_split(rows, PIECES), np.array_split(scores, PIECES), strict=True)
    return [Sample(piece, score, 1.0) for piece, score in pieces]


def _solved(games: Games, count: int, packed: bytes, checkpoint: Checkpoint, executor: Executor | None) -> Judged:
    """A position of each of `count` games with its exact score."""
    parts = _all(judging.solving_tasks(games, count, packed), checkpoint, executor, "Exact scores")
    return Judged(
        np.concatenate([part.movers for part in parts]),
        np.concatenate([part.enemies for part in parts]),
        np.concatenate([part.scores for part in parts]),
    )


def _cuts(games: Games, packed: bytes, checkpoint: Checkpoint, executor: Executor | None) -> dict[str, Any]:
    """The numbers of `foretell`, and what they were fitted to."""
    tasks = cuts.searching_tasks(games, packed)
    results = _all(tasks, checkpoint, executor, "Shallow and deep searches")
    found = cuts.foretold(cuts.by_empties(tasks, results))
    if not found:
        return {"numbers": None, "pairs": 0}
    return {"numbers": cuts.formula(found), "pairs": len(found)}


def _all(tasks: list[Task[T]], checkpoint: Checkpoint, executor: Executor | None, label: str) -> list[T]:
    """The results in the order of the tasks, whatever the order in which they came."""
    with ProgressBar(label) as bar:
        results = {
            result.id: result.value
            for result in run(tasks, executor=executor, checkpoint=checkpoint, on_progress=bar)
        }
    return [results[task.id] for task in tasks]


def _kept(folder: Path, number: int, seed: int, plan: tuple[Generation, ...]) -> Games:
    """The games of a former generation, from its checkpoint."""
    checkpoint = Checkpoint(folder / f"generation-{number}.games", _fingerprint(seed, plan[: number + 1]))
    with checkpoint.open() as store:
        return Games.join([store.load(task_id) for task_id in sorted(store.ids())])  # type: ignore[misc]


def _save(path: Path, weights: np.ndarray) -> None:
    """Whole or not at all: what is there counts as learned. Rounded as in the file of weights."""
    temporary = path.with_suffix(".writing.npy")
    np.save(temporary, (STEP * np.rint(weights / STEP)).astype(np.int16))
    temporary.replace(path)


def _provenance(seed: int, plan: tuple[Generation, ...]) -> dict[str, Any]:
    return {
        "command": f"tengen train othello --seed {seed}",
        "seed": seed,
        "neighbours": {str(more): importance for more, importance in NEIGHBOURS.items()},
        "games": sum(generation.games for generation in plan),
        "generations": [asdict(generation) for generation in plan],
    }


def _fingerprint(seed: int, plan: Iterable[Generation]) -> str:
    return f"othello weights, seed {seed}, {NEIGHBOURS}, {[asdict(generation) for generation in plan]}"
