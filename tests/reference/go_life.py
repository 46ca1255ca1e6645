"""Life and death by the rules alone: all positions that moves on closed ground lead to, solved backwards."""

from __future__ import annotations

import random

from tests.reference.go_tactics import EveryMove, Spot, Stones

State = tuple[frozenset[tuple[Spot, int]], int, Spot | None]


def closed_ground(rng: random.Random, width: int, height: int, below: bool) -> tuple[list[str], set[Spot]]:
    """Rows with random stones on so many points in the corner, which a wall of White's with two eyes shuts in, and
    those points. below: whether the wall goes on below them, or the board ends there.
    """
    marks = rng.choice(["XXXO....", "XXO..", "XXXXXO....", "XXXXX...", "XXXXXXX...", "XXXXXXXOO..."])
    rows = ["".join(rng.choice(marks) for _ in range(width)) for _ in range(height)]
    rows = [row + ("O.O.O" if number == 0 else "OOOOO") for number, row in enumerate(rows)]
    if below or height == 1:  # one row of the wall alone would not hold together
        rows.append("O" * (width + 5))
    return rows, {(column, row) for column in range(width) for row in range(height)}


class Forced:
    """In which positions White, who may retake a ko as `mode` says, forces the capture of Black's stone."""

    def __init__(self, size: Spot, mode: int, target: Spot, ground: set[Spot]) -> None:
        self.rules = EveryMove(*size, mode, 1)
        self.ground = ground
        self.target = target

    def states(self, start: Stones) -> dict[State, bool]:
        """Of all positions that follow from one, either side to move. What comes again is no capture."""
        before: dict[State, list[State]] = {}
        left: dict[State, int] = {}  # of Black's moves, how many are not known to lose
        waiting: list[tuple[Stones, int, Spot | None]] = [(start, turn, None) for turn in (1, 2)]
        won: list[State] = []
        while waiting:
            stones, turn, ko = waiting.pop()
            key = (frozenset(stones.items()), turn, ko)
            if key in left:
                continue
            left[key] = 0
            if self.target not in stones:
                if not (ko == self.target and self.rules.mode == 0):
                    won.append(key)
                continue
            moves = [(stones, None), *self.rules.moves(stones, self.ground - set(stones), turn, ko)]
            left[key] = len(moves)
            for after, now in moves:
                before.setdefault((frozenset(after.items()), 3 - turn, now), []).append(key)
                waiting.append((after, 3 - turn, now))
        caught = dict.fromkeys(left, False)
        while won:
            key = won.pop()
            if not caught[key]:
                caught[key] = True
                for above in before.get(key, []):
                    left[above] -= 1
                    if above[1] == 2 or left[above] == 0:
                        won.append(above)
        return caught

    def outcome(self, start: Stones) -> tuple[bool, bool]:
        """Whether White kills by moving first, and even if Black does."""
        states = self.states(start)
        stones = frozenset(start.items())
        return states[stones, 2, None], states[stones, 1, None]
