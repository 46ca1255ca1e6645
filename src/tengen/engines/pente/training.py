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
from tengen.engines.pente.kernels import entry_points as entry
from tengen.engines.pente.search.kernels.evaluation import FEATURES, SCALE
from tengen.engines.pente.search.weights import STEP, by_hand, write_weights
from tengen.engines.pente.search_threads import Root
from tengen.games.pente.game import Pente
from tengen.jobs import Checkpoint, ProgressBar, Task, collect, run
from tengen.search.limits import Limits
from tengen.search.report import Kind

Array = np.ndarray[Any, Any]

OPENING = (3, 8)
"""Random stones at the start."""
MISJUDGED = 40
"""Hundredths of a point."""
LONGEST = 120
USUAL = Pente.create(variant="tournament")
"""The game that is learned from if no other is asked for."""
HOLD = 40.0
"""How much a weight is held to what it was: as much as so many examples in which it alone counts."""
ROUNDS = 12
TRIAL = 5
"""Every so many games, one is not learned from: it tells what was learned."""


@dataclass(frozen=True)
class Lesson:
    """Examples: counts for the side to move, [n, 2 * FEATURES], and its result: 1, 0, or a half if nobody won."""

    counts: Array
    results: Array


def play_game(game: Pente, seed: int, opening: tuple[int, ...], nodes: int) -> Lesson:
    """A game of so many nodes a move: a task, which depends on nothing but this."""
    engine = PenteEngine(table=4, seed=seed, error=MISJUDGED, learned=False)
    position = game.start().play_all([Move(move) for move in opening])
    seen: list[tuple[Array, int]] = []
    while not position.is_over and position.ply < LONGEST:
        report = engine.search(position, Limits(nodes=nodes))
        if report.value.kind is not Kind.EXACT and Root(position).left == game.stones:
            seen.append((counts_of(position), position.to_move))
        position = position.play(report.best)
    winner = position.outcome.winner if position.outcome is not None else None
    counts = np.array([features for features, _ in seen], np.int64).reshape(-1, 2 * FEATURES)
    return Lesson(counts, np.array([0.5 if winner is None else float(winner == mover) for _, mover in seen]))


def play_games(
    folder: Path, game: Pente, *, seed: int, count: int, nodes: int, executor: Executor | None = None
) -> list[Lesson]:
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


def _words(game: Pente) -> str:
    """The options of a game that is not the usual one, as a command has them."""
    if game == USUAL:
        return ""
    named = game.variant is not None and game == Pente.create(variant=game.variant)
    return f" variant={game.variant}" if named else f" {game.describe().removeprefix('pente ')}"


def joined(lessons: Iterable[Lesson]) -> Lesson:
    """All examples of several lessons."""
    parts = list(lessons)
    return Lesson(np.concatenate([one.counts for one in parts]), np.concatenate([one.results for one in parts]))


def counts_of(position: Position) -> Array:
    """The features of a position, as the side to move sees them."""
    root = Root(position)
    features = np.zeros(2 * FEATURES, np.int64)
    entry.features_of_board(root.boards, root.colour, features)
    return features


def random_opening(game: Pente, rng: np.random.Generator) -> Position:
    """A few stones near the middle."""
    while True:
        position = game.start()
        for _ in range(rng.integers(*OPENING, endpoint=True)):
            middle = (game.size + 1) / 2
            near = [
                move
                for move in position.legal_moves
                if abs(move % 20 - middle) <= 4 and abs(move // 20 - middle) <= 4
            ]
            position = position.play(near[rng.integers(len(near))])
        if not position.is_over:
            return position


def loss(lesson: Lesson, weights: Array) -> float:
    """The mean surprise at the results, in bits."""
    chance = _chances(lesson, weights)
    surprise = lesson.results * np.log2(chance) + (1 - lesson.results) * np.log2(1 - chance)
    return float(-surprise.mean())


def _chances(lesson: Lesson, weights: Array) -> Array:
    values = np.clip(lesson.counts @ weights / (STEP * SCALE), -20, 20)
    chances: Array = np.clip(1 / (1 + np.exp(-values)), 1e-6, 1 - 1e-6)
    return chances


def fit(lesson: Lesson, start: Array) -> Array:
    """The weights under which the results are most likely, held to `start`: float64[2 * FEATURES].

    A step of Newton's method that goes too far, as where the results can be told almost surely, is halved.
    """
    scaled = lesson.counts / (STEP * SCALE)
    hold = HOLD / (STEP * SCALE) ** 2 * np.ones(len(start))

    def unlikely(weights: Array) -> float:
        return len(lesson.results) * loss(lesson, weights) * math.log(2) + float(hold @ (weights - start) ** 2) / 2

    weights = start.astype(np.float64)
    for _ in range(ROUNDS):
        chance = _chances(lesson, weights)
        slope = scaled.T @ (lesson.results - chance) - hold * (weights - start)
        bend = (scaled * (chance * (1 - chance))[:, None]).T @ scaled + np.diag(hold)
        step = np.linalg.solve(bend, slope)
        while unlikely(weights + step) > unlikely(weights) and np.abs(step).max() > 1:
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
    say: Callable[[str], None] = print,
) -> None:
    """Play, or go on with what is in `folder`, learn, and write the weights with where they come from."""
    played = play_games(folder, game, seed=seed, count=games, nodes=nodes, executor=executor)
    taught = joined(lesson for number, lesson in enumerate(played) if number % TRIAL or games < TRIAL)
    others = joined(played[::TRIAL])
    positions = sum(len(lesson.results) for lesson in played)
    before = by_hand(game.stones)
    after = np.rint(fit(taught, before)).astype(np.int64)
    bits = {"by hand": round(loss(others, before), 4), "learned": round(loss(others, after), 4)}
    say(f"{positions} positions; surprise at other games' results {bits['by hand']} -> {bits['learned']} bits")
    made = {
        "command": f"tengen train pente --seed {seed} --games {games} --nodes {nodes}{_words(game)}",
        "played with": "weights set by hand",
        "positions": positions,
        "surprise in bits": bits,
    }
    write_weights(output, after, made)
