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
from tengen.engines.pente.search_threads import Root
from tengen.games.pente.game import COLOURS
from tengen.games.pente.record import EMPTY, POINTS
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
LABELS_OF_SIX = {level: label.translate(str.maketrans("345", "456")) for level, label in LABELS.items()}
"""Where a row has six stones, all have one more."""

_CAPTURES = 0xFFC0FFC0FFC0FFC0  # the bits of an info that tell of captures and threats to capture


def threat_overlays(position: Position, root: Root) -> tuple[Overlay, ...]:
    """For each colour what a stone on an empty point would make and capture; empty layers are left out."""
    board = root.boards[0]
    # As lists: to read a field of a record point by point takes longer than a short search.
    stones_at, levels, infos = board.stones.tolist(), board.levels.tolist(), board.info.tolist()
    empty = [point for point in range(POINTS) if stones_at[point] == EMPTY]
    labels = LABELS if position.state.row == 5 else LABELS_OF_SIX
    overlays = []
    for colour, name in enumerate(COLOURS):
        rows: dict[Point, float | str] = {}
        captures: dict[Point, float | str] = {}
        setups: dict[Point, float | str] = {}
        for point in empty:
            level = levels[point] >> 8 * colour & 255
            may_capture = infos[point] & _CAPTURES
            if level not in LABELS and not may_capture:
                continue
            where = position.game.points(Move(point))[0]
            if level in LABELS:
                rows[where] = labels[level]
            stones, threatens = _captures(infos[point], colour) if may_capture else (0, False)
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
