"""Readers of groups, and random half-open corners with the result of a search of all positions on them."""

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


def exhaustive_results(position: Position, target: Spot, ground: set[Spot]) -> tuple[int, int]:
    """The results of attack and defence by a search of all positions, as GNU Go's numbers."""
    size = (position.game.width, position.game.height)  # type: ignore[attr-defined]
    killed = [Forced(size, mode, target, ground).outcome(stones_of(position)) for mode in range(3)]
    attack = next((mode + 1 for mode in range(3) if killed[mode][0]), 0)
    defence = next((3 - mode for mode in (2, 1, 0) if not killed[mode][1]), 0)
    return attack, defence
