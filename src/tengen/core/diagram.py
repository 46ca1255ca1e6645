"""A board as data for any display: plain text, terminal or browser."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal, NamedTuple

Point = tuple[int, int]  # column from the left, row from the top, both from 0


class Stone(IntEnum):
    """Content of a point. Players 0 and 1 own FIRST and SECOND; NEUTRAL belongs to neither, as a blocked cell."""

    EMPTY = 0
    FIRST = 1
    SECOND = 2
    NEUTRAL = 3


class Change(NamedTuple):
    """A change of a point: a stone placed, captured, restored or flipped."""

    point: Point
    before: Stone
    after: Stone


@dataclass(frozen=True)
class Diagram:
    """A rectangular board.

    `stones` has one tuple per row, from the top. `kind` is "points" for stones on intersections and "cells" for
    stones in squares. `marked` contains the points of the last move. `columns` are labels from the left, `rows`
    from the top. `captions` are lines of text below the board, for example the player to move and captures.
    """

    stones: tuple[tuple[Stone, ...], ...]
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    kind: Literal["points", "cells"] = "cells"
    stars: frozenset[Point] = frozenset()
    marked: frozenset[Point] = frozenset()
    captions: tuple[str, ...] = field(default=())

    def text(self, paint: Callable[[str, Point], str] = lambda symbol, point: symbol) -> str:
        """The board as plain text. `paint` may wrap each symbol, for example with a colour."""
        margin = max((len(label) for label in self.rows), default=0)
        cell = max((len(label) for label in self.columns), default=1)
        lines = []
        head = " ".join(label.rjust(cell) for label in self.columns)
        lines.append(f"{'':{margin}} {head}")
        for row, stones in enumerate(self.stones):
            symbols = []
            for column, stone in enumerate(stones):
                point = (column, row)
                symbol = paint(self.symbol(stone, point), point)
                symbols.append(" " * (cell - 1) + symbol)
            label = self.rows[row].rjust(margin)
            lines.append(f"{label} {' '.join(symbols)} {self.rows[row]}".rstrip())
        if len(self.stones) > 1:
            lines.append(lines[0])
        lines.extend(self.captions)
        return "\n".join(line.rstrip() for line in lines)

    def contents(self) -> dict[Point, Stone]:
        """The content of every point, row by row from the top."""
        return {
            (column, row): stone for row, stones in enumerate(self.stones) for column, stone in enumerate(stones)
        }

    def changes(self, after: Diagram) -> tuple[Change, ...]:
        """The points that differ on another board of the same game, after a move or an undo."""
        return tuple(
            Change((column, row), old, new)
            for row, (olds, news) in enumerate(zip(self.stones, after.stones, strict=True))
            if olds != news
            for column, (old, new) in enumerate(zip(olds, news, strict=True))
            if old is not new
        )

    def symbol(self, stone: Stone, point: Point) -> str:
        if stone is Stone.EMPTY:
            return "+" if point in self.stars else "."
        return {Stone.FIRST: "X", Stone.SECOND: "O", Stone.NEUTRAL: "#"}[stone]


def neighbours(point: Point) -> tuple[Point, ...]:
    """The points beside, below and above a point, on the board or not."""
    column, row = point
    return (column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)


def connected(start: Point, points: Collection[Point]) -> set[Point]:
    """The points that are connected with `start`, one of them, by horizontal and vertical steps."""
    found, front = {start}, [start]
    while front:
        for beside in neighbours(front.pop()):
            if beside in points and beside not in found:
                found.add(beside)
                front.append(beside)
    return found


@functools.cache
def letters(count: int, skip: str = "") -> tuple[str, ...]:
    """Column labels: A, B, C … without those in `skip`, then AA, AB … for boards wider than the alphabet."""
    alphabet = [letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if letter not in skip]
    labels = [""]
    for prefix in labels:  # grows during iteration, so that shorter labels come first
        if len(labels) > count:
            break
        labels.extend(prefix + letter for letter in alphabet)
    return tuple(labels[1 : count + 1])
