"""How far the evaluation is from the truth: positions of 20 empty squares whose exact scores are known.

Held-out games would not do: the scores that shallow play reached are off by eight discs and more. The positions
come from games of their own stream of random numbers, which no training sees.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tengen.core.errors import TengenError
from tengen.engines.othello.midgame.patterns import LANES
from tengen.engines.othello.training.kernels.endgame_solver import make_table
from tengen.engines.othello.training.kernels.lookahead import PLIES, look_ahead_all
from tengen.engines.othello.training.kernels.ordered_solver import solve_all
from tengen.engines.othello.training.selfplay import Games, Manner, game_tasks, positions, targets, unpacked
from tengen.jobs import Task

SHIPPED = Path(__file__).with_name("solved_positions.txt")
EMPTIES = 20
MANNER = Manner(depth=4, solved=10, noise=30)
SOLVED_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """Positions as bit boards, uint64[n] each, and their exact scores for the mover, int64[n]."""

    movers: np.ndarray
    enemies: np.ndarray
    scores: np.ndarray


@dataclass(frozen=True, slots=True)
class Errors:
    """Mean absolute errors in discs: of the evaluation as it stands, and below a search of depth 4."""

    static: float
    depth4: float

    def __str__(self) -> str:
        return (
            f"mean error at {EMPTIES} empty squares {self.static:.2f} discs static, {self.depth4:.2f} at depth 4"
        )


def judge(weights: np.ndarray, judged: Judged) -> Errors:
    """Judge weights in the form that kernels take."""
    static, deep = (
        float(np.abs(values_of(weights, judged.movers, judged.enemies, depth) / 100 - judged.scores).mean())
        for depth in (0, 4)
    )
    return Errors(static, deep)


def values_of(weights: np.ndarray, movers: np.ndarray, enemies: np.ndarray, depth: int) -> np.ndarray:
    """The value of each position, int64 in centi-discs, by a search of this depth."""
    values = np.zeros(len(movers), np.int64)
    look_ahead_all(
        movers,
        enemies,
        depth,
        values,
        np.zeros((PLIES, LANES), np.int16),
        np.zeros((PLIES, 40), np.int64),
        weights,
        np.zeros(1, np.int64),
    )
    return values


def games_to_judge(count: int, packed: bytes, seed: int) -> list[Task[Games]]:
    """Tasks for the games that the positions come from: as some have none, there are more games."""
    return game_tasks("judged", 2 * count, MANNER, packed, seed)


def solving_tasks(games: Games, count: int, packed: bytes) -> list[Task[Judged]]:
    """Tasks that solve one position of each of the first `count` games that have one."""
    movers, enemies, _ = positions(games, targets(games, 1.0), EMPTIES)
    count = min(count, len(movers))
    return [
        Task(
            f"solve {start}",
            solve_positions,
            (
                movers[start : min(start + SOLVED_AT_ONCE, count)],
                enemies[start : min(start + SOLVED_AT_ONCE, count)],
                packed,
            ),
        )
        for start in range(0, count, SOLVED_AT_ONCE)
    ]


def solve_positions(movers: np.ndarray, enemies: np.ndarray, packed: bytes) -> Judged:
    """The exact scores; the weights only order the moves."""
    scores = np.zeros(len(movers), np.int64)
    solve_all(
        movers,
        enemies,
        scores,
        make_table(1 << 20),
        np.zeros((PLIES, LANES), np.int16),
        np.zeros((PLIES, 40), np.int64),
        unpacked(packed),
        np.zeros(1, np.int64),
    )
    return Judged(movers, enemies, scores)


def write_judged(path: Path, judged: Judged) -> None:
    """One line for each position: 64 squares from a1, X for the mover, and the score."""
    lines = []
    for mover, enemy, score in zip(judged.movers, judged.enemies, judged.scores, strict=True):
        squares = ("X" if int(mover) >> s & 1 else "O" if int(enemy) >> s & 1 else "-" for s in range(64))
        lines.append(f"{''.join(squares)} {score}\n")
    path.write_text("".join(lines))


def read_judged(path: Path = SHIPPED) -> Judged:
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
    return Judged(movers, enemies, np.array([int(score) for _, score in rows], np.int64))
