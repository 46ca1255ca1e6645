"""Renju's forbidden moves from their definition, by windows of five points; slow, and independent of the package.

A board is a dictionary from points (column, row) to "B" and "W".
"""

from __future__ import annotations

Point = tuple[int, int]
AXES = [(1, 0), (0, 1), (1, 1), (1, -1)]


def line_through(size: int, point: Point, axis: Point) -> list[Point]:
    """All points of the line, in order."""
    (x, y), (dx, dy) = point, axis
    line = [(x + i * dx, y + i * dy) for i in range(-size, size + 1)]
    return [(a, b) for a, b in line if 0 <= a < size and 0 <= b < size]


def rows(board: dict[Point, str], line: list[Point], point: Point) -> int:
    """Length of the black row that contains a point."""
    text = "".join("B" if board.get(one) == "B" else "." for one in line)
    place = line.index(point)
    left = text[:place][::-1]
    right = text[place + 1 :]
    return 1 + len(left) - len(left.lstrip("B")) + len(right) - len(right.lstrip("B"))


def fours(board: dict[Point, str], line: list[Point], point: Point) -> set[frozenset[Point]]:
    """Sets of four stones with the point in them that one more stone makes exactly five."""
    found = set()
    for start in range(len(line) - 4):
        window = line[start : start + 5]
        around = [*line[max(0, start - 1) : start], *line[start + 5 : start + 6]]
        stones = frozenset(one for one in window if board.get(one) == "B")
        empty = [one for one in window if one not in board]
        if (
            point in stones
            and len(stones) == 4
            and len(empty) == 1
            and all(board.get(one) != "B" for one in around)
        ):
            found.add(stones)
    return found


def is_straight_four(board: dict[Point, str], line: list[Point], points: set[Point]) -> bool:
    """Whether there are four stones in a row with these points that become exactly five at both ends."""
    for start in range(1, len(line) - 4):
        row = line[start : start + 4]
        if not points <= set(row) or any(board.get(one) != "B" for one in row):
            continue
        ends = [line[start - 1], line[start + 4]]
        beyond = [*line[max(0, start - 2) : start - 1], *line[start + 5 : start + 6]]
        return all(one not in board for one in ends) and all(board.get(one) != "B" for one in beyond)
    return False


def forbidden(board: dict[Point, str], size: int, point: Point, recursive: bool = True) -> str:
    """What is forbidden about a black stone on an empty point: "overline", "double four", "double three", or "".

    Without `recursive`, any point that makes a straight four of three stones makes them a three.
    """
    after = board | {point: "B"}
    lines = [line_through(size, point, axis) for axis in AXES]
    lengths = [rows(after, line, point) for line in lines]
    if 5 in lengths:
        return ""
    if max(lengths) > 5:
        return "overline"
    if sum(len(fours(after, line, point)) for line in lines) >= 2:
        return "double four"
    threes = 0
    for line in lines:
        if fours(after, line, point):
            continue
        threes += any(
            is_straight_four(after | {more: "B"}, line, {point, more})
            and not (recursive and forbidden(after, size, more))
            for more in line
            if more not in after
        )
    return "double three" if threes >= 2 else ""
