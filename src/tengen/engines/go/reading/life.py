"""The reader of life and death: the group of a string, the ground that decides its life, what is read there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tengen.engines.go.kernels import reading_life as kernels
from tengen.engines.go.kernels import reading_moves as moves
from tengen.engines.go.kernels.board import EMPTY
from tengen.engines.go.kernels.reading_safety import unconditional
from tengen.engines.go.reading import memory
from tengen.engines.go.reading.tactics import FIRST_MODES, SECOND_MODES, Answer, Result, Tactics

NODES = 4_000
"""How many positions a question of life and death may take, by default."""
SURE = False
"""Life and death claims nothing: in closed corners a few of its answers differ from a search of all positions."""
FRIENDLY = 4
"""A friend outside with so many liberties is a way out."""
SMALL = 16
"""A space of so many points is read as a whole; of a larger one, what is near."""


@dataclass(frozen=True)
class Ground:
    """Where the life of a group is decided."""

    group: frozenset[int]
    field: frozenset[int]
    ways_out: frozenset[int]
    walls: frozenset[int]
    closed: bool
    """Whether nothing leads out, and all that surrounds the group lives unconditionally."""


class Life:
    """Questions of life and death about the position that the tactical reader has loaded."""

    def __init__(self, tactics: Tactics, nodes: int = NODES) -> None:
        self.tactics = tactics
        self.nodes = nodes
        self._memory = memory.new_life(tactics.geometry)
        self._found = np.zeros(3, np.int64)
        self._safe = np.zeros(tactics.geometry.points, np.int64)

    # ---- safety

    def safe_points(self) -> dict[int, int]:
        """The points that a colour owns even if it always passes: living strings and what they enclose."""
        own = self._memory
        unconditional(self.tactics.board, self._safe, own.regions, own.members, own.starts, own.alive)
        return {
            point: int(self._safe[point]) for point in map(int, self.tactics.geometry.inside) if self._safe[point]
        }

    # ---- the ground

    def around(self, point: int) -> Iterator[int]:
        """The four points beside one, margins included."""
        stride = self.tactics.geometry.stride
        return iter((point + 1, point - 1, point + stride, point - stride))

    def string(self, point: int) -> frozenset[int]:
        """The stones of the string on a point."""
        board, points = self.tactics.board, self.tactics.geometry.points
        stones, stone = [point], int(board.cells[2 * points + point])
        while stone != point:
            stones.append(stone)
            stone = int(board.cells[2 * points + stone])
        return frozenset(stones)

    def group(self, point: int) -> frozenset[int]:
        """The stones of all strings that cannot be cut off from that on a point."""
        tactics = self.tactics
        colour = tactics.colour(point)
        group, waiting, tried = set(self.string(point)), [point], set()
        while waiting:
            at = waiting.pop()
            stones = self.string(at)
            liberties = set(tactics.liberty_points(at))
            for liberty in liberties:
                for near in self.around(liberty):
                    if tactics.colour(near) != colour or near in group or near in stones:
                        continue
                    other = self.string(near)
                    pair = (min(stones), min(other))
                    if pair in tried:
                        continue
                    tried.add(pair)
                    shared = liberties & set(tactics.liberty_points(near))
                    if len(shared) >= 2 or tactics.disconnect(at, near, nodes=200).result is Result.FAILS:
                        group |= other
                        waiting.append(near)
        return frozenset(group)

    def ground(self, point: int) -> Ground:
        """Where the life of the group of a string is decided."""
        tactics = self.tactics
        colour = tactics.colour(point)
        group = self.group(point)
        reached = self._spread(group, frozenset(), 3)
        # Enemies all of whose liberties are here may be taken here; the others are the wall.
        inside: set[int] = set()
        for at in set(reached) | group:
            for near in self.around(at):
                if tactics.colour(near) == 3 - colour and near not in inside:
                    liberties = tactics.liberty_points(near)
                    if len(liberties) <= 3 and set(liberties) <= set(reached):
                        stones = self.string(near)
                        if len(stones) <= 7:
                            inside |= stones
        reached = self._spread(group, frozenset(inside), 9)
        ways_out: set[int] = set()
        whole = False
        if len(reached) <= SMALL:
            field, whole = self._with_friends(set(reached), group, inside)
        else:
            field = {at for at, distance in reached.items() if distance <= 2}
            ways_out = {at for at, distance in reached.items() if distance == 3}
        for at in list(field):
            for near in self.around(at):
                if tactics.colour(near) == colour and near not in group and near not in ways_out:
                    if len(tactics.liberty_points(near)) >= FRIENDLY:
                        ways_out |= self.string(near)
        walls = {
            int(at)
            for at in tactics.geometry.inside
            if tactics.colour(int(at)) == 3 - colour and int(at) not in inside
        }
        safe = self.safe_points()
        beside = {near for at in field | group for near in self.around(at)}
        closed = whole and not ways_out and all(safe.get(at) == 3 - colour for at in walls & beside)
        return Ground(group, frozenset(field), frozenset(ways_out), frozenset(walls), closed)

    def _with_friends(self, field: set[int], group: frozenset[int], inside: set[int]) -> tuple[set[int], bool]:
        """A small space with that of the friends in it, whom the group may join; and whether that is all."""
        tactics = self.tactics
        while True:
            grown = set(field)
            for at in field:
                for near in self.around(at):
                    if tactics.colour(near) == EMPTY or near in inside:
                        grown.add(near)
                    elif near not in group and tactics.colour(near) == tactics.colour(next(iter(group))):
                        grown.update(tactics.liberty_points(near))
            if grown == field or len(grown) > SMALL:
                return field, grown == field
            field = grown

    def _spread(self, group: frozenset[int], inside: frozenset[int], most: int) -> dict[int, int]:
        """How far points are from a group, by way of empty points and of enemies inside."""
        reached: dict[int, int] = {}
        front = list(group)
        for distance in range(1, most + 1):
            following = []
            for at in front:
                for near in self.around(at):
                    if near not in reached and (self.tactics.colour(near) == EMPTY or near in inside):
                        reached[near] = distance
                        following.append(near)
            front = following
        return reached

    # ---- questions

    def attack(self, point: int, ground: Ground | None = None) -> Answer:
        """Whether the group of the string on a point can be killed if its enemy plays first."""
        return self._read(point, ground or self.ground(point), attacking=True)

    def defend(self, point: int, ground: Ground | None = None) -> Answer:
        """Whether the group of the string on a point can live, or get out, if its owner plays first."""
        return self._read(point, ground or self.ground(point), attacking=False)

    def _read(self, point: int, ground: Ground, *, attacking: bool) -> Answer:
        own, tactics = self._memory, self.tactics
        own.ground[:] = 0
        for bit, points in ((kernels.FIELD, ground.field | ground.ways_out), (kernels.WAY_OUT, ground.ways_out)):
            own.ground[list(points)] |= bit
        own.ground[list(ground.walls)] |= kernels.WALL
        colour = tactics.colour(point)
        spent = 0
        for result, mode in FIRST_MODES if attacking else SECOND_MODES:
            tactics.begin(mode, self.nodes)
            own.table_keys[:] = 0
            turn = 3 - colour if attacking else colour
            kernels.read_life(tactics.board, tactics.search, own, point, turn, bool(ground.ways_out), self._found)
            spent += int(tactics.search.facts[moves.NODES])
            phi, delta, move = map(int, self._found)
            if phi == 0:
                return Answer(result, move, (move,), SURE, spent)
            if delta != 0:
                # Not proved either way: who is further from it is taken to fail.
                if not attacking and result is Result.WORKS and phi <= delta:
                    return Answer(result, move, (move,), SURE, spent)
                break
            if not tactics.search.facts[moves.KO_SEEN]:
                break
        return Answer(Result.FAILS, sure=SURE, nodes=spent)
