"""Boards drawn with characters: layout and rendering.

The board has its own background colour, so that it looks the same on dark and light terminals. A point takes 2x1
characters at scale 1, 4x2 at scale 2 and 6x3 at scale 3, which is roughly square each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from operator import itemgetter

from rich.style import Style
from rich.text import Text

from tengen.core.diagram import Diagram, Point, Stone

INK = {Stone.FIRST: "#101418", Stone.SECOND: "#fdfdfa", Stone.NEUTRAL: "#9a6a3c", Stone.EMPTY: "#000000"}
FAINT = {Stone.FIRST: "#5c4a26", Stone.SECOND: "#fff0cf", Stone.EMPTY: "#808080"}
FAINT_CELL = {Stone.FIRST: "#12291c", Stone.SECOND: "#b9dcc6", Stone.EMPTY: "#808080"}
WOOD, LINE = "#d8a657", "#6f5220"
FELT, LAST_CELL = ("#37875a", "#307a50"), "#c08a2e"
LOST = {Stone.FIRST: "#8a2a22", Stone.SECOND: "#f7b2a4", Stone.NEUTRAL: "#8a2a22"}
MARK, CURSOR, DANGER, TARGET = "#e4572e", "#4aa3df", "#c1121f", "#8fd6ac"
LABEL = "#8a8a8a"

# Indexed by the directions of the lines from a point, as bits: up 1, right 2, down 4, left 8.
_CROSSINGS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
_DISCS = {2: ("▗▄▄▖", "▝▀▀▘"), 3: (" ▄▄▄▄ ", "▐████▌", " ▀▀▀▀ ")}


@dataclass(frozen=True)
class BoardMarks:
    """Marks drawn on top of a position.

    `ghosts` are stones that may be placed, with a label; `lost` are stones that the move at the cursor removes.
    `dead` stones are marked for the count. `targets` are possible destinations of a move; `chosen` is the stone
    selected to move. `letters` draws stones as X and O, for users who cannot distinguish the colours.
    """

    cursor: Point | None = None
    ghosts: Mapping[Point, tuple[Stone, str]] = field(default_factory=dict)
    lost: frozenset[Point] = frozenset()
    dead: frozenset[Point] = frozenset()
    targets: frozenset[Point] = frozenset()
    chosen: Point | None = None
    letters: bool = False


@dataclass(frozen=True)
class BoardLayout:
    """Positions of points on the screen. `scale` is 1 to 3; `left` and `top` are the margins in characters."""

    diagram: Diagram
    scale: int
    left: int
    top: int
    step: tuple[int, int]

    @classmethod
    def fit(cls, diagram: Diagram, width: int, height: int) -> BoardLayout:
        """The largest layout that fits, or the smallest one if none does."""
        margin = max((len(label) for label in diagram.rows), default=0)
        widest = max((len(label) for label in diagram.columns), default=1)
        steps = [(1, 2)]  # if labels are wider than that, some are left out
        steps += [
            (scale, max(2 * scale, widest + 1)) for scale in ((1, 2, 3) if diagram.kind == "cells" else (1, 2))
        ]
        found = None
        for scale, across in steps:
            layout = cls(diagram, scale, margin + 2, 1, (across, scale))
            if found is None or (layout.width <= width and layout.height <= height):
                found = layout
        assert found is not None
        return found

    @property
    def width(self) -> int:
        return self.left + len(self.diagram.columns) * self.step[0] + 1

    @property
    def height(self) -> int:
        rows = len(self.diagram.rows) * self.step[1]
        if self.diagram.kind == "points" and self.scale > 1:
            rows -= self.scale - 1  # no vertical line below the last row
        return self.top + rows

    def corner(self, point: Point) -> tuple[int, int]:
        """The leftmost column and top row of a point."""
        return self.left + point[0] * self.step[0], self.top + point[1] * self.step[1]

    def centre(self, point: Point) -> tuple[int, int]:
        """The column and row of a one-character stone on a point."""
        column, row = self.corner(point)
        if self.diagram.kind == "points":
            return column + self.scale - 1, row
        return column + (self.step[0] - 1) // 2, row + (self.scale - 1) // 2

    def at(self, column: int, row: int) -> Point | None:
        """The point drawn at a column and row; None outside the board."""
        across, down = self.step
        if self.diagram.kind == "points":
            column, row = column + across // 2 - self.scale + 1, row + self.scale // 2
        point = ((column - self.left) // across, (row - self.top) // down)
        inside = 0 <= point[0] < len(self.diagram.columns) and 0 <= point[1] < len(self.diagram.rows)
        return point if inside else None


class _Canvas:
    """A grid of styled characters; later writes cover earlier ones."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._cells = [[(" ", "", "", False)] * width for _ in range(height)]

    def write(
        self,
        column: int,
        row: int,
        text: str,
        ink: str = "",
        ground: str = "",
        bold: bool = False,
        under: bool = False,
    ) -> None:
        """Write a text. Colours that are not given stay as they were; `under` changes only the colours."""
        if not 0 <= row < self.height:
            return
        for offset, character in enumerate(text):
            at = column + offset
            if 0 <= at < self.width:
                old, old_ink, old_ground, old_bold = self._cells[row][at]
                self._cells[row][at] = (
                    old if under else character,
                    ink or old_ink,
                    ground or old_ground,
                    bold or old_bold,
                )

    def text(self) -> list[Text]:
        lines = []
        for cells in self._cells:
            line = Text(no_wrap=True, end="")
            for style, run in groupby(cells, key=itemgetter(1, 2, 3)):
                line.append("".join(cell[0] for cell in run), _style(*style))
            lines.append(line)
        return lines


