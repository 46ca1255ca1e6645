"""The zone of a group: the empty points where its life is decided.

The zone grows from the group by cost: a step to an empty point costs 1, or more where the enemy holds the point;
a string short of liberties is passed, because it may be captured, and so is an enemy string that the group races
with. Other enemy strings are walls, other friendly strings are safe. Points outside the zone are lasting liberties
in a local search (see `kernels.group_search`).
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush

from tengen.engines.go.kernels.board import BORDER, EMPTY
from tengen.engines.go.reading.point_sets import PointSet, list_points, point_set
from tengen.engines.go.reading.snapshot import Snapshot

MAX_COST = 9
MAX_ZONE_POINTS = 110
MAX_WEAK_LIBERTIES = 4  # a string with more is strong
HELD_COST = 2  # of an empty point next to an enemy and away from friends
FRIEND_COST = 1  # of passing a friendly string that is short of liberties
WEAK_COSTS = (1, 1, 1, 2, 3)  # of passing an enemy string, by its liberties
# A strong enemy string next to the group is passed, too, if it has few liberties more than the group: they race.
MAX_RACE_LIBERTIES = 10
RACE_MARGIN = 1
RACE_BONUS = 3  # the cost is the number of its liberties minus this


def _count_liberties(board: Snapshot, stones: Iterable[int]) -> int:
    """Number of liberties of the strings on some points together."""
    liberties = 0
    for stone in stones:
        liberties |= board.liberties(stone)
    return liberties.bit_count()


def find_zone(board: Snapshot, stones: Iterable[int], max_points: int = MAX_ZONE_POINTS) -> PointSet:
    """The empty points around the strings of `stones`, which are of one colour, nearest first up to a limit."""
    starts = list(stones)
    own = board.colours[starts[0]]
    enemy = 3 - own
    near_own = board.adjacent(board.by_colour[own])
    near_enemy = board.adjacent(board.by_colour[enemy])
    held = near_enemy & ~near_own
    race_liberties = min(_count_liberties(board, starts), MAX_RACE_LIBERTIES) + RACE_MARGIN
    best: dict[int, int] = {}  # cost of each empty point, and of each string by its head
    queue: list[tuple[int, int]] = []

    def push(cost: int, point: int) -> None:
        if cost <= MAX_COST and best.get(point, MAX_COST + 1) > cost:
            best[point] = cost
            heappush(queue, (cost, point))

    for stone in starts:
        push(0, board.head(stone))
    zone: list[int] = []
    while queue:
        cost, point = heappop(queue)
        if best[point] != cost:
            continue
        content = board.colours[point]
        if content == EMPTY:
            if len(zone) >= max_points:
                break
            zone.append(point)
            around: Iterable[int] = board.neighbours(point)
        else:
            around = list_points(board.adjacent(board.string(point)))
        for near in around:
            other = board.colours[near]
            if other == EMPTY:
                push(cost + (HELD_COST if held >> near & 1 else 1), near)
            elif other != BORDER and (other == own or content != other):
                liberties = board.liberties(near).bit_count()
                if liberties <= MAX_WEAK_LIBERTIES:
                    push(cost + (FRIEND_COST if other == own else WEAK_COSTS[liberties]), board.head(near))
                elif other != own and cost == 0 and liberties <= race_liberties:
                    push(liberties - RACE_BONUS, board.head(near))
    return point_set(zone)
