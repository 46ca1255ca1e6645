"""Ownership by playouts, and which stones are dead by playouts and reading. Reliable once the board is settled."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.groups.group_life import GroupLife
from tengen.engines.go.mcts.tree_search import GoTreeSearch
from tengen.engines.go.mcts.tunables import DEFAULT_SETTINGS
from tengen.engines.go.positions import adjacent_points, list_strings
from tengen.engines.go.reading.status import Status, StatusTracker, StringStatus
from tengen.engines.go.reading.tactics import Result
from tengen.games.go import Go
from tengen.search.tree import Tree
from tengen.search.tree_search import Resources

PLAYOUTS = 400
MIN_SURVIVAL = 0.5  # a string that survives in a smaller share of playouts is dead at the end of a game
MIN_SURVIVAL_IN_SEARCH = 0.3  # while a game goes on, the owner may still save it
MIN_SURVIVAL_IF_CAPTURABLE = 0.9  # for strings that reading captures; playouts may let them live by blunders
# Between these, playouts are not sure. A string in seki, or one that lives only if it moves first, is never sure.
SURE_DEAD_SURVIVAL = 0.15
SURE_DEAD_SURVIVAL_IF_CAPTURABLE = 0.6
SURE_ALIVE_SURVIVAL = 0.75
# Groups with a survival between these are read, up to a number of them.
READ_SURVIVAL = (0.15, 0.8)
MAX_GROUPS_READ = 4
READ_SIMULATIONS = 2000


def ownership(position: Position, playouts: int = PLAYOUTS) -> dict[Point, float]:
    """Mean final owner of each point, from 1.0 (Black) to -1.0 (White); each side begins half of the playouts."""
    game = position.game
    assert isinstance(game, Go)
    # A tree that never grows makes every simulation a playout, so one kernel serves this and the search.
    settings = DEFAULT_SETTINGS | {"expand_after": 1 << 30, "reading": False}
    total = np.zeros(game.area)
    for mover in range(2):
        search = GoTreeSearch(Tree(position, 1), (), settings, Resources(), mover=mover)
        search.run(-(-playouts // 2))
        total += search.ownership() / 2
    points = ((column, row) for row in range(game.height) for column in range(game.width))
    return dict(zip(points, total.tolist(), strict=True))


class StringJudgement(NamedTuple):
    """A string at the end of a game: whether it is dead or in seki, and whether playouts and reading are sure."""

    player: int
    points: list[Point]
    is_dead: bool
    is_sure: bool
    in_seki: bool


def dead_by_ownership(position: Position, owners: Mapping[Point, float]) -> list[list[Point]]:
    """Strings whose points clearly do not stay their owner's.

    `owners` maps points to ownership (1.0 Black, -1.0 White).
    """
    return [
        points
        for player, points in list_strings(position)
        if _survival(player, points, owners) < MIN_SURVIVAL_IN_SEARCH
    ]


def judge_strings(position: Position, owners: Mapping[Point, float] | None = None) -> list[StringJudgement]:
    """Whether each string is dead, by playouts and reading; `owners` is the `ownership`, if known."""
    game = position.game
    assert isinstance(game, Go)
    tracker = StatusTracker(game)
    by_point = {point: string for string in tracker.update(position) for point in string.stones}
    owners = ownership(position) if owners is None else owners
    read = _read_uncertain_groups(position, tracker, set(by_point.values()), owners)
    # A seki needs strings of both sides; if those of one side are unconditionally dead, there is none.
    has_seki = len({string.player for string in by_point.values() if string.status is Status.SEKI}) == 2
    judged = []
    for player, points in list_strings(position):
        status = by_point[points[0]]
        survival = _survival(player, points, owners)
        in_seki = has_seki and status.status is Status.SEKI
        is_dead = not in_seki and read.get(status.group, _is_dead(survival, _is_capturable(status)))
        judged.append(StringJudgement(player, points, is_dead, _is_sure(status, survival, is_dead), in_seki))
    return judged


def _read_uncertain_groups(
    position: Position, tracker: StatusTracker, strings: Collection[StringStatus], owners: Mapping[Point, float]
) -> dict[frozenset[Point], bool]:
    """Whether groups are dead on whose life playouts disagree and the group reader is sure; the largest first."""
    uncertain = {
        string.group
        for string in strings
        if not string.proved
        and string.status is not Status.SEKI
        and READ_SURVIVAL[0] < _survival(string.player, string.stones, owners) < READ_SURVIVAL[1]
    }
    largest = sorted(uncertain, key=lambda group: (-len(group), sorted(group)))[:MAX_GROUPS_READ]
    reader = GroupLife(position, tracker.life, READ_SIMULATIONS)
    found: dict[frozenset[Point], bool] = {}
    for group in largest:
        point = tracker.geometry.point(min(group))
        if reader.is_safe(point):
            found[group] = False
        elif reader.is_lost(point):
            found[group] = True
    return found


def dead_strings(position: Position) -> list[list[Point]]:
    """Strings that count as dead, each as its points."""
    return [string.points for string in judge_strings(position) if string.is_dead]


def _survival(player: int, points: Collection[Point], owners: Mapping[Point, float]) -> float:
    """The share of playouts after which the points of a string are still its owner's."""
    own = sum(owners[point] for point in points) / len(points)
    return (1 + own) / 2 if player == 0 else (1 - own) / 2


def _is_dead(survival: float, is_capturable: bool) -> bool:
    return survival < (MIN_SURVIVAL_IF_CAPTURABLE if is_capturable else MIN_SURVIVAL)


def _is_sure(string: StringStatus, survival: float, is_dead: bool) -> bool:
    if string.status in (Status.UNCONDITIONALLY_ALIVE, Status.UNCONDITIONALLY_DEAD):
        return is_dead == (string.status is Status.UNCONDITIONALLY_DEAD)
    if string.status in (Status.SEKI, Status.URGENT):
        return False
    if is_dead:
        return survival < (SURE_DEAD_SURVIVAL_IF_CAPTURABLE if _is_capturable(string) else SURE_DEAD_SURVIVAL)
    return survival > SURE_ALIVE_SURVIVAL


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
