"""Pente and its family as simply as they can be written: a dictionary of stones, every line walked as text.

A second opinion, written from the rules of the games. It is slow, and shares nothing with the package but the
names of the points (A1 is the bottom left corner, there is no column I) and of the options.
"""

from __future__ import annotations

from collections import Counter
from copy import copy

from tests.reference.renju import forbidden

LETTERS = "ABCDEFGHJKLMNOPQRST"
DIRECTIONS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
SETTINGS = {
    "first": "centre",
    "second": "anywhere",
    "row": 5,
    "exact": False,
    "captures": "pairs",
    "goal": 10,
    "poof": False,
    "boat": False,
    "stones": 1,
    "renju": False,
    "caro": False,
    "opening": "none",
}


class Pente:
    """A game in progress; `play` changes it. Stones are "B" and "W"; the seats are 0, who begins, and 1."""

    def __init__(self, size: int = 19, board: str = "", **options: object) -> None:
        assert set(options) <= set(SETTINGS)
        self.size = size
        self.rules = SETTINGS | options
        self.board: dict[tuple[int, int], str] = {}
        self.captured = {"B": 0, "W": 0}
        self.placed = 0  # stones, ever, but for those that were set up
        self.begins = "B"
        self.from_stones = False
        self.winner = ""  # "B", "W" or "draw"
        self.offered: list[tuple[int, int]] = []
        self.to_offer = 0
        self.open_row: tuple[int, int] | None = None  # boat: a stone of the row that may be broken now
        self.seat_of = {"B": 0, "W": 1}
        # What is still to come of the opening, as (seat, what it does).
        self.opening: list[tuple[int, str]] = {
            "none": [],
            "d-pente": [(0, "stone")] * 4 + [(1, "side")],
            "swap": [(0, "stone")] * 3 + [(1, "side")],
            "swap2": [(0, "stone")] * 3 + [(1, "side or more")],
            "soosorv-8": [(0, "stone")] * 3 + [(1, "side")],
            "taraguchi-10": [(0, "stone"), (1, "side")],
        }[self.rules["opening"]]
        if board:
            rows, to_move = board.split()
            for height, row in enumerate(reversed(rows.split("/"))):
                for x, letter in enumerate(row):
                    if letter != ".":
                        self.board[x, height] = "B" if letter == "X" else "W"
            self.begins = "B" if to_move == "X" else "W"
            self.from_stones = bool(self.board)
            if len(self.board) == size**2:
                self.winner = "draw"

    def copy(self) -> Pente:
        """Another game that goes its own way."""
        other = copy(self)
        other.board, other.captured, other.opening = dict(self.board), dict(self.captured), list(self.opening)
        other.offered = list(self.offered)
        return other

    # ---- turns

    def colour(self) -> str:
        """The colour of the next stone."""
        if self.rules["stones"] == 1:
            own_turn = self.placed % 2 == 0
        elif self.from_stones:
            own_turn = self.placed % 4 < 2
        else:
            own_turn = self.placed % 4 in (0, 3)
        return self.begins if own_turn else other(self.begins)

    def seat(self) -> int:
        """Who acts."""
        return self.opening[0][0] if self.opening else self.seat_of[self.colour()]

    def points(self) -> list[tuple[int, int]]:
        """All points, from the top left corner on."""
        return [(x, y) for y in reversed(range(self.size)) for x in range(self.size)]

    def name(self, point: tuple[int, int]) -> str:
        return f"{LETTERS[point[0]]}{point[1] + 1}"

    def point(self, name: str) -> tuple[int, int]:
        return LETTERS.index(name[0]), int(name[1:]) - 1

    def moves(self) -> list[str]:
        if self.winner:
            return []
        what = self.opening[0][1] if self.opening else "stone"
        if what == "number":
            return [f"offer-{number}" for number in range(1, 9)]
        if what == "pick":
            return [self.name(point) for point in self.offered]
        if what.startswith("side"):
            return ["black", "white", *{"side or more": ["more"], "side or ten": ["offer-10"]}.get(what, [])]
        empty = [point for point in self.points() if point not in self.board]
        if what == "offer":
            return [self.name(point) for point in empty if not any(self.alike(point, old) for old in self.offered)]
        allowed = [point for point in empty if self.allows(point)]
        return [self.name(point) for point in allowed]

    def alike(self, one: tuple[int, int], other: tuple[int, int]) -> bool:
        """Whether a rotation or reflection of the board moves one point to the other and changes no stone."""
        last = self.size - 1
        turns = [lambda x, y: (x, y), lambda x, y: (last - y, x), lambda x, y: (last - x, last - y),
                 lambda x, y: (y, last - x)]  # fmt: skip
        flips = [lambda x, y: (x, y), lambda x, y: (last - x, y)]
        for turn in turns:
            for flip in flips:
                moved = {turn(*flip(*point)): stone for point, stone in self.board.items()}
                if moved == self.board and turn(*flip(*one)) == other:
                    return True
        return False

    def zone(self) -> int:
        """How far from the centre the next stone may be in the openings of renju."""
        if self.rules["opening"] == "soosorv-8" and self.placed < 3:
            return self.placed
        if self.rules["opening"] == "taraguchi-10" and self.placed < 5:
            return self.placed
        return self.size

    def distance(self, line: int) -> int:
        """From the middle line, or from the nearer one of two."""
        return min(abs(line - (self.size - 1) // 2), abs(line - self.size // 2))

    def allows(self, point: tuple[int, int]) -> bool:
        if self.rules["renju"] and self.colour() == "B" and forbidden(self.board, self.size, point):
            return False
        if self.from_stones:
            return True
        near, far = sorted(self.distance(line) for line in point)
        if self.zone() < self.size:
            return far <= self.zone()
        if self.placed == 0 and self.rules["first"] == "centre":
            return far == 0
        blacks_second = self.placed == (2 if self.rules["stones"] == 1 else 3)
        if blacks_second and self.rules["second"] != "anywhere" and self.size >= 7:
            if far < 3:
                return False
            if self.rules["second"] == "g-pente" and near == 0 and far in (3, 4):
                return False
        return True

    # ---- lines

    def walk(self, point: tuple[int, int], direction: tuple[int, int], most: int) -> list[tuple[int, int]]:
        """The next points this way, as many as are asked for and on the board."""
        (x, y), (dx, dy) = point, direction
        line = [(x + i * dx, y + i * dy) for i in range(1, most + 1)]
        return [(x, y) for x, y in line if 0 <= x < self.size and 0 <= y < self.size]

    def text(self, points: list[tuple[int, int]]) -> str:
        return "".join(self.board.get(point, ".") for point in points)

    def runs(self) -> list[int]:
        return {"none": [], "pairs": [2], "triples": [2, 3]}[self.rules["captures"]]

    def captures_of(self, point: tuple[int, int], colour: str) -> set[tuple[int, int]]:
        """The enemy stones that a stone of this colour here takes."""
        taken: set[tuple[int, int]] = set()
        if self.rules["captures"] == "none":
            return taken
        for direction in DIRECTIONS:
            line = self.walk(point, direction, 4)
            stones = self.text(line)
            for run in self.runs():
                if stones.startswith(other(colour) * run + colour):
                    taken |= set(line[:run])
        return taken

    def poofs_of(self, point: tuple[int, int], colour: str) -> set[tuple[int, int]]:
        """The own stones that are lost by the stone that stands here."""
        lost: set[tuple[int, int]] = set()
        if not self.rules["poof"]:
            return lost
        for dx, dy in DIRECTIONS[:4]:
            line = [*reversed(self.walk(point, (-dx, -dy), 4)), point, *self.walk(point, (dx, dy), 4)]
            for run in self.runs():
                pattern = other(colour) + colour * run + other(colour)
                for start in range(len(line)):
                    part = line[start : start + len(pattern)]
                    if point in part and self.text(part) == pattern:
                        lost |= set(part[1:-1])
        return lost

    def makes_row(self, point: tuple[int, int]) -> bool:
        """Whether the stone here stands in a winning row."""
        colour = self.board.get(point)
        if colour is None:
            return False
        for dx, dy in DIRECTIONS[:4]:
            length = 1
            ends = ""
            for way in ((dx, dy), (-dx, -dy)):
                ahead = self.text(self.walk(point, way, self.rules["row"] + 1))
                length += len(ahead) - len(ahead.lstrip(colour))
                ends += ahead.lstrip(colour)[:1]
            exact = self.rules["exact"] or (self.rules["renju"] and colour == "B")
            is_blocked = self.rules["caro"] and ends == 2 * other(colour)
            if (length == self.rules["row"] and not is_blocked) or (length > self.rules["row"] and not exact):
                return True
        return False

    def can_be_broken(self, point: tuple[int, int]) -> bool:
        """Whether the enemy can capture so that the stone here is in no winning row any more."""
        enemy = other(self.board[point])
        for reply in self.points():
            taken = self.captures_of(reply, enemy) if reply not in self.board else set()
            if taken:
                after = self.copy()
                for stone in taken:
                    del after.board[stone]
                if not after.makes_row(point):
                    return True
        return False

    # ---- playing

    def play(self, move: str) -> None:
        assert not self.winner
        if move in ("black", "white", "more"):
            self.choose(move)
        elif move.startswith("offer-"):
            self.declare(int(move[6:]))
        elif self.opening and self.opening[0][1] == "offer":
            self.offered.append(self.point(move))
            self.opening.pop(0)
        else:
            self.place(self.point(move))

    def choose(self, move: str) -> None:
        seat, _ = self.opening.pop(0)
        if move == "more":
            self.opening = [(seat, "stone"), (seat, "stone"), (1 - seat, "side")]
        else:
            self.seat_of = {"B": seat, "W": 1 - seat} if move == "black" else {"B": 1 - seat, "W": seat}
            self.opening += self.after_side()

    def after_side(self) -> list[tuple[int, str]]:
        """What follows a choice of sides in the openings of renju."""
        black, white = self.seat_of["B"], self.seat_of["W"]
        if self.rules["opening"] == "soosorv-8" and self.placed == 3:
            return [(white, "stone"), (white, "number")]
        if self.rules["opening"] == "soosorv-8" and self.placed == 4 and self.to_offer > 1:
            return [(black, "offer")] * self.to_offer + [(white, "pick")]
        if self.rules["opening"] == "taraguchi-10" and self.placed < 5:
            mover, later = (black, white) if self.placed % 2 == 0 else (white, black)
            return [(mover, "stone"), (later, "side or ten" if self.placed == 3 else "side")]
        return []

    def declare(self, number: int) -> None:
        seat, _ = self.opening.pop(0)
        self.to_offer = number
        if number == 10:  # instead of a swap: who offers has Black
            self.seat_of = {"B": seat, "W": 1 - seat}
            self.opening = [(seat, "offer")] * 10 + [(1 - seat, "pick")]
        else:
            self.opening = [(1 - seat, "side")]

    def place(self, point: tuple[int, int]) -> None:
        colour = self.colour()
        assert point not in self.board
        self.board[point] = colour
        taken, lost = self.captures_of(point, colour), self.poofs_of(point, colour)
        for stone in taken | lost:
            del self.board[stone]
        self.captured[colour] += len(taken)
        self.captured[other(colour)] += len(lost)
        self.placed += 1
        if self.opening:
            self.opening.pop(0)
        self.winner = self.find_winner(point, colour)

    def find_winner(self, point: tuple[int, int], colour: str) -> str:
        """After a stone of this colour on this point."""
        before, self.open_row = self.open_row, None
        if before is not None and self.board.get(before) == other(colour) and self.makes_row(before):
            return other(colour)
        if self.makes_row(point):
            if not self.rules["boat"] or not self.can_be_broken(point):
                return colour
            self.open_row = point
        black, white = self.captured["B"], self.captured["W"]
        if self.rules["goal"] and max(black, white) >= self.rules["goal"] and black != white:
            return "B" if black > white else "W"
        if len(self.board) == self.size**2:
            return "draw"
        if self.rules["renju"] and colour == "W" and not self.opening:
            free = (point for point in self.points() if point not in self.board)
            return "" if any(map(self.allows, free)) else "draw"
        return ""

    def score(self) -> int:
        """The result for seat 0."""
        if self.winner == "draw":
            return 0
        return 1 if self.seat_of[self.winner] == 0 else -1


def other(colour: str) -> str:
    return "W" if colour == "B" else "B"


def count_lines(start: Pente, deepest: int) -> list[int]:
    """How many lines of 1, 2, … moves there are; a game that ends sooner is one line.

    Ways that lead to the same position are counted together.
    """
    ways: Counter[str] = Counter({"": 1})
    games = {"": start}
    lines = []
    for _ in range(deepest):
        further: Counter[str] = Counter()
        later = {}
        for name, count in ways.items():
            game = games[name]
            if game.winner:
                further[name] += count
                later[name] = game
                continue
            for move in game.moves():
                after = game.copy()
                after.play(move)
                identity = repr((sorted(after.board.items()), after.captured, after.winner, after.open_row))
                identity += repr((after.opening, after.seat_of, after.placed, after.offered, after.to_offer))
                further[identity] += count
                later[identity] = after
        ways, games = further, later
        lines.append(ways.total())
    return lines
