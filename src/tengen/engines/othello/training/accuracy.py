"""Accuracy of the evaluation: its errors on positions with 20 empty squares and known exact scores.

Results of held-out games would not do: after shallow play they are off by eight discs and more. The positions come
from games with their own stream of random numbers, which training never uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tengen.core.errors import TengenError
from tengen.engines.othello.engine import OthelloEngine
from tengen.engines.othello.training.kernels.lookahead import search_all
from tengen.engines.othello.training.selfplay import (
    Games,
    PlaySettings,
    game_tasks,
    positions,
    targets,
    training_memory,
    unpack_weights,
)
from tengen.games.othello import Othello
from tengen.jobs import Task

SHIPPED = Path(__file__).with_name("solved_positions.txt")
EMPTIES = 20
PLAY_SETTINGS = PlaySettings(depth=4, exact_empties=10, noise=30)
POSITIONS_PER_TASK = 10


@dataclass(frozen=True, slots=True)
class SolvedPositions:
    """Positions as bitboards, uint64[n] each, and their exact scores for the mover, int64[n]."""

    movers: np.ndarray
    enemies: np.ndarray
    scores: np.ndarray


@dataclass(frozen=True, slots=True)
class MeanErrors:
    """Mean absolute errors in discs: of the static evaluation, and of a search to depth 4."""

    static: float
    depth4: float

    def __str__(self) -> str:
        return (
            f"mean error at {EMPTIES} empty squares {self.static:.2f} discs static, {self.depth4:.2f} at depth 4"
        )


def measure_errors(weights: np.ndarray, solved: SolvedPositions) -> MeanErrors:
    """Errors of unfolded weights on solved positions."""
    static, depth4 = (
        float(np.abs(search_values(weights, solved.movers, solved.enemies, depth) / 100 - solved.scores).mean())
        for depth in (0, 4)
    )
    return MeanErrors(static, depth4)


def search_values(weights: np.ndarray, movers: np.ndarray, enemies: np.ndarray, depth: int) -> np.ndarray:
    """Value of each position by a search to `depth`, int64 in centi-discs."""
    values = np.zeros(len(movers), np.int64)
    search_all(movers, enemies, depth, values, training_memory(weights, use_weights=True))
    return values


def validation_game_tasks(count: int, packed: bytes, seed: int) -> list[Task[Games]]:
    """Tasks that play the games from which positions are taken: twice as many, as not every game has one."""
    return game_tasks("judged", 2 * count, PLAY_SETTINGS, packed, seed)


def solving_tasks(games: Games, count: int, packed: bytes) -> list[Task[SolvedPositions]]:
    """Tasks that solve one position of each of the first `count` games that have one."""
    movers, enemies, _ = positions(games, targets(games, 1.0), EMPTIES)
    count = min(count, len(movers))
    return [
        Task(
            f"solve {start}",
            solve_positions,
            (
                movers[start : min(start + POSITIONS_PER_TASK, count)],
                enemies[start : min(start + POSITIONS_PER_TASK, count)],
                packed,
            ),
        )
        for start in range(0, count, POSITIONS_PER_TASK)
    ]


def solve_positions(movers: np.ndarray, enemies: np.ndarray, packed: bytes) -> SolvedPositions:
    """Exact scores by the engine; the weights only order the moves."""
    engine = OthelloEngine(table=32)
    engine.weights = unpack_weights(packed)
    games = (Othello(board=f"{board_text(*boards)} X") for boards in zip(movers, enemies, strict=True))
    scores = [int(engine.solve(game.start()).value.amount) for game in games]
    return SolvedPositions(movers, enemies, np.array(scores, np.int64))


def board_text(mover: np.uint64, enemy: np.uint64) -> str:
    """64 squares from a1: X for the mover, O for the enemy, - if empty."""
    own, other = int(mover), int(enemy)
    return "".join("X" if own >> s & 1 else "O" if other >> s & 1 else "-" for s in range(64))


def write_solved_positions(path: Path, solved: SolvedPositions) -> None:
    """Write one line per position: 64 squares from a1, X for the mover, and the score."""
    rows = zip(solved.movers, solved.enemies, solved.scores, strict=True)
    path.write_text("".join(f"{board_text(mover, enemy)} {score}\n" for mover, enemy, score in rows))


def read_solved_positions(path: Path = SHIPPED) -> SolvedPositions:
    try:
        rows = [line.split() for line in path.read_text().splitlines()]
    except OSError as error:
        raise TengenError(f"cannot read {path}: {error.strerror}") from error
    if not rows or any(len(row) != 2 or len(row[0]) != 64 for row in rows):
        raise TengenError(f"{path}: each line should have 64 squares and a score")
    movers, enemies = (
        np.array([sum(1 << s for s, disc in enumerate(squares) if disc == side) for squares, _ in rows], np.uint64)
        for side in "XO"
    )
    return SolvedPositions(movers, enemies, np.array([int(score) for _, score in rows], np.int64))
