"""Handicap points and star points."""

from __future__ import annotations

from tengen.core.diagram import Point
from tengen.core.errors import OptionError
from tengen.core.translation import mark


def _lines(side: int) -> tuple[int, int, int]:
    """The low, middle and high lines of star points."""
    edge = 3 if side >= 13 else 2
    return edge, side // 2, side - 1 - edge


def most_fixed_handicap(width: int, height: int) -> int:
    """Maximum fixed handicap of a board: none on small boards, four without a middle line."""
    if min(width, height) < 7:
        return 0
    if min(width, height) == 7 or width % 2 == 0 or height % 2 == 0:
        return 4
    return 9


def fixed_handicap(width: int, height: int, stones: int) -> list[Point]:
    """Fixed handicap points in GTP order: corners, then sides, the centre for 5, 7 and 9."""
    most = most_fixed_handicap(width, height)
    if not 2 <= stones <= most:
        room = mark("2 to {most} stones").format(most=most) if most else mark("no fixed handicap")
        raise OptionError(f"go: {width}x{height} has {room}, not {stones}; free_handicap places them freely")
    left, centre, right = _lines(width)
    top, middle, bottom = _lines(height)
    corners = [(left, bottom), (right, top), (left, top), (right, bottom)]
    sides = [(left, middle), (right, middle), (centre, bottom), (centre, top)]
    places = corners[:stones] if stones <= 4 else corners + sides[: (stones - 4) // 2 * 2]
    if stones > 4 and stones % 2 == 1:
        places = [*places, (centre, middle)]
    return places


def star_points(width: int, height: int) -> frozenset[Point]:
    """Star points of a board."""
    if min(width, height) < 7:
        return frozenset()
    columns, rows = _lines(width), _lines(height)
    stars = {(column, row) for column in columns[::2] for row in rows[::2]}
    if width % 2 and height % 2 and min(width, height) > 7:
        stars.add((columns[1], rows[1]))
        if width >= 15 and height >= 15:
            stars |= {(columns[1], row) for row in rows} | {(column, rows[1]) for column in columns}
    return frozenset(stars)
