"""Who will own what, and which stones are dead, by playouts and by reading: right where all is settled."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.mcts.tree_search import Workers
from tengen.engines.go.mcts.tunables import TUNABLES
from tengen.engines.go.positions import list_strings
from tengen.engines.go.reading.status import Status, StatusBoard, StringStatus
from tengen.engines.go.reading.tactics import Result
from tengen.games.go import Go
from tengen.search.limits import StopFlag
from tengen.search.tree import Tree

GAMES = 400
DEAD = 0.3
"""A string that stays its owner's in fewer of the games than this is taken for dead."""
CAUGHT = 0.9
"""The same of a string that was read to be caught whoever moves first: playouts may let it live by blunders."""


def ownership(position: Position, games: int = GAMES) -> dict[Point, float]:
    """How often each point is Black's (1.0) or White's (-1.0) in the end; either begins half of the games."""
    game = position.game
    assert isinstance(game, Go)
    # A tree that never grows: every simulation is a playout. So one kernel serves this and the search.
    settings = {tunable.name: tunable.default for tunable in TUNABLES} | {
        "expand_after": 1 << 30,
        "reading": False,
    }
    total = np.zeros(game.area)
    for mover in range(2):
        workers = Workers(position, Tree(position, 1), settings, 1, 0, StopFlag(), mover=mover)
        workers.run(-(-games // 2))
        total += workers.ownership() / 2
    points = ((column, row) for row in range(game.height) for column in range(game.width))
    return dict(zip(points, total.tolist(), strict=True))


def dead_among(
    position: Position, owners: Mapping[Point, float], caught: Collection[Point] = ()
) -> list[list[Point]]:
    """The strings that do not stay their owner's.

    owners: 1.0 where a point is always Black's, -1.0 White's. caught: stones that were read to be lost.
    """
    dead = []
    for player, points in list_strings(position):
        own = sum(owners[point] for point in points) / len(points) * (1 if player == 0 else -1)
        if (1 + own) / 2 < (CAUGHT if points[0] in caught else DEAD):
            dead.append(points)
    return dead


def dead_strings(position: Position) -> list[list[Point]]:
    """The strings that are taken for dead."""
    game = position.game
    assert isinstance(game, Go)
    lost = (string.stones for string in StatusBoard(game).update(position) if _is_caught(string))
    return dead_among(position, ownership(position), frozenset[Point]().union(*lost))


def _is_caught(string: StringStatus) -> bool:
    """Whether a string is lost for sure if the attacker moves, and if its owner does, but for a ko."""
    return string.status is Status.UNCONDITIONALLY_DEAD or (
        string.attack is Result.WORKS and string.defence is not Result.WORKS
    )


def dead_points(position: Position) -> list[Move]:
    """One stone of each dead string, as `Go.count` takes them."""
    game = position.game
    assert isinstance(game, Go)
    return [game.point(points[0]) for points in dead_strings(position)]


def cleaning_moves(position: Position) -> list[Move]:
    """The legal moves beside dead stones of the enemy: what is left to do before all are taken off."""
    game = position.game
    assert isinstance(game, Go)
    dead = {point for points in dead_strings(position) for point in points}
    player = position.to_move
    wanted = set()
    for column, row in dead:
        if position.state.go_stones[game.point((column, row))] != player + 1:
            wanted |= {(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)}
    return [move for move in position.legal_moves if set(game.points(move)) & wanted]
