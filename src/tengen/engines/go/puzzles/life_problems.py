"""Life-and-death problems in a corner, proved by the life-and-death reader.

A problem is composed at random: an eye space in a corner, the stones around it, and attackers around these that
are unconditionally alive by two eyes elsewhere. So the corner is a closed region, in which the reader's exact
search is a proof (see `reading.life`), and moves elsewhere are the same as a pass. A position is kept if both
sides, moving first, reach their goal without a ko, and one move alone does so.

In a capturing race attackers are inside, too: a string that is not joined to the wall, beside the string that the
problem is about. One of the two is captured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from tengen.core.diagram import Point
from tengen.core.errors import PositionError
from tengen.engines.go.board import Geometry, geometry_for_size
from tengen.engines.go.puzzles.corners import (
    ATTACKER,
    DEFENDER,
    STONE_CHANCE,
    around,
    enclose,
    grow_space,
    scatter,
    transform,
)
from tengen.engines.go.puzzles.problem import SIZE, Goal, Problem, position_of, stones_of, string_at, write_rows
from tengen.engines.go.reading.life import LifeReader
from tengen.engines.go.reading.point_sets import list_points
from tengen.engines.go.reading.search_region import SearchRegion
from tengen.engines.go.reading.tactics import Result, TacticalReader
from tengen.games.go import PASS, Go

MIN_SPACE, MAX_SPACE = 4, 8  # points of the eye space
MIN_CANDIDATES = 4
MAX_REGION = 18  # points; exhaustive search of larger ones takes minutes
MIN_STONES = 3  # of the string that the problem is about
MIN_RACE_SPACE, MAX_RACE_SPACE = 7, 11  # points inside, with the attackers' string
MIN_RACE_STONES, MAX_RACE_STONES = 3, 6  # of that string


def generate_life_problems(seed: int) -> Iterator[Problem]:
    """Problems without end."""
    return _generate(Random(seed), _compose, lambda problem, life: True)


def generate_race_problems(seed: int) -> Iterator[Problem]:
    """Capturing races without end."""
    return _generate(Random(seed), _compose_race, is_race)


def _generate(
    random: Random,
    compose: Callable[[Random], dict[Point, str] | None],
    is_wanted: Callable[[Problem, LifeReader], bool],
) -> Iterator[Problem]:
    life = LifeReader(TacticalReader(geometry_for_size(SIZE, SIZE)))
    known: set[str] = set()
    while True:
        stones = compose(random)
        if stones is None:
            continue
        goal = random.choice((Goal.KILL, Goal.LIVE))
        turned = transform(stones, random.randrange(8), swapped=goal is Goal.LIVE)
        problem = prove_life(write_rows(turned), goal, life)
        if problem is not None and problem.rows not in known and is_wanted(problem, life):
            known.add(problem.rows)
            yield problem


def _compose(random: Random) -> dict[Point, str] | None:
    """Random stones with the defenders in the upper left corner; None if there is no room for the attackers."""
    return enclose(grow_space(random, MIN_SPACE, MAX_SPACE), scatter, random)


def _compose_race(random: Random) -> dict[Point, str] | None:
    """Random stones with a string of the attackers among the defenders."""
    return enclose(grow_space(random, MIN_RACE_SPACE, MAX_RACE_SPACE), _place_string, random)


def _place_string(space: set[Point], random: Random) -> dict[Point, str]:
    """A string of the attackers, and a few defenders."""
    string = {random.choice(sorted(space))}
    for _ in range(random.randint(MIN_RACE_STONES, MAX_RACE_STONES) - 1):
        edge = sorted(around(string, diagonally=False) & space)
        string.add(random.choice(edge))
    defenders = {point for point in sorted(space - string) if random.random() < STONE_CHANCE}
    return {**dict.fromkeys(defenders, DEFENDER), **dict.fromkeys(string, ATTACKER)}


def is_race(problem: Problem, life: LifeReader) -> bool:
    """Whether the solution is to be faster than a string inside: then one of the two is captured."""
    position, geometry = problem.position, life.tactics.geometry
    stones = stones_of(position)
    target = problem.stones[0]
    beside = {
        point
        for point in around(set(problem.stones), diagonally=False)
        if stones.get(point, stones[target]) != stones[target]
    }
    inside = zone_of(problem, life)
    found = {string_at(stones, point) for point in beside if point in inside}
    move = position.game.points(position.game.read_move(problem.right[0], position))[0]
    for string in found:
        if len(string) < MIN_RACE_STONES:
            continue
        at = geometry.point(string[0])
        with life.tactics.trial_move(geometry.point(move), 1):
            if not life.tactics.colour(at):
                continue  # captured by the first move: no race
            result = (life.tactics.attack if problem.goal is Goal.KILL else life.tactics.defend)(at).result
        if result is Result.FAILS:
            return True
    return False


def zone_of(problem: Problem, life: LifeReader) -> frozenset[Point]:
    """The points of the closed region in which a problem is decided; loads its position."""
    life.tactics.load(problem.position)
    geometry = life.tactics.geometry
    return region_points(life.region(geometry.point(problem.stones[0])), geometry)


def region_points(region: SearchRegion, geometry: Geometry) -> frozenset[Point]:
    """The points of a region."""
    zone = list_points(region.zone)
    return frozenset((point % geometry.stride - 1, point // geometry.stride - 1) for point in zone)


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
    if (
        not region.is_closed
        or not len(region.candidates) >= MIN_CANDIDATES
        or region.zone.bit_count() > MAX_REGION
    ):
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
