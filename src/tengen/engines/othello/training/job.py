"""The training run: generations of games, each played with the weights learned from the previous one.

All data is in one folder, so that an interrupted run resumes: a checkpoint of games for each generation, and the
weights learned from them. The same seed and plan give the same weights on any number of machines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tengen.engines.othello.midgame.patterns import FOLDED_INDEX, FOLDED_WEIGHTS
from tengen.engines.othello.midgame.weights import (
    MAX_EMPTIES,
    MIN_EMPTIES,
    STEP_CENTIDISCS,
    WEIGHT_SETS,
    write_weights,
)
from tengen.engines.othello.training import accuracy, probcut_fit
from tengen.engines.othello.training.accuracy import SolvedPositions
from tengen.engines.othello.training.kernels.design_matrix import COLUMNS, add_counts, make_rows
from tengen.engines.othello.training.regression import Sample, fit
from tengen.engines.othello.training.selfplay import (
    Games,
    PlaySettings,
    game_tasks,
    pack_weights,
    positions,
    targets,
    unpack_weights,
)
from tengen.jobs import Checkpoint, ProgressBar, Task, available_cores, run
from tengen.jobs.progress import Meter

T = TypeVar("T")

CHUNKS_PER_PLY = 8  # fixed, so that floating-point sums do not depend on the number of cores
NEIGHBOUR_WEIGHTS = {-2: 0.5, 0: 1.0, 2: 0.5}
"""Importance of positions by difference in empty squares; odd differences would mislead because of parity."""


@dataclass(frozen=True, slots=True)
class Generation:
    """Number of games, how they are played, and how weights are learned from them.

    See `selfplay.targets` for `td_lambda`. Learning uses the games of the last `games_from_generations`
    generations. If it `refines` the previous generation, the weights of that one are the prior, so that the games
    of both count.
    """

    games: int
    play_settings: PlaySettings
    ridge: float = 60.0
    iterations: int = 6
    td_lambda: float = 0.7
    games_from_generations: int = 1
    refines: bool = False

    def to_data(self) -> dict[str, Any]:
        """The generation as weight files and checkpoint fingerprints record it."""
        played = self.play_settings
        data = {
            "games": self.games,
            "manner": {"depth": played.depth, "solved": played.exact_empties, "noise": played.noise},
            "ridge": self.ridge,
            "iterations": self.iterations,
            "patience": self.td_lambda,
            "memory": self.games_from_generations,
        }
        return {**data, "refines": True} if self.refines else data


PLAN = (
    Generation(30_000, PlaySettings(depth=2, exact_empties=10, noise=50)),
    Generation(30_000, PlaySettings(depth=2, exact_empties=10, noise=50)),
    Generation(40_000, PlaySettings(depth=3, exact_empties=12, noise=30)),
    Generation(60_000, PlaySettings(depth=3, exact_empties=12, noise=30)),
    Generation(120_000, PlaySettings(depth=3, exact_empties=12, noise=30), games_from_generations=2),
    Generation(111_000, PlaySettings(depth=4, exact_empties=14, noise=30), refines=True),
)
TEST_POSITIONS = 500


def train(
    folder: Path,
    output: Path,
    *,
    seed: int = 1,
    plan: tuple[Generation, ...] = PLAN,
    test_positions: int = TEST_POSITIONS,
    executor: Executor | None = None,
    log: Callable[[str], None] = print,
) -> None:
    """Learn weights and write them to `output`; resumes from the files in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, generation in enumerate(plan):
        weights_file = folder / f"generation-{number}.npy"
        if weights_file.exists():
            continue
        folded = None if number == 0 else np.load(folder / f"generation-{number - 1}.npy")
        tasks = game_tasks(
            f"generation {number}", generation.games, generation.play_settings, pack_weights(folded), seed
        )
        checkpoint = Checkpoint(folder / f"generation-{number}.games", _fingerprint(seed, plan[: number + 1]))
        label = f"Generation {number}: games"
        games = Games.join(_run_tasks(tasks, checkpoint, executor, label))
        for earlier in range(max(0, number + 1 - generation.games_from_generations), number):
            games = Games.join([_load_games(folder, earlier, seed, plan), games])
        weights = learn(games, generation, f"Generation {number}: weights", folded)
        _save(weights_file, weights)
    folded = np.load(folder / f"generation-{len(plan) - 1}.npy")
    fingerprint = _fingerprint(seed, plan)
    tasks = accuracy.validation_game_tasks(test_positions, pack_weights(folded), seed)
    games = Games.join(
        _run_tasks(tasks, Checkpoint(folder / "judged.games", fingerprint), executor, "Validation games")
    )
    provenance = _provenance(seed, plan)
    provenance["cuts"] = _fit_probcut(
        games, pack_weights(folded), Checkpoint(folder / "cuts.values", fingerprint), executor
    )
    solved = _solve_test_positions(
        games, test_positions, pack_weights(folded), Checkpoint(folder / "judged.solved", fingerprint), executor
    )
    accuracy.write_solved_positions(folder / "judged.txt", solved)
    for number in range(len(plan)):
        found = accuracy.measure_errors(
            unpack_weights(pack_weights(np.load(folder / f"generation-{number}.npy"))), solved
        )
        provenance["generations"][number]["errors"] = asdict(found)
        log(f"generation {number}: {found}")
    write_weights(output, folded, provenance)
    log(f"written: {output}")


