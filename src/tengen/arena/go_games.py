"""Games of Go for a statistics book: self-play made for it, and the games of a training run.

The first moves are drawn from those that a longer search visits often, so that games differ and good moves occur
often. From then on both sides play the best move of a short search until one has as good as lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

import numpy as np

from tengen.core.errors import OptionError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.training.network_games import NetworkGame
from tengen.engines.registry import create
from tengen.games.go import Go
from tengen.jobs import Checkpoint, Task
from tengen.search.limits import Limits

OPENING_PLIES = 6  # drawn at random
OPENING_NODES = 2000
NODES = 150  # for each later move
MIN_VISITS = 0.4  # of those of the most visited move, for a move to be drawn
DECIDED_WIN_RATE = 0.06  # a game ends when one side's win rate is below this
MEMORY_MB = 64
MAX_KOMI_DIFFERENCE = 2.0  # of games in a training run


@dataclass(frozen=True, slots=True)
class BookGame:
    """The moves of a game, how many of them at its start do not count, and its winner (None: a draw)."""

    moves: tuple[int, ...]
    uncounted: int
    winner: int | None


def game_tasks(game: Go, seed: int, count: int) -> list[Task[BookGame]]:
    """One task per game. A game depends only on its number, the seed and the shipped weights."""
    return [
        Task(f"{game.width}x{game.height}, game {number}", play_game, (game, f"{seed} {number}"))
        for number in range(count)
    ]


def play_game(game: Go, seed: str) -> BookGame:
    """Play a game against oneself."""
    rng = Random(seed)
    position = game.start()
    while position.ply < OPENING_PLIES and not position.is_over:
        moves, visits = opening_choices(game, tuple(position.moves))
        position = position.play(rng.choices(moves, weights=visits)[0])
    engine = create("go", game, memory=MEMORY_MB, seed=rng.getrandbits(32))
    while not position.is_over and position.ply < 2 * game.area:
        report = engine.search(position, Limits(nodes=NODES))
        if not DECIDED_WIN_RATE < report.value.amount < 1 - DECIDED_WIN_RATE:
            winner = position.to_move if report.value.amount > 0.5 else 1 - position.to_move
            return BookGame(_codes(position), 0, winner)
        position = position.play(report.best)
    outcome = position.outcome
    return BookGame(_codes(position), 0, None if outcome is None else outcome.winner)


@lru_cache(maxsize=20_000)
def opening_choices(game: Go, moves: tuple[Move, ...]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The moves that a search after these visits often, with their visits. Games share most of their openings."""
    position = game.start().play_all(moves)
    report = create("go", game, memory=MEMORY_MB, seed=1).search(position, Limits(nodes=OPENING_NODES))
    most = max(candidate.visits for candidate in report.candidates)
    good = [candidate for candidate in report.candidates if candidate.visits >= max(1, MIN_VISITS * most)]
    if not good:
        return (report.best,), (1,)
    return tuple(candidate.move for candidate in good), tuple(candidate.visits for candidate in good)


def _codes(position: Position) -> tuple[int, ...]:
    return tuple(int(move) for move in position.moves)


def training_games(folder: Path, game: Go) -> list[BookGame]:
    """The games of a training run's folder on this board, judged by this game's komi.

    Games with a very different komi are left out.
    """
    paths = sorted(folder.glob("generation-*.games"), key=lambda path: int(path.stem.split("-")[1]))
    if not paths:
        raise OptionError(f"{folder} has no games: name the folder of a run of `tengen train go`")
    return [found for path in paths for one in _read_games(path) if (found := _book_game(one, game)) is not None]


def _read_games(path: Path) -> Iterator[NetworkGame]:
    with Checkpoint.existing(path).open() as stored:
        for task_id in sorted(stored.ids()):
            played = stored.load(task_id)
            if not isinstance(played, NetworkGame):
                raise OptionError(f"{path} has no games of a run of `tengen train go`")
            yield played


def _book_game(played: NetworkGame, game: Go) -> BookGame | None:
    if (played.size, played.size) != (game.width, game.height):
        return None
    if abs(played.komi - game.komi) > MAX_KOMI_DIFFERENCE:
        return None
    random_moves = int(np.argmin(np.isnan(played.values)))  # an opening of random moves was not searched
    lead = played.score + played.komi - game.komi
    winner = None if lead == 0 else int(lead < 0)
    return BookGame(tuple(map(int, played.moves)), random_moves, winner)


def line_of(game: Go, played: BookGame, depth: int) -> list[Position]:
    """The positions in which the moves of a game count, up to `depth` plies."""
    return list(game.start().play_all([Move(move) for move in played.moves[:depth]]).line())[played.uncounted :]
