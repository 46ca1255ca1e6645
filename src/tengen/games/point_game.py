"""Base class of games whose stones stand on the points of a board, named by a letter without I and a row: D4.

A move is the code of its point, `stride * (row + 1) + column + 1` with rows from the top, so that all neighbours
lie at fixed distances; the codes of border points are free for moves without a point, such as a pass.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from tengen.core.diagram import Diagram, Point, Stone, letters
from tengen.core.errors import PositionError, UnreadableMove
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.core.translation import mark

_POINT = re.compile(r"([a-hj-z])\s*(\d{1,9})")


class PointGame(Game):
    """`stride` is the distance between rows; `named_moves` are the moves without a point, by code."""

    stride: ClassVar[int]
    named_moves: ClassVar[Mapping[Move, str]]

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Width and height of the board."""

    def point(self, place: Point) -> Move:
        """The move on a point of the diagram."""
        column, row = place
        return Move(self.stride * (row + 1) + column + 1)

    def all_points(self) -> list[Move]:
        """The moves on all points, row by row from the top."""
        width, height = self.shape
        return [self.point((column, row)) for row in range(height) for column in range(width)]

    def points(self, move: Move) -> tuple[Point, ...]:
        return () if move in self.named_moves else ((move % self.stride - 1, move // self.stride - 1),)

    def is_inside(self, move: Move) -> bool:
        """Whether the move's point is on the board; true for a move without a point."""
        width, height = self.shape
        return all(0 <= column < width and 0 <= row < height for column, row in self.points(move))

    def read_move(self, text: str, position: Position) -> Move:
        word = text.strip().lower()
        for move, name in self.named_moves.items():
            if word == name:
                return move
        match = _POINT.fullmatch(word)
        if match is None:
            raise UnreadableMove(
                mark("{text!r} is not a move: write {notation}").format(text=text, notation=self.notation)
            )
        width, height = self.shape
        labels = letters(width, skip="I")
        column = labels.index(match[1].upper()) if match[1].upper() in labels else -1
        row = height - int(match[2])
        if column < 0 or not 0 <= row < height:
            last = f"{labels[-1]}{height}"
            raise UnreadableMove(
                mark("{point} is not on the board, whose points go from A1 to {last}").format(
                    point=match[1].upper() + match[2], last=last
                )
            )
        return self.point((column, row))

    def write_move(self, move: Move) -> str:
        if move in self.named_moves:
            return self.named_moves[move]
        if not self.is_inside(move):
            return f"point {move}"
        width, height = self.shape
        ((column, row),) = self.points(move)
        return f"{letters(width, skip='I')[column]}{height - row}"

    def read_rows(self, board: str) -> tuple[str, str]:
        """The rows in the option `board`, and the side to move, X or O; by default X. Raises `PositionError`."""
        width, height = self.shape
        words = board.upper().split()
        rows = words[0].split("/") if words else []
        is_full = len(rows) == height and all(len(row) == width for row in rows)
        to_move = words[1:] or ["X"]
        if not is_full or set(words[0]) - set("XO./") or to_move not in (["X"], ["O"]):
            raise PositionError(
                mark(
                    "{name}: a board is {height} rows of {width} points, X, O or '.', separated by /, "
                    "then X or O for the side to move"
                ).format(name=self.name, height=height, width=width)
            )
        return words[0], to_move[0]

    def read_details(self, board: str) -> tuple[str, dict[str, str]]:
        """The option `board` without its details, and these by name. Raises `PositionError` for unknown ones."""
        words = board.split()
        details = dict(word.lower().partition("=")[::2] for word in words if "=" in word)
        if unknown := set(details) - set(self.setup_details):
            raise PositionError(
                mark("{name}: a position has no {detail}").format(name=self.name, detail=min(unknown))
            )
        return " ".join(word for word in words if "=" not in word), details

    def read_captured(self, text: str, most: int) -> tuple[int, int]:
        """Captured stones as text, `2-4`: by the first and by the second player. Raises `PositionError`."""
        found = re.fullmatch(r"(\d{1,4})-(\d{1,4})", text)
        if found is None or max(map(int, found.groups())) > most:
            raise PositionError(
                mark("{name}: captured stones are written as 2-4, each at most {most}, not {text!r}").format(
                    name=self.name, most=most, text=text
                )
            )
        return int(found[1]), int(found[2])

    def write_rows(self, position: Position, to_move: int) -> str:
        """The position in the form of the option `board`."""
        rows = ("".join(".XO"[stone] for stone in row) for row in self.diagram(position).stones)
        return f"{'/'.join(rows)} {'XO'[to_move]}"

    def draw(
        self, position: Position, contents: list[int], stars: frozenset[Point], captions: tuple[str, ...]
    ) -> Diagram:
        """The diagram of a board with these contents by code: 0 empty, 1 the first and 2 the second player."""
        width, height = self.shape
        stones = (Stone.EMPTY, Stone.FIRST, Stone.SECOND)
        starts = (self.stride * (row + 1) + 1 for row in range(height))
        return Diagram(
            stones=tuple(tuple(stones[what] for what in contents[start : start + width]) for start in starts),
            columns=letters(width, skip="I"),
            rows=tuple(str(height - row) for row in range(height)),
            kind="points",
            stars=stars,
            marked=frozenset(() if position.move is None else self.points(position.move)),
            captions=captions,
        )
