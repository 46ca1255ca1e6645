"""Influence: territory, moyo and area after Bouzy (1995), safety of small strings, a score estimate.

Callers say which stones are dead (by `mcts.dead_stones` or `reading.status`); these are removed first. All results
are estimates.
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
from tengen.engines.go.positions import adjacent_points, list_strings
from tengen.games.go import Go
from tengen.search.report import Overlay

STONE_INFLUENCE = 128
LIGHT_BY_DISTANCE = np.array([64, 32, 16])  # light of a stone on points one, two and three steps away

# (dilations, erosions)
TERRITORY = (5, 21)  # d and 1 + d (d - 1)
MOYO = (5, 10)
AREA = (4, 0)

Array = np.ndarray[Any, Any]


def influence(position: Position, kind: tuple[int, int], dead: Collection[Point] = ()) -> Array:
    """int64[height, width]: positive under Black's influence, negative under White's.

    `kind` is TERRITORY, MOYO or AREA; `dead` are the points of all dead stones.
    """
    field = STONE_INFLUENCE * _stones(position, dead)
    on_board = np.zeros_like(field)
    on_board[1:-1, 1:-1] = 1
    spread(field, np.zeros_like(field), on_board, *kind)
    return np.asarray(field[1:-1, 1:-1])


def safety(position: Position) -> dict[Point, int]:
    """Total light on the liberties of each string, keyed by one of its stones; positive is friendly.

    A negative value means hostile surroundings: a reason to read the string, not a proof that it is dead.
    """
    stones = _stones(position, ())
    stones[0, :] = stones[-1, :] = stones[:, 0] = stones[:, -1] = 2
    light = np.zeros_like(stones)
    shine(stones, light, np.zeros_like(stones), np.zeros((stones.size, 2), np.int64), LIGHT_BY_DISTANCE)
    game, found = position.game, {}
    assert isinstance(game, Go)
    for player, points in list_strings(position):
        around = {near for point in points for near in adjacent_points(game, point)}
        free = [(column, row) for column, row in around if stones[row + 1, column + 1] == 0]
        total = sum(int(light[row + 1, column + 1]) for column, row in free)
        found[points[0]] = total if player == 0 else -total
    return found


@dataclass(frozen=True)
class Estimate:
    """Estimated final score for Black, komi and captures included.

    `low` and `high` are the scores if all neutral points go to White or to Black.
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
    """Estimate the score by territory influence, with the game's scoring rule."""
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
        # A dead stone is a prisoner and counts for the other side.
        score = float(owners[stones == 0].sum()) + taken - sum(off) - komi
    return Estimate(score, score - open_points, score + open_points, owners)


def overlays(position: Position, dead: Collection[Point] = ()) -> tuple[Overlay, ...]:
    """Overlays of territory, moyo and area, from 1 (Black) to -1 (White)."""
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
    """int64[height + 2, width + 2]: 1 for Black's stones, -1 for White's, without dead ones."""
    game = position.game
    assert isinstance(game, Go)
    stones = np.zeros((game.height + 2, game.width + 2), np.int64)
    geometry = geometry_for(game)
    content = position.state.go_stones[geometry.to_rules[geometry.inside]].reshape(game.height, game.width)
    stones[1:-1, 1:-1] += content == BLACK
    stones[1:-1, 1:-1] -= content == WHITE
    for column, row in dead:
        stones[row + 1, column + 1] = 0
    return stones
