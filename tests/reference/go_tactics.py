"""Captures by the rules alone: strings as sets of points, every move tried."""

from __future__ import annotations

from collections.abc import Iterator

Spot = tuple[int, int]
Stones = dict[Spot, int]


class EveryMove:
    """Ladders by the definition alone: the attacker gives atari, the defender tries all that is legal."""

    def __init__(self, width: int, height: int, mode: int, colour: int) -> None:
        self.inside = {(column, row) for column in range(width) for row in range(height)}
        self.mode = mode  # who may retake a ko at once: 0 the defender, 1 nobody, 2 the attacker
        self.colour = colour
        self.known: dict[object, bool] = {}

    def around(self, point: Spot) -> list[Spot]:
        column, row = point
        near = [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]
        return [other for other in near if other in self.inside]

    def string(self, stones: Stones, start: Spot) -> tuple[set[Spot], set[Spot]]:
        string, front, liberties = {start}, [start], set()
        while front:
            for near in self.around(front.pop()):
                if near not in stones:
                    liberties.add(near)
                elif stones[near] == stones[start] and near not in string:
                    string.add(near)
                    front.append(near)
        return string, liberties

    def play(self, stones: Stones, point: Spot, colour: int) -> tuple[Stones, Spot | None] | None:
        """The stones after a move, and the ko point; None for suicide."""
        after = {**stones, point: colour}
        taken = set()
        for near in self.around(point):
            if after.get(near) == 3 - colour:
                string, liberties = self.string(after, near)
                if not liberties:
                    taken |= string
        for stone in taken:
            del after[stone]
        string, liberties = self.string(after, point)
        if not liberties:
            return None
        ko = next(iter(taken)) if len(taken) == 1 == len(string) and len(liberties) == 1 else None
        return after, ko

    def moves(
        self, stones: Stones, points: set[Spot], colour: int, ko: Spot | None
    ) -> Iterator[tuple[Stones, Spot | None]]:
        free = self.mode == (0 if colour == self.colour else 2)
        for point in sorted(points):
            if point != ko or free:
                played = self.play(stones, point, colour)
                if played is not None:
                    yield played

    def caught(self, stones: Stones, target: Spot, ko: Spot | None, left: int = 40) -> bool:
        """Whether the attacker, to move, catches the string."""
        if left == 0:
            return False
        key = (frozenset(stones.items()), ko)
        if key not in self.known:
            self.known[key] = False  # a position that comes again is no capture
            _, liberties = self.string(stones, target)
            self.known[key] = len(liberties) <= 2 and any(
                self.lost(after, target, now, left)
                for after, now in self.moves(stones, liberties, 3 - self.colour, ko)
                if target not in after or len(self.string(after, target)[1]) == 1
            )
        return self.known[key]

    def lost(self, stones: Stones, target: Spot, ko: Spot | None, left: int) -> bool:
        if target not in stones:
            return not (ko == target and self.mode == 0)
        empty = self.inside - set(stones)
        if not self.caught(stones, target, None, left - 1):
            return False  # a pass, or a move somewhere else
        return not any(
            not self.caught(after, target, now, left - 1)
            for after, now in self.moves(stones, empty, self.colour, ko)
        )
