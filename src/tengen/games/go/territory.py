"""Territory on a board from which the dead stones have been removed."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tengen.core.diagram import Diagram, Point, Stone, connected, neighbours


def territory(diagram: Diagram, dead: Collection[Point]) -> dict[Point, int]:
    """The owner, 0 or 1, of each point without a living stone; points that both sides touch are left out."""
    points = diagram.contents() | dict.fromkeys(dead, Stone.EMPTY)
    living = {point: stone for point, stone in points.items() if stone is not Stone.EMPTY}
    open_points = set(points) - set(living)
    owned: dict[Point, int] = {}
    while open_points:
        region = connected(next(iter(open_points)), open_points)
        open_points -= region
        touched = {living[beside] for point in region for beside in neighbours(point) if beside in living}
        if len(touched) == 1:
            owned |= dict.fromkeys(region, int(touched.pop()) - 1)
    return owned


def dead_stones(diagram: Diagram, dead: Iterable[Point]) -> frozenset[Point]:
    """Every stone of the strings at these points; empty points are ignored."""
    contents = diagram.contents()
    found: set[Point] = set()
    for point in dead:
        if point not in found and contents[point] is not Stone.EMPTY:
            found |= connected(point, {other for other, stone in contents.items() if stone is contents[point]})
    return frozenset(found)
