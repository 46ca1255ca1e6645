"""Readers of groups, and random corners and races with the result of a search of all positions on them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.engines.go.board import geometry_for_size
from tengen.engines.go.groups.group_life import GroupLife
from tengen.engines.go.groups.group_reader import GroupReader
from tengen.engines.go.reading.life import LifeReader
from tengen.engines.go.reading.tactics import TacticalReader
from tests.helpers.go_life import stones_of
from tests.helpers.go_positions import position_of
from tests.reference.go_life import Forced
from tests.reference.go_tactics import Spot


def groups_of(position: Position, simulations: int = 1000) -> GroupLife:
    game = position.game
    tactics = TacticalReader(geometry_for_size(game.width, game.height))  # type: ignore[attr-defined]
    tactics.load(position)
    groups = GroupLife(position, LifeReader(tactics))
    groups.reader = GroupReader(position, simulations)
    return groups


def point_of(position: Position, spot: Spot) -> int:
    return (position.game.width + 1) * (spot[1] + 1) + spot[0] + 1  # type: ignore[attr-defined,no-any-return]


def half_open_corner(rng: random.Random, widths: Sequence[int]) -> tuple[Position, Spot, set[Spot]] | None:
    """A position, a stone of Black and all points where moves matter; None if there is no such stone.

    The corner has two rows. Its exit, in the first row, leads past a stone of White to a living string of Black,
    so that Black's stones may live by connecting. Everything else is unconditionally alive: Black's stones to the
    right, White's below.
    """
    width = rng.choice(widths)
    marks = rng.choice(["XXXO....", "XXO...", "XXXXO....", "XXXXX...", "XXXXXXX..."])
    rows = ["".join(rng.choice(marks) for _ in range(width)) for _ in range(2)]
    rows[0] += ".X.X.X"
    rows[1] += "OXXXXX"
    rows += ["O" * (width + 1) + "XXXXX", "O.O.O.OOOOO"[: width + 6].ljust(width + 6, "O")]
    try:
        position = position_of("\n".join(rows))
    except TengenError:
        return None
    ground = {(column, row) for column in range(width) for row in range(2)} | {(width, 0)}
    targets = [point for point, stone in stones_of(position).items() if stone == 1 and point in ground]
    return (position, rng.choice(targets), ground) if targets else None


LIVING = ("{0}.{0}.{0}", "{0}{0}{0}{0}{0}", "{0}.{0}.{0}")  # rows of a string that is alive


def closed_race(rng: random.Random, width: int) -> tuple[Position, Spot, Spot, set[Spot]] | None:
    """Random stones in three rows between living strings of either side.

    Returns a position, two adjacent stones whose strings do not reach the living ones, and all points between the
    living ones; None if there are no such stones.
    """
    marks = rng.choice(["XXOO..", "XXXOOO...", "XO.."])
    columns = ["".join(rng.choice(marks) for _ in range(3)) for _ in range(width)]
    columns[width // 2] = rng.choice(["XXX", "OOO", "XX.", "OO.", ".OO", columns[0]])
    rows = [
        left.format("X") + "".join(column[row] for column in columns) + left.format("O")
        for row, left in enumerate(LIVING)
    ]
    try:
        position = position_of("\n".join(rows))
    except TengenError:
        return None
    stones = stones_of(position)
    ground = {(column, row) for column in range(5, 5 + width) for row in range(3)}
    inside = {point for point in ground if point in stones and _string(stones, point) <= ground}
    pairs = [
        (point, near)
        for point in sorted(inside)
        for near in _neighbours(point)
        if near in inside and stones[near] != stones[point]
    ]
    return (position, *rng.choice(pairs), ground) if pairs else None


def _neighbours(point: Spot) -> list[Spot]:
    column, row = point
    return [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]


def _string(stones: dict[Spot, int], start: Spot) -> set[Spot]:
    found, waiting = {start}, [start]
    while waiting:
        for near in _neighbours(waiting.pop()):
            if near not in found and stones.get(near) == stones[start]:
                found.add(near)
                waiting.append(near)
    return found


def exhaustive_results(position: Position, target: Spot, ground: set[Spot]) -> tuple[int, int]:
    """The results of attack and defence by a search of all positions, as GNU Go's numbers."""
    size = (position.game.width, position.game.height)  # type: ignore[attr-defined]
    stones = stones_of(position)
    if stones[target] == 2:  # the search attacks Black
        stones = {point: 3 - colour for point, colour in stones.items()}
    killed = [Forced(size, mode, target, ground).outcome(stones) for mode in range(3)]
    attack = next((mode + 1 for mode in range(3) if killed[mode][0]), 0)
    defence = next((3 - mode for mode in (2, 1, 0) if not killed[mode][1]), 0)
    return attack, defence
