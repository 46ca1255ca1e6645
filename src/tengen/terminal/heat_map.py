"""Heat maps of an engine's values for the points of a board, as text and as SVG.

Both distinguish the sides without colours: the text by digits and letters, the SVG by signs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.text import Text

from tengen.core.diagram import Diagram, Point, Stone
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.search.report import Report
from tengen.terminal.board import styled_text

_MIN_SHARE = 0.05  # smaller shares are not shown
_CELL = 30  # size of a cell in SVG, in pixels
_SHARE_OVERLAYS = ("ownership", "win rate")  # their numbers are shares already


@dataclass(frozen=True)
class HeatMap:
    """Shares from -1 (second side) to 1, relative to the number `whole`; or text labels."""

    name: str
    shares: dict[Point, float]
    whole: float
    labels: dict[Point, str] = field(default_factory=dict)

    @property
    def legend(self) -> str:
        """Explanation of the digits and letters of the text map."""
        if self.labels:
            return self.name
        whole = f"{self.whole:,.3g}" if self.whole < 100 else f"{self.whole:,.0f}"
        if self.name in _SHARE_OVERLAYS:
            whole = "all"
        text = f"{self.name}: 0 to 9 are tenths of {whole}"
        if any(share <= -_MIN_SHARE for share in self.shares.values()):
            text += ", a to j the same for the second side"
        return text


def _typed(name: str) -> str:
    """The name of an overlay on the command line: `black-rows` for Black's rows."""
    return name.lower().replace("'s", "").replace(" ", "-")


def heat_map_from_report(report: Report, name: str) -> HeatMap:
    """The overlay `name` of a report. Numbers that are not shares are divided by the largest one."""
    for overlay in report.overlays:
        if _typed(overlay.name) == _typed(name):
            name = overlay.name
            points = {(column, row): content for column, row, content in overlay.points}
            labels = {point: content for point, content in points.items() if isinstance(content, str)}
            numbers = {point: float(content) for point, content in points.items() if point not in labels}
            largest = max(map(abs, numbers.values()), default=0.0) or 1.0
            whole = 1.0 if name in _SHARE_OVERLAYS else largest
            return HeatMap(name, {point: number / whole for point, number in numbers.items()}, whole, labels)
    known = ", ".join(_typed(overlay.name) for overlay in report.overlays) or "none"
    raise OptionError(f"{report.engine} has no heat map {name!r} of this position; it has: {known}")


def heat_map_text(position: Position, heat: HeatMap) -> Text:
    """The board with a digit (first side) or letter (second side) on each point with a value.

    Stones on points owned by the other side are shown the same way: they are probably dead.
    """
    diagram = position.diagram()

    def paint(symbol: str, point: Point) -> tuple[str, str]:
        share = heat.shares.get(point, 0.0)
        if abs(share) < _MIN_SHARE and point not in heat.labels:
            return symbol, ""
        column, row = point
        stone = diagram.stones[row][column]
        keeps = stone is not Stone.EMPTY and (heat.name != "ownership" or (share > 0) == (stone is Stone.FIRST))
        tenth = ("0123456789" if share >= 0 else "abcdefghij")[min(9, int(10 * abs(share)))]
        colour = "rgb(200,90,60)" if share >= 0 else "rgb(60,90,220)"
        return heat.labels.get(point, symbol if keeps else tenth), colour + (" bold" if abs(share) > 0.5 else "")

    return styled_text(diagram, paint)


def heat_map_svg(position: Position, heat: HeatMap, title: str) -> str:
    """The heat map as SVG, with values in hundredths, negative for the second side."""
    diagram = position.diagram()
    width, height = (len(diagram.columns) + 1) * _CELL, (len(diagram.rows) + 1) * _CELL
    parts = [f"<title>{title}</title>", f'<rect width="{width}" height="{height}" fill="#e8c57f"/>']
    parts += _grid(diagram)
    parts += _labels(diagram, width, height)
    for row, stones in enumerate(diagram.stones):
        for column, stone in enumerate(stones):
            x, y = _centre((column, row))
            share = heat.shares.get((column, row), 0.0)
            if abs(share) >= _MIN_SHARE:
                parts.append(
                    f'<rect x="{x - _CELL / 2:g}" y="{y - _CELL / 2:g}" width="{_CELL}" height="{_CELL}"'
                    f' fill="{"#c22" if share >= 0 else "#24c"}" opacity="{0.75 * min(1.0, abs(share)):.2f}"/>'
                )
            if stone is not Stone.EMPTY:
                fill = "#111" if stone is Stone.FIRST else "#fff"
                parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{0.42 * _CELL:g}" fill="{fill}" stroke="#111"/>')
            if abs(share) >= _MIN_SHARE:
                parts.append(_text(x, y, f"{100 * share:.0f}", "#fff" if stone is Stone.FIRST else "#000"))
            elif (column, row) in heat.labels:
                parts.append(_text(x, y, heat.labels[column, row], "#c22"))
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{"".join(parts)}</svg>'


def _labels(diagram: Diagram, width: int, height: int) -> list[str]:
    """Coordinates on all four sides."""
    edge = 0.25 * _CELL
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
    return (column + 1) * _CELL, (row + 1) * _CELL


def _grid(diagram: Diagram) -> list[str]:
    """Lines through the points, or around the cells."""
    shift = 0.0 if diagram.kind == "points" else -_CELL / 2
    columns, rows = len(diagram.columns), len(diagram.rows)
    extra = 0 if diagram.kind == "points" else 1
    left, top = _CELL + shift, _CELL + shift
    right, bottom = left + (columns - 1 + extra) * _CELL, top + (rows - 1 + extra) * _CELL
    lines = [(left + i * _CELL, top, left + i * _CELL, bottom) for i in range(columns + extra)]
    lines += [(left, top + i * _CELL, right, top + i * _CELL) for i in range(rows + extra)]
    return [f'<line x1="{a:g}" y1="{b:g}" x2="{c:g}" y2="{d:g}" stroke="#553"/>' for a, b, c, d in lines]
