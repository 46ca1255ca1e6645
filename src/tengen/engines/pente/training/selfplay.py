"""Games of the player against itself.

They start with a few random stones near the centre. There is a little noise in the evaluation, and now and then a
random move nearby, so that games differ. A game ends when its winner is proved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.engine import PenteEngine
from tengen.engines.pente.search.weights import Parts, weights_from_parts
from tengen.games.pente.game import Pente
from tengen.search.limits import Limits
from tengen.search.report import Kind

Array = np.ndarray[Any, Any]

RANDOM_OPENING_STONES = (2, 9)
"""Range of the number of random stones."""
EVALUATION_NOISE = 60
"""In hundredths of a point."""
RANDOM_MOVE_PROBABILITY = 0.06
MAX_PLIES = 120


@dataclass(frozen=True)
class SelfPlayGame:
    """A game. The first `opening` moves were random; for the others there are the results of searches."""

    opening: int
    moves: Array  # int64[opening + n]
    values: Array  # float64[n]: for the side to move, in wins from -1 to 1; NaN if the result was proved
    best: Array  # int64[n]: the best moves
    winner: int | None


def play_game(game: Pente, seed: int, opening: tuple[int, ...], nodes: int, parts: Parts | None) -> SelfPlayGame:
    """Play a game with `nodes` nodes per move and these weights, or hand-set ones.

    A task: depends on its arguments only.
    """
    engine = PenteEngine(table=4, seed=seed, error=EVALUATION_NOISE, learned=False)
    engine.weights = None if parts is None else weights_from_parts(parts)
    rng = np.random.default_rng(seed)
    position = game.start().play_all([Move(move) for move in opening])
    moves, values, best = list(opening), [], []
    winner = None
    while not position.is_over and position.ply < MAX_PLIES:
        report = engine.search(position, Limits(nodes=nodes))
        chosen = game.read_move(report.best, position)
        proved = report.value.kind is Kind.EXACT
        moves.append(int(chosen))
        best.append(int(chosen))
        values.append(np.nan if proved else float(report.value.amount))
        if proved and report.value.amount != 0:
            winner = position.to_move if report.value.amount > 0 else 1 - position.to_move
            break
        if not proved and rng.random() < RANDOM_MOVE_PROBABILITY:
            near = [move for move in position.legal_moves if _distance(move, chosen) <= 2]
            moves[-1] = int(near[rng.integers(len(near))])
        position = position.play(Move(moves[-1]))
    if position.outcome is not None:
        winner = position.outcome.winner
    return SelfPlayGame(
        len(opening), np.array(moves, np.int64), np.array(values, np.float64), np.array(best, np.int64), winner
    )


def _distance(one: Move, other: Move) -> int:
    return max(abs(one % 20 - other % 20), abs(one // 20 - other // 20))


def training_opening(game: Pente, rng: np.random.Generator) -> Position:
    """A few stones near the centre."""
    while True:
        position = game.start()
        reach = rng.integers(2, 5, endpoint=True)
        for _ in range(rng.integers(*RANDOM_OPENING_STONES, endpoint=True)):
            middle = (game.size + 1) / 2
            near = [
                move
                for move in position.legal_moves
                if abs(move % 20 - middle) <= reach and abs(move // 20 - middle) <= reach
            ]
            near = near or list(position.legal_moves)
            position = position.play(near[rng.integers(len(near))])
            if position.is_over:
                break
        if not position.is_over:
            return position