@cache
def _style(ink: str, ground: str, bold: bool) -> Style:
    return Style(color=ink or None, bgcolor=ground or None, bold=bold or None)


def draw(layout: BoardLayout, marks: BoardMarks | None = None) -> list[Text]:
    """The lines of the drawing, top first."""
    marks = marks or BoardMarks()
    diagram = layout.diagram
    canvas = _Canvas(layout.width, layout.height)
    _draw_labels(canvas, layout)
    points = [(column, row) for row in range(len(diagram.rows)) for column in range(len(diagram.columns))]
    draw_ground = _draw_crossing if diagram.kind == "points" else _draw_cell
    for point in points:
        draw_ground(canvas, layout, point, marks)
    for point in points:
        stone = diagram.stones[point[1]][point[0]]
        if stone is not Stone.EMPTY:
            _draw_stone(canvas, layout, point, stone, marks)
        elif point in marks.ghosts:
            _draw_ghost(canvas, layout, point, *marks.ghosts[point])
        elif point in marks.targets:
            canvas.write(*layout.centre(point), "·", ink=TARGET, bold=True)
    for point, (_, label) in marks.ghosts.items():
        if label and diagram.stones[point[1]][point[0]] is not Stone.EMPTY:
            canvas.write(*layout.centre(point), label[-1], ink=CURSOR, bold=True)
    if marks.cursor is not None:
        _draw_cursor(canvas, layout, marks.cursor)
    return canvas.text()


def _draw_labels(canvas: _Canvas, layout: BoardLayout) -> None:
    diagram = layout.diagram
    free = 0
    for index, label in enumerate(diagram.columns):
        column = layout.centre((index, 0))[0] - (len(label) - 1) // 2
        if column >= free:
            canvas.write(column, 0, label, ink=LABEL)
            free = column + len(label) + (len(label) > 1)
    for index, label in enumerate(diagram.rows):
        _, row = layout.centre((0, index))
        canvas.write(0, row, label.rjust(layout.left - 2), ink=LABEL)


