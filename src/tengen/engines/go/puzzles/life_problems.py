"""Life-and-death problems in a corner, proved by the life-and-death reader.

A problem is composed at random: an eye space in a corner, the stones around it, and attackers around these that
are unconditionally alive by two eyes elsewhere. So the corner is a closed region, in which the reader's exact
search is a proof (see `reading.life`), and moves elsewhere are the same as a pass. A position is kept if both
sides, moving first, reach their goal without a ko, and one move alone does so.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tengen.core.diagram import Point, neighbours
from tengen.core.errors import PositionError
from tengen.engines.go.board import geometry_for_size
from tengen.engines.go.puzzles.problem import SIZE, Goal, Problem, position_of, string_at, write_rows
from tengen.engines.go.reading.life import LifeReader
from tengen.engines.go.reading.point_sets import list_points
from tengen.engines.go.reading.tactics import Result, TacticalReader
from tengen.games.go import PASS, Go

MIN_SPACE, MAX_SPACE = 4, 8  # points of the eye space
MAX_COLUMN, MAX_ROW = 4, 3  # the eye space lies within these, counted from the corner
STONE_CHANCE = 0.3  # of a point of the eye space to have a stone
GAP_CHANCE = 0.12  # of a stone around the eye space to be missing
ATTACKER, DEFENDER = "X", "O"  # exchanged at the end where Black is to live
MIN_CANDIDATES = 4
MIN_STONES = 3  # of the string that the problem is about


def generate_life_problems(seed: int) -> Iterator[Problem]:
    """Problems without end."""
    random = Random(seed)
    life = LifeReader(TacticalReader(geometry_for_size(SIZE, SIZE)))
    known: set[str] = set()
    while True:
        stones = _compose(random)
        if stones is None:
            continue
        goal = random.choice((Goal.KILL, Goal.LIVE))
        turned = _transform(stones, random.randrange(8), swapped=goal is Goal.LIVE)
        problem = prove_life(write_rows(turned), goal, life)
        if problem is not None and problem.rows not in known:
            known.add(problem.rows)
            yield problem


def _compose(random: Random) -> dict[Point, str] | None:
    """Random stones with the defenders in the upper left corner; None if there is no room for the attackers."""
    space = _grow_space(random)
    ring = _around(space, diagonally=False)
    defenders = {point for point in ring if random.random() > GAP_CHANCE}
    stones = dict.fromkeys(defenders, DEFENDER)
    for point in space:
        if random.random() < STONE_CHANCE:
            stones[point] = random.choice((ATTACKER, DEFENDER))
    wall = _around(space | ring, diagonally=True)
    stones.update(dict.fromkeys(wall, ATTACKER))
    return _add_eyes(stones, space | ring | wall, wall, random)


def _grow_space(random: Random) -> set[Point]:
    """A connected set of points near the corner."""
    space = {(random.randrange(2), random.randrange(2))}
    for _ in range(random.randint(MIN_SPACE, MAX_SPACE) - 1):
        edge = [
            point for point in _around(space, diagonally=False) if point[0] <= MAX_COLUMN and point[1] <= MAX_ROW
        ]
        space.add(random.choice(sorted(edge)))
    return space


def _around(points: set[Point], *, diagonally: bool) -> set[Point]:
    """The points of the board next to some points."""
    found: set[Point] = set()
    for column, row in points:
        found.update(neighbours((column, row)))
        if diagonally:
            found.update((column + right, row + down) for right in (-1, 1) for down in (-1, 1))
    return {point for point in found - points if 0 <= point[0] < SIZE and 0 <= point[1] < SIZE}


def _add_eyes(
    stones: dict[Point, str], taken: set[Point], wall: set[Point], random: Random
) -> dict[Point, str] | None:
    """Give the attackers two eyes of one point beside their wall, with as few stones as possible."""
    free = {(column, row) for column in range(SIZE) for row in range(SIZE)} - taken
    costs = {point: len(_eye_stones(point) - wall) for point in free if not _eye_stones(point) & (taken - wall)}
    near = [point for point in costs if _eye_stones(point) & wall or _around({point}, diagonally=True) & wall]
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
    return _around({point}, diagonally=True)


def _transform(stones: dict[Point, str], symmetry: int, *, swapped: bool) -> dict[Point, str]:
    """Rotated or reflected, with exchanged colours if `swapped`."""
    colours = {"X": "XO"[swapped], "O": "OX"[swapped]}
    last = SIZE - 1
    found = {}
    for (column, row), colour in stones.items():
        place = (row, column) if symmetry & 1 else (column, row)
        place = (last - place[0] if symmetry & 2 else place[0], last - place[1] if symmetry & 4 else place[1])
        found[place] = colours[colour]
    return found


def prove_life(rows: str, goal: Goal, life: LifeReader) -> Problem | None:
    """The problem of killing White, or of living as Black; None if it is not proved or not interesting."""
    try:
        position = position_of(rows)
    except PositionError:
        return None  # a string without liberties
    life.tactics.load(position)
    target = _target(rows, "O" if goal is Goal.KILL else "X", life)
    if target is None:
        return None
    at = life.tactics.geometry.point(target[0])
    region = life.region(at)
    if not region.is_closed or len(region.candidates) < MIN_CANDIDATES:
        return None
    first, second = (life.attack(at), life.defend(at)) if goal is Goal.KILL else (life.defend(at), life.attack(at))
    if not (first.conclusive and second.conclusive and first.result is second.result is Result.WORKS):
        return None
    game = position.game
    assert isinstance(game, Go)
    results: dict[Result, list[str]] = {Result.FAILS: [], Result.WORKS: [], Result.GOOD_KO: [], Result.BAD_KO: []}
    colour = life.tactics.colour(at)
    mover = 3 - colour if goal is Goal.KILL else colour
    inside = set(list_points(region.zone))
    for move in position.legal_moves:
        if move == PASS:
            continue
        point = int(life.tactics.geometry.from_rules[move])
        if point not in inside:
            results[Result.FAILS].append(game.write_move(move))  # the same as a pass: the other side moves first
            continue
        with life.tactics.trial_move(point, mover) as legal:
            assert legal
            if life.tactics.colour(at) != colour:
                return None  # captured at once: too easy
            answer = life.defend(at) if goal is Goal.KILL else life.attack(at)
        if not answer.conclusive:
            return None
        reached = {Result.FAILS: Result.WORKS, Result.WORKS: Result.FAILS}.get(answer.result, answer.result)
        results[reached].append(game.write_move(move))
    if len(results[Result.WORKS]) != 1:
        return None
    ko = (*results[Result.GOOD_KO], *results[Result.BAD_KO])
    return Problem(goal, rows, target, tuple(results[Result.WORKS]), ko, tuple(results[Result.FAILS]))


def _target(rows: str, colour: str, life: LifeReader) -> tuple[Point, ...] | None:
    """The largest string of a colour, if it does not live or die whatever happens."""
    stones = {
        (column, row): symbol
        for row, line in enumerate(rows.split("/"))
        for column, symbol in enumerate(line)
        if symbol != "."
    }
    strings = {string_at(stones, point) for point in stones if stones[point] == colour}
    if not strings:
        return None
    largest = max(strings, key=lambda string: (len(string), string))
    if len(largest) < MIN_STONES or life.tactics.geometry.point(largest[0]) in life.safe_points():
        return None
    return largest
