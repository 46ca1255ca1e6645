"""Threats and captures as board overlays."""

from __future__ import annotations

from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.patterns import (
    CAPTURE_THREATS,
    CLOSED_THREE,
    FOUR_THREE,
    ONE_FOUR,
    ONE_THREE,
    PAIRS,
    TRIPLES,
    TWO_FOURS,
    TWO_THREES,
    WINS,
)
from tengen.engines.pente.root_position import RootPosition
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
"""Labels by the level of a point: a closed three, an open three, two of them; a four, with a three, two; a row."""
LABELS_ROW_OF_SIX = {level: label.translate(str.maketrans("345", "456")) for level, label in LABELS.items()}
"""With six in a row, all numbers are one higher."""

_CAPTURE_MASK = 0xFFC0FFC0FFC0FFC0  # bits for captures and threats to capture


def threat_overlays(position: Position, root: RootPosition) -> tuple[Overlay, ...]:
    """For each colour, what a stone on an empty point would make and capture. Empty overlays are omitted."""
    board = root.boards[0]
    # Convert to lists: reading record fields point by point takes longer than a short search.
    stones_at, levels, entries = board.stones.tolist(), board.levels.tolist(), board.entries.tolist()
    empty = [point for point in range(POINTS) if stones_at[point] == EMPTY]
    labels = LABELS if position.state.row == 5 else LABELS_ROW_OF_SIX
    overlays = []
    for colour, name in enumerate(COLOURS):
        rows: dict[Point, float | str] = {}
        captures: dict[Point, float | str] = {}
        capture_threats: dict[Point, float | str] = {}
        for point in empty:
            level = levels[point] >> 8 * colour & 255
            may_capture = entries[point] & _CAPTURE_MASK
            if level not in LABELS and not may_capture:
                continue
            where = position.game.points(Move(point))[0]
            if level in LABELS:
                rows[where] = labels[level]
            stones, threatens = _captures(entries[point], colour) if may_capture else (0, False)
            if stones:
                captures[where] = f"x{stones}"
            elif threatens:
                capture_threats[where] = "x"
        for kind, points in (("rows", rows), ("captures", captures), ("capture threats", capture_threats)):
            if points:
                overlays.append(Overlay.from_points(f"{name}'s {kind}", points))
    return tuple(overlays)


def _captures(entries: int, colour: int) -> tuple[int, bool]:
    """Number of stones that a colour captures at a point, and whether it threatens to; see `patterns` for the
    bits.
    """
    stones, threatens = 0, False
    for axis in range(4):
        entry = entries >> 16 * axis
        stones += 2 * (entry >> PAIRS + 2 * colour & 3).bit_count()
        stones += 3 * (entry >> TRIPLES + 2 * colour & 3).bit_count()
        threatens |= bool(entry >> CAPTURE_THREATS + colour & 1)
    return stones, threatens
