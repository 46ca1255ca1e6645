"""Connection problems in a corner: join two strings, or cut them apart.

The corner is composed as for life and death, with more gaps between the defenders' stones. The connection reader
finds pairs of strings that are joined or cut depending on which side moves first; `ConnectionProof` then solves
the closed region, so the result of every move is known. Exactly one move is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from random import Random

from tengen.core.diagram import Point
from tengen.core.errors import PositionError
from tengen.engines.go.board import geometry_for_size
from tengen.engines.go.puzzles.connection_proof import ConnectionProof
from tengen.engines.go.puzzles.corners import enclose, grow_space, scatter, transform
from tengen.engines.go.puzzles.life_problems import region_points
from tengen.engines.go.puzzles.problem import SIZE, Goal, Problem, position_of, stones_of, string_at, write_rows
from tengen.engines.go.reading.connections import ConnectionReader
from tengen.engines.go.reading.life import LifeReader
from tengen.engines.go.reading.tactics import Result, TacticalReader
from tengen.games.go import PASS, Go

MIN_SPACE, MAX_SPACE = 4, 9  # points inside
GAP_CHANCE = 0.25  # of a stone of the defenders to be missing
MIN_STONES = 2  # of each string: a single stone could be lost in a ko
MAX_EMPTY = 10  # points of the region; solving more takes long
MIN_CANDIDATES = 4


def generate_connection_problems(seed: int) -> Iterator[Problem]:
    """Problems without end."""
    random = Random(seed)
    life = LifeReader(TacticalReader(geometry_for_size(SIZE, SIZE)))
    reader = ConnectionReader(life.tactics)
    known: set[str] = set()
    while True:
        stones = enclose(grow_space(random, MIN_SPACE, MAX_SPACE), scatter, random, GAP_CHANCE)
        if stones is None:
            continue
        goal = random.choice((Goal.CONNECT, Goal.CUT))
        rows = write_rows(transform(stones, random.randrange(8), swapped=goal is Goal.CONNECT))
        problem = next(_problems(rows, goal, life, reader), None)
        if problem is not None and problem.rows not in known:
            known.add(problem.rows)
            yield problem


def _problems(rows: str, goal: Goal, life: LifeReader, reader: ConnectionReader) -> Iterator[Problem]:
    """The problems of joining two strings of Black, or of cutting two of White apart."""
    try:
        position = position_of(rows)
    except PositionError:
        return  # a string without liberties
    life.tactics.load(position)
    stones, geometry = stones_of(position), life.tactics.geometry
    colour = "X" if goal is Goal.CONNECT else "O"
    strings = sorted({string_at(stones, point) for point in stones if stones[point] == colour})
    for one, other in combinations([string for string in strings if len(string) >= MIN_STONES], 2):
        region = life.region(geometry.point(one[0]))
        zone = region_points(region, geometry)
        if not region.is_closed or other[0] not in zone or len(zone - set(stones)) > MAX_EMPTY:
            continue
        points = geometry.point(one[0]), geometry.point(other[0])
        first, second = reader.connect(*points), reader.disconnect(*points)
        if first.result is second.result is Result.WORKS:
            problem = prove_connection(rows, goal, one, other, zone)
            if problem is not None:
                yield problem


def prove_connection(
    rows: str, goal: Goal, one: tuple[Point, ...], other: tuple[Point, ...], zone: frozenset[Point]
) -> Problem | None:
    """The problem of joining two strings in a closed region, or of cutting them apart.

    None if whose move it is does not matter, if more than one move is right, or if there are too many positions.
    """
    position, joins = position_of(rows), goal is Goal.CONNECT
    proof = ConnectionProof(position, one[0], other[0], zone)
    if not proof.is_solved or not proof.is_decided_by_turn():
        return None
    game = position.game
    assert isinstance(game, Go)
    results: dict[frozenset[bool], list[str]] = {frozenset((True,)): [], frozenset((False,)): []}
    by_ko: list[str] = []
    for move in position.legal_moves:
        if move == PASS:
            continue
        (point,) = game.points(move)
        reached = proof.joined_after(point, by_owner=joins) if point in zone else frozenset((not joins,))
        assert reached is not None
        results.get(reached, by_ko).append(game.write_move(move))
    right, wrong = results[frozenset((joins,))], results[frozenset((not joins,))]
    if len(right) != 1 or len(zone - set(stones_of(position))) < MIN_CANDIDATES:
        return None
    return Problem(goal, rows, tuple(sorted((*one, *other))), tuple(right), tuple(by_ko), tuple(wrong))
