"""The classic utility and candidates of Pente, counted by walking the whole board each time.

A second opinion, written from the formula and the rules of threats in docs/internals/pente-classic.md. It reads a
position's diagram-like facts (stones by column and row from the top, captures, whose move, the move number) and
shares no code with the package.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache

AXES = [(1, 0), (0, 1), (1, 1), (-1, 1)]
SCALE = (1, 1, 1, 2, 4, 8)
ONE, TWO, THREAT, THREE, TAKE, FOUR = range(6)
LEVEL = {1: ONE, 2: TWO, 3: THREE, 4: FOUR}
Point = tuple[int, int]
Content = int | str | None


@cache
def all_lines(size: int) -> list[list[list[Point]]]:
    """By axis, for each point: the one before it, the point itself and five after it."""
    return [
        [[(x + i * dx, y + i * dy) for i in range(-1, 6)] for y in range(size) for x in range(size)]
        for dx, dy in AXES
    ]


@dataclass
class Board:
    """Stones by (column, row), 0 Black and 1 White; the rules: runs that are captured, the goal, exactly five."""

    size: int
    stones: dict[Point, int]
    captured: tuple[int, int]
    to_move: int
    number: int
    runs: tuple[int, ...] = (2,)
    goal: int = 10
    exact: bool = False
    boat: bool = False
    threat_ends: bool = False  # count a threat at each end, as the program that the design grew into does

    def __post_init__(self) -> None:
        self.windows: Counter[tuple[int, int]] = Counter()
        self.open = 0
        self.serves: Counter[tuple[int, int, Point, int]] = Counter()
        self.takes: list[list[tuple[Point, list[Point]]]] = [[], []]  # taker and prey
        self.threats = [0, 0]
        self.enclosed = [0, 0]
        self.fours: list[list[list[Point]]] = [[], []]
        self.points: defaultdict[tuple[int, int], set[Point]] = defaultdict(set)
        contents: dict[Point, Content] = {(x, y): None for x in range(self.size) for y in range(self.size)}
        contents.update(self.stones)
        for axis, lines in enumerate(all_lines(self.size)):
            for line in lines:
                what = [contents.get(point, "off") for point in line]
                if any(what[1:6]) or 0 in what:  # else there are no stones and no border
                    self._look(line, what, axis)
                else:
                    self.open += 1
        for colour, level, point, _ in self.serves:
            self.points[colour, level].add(point)

    def on(self, point: Point) -> Content:
        """0, 1, None for an empty point, or "off"."""
        inside = 0 <= point[0] < self.size and 0 <= point[1] < self.size
        return self.stones.get(point) if inside else "off"

    def _look(self, line: list[Point], what: list[Content], axis: int) -> None:
        """See what begins at the second of seven points."""
        five, points = what[1:6], line[1:6]
        if "off" not in five:
            colours = set(five) - {None}
            if not colours:
                self.open += 1
            elif len(colours) == 1:
                (colour,) = colours
                stones = sum(content is not None for content in five)
                if not (self.exact and colour in (what[0], what[6])):
                    self.windows[colour, stones] += 1
                    if stones == 4:
                        self.fours[colour].append(points)
                    for point in points:
                        if self.on(point) is None and stones < 5:
                            self.serves[colour, LEVEL[stones], point, axis] += 1
        for run in self.runs:
            ends, prey = (five[0], what[1 + run + 1]), what[2 : 2 + run]
            if set(prey) not in ({0}, {1}):
                continue
            own = 1 - prey[0]
            first, last = points[0], line[1 + run + 1]
            if ends == (None, own) or ends == (own, None):
                taker = first if ends[0] is None else last
                self.takes[own].append((taker, points[1 : 1 + run]))
                self.serves[own, TAKE, taker, axis] += 1
            elif ends == (None, None):
                self.threats[own] += 2 if self.threat_ends else 1
                self.serves[own, THREAT, first, axis] += 1
                self.serves[own, THREAT, last, axis] += 1
        if what[2] is not None and what[2:6] == [what[2]] * 4 and what[2] in (0, 1):
            other = 1 - what[2]
            if what[1] == other and what[6] == other:
                self.enclosed[what[2]] += 1

    # ---- the formula

    def score(self, colour: int) -> int:
        score = sum(35 ** (n - 1) * self.windows[colour, n] for n in range(1, 6)) + 400 * self.enclosed[colour]
        if self.runs:
            net = self.captured[colour] - self.captured[1 - colour]
            scale = SCALE[min(abs(net // 2), 5)]
            score += scale * (300 * net + 80 * len(self.takes[colour]) + 20 * self.threats[colour])
        own = [point for point, owner in self.stones.items() if owner == colour]
        light = sum((x + y) % 2 == 0 for x, y in own)
        dark = len(own) - light
        score += 35 * abs(light - dark) // (light + dark + 1)
        if self.number < 10:
            score *= len(own)
        return 45 * score if colour == self.to_move else score

    def four_points(self, colour: int) -> set[Point]:
        return {point for points in self.fours[colour] for point in points if point not in self.stones}

    def last_take(self, colour: int) -> bool:
        most = max((len(prey) for _, prey in self.takes[colour]), default=0)
        return bool(self.goal and most and self.captured[colour] + most >= self.goal)

    def verdict(self) -> tuple[int, int] | None:
        """(winner or 2, move) of a position in which the game goes on."""
        us, them = self.to_move, 1 - self.to_move
        if self.fours[us] and not (self.boat and self.takes[them]):
            return us, self.number + 1
        if self.last_take(us):
            return us, self.number + 1
        if not self.takes[us] and len(self.four_points(them)) > 1:
            return them, self.number + 2
        if len(self.takes[them]) > 2 and self.last_take(them):
            return them, self.number + 2
        if self.number > 30 and not self.open and not +self.windows and not self.takes[0] and not self.takes[1]:
            return 2, self.number
        return None

    def utility(self, viewer: int, divide: bool = False) -> float:
        verdict = self.verdict()
        if verdict is None:
            ours, theirs = self.score(viewer), self.score(1 - viewer)
            return max(ours, 1) / max(theirs, 1) if divide else float(ours - theirs)
        winner, move = verdict
        if winner == 2:
            return float(divide)
        return (1 if winner == viewer else -1) * 1e33 / move**2

    # ---- the moves

    def directions(self, colour: int, level: int, point: Point) -> int:
        return sum(self.serves[colour, level, point, axis] > 0 for axis in range(4))

    def at_level(self, colour: int, level: int, every_level: bool = False) -> list[Point]:
        """Points by directions, or by all that they serve for, then from the top left corner."""

        def key(point: Point) -> tuple[object, ...]:
            if every_level:
                us = self.to_move
                sums = [-self.directions(c, one, point) for one in range(5, -1, -1) for c in (us, 1 - us)]
                return (sums, point[1], point[0])
            return (-self.directions(colour, level, point), point[1], point[0])

        return sorted(self.points[colour, level], key=key)

    def candidates(self, width: int, every_level: bool = False) -> list[Point]:
        us, them = self.to_move, 1 - self.to_move
        if self.fours[us]:
            found = self.at_level(us, FOUR, every_level)
            return found if self.boat else found[:1]
        if self.last_take(us):
            found = self.at_level(us, TAKE, every_level)
            return found[:1] if self.captured[us] + 2 >= self.goal else found
        if self.fours[them]:
            gaps = self.at_level(them, FOUR, every_level)
            breakers = {
                taker for taker, prey in self.takes[us] for points in self.fours[them] if set(prey) & set(points)
            }
            found = gaps if len(gaps) == 1 else []
            found = found + sorted(breakers - set(found))  # in any order
            return found or gaps
        if self.last_take(them):
            return unique(self.at_level(us, TAKE, every_level) + self.at_level(them, TAKE, every_level))
        listed = [
            point
            for level in range(5, -1, -1)
            for colour in (us, them)
            for point in self.at_level(colour, level, every_level)
        ]
        return unique(listed)[:width]

    def captors(self, point: Point) -> set[Point]:
        """The moves that capture the stone on a point."""
        return {taker for takes in self.takes for taker, prey in takes if point in prey}


def unique(points: list[Point]) -> list[Point]:
    return list(dict.fromkeys(points))
