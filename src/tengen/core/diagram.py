"""A board as data: what any display needs to draw a position, in text, in colour or in a browser."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal, NamedTuple

Point = tuple[int, int]  # column from the left, row from the top, both from 0


class Stone(IntEnum):
    """What stands on a point. Players 0 and 1 own FIRST and SECOND."""

    EMPTY = 0
    FIRST = 1
    SECOND = 2


class Change(NamedTuple):
    """What a point held and what it holds now: placed, captured or brought back, turned."""

    point: Point
    before: Stone
    after: Stone


@dataclass(frozen=True)
class Diagram:
    """A rectangular board.

    `stones` has one row of stones for each row of the board, from the top. `kind` says whether stones stand
    on crossings of lines or in cells. `marked` holds the points of the last move. `labels` of columns are read
    from the left, those of rows from the top. `captions` are lines to show below: whose turn, captures.
    """

    stones: tuple[tuple[Stone, ...], ...]
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    kind: Literal["points", "cells"] = "cells"
    stars: frozenset[Point] = frozenset()
    marked: frozenset[Point] = frozenset()
    captions: tuple[str, ...] = field(default=())

    def text(self, paint: Callable[[str, Point], str] = lambda symbol, point: symbol) -> str:
        """The board in plain text. `paint` may wrap each symbol, for example in a colour."""
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

    def changes(self, after: Diagram) -> tuple[Change, ...]:
        """The points at which a later (or, after an undo, an earlier) board of the same game differs."""
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
        return "X" if stone is Stone.FIRST else "O"


@functools.cache
def letters(count: int, skip: str = "") -> tuple[str, ...]:
    """Column labels: A, B, C … without those in `skip`, then AA, AB … for boards wider than the alphabet."""
    alphabet = [letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if letter not in skip]
    labels = [""]
    for prefix in labels:  # grows while it is read, so that shorter labels come first
        if len(labels) > count:
            break
        labels.extend(prefix + letter for letter in alphabet)
    return tuple(labels[1 : count + 1])
