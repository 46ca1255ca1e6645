"""Self-play games with the visit counts of their searches, as tasks for any executor."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.mcts.engine import GoEngine
from tengen.games.go import Go
from tengen.jobs import Task
from tengen.search.limits import Limits
from tengen.search.report import Report

MAX_CHOICES = 12  # most visited moves stored per search
OPENING_DIVISOR = 8  # the first `area // OPENING_DIVISOR` moves are sampled by visits, so that games differ
DECIDED_WIN_RATE = 0.04  # a game ends when one side's win rate is below this
MEMORY_MB = 64

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class SelfPlaySettings:
    """Board size, number of games, and simulations per move."""

    size: int
    games: int
    simulations: int


@dataclass(frozen=True, slots=True)
class SelfPlayGame:
    """The moves of a game, and the most visited moves of each search with their visits.

    moves: int16[plies]; choices: int16[plies, MAX_CHOICES]; visits: int32[plies, MAX_CHOICES], 0 for unused
    entries.
    """

    size: int
    moves: Array
    choices: Array
    visits: Array


SelfPlayed = SelfPlayGame  # the class's name in existing checkpoints


@dataclass
class _GameLog:
    moves: list[int] = field(default_factory=list)
    choices: list[list[int]] = field(default_factory=list)
    visits: list[list[int]] = field(default_factory=list)


def game_tasks(generation: int, settings: SelfPlaySettings, weights: Array, seed: int) -> list[Task[SelfPlayGame]]:
    """One task per game. A game depends only on the seed, its number, the settings and the weights."""
    return [
        Task(
            f"generation {generation}, {settings.size}x{settings.size}, game {number}",
            play_game,
            (settings, f"{seed} {generation} {settings.size} {number}", weights),
        )
        for number in range(settings.games)
    ]


def play_game(settings: SelfPlaySettings, seed: str, weights: Array) -> SelfPlayGame:
    rng = Random(seed)
    game = Go(width=settings.size, height=settings.size)
    # Without a network: the shipped one was trained with the shipped weights.
    engine = GoEngine(seed=rng.getrandbits(32), memory=MEMORY_MB, network=False)
    engine.feature_weights = weights.astype(np.float32)
    position, log = game.start(), _GameLog()
    while not position.is_over and len(log.moves) < 2 * game.area:
        report = engine.search(position, Limits(nodes=settings.simulations))
        _record_search(log, report, position)
        if not DECIDED_WIN_RATE < report.value.amount < 1 - DECIDED_WIN_RATE:
            break
        move = game.read_move(report.best, position)
        if position.ply < game.area // OPENING_DIVISOR:
            move = Move(rng.choices(log.choices[-1], weights=log.visits[-1])[0])
        log.moves.append(int(move))
        position = position.play(move)
    plies = len(log.moves)
    return SelfPlayGame(
        settings.size,
        np.array(log.moves, np.int16),
        np.array(log.choices[:plies], np.int16).reshape(plies, MAX_CHOICES),
        np.array(log.visits[:plies], np.int32).reshape(plies, MAX_CHOICES),
    )


def _record_search(log: _GameLog, report: Report, position: Position) -> None:
    best = sorted(report.candidates, key=lambda candidate: -candidate.visits)[:MAX_CHOICES]
    unused = [0] * (MAX_CHOICES - len(best))
    log.choices.append([int(position.game.read_move(candidate.move, position)) for candidate in best] + unused)
    log.visits.append([candidate.visits for candidate in best] + unused)
