"""Batches of self-play games, as tasks for any executor."""

from __future__ import annotations

import functools
import zlib
from dataclasses import dataclass

import numpy as np

from tengen.core.compiled.rng import make_rng, mix
from tengen.engines.othello.midgame.patterns import FOLDED, LANES, WEIGHTS
from tengen.engines.othello.midgame.weights import SETS, unfold
from tengen.engines.othello.training.kernels.endgame_solver import make_table
from tengen.engines.othello.training.kernels.lookahead import PLIES
from tengen.engines.othello.training.kernels.selfplay import UNKNOWN, play_games, positions_of, targets_of
from tengen.jobs import Task

BATCH = 1000
"""Games of one task: a second or a few."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How games are played: search depth, the exact end, and the blur of values in centi-discs."""

    depth: int
    solved: int
    noise: int


@dataclass(frozen=True, slots=True)
class Games:
    """Rows of squares, scores and values, int8[games, 60] each; see `kernels.games`."""

    squares: np.ndarray
    scores: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.squares)

    @classmethod
    def join(cls, parts: list[Games]) -> Games:
        return cls(
            np.concatenate([part.squares for part in parts]),
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.values for part in parts]),
        )


def targets(games: Games, patience: float) -> np.ndarray:
    """What each position should be worth, float32[games, 60]; NaN where there is no score.

    The scores that games come to are off by eight discs and more at 20 empty squares, because of weak moves; the
    values that searches found along the way are nearer to the truth, but off in a known direction (an odd depth
    thinks too well of the mover, an even one too little). So each value is moved by the mean difference at its
    ply, and all from here to the end are averaged, the nearest counting most: TD(lambda), with this patience.
    """
    known = (games.scores != UNKNOWN) & (games.values != UNKNOWN)
    differences = np.where(known, games.scores.astype(np.float32) - games.values, 0)
    offsets = (differences.sum(axis=0) / np.maximum(known.sum(axis=0), 1)).astype(np.float32)
    found = np.empty(games.squares.shape, np.float32)
    targets_of(games.squares, games.scores, games.values, offsets, np.float32(patience), found)
    return found


def positions(games: Games, targets: np.ndarray, empties: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Movers, enemies (uint64) and targets (float32) of the positions with so many empty squares."""
    movers, enemies = np.zeros(len(games), np.uint64), np.zeros(len(games), np.uint64)
    found = np.zeros(len(games), np.float32)
    count = positions_of(games.squares, targets, empties, movers, enemies, found)
    return movers[:count], enemies[:count], found[:count]


def pack(folded: np.ndarray | None) -> bytes:
    """Weights as tasks carry them to other machines; none before the first have been learned."""
    return b"" if folded is None else zlib.compress(np.rint(folded).astype("<i2").tobytes(), 1)


@functools.lru_cache(maxsize=1)
def unpacked(packed: bytes) -> np.ndarray:
    """Weights as kernels take them."""
    if packed:
        return unfold(np.frombuffer(zlib.decompress(packed), "<i2").reshape(SETS, FOLDED))
    weights = np.zeros((65, WEIGHTS), np.int16)
    weights.flags.writeable = False
    return weights


def game_tasks(stream: str, count: int, manner: Manner, packed: bytes, seed: int) -> list[Task[Games]]:
    """Tasks for `count` games. Streams of different names share no random numbers."""
    starts = range(0, count, BATCH)
    return [
        Task(
            f"{stream} {start}",
            play_batch,
            (_seed(seed, stream, start), min(BATCH, count - start), manner, packed),
        )
        for start in starts
    ]


def play_batch(seed: int, count: int, manner: Manner, packed: bytes) -> Games:
    weights = unpacked(packed)
    squares, scores, values = (np.zeros((count, 60), np.int8) for _ in range(3))
    play_games(
        make_rng(seed),
        manner.depth,
        manner.noise,
        manner.solved,
        squares,
        scores,
        values,
        np.zeros((PLIES, LANES), np.int16),
        make_table(),
        np.zeros((PLIES, 40), np.int64),
        weights,
        1 if packed else 0,
        np.zeros(1, np.int64),
    )
    return Games(squares, scores, values)


def _seed(seed: int, stream: str, start: int) -> int:
    name = zlib.crc32(stream.encode())
    return int(mix(np.uint64(int(mix(np.uint64(seed & (2**64 - 1)))) ^ (name << 32 | start))))
