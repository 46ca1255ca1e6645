"""Captures within a number of moves, proved by trying every move of both sides.

What makes this feasible: a move of the attacker takes at most one liberty from a string, and its owner may always
pass. So a string with more liberties than the attacker has moves left cannot be captured in time, and one with as
many can only be captured by filling its liberties. A move may not repeat a board of the line (positional superko).
"""

from __future__ import annotations

from collections.abc import Iterator

from tengen.core.diagram import Point
from tengen.core.position import Position

_EMPTY, _BORDER = 0, 3
Cells = list[int]  # row by row with a border around; 1 and 2 are the players' stones


class CaptureProof:
    """Questions about one position. Points are those of the diagram."""

    def __init__(self, position: Position) -> None:
        diagram = position.diagram()
        self._stride = len(diagram.columns) + 2
        self._steps = (1, -1, self._stride, -self._stride)
        self._cells = [_BORDER] * (self._stride * (len(diagram.rows) + 2))
        for point, stone in diagram.contents().items():
            self._cells[self._index(point)] = int(stone)
        self._to_move = position.to_move + 1

    def _index(self, point: Point) -> int:
        return (point[1] + 1) * self._stride + point[0] + 1

    def _point(self, index: int) -> Point:
        return index % self._stride - 1, index // self._stride - 1

    def shortest(self, target: Point, most: int) -> int:
        """The number of moves in which the side to move captures the string on a point; 0 if more than `most`."""
        at, path = self._index(target), (bytes(self._cells),)
        return next((count for count in range(1, most + 1) if self._attack(self._cells, at, count, path)), 0)

    def capturing_moves(self, target: Point, moves: int) -> tuple[Point, ...]:
        """All first moves that capture the string on a point within this number of the attacker's moves."""
        at, path = self._index(target), (bytes(self._cells),)
        assert self._cells[at] == 3 - self._to_move
        return tuple(
            self._point(move)
            for move in self._empties(self._cells)
            if self._captures(self._cells, at, move, moves, path)
        )

    def _captures(self, cells: Cells, target: int, move: int, moves: int, path: tuple[bytes, ...]) -> bool:
        """Whether this move of the attacker captures the target in time."""
        after = self._play(cells, move, 3 - cells[target], path)
        if after is None:
            return False
        if after[target] == _EMPTY:
            return True
        return moves > 1 and not self._escapes(after, target, moves - 1, (*path, bytes(after)))

    def _attack(self, cells: Cells, target: int, moves: int, path: tuple[bytes, ...]) -> bool:
        """Whether the attacker, to move, captures the target with at most `moves` moves."""
        liberties = self._liberties(cells, target)
        if len(liberties) > moves:
            return False
        tried = list(liberties)
        if len(liberties) < moves:
            tried += [move for move in self._empties(cells) if move not in liberties]
        return any(self._captures(cells, target, move, moves, path) for move in tried)

    def _escapes(self, cells: Cells, target: int, moves: int, path: tuple[bytes, ...]) -> bool:
        """Whether the owner of the target, to move, is not captured by the attacker's next `moves` moves."""
        if not self._attack(cells, target, moves, path):  # after a pass
            return True
        for move in self._by_distance(cells, target):
            after = self._play(cells, move, cells[target], path)
            if after is not None and not self._attack(after, target, moves, (*path, bytes(after))):
                return True
        return False

    def _empties(self, cells: Cells) -> Iterator[int]:
        return (index for index, cell in enumerate(cells) if cell == _EMPTY)

    def _by_distance(self, cells: Cells, target: int) -> list[int]:
        """Empty points, those near the target first: an escape is mostly there."""
        column, row = self._point(target)

        def distance(index: int) -> int:
            other = self._point(index)
            return abs(other[0] - column) + abs(other[1] - row)

        return sorted(self._empties(cells), key=distance)

    def _string(self, cells: Cells, at: int) -> tuple[set[int], set[int]]:
        """The string on a point, and its liberties."""
        colour, string, liberties, waiting = cells[at], {at}, set(), [at]
        while waiting:
            stone = waiting.pop()
            for step in self._steps:
                beside = stone + step
                content = cells[beside]
                if content == _EMPTY:
                    liberties.add(beside)
                elif content == colour and beside not in string:
                    string.add(beside)
                    waiting.append(beside)
        return string, liberties

    def _liberties(self, cells: Cells, at: int) -> set[int]:
        return self._string(cells, at)[1]

    def _play(self, cells: Cells, move: int, colour: int, path: tuple[bytes, ...]) -> Cells | None:
        """The board after a move; None if it is suicide or repeats a board of the line."""
        after = cells.copy()
        after[move] = colour
        for step in self._steps:
            beside = move + step
            if after[beside] == 3 - colour:
                string, liberties = self._string(after, beside)
                if not liberties:
                    for stone in string:
                        after[stone] = _EMPTY
        if not self._liberties(after, move) or bytes(after) in path:
            return None
        return after
