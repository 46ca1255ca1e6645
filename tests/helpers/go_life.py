"""Life and death as read by the engine, with the result of a search of all positions."""

from __future__ import annotations

from functools import cache

from tengen.core.position import Position
from tengen.engines.go.board import geometry_for_size
from tengen.engines.go.reading.life import LifeReader
from tengen.engines.go.reading.tactics import ReadResult, TacticalReader
from tengen.games.go import Go
from tests.reference.go_life import Forced
from tests.reference.go_tactics import Spot, Stones


@cache
def life_of(width: int, height: int) -> LifeReader:
    return LifeReader(TacticalReader(geometry_for_size(width, height)))


def stones_of(position: Position) -> Stones:
    game = position.game
    found = {
        (column, row): int(position.state.go_stones[game.point((column, row))])  # type: ignore[attr-defined]
        for column in range(game.width)  # type: ignore[attr-defined]
        for row in range(game.height)  # type: ignore[attr-defined]
    }
    return {point: stone for point, stone in found.items() if stone}


def answers(position: Position, target: Spot, ground: set[Spot]) -> list[tuple[ReadResult, int]]:
    """(read result, exhaustive search's result) of the attack and of the defence."""
    game = position.game
    assert isinstance(game, Go)
    life, stones = life_of(game.width, game.height), stones_of(position)
    life.tactics.load(position)
    point = life.tactics.geometry.stride * (target[1] + 1) + target[0] + 1
    assert life.region(point).is_closed
    killed = [Forced((game.width, game.height), mode, target, ground).outcome(stones) for mode in range(3)]
    attack = next((mode + 1 for mode in range(3) if killed[mode][0]), 0)
    defence = next((3 - mode for mode in (2, 1, 0) if not killed[mode][1]), 0)
    return [(life.attack(point), attack), (life.defend(point), defence)]
