"""Moves by clicks: which move, if any, the points clicked so far stand for."""

from __future__ import annotations

from typing import NamedTuple

from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position


class Clicked(NamedTuple):
    """A move to play; or, without one, the points chosen so far and those that can follow."""

    move: Move | None
    chosen: tuple[Point, ...] = ()
    targets: tuple[Point, ...] = ()


def after_click(position: Position, chosen: tuple[Point, ...], point: Point) -> Clicked:
    """What a click means after `chosen` points.

    Points are clicked in the order of `Game.points`. Where a move of the points clicked could be continued to a
    longer one, a second click on its last point makes it. Any other click begins again.
    """
    ways = {move: position.game.points(move) for move in position.legal_moves}
    complete = [move for move, points in ways.items() if points == chosen]
    if chosen and complete and point == chosen[-1]:
        return Clicked(complete[0])
    for clicked in ((*chosen, point), (point,)):
        fitting = {move: points for move, points in ways.items() if points[: len(clicked)] == clicked}
        if len(fitting) == 1 and next(iter(fitting.values())) == clicked:
            return Clicked(next(iter(fitting)))
        if fitting:
            targets = sorted({points[len(clicked)] for points in fitting.values() if len(points) > len(clicked)})
            return Clicked(None, clicked, tuple(targets))
    return Clicked(None)
