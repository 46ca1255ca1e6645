"""Threats and captures as layers to draw over the board."""

from __future__ import annotations

from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.patterns import (
    CLOSED_THREE,
    FOUR_THREE,
    ONE_FOUR,
    ONE_THREE,
    PAIRS,
    SETUPS,
    TRIPLES,
    TWO_FOURS,
    TWO_THREES,
    WINS,
)
from tengen.engines.pente.root import Root
from tengen.games.pente.game import COLOURS
from tengen.games.pente.record import POINTS
from tengen.search.report import Overlay

LABELS = {
    CLOSED_THREE: "3",
    ONE_THREE: "3+",
    TWO_THREES: "33",
    ONE_FOUR: "4",
    FOUR_THREE: "43",
    TWO_FOURS: "44",
    WINS: "5",
}
"""What a stone on a point makes, by its level: a three, an open one, two; a four, with a three, two; a row."""


def threat_overlays(position: Position, root: Root) -> tuple[Overlay, ...]:
    """For each colour what a stone on an empty point would make and capture; empty layers are left out."""
    board = root.boards[0]
    overlays = []
    for colour, name in enumerate(COLOURS):
        rows: dict[Point, float | str] = {}
        captures: dict[Point, float | str] = {}
        setups: dict[Point, float | str] = {}
        for point in range(POINTS):
            if board.stones[point] != 0:
                continue
            where = position.game.points(Move(point))[0]
            level = int(board.levels[point]) >> 8 * colour & 255
            if level in LABELS:
                label = LABELS[level]
                rows[where] = label
            stones, threatens = _captures(int(board.info[point]), colour)
            if stones:
                captures[where] = f"x{stones}"
            elif threatens:
                setups[where] = "x"
        for kind, points in (("rows", rows), ("captures", captures), ("capture threats", setups)):
            if points:
                overlays.append(Overlay.of(f"{name}'s {kind}", points))
    return tuple(overlays)


def _captures(info: int, colour: int) -> tuple[int, bool]:
    """How many stones a colour captures on a point, and whether it threatens to; see `patterns` for the bits."""
    stones, threatens = 0, False
    for axis in range(4):
        entry = info >> 16 * axis
        stones += 2 * (entry >> PAIRS + 2 * colour & 3).bit_count()
        stones += 3 * (entry >> TRIPLES + 2 * colour & 3).bit_count()
        threatens |= bool(entry >> SETUPS + colour & 1)
    return stones, threatens
