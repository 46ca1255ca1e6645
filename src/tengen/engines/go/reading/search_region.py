"""Where the life of a group is decided: which stones it has, where moves are tried, what leads out.

The ground is *closed* if the group cannot get away, nor take what surrounds it: from the group, over all points
but enemy stones that live unconditionally, few points are reached. Then all of them are the field, and what is
read there holds. Otherwise the field is what is near, and some of it leads out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tengen.engines.go.kernels.board import BLACK, BORDER, EMPTY
from tengen.engines.go.kernels.influence import spread
from tengen.engines.go.reading.point_sets import (
    Points,
    beside_so_many,
    first_of,
    numbers_of,
    points_of,
    points_where,
)
from tengen.engines.go.reading.tactics import Result, Tactics

FRIENDLY = 4
"""A friend outside with so many liberties is a way out, if it has room or is large."""
MOST_CLOSED = 30
"""Of a closed ground, how many points it has at most."""
MOST_FIELD = 26
"""Of an open one, how many points are tried at most, the nearest ones."""
LARGEST_EYE = 14
"""A space of more empty points is no eye; of fewer, it may be enclosed."""
FURTHEST = 5
"""How far away from the group they are at most."""
ROOM = 12
"""So many points together, no enemy near and none of them held by its influence, are room to get away."""
ROOM_BEYOND = 6
"""So many of those that are not read, beside no enemy, are room beyond what is read."""
STRONG = 6
"""A friend with so many stones or liberties needs no room."""
SHORT = 3
"""Strings around with so few liberties may be taken, by either side: their liberties are tried, too."""
INFLUENCE = 4
"""How far the influence of stones reaches that holds a point, so that it leads nobody out."""
HELD = 3
"""How strong it must be there."""


@dataclass(frozen=True)
class Ground:
    """Where the life of a group is decided."""

    group: Points
    field: tuple[int, ...]
    """The points where moves are tried, the most promising first."""
    arena: Points
    """All points on which it may depend: the field, the group, stones on the field."""
    ways_out: Points
    walls: Points
    closed: bool
    free: int = 0
    """A liberty that no enemy is near: the string comes out there, and nothing needs to be read. 0: none."""
    looked: Points = 0
    """The points that decide whether this is the ground, besides what is near its arena or near stones tried."""


class Grounds:
    """The grounds of the groups of one position, which the tactical reader has loaded.

    quick: whoever reads little anyway looks for a way out only, not for the room behind it.
    """

    def __init__(self, tactics: Tactics, *, quick: bool = False) -> None:
        self.tactics = tactics
        self.room, self.room_beyond = (1, 1) if quick else (ROOM, ROOM_BEYOND)
        self._looked: Points = 0

    def group(self, point: int) -> frozenset[int]:
        """The stones of all strings that cannot be cut off from that on a point."""
        return frozenset(numbers_of(self._group(point)))

    def _group(self, point: int) -> Points:
        board = self.tactics.snapshot
        friends = board.all[board.cells[point]]
        group, waiting, tried = board.string(point), [point], set()
        while waiting:
            at = waiting.pop()
            liberties = board.liberties(at)
            for liberty in numbers_of(liberties & board.beside(friends & ~group)):
                for near in board.around(liberty):
                    if not (friends & ~group) >> near & 1:
                        continue
                    pair = (board.head(at), board.head(near))
                    if pair in tried:
                        continue
                    tried.add(pair)
                    shared = liberties & board.liberties(near)
                    hang_together = shared.bit_count() >= 2
                    if hang_together or self.tactics.disconnect(at, near, nodes=200).result is Result.FAILS:
                        group |= board.string(near)
                        waiting.append(near)
        return group

    def ground(self, point: int, safe: dict[int, Points]) -> Ground:
        """The ground of the group of a string. safe: what each colour owns unconditionally."""
        board = self.tactics.snapshot
        string, enemy = board.string(point), 3 - board.cells[point]
        walls = board.all[enemy] & safe[enemy]
        region = board.flood(1 << point, ~(walls | board.all[BORDER]), MOST_CLOSED)
        if region.bit_count() <= MOST_CLOSED:
            walls &= board.beside(region)
            return Ground(
                string, self._in_order(region, string), region, 0, walls, True, looked=board.grown(region)
            )
        self._looked = region
        near = self._in_the_open(board.liberties(point), enemy)
        if near:
            self._looked |= board.grown(near, INFLUENCE)
            hostile = self._hostile(string, enemy)
            free = self._with_room(near & ~hostile, hostile | board.near(enemy), self.room)
            if free:
                return Ground(string, (), string | near, 0, 0, False, first_of(free), self._looked)
        return self._open(point)

    def _with_room(self, points: Points, blocked: Points, most: int) -> Points:
        """Those of some points from which so many empty ones are reached, none of them blocked."""
        if most == 1:
            return points
        board = self.tactics.snapshot
        found, free = 0, board.all[EMPTY] & ~blocked
        for point in numbers_of(points):
            room = board.flood(1 << point, free, most - 1)
            self._looked |= board.grown(room, INFLUENCE + 1)
            if room.bit_count() >= most:
                found |= 1 << point
        return found

    def _in_order(self, points: Points, group: Points) -> tuple[int, ...]:
        """Points beside the group first, those with most room around before others."""
        board = self.tactics.snapshot
        room = beside_so_many(board.all[EMPTY] | points, board.stride)
        ordered: list[int] = []
        beside = board.beside(group)
        for left in (points & beside, points & ~beside):
            for so_much in reversed(room):
                ordered += numbers_of(left & so_much)
                left &= ~so_much
            ordered += numbers_of(left)
        return tuple(ordered)

    # ---- open

    def _open(self, point: int) -> Ground:
        board = self.tactics.snapshot
        empty, colour = board.all[EMPTY], board.cells[point]
        enemy = 3 - colour
        group = self._group(point)
        inside = self._enemies_inside(group)
        layers, beyond = self._space_of(group, inside)
        field, reached = 0, 0
        for layer in layers:
            reached |= layer
            field |= points_of(numbers_of(layer)[: MOST_FIELD - field.bit_count()])
        # What is not read leads out, if there is room for it.
        further = beyond | field & layers[FURTHEST] | reached & ~field & board.beside(field)
        in_the_open = self._in_the_open(reached & ~layers[1], enemy)
        hostile = self._hostile(group | inside, enemy)
        ways_out = self._with_room(in_the_open & ~hostile, hostile | board.near(enemy), self.room)
        shut = hostile | field | board.beside(board.all[enemy])
        ways_out |= self._with_room(further & ~hostile, shut, self.room_beyond)
        influenced, friends = in_the_open | further, 0
        for friend in board.strings(board.beside(field) & board.all[colour] & ~group):
            string, liberties = board.string(friend), board.liberties(friend)
            friends |= string
            if liberties.bit_count() < FRIENDLY:
                continue
            strong = max(liberties.bit_count(), string.bit_count()) >= STRONG
            influenced |= 0 if strong else liberties
            if strong or self._with_room(liberties & ~shut, shut, self.room_beyond):
                ways_out |= string
        self._looked |= board.grown(group | inside | reached, 2) | board.grown(influenced, INFLUENCE)
        field |= ways_out & empty & (layers[1] | layers[2] | layers[3])
        arena = field | group | inside | friends | ways_out
        order = self._in_order(field | self._liberties_around(group), group)[: MOST_FIELD + 14]
        return Ground(group, order, arena, ways_out, board.all[enemy] & ~inside, False, looked=self._looked)

    def _liberties_around(self, group: Points) -> Points:
        """The liberties of strings beside the group, or beside its liberties, that are short of them.

        Of those with two or fewer also where they stand, and what is beside: the other side answers there.
        """
        board = self.tactics.snapshot
        empty = board.all[EMPTY]
        close = board.beside(group)
        close |= board.beside(close & empty)
        found = 0
        for stone in board.strings(close & ~(group | empty | board.all[BORDER])):
            liberties = board.liberties(stone)
            if liberties.bit_count() <= SHORT:
                found |= liberties
                if liberties.bit_count() < SHORT:
                    found |= board.string(stone)  # once they are taken
                    found |= board.beside(liberties) & empty
        return found

    def _space_of(self, group: Points, inside: Points) -> tuple[list[Points], Points]:
        """The points that the group may come to, by how far they are, and those of them beyond gaps of the wall.

        Who comes through a gap, which the wall holds, is out: what lies further away is not read.
        """
        board = self.tactics.snapshot
        empty, colour = board.all[EMPTY], board.cells[first_of(group)]
        walls = board.all[3 - colour] & ~inside
        _, two_or_more, _, _ = beside_so_many(walls | board.all[BORDER], board.stride)
        held = empty & two_or_more & board.beside(walls) & ~board.beside(board.all[colour])
        layers = [*self._spread(group, inside, FURTHEST, held), 0]
        reached, beyond = 0, 0
        for layer in layers:
            reached |= layer
        # The longest way counts where a point lies beyond several gaps.
        for distance in range(FURTHEST, 0, -1):
            behind = board.beside(layers[distance] & held) & empty & ~(reached | beyond)
            layers[distance + 1] |= behind
            beyond |= behind
        return layers, beyond

    def _in_the_open(self, points: Points, enemy: int) -> Points:
        """Those of some points that no enemy is near and that no small space encloses: there a group comes out."""
        board = self.tactics.snapshot
        empty = board.all[EMPTY]
        clear = points & empty & ~board.near(enemy)
        self._looked |= board.grown(points, 2)
        rest, wide = clear, 0
        while rest:
            space = board.flood(rest & -rest, empty, LARGEST_EYE)
            if space.bit_count() > LARGEST_EYE:
                wide |= space
                self._looked |= space
            else:
                self._looked |= board.grown(space)
            rest &= ~space
        return clear & wide

    def _hostile(self, left_out: Points, enemy: int) -> Points:
        """The empty points that the enemy's influence holds if the group, with what is inside, is left out."""
        board, geometry = self.tactics.snapshot, self.tactics.geometry
        rows, stride = geometry.height + 2, geometry.stride
        stones = board.stones.copy()
        stones[numbers_of(left_out)] = 0
        field = np.zeros((rows, stride + 1), np.int64)
        field[:, :-1] = stones[: rows * stride].reshape(rows, stride)
        field *= 128
        scratch = np.zeros_like(field)
        spread(field, scratch, scratch, INFLUENCE, 0)  # where the board ends matters to erosion only
        held = field[:, :-1] >= HELD if enemy == BLACK else field[:, :-1] <= -HELD
        return points_where(held) & board.all[EMPTY]

    def _enemies_inside(self, group: Points) -> Points:
        """Enemies all of whose liberties are near the group: they may be taken; the others are the wall."""
        board = self.tactics.snapshot
        reached, inside = 0, 0
        for layer in self._spread(group, 0, 3, 0):
            reached |= layer
        enemies = board.all[3 - board.cells[first_of(group)]]
        for enemy in board.strings(board.beside(reached | group) & enemies):
            string, liberties = board.string(enemy), board.liberties(enemy)
            self._looked |= board.grown(string)
            if liberties.bit_count() <= 3 and not liberties & ~reached and string.bit_count() <= 7:
                inside |= string
        return inside

    def _spread(self, group: Points, inside: Points, most: int, ends: Points) -> list[Points]:
        """The points by how far they are from a group, over enemies inside and empty points; some end the way."""
        board = self.tactics.snapshot
        left = board.all[EMPTY] | inside
        layers, front = [0], group
        for _ in range(most):
            layer = board.beside(front) & left
            left &= ~layer
            layers.append(layer)
            front = layer & ~ends
        return layers
