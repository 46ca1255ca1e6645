"""Batches of self-play games, as tasks for any executor."""

from __future__ import annotations

import functools
import zlib
from dataclasses import dataclass

import numpy as np

from tengen.core.compiled.rng import make_rng, mix
from tengen.engines.othello.endgame.kernels.stability import edge_stability_table
from tengen.engines.othello.kernels.workspace import USE_ORDERING, USE_PATTERNS, USE_STABILITY, USE_TABLE, WORK
from tengen.engines.othello.midgame.patterns import FOLDED_WEIGHTS, WEIGHTS_PER_SET
from tengen.engines.othello.midgame.weights import WEIGHT_SETS, unfold
from tengen.engines.othello.search_memory import CORNERS, ENDGAME_TABLE_BYTES
from tengen.engines.othello.training.kernels.lookahead import TrainingMemory
from tengen.engines.othello.training.kernels.selfplay import (
    UNKNOWN,
    compute_targets,
    extract_positions,
    play_games,
)
from tengen.jobs import Task
from tengen.search.kernels.transposition_table import make_table

BATCH = 1000
"""Games per task: a few seconds of work."""


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """Search depth, empty squares from which play is exact, and noise in values, in centi-discs."""

    depth: int
    exact_empties: int
    noise: int


@dataclass(frozen=True, slots=True)
class Games:
    """Rows of squares, scores and values, int8[games, 60] each; see `kernels.selfplay`."""

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


def targets(games: Games, td_lambda: float) -> np.ndarray:
    """Target value of each position, float32[games, 60]; NaN where there is no score.

    Final scores are off by eight discs and more at 20 empty squares, because of weak moves. The values of the
    searches along the way are more accurate but biased: odd depths overestimate the mover, even depths
    underestimate it. So each value is corrected by the mean difference at its ply, and all values up to the end
    are averaged, the nearest with the largest weight: TD(lambda).
    """
    known = (games.scores != UNKNOWN) & (games.values != UNKNOWN)
    differences = np.where(known, games.scores.astype(np.float32) - games.values, 0)
    offsets = (differences.sum(axis=0) / np.maximum(known.sum(axis=0), 1)).astype(np.float32)
    found = np.empty(games.squares.shape, np.float32)
    compute_targets(games.squares, games.scores, games.values, offsets, np.float32(td_lambda), found)
    return found


def positions(games: Games, targets: np.ndarray, empties: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Movers, enemies (uint64) and targets (float32) of the positions with `empties` empty squares."""
    movers, enemies = np.zeros(len(games), np.uint64), np.zeros(len(games), np.uint64)
    found = np.zeros(len(games), np.float32)
    count = extract_positions(games.squares, targets, empties, movers, enemies, found)
    return movers[:count], enemies[:count], found[:count]


def pack_weights(folded: np.ndarray | None) -> bytes:
    """Weights as tasks carry them to other machines; empty before the first generation."""
    return b"" if folded is None else zlib.compress(np.rint(folded).astype("<i2").tobytes(), 1)


@functools.lru_cache(maxsize=1)
def unpack_weights(packed: bytes) -> np.ndarray:
    """Weights as kernels use them."""
    if packed:
        return unfold(np.frombuffer(zlib.decompress(packed), "<i2").reshape(WEIGHT_SETS, FOLDED_WEIGHTS))
    weights = np.zeros((65, WEIGHTS_PER_SET), np.int16)
    weights.flags.writeable = False
    return weights


def game_tasks(
    stream: str, count: int, play_settings: PlaySettings, packed: bytes, seed: int
) -> list[Task[Games]]:
    """Tasks for `count` games. Streams of different names share no random numbers."""
    starts = range(0, count, BATCH)
    return [
        Task(
            f"{stream} {start}",
            play_batch,
            (_seed(seed, stream, start), min(BATCH, count - start), play_settings, packed),
        )
        for start in starts
    ]


def play_batch(seed: int, count: int, play_settings: PlaySettings, packed: bytes) -> Games:
    games = tuple(np.zeros((count, 60), np.int8) for _ in range(3))
    memory = training_memory(unpack_weights(packed), use_weights=bool(packed))
    play_games(
        make_rng(seed), play_settings.depth, play_settings.noise, play_settings.exact_empties, games, memory
    )
    return Games(*games)


def training_memory(weights: np.ndarray, *, use_weights: bool) -> TrainingMemory:
    """Memory for the kernels of training; without `use_weights`, mobility and corners evaluate positions."""
    work = np.zeros(1, WORK)
    work["switches"] = USE_TABLE | USE_ORDERING | USE_STABILITY | (USE_PATTERNS if use_weights else 0)
    work["corners"] = CORNERS[8]
    return TrainingMemory(work, make_table(ENDGAME_TABLE_BYTES), weights, edge_stability_table())


def _seed(seed: int, stream: str, start: int) -> int:
    name = zlib.crc32(stream.encode())
    return int(mix(np.uint64(int(mix(np.uint64(seed & (2**64 - 1)))) ^ (name << 32 | start))))
