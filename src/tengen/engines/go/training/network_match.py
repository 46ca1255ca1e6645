"""Matches between networks: each new one must beat the one before.

Players get a fixed number of simulations, so that a run can be repeated. With a network a simulation takes longer;
a player without one therefore gets more of them.
"""

from __future__ import annotations

from random import Random

from tengen.core.position import Position
from tengen.engines.go.training.network_games import network_engine, random_move
from tengen.games.go import Go
from tengen.jobs import Task
from tengen.search.limits import Limits
from tengen.search.network.weights import Weights

SIMULATIONS = 300  # per move, with a network
SIMULATIONS_WITHOUT = 580  # in the same time
OPENING_MOVES = 4
LOST_WIN_RATE = 0.04  # a player whose win rate is below this resigns


def match_tasks(
    name: str, size: int, new: Weights, old: Weights | None, games: int, seed: int
) -> list[Task[float]]:
    """Games in pairs: each opening is played with both colours. The results are those of the new network."""
    return [
        Task(f"{name}, game {number}", play_match_game, (size, new, old, number % 2, f"{seed} {number // 2}"))
        for number in range(games)
    ]


def play_match_game(size: int, new: Weights, old: Weights | None, colour: int, seed: str) -> float:
    """1.0 if `new`, which plays Black if `colour` is 0, wins; 0.0 if it loses."""
    rng = Random(seed)
    position = Go(width=size, height=size).start()
    for _ in range(OPENING_MOVES):
        position = position.play(random_move(position, rng))
    numbers = rng.getrandbits(32), rng.getrandbits(32)
    players = [network_engine(network, number) for network, number in zip((new, old), numbers, strict=True)]
    budgets = [SIMULATIONS, SIMULATIONS_WITHOUT if old is None else SIMULATIONS]
    while not position.is_over and position.ply < 3 * size * size:
        who = position.to_move ^ colour
        report = players[who].search(position, Limits(nodes=budgets[who]))
        if report.value.amount < LOST_WIN_RATE:
            return float(who)  # the other one wins
        position = position.play(position.game.read_move(report.best, position))
    return _result(position, colour)


def _result(position: Position, colour: int) -> float:
    """The result of a finished game; a game without an end is a draw."""
    if position.outcome is None or position.outcome.winner is None:
        return 0.5
    return float(position.outcome.winner == colour)
