"""Clobber as simply as it can be written: a list of rows of "X", "O" and ".", every cell and neighbour looked at.

A second opinion, written from the rules of the game, with a solver by brute force. It is slow, and shares nothing
with the package but the spelling of a board: rows from the top, separated by "/".
"""

from __future__ import annotations

from collections import Counter
from functools import cache

Cell = tuple[int, int]  # row from the top, column from the left

FOUR_NEIGHBOURS = [(-1, 0), (0, -1), (0, 1), (1, 0)]


class Clobber:
    """A board and who is to move; `play` changes it."""

    def __init__(self, board: str, mover: str = "X") -> None:
        self.rows = [list(row) for row in board.split("/")]
        self.mover = mover

    def board(self) -> str:
        return "/".join("".join(row) for row in self.rows)

    def moves(self) -> list[tuple[Cell, Cell]]:
        """From where to where the mover can clobber."""
        height, width = len(self.rows), len(self.rows[0])
        found = []
        for row in range(height):
            for column in range(width):
                if self.rows[row][column] != self.mover:
                    continue
                for down, right in FOUR_NEIGHBOURS:
                    r, c = row + down, column + right
                    if 0 <= r < height and 0 <= c < width and self.rows[r][c] == other(self.mover):
                        found.append(((row, column), (r, c)))
        return found

    def play(self, move: tuple[Cell, Cell]) -> None:
        (from_row, from_column), (to_row, to_column) = move
        self.rows[from_row][from_column] = "."
        self.rows[to_row][to_column] = self.mover
        self.mover = other(self.mover)

    def successors(self) -> list[Clobber]:
        """The positions after each move."""
        found = []
        for move in self.moves():
            after = Clobber(self.board(), self.mover)
            after.play(move)
            found.append(after)
        return found


def other(player: str) -> str:
    return "O" if player == "X" else "X"


def count_lines(start: Clobber, deepest: int) -> list[int]:
    """How many lines of 1, 2, … moves there are; a game that ends sooner is one line.

    Ways that lead to the same position are counted together.
    """
    ways = Counter({(start.board(), start.mover): 1})
    ended = 0
    lines = []
    for _ in range(deepest):
        further: Counter[tuple[str, str]] = Counter()
        for (board, mover), count in ways.items():
            successors = Clobber(board, mover).successors()
            if not successors:
                ended += count
            for after in successors:
                further[after.board(), after.mover] += count
        ways = further
        lines.append(ended + ways.total())
    return lines


@cache
def mover_wins(board: str, mover: str) -> bool:
    """Who cannot move loses; so the mover wins by a move after which the other side loses."""
    return any(not mover_wins(after.board(), after.mover) for after in Clobber(board, mover).successors())


def outcome(board: str) -> str:
    """L (X wins), R (O wins), N (the next player wins) or P (the previous one does)."""
    return {
        (True, True): "N",
        (True, False): "L",
        (False, True): "R",
        (False, False): "P",
    }[mover_wins(board, "X"), mover_wins(board, "O")]


def side_by_side(parts: list[str]) -> str:
    """One board that holds several, an empty column between neighbours: their sum."""
    height = max(part.count("/") + 1 for part in parts)
    rows = [""] * height
    for part in parts:
        lines = part.split("/")
        lines += ["." * len(lines[0])] * (height - len(lines))
        rows = [f"{row}.{line}" if row else line for row, line in zip(rows, lines, strict=True)]
    return "/".join(rows)
