"""Self-play games for training a network, as tasks for any executor.

Most moves are searched only quickly; some, chosen at random, are searched fully, and only these teach the policy
(playout cap randomisation). Every position teaches the value: a game ends as soon as a side has as good as lost,
and its owners and score come from playouts from the final position. Board size, komi and opening vary. Now and
then a random move is played, because searches ask for the value of many positions that good players would avoid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.mcts.candidates import sensible_moves
from tengen.engines.go.mcts.engine import GoEngine
from tengen.engines.go.mcts.playouts import Playouts
from tengen.games.go import PASS, Go
from tengen.jobs import Task
from tengen.search.limits import Limits
from tengen.search.network.weights import Weights
from tengen.search.tree import Tree

MAX_CHOICES = 24  # most visited moves stored per full search
OPENING_DIVISOR = 8  # the first `area // OPENING_DIVISOR` moves are sampled by visits, so that games differ
SAMPLED_MOVES = 0.04  # share of later moves that are sampled by visits
RANDOM_MOVES = 0.03  # share of later moves that are random, without a search
RANDOM_OPENINGS = 0.4  # share of games that start with two to six random moves
DECIDED_WIN_RATE = 0.04  # a game ends when one side's win rate is below this in a full search
EVEN_KOMI = 7.5
KOMI_DEVIATION = 2.5
SETTLED = 0.8  # playouts that agree on the owner of a point this much are right
MEMORY_MB = 64

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class NetworkGameSettings:
    """Board size, simulations of full and quick searches, and the share of full ones."""

    size: int
    full: int
    quick: int
    full_share: float = 0.3


@dataclass(frozen=True, slots=True)
class GameBatch:
    """A number of games with the same settings."""

    settings: NetworkGameSettings
    games: int


@dataclass(frozen=True, slots=True)
class NetworkGame:
    """A game with its searches.

    moves: int16[plies]; values: float32[plies] or one more, the win rate of the side to move by the search of each
    position, NaN where there was none; searched: int16[searches], the plies with a full search; choices:
    int16[searches, MAX_CHOICES], the most visited moves; visits: int32 of the same shape, 0 for unused entries;
    owners: int8[area], the final owner of each point row by row from -100 (White) to 100 (Black); score: Black's
    final points minus komi.
    """

    size: int
    komi: float
    moves: Array
    values: Array
    searched: Array
    choices: Array
    visits: Array
    owners: Array
    score: float


@dataclass
class _GameLog:
    moves: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    searched: list[int] = field(default_factory=list)
    choices: list[list[int]] = field(default_factory=list)
    visits: list[list[int]] = field(default_factory=list)


def network_game_tasks(
    generation: int, batches: Sequence[GameBatch], network: Weights | None, seed: int
) -> list[Task[NetworkGame]]:
    """One task per game. A game depends only on its number, the seed, the settings and the network."""
    settings = [batch.settings for batch in batches for _ in range(batch.games)]
    Random(f"{seed} {generation}").shuffle(settings)  # an interrupted run has games of all sizes
    return [
        Task(
            f"generation {generation}, game {number}",
            play_network_game,
            (one, network, f"{seed} {generation} {number}"),
        )
        for number, one in enumerate(settings)
    ]


def network_engine(network: Weights | None, seed: int) -> GoEngine:
    """The player with this network, or without any."""
    engine = GoEngine(seed=seed, memory=MEMORY_MB, network=network is not None, network_from=1)
    engine.network = network
    return engine


def play_network_game(settings: NetworkGameSettings, network: Weights | None, seed: str) -> NetworkGame:
    rng = Random(seed)
    komi = EVEN_KOMI + round(rng.gauss(0.0, KOMI_DEVIATION))
    game = Go(width=settings.size, height=settings.size, komi=komi)
    engine = network_engine(network, rng.getrandbits(32))
    position, log = game.start(), _GameLog()
    if rng.random() < RANDOM_OPENINGS:
        for _ in range(rng.randint(2, 6)):
            log.values.append(math.nan)
            position = _play(log, position, random_move(position, rng))
    while not position.is_over and len(log.moves) < 2 * game.area:
        if position.ply >= game.area // OPENING_DIVISOR and rng.random() < RANDOM_MOVES:
            log.values.append(math.nan)
            position = _play(log, position, random_move(position, rng))
            continue
        full = rng.random() < settings.full_share
        report = engine.search(position, Limits(nodes=settings.full if full else settings.quick))
        assert engine.tree is not None
        moves, visits = _most_visited(engine.tree)
        log.values.append(report.value.amount)
        if full:
            unused = [0] * (MAX_CHOICES - len(moves))
            log.searched.append(len(log.moves))
            log.choices.append(moves + unused)
            log.visits.append(visits + unused)
            if not DECIDED_WIN_RATE < report.value.amount < 1 - DECIDED_WIN_RATE:
                break
        move = game.read_move(report.best, position)
        if position.ply < game.area // OPENING_DIVISOR or rng.random() < SAMPLED_MOVES:
            move = Move(rng.choices(moves, weights=visits)[0])
        position = _play(log, position, move)
    return _finished_game(settings, log, position, engine)


def _play(log: _GameLog, position: Position, move: Move) -> Position:
    log.moves.append(int(move))
    return position.play(move)


def random_move(position: Position, rng: Random) -> Move:
    moves = sensible_moves(position, position.legal_moves)
    return rng.choice([move for move in moves if move != PASS] or [PASS])


def _most_visited(tree: Tree) -> tuple[list[int], list[int]]:
    """Up to `MAX_CHOICES` visited moves of the root, most visited first, and their visits."""
    children = [child for child in tree.best_first(0) if tree.nodes[child].visits > 0] or tree.best_first(0)[:1]
    visits = tree.nodes["visits"]
    best = sorted(children, key=lambda child: -int(visits[child]))[:MAX_CHOICES]
    return [int(tree.move(child)) for child in best], [max(1, int(visits[child])) for child in best]


def _finished_game(
    settings: NetworkGameSettings, log: _GameLog, position: Position, engine: GoEngine
) -> NetworkGame:
    assert isinstance(position.game, Go)
    owners = final_owners(position, engine.seed, settings.full)
    return NetworkGame(
        size=settings.size,
        komi=position.game.komi,
        moves=np.array(log.moves, np.int16),
        values=np.array(log.values, np.float32),
        searched=np.array(log.searched, np.int16),
        choices=np.array(log.choices, np.int16).reshape(-1, MAX_CHOICES),
        visits=np.array(log.visits, np.int32).reshape(-1, MAX_CHOICES),
        owners=np.rint(100 * owners).astype(np.int8),
        score=float(owners.sum()) - position.game.komi,
    )


def final_owners(position: Position, seed: int, simulations: int) -> Array:
    """float64[area]: the owner of each point at the end of the game, from -1.0 (White) to 1.0 (Black).

    Points that playouts from the final position agree on are rounded.
    """
    while position.parent is not None and position.move == PASS:  # a playout from the end of a game has no moves
        position = position.parent
    playouts = Playouts(position, seed=seed)
    playouts.run(simulations)
    owners = playouts.ownership()
    return np.where(np.abs(owners) > SETTLED, np.sign(owners), owners)
