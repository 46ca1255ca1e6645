"""A Go problem: a position, the stones it is about, and the proved result of every move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tengen.core.diagram import Point, Stone, connected
from tengen.core.position import Position
from tengen.games.go import Go

SIZE = 9
Stones = Mapping[Point, str]  # X or O by point


class Goal(StrEnum):
    """What the side to move, always Black, has to do with the `stones` of a problem."""

    CAPTURE = "capture"
    KILL = "kill"
    LIVE = "live"
    CONNECT = "connect"
    CUT = "cut"


@dataclass(frozen=True)
class Problem:
    """`rows` is the board as in the option `board` of `Go`. Each legal move is in `right`, `ko` or `wrong`.

    `right` moves reach the goal, `ko` moves only by winning a ko, `wrong` moves do not. `moves` is the number of
    Black's moves in which stones are captured; otherwise 0. Connections are about the stones of two strings.
    """

    goal: Goal
    rows: str
    stones: tuple[Point, ...]
    right: tuple[str, ...]
    ko: tuple[str, ...]
    wrong: tuple[str, ...]
    moves: int = 0

    @property
    def targets(self) -> tuple[Point, ...]:
        """The first point of each string that the problem is about."""
        strings = {frozenset(connected(point, set(self.stones))) for point in self.stones}
        return tuple(sorted(min(string) for string in strings))

    @property
    def position(self) -> Position:
        return position_of(self.rows)


def position_of(rows: str) -> Position:
    """A position with Black to move, without komi."""
    return Go.create(komi=0.0, board=f"{rows} X").start()


def write_rows(stones: Stones) -> str:
    """The rows of a board of `SIZE`."""
    return "/".join("".join(stones.get((column, row), ".") for column in range(SIZE)) for row in range(SIZE))


def stones_of(position: Position, *, swapped: bool = False) -> dict[Point, str]:
    """The stones of a position; `swapped` exchanges the colours."""
    symbols = {Stone.FIRST: "XO"[swapped], Stone.SECOND: "OX"[swapped]}
    return {point: symbols[stone] for point, stone in position.diagram().contents().items() if stone}


def string_at(stones: Stones, point: Point) -> tuple[Point, ...]:
    """The string on a point, sorted."""
    return tuple(sorted(connected(point, {other for other in stones if stones[other] == stones[point]})))
