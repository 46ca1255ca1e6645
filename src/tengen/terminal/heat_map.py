"""What an engine thinks of the points of a board, as a heat map: in the terminal, and as SVG.

Both tell the sides apart without colours: the terminal by digits and letters, the picture by signs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.text import Text

from tengen.core.diagram import Diagram, Point, Stone
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.search.report import Report

_LEAST = 0.05  # of the whole: less is not shown
_SIZE = 30  # of a cell, in SVG
_OF_ONE = ("ownership", "win rate")  # overlays whose numbers are shares already


@dataclass(frozen=True)
class HeatMap:
    """Shares from -1 (for the second side) to 1, and the number that is a share of one; or labels in words."""

    name: str
    shares: dict[Point, float]
    whole: float
    labels: dict[Point, str] = field(default_factory=dict)

    @property
    def legend(self) -> str:
        """What the digits and letters of the terminal's map mean."""
        if self.labels:
            return self.name
        whole = (
            "all" if self.name in _OF_ONE else f"{self.whole:,.3g}" if self.whole < 100 else f"{self.whole:,.0f}"
        )
        text = f"{self.name}: 0 to 9 are tenths of {whole}"
        if any(share <= -_LEAST for share in self.shares.values()):
            text += ", a to j the same for the second side"
        return text


def _typed(name: str) -> str:
    """A name as one types it: `black-rows` for Black's rows."""
    return name.lower().replace("'s", "").replace(" ", "-")


def heat_map_from_report(report: Report, name: str) -> HeatMap:
    """One overlay: labels as they are; of numbers that are no shares in themselves, shares of the largest."""
    for overlay in report.overlays:
        if _typed(overlay.name) == _typed(name):
            name = overlay.name
            labels = {
                (column, row): content for column, row, content in overlay.points if isinstance(content, str)
            }
            numbers = {
                (column, row): float(content)
                for column, row, content in overlay.points
                if not isinstance(content, str)
            }
            largest = max(map(abs, numbers.values()), default=0.0) or 1.0
            whole = 1.0 if name in _OF_ONE else largest
            return HeatMap(name, {point: number / whole for point, number in numbers.items()}, whole, labels)
    known = ", ".join(_typed(overlay.name) for overlay in report.overlays) or "none"
    raise OptionError(f"{report.engine} has no heat map {name!r} of this position; it has: {known}")


def heat_map_text(position: Position, heat: HeatMap) -> Text:
    """The board with a digit, 0 to 9, on each point that is not cold; what speaks for the second side is a letter.

    A stone on a point that is the other side's is shown so too: it is probably dead.
    """
    diagram = position.diagram()
    painted: dict[str, tuple[str, str]] = {}

    def paint(symbol: str, point: Point) -> str:
        # A private character stands for each painted one while the board is laid out.
        share = heat.shares.get(point, 0.0)
        if abs(share) < _LEAST and point not in heat.labels:
            return symbol
        column, row = point
        stone = diagram.stones[row][column]
        keeps = stone is not Stone.EMPTY and (heat.name != "ownership" or (share > 0) == (stone is Stone.FIRST))
        tenth = ("0123456789" if share >= 0 else "abcdefghij")[min(9, int(10 * abs(share)))]
        shown = heat.labels.get(point, symbol if keeps else tenth)
        red, blue = (200, 60) if share >= 0 else (60, 220)
        private = chr(0xE000 + len(painted))
        painted[private] = shown, f"rgb({red},90,{blue})" + (" bold" if abs(share) > 0.5 else "")
        return private

    text = Text()
    room = 0  # a label of two characters takes the space that follows
    for character in diagram.text(paint):
        if character == " " and room > 0:
            room -= 1
            continue
        shown, style = painted.get(character, (character, ""))
        room = len(shown) - 1
        text.append(shown, style)
    return text


def heat_map_svg(position: Position, heat: HeatMap, title: str) -> str:
    """The same as a picture: on each point how many hundredths, below zero for the second side."""
    diagram = position.diagram()
    width, height = (len(diagram.columns) + 1) * _SIZE, (len(diagram.rows) + 1) * _SIZE
    parts = [f"<title>{title}</title>", f'<rect width="{width}" height="{height}" fill="#e8c57f"/>']
    parts += _grid(diagram)
    parts += _labels(diagram, width, height)
    for row, stones in enumerate(diagram.stones):
        for column, stone in enumerate(stones):
            x, y = _centre((column, row))
            share = heat.shares.get((column, row), 0.0)
            if abs(share) >= _LEAST:
                parts.append(
                    f'<rect x="{x - _SIZE / 2:g}" y="{y - _SIZE / 2:g}" width="{_SIZE}" height="{_SIZE}"'
                    f' fill="{"#c22" if share >= 0 else "#24c"}" opacity="{0.75 * min(1.0, abs(share)):.2f}"/>'
                )
            if stone is not Stone.EMPTY:
                fill = "#111" if stone is Stone.FIRST else "#fff"
                parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{0.42 * _SIZE:g}" fill="{fill}" stroke="#111"/>')
            if abs(share) >= _LEAST:
                parts.append(_text(x, y, f"{100 * share:.0f}", "#fff" if stone is Stone.FIRST else "#000"))
            elif (column, row) in heat.labels:
                parts.append(_text(x, y, heat.labels[column, row], "#c22"))
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{"".join(parts)}</svg>'


def _labels(diagram: Diagram, width: int, height: int) -> list[str]:
    """The names of columns and rows, on all four sides."""
    edge = 0.25 * _SIZE
    columns = [(_centre((index, 0))[0], label) for index, label in enumerate(diagram.columns)]
    rows = [(_centre((0, index))[1], label) for index, label in enumerate(diagram.rows)]
    return [_text(x, y, label, "#553") for x, label in columns for y in (edge, height - edge)] + [
        _text(x, y, label, "#553") for y, label in rows for x in (edge, width - edge)
    ]


def _text(x: float, y: float, text: str, fill: str) -> str:
    style = 'font-size="10" font-family="sans-serif" text-anchor="middle" dominant-baseline="central"'
    return f'<text x="{x:g}" y="{y:g}" fill="{fill}" {style}>{text}</text>'


def _centre(point: Point) -> tuple[float, float]:
    column, row = point
    return (column + 1) * _SIZE, (row + 1) * _SIZE


def _grid(diagram: Diagram) -> list[str]:
    """Lines through the points, or around the cells."""
    shift = 0.0 if diagram.kind == "points" else -_SIZE / 2
    columns, rows = len(diagram.columns), len(diagram.rows)
    extra = 0 if diagram.kind == "points" else 1
    left, top = _SIZE + shift, _SIZE + shift
    right, bottom = left + (columns - 1 + extra) * _SIZE, top + (rows - 1 + extra) * _SIZE
    lines = [(left + i * _SIZE, top, left + i * _SIZE, bottom) for i in range(columns + extra)]
    lines += [(left, top + i * _SIZE, right, top + i * _SIZE) for i in range(rows + extra)]
    return [f'<line x1="{a:g}" y1="{b:g}" x2="{c:g}" y2="{d:g}" stroke="#553"/>' for a, b, c, d in lines]
