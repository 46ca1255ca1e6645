"""Ownership by playouts, and which stones are dead by playouts and reading. Reliable once the board is settled."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.mcts.tree_search import TreeSearch
from tengen.engines.go.mcts.tunables import DEFAULT_SETTINGS
from tengen.engines.go.positions import adjacent_points, list_strings
from tengen.engines.go.reading.status import Status, StatusTracker, StringStatus
from tengen.engines.go.reading.tactics import Result
from tengen.games.go import Go
from tengen.search.limits import StopFlag
from tengen.search.tree import Tree

PLAYOUTS = 400
MIN_SURVIVAL = 0.3  # a string that survives in a smaller share of playouts is dead
MIN_SURVIVAL_IF_CAPTURABLE = 0.9  # for strings that reading captures; playouts may let them live by blunders


def ownership(position: Position, playouts: int = PLAYOUTS) -> dict[Point, float]:
    """Mean final owner of each point, from 1.0 (Black) to -1.0 (White); each side begins half of the playouts."""
    game = position.game
    assert isinstance(game, Go)
    # A tree that never grows makes every simulation a playout, so one kernel serves this and the search.
    settings = DEFAULT_SETTINGS | {"expand_after": 1 << 30, "reading": False}
    total = np.zeros(game.area)
    for mover in range(2):
        search = TreeSearch(position, Tree(position, 1), settings, 1, 0, StopFlag(), mover=mover)
        search.run(-(-playouts // 2))
        total += search.ownership() / 2
    points = ((column, row) for row in range(game.height) for column in range(game.width))
    return dict(zip(points, total.tolist(), strict=True))


def dead_by_ownership(
    position: Position, owners: Mapping[Point, float], capturable: Collection[Point] = ()
) -> list[list[Point]]:
    """Strings whose points do not stay their owner's.

    `owners` maps points to ownership (1.0 Black, -1.0 White); `capturable` are stones that reading captures.
    """
    dead = []
    for player, points in list_strings(position):
        own = sum(owners[point] for point in points) / len(points) * (1 if player == 0 else -1)
        if (1 + own) / 2 < (MIN_SURVIVAL_IF_CAPTURABLE if points[0] in capturable else MIN_SURVIVAL):
            dead.append(points)
    return dead


def dead_strings(position: Position) -> list[list[Point]]:
    """Strings that count as dead, each as its points."""
    game = position.game
    assert isinstance(game, Go)
    capturable = (string.stones for string in StatusTracker(game).update(position) if _is_capturable(string))
    return dead_by_ownership(position, ownership(position), frozenset[Point]().union(*capturable))


def _is_capturable(string: StringStatus) -> bool:
    """Whether the attacker captures a string even if the owner moves first, then possibly by ko."""
    return string.status is Status.UNCONDITIONALLY_DEAD or (
        string.attack is Result.WORKS and string.defence is not Result.WORKS
    )


def dead_points(position: Position) -> list[Move]:
    """One stone of each dead string, in the form that `Go.count` expects."""
    game = position.game
    assert isinstance(game, Go)
    return [game.point(points[0]) for points in dead_strings(position)]


def cleanup_moves(position: Position) -> list[Move]:
    """Legal moves next to dead enemy stones, for capturing them before the game is counted."""
    game = position.game
    assert isinstance(game, Go)
    wanted: set[Point] = set()
    for points in dead_strings(position):
        if position.state.go_stones[game.point(points[0])] != position.to_move + 1:
            wanted.update(near for point in points for near in adjacent_points(game, point))
    return [move for move in position.legal_moves if set(game.points(move)) & wanted]
