"""Othello as simply as it can be written: a list of rows of "X", "O" and "-", every line walked square by square.

A second opinion, written from the rules of the game. It is slow, and shares nothing with the package but the
names of the squares: a1 is the top left corner, b1 is to its right.
"""

from __future__ import annotations

from collections import Counter

EIGHT_DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


class Othello:
    """A board and who is to move; `play` changes it."""

    def __init__(self, size: int = 8, board: str = "", mover: str = "X") -> None:
        """`board` lists the squares row by row; without it, the four discs of the usual start are set."""
        self.size = size
        self.mover = mover
        if board:
            self.rows = [list(board[size * row : size * row + size]) for row in range(size)]
        else:
            self.rows = [["-"] * size for _ in range(size)]
            half = size // 2
            self.rows[half - 1][half - 1 : half + 1] = ["O", "X"]
            self.rows[half][half - 1 : half + 1] = ["X", "O"]

    def squares(self) -> str:
        return "".join("".join(row) for row in self.rows)

    def name(self, row: int, column: int) -> str:
        return "abcdefgh"[column] + str(row + 1)

    def on_board(self, row: int, column: int) -> bool:
        return 0 <= row < self.size and 0 <= column < self.size

    def turned_by(self, row: int, column: int, player: str) -> list[tuple[int, int]]:
        """The discs that the player would turn over by a disc on this square; none if that is illegal."""
        if self.rows[row][column] != "-":
            return []
        turned = []
        for down, right in EIGHT_DIRECTIONS:
            line = []
            r, c = row + down, column + right
            while self.on_board(r, c) and self.rows[r][c] == other(player):
                line.append((r, c))
                r, c = r + down, c + right
            if self.on_board(r, c) and self.rows[r][c] == player:
                turned += line
        return turned

    def squares_for(self, player: str) -> list[str]:
        """Where the player could put a disc, were it that player's turn."""
        return [
            self.name(row, column)
            for row in range(self.size)
            for column in range(self.size)
            if self.turned_by(row, column, player)
        ]

    def moves(self) -> list[str]:
        """The legal moves in the order of the board; `pass` when only the other side has one."""
        own = self.squares_for(self.mover)
        if own:
            return own
        return ["pass"] if self.squares_for(other(self.mover)) else []

    def is_over(self) -> bool:
        return not self.moves()

    def play(self, move: str) -> None:
        if move != "pass":
            row, column = int(move[1]) - 1, "abcdefgh".index(move[0])
            for r, c in self.turned_by(row, column, self.mover):
                self.rows[r][c] = self.mover
            self.rows[row][column] = self.mover
        self.mover = other(self.mover)

    def score(self) -> int:
        """X's result in discs, the empty squares given to the winner."""
        x, o, empty = (self.squares().count(symbol) for symbol in "XO-")
        if x > o:
            return x + empty - o
        if o > x:
            return x - o - empty
        return 0


def other(player: str) -> str:
    return "O" if player == "X" else "X"


def count_lines(start: Othello, deepest: int) -> list[int]:
    """How many lines of 1, 2, … moves there are, a pass being a move; a game that ends sooner is one line.

    Ways that lead to the same position are counted together.
    """
    ways = Counter({(start.squares(), start.mover): 1})
    ended = 0
    lines = []
    for _ in range(deepest):
        further: Counter[tuple[str, str]] = Counter()
        for (squares, mover), count in ways.items():
            moves = Othello(start.size, squares, mover).moves()
            if not moves:
                ended += count
            for move in moves:
                after = Othello(start.size, squares, mover)
                after.play(move)
                further[after.squares(), after.mover] += count
        ways = further
        lines.append(ended + ways.total())
    return lines
