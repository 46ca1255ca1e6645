"""Go straight from the rules of the game: sets of points, flood fill, and the list of all boards so far.

Slow on purpose. Nothing here is shared with the package, so that an error would have to be made twice.

A point is (column, row), both from 0, rows from the top. A board is a pair of sets: Black's stones and
White's. Players are 0 (Black) and 1 (White). A move is a point, or PASS.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace

Point = tuple[int, int]
Board = tuple[frozenset[Point], frozenset[Point]]
PASS = None


@dataclass(frozen=True)
class Grid:
    """The points of an empty board and which of them touch."""

    width: int
    height: int

    def points(self) -> list[Point]:
        return [(column, row) for row in range(self.height) for column in range(self.width)]

    def inside(self, point: Point) -> bool:
        return 0 <= point[0] < self.width and 0 <= point[1] < self.height

    def beside(self, point: Point) -> list[Point]:
        column, row = point
        around = [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]
        return [other for other in around if self.inside(other)]

    def connected(self, start: Point, among: Iterable[Point]) -> set[Point]:
        """All points that can be reached from `start` through points `among` these."""
        reached, waiting = {start}, [start]
        while waiting:
            for other in self.beside(waiting.pop()):
                if other in among and other not in reached:
                    reached.add(other)
                    waiting.append(other)
        return reached

    def border(self, points: Iterable[Point]) -> set[Point]:
        """The points beside these, themselves not included."""
        return {other for point in points for other in self.beside(point)} - set(points)

    def liberties(self, board: Board, string: set[Point]) -> set[Point]:
        return self.border(string) - board[0] - board[1]

    def strings(self, board: Board) -> list[tuple[int, set[Point]]]:
        """Every string with its owner."""
        found = []
        for player in (0, 1):
            left = set(board[player])
            while left:
                string = self.connected(next(iter(left)), board[player])
                left -= string
                found.append((player, string))
        return found

    def place(self, board: Board, player: int, point: Point) -> tuple[Board, int, int]:
        """Put a stone: (the board after all captures, enemy stones taken, own stones lost)."""
        stones = [set(board[0]), set(board[1])]
        stones[player].add(point)
        enemy = 1 - player
        taken: set[Point] = set()
        for other in self.beside(point):
            if other in stones[enemy] and other not in taken:
                string = self.connected(other, stones[enemy])
                if not self.border(string) - stones[0] - stones[1]:
                    taken |= string
        stones[enemy] -= taken
        own = self.connected(point, stones[player])
        lost = set() if self.border(own) - stones[0] - stones[1] else own
        stones[player] -= lost
        return (frozenset(stones[0]), frozenset(stones[1])), len(taken), len(lost)

    def territory(self, board: Board) -> tuple[set[Point], set[Point]]:
        """The empty points of regions that touch only Black, and only White."""
        surrounded: tuple[set[Point], set[Point]] = (set(), set())
        left = set(self.points()) - board[0] - board[1]
        while left:
            region = self.connected(next(iter(left)), left)
            left -= region
            touched = [player for player in (0, 1) if self.border(region) & board[player]]
            if len(touched) == 1:
                surrounded[touched[0]].update(region)
        return surrounded

    def is_eye(self, board: Board, player: int, point: Point) -> bool:
        """Own stones on every side; the enemy on at most one diagonal, at the edge on none."""
        if not all(other in board[player] for other in self.beside(point)):
            return False
        column, row = point
        corners = [(column + i, row + j) for i in (1, -1) for j in (1, -1)]
        at_edge = not all(self.inside(corner) for corner in corners)
        bad = sum(corner in board[1 - player] for corner in corners)
        return bad == 0 if at_edge else bad <= 1


@dataclass(frozen=True)
class Play:
    """A game in progress: `boards` are all so far, `turns` says who was to move in each."""

    grid: Grid
    ko: str  # simple, positional, situational
    suicide: bool
    boards: tuple[Board, ...]
    turns: tuple[int, ...]
    captured: tuple[int, int] = (0, 0)  # by Black, by White
    passes: int = 0
    handicap: int = 0  # stones that Black has still to place, without passing

    @classmethod
    def start(
        cls,
        width: int,
        height: int,
        ko: str = "positional",
        suicide: bool = False,
        *,
        stones: Iterable[Point] = (),
        free: int = 0,
    ) -> Play:
        """`stones`: Black's fixed handicap; `free`: how many he places himself."""
        black = frozenset(stones)
        board: Board = (black, frozenset())
        return cls(Grid(width, height), ko, suicide, (board,), (1 if black else 0,), handicap=free)

    @property
    def board(self) -> Board:
        return self.boards[-1]

    @property
    def turn(self) -> int:
        return self.turns[-1]

    @property
    def is_over(self) -> bool:
        return self.passes == 2

    def after(self, move: Point | None) -> Play:
        """The game after a move, which is not tested."""
        board, captured = self.board, list(self.captured)
        if move is not PASS:
            board, taken, lost = self.grid.place(board, self.turn, move)
            captured[self.turn] += taken
            captured[1 - self.turn] += lost
        still_to_place = max(self.handicap - 1, 0)
        return replace(
            self,
            boards=(*self.boards, board),
            turns=(*self.turns, self.turn if still_to_place else 1 - self.turn),
            captured=(captured[0], captured[1]),
            passes=self.passes + 1 if move is PASS else 0,
            handicap=still_to_place,
        )

    def why_illegal(self, move: Point | None) -> str | None:
        """None for a legal move, or the rule that it breaks."""
        if self.is_over:
            return "over"
        if move is PASS:
            return "handicap" if self.handicap else None
        if not self.grid.inside(move):
            return "outside"
        if move in self.board[0] or move in self.board[1]:
            return "stone"
        board, taken, lost = self.grid.place(self.board, self.turn, move)
        # Ko: taking back at once, so that the board is what it was before the opponent's move.
        if taken and len(self.boards) > 1 and board == self.boards[-2]:
            return "ko"
        if lost and not self.suicide:
            return "suicide"
        if self.ko == "positional" and board in self.boards:
            return "superko"
        next_turn = self.turn if self.handicap > 1 else 1 - self.turn
        if self.ko == "situational" and (board, next_turn) in zip(self.boards, self.turns, strict=True):
            return "superko"
        return None

    def legal_moves(self) -> list[Point | None]:
        """Row by row from the top, pass last."""
        return [move for move in (*self.grid.points(), PASS) if self.why_illegal(move) is None]

    def area_score(self) -> int:
        """Black's stones and territory minus White's."""
        black, white = self.grid.territory(self.board)
        return len(self.board[0]) + len(black) - len(self.board[1]) - len(white)

    def territory_score(self, dead: Iterable[Point] = ()) -> int:
        """Black's territory and prisoners minus White's; the strings of the stones `dead` become prisoners."""
        stones = [set(self.board[0]), set(self.board[1])]
        prisoners = list(self.captured)
        for point in dead:
            for player in (0, 1):
                if point in stones[player]:
                    string = self.grid.connected(point, stones[player])
                    stones[player] -= string
                    prisoners[1 - player] += len(string)
        black, white = self.grid.territory((frozenset(stones[0]), frozenset(stones[1])))
        return len(black) + prisoners[0] - len(white) - prisoners[1]

    def count_lines(self, depth: int) -> list[int]:
        """How many lines of 1, 2, … `depth` moves there are; a game that ends sooner is one line."""
        lines, ended, counts = [self], 0, []
        while True:
            choices = [(line, move) for line in lines for move in line.legal_moves()]
            counts.append(ended + len(choices))
            if len(counts) == depth:
                return counts
            lines = [line.after(move) for line, move in choices]
            ended += sum(line.is_over for line in lines)
            lines = [line for line in lines if not line.is_over]


def count_legal_positions(width: int, height: int) -> int:
    """Boards on which every string has a liberty."""
    grid = Grid(width, height)
    points = grid.points()
    total = 0
    for contents in itertools.product((None, 0, 1), repeat=len(points)):
        black = frozenset(point for point, content in zip(points, contents, strict=True) if content == 0)
        white = frozenset(point for point, content in zip(points, contents, strict=True) if content == 1)
        board = (black, white)
        total += all(grid.liberties(board, string) for _, string in grid.strings(board))
    return total


def count_games(width: int, height: int) -> int:
    """Paths from the empty board, either colour moving at any time, on which no board stands twice."""
    grid = Grid(width, height)

    def count(path: list[Board]) -> int:
        total = 1
        for point in grid.points():
            if point in path[-1][0] or point in path[-1][1]:
                continue
            for player in (0, 1):
                board, _, _ = grid.place(path[-1], player, point)
                if board not in path:
                    total += count([*path, board])
        return total

    return count([(frozenset(), frozenset())])
