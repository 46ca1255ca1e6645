"""Games of the Go player against itself, with what its searches thought of the moves: tasks for any executor."""

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

CHOICES = 12
"""Moves of each search that are kept, the most visited ones."""
FREE = 8
"""A game's first moves, one in so many of the board's points, are drawn by visits, so that no two are alike."""
DECIDED = 0.04
"""A game ends when one side wins so rarely: there is little to be learned from what follows."""
MEMORY = 64

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Manner:
    """So many games on a board of this size, each move by so many simulations."""

    size: int
    games: int
    simulations: int


@dataclass(frozen=True, slots=True)
class SelfPlayed:
    """A game: its moves, and for each of its positions the moves most visited, with their visits.

    moves: int16[plies]; choices: int16[plies, CHOICES]; visits: int32[plies, CHOICES], 0 where there are fewer.
    """

    size: int
    moves: Array
    choices: Array
    visits: Array


@dataclass
class _Notes:
    moves: list[int] = field(default_factory=list)
    choices: list[list[int]] = field(default_factory=list)
    visits: list[list[int]] = field(default_factory=list)


def game_tasks(generation: int, manner: Manner, gammas: Array, seed: int) -> list[Task[SelfPlayed]]:
    """A task for each game. Each depends on nothing but its seed, number and the weights of looks."""
    return [
        Task(
            f"generation {generation}, {manner.size}x{manner.size}, game {number}",
            play_game,
            (manner, f"{seed} {generation} {manner.size} {number}", gammas),
        )
        for number in range(manner.games)
    ]


def play_game(manner: Manner, seed: str, gammas: Array) -> SelfPlayed:
    dice = Random(seed)
    game = Go(width=manner.size, height=manner.size)
    engine = GoEngine(seed=dice.getrandbits(32), memory=MEMORY)
    engine.gammas = gammas.astype(np.float32)
    position, notes = game.start(), _Notes()
    while not position.is_over and len(notes.moves) < 2 * game.area:
        report = engine.search(position, Limits(nodes=manner.simulations))
        _note(notes, report, position)
        if not DECIDED < report.value.amount < 1 - DECIDED:
            break
        move = game.read_move(report.best, position)
        if position.ply < game.area // FREE:
            move = Move(dice.choices(notes.choices[-1], weights=notes.visits[-1])[0])
        notes.moves.append(int(move))
        position = position.play(move)
    plies = len(notes.moves)
    return SelfPlayed(
        manner.size,
        np.array(notes.moves, np.int16),
        np.array(notes.choices[:plies], np.int16).reshape(plies, CHOICES),
        np.array(notes.visits[:plies], np.int32).reshape(plies, CHOICES),
    )


def _note(notes: _Notes, report: Report, position: Position) -> None:
    best = sorted(report.candidates, key=lambda candidate: -candidate.visits)[:CHOICES]
    empty = [0] * (CHOICES - len(best))
    notes.choices.append([int(position.game.read_move(candidate.move, position)) for candidate in best] + empty)
    notes.visits.append([candidate.visits for candidate in best] + empty)
