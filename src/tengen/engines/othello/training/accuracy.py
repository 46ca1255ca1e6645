"""Accuracy of the evaluation: its errors on positions with 20 empty squares and known exact scores.

Results of held-out games would not do: after shallow play they are off by eight discs and more. The positions come
from games with their own stream of random numbers, which training never uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tengen.core.errors import TengenError
from tengen.engines.othello.midgame.patterns import LANES
from tengen.engines.othello.training.kernels.endgame_solver import make_table
from tengen.engines.othello.training.kernels.lookahead import MAX_PLIES, search_all
from tengen.engines.othello.training.kernels.ordered_solver import solve_all
from tengen.engines.othello.training.selfplay import (
    Games,
    PlaySettings,
    game_tasks,
    positions,
    targets,
    unpack_weights,
)
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
    search_all(
        movers, enemies, depth, values, np.zeros((MAX_PLIES, LANES), np.int16),
        np.zeros((MAX_PLIES, 40), np.int64), weights, np.zeros(1, np.int64),
    )  # fmt: skip
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
    """Exact scores; the weights only order the moves."""
    scores = np.zeros(len(movers), np.int64)
    solve_all(
        movers, enemies, scores, make_table(1 << 20), np.zeros((MAX_PLIES, LANES), np.int16),
        np.zeros((MAX_PLIES, 40), np.int64), unpack_weights(packed), np.zeros(1, np.int64),
    )  # fmt: skip
    return SolvedPositions(movers, enemies, scores)


def write_solved_positions(path: Path, solved: SolvedPositions) -> None:
    """Write one line per position: 64 squares from a1, X for the mover, and the score."""
    lines = []
    for mover, enemy, score in zip(solved.movers, solved.enemies, solved.scores, strict=True):
        squares = ("X" if int(mover) >> s & 1 else "O" if int(enemy) >> s & 1 else "-" for s in range(64))
        lines.append(f"{''.join(squares)} {score}\n")
    path.write_text("".join(lines))


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
