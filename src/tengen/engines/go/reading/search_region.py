"""Search regions for life and death: the stones of a group, the candidate points, and the escapes.

A region is *closed* if the group can neither escape nor capture what surrounds it: few points are reachable from
it without crossing unconditionally alive enemy stones. Then all of these are candidates, and results are proofs.
Otherwise the candidates are the points nearby, some of which may be escapes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tengen.engines.go.kernels.board import BLACK, BORDER, EMPTY
from tengen.engines.go.kernels.influence import spread
from tengen.engines.go.reading.point_sets import (
    PointSet,
    first_point,
    list_points,
    neighbour_counts,
    point_set,
    points_where,
)
from tengen.engines.go.reading.tactics import Result, TacticalReader

MAX_CLOSED_POINTS = 30  # of a closed region
MAX_OPEN_CANDIDATES = 26  # nearest points, in an open region
MAX_STEPS = 5  # distance of candidates from the group, in an open region
MAX_EYE_SPACE = 14  # an empty space of more points counts as open
MIN_ESCAPE_SPACE = 12  # connected points, far from enemies and their influence, that make an escape
MIN_SPACE_BEYOND = 6  # connected points outside the region, not next to an enemy, that make an escape
MIN_FRIEND_LIBERTIES = 4  # a friendly string outside with fewer is no escape
MIN_STRONG_SIZE = 6  # a friendly string with this many stones or liberties is an escape even without space
MAX_SHORT_LIBERTIES = 3  # the liberties of surrounding strings with no more than this are candidates, too
INFLUENCE_STEPS = 4  # dilations of the influence that keeps a group from escaping
MIN_HELD_INFLUENCE = 3  # influence from which a point counts as held


@dataclass(frozen=True)
class SearchRegion:
    """Where the life of a group is decided."""

    group: PointSet
    candidates: tuple[int, ...]  # points where moves are tried, most promising first
    zone: PointSet  # all relevant points: candidates, the group, stones inside
    escapes: PointSet
    walls: PointSet
    is_closed: bool
    free_liberty: int = 0  # a liberty in open space, so that the string has escaped already; 0: none
    depends_on: PointSet = 0  # points that determined this region, besides those near zone and tried stones


class RegionFinder:
    """Finds search regions in the position loaded by the tactical reader.

    With `quick`, for small node budgets, any escape point counts without checking the space behind it.
    """

    def __init__(self, tactics: TacticalReader, *, quick: bool = False) -> None:
        self.tactics = tactics
        self.min_space, self.min_space_beyond = (1, 1) if quick else (MIN_ESCAPE_SPACE, MIN_SPACE_BEYOND)
        self._depends_on: PointSet = 0

    def group(self, point: int) -> frozenset[int]:
        """Stones of all strings that cannot be cut off from the string on a point."""
        return frozenset(list_points(self._group(point)))

    def _group(self, point: int) -> PointSet:
        board = self.tactics.snapshot
        friends = board.by_colour[board.colours[point]]
        group, waiting, tried = board.string(point), [point], set()
        while waiting:
            at = waiting.pop()
            liberties = board.liberties(at)
            for liberty in list_points(liberties & board.adjacent(friends & ~group)):
                for near in board.neighbours(liberty):
                    if not (friends & ~group) >> near & 1:
                        continue
                    pair = (board.head(at), board.head(near))
                    if pair in tried:
                        continue
                    tried.add(pair)
                    shared = liberties & board.liberties(near)
                    connected = shared.bit_count() >= 2
                    if connected or self.tactics.disconnect(at, near, nodes=200).result is Result.FAILS:
                        group |= board.string(near)
                        waiting.append(near)
        return group

    def find(self, point: int, safe: dict[int, PointSet]) -> SearchRegion:
        """The search region of the string on a point. `safe` maps colours to their unconditional points."""
        board = self.tactics.snapshot
        string, enemy = board.string(point), 3 - board.colours[point]
        walls = board.by_colour[enemy] & safe[enemy]
        region = board.connected_component(1 << point, ~(walls | board.by_colour[BORDER]), MAX_CLOSED_POINTS)
        if region.bit_count() <= MAX_CLOSED_POINTS:
            walls &= board.adjacent(region)
            return SearchRegion(
                string, self._ordered(region, string), region, 0, walls, True, depends_on=board.dilate(region)
            )
        self._depends_on = region
        near = self._in_open_space(board.liberties(point), enemy)
        if near:
            self._depends_on |= board.dilate(near, INFLUENCE_STEPS)
            hostile = self._enemy_influence(string, enemy)
            free = self._with_space(near & ~hostile, hostile | board.within_two_steps(enemy), self.min_space)
            if free:
                return SearchRegion(string, (), string | near, 0, 0, False, first_point(free), self._depends_on)
        return self._open_region(point)

    def _with_space(self, points: PointSet, blocked: PointSet, limit: int) -> PointSet:
        """Those of `points` that are connected to at least `limit` empty points that are not blocked."""
        if limit == 1:
            return points
        board = self.tactics.snapshot
        found, free = 0, board.by_colour[EMPTY] & ~blocked
        for point in list_points(points):
            space = board.connected_component(1 << point, free, limit - 1)
            self._depends_on |= board.dilate(space, INFLUENCE_STEPS + 1)
            if space.bit_count() >= limit:
                found |= 1 << point
        return found

    def _ordered(self, points: PointSet, group: PointSet) -> tuple[int, ...]:
        """Sort points: those next to the group first, and by the number of empty neighbours."""
        board = self.tactics.snapshot
        space = neighbour_counts(board.by_colour[EMPTY] | points, board.stride)
        ordered: list[int] = []
        adjacent = board.adjacent(group)
        for left in (points & adjacent, points & ~adjacent):
            for at_least in reversed(space):
                ordered += list_points(left & at_least)
                left &= ~at_least
            ordered += list_points(left)
        return tuple(ordered)

    def _open_region(self, point: int) -> SearchRegion:
        board = self.tactics.snapshot
        empty, colour = board.by_colour[EMPTY], board.colours[point]
        enemy = 3 - colour
        group = self._group(point)
        capturable = self._capturable_enemies(group)
        layers, beyond = self._reachable_layers(group, capturable)
        inner, reached = 0, 0
        for layer in layers:
            reached |= layer
            inner |= point_set(list_points(layer)[: MAX_OPEN_CANDIDATES - inner.bit_count()])
        # Points that are not read are escapes if there is space behind them.
        outer = beyond | inner & layers[MAX_STEPS] | reached & ~inner & board.adjacent(inner)
        in_the_open = self._in_open_space(reached & ~layers[1], enemy)
        hostile = self._enemy_influence(group | capturable, enemy)
        escapes = self._with_space(in_the_open & ~hostile, hostile | board.within_two_steps(enemy), self.min_space)
        blocked = hostile | inner | board.adjacent(board.by_colour[enemy])
        escapes |= self._with_space(outer & ~hostile, blocked, self.min_space_beyond)
        influenced, friends = in_the_open | outer, 0
        for friend in board.strings(board.adjacent(inner) & board.by_colour[colour] & ~group):
            string, liberties = board.string(friend), board.liberties(friend)
            friends |= string
            if liberties.bit_count() < MIN_FRIEND_LIBERTIES:
                continue
            strong = max(liberties.bit_count(), string.bit_count()) >= MIN_STRONG_SIZE
            influenced |= 0 if strong else liberties
            if strong or self._with_space(liberties & ~blocked, blocked, self.min_space_beyond):
                escapes |= string
        self._depends_on |= board.dilate(group | capturable | reached, 2)
        self._depends_on |= board.dilate(influenced, INFLUENCE_STEPS)
        inner |= escapes & empty & (layers[1] | layers[2] | layers[3])
        zone = inner | group | capturable | friends | escapes
        order = self._ordered(inner | self._short_liberties(group), group)[: MAX_OPEN_CANDIDATES + 14]
        return SearchRegion(
            group, order, zone, escapes, board.by_colour[enemy] & ~capturable, False, depends_on=self._depends_on
        )

    def _short_liberties(self, group: PointSet) -> PointSet:
        """Liberties of strings short of liberties that are next to the group or to its liberties.

        For strings with two liberties or fewer, also their stones and the points next to their liberties, where
        the other side may reply.
        """
        board = self.tactics.snapshot
        empty = board.by_colour[EMPTY]
        close = board.adjacent(group)
        close |= board.adjacent(close & empty)
        found = 0
        for stone in board.strings(close & ~(group | empty | board.by_colour[BORDER])):
            liberties = board.liberties(stone)
            if liberties.bit_count() <= MAX_SHORT_LIBERTIES:
                found |= liberties
                if liberties.bit_count() < MAX_SHORT_LIBERTIES:
                    found |= board.string(stone)  # playable after a capture
                    found |= board.adjacent(liberties) & empty
        return found

    def _reachable_layers(self, group: PointSet, capturable: PointSet) -> tuple[list[PointSet], PointSet]:
        """(points that the group may reach, by distance; those of them beyond gaps in the wall).

        A group that gets through a gap has escaped, so points further away are not included.
        """
        board = self.tactics.snapshot
        empty, colour = board.by_colour[EMPTY], board.colours[first_point(group)]
        walls = board.by_colour[3 - colour] & ~capturable
        _, two_or_more, _, _ = neighbour_counts(walls | board.by_colour[BORDER], board.stride)
        gaps = empty & two_or_more & board.adjacent(walls) & ~board.adjacent(board.by_colour[colour])
        layers = [*self._distance_layers(group, capturable, MAX_STEPS, gaps), 0]
        reached, beyond = 0, 0
        for layer in layers:
            reached |= layer
        # The largest distance counts for points beyond several gaps.
        for distance in range(MAX_STEPS, 0, -1):
            behind = board.adjacent(layers[distance] & gaps) & empty & ~(reached | beyond)
            layers[distance + 1] |= behind
            beyond |= behind
        return layers, beyond

    def _in_open_space(self, points: PointSet, enemy: int) -> PointSet:
        """Those of `points` that are far from enemies and not in a small enclosed space."""
        board = self.tactics.snapshot
        empty = board.by_colour[EMPTY]
        clear = points & empty & ~board.within_two_steps(enemy)
        self._depends_on |= board.dilate(points, 2)
        rest, open_space = clear, 0
        while rest:
            space = board.connected_component(rest & -rest, empty, MAX_EYE_SPACE)
            if space.bit_count() > MAX_EYE_SPACE:
                open_space |= space
                self._depends_on |= space
            else:
                self._depends_on |= board.dilate(space)
            rest &= ~space
        return clear & open_space

    def _enemy_influence(self, left_out: PointSet, enemy: int) -> PointSet:
        """Empty points held by the enemy's influence when the stones of `left_out` are removed."""
        board, geometry = self.tactics.snapshot, self.tactics.geometry
        rows, stride = geometry.height + 2, geometry.stride
        stones = board.stones.copy()
        stones[list_points(left_out)] = 0
        field = np.zeros((rows, stride + 1), np.int64)
        field[:, :-1] = stones[: rows * stride].reshape(rows, stride)
        field *= 128
        scratch = np.zeros_like(field)
        spread(field, scratch, scratch, INFLUENCE_STEPS, 0)  # without erosion the margin does not matter
        held = field[:, :-1] >= MIN_HELD_INFLUENCE if enemy == BLACK else field[:, :-1] <= -MIN_HELD_INFLUENCE
        return points_where(held) & board.by_colour[EMPTY]

    def _capturable_enemies(self, group: PointSet) -> PointSet:
        """Small enemy strings whose liberties are all near the group; the other enemies are the wall."""
        board = self.tactics.snapshot
        reached, capturable = 0, 0
        for layer in self._distance_layers(group, 0, 3, 0):
            reached |= layer
        enemies = board.by_colour[3 - board.colours[first_point(group)]]
        for enemy in board.strings(board.adjacent(reached | group) & enemies):
            string, liberties = board.string(enemy), board.liberties(enemy)
            self._depends_on |= board.dilate(string)
            if liberties.bit_count() <= 3 and not liberties & ~reached and string.bit_count() <= 7:
                capturable |= string
        return capturable

    def _distance_layers(
        self, group: PointSet, capturable: PointSet, limit: int, barriers: PointSet
    ) -> list[PointSet]:
        """Points by distance from the group over empty and `capturable` points, not continuing past `barriers`."""
        board = self.tactics.snapshot
        left = board.by_colour[EMPTY] | capturable
        layers, front = [0], group
        for _ in range(limit):
            layer = board.adjacent(front) & left
            left &= ~layer
            layers.append(layer)
            front = layer & ~barriers
        return layers