def _draw_crossing(canvas: _Canvas, layout: BoardLayout, point: Point, marks: BoardMarks) -> None:
    (column, row), diagram = point, layout.diagram
    last_column, last_row = len(diagram.columns) - 1, len(diagram.rows) - 1
    bits = (row > 0) | (column < last_column) << 1 | (row < last_row) << 2 | (column > 0) << 3
    at, down = layout.centre(point)
    reach = layout.step[0] - 1
    for line in range(layout.scale if row < last_row else 1):  # background, half a step wider than the board
        canvas.write(at - layout.scale, down + line, " " * (layout.step[0] + layout.scale), ground=WOOD)
    canvas.write(at, down, "•" if point in diagram.stars else _CROSSINGS[bits], ink=LINE)
    if column < last_column:
        canvas.write(at + 1, down, "─" * reach, ink=LINE)
    if column > 0:
        canvas.write(at - reach, down, "─" * reach, ink=LINE)
    if layout.scale > 1 and row < last_row:
        canvas.write(at, down + 1, "│", ink=LINE)


def _draw_cell(canvas: _Canvas, layout: BoardLayout, point: Point, marks: BoardMarks) -> None:
    column, row = layout.corner(point)
    marked = point in layout.diagram.marked
    ground = LAST_CELL if marked else FELT[(point[0] + point[1]) % 2]
    for line in range(layout.scale):
        canvas.write(column, row + line, " " * layout.step[0], ground=ground)


def _draw_stone(canvas: _Canvas, layout: BoardLayout, point: Point, stone: Stone, marks: BoardMarks) -> None:
    column, row = layout.centre(point)
    gone = point in marks.dead or point in marks.lost
    ink = LOST[stone] if gone else INK[stone]
    wide = layout.scale > 1
    marked = point in layout.diagram.marked
    if marks.letters:
        canvas.write(column, row, "xo#"[stone - 1] if gone else "XO#"[stone - 1], ink, bold=True)
        if marked and layout.diagram.kind == "points":
            canvas.write(column, row, " ", ground=MARK, under=True)
    elif layout.diagram.kind == "points":
        canvas.write(column - wide, row, "▐█▌" if wide else "●", ink)
        if gone:
            canvas.write(column, row, "×", INK[stone] if wide else DANGER, ink if wide else "", bold=True)
        elif marked:
            canvas.write(column, row, "●" if wide else "◉", MARK if wide else "", ink if wide else "")
    elif wide:
        _draw_disc(canvas, layout, point, ink)
    else:
        canvas.write(column, row, "×" if gone else "●", ink)
    if point == marks.chosen:
        _draw_cursor(canvas, layout, point)


def _draw_disc(canvas: _Canvas, layout: BoardLayout, point: Point, ink: str) -> None:
    left, top = layout.corner(point)
    for line, part in enumerate(_DISCS[layout.scale]):
        canvas.write(left + (layout.step[0] - len(part)) // 2, top + line, part, ink)


def _draw_ghost(canvas: _Canvas, layout: BoardLayout, point: Point, stone: Stone, label: str) -> None:
    column, row = layout.centre(point)
    ink = (FAINT if layout.diagram.kind == "points" else FAINT_CELL)[stone]
    if layout.diagram.kind == "cells" and layout.scale > 1 and not label:
        _draw_disc(canvas, layout, point, ink)
        return
    if layout.scale > 1:
        canvas.write(column - 1, row, "( )", ink, bold=True)
    canvas.write(column, row, label[-1] if label else "○", ink, bold=bool(label))


def _draw_cursor(canvas: _Canvas, layout: BoardLayout, point: Point) -> None:
    if layout.diagram.kind == "cells" and layout.scale > 1:
        column, row = layout.corner(point)
        for line in range(layout.scale):
            canvas.write(column, row + line, " " * layout.step[0], ground=CURSOR, under=True)
        return
    column, row = layout.centre(point)
    reach = 2 if layout.scale > 1 else 1
    canvas.write(column - reach, row, "[", CURSOR if layout.diagram.kind == "cells" else "#1d3fa8", bold=True)
    canvas.write(column + reach, row, "]", CURSOR if layout.diagram.kind == "cells" else "#1d3fa8", bold=True)
