"""Who will own what, by random games to the end: enough to tell dead stones when all is settled."""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.core.compiled.rng import make_rng
from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.games.go import Go, rules
from tengen.search.kernels.playout import playouts

GAMES = 200
DEAD = 0.3  # a string that stays its owner's in fewer of the games than this is taken for dead


def ownership(position: Position, games: int = GAMES) -> dict[Point, float]:
    """How often each point is Black's (1.0) or White's (-1.0) in the end; either begins half of the games."""
    game = position.game
    assert isinstance(game, Go)
    stack = np.zeros(2, game.record)
    stack[0] = position.state
    stack[0].passes = 0
    rng = make_rng(int(position.key) & 0xFFFFFFFF)
    stop = np.zeros(1, np.int64)
    total: np.ndarray[Any, Any] = np.zeros(rules.POINTS)
    for number in range(games):
        stack[0].turn = number % 2
        stack[0].ko = 0
        playouts(stack, 1, game.playout_length, rng, stop)
        owner = rules.find_owners(stack[1:])
        total += owner == rules.BLACK
        total -= owner == rules.WHITE
    points = ((column, row) for row in range(game.height) for column in range(game.width))
    return {point: float(total[game.point(point)]) / games for point in points}


def strings(position: Position) -> list[tuple[int, list[Point]]]:
    """The strings on the board: the player and the points of each."""
    game, state = position.game, position.state
    assert isinstance(game, Go)
    found: dict[int, list[Point]] = {}
    for row in range(game.height):
        for column in range(game.width):
            point = game.point((column, row))
            if state.go_stones[point] != rules.EMPTY:
                found.setdefault(int(state.head[point]), []).append((column, row))
    return [(int(state.go_stones[head]) - 1, points) for head, points in found.items()]


def dead_strings(position: Position) -> list[list[Point]]:
    """The strings that are taken for dead."""
    owners = ownership(position)
    dead = []
    for player, points in strings(position):
        own = sum(owners[point] for point in points) / len(points) * (1 if player == 0 else -1)
        if (1 + own) / 2 < DEAD:
            dead.append(points)
    return dead
