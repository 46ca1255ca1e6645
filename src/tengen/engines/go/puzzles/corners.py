"""Corners composed at random: a space, defenders around it, and living attackers around these.

The attackers live by two eyes elsewhere, so the corner is a closed region: what happens in it can be proved, and
moves elsewhere are the same as a pass.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tengen.core.diagram import Point, neighbours
from tengen.engines.go.puzzles.problem import SIZE

MAX_COLUMN, MAX_ROW = 4, 3  # the space lies within these, counted from the corner
STONE_CHANCE = 0.3  # of a point of the space to have a stone
GAP_CHANCE = 0.12  # of a stone around the space to be missing
ATTACKER, DEFENDER = "X", "O"  # exchanged at the end where Black is the defender


def grow_space(random: Random, least: int, most: int) -> set[Point]:
    """A connected set of points near the corner."""
    space = {(random.randrange(2), random.randrange(2))}
    for _ in range(random.randint(least, most) - 1):
        edge = [
            point for point in around(space, diagonally=False) if point[0] <= MAX_COLUMN and point[1] <= MAX_ROW
        ]
        space.add(random.choice(sorted(edge)))
    return space


def scatter(space: set[Point], random: Random) -> dict[Point, str]:
    """Stones of both sides at random."""
    return {point: random.choice((ATTACKER, DEFENDER)) for point in space if random.random() < STONE_CHANCE}


def enclose(
    space: set[Point],
    fill: Callable[[set[Point], Random], dict[Point, str]],
    random: Random,
    gaps: float = GAP_CHANCE,
) -> dict[Point, str] | None:
    """Defenders around a space with stones, and living attackers around these; None without room for them.

    `gaps` is the chance of each stone of the defenders to be missing.
    """
    ring = around(space, diagonally=False)
    defenders = {point for point in ring if random.random() > gaps}
    wall = around(space | ring, diagonally=True)
    stones = {**dict.fromkeys(defenders, DEFENDER), **fill(space, random), **dict.fromkeys(wall, ATTACKER)}
    return _add_eyes(stones, space | ring | wall, wall, random)


def _add_eyes(
    stones: dict[Point, str], taken: set[Point], wall: set[Point], random: Random
) -> dict[Point, str] | None:
    """Give the attackers two eyes of one point beside their wall, with as few stones as possible."""
    free = {(column, row) for column in range(SIZE) for row in range(SIZE)} - taken
    costs = {point: len(_eye_stones(point) - wall) for point in free if not _eye_stones(point) & (taken - wall)}
    near = [point for point in costs if _eye_stones(point) & wall or around({point}, diagonally=True) & wall]
    pairs = [
        (len((_eye_stones(one) | _eye_stones(other)) - wall), one, other)
        for one in near
        for other in near
        if one < other and other not in _eye_stones(one)
    ]
    if not pairs:
        return None
    least = min(pairs)[0]
    _, one, other = random.choice(sorted(pair for pair in pairs if pair[0] <= least + 1))
    return {**stones, **dict.fromkeys(_eye_stones(one) | _eye_stones(other), ATTACKER)}


def _eye_stones(point: Point) -> set[Point]:
    """The points around an eye, of which all must be occupied."""
    return around({point}, diagonally=True)


def around(points: set[Point], *, diagonally: bool) -> set[Point]:
    """The points of the board next to some points."""
    found: set[Point] = set()
    for column, row in points:
        found.update(neighbours((column, row)))
        if diagonally:
            found.update((column + right, row + down) for right in (-1, 1) for down in (-1, 1))
    return {point for point in found - points if 0 <= point[0] < SIZE and 0 <= point[1] < SIZE}


def transform(stones: dict[Point, str], symmetry: int, *, swapped: bool) -> dict[Point, str]:
    """Rotated or reflected, with exchanged colours if `swapped`."""
    colours = {"X": "XO"[swapped], "O": "OX"[swapped]}
    last = SIZE - 1
    found = {}
    for (column, row), colour in stones.items():
        place = (row, column) if symmetry & 1 else (column, row)
        place = (last - place[0] if symmetry & 2 else place[0], last - place[1] if symmetry & 4 else place[1])
        found[place] = colours[colour]
    return found