def learn(games: Games, generation: Generation, label: str, previous: np.ndarray | None = None) -> np.ndarray:
    """Folded weights in centi-discs, [WEIGHT_SETS, FOLDED_WEIGHTS]; `previous` are those of the last generation.

    Starts with the fewest empty squares, where scores are most accurate: each solution is the prior of the next,
    unless the generation refines the previous weights.
    """
    target_values = targets(games, generation.td_lambda)
    rank = _ranking(games, target_values)
    indices = rank[FOLDED_INDEX]
    by_rank = np.argsort(rank)
    solution = np.zeros(FOLDED_WEIGHTS)
    weights = np.zeros((WEIGHT_SETS, FOLDED_WEIGHTS))
    near: dict[int, list[Sample]] = {}
    with ThreadPoolExecutor(available_cores()) as threads, ProgressBar(label) as bar:
        meter = Meter(WEIGHT_SETS)
        for empties in range(MIN_EMPTIES, MAX_EMPTIES + 1):
            bar(meter.snapshot())
            meter.work_starts()
            samples = []
            for offset, importance in NEIGHBOUR_WEIGHTS.items():
                if not MIN_EMPTIES <= empties + offset <= MAX_EMPTIES:
                    continue
                if empties + offset not in near:
                    near[empties + offset] = _samples(games, target_values, empties + offset, indices)
                samples += [replace(sample, importance=importance) for sample in near[empties + offset]]
            near.pop(empties + min(NEIGHBOUR_WEIGHTS), None)
            if generation.refines and previous is not None:
                solution = previous[empties - MIN_EMPTIES][by_rank] / 100
            solution = fit(
                samples, solution, ridge=generation.ridge, iterations=generation.iterations, threads=threads
            )
            weights[empties - MIN_EMPTIES] = 100 * solution[rank]
            meter.finish(done=1, failed=0)
        bar(meter.snapshot())
    return weights


def _ranking(games: Games, target_values: np.ndarray) -> np.ndarray:
    """uint32[FOLDED_WEIGHTS]: rank of each folded weight by how often it is used, estimated from three plies."""
    counts = np.zeros(FOLDED_WEIGHTS, np.float32)
    for empties in (12, 24, 36):
        for sample in _samples(games, target_values, empties, FOLDED_INDEX.astype(np.uint32)):
            add_counts(sample.rows, np.float32(1), counts)
    rank = np.empty(FOLDED_WEIGHTS, np.uint32)
    rank[np.argsort(-counts, kind="stable")] = np.arange(FOLDED_WEIGHTS, dtype=np.uint32)
    return rank


def _samples(games: Games, target_values: np.ndarray, empties: int, indices: np.ndarray) -> list[Sample]:
    movers, enemies, scores = positions(games, target_values, empties)
    rows = np.zeros((len(movers), COLUMNS), np.uint32)
    make_rows(movers, enemies, indices, rows)
    pieces = zip(np.array_split(rows, CHUNKS_PER_PLY), np.array_split(scores, CHUNKS_PER_PLY), strict=True)
    return [Sample(piece, score, 1.0) for piece, score in pieces]


def _solve_test_positions(
    games: Games, count: int, packed: bytes, checkpoint: Checkpoint, executor: Executor | None
) -> SolvedPositions:
    """One position of each of `count` games with its exact score."""
    parts = _run_tasks(accuracy.solving_tasks(games, count, packed), checkpoint, executor, "Exact scores")
    return SolvedPositions(
        np.concatenate([part.movers for part in parts]),
        np.concatenate([part.enemies for part in parts]),
        np.concatenate([part.scores for part in parts]),
    )


def _fit_probcut(games: Games, packed: bytes, checkpoint: Checkpoint, executor: Executor | None) -> dict[str, Any]:
    """Coefficients of the ProbCut error model, and the number of depth pairs behind them."""
    tasks = probcut_fit.searching_tasks(games, packed)
    results = _run_tasks(tasks, checkpoint, executor, "Shallow and deep searches")
    found = probcut_fit.depth_pairs(probcut_fit.group_by_empties(tasks, results))
    if not found:
        return {"numbers": None, "pairs": 0}
    return {"numbers": probcut_fit.fit_coefficients(found), "pairs": len(found)}


def _run_tasks(tasks: list[Task[T]], checkpoint: Checkpoint, executor: Executor | None, label: str) -> list[T]:
    """Results in the order of the tasks, whatever order they arrive in."""
    with ProgressBar(label) as bar:
        results = {
            result.id: result.value
            for result in run(tasks, executor=executor, checkpoint=checkpoint, on_progress=bar)
        }
    return [results[task.id] for task in tasks]


def _load_games(folder: Path, number: int, seed: int, plan: tuple[Generation, ...]) -> Games:
    """Games of an earlier generation, from its checkpoint."""
    checkpoint = Checkpoint(folder / f"generation-{number}.games", _fingerprint(seed, plan[: number + 1]))
    with checkpoint.open() as store:
        return Games.join([store.load(task_id) for task_id in sorted(store.ids())])  # type: ignore[misc]


def _save(path: Path, weights: np.ndarray) -> None:
    """Write atomically: an existing file counts as learned. Rounded as in the weights file."""
    temporary = path.with_suffix(".writing.npy")
    np.save(temporary, (STEP_CENTIDISCS * np.rint(weights / STEP_CENTIDISCS)).astype(np.int16))
    temporary.replace(path)


def _provenance(seed: int, plan: tuple[Generation, ...]) -> dict[str, Any]:
    return {
        "command": f"tengen train othello --seed {seed}",
        "seed": seed,
        "neighbours": {str(offset): importance for offset, importance in NEIGHBOUR_WEIGHTS.items()},
        "games": sum(generation.games for generation in plan),
        "generations": [generation.to_data() for generation in plan],
    }


def _fingerprint(seed: int, plan: Iterable[Generation]) -> str:
    return f"othello weights, seed {seed}, {NEIGHBOUR_WEIGHTS}, {[generation.to_data() for generation in plan]}"
