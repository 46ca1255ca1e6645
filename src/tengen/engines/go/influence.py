"""Who holds what, by influence: territory, moyo and area after Bouzy (1995), safety of small strings, the score.

Dead stones are taken off first, by whoever knows which they are (`status`, or a reader). What comes out is a
guess.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.engines.go.board import geometry_for
from tengen.engines.go.kernels.board import BLACK, WHITE
from tengen.engines.go.kernels.influence import shine, spread
from tengen.engines.go.positions import list_strings
from tengen.games.go import Go
from tengen.search.report import Overlay

STONE = 128
SHED = np.array([64, 32, 16])  # by a stone on points one, two and three steps away

TERRITORY = (5, 21)  # dilations and erosions: d and 1 + d (d - 1)
MOYO = (5, 10)
AREA = (4, 0)

Array = np.ndarray[Any, Any]


def influence(position: Position, kind: tuple[int, int], dead: Collection[Point] = ()) -> Array:
    """int64[height, width]: positive where Black's influence reaches, negative where White's does.

    kind: TERRITORY, MOYO or AREA. dead: the points of all stones that are taken for dead.
    """
    field = STONE * _stones(position, dead)
    on_board = np.zeros_like(field)
    on_board[1:-1, 1:-1] = 1
    spread(field, np.zeros_like(field), on_board, *kind)
    return np.asarray(field[1:-1, 1:-1])


def safety(position: Position) -> dict[Point, int]:
    """How friendly the surroundings of each string are, by one of its stones: the light on all its liberties.

    Below 0 they are hostile: a reason to read it, never enough to call it dead.
    """
    stones = _stones(position, ())
    stones[0, :] = stones[-1, :] = stones[:, 0] = stones[:, -1] = 2
    light = np.zeros_like(stones)
    shine(stones, light, np.zeros_like(stones), np.zeros((stones.size, 2), np.int64), SHED)
    found = {}
    for player, points in list_strings(position):
        around = {(column + x, row + y) for column, row in points for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))}
        free = [(column, row) for column, row in around if stones[row + 1, column + 1] == 0]
        total = sum(int(light[row + 1, column + 1]) for column, row in free)
        found[points[0]] = total if player == 0 else -total
    return found


@dataclass(frozen=True)
class Estimate:
    """The score that may be expected, for Black, komi and captures included; and what is behind it.

    `low` and `high` are the scores if all that is open goes to White, and to Black.
    """

    score: float
    low: float
    high: float
    owners: Array  # int64[height, width]: 1 for Black's points, -1 for White's, stones included

    def __str__(self) -> str:
        """`B+3.5`, `W+0.5` or `0`."""
        if self.score == 0:
            return "0"
        return f"{'B' if self.score > 0 else 'W'}+{abs(self.score):.1f}"


def estimate(position: Position, dead: Collection[Point] = ()) -> Estimate:
    """The score by territory (5 dilations, 21 erosions), by the rules' way of counting."""
    game, state = position.game, position.state
    assert isinstance(game, Go)
    field = influence(position, TERRITORY, dead)
    stones = _stones(position, dead)[1:-1, 1:-1]
    owners = np.where(stones != 0, stones, np.sign(field))
    komi = int(state.komi) / 1000
    open_points = int((owners == 0).sum())
    if game.scoring == "area":
        score = float(owners.sum()) - komi
    else:
        taken = int(state.captured[0]) - int(state.captured[1])
        gone = _stones(position, ())[1:-1, 1:-1]
        off = [int(gone[row, column]) for column, row in dead]
        # A dead stone is a prisoner: one more for the other side.
        score = float(owners[stones == 0].sum()) + taken - sum(off) - komi
    return Estimate(score, score - open_points, score + open_points, owners)


def overlays(position: Position, dead: Collection[Point] = ()) -> tuple[Overlay, ...]:
    """Territory, moyo and area, to be drawn: from 1 for Black to -1 for White."""
    drawn = []
    for name, kind in (("territory", TERRITORY), ("moyo", MOYO), ("area", AREA)):
        field = influence(position, kind, dead)
        strength = np.clip(field / 64, -1, 1)
        points = {
            (column, row): round(float(strength[row, column]), 2)
            for row in range(field.shape[0])
            for column in range(field.shape[1])
        }
        drawn.append(Overlay.from_points(name, dict(points)))
    return tuple(drawn)


def _stones(position: Position, dead: Collection[Point]) -> Array:
    """int64[height + 2, width + 2]: 1 for Black's stones, -1 for White's; dead ones left out."""
    game = position.game
    assert isinstance(game, Go)
    stones = np.zeros((game.height + 2, game.width + 2), np.int64)
    geometry = geometry_for(game)
    content = position.state.go_stones[geometry.outward[geometry.inside]].reshape(game.height, game.width)
    stones[1:-1, 1:-1] += content == BLACK
    stones[1:-1, 1:-1] -= content == WHITE
    for column, row in dead:
        stones[row + 1, column + 1] = 0
    return stones
