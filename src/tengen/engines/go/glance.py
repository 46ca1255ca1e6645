"""A Go player that judges every move at first sight: captures, ataris, liberties, shape. It does not read ahead.

It plays as beginners do after their first lessons, and needs no compiled code. It knows eyes, and that small
regions with one colour around them are territory; when only those are left, it passes.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from random import Random
from typing import ClassVar

from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.games.go import PASS
from tengen.games.go.rules import BORDER, EMPTY, STRIDE
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag, root_moves
from tengen.search.report import Candidate, Report, Value
from tengen.search.tunables import Tunable

_SIDES = (1, -1, STRIDE, -STRIDE)
_CORNERS = (STRIDE + 1, STRIDE - 1, -STRIDE + 1, -STRIDE - 1)
# Values in points, roughly: of stones that are captured, saved or lost, and of shapes.
CAPTURED, SAVED, LOST, ATARI = 2.0, 1.6, 2.0, 0.8
FILLS_EYE = -20.0
_LINES = (-1.5, -0.2, 0.8, 0.7)  # value of a move by its distance from the edge
_NEAR = 1.0  # of a move beside the last one
_CUT_OR_JOIN = 0.8
_JITTER = 0.3
TERRITORY_SHARE = 4  # a region with one colour around it is territory up to this part of the board


class GlanceEngine(Engine):
    """Judges each move by captures, ataris, liberties and shape, without a search."""

    name: ClassVar[str] = "glance"
    summary: ClassVar[str] = mark("judges moves at first sight: captures, ataris, liberties, shape")
    tunables: ClassVar[tuple[Tunable, ...]] = ()
    max_depth: ClassVar[int | None] = 1

    @classmethod
    def plays(cls, game: Game) -> bool:
        return game.name == "go"

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        started = time.perf_counter()
        moves = root_moves(position, limits)
        board = _Board(position)
        random = Random(f"{self.seed} {int(position.key)} {position.ply}")
        settled = board.settled_points()
        found: list[tuple[float, Move]] = []
        for move in moves:
            if move == PASS:
                found.append((0.0, move))
            else:
                value = board.value(int(move))
                if int(move) in settled and value < CAPTURED:
                    value += FILLS_EYE
                found.append((value + _JITTER * random.random(), move))
        found.sort(key=lambda one: -one[0])
        shown = [(value, position.game.write_move(move)) for value, move in found]
        # A point is worth about a fiftieth of the game.
        candidates = tuple(
            Candidate(move, Value.heuristic(min(0.95, max(0.05, 0.5 + value / 50)), "win rate"), (move,))
            for value, move in shown[: max(limits.lines, 1)]
        )
        seconds = time.perf_counter() - started
        return Report(self.name, shown[0][1], candidates[0].value, candidates, len(moves), seconds, depth=1)


class _Board:
    """The stones of a position as plain lists, seen by the side to move."""

    def __init__(self, position: Position) -> None:
        state = position.state
        self.stones: list[int] = state.go_stones.tolist()
        self.width, self.height = int(state.width), int(state.height)
        self.own = int(state.turn) + 1
        self.other = 3 - self.own
        self.last = int(position.moves[-1]) if position.moves else 0
        self._strings: dict[int, tuple[frozenset[int], frozenset[int]]] = {}

    def points(self) -> Iterable[int]:
        return (STRIDE * (y + 1) + x + 1 for y in range(self.height) for x in range(self.width))

    def string(self, start: int) -> tuple[frozenset[int], frozenset[int]]:
        """(stones of the string at a point, its liberties)."""
        if start not in self._strings:
            found = self._connected(start)
            for stone in found[0]:
                self._strings[stone] = found
        return self._strings[start]

    def value(self, point: int) -> float:
        """The value of a move at first sight, in points."""
        stones = self.stones
        near = [point + side for side in _SIDES]
        enemies = {self.string(place) for place in near if stones[place] == self.other}
        friends = {self.string(place) for place in near if stones[place] == self.own}
        captured = sum(len(string) for string, liberties in enemies if len(liberties) == 1)
        liberties = {place for place in near if stones[place] == EMPTY}
        liberties.update(*(free for _, free in friends))
        liberties.update(*(string for string, free in enemies if len(free) == 1))
        liberties.discard(point)
        own_stones = 1 + sum(len(string) for string, _ in friends)
        if not captured and self._is_eye(point):
            return FILLS_EYE
        value = CAPTURED * captured + self._shape(point)
        if len(liberties) <= 1:
            if captured < own_stones:
                value -= LOST * (own_stones - captured)
        else:
            value += SAVED * sum(len(string) for string, free in friends if len(free) == 1)
            value += sum(ATARI + 0.3 * len(string) for string, free in enemies if len(free) == 2 and point in free)
            value += 0.1 * min(4, len(liberties))
        return value

    def settled_points(self) -> set[int]:
        """Empty points in small regions that only one colour surrounds."""
        found: set[int] = set()
        seen: set[int] = set()
        limit = self.width * self.height // TERRITORY_SHARE
        for start in self.points():
            if self.stones[start] == EMPTY and start not in seen:
                region, edge = self._connected(start)
                seen |= region
                colours = {self.stones[point] for point in edge}
                if len(colours) == 1 and len(region) <= limit:
                    found |= region
        return found

    def _connected(self, start: int) -> tuple[frozenset[int], frozenset[int]]:
        """Points of the same content as `start` that are connected with it; and neighbours: the liberties of a
        string, or the stones around an empty region.
        """
        content, stones = self.stones[start], self.stones
        found, queue, edge = {start}, [start], set()
        while queue:
            point = queue.pop()
            for side in _SIDES:
                place = point + side
                if stones[place] == content:
                    if place not in found:
                        found.add(place)
                        queue.append(place)
                elif stones[place] != BORDER and (content == EMPTY or stones[place] == EMPTY):
                    edge.add(place)
        return frozenset(found), frozenset(edge)

    def _is_eye(self, point: int) -> bool:
        stones = self.stones
        if any(stones[point + side] not in (self.own, BORDER) for side in _SIDES):
            return False
        corners = [stones[point + corner] for corner in _CORNERS]
        return corners.count(self.other) + (BORDER in corners) < 2

    def _shape(self, point: int) -> float:
        """The value of a place: its distance from the edge and from the last move, cuts and connections."""
        row, column = divmod(point - STRIDE - 1, STRIDE)
        line = min(row, column, self.height - 1 - row, self.width - 1 - column)
        value = _LINES[min(line, len(_LINES) - 1)]
        if self.last:
            last_row, last_column = divmod(self.last - STRIDE - 1, STRIDE)
            distance = max(abs(row - last_row), abs(column - last_column))
            value += _NEAR if distance == 1 else _NEAR / 2 if distance == 2 else 0.0
        around = [self.stones[point + step] for step in (*_SIDES, *_CORNERS)]
        if self.own in around and self.other in around:
            value += _CUT_OR_JOIN
        return value - 0.25 * around.count(self.own)
