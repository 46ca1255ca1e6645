"""Where the life of a group is decided: which stones it has, where moves are tried, what leads out.

The ground is *closed* if the group cannot get away, nor take what surrounds it: from the group, over all points
but enemy stones that live unconditionally, few points are reached. Then all of them are the field, and what is
read there holds. Otherwise the field is what is near, and some of it leads out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

import numpy as np

from tengen.engines.go.kernels.board import BORDER, EMPTY
from tengen.engines.go.kernels.influence import spread
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

    group: frozenset[int]
    field: tuple[int, ...]
    """The points where moves are tried, the most promising first."""
    arena: frozenset[int]
    """All points on which it may depend: the field, the group, stones on the field."""
    ways_out: frozenset[int]
    walls: frozenset[int]
    closed: bool
    free: int = 0
    """A liberty that no enemy is near: the string comes out there, and nothing needs to be read. 0: none."""
    looked: frozenset[int] = frozenset()
    """Points whose stones decide by their influence what leads out."""


class Grounds:
    """The grounds of the groups of one position, which the tactical reader has loaded.

    quick: whoever reads little anyway looks for a way out only, not for the room behind it.
    """

    def __init__(self, tactics: Tactics, *, quick: bool = False) -> None:
        self.tactics = tactics
        self.room, self.room_beyond = (1, 1) if quick else (ROOM, ROOM_BEYOND)

    def group(self, point: int) -> frozenset[int]:
        """The stones of all strings that cannot be cut off from that on a point."""
        board = self.tactics.snapshot
        colour = board.cells[point]
        group, waiting, tried = set(board.string(point)), [point], set()
        while waiting:
            at = waiting.pop()
            liberties = board.liberties(at)
            for liberty in sorted(liberties):
                for near in board.around(liberty):
                    if board.cells[near] != colour or near in group:
                        continue
                    pair = (board.head(at), board.head(near))
                    if pair in tried:
                        continue
                    tried.add(pair)
                    shared = liberties & board.liberties(near)
                    if len(shared) >= 2 or self.tactics.disconnect(at, near, nodes=200).result is Result.FAILS:
                        group |= board.string(near)
                        waiting.append(near)
        return frozenset(group)

    def ground(self, point: int, safe: dict[int, int]) -> Ground:
        """The ground of the group of a string. safe: what each colour owns unconditionally."""
        closed = self._closed(point, safe)
        if closed is not None:
            return closed
        board = self.tactics.snapshot
        enemy = 3 - board.cells[point]
        near = self._in_the_open(board.liberties(point), enemy)
        seen = set(near)
        if near:
            hostile = self._hostile(board.string(point))
            free = self._with_room(near - hostile, hostile | board.near(enemy), self.room, seen)
            if free:
                none: frozenset[int] = frozenset()
                arena, looked = board.string(point) | near, self._influential(seen)
                return Ground(board.string(point), (), arena, none, none, False, min(free), looked)
        return self._open(point, seen)

    def _with_room(self, points: Iterable[int], blocked: Collection[int], most: int, seen: set[int]) -> set[int]:
        """Those of some points from which so many empty ones are reached, none of them blocked.

        seen: gets all that were reached.
        """
        board = self.tactics.snapshot
        found = set()
        for point in points:
            room, front = {point}, [point]
            while front and len(room) < most:
                for near in board.around(front.pop(0)):
                    if near not in room and board.cells[near] == EMPTY and near not in blocked:
                        room.add(near)
                        front.append(near)
            seen |= room
            if len(room) >= most:
                found.add(point)
        return found

    # ---- closed

    def _closed(self, point: int, safe: dict[int, int]) -> Ground | None:
        board = self.tactics.snapshot
        enemy = 3 - board.cells[point]
        reached, waiting = {point}, [point]
        walls: set[int] = set()
        while waiting:
            for near in board.around(waiting.pop()):
                content = board.cells[near]
                if near in reached or content == BORDER:
                    continue
                if content == enemy and safe.get(near) == enemy:
                    walls.add(near)
                    continue
                reached.add(near)
                waiting.append(near)
                if len(reached) > MOST_CLOSED:
                    return None
        field = self._in_order(reached, board.string(point))
        return Ground(board.string(point), field, frozenset(reached), frozenset(), frozenset(walls), True)

    def _in_order(self, points: Collection[int], group: Iterable[int]) -> tuple[int, ...]:
        """Points beside the group first, those with most room around before others."""
        board = self.tactics.snapshot
        beside = {near for stone in group for near in board.around(stone)}

        def worth(point: int) -> tuple[bool, int, int]:
            room = sum(board.cells[near] == EMPTY or near in points for near in board.around(point))
            return point not in beside, -room, point

        return tuple(sorted(points, key=worth))

    # ---- open

    def _open(self, point: int, seen: set[int]) -> Ground:
        board = self.tactics.snapshot
        colour = board.cells[point]
        group = self.group(point)
        inside = self._enemies_inside(group)
        reached, beyond = self._space_of(group, inside)
        nearest = sorted(reached, key=lambda at: (reached[at], at))
        field = set(nearest[:MOST_FIELD])
        # What is not read leads out, if there is room for it.
        further = beyond | {at for at in field if reached[at] == FURTHEST}
        further |= {at for at in nearest[MOST_FIELD:] if any(near in field for near in board.around(at))}
        in_the_open = self._in_the_open((at for at in nearest if reached[at] >= 2), 3 - colour)
        hostile = self._hostile(group | inside)
        ways_out = self._with_room(in_the_open - hostile, hostile | board.near(3 - colour), self.room, seen)
        shut = hostile | field | board.beside(3 - colour)
        ways_out |= self._with_room(further - hostile, shut, self.room_beyond, seen)
        friends: set[int] = set()
        for at in field:
            for near in board.around(at):
                if board.cells[near] == colour and near not in group and near not in friends:
                    friends |= board.string(near)
                    liberties = board.liberties(near)
                    strong = max(len(liberties), len(board.string(near))) >= STRONG
                    if len(liberties) >= FRIENDLY and (
                        strong or self._with_room(liberties - shut, shut, self.room_beyond, seen)
                    ):
                        ways_out |= board.string(near)
        looked = self._influential(in_the_open | further | seen | board.liberties(point))
        walls = {at for at, content in enumerate(board.cells) if content == 3 - colour and at not in inside}
        field |= {at for at in ways_out if board.cells[at] == EMPTY and reached[at] <= 3}
        arena = field | group | inside | friends | ways_out
        order = self._in_order(field | self._liberties_around(group, field), group)[: MOST_FIELD + 14]
        return Ground(group, order, frozenset(arena), frozenset(ways_out), frozenset(walls), False, looked=looked)

    def _liberties_around(self, group: frozenset[int], field: set[int]) -> set[int]:
        """The liberties of strings beside the group, or beside its liberties, that are short of them.

        Of those with two or fewer also where they stand, and what is beside: the other side answers there.
        """
        board = self.tactics.snapshot
        close = {near for stone in group for near in board.around(stone)}
        close |= {near for at in close if board.cells[at] == EMPTY for near in board.around(at)}
        found: set[int] = set()
        for at in close - group:
            if board.cells[at] not in (EMPTY, BORDER) and len(board.liberties(at)) <= SHORT:
                found |= board.liberties(at)
                if len(board.liberties(at)) < SHORT:
                    found |= board.string(at)  # once they are taken
                    around = (near for liberty in board.liberties(at) for near in board.around(liberty))
                    found |= {near for near in around if board.cells[near] == EMPTY}
        return found

    def _space_of(self, group: frozenset[int], inside: frozenset[int]) -> tuple[dict[int, int], set[int]]:
        """How far the points are that the group may come to, and those beyond the gaps of the wall.

        Who comes through a gap, which the wall holds, is out: what lies further away is not read.
        """
        board = self.tactics.snapshot
        colour = board.cells[next(iter(group))]

        def is_held(point: int) -> bool:
            around = [board.cells[near] for near in board.around(point) if near not in inside]
            walls = around.count(3 - colour)
            return colour not in around and walls > 0 and walls + around.count(BORDER) > 1

        reached = self._spread(group, inside, FURTHEST, is_held)
        beyond = {
            near: reached[at] + 1
            for at in reached
            if board.cells[at] == EMPTY and is_held(at)
            for near in board.around(at)
            if board.cells[near] == EMPTY and near not in reached
        }
        return reached | beyond, set(beyond)

    def _in_the_open(self, points: Iterable[int], enemy: int) -> frozenset[int]:
        """Those of some points that no enemy is near and that no small space encloses: there a group comes out."""
        board = self.tactics.snapshot
        return frozenset(
            at
            for at in points
            if board.cells[at] == EMPTY and at not in board.near(enemy) and len(board.space(at)) > LARGEST_EYE
        )

    def _hostile(self, group: frozenset[int]) -> frozenset[int]:
        """The empty points that the enemy's influence holds if the group, with what is inside, is left out."""
        board, geometry = self.tactics.snapshot, self.tactics.geometry
        colour = board.cells[next(iter(group))]
        cells = np.array(board.cells)
        stones = (cells == colour) * 1 - (cells == 3 - colour)
        stones[list(group)] = 0
        field = np.zeros((geometry.height + 2, geometry.width + 2), np.int64)
        field[1:-1, 1:-1] = 128 * stones[geometry.inside].reshape(geometry.height, geometry.width)
        on_board = np.zeros_like(field)
        on_board[1:-1, 1:-1] = 1
        spread(field, np.zeros_like(field), on_board, INFLUENCE, 0)
        held = (field[1:-1, 1:-1].ravel() <= -HELD) & (cells[geometry.inside] == EMPTY)
        return frozenset(geometry.inside[held].tolist())

    def _influential(self, points: Iterable[int]) -> frozenset[int]:
        """All points whose stones have influence on some."""
        stride = self.tactics.geometry.stride
        reach = range(-INFLUENCE, INFLUENCE + 1)
        offsets = [
            row * stride + column for row in reach for column in reach if abs(row) + abs(column) <= INFLUENCE
        ]
        return frozenset(at + offset for at in points for offset in offsets)

    def _enemies_inside(self, group: frozenset[int]) -> frozenset[int]:
        """Enemies all of whose liberties are near the group: they may be taken; the others are the wall."""
        board = self.tactics.snapshot
        enemy = 3 - board.cells[next(iter(group))]
        reached = self._spread(group, frozenset(), 3)
        inside: set[int] = set()
        for at in {*reached, *group}:
            for near in board.around(at):
                if board.cells[near] == enemy and near not in inside:
                    liberties = board.liberties(near)
                    if len(liberties) <= 3 and liberties <= reached.keys() and len(board.string(near)) <= 7:
                        inside |= board.string(near)
        return frozenset(inside)

    def _spread(
        self,
        group: frozenset[int],
        inside: frozenset[int],
        most: int,
        ends_at: Callable[[int], bool] = lambda point: False,
    ) -> dict[int, int]:
        """How far points are from a group, over enemies inside and empty points; some of these end the way."""
        board = self.tactics.snapshot
        reached: dict[int, int] = {}
        front = list(group)
        for distance in range(1, most + 1):
            following = []
            for at in front:
                for near in board.around(at):
                    if near not in reached and (board.cells[near] == EMPTY or near in inside):
                        reached[near] = distance
                        if near in inside or not ends_at(near):
                            following.append(near)
            front = following
        return reached
